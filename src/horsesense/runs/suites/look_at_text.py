"""Look at the Text (specification, section 5)."""

from __future__ import annotations

from horsesense.runs.suites.base import Difference, Suite
from horsesense.runs.suites.revas import LEFT_OUT, WORDING

_PERTURBED = ("key_typo", "letter_scramble", "word_swap")

_PLAIN = (
    "plain words, letters alone, always another letter; none with a hyphen or an apostrophe "
    "inside, and of words in capitals those alone that questions stress, such as NOT and EXCEPT"
)

LOOK_AT_TEXT = Suite(
    "look-at-text",
    "Look at the Text",
    "Wang et al. 2024, arXiv 2404.08382",
    published=(*_PERTURBED, "option_swap", "extra_options", "order(cyclic(base=published))"),
    better=(
        "repeat",
        "order",
        *_PERTURBED,
        "letter_swap",
        "option_swap",
        "extra_options",
    ),
    differences=(
        Difference(
            "prior for the labels",
            "one for each subject",
            "one for all subjects",
            "five items of a subject of a hundred say little; pride(per=shrunken) draws the "
            "priors of subjects towards the global one",
        ),
        Difference(
            "share of items that PriDe is fitted on",
            "not stated; 5 % in PriDe's own paper",
            "5 %",
            "the share of PriDe's own paper is the only one that is published",
            "5 %",
        ),
        Difference(
            "draws of the items for PriDe",
            "not stated; the mean of 5 in PriDe's own paper",
            "one is read, and 5 are scored",
            "a reading is of one prior; the report prints all draws, which differ by points",
            "one is read, and 5 are scored",
        ),
        Difference(
            "words that are perturbed",
            "all, with their signs; a typing error may replace a letter by itself",
            _PLAIN,
            "numbers, names of variables and formulas carry what is asked; what has another sign "
            "inside is seldom told from them",
            _PLAIN,
        ),
        Difference(
            "questions in scripts without letters that can be exchanged, or without spaces",
            "none are in the sets",
            "left out of the perturbations of words, and counted",
            "typing errors are of Latin letters, and words need spaces to change places",
            "left out of the perturbations of words, and counted",
        ),
        LEFT_OUT,
        WORDING,
        Difference(
            "length of replies",
            "free, up to paragraphs in the released data",
            "at most 16 tokens, unless --max-tokens says otherwise",
            "what the paper used is not said; a short limit cuts off models that explain first, "
            "which the report counts",
            "at most 16 tokens, unless --max-tokens says otherwise",
            settings=("max_tokens",),
        ),
        Difference(
            "reader of the text",
            "fine-tuned T5 and Mistral-7B",
            "rules",
            "trained readers need weights and a GPU; --readers trained:DIRECTORY takes them",
            "rules",
        ),
        Difference(
            "items that PriDe is fitted on",
            "5 %, of however few",
            "5 %, and at least 20 where half of the items are more",
            "5 % of a hundred items are too few to tell a prior from what single items ask",
        ),
        Difference(
            "orders that PriDe is fitted on",
            "the shifts of the published order",
            "the shifts of a random order of each item",
            "the published order is one that a model may have seen",
        ),
        Difference(
            "mean of the items' priors",
            "arithmetic",
            "geometric",
            "noise of single items draws the arithmetic mean towards 1/k: 0.4 becomes 0.3",
        ),
        Difference(
            "noise floor",
            "none",
            "the same prompt asked again",
            "without it, no change can be told from noise",
        ),
    ),
    settings={"temperature": 0.0},
    readers=("pride(least=20)",),
    published_readers=("pride(mean=arithmetic, per=subject)",),
)
