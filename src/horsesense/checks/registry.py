"""All rules of `horsesense check`; a rule is an entry in `rules.toml` and a function here."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, Final

from horsesense.checks import options, positions, questions, repeats, texts
from horsesense.checks.base import Hit, Rule, RuleHit
from horsesense.checks.cues import CUES, cue
from horsesense.items.item import Item, ItemSet

EACH: Final[Mapping[str, Callable[[Item], str | None]]] = {
    "equal_options": options.equal,
    "missing_material": questions.missing_material,
    "lost_backslashes": texts.lost_backslashes,
    "broken_encoding": texts.broken_encoding,
    "spreadsheet_dates": texts.spreadsheet_dates,
    "states_answer": questions.states_answer,
    "no_gold": questions.no_gold,
    "grammar": options.article,
    "names_letters": options.names_letters,
    "own_letters": options.own_letters,
    "overlapping_options": options.overlapping,
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
"""Rule -> what shows the flaw in one item, None where it has none."""

TESTED: Final[Mapping[str, Callable[[ItemSet], RuleHit]]] = {
    "gold_position": positions.gold_positions,
    "gold_sequence": positions.gold_sequence,
    "gold_by_subject": positions.gold_by_subject,
    **{name: cue(marks) for name, marks in CUES.items()},
}
"""Rule -> the test of the whole set."""

WHOLE: Final[Mapping[str, Callable[[ItemSet], RuleHit]]] = {
    "broken_row": repeats.broken_rows,
    "conflicting_gold": repeats.conflicting,
    "same_question": repeats.same_question,
    "lost_letters": texts.lost_letters,
    "shared_items": repeats.shared_items,
    "shared_contexts": repeats.shared_contexts,
    "repeated": repeats.repeated,
    "fewer_options": repeats.fewer_options,
    "nearly_repeated": repeats.nearly_repeated,
}
"""Rule -> what finds the flaw by comparing items."""


def _one_by_one(each: Callable[[Item], str | None]) -> Callable[[ItemSet], RuleHit]:
    def find(items: ItemSet) -> RuleHit:
        shown = ((item.id, each(item)) for item in items)
        return RuleHit(len(items), tuple(Hit(name, told) for name, told in shown if told))

    return find


def _rules() -> tuple[Rule, ...]:
    """What `rules.toml` says of each rule, with what finds it."""
    text = (files("horsesense.checks") / "rules.toml").read_text(encoding="utf-8")
    told = tomllib.loads(text)
    return tuple(_rule(name, rule, told["sources"]) for name, rule in told["rules"].items())


def _rule(name: str, told: dict[str, Any], sources: Mapping[str, str]) -> Rule:
    source = "; ".join(sources[key] for key in told.pop("sources"))
    told |= {key: tuple(told[key]) for key in ("kinds", "languages") if key in told}
    find = _one_by_one(EACH[name]) if name in EACH else {**TESTED, **WHOLE}[name]
    return Rule(name, source=source, find=find, tested=name in TESTED, **told)


RULES: Final[tuple[Rule, ...]] = _rules()
"""The heaviest first."""
