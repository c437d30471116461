"""Many problems in one prompt (specification, section 4)."""

from __future__ import annotations

from horsesense.runs.suites.base import Difference, Suite

MULTI_PROBLEM = Suite(
    "multi-problem",
    "Many problems in one prompt",
    "Wang, Kodner and Rambow 2025, arXiv 2406.10786",
    published=(
        "batch",
        "select_one(examples=alternate)",
        "select_all",
        "select_one(shows=label, examples=alternate)",
        "select_all(shows=label)",
    ),
    worked=(
        "select_one(sizes=10, cot=1, examples=alternate)",
        "select_all(sizes=10, cot=1)",
        "batch(sizes=5, shots=2)",
        "select_one(sizes=5, shots=2, examples=alternate)",
        "select_all(sizes=5, shots=2)",
    ),
    better=(
        "batch",
        "batch(lines=anchored)",
        "select_one",
        "select_all",
        "select_one(shows=label)",
        "select_all(shows=label)",
    ),
    differences=(
        Difference(
            "how answers are matched with problems",
            "one a line, by their order",
            "also with the number of the problem before each answer",
            "where a line is left out, order alone shifts all that follow",
        ),
        Difference(
            "label of the worked examples of select_one",
            "goes through the labels, whatever is asked",
            "the one that is asked",
            "an example of another label shows another task",
        ),
        Difference(
            "which sets have the prompts with worked examples",
            "reasoning (one example, 10 problems) all sets, two examples (5 problems) CoLA alone",
            "none of them",
            "they are asked of any set for which --shots-from names examples; they cost five arms",
            "all five on any set for which --shots-from names examples",
        ),
        Difference(
            "sets with the simplified selection (shows=label)",
            "AGNews alone",
            "every set",
            "whether it helps may depend on the set",
            "every set",
        ),
        Difference(
            "wording of the prompts",
            "templates of the released code",
            "templates of the same parts",
            "the words are the authors'; --templates takes them where you have them",
            "templates of the same parts in other words",
            settings=("templates",),
        ),
        Difference(
            '"All" as the answer of select_one',
            "read as all but the last problem in one of its tables",
            "all problems",
            "a slip of the released code, which moves the mean difference from 31.9 to 32.0",
            "all problems",
        ),
        Difference(
            "drawing of bundles",
            "without a seed",
            "by a seed of each item and bundle",
            "the published bundles cannot be drawn again, only others of the same kind",
            "by a seed of each item and bundle",
        ),
        Difference(
            "intervals and tests",
            "accuracies of model, data and size as independent samples",
            "problems, paired, with errors that go together by item and by prompt",
            "the tasks are asked about the same items in the same bundles",
        ),
    ),
)
