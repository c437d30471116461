"""Know-No and OmniAccuracy (specification, section 2)."""

from __future__ import annotations

from horsesense.runs.suites.base import Difference, Suite
from horsesense.runs.suites.revas import LEFT_OUT, ORDERS, WORDING

_THREE = "design=random(3)"

KNOW_NO = Suite(
    "know-no",
    "Know-No and OmniAccuracy",
    "Xu et al. 2024, arXiv 2406.16203",
    published=(
        f"gold_absent({_THREE})",
        f"gold_plus_none({_THREE}, sample=250)",
        "delimiter",
    ),
    better=(
        "order",
        "gold_absent(design=auto)",
        "gold_absent(prompt=hint_option, positions=every, design=auto)",
        "gold_plus_none(design=auto)",
        "delimiter(gold=both)",
    ),
    settings={"temperature": 0.0, "top_p": 0.9, "max_tokens": 1000},
    differences=(
        Difference(
            "orders of the options",
            "3 random ones, the none-option last",
            default="cyclic up to 10 options, 3 random ones above; the none-option last, and in "
            "every position in turn (of more than 10 options first, middle, last)",
            why=f"{ORDERS.why}; a model that likes the last option seems to notice that the right "
            "one is missing",
        ),
        Difference(
            "items with a none-option beside the right answer",
            "250, compared with all items without it",
            default="all items, compared with themselves",
            faithful="250 (those that --limit 250 keeps), compared with themselves",
            why="which 250 is not published, and only the same items can be compared",
        ),
        Difference(
            "class names joined by another sign",
            "the right name removed",
            default="also with the right name",
            why="the rate of published spellings does not need the removal",
            kind="label",
        ),
        Difference(
            "orders of the class names joined by another sign",
            "3 random ones, and their mean",
            default="one, as listed",
            faithful="one, as listed",
            why="a name is recited or not whatever stands beside it; lists of class names are long",
            kind="label",
        ),
        Difference(
            "class names that are listed",
            "all 77 of Bank-77",
            default="those that occur in the file, or that --labels names",
            faithful="those that occur in the file, or that --labels names",
            why="a part of the file may hold a part of the classes, and nothing else names them",
            kind="label",
        ),
        Difference(
            "score of the items as published",
            "with the paper's wording, which speaks of one or several options",
            default="in the wording of all probes, which says that one is to be chosen; the other "
            "stands beside it as prompt=with_gold",
            faithful="in the wording of all probes, which says that one is to be chosen; the "
            "other, on which omni_accuracy rests, stands beside it as prompt=with_gold",
            why="one score that every suite has lets runs be compared",
        ),
        Difference(
            "length of replies, nucleus",
            "temperature 0, top_p 0.9, max_length 1000",
            default="temperature 0, at most 16 tokens (64 without a hint), the server's top_p",
            why="a reply without an explanation is short; at temperature 0 top_p changes nothing",
            settings=("temperature", "top_p", "max_tokens"),
            faithful="the same, max_length taken as the number of new tokens",
        ),
        Difference(
            "runs over EquInfer",
            "3, as the text says, though most printed values are shares of one run",
            default="as many as orders",
            why="the text says three for every set",
            kind="choice",
        ),
        LEFT_OUT,
        WORDING,
        Difference(
            "when the instruction asks for none-of-them",
            "table 2 and the appendix print two wordings",
            default="one of them, as with --faithful",
            faithful="one of them: where the model believes that nothing is right, unless "
            "gold_absent(hint=appendix) asks for it where nothing is right",
            why="which of them the numbers come from is not said",
        ),
        Difference(
            "replies without a hint",
            "judged by people",
            default="judged by rules; what none decides is wrong until `annotate` is used",
            faithful="judged by rules; what none decides is wrong until `annotate` is used",
            why="people are not part of a command; their judgement replaces the rules' once given",
        ),
        Difference(
            "replies that choose nothing, or are cut off, after a hint",
            "not said",
            default="no reading is made of what is unclear: it leaves the numbers, and is counted",
            faithful="no reading is made of what is unclear: it leaves the numbers, and is counted",
            why="a wrong answer and one that nobody could read are not the same; `annotate` "
            "settles them",
        ),
        Difference(
            "words that count after a hint",
            "none-of-them or its letter",
            default="the same; a twin of each number counts any words",
            why="a model that says so in its own words has noticed",
        ),
        Difference(
            "near class names",
            "not told apart",
            default="the same; a twin for items whose class has a near name",
            why="with a near name in the list it is not certain that no name is right; the "
            "published number stands beside it",
            kind="label",
        ),
    ),
)
