"""Beyond the Answers (specification, section 3)."""

from __future__ import annotations

from horsesense.runs.suites.base import Difference, Suite

_RANDOM = "design=random(4)"
ORDERS = Difference(
    "orders of the options",
    "4 random ones, whatever the number of options",
    "cyclic: every option stands once in every position",
    "random orders leave the right answer unevenly placed; at equal cost, cyclic ones halve the "
    "variance of the mean accuracy",
)
_DISTRACTORS = Difference(
    "added options",
    "without meaning",
    "without meaning, and plausible ones of other items",
    "what looks like garbage can be ruled out without knowledge",
)

WORDING = Difference(
    "wording of the prompts",
    "the authors' own",
    default="worded anew, with the same parts in the same order",
    faithful="worded anew, with the same parts in the same order",
    why="their wording is theirs; --templates FOLDER takes another one, and every number names it",
    settings=("templates",),
)

LEFT_OUT = Difference(
    "items whose options speak of each other, repeat, or say none of them",
    "kept, as far as is said",
    default="left out of what reorders or replaces options, and counted",
    faithful="left out of what reorders or replaces options, and counted",
    why='reordered, they are other questions: "both A and B" is right of no other order',
)

REVAS = Suite(
    "revas",
    "Beyond the Answers (REVAS)",
    "Wang et al. 2024, arXiv 2402.01349",
    published=(
        f"order({_RANDOM})",
        *(f"option_count({n}, {_RANDOM})" for n in (2, 3, 6, 8, 10)),
        f"none_of_the_above(place=kept, {_RANDOM})",
        f"true_false({_RANDOM})",
        f"option_confidence({_RANDOM})",
        "multi_select",
        "misleading_replaced(arm=misleading)",
    ),
    better=(
        "repeat",
        "order",
        *(f"option_count({n})" for n in (2, 3, 6, 8, 10)),
        *(f"option_count({n}, kind=plausible)" for n in (6, 8, 10)),
        "none_of_the_above(design=cyclic)",
        "true_false(items=all, polarity=both)",
        "true_false",
        "option_confidence",
        "multi_select(items=majority_wrong)",
        "misleading_replaced(items=majority_wrong)",
    ),
    shots=(0, 5),
    differences=(
        ORDERS,
        _DISTRACTORS,
        Difference(
            "text of options without meaning",
            "tokens without meaning, not printed",
            default="strings of letters that hold no word, as long as an option of the item",
            faithful="strings of letters that hold no word, as long as an option of the item",
            why="nothing more is published; form=symbols, placeholders or words are others",
        ),
        Difference(
            "orders of two options",
            "4 for every number of options, as the printed values show",
            default="2, of one wrong option",
            faithful="2 orders with each of 2 wrong options; their agreement mixes two questions, "
            "so that it stands in the tables alone",
            why="two options have two orders, and how the paper came to four is not said",
        ),
        Difference(
            "where the none-option stands",
            "in place of the right option, then reordered",
            default="also pinned last, and in place of a wrong option",
            why="a model that always says none is found out only where the right answer is there",
        ),
        Difference(
            "which items are asked one option at a time",
            "those answered right in every order, positively",
            default="also all items, positively and negatively",
            why="the selection hides items that were guessed; a bias to yes is seen in both "
            "polarities",
        ),
        Difference(
            "which items count as wrong",
            "wrong in one order",
            default="wrong by the plurality over the orders",
            faithful="wrong in the published order",
            why="the paper does not say in which order; one order's errors are partly chance, and "
            "correct themselves when asked again",
        ),
        Difference(
            "control of the replaced option",
            "none",
            default="another wrong option replaced; the item asked again unchanged",
            why="wrong items get better on any second look (regression to the mean)",
        ),
        Difference(
            "few-shot examples",
            "none, and five",
            default="as many as --shots says",
            faithful="as many as --shots says, `shots = [0, 5]` in a study for both halves; the "
            "first of the item's subject in --shots-from",
            why="which five is not published; each half is a run of its own, beside the paper's "
            "tables of that half",
            settings=("shots",),
        ),
        Difference(
            "items",
            "452 of MMLU and 967 of MedMCQA, not named",
            default="all that are given",
            faithful="all that are given",
            why="which items they were is not published",
        ),
        LEFT_OUT,
        Difference(
            "accuracy by number of options",
            "of one order",
            default="mean over the orders",
            faithful="mean over the orders",
            why="one order is a quarter of the answers, and which one it was is not said",
        ),
        Difference(
            "accuracy of items whose answers disagree",
            "not defined (table 2)",
            default="of the most frequent answer, shared among equals; and mean over the orders",
            faithful="of the most frequent answer, shared among equals; and mean over the orders",
            why="no simple definition gives all printed values",
        ),
        Difference(
            "decoding",
            "not said",
            default="temperature 0, at most 16 tokens",
            faithful="temperature 0, at most 16 tokens",
            why="nothing is said; a letter needs no more",
            settings=("temperature", "max_tokens"),
        ),
        WORDING,
        Difference(
            "training on negatives",
            "a model trained on right and on wrong answers (section 5)",
            default="not part of the suite",
            faithful="not part of the suite",
            why="an audit trains nothing",
        ),
    ),
)
