"""The evidence: what speaks for each option, and for each way of choosing none."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from horsesense.readers.text.at_once.bynames import is_anothers
from horsesense.readers.text.at_once.equations import only_of_another
from horsesense.readers.text.claims import several
from horsesense.readers.text.claims.cues import CUES
from horsesense.readers.text.claims.impression import Impression, finished
from horsesense.readers.text.names import likeness, question, special
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.weighing.forms import (
    ALL,
    ANNOUNCES,
    BEARS_ON,
    BOTH,
    BY_FORM,
    DECLINES,
    GAP,
    JOINED,
    LAST,
    LAST_WORDS,
    LONGEST,
    LOOKED_AT,
    NAMES,
    NO_CHOICE,
    PLURAL,
    SENTENCE_ENDS,
    TAIL,
    THE_OTHER,
)
from horsesense.readers.text.weighing.gathering import Gathering, Span
from horsesense.readers.text.weighing.weigh import STATUSES, WITHHELD

_CONTESTED = ("stated", "first", "lead", "line", "named")
"""Evidence of a choice that says less where something contests it."""


class Evidence(NamedTuple):
    """Options first, then `weigh.STATUSES`: features, the rule that speaks most, and its place."""

    features: list[dict[str, float]]
    rules: list[str]
    spans: list[Span]


def evidence(scene: Scene, first: Impression, about: dict[str, bool]) -> Evidence:
    """All that speaks for each candidate."""
    return _Evidence(scene, first, about).all()


class _Evidence(Gathering):
    """All evidence of one response, with what bears on each status."""

    def all(self) -> Evidence:
        self._mentioned()
        self._verdicts()
        self._layout()
        self._stated()
        self._alike()
        self._clauses()
        self._scale()
        self._impression()
        shared = self._situation()
        self._discount(shared)
        self._statuses(shared)
        return Evidence(self.features, self.rules, self.spans)

    def _discount(self, shared: dict[str, float]) -> None:
        """Set apart what says less by the response's form: of the one option that is named "the
        other" may be meant, or none, and what is only reported is nobody's choice."""
        form = self.form
        if form != "said " and THE_OTHER.search(self.low[-TAIL:]):
            form = "other "
        elif form != "said " and any(name in shared for name in NO_CHOICE):
            form = "doubt "
        elif form != "said " and self.asks_not:
            form = "asked "
        elif not form and "turn" in shared:
            form = "turned "
        if self._listed_only():
            form = "recited "
        by_form: tuple[str, ...] = BY_FORM
        if several.shared(shared):
            form, by_form = "shared ", (*BY_FORM, "stated")
        firm = {one.position for one in self.clauses if not one.hearsay}
        reported = {one.position for one in self.clauses} - firm
        rejected = {one.position for one in self.clauses if one.verdict < 0}
        rejected -= {one.position for one in self.clauses if one.verdict >= 0}
        at = self.first.reading.positions if self.contest and self.first.reading else ()
        stand = self.first.standing
        kept_back = set(stand.positions) if stand.several else set()
        if stand.firm(self.scene.response.low):
            kept_back |= {*range(self.k)} - stand.positions
        for position, features in enumerate(self.features[: self.k]):
            if position in at:
                for name in [name for name in features if name.startswith(_CONTESTED)]:
                    features["contested " + name] = features.pop(name)
                if self.contest in ("taken_back", "other_text", "beside"):
                    features[WITHHELD] = 1.0
            if position in kept_back:
                features[WITHHELD] = 1.0
            here = [m.start for m in self.mentions if m.position == position]
            if here and all(map(self.scene.dropped, here)):
                features[WITHHELD] = 1.0
            if features and is_anothers(self.scene, position):
                features[WITHHELD] = 1.0
            if only_of_another(self.scene, position, here):
                features[WITHHELD] = 1.0
            own = "reported " if position in reported else form
            if position in rejected and form not in ("said ", "shared ") and not self.asks_not:
                own = "rejected "
            if own:
                for name in [name for name in features if name.startswith(by_form)]:
                    features[own + name] = features.pop(name)

    def _situation(self) -> dict[str, float]:
        """What is the case, whichever status it speaks for."""
        low = self.low
        tail = low[-TAIL:]
        found: dict[str, float] = {"bias": 1.0}
        found.update({name: 1.0 for name, holds in self.about.items() if holds})
        latest = -1
        cut = max(0, len(low) - LOOKED_AT)
        looked = low[cut:]
        for name, pattern in CUES.items():
            at = -1
            for m in pattern.finditer(looked):
                at = m.start() + cut
            if at < 0:
                continue
            found[name] = 1.0
            if at >= len(low) - LAST:
                found[f"{name}@end"] = 1.0
            if name in LAST_WORDS:
                latest = max(latest, at)
        if "lacking" in found and "scruples" not in found:
            found.pop("refusal", None)
            found.pop("refusal@end", None)
        if "danger" in found and not DECLINES.search(low):
            found.pop("danger")
            found.pop("danger@end", None)
        offset = len(self.scene.response.low) - len(self.scene.response.low.lstrip())
        if self.said and self.said[-1].end - offset > latest:
            self._add(self.said[-1].target.positions[0], "stated:last_word")
        if self.mentions and self.mentions[-1].end - offset > latest:
            self._add(self.mentions[-1].position, "named:last_word")
        for name, holds in (
            ("nothing_named", not self.mentions),
            ("nothing_like", self.top_share == 0),
            ("repeats", self._repeats()),
            ("off_topic", self.on_topic == 0 and len(low) > LAST),
            ("stated", bool(self.said)),
            ("stated_several", len({s.target.positions for s in self.said}) > 1),
            ("contested", self.contest is not None),
            ("beside", self.contest in ("beside", "other_text", "two")),
            ("several", any(len(s.target.positions) > 1 for s in self.first.said)),
            ("unfinished", not finished(low)),
            ("cut_unsaid", "length" in found and not self.said and not self.mentions),
            ("cut_open", "length" in found and not finished(low) and not self._answered()),
            ("announcing", ANNOUNCES.search(tail) is not None),
            ("all_against", len(self.against) == self.k),
            ("most_against", len(self.against) >= max(2, self.k - 1)),
            ("for_several", len(self.favoured) > 1),
            ("one_for", len(self.favoured) == 1),
            ("foreign_value", self.foreign_value),
            ("short", len(low) < 60),
            ("very_short", len(low) < 20),
            ("long", len(low) > 600),
            ("first_found", self.first.reading is not None),
            ("listed_only", self._listed_only()),
            ("end_several", self._several_at_the_end()),
            *self._pairs(),
            ("stated_both", several.stated_together(self.scene.response.low, self.first.said)),
            *several.signs(low, self.k, self.mentions, self.clauses, self.set_off).items(),
            ("all_named", len(self.counts) == self.k),
            ("two_named", len(self.counts) == 2),
            ("one_named", len(self.counts) == 1),
        ):
            if holds:
                found[name] = 1.0
        return found

    def _answered(self) -> bool:
        """Whether a choice is stated, or stands alone in front as its own sentence."""
        lead = self.first.first
        alone = lead is not None and SENTENCE_ENDS.match(self.scene.response.low, lead.target.end)
        return bool(self.said or alone)

    def _repeats(self) -> bool:
        asked = self.scene.question
        return bool(asked) and question.repeats(self.low, asked, self.options)

    def _listed_only(self) -> bool:
        """Whether all options are gone through once and nothing is said of them."""
        order = list(dict.fromkeys(m.position for m in self.mentions))
        plain = not any(m.verdict or m.score is not None for m in self.mentions)
        plain = plain and not any(
            name in ("mark:only", "mark:bold", "line:only")
            for one in self.features[: self.k]
            for name in one
        )
        plain = plain and not self._answered()
        return self.k > 1 and order == list(range(self.k)) and plain

    def _pairs(self) -> list[tuple[str, bool]]:
        """Whether two options are named with nothing but "or", or "and", between them."""
        low, either, both = self.scene.response.low, False, False
        for one, other in pairwise(self.mentions):
            if one.position == other.position or other.start - one.end > GAP:
                continue
            m = JOINED.fullmatch(low, one.end, other.start)
            if m and other.verdict >= 0:
                late = len(low) - other.end < TAIL
                either = either or (m["or"] is not None and late)
                both = both or (m["and"] is not None and late)
        plural = both and PLURAL.search(low) is not None
        return [("or_pair", either), ("and_pair", both), ("plural_pair", plural)]

    def _several_at_the_end(self) -> bool:
        if not self.mentions:
            return False
        last = self.mentions[-1].sentence
        return len({m.position for m in self.mentions if m.sentence == last and m.verdict >= 0}) > 1

    def _statuses(self, shared: dict[str, float]) -> None:
        rule = self.first.reading.rule if self.first.reading else ""
        every = [special.meanings_of(text) for text in self.options]
        meanings = [
            next((one for one in said if one == rule), said[0] if said else None) for said in every
        ]
        for at, status in enumerate(STATUSES, start=self.k):
            self._speaks(at, status, shared)
        for position, meaning in enumerate(meanings):
            if meaning is None:
                continue
            status = "none" if meaning == "undetermined" else meaning
            self._speaks(position, status, shared)
            self._add(position, "says_so")
            self._add(position, f"says_so:{meaning}")
            self._add(self.k + STATUSES.index(status), "option_says_so")
            self._add(self.k + STATUSES.index(status), f"option_says_so:{meaning}")
        self._together(shared)

    def _speaks(self, at: int, status: str, shared: dict[str, float]) -> None:
        """Note of what is the case what bears on a status."""
        own = BEARS_ON[status]
        for name, value in shared.items():
            if name.removesuffix("@end") in own:
                self.features[at][f"{status}|{name}"] = value

    def _together(self, shared: dict[str, float]) -> None:
        """An option that is several others ("all of the above", "both A and B", "salt and pepper"
        beside "salt" and "pepper")."""
        words = [frozenset(likeness.option_stems(text)) for text in self.options]
        # The largest first, so that a part of a part finds what it is a part of among the parts.
        by_size = sorted(range(self.k), key=lambda i: -len(words[i]))
        for position, text in enumerate(self.options):
            low = text.lower()
            others = set(range(self.k)) - {position}
            parts: set[int] = set()
            for i in by_size:
                part = bool(words[i]) and words[i] < words[position]
                if part and not any(words[i] < words[j] for j in parts):
                    parts.add(i)
            if len(parts) < 2 and (len(low) > LONGEST or not ALL.search(low)):
                continue
            named = {
                self.scene.labels.positions[name]
                for name in map(str.upper, NAMES.findall(low))
                if name in self.scene.labels.positions
            }
            wanted = parts if len(parts) > 1 else (named & others) if len(named) > 1 else others
            self._add(position, "together")
            said = {
                one.position
                for one in self.clauses
                if one.verdict >= 0 and one.position != position
            }
            turned = {one.position for one in self.clauses if one.verdict < 0}
            if wanted <= said - turned:
                self._add(position, "together:parts_said")
                if BOTH.search(self.low):
                    self._add(position, "together:both_said")
            standing = set(self.counts) - self.against - {position}
            if wanted and wanted <= standing:
                self._add(position, "together:all_stand")
                if standing == wanted:
                    self._add(position, "together:just_these")
            if wanted and wanted <= self.favoured:
                self._add(position, "together:all_for")
            if "all_apply" in shared:
                self._add(position, "together:said")
            if "several" in shared or "for_several" in shared:
                self._add(position, "together:several")
