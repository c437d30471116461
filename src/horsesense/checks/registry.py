"""All rules of `horsesense check`; a rule is an entry in `rules.toml` and a function here."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Final

from horsesense.checks import conflicts, options, positions, questions, ranges, repeats, texts
from horsesense.checks.base import Found, Rule
from horsesense.checks.shares import Marks, cue
from horsesense.items.item import Item, ItemSet, Kind

EACH: Final[Mapping[str, Callable[[Item], str | None]]] = {
    "equal_options": options.equal,
    "missing_material": questions.missing_material,
    "lost_backslashes": texts.lost_backslashes,
    "broken_encoding": texts.broken_encoding,
    "spreadsheet_dates": texts.spreadsheet_dates,
    "states_answer": questions.states_answer,
    "no_gold": questions.no_gold,
    "grammar": options.article,
    "lists_options": questions.lists_options,
    "names_letters": options.names_letters,
    "own_letters": options.own_letters,
    "overlapping_options": ranges.overlapping,
    "html": texts.html,
    "escapes": texts.escapes,
    "split_words": texts.split_words,
    "emptied_brackets": texts.emptied_brackets,
    "cut_off": texts.cut_off,
    "all_of_the_above": options.named(options.all_of_the_above),
    "none_of_the_above": options.named(options.none_of_the_above),
    "negated": questions.negated,
    "k_type": options.k_type,
    "out_of_order": options.out_of_order,
}
"""Rule -> what finds the flaw in one item."""

CUES: Final[Mapping[str, Marks]] = {
    "longest_option": options.longest,
    "slightly_longest": options.slightly_longest,
    "shortest_option": options.shortest,
    "absolute_words": options.absolute,
    "vague_words": options.vague,
    "convergence": options.like_the_others,
    "odd_form": options.odd_form,
    "middle_number": options.middle_number,
    "in_question": questions.repeated_in_question,
    "all_of_the_above_right": options.all_of_the_above,
    "none_of_the_above_right": options.none_of_the_above,
    "class_in_text": questions.class_in_text,
}
"""Rule -> the options that the cue marks."""

WHOLE: Final[Mapping[str, Callable[[ItemSet], Found]]] = {
    "conflicting_gold": conflicts.conflicting,
    "same_question": conflicts.same_question,
    "lost_letters": texts.lost_letters,
    "shared_items": repeats.shared_items,
    "shared_contexts": repeats.shared_contexts,
    "gold_position": positions.gold_positions,
    "gold_sequence": positions.gold_sequence,
    "gold_by_subject": positions.gold_by_subject,
    "repeated": repeats.repeated,
    "nearly_repeated": repeats.nearly_repeated,
    **{name: cue(marks, "{options}") for name, marks in CUES.items()},
}
"""Rule -> what finds the flaw in a set."""


def _rules() -> tuple[Rule, ...]:
    """What `rules.toml` says of each rule, with what finds it."""
    text = (files("horsesense.checks") / "rules.toml").read_text(encoding="utf-8")
    told = tomllib.loads(text)
    return tuple(_rule(name, rule, told["sources"]) for name, rule in told["rules"].items())


def _rule(name: str, told: dict[str, Any], sources: Mapping[str, str]) -> Rule:
    kinds: tuple[Kind, ...] = tuple(told.pop("kinds", ("choice",)))
    languages = tuple(told.pop("languages", ()))
    source = "; ".join(sources[key] for key in told.pop("sources"))
    return Rule(
        name, source=source, kinds=kinds, languages=languages,
        each=EACH.get(name), whole=WHOLE.get(name), **told,
    )  # fmt: skip


RULES: Final[tuple[Rule, ...]] = _rules()
"""The heaviest first."""
