"""All rules of `horsesense check`; a rule is one short function and one entry here."""

from __future__ import annotations

from typing import Final

from horsesense.checks import options, positions, questions, repeats, texts
from horsesense.checks.base import HALADYNA, REDUX, SAQUET, Rule
from horsesense.checks.shares import cue

BOTH: Final = ("choice", "label")

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "conflicting_gold", "the same question has different answers", "fault", REDUX,
        "Find out which answer is right and correct or drop the others.",
        whole=repeats.conflicting, kinds=BOTH,
    ),
    Rule(
        "equal_options", "two options say the same", "fault", HALADYNA,
        "Replace one of them; where one is the answer, the item cannot be scored.",
        each=options.equal,
    ),
    Rule(
        "missing_material", "the question points at a figure that is not there", "fault", REDUX,
        "Put into words what the figure shows, or drop the item.",
        each=questions.missing_material,
    ),
    Rule(
        "lost_backslashes", "a formula has lost its backslashes", "fault", REDUX,
        "Export the items again without interpreting escapes.",
        each=texts.lost_backslashes, kinds=BOTH,
    ),
    Rule(
        "broken_encoding", "characters are broken", "fault", REDUX,
        "Read the source with its own encoding and export it as UTF-8.",
        each=texts.broken_encoding, kinds=BOTH,
    ),
    Rule(
        "states_answer", "the question says which letter is right", "fault", HALADYNA,
        "Remove the sentence.", each=questions.states_answer,
    ),
    Rule(
        "no_gold", "no right answer is given", "fault", REDUX,
        "Items without an answer are asked, but not scored.",
        each=questions.no_gold, kinds=BOTH,
    ),
    Rule(
        "shared_items", "the item is in another split too", "fault", "Lee et al. 2022",
        "Remove it from all splits but one.", whole=repeats.shared_items, kinds=BOTH,
    ),
    Rule(
        "shared_contexts", "the passage is in another split too", "fault", "Lewis et al. 2021",
        "Divide the items by passage, so that none is on both sides.",
        whole=repeats.shared_contexts, kinds=BOTH,
    ),
    Rule(
        "gold_position", "right answers stand unevenly", "cue", HALADYNA,
        "Shuffle the options of each item; of classes, state the best constant answer's score.",
        whole=positions.gold_positions, kinds=BOTH,
    ),
    Rule(
        "longest_option", "the longest option", "cue", f"{HALADYNA}; {SAQUET}",
        "Make the options of about equal length.", whole=cue(options.longest, "{options}"),
    ),
    Rule(
        "shortest_option", "the shortest option", "cue", HALADYNA,
        "Make the options of about equal length.", whole=cue(options.shortest, "{options}"),
    ),
    Rule(
        "absolute_words", "options with words such as always, never, only", "cue",
        f"{HALADYNA}; {SAQUET}", "Leave such words out or use them in right options as well.",
        whole=cue(options.absolute, "{options}"),
    ),
    Rule(
        "vague_words", "options with words such as usually, often, may", "cue", SAQUET,
        "Leave such words out or use them in wrong options as well.",
        whole=cue(options.vague, "{options}"),
    ),
    Rule(
        "convergence", "the option that shares most words with the others", "cue",
        f"{HALADYNA}; {SAQUET}", "Vary the wrong options independently of the right one.",
        whole=cue(options.like_the_others, "{options}"),
    ),
    Rule(
        "odd_form", "the option that alone differs in capital or full stop", "cue", HALADYNA,
        "Write all options in one form.", whole=cue(options.odd_form, "{options}"),
    ),
    Rule(
        "middle_number", "numbers that are neither the smallest nor the largest", "cue", HALADYNA,
        "Let the right number be an extreme as often as any other.",
        whole=cue(options.middle_number, "{options}"),
    ),
    Rule(
        "in_question", "options whose text stands in the question", "cue", f"{HALADYNA}; {SAQUET}",
        "Word question and options so that none repeats the other.",
        whole=cue(questions.repeated_in_question, "{options}"),
    ),
    Rule(
        "all_of_the_above_right", "\"all of the above\"", "cue", HALADYNA,
        "Use such options only where they are right as often as any other.",
        whole=cue(options.all_of_the_above, "{options}"),
    ),
    Rule(
        "none_of_the_above_right", "\"none of the above\"", "cue", HALADYNA,
        "Use such options only where they are right as often as any other.",
        whole=cue(options.none_of_the_above, "{options}"),
    ),
    Rule(
        "grammar", "only one option fits the question's last article", "cue",
        f"{HALADYNA}; {SAQUET}", "Write \"a(n)\", or put the article into the options.",
        each=options.article,
    ),
    Rule(
        "class_in_text", "a class whose name stands in the text", "cue", HALADYNA,
        "Look whether the name alone decides; `horsesense cues` finds other such words.",
        whole=cue(questions.class_in_text, "{options}"), kinds=("label",),
    ),
    Rule(
        "lists_options", "the question lists the options itself", "style", SAQUET,
        "Leave them out of the question: in another order the letters contradict each other.",
        each=questions.lists_options,
    ),
    Rule(
        "names_letters", "options refer to others by letter or place", "style", HALADYNA,
        "Say in words what is meant; such items cannot be asked in another order.",
        each=options.names_letters,
    ),
    Rule(
        "repeated", "the item repeats an earlier one", "style", "Lee et al. 2022",
        "Keep one: repeats count twice and make intervals too narrow.",
        whole=repeats.repeated, kinds=BOTH,
    ),
    Rule(
        "nearly_repeated", "the item says nearly the same as an earlier one", "style",
        "Lee et al. 2022", "Give related items one `cluster`, so that intervals know of it.",
        whole=repeats.nearly_repeated, kinds=BOTH,
    ),
    Rule(
        "overlapping_options", "ranges of numbers overlap", "style", HALADYNA,
        "Let the ranges end where the next begins.", each=options.overlapping,
    ),
    Rule(
        "html", "HTML stands in the text", "style", REDUX,
        "Turn it into plain text.", each=texts.html, kinds=BOTH,
    ),
    Rule(
        "all_of_the_above", "an option says \"all of the above\"", "style", f"{HALADYNA}; {SAQUET}",
        "Ask for each separately.", each=options.named(options.all_of_the_above),
    ),
    Rule(
        "none_of_the_above", "an option says \"none of the above\"", "style",
        f"{HALADYNA}; {SAQUET}", "Replace it with a wrong answer that tempts.",
        each=options.named(options.none_of_the_above),
    ),
    Rule(
        "negated", "the question asks for what is not so", "style", f"{HALADYNA}; {SAQUET}",
        "Ask positively, or write NOT so that nobody overlooks it.", each=questions.negated,
    ),
    Rule(
        "k_type", "options combine numbered statements", "style", f"{HALADYNA}; {SAQUET}",
        "Ask about each statement by itself.", each=options.k_type,
    ),
    Rule(
        "out_of_order", "numbers stand in no order", "style", f"{HALADYNA}; {SAQUET}",
        "Sort them, or know that you have shuffled them.", each=options.out_of_order,
    ),
)  # fmt: skip
"""The heaviest first."""
