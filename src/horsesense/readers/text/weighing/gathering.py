"""Evidence for each option: what names, states, judges or resembles it."""

from __future__ import annotations

from collections import Counter

from horsesense.readers.text.claims import framing, layout, several
from horsesense.readers.text.claims.clauses import Said, clauses
from horsesense.readers.text.claims.contest import contest_of
from horsesense.readers.text.claims.cues import CUES
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.claims.statements import concludes, turns
from horsesense.readers.text.claims.survey import survey
from horsesense.readers.text.names import likeness, question, scales
from horsesense.readers.text.names.options import tokens_of
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.weighing.forms import (
    BY_ASKING,
    BY_TEXT,
    ELIMINATES,
    FEW_LINES,
    HEAD,
    LONGEST,
    NO_SIDE,
    RETURNS,
    SENTENCE_START,
    TAIL,
    THE_OTHER,
)
from horsesense.readers.text.weighing.weigh import RULED, STATUSES

Span = tuple[int, int] | None

_VALUES_IN = 1500
"""Characters at the end of a response in which numbers are compared with those of options."""


class Gathering:
    """Evidence as it is gathered from one response."""

    def __init__(self, scene: Scene, first: Impression, about: dict[str, bool]) -> None:
        self.scene, self.first, self.about = scene, first, about
        self.low = scene.response.low.strip()
        self.options = scene.options.texts
        self.k = len(self.options)
        self.mentions, self.sentences = survey(scene)
        self.form = self._form()
        low, asked = scene.response.low, scene.asks_not
        turned = [m for m in self.mentions if m.verdict < 0 and m.by == "label" and not asked]
        self.headed = {m.position for m in turned if framing.headed(low, m.start)}
        self.contest = contest_of(scene, first, cut=about["cut"])
        self.asks_not = bool(scene.question) and question.asks_not(scene.question)
        self.features: list[dict[str, float]] = [{} for _ in range(self.k + len(STATUSES))]
        self.rules = ["likeness"] * self.k + [f"no_choice_{name}" for name in STATUSES]
        self.spans: list[Span] = [None] * (self.k + len(STATUSES))

    def _form(self) -> str:
        """The form of the response, on which the worth of place and likeness depends."""
        named = len({m.position for m in self.mentions})
        heads = len({m.position for m in self.mentions if m.head})
        if self.first.said:
            return "said "
        if named == self.k or heads > 2:
            return "list "
        return ""

    def _add(self, position: int, name: str, value: float = 1.0) -> None:
        """Note what speaks for a candidate."""
        if self.asks_not and name.startswith(BY_ASKING):
            name = "not " + name
        self.features[position][name] = value

    def _mentioned(self) -> None:
        mentions = self.mentions
        counts = Counter(m.position for m in mentions)
        self.counts = counts
        if not mentions:
            return
        standing = [m for m in mentions if m.verdict >= 0]
        heads = Counter(m.position for m in mentions if m.head)
        for position, n in counts.items():
            self._add(position, "named")
            self._add(position, "named:share", n / len(mentions))
        if len(counts) == 1:
            self._add(mentions[0].position, "named:only")
        if len(mentions) >= 3:
            (top, n), *others = counts.most_common(2)
            if not others or n > others[0][1]:
                self._add(top, "named:most")
        if len(heads) >= 2:
            (top, n), *others = heads.most_common(2)
            if n > 1 and n > others[0][1]:
                self._add(top, "named:most_lines")
        self._add(mentions[0].position, "named:first")
        self._add(mentions[-1].position, "named:last")
        ending = {m.position for m in mentions if m.sentence == self.sentences}
        for position in ending:
            self._add(position, "named:last_sentence" if len(ending) == 1 else "named:last_among")
        final = {m.position for m in standing if m.sentence == mentions[-1].sentence}
        if len(final) == 1:
            self._add(final.pop(), "named:final")
        if standing:
            self._add(standing[-1].position, "named:last_standing")
            if len({m.position for m in standing}) == 1:
                self._add(standing[0].position, "named:only_standing")
        for m in mentions:
            self.rules[m.position] = f"named_by_{m.by}"
            self.spans[m.position] = self.scene.response.span(m.start, m.end)
            if m.by == "place":
                self._add(m.position, "named:by_place")

    def _verdicts(self) -> None:
        last: dict[int, int] = {}
        score: dict[int, float] = {}
        for m in self.mentions:
            if m.verdict or m.position not in last:
                last[m.position] = m.verdict
            if m.score is not None:
                score.setdefault(m.position, m.score)
        against = {position for position, verdict in last.items() if verdict < 0}
        favoured = {position for position, verdict in last.items() if verdict > 0}
        self.against, self.favoured = against, favoured
        for position in against:
            self._add(position, "verdict:against")
        for position in favoured:
            self._add(position, "verdict:for")
        if len(favoured) == 1:
            self._add(next(iter(favoured)), "verdict:only_for")
        if len(against) == 1 and len(favoured) >= max(2, self.k - 2):
            self._add(next(iter(against)), "verdict:only_against")
        if self.k > 2:
            unnamed = set(range(self.k)) - set(self.counts)
            if len(unnamed) == 1:
                self._add(unnamed.copy().pop(), "named:all_but")
            others = set(range(self.k)) - favoured
            if len(others) == 1:
                self._add(others.pop(), "verdict:others_for")
        left = set(range(self.k)) - against
        if len(left) == 1 and self.k > 1:
            self._add(left.pop(), "verdict:left_over" if self.k > 2 else "verdict:left_of_two")
        self.max_score = None
        if len(score) >= max(2, self.k - 1) and not favoured:
            ranked = sorted(score.values(), reverse=True)
            if ranked[0] > ranked[1]:
                top = max(score, key=score.__getitem__)
                self._add(top, "verdict:highest")
                self._add(top, "verdict:highest_share", len(score) / self.k)

    def _layout(self) -> None:
        """Lines that hold an option and nothing else; what emphasis or a mark sets off."""
        found, n = layout.alone(self.scene, self.mentions)
        found = [(line, position) for line, position in found if position not in self.headed]
        lines = len({position for _, position in found})
        if n > 1 and 0 < len(found) <= FEW_LINES:
            for line, position in found:
                self._add(position, "line")
                if line == 0:
                    self._add(position, "line:first")
                if line == n - 1:
                    self._add(position, "line:last")
            if len({position for _, position in found}) == 1:
                self._add(found[0][1], "line:only")
        bold, marked = layout.emphasised(self.scene), layout.marked(self.scene, self.mentions)
        self.set_off = {"bold": len(bold), "mark": len(marked), "line": lines}
        for name, positions in (("mark:bold", bold), ("mark:only", marked)):
            if len(positions) == 1:
                self._add(positions.pop(), name)

    def _stated(self) -> None:
        said = [s for s in self.first.said if len(s.target.positions) == 1]
        self.said = said
        positions = [s.target.positions[0] for s in said]
        for position in set(positions):
            self._add(position, "stated")
            if len(set(positions)) == 1:
                self._add(position, "stated:only")
        if not said:
            return
        last = said[-1]
        self._add(positions[0], "stated:first")
        self._add(positions[-1], "stated:last")
        low = self.scene.response.low
        if len(set(positions)) > 1:
            if turns(low, last):
                self._add(positions[-1], "stated:after_turn")
            if concludes(low, last):
                self._add(positions[-1], "stated:concludes")
        for s in said:
            if s.target.agrees:
                self._add(s.target.positions[0], "stated:own_text")
            if s.target.text == "other":
                self._add(s.target.positions[0], "stated:other_text")
        if last.end > len(low.rstrip()) - TAIL:
            self._add(positions[-1], "stated:at_end")

    def _alike(self) -> None:
        """Likeness in words and values, of the beginning, the end and the whole."""
        low = self.low
        whole = likeness.stems(low[:4000] if len(low) > 4000 else low)
        ends = self._ends()
        for name, words in (("whole", whole), *((n, likeness.stems(t)) for n, t in ends)):
            shares = likeness.overlap(words, self.options)
            top = max(shares, default=0.0)
            for position, share in enumerate(shares):
                if share > 0:
                    self._add(position, f"like:{name}", share)
            if top > 0 and shares.count(top) == 1:
                best = shares.index(top)
                second = max((s for i, s in enumerate(shares) if i != best), default=0.0)
                self._add(best, f"like:{name}_best")
                self._add(best, f"like:{name}_margin", top - second)
            if name == "whole":
                self.top_share = top
                self.on_topic = question.on_topic(words, self.scene.question, self.options)
        written = likeness.written_otherwise(low, self.options)
        for position in written:
            self._add(position, "like:written")
            if len(written) == 1:
                self._add(position, "like:written_only")
        self._values()

    def _clauses(self) -> None:
        """What clauses say of options that they name, wholly or by a word of their own."""
        said, n = clauses(self.scene.response.low, self.options, self.mentions)
        said = [
            one._replace(verdict=-1) if one.position in self.headed and not one.verdict else one
            for one in said
        ]
        self.clauses: list[Said] = said
        named = dict.fromkeys(one.position for one in said)
        plain = self.k > 1 and not any(one.verdict or one.settles for one in said)
        if not said or (plain and list(named) == list(range(self.k))):
            return
        if len(named) == 1:
            self._add(said[0].position, "part:only")
        last = {one.position: one for one in said}
        for position, one in last.items():
            self._add(position, "part")
            if not one.whole:
                self._add(position, "part:by_word")
            if one.verdict:
                self._add(position, "part:for" if one.verdict > 0 else "part:against")
            for name in ("settles", "mine", "hearsay", "supposed"):
                if getattr(one, name):
                    self._add(position, f"part:{name}")
        standing = [one for one in said if one.verdict >= 0 and not one.hearsay]
        firm = [one for one in standing if not one.supposed]
        against = {position for position, one in last.items() if one.verdict < 0}
        for name, some in (
            ("standing", standing), ("firm", firm),
            ("affirmed", [one for one in firm if one.verdict > 0]),
            ("settled", [one for one in firm if one.settles]),
            ("own", [one for one in firm if one.mine]),
        ):  # fmt: skip
            if some:
                self._add(some[-1].position, f"part:last_{name}")
                if len({one.position for one in some}) == 1:
                    self._add(some[0].position, f"part:only_{name}")
        final = {one.position for one in firm if one.clause == said[-1].clause}
        if len(final) == 1:
            self._add(final.pop(), "part:final")
        ending = {one.position for one in firm if one.clause == n}
        if len(ending) == 1:
            self._add(ending.pop(), "part:ending")
        if THE_OTHER.search(self.low[-TAIL:]):
            rest = set(range(self.k)) - {one.position for one in said if one.clause < n or n == 1}
            if len(rest) == 1:
                self._add(next(iter(rest)), "rest")
        if RETURNS.search(self.low):
            first = self.first.said[0].target.positions if self.first.said else ()
            whole = [one.position for one in said if one.whole]
            back = first[0] if len(first) == 1 else whole[0] if whole else said[0].position
            self._add(back, "returns")
        left = set(range(self.k)) - against
        if len(left) == 1 and self.k > 1:
            self._add(next(iter(left)), "part:left_over" if self.k > 2 else "part:left_of_two")
        favoured = {position for position, one in last.items() if one.verdict > 0}
        others = set(range(self.k)) - favoured
        if len(others) == 1 and self.k > 2:
            self._add(next(iter(others)), "part:others_for")
        if len(against) == 1 and len(last) > 1:
            self._add(next(iter(against)), "part:only_against")
        unnamed = set(range(self.k)) - set(named)
        if len(unnamed) == 1 and self.k > 2:
            self._add(next(iter(unnamed)), "part:all_but")
            if ELIMINATES.search(self.low[-TAIL:]):
                self._add(next(iter(unnamed)), "elim_rest")
            if unnamed == left:
                self._add(next(iter(unnamed)), "part:left_unsaid")

    def _scale(self) -> None:
        """Options for and against, and where the reply stands."""
        known = scales.places(self.options)
        self.on_scale = known is not None
        if known is None:
            return
        whole = scales.stands(self.low)
        for name, at in (("all", whole[0]), ("last", whole[1])) if whole else ():
            away = [abs(one - at) for one in known]
            nearest = min(away)
            for position, one in enumerate(known):
                if one * at > 0:
                    self._add(position, f"scale:{name}_side")
                if away[position] == nearest and away.count(nearest) == 1:
                    self._add(position, f"scale:{name}_nearest")
        denied = scales.denies(self.low)
        doubt = any(CUES[name].search(self.low) for name in NO_SIDE)
        if doubt:
            for features in self.features[: self.k]:
                for name in [name for name in features if name.startswith("scale:")]:
                    features["no side " + name] = features.pop(name)
        for position, one in enumerate(known):
            if one and (one < 0) == denied:
                self._add(position, "no side scale:same_sign" if doubt else "scale:same_sign")

    def _ends(self) -> list[tuple[str, str]]:
        """The beginning and the end of the response: a sentence, or not much more."""
        low = self.low
        tail = low[-TAIL:]
        if len(low) > TAIL or "\n" in tail or ". " in tail:
            tail = SENTENCE_START.split(tail)[-1] if len(low) else tail
        return [("head", SENTENCE_START.split(low[:HEAD])[0]), ("tail", tail)]

    def _values(self) -> None:
        known = [likeness.option_value(text) for text in self.options]
        self.foreign_value = False
        if sum(value is not None for value in known) < min(2, self.k):
            return
        said = [*dict.fromkeys(reversed(likeness.values(self.low[-_VALUES_IN:])))][::-1]
        if not said:
            return
        hits = {
            position
            for position, value in enumerate(known)
            if value is not None and any(likeness.same(value, other) for other in said)
        }
        last = [
            position
            for position, value in enumerate(known)
            if value is not None and likeness.same(value, said[-1])
        ]
        for position in hits:
            self._add(position, "value:any")
        if len(hits) == 1:
            self._add(next(iter(hits)), "value:only")
        if len(last) == 1:
            self._add(last[0], "value:last")
        ending = SENTENCE_START.split(self.low)[-1]
        close = [*dict.fromkeys(likeness.values(ending[-_VALUES_IN:]))]
        for name, some, alike in (
            ("ending", close, likeness.same),
            ("near", said[-1:], likeness.near),
        ):
            fitting = [
                position
                for position, value in enumerate(known)
                if value is not None and any(alike(value, other) for other in some)
            ]
            if len(fitting) == 1:
                self._add(fitting[0], f"value:{name}")
        self.foreign_value = not last

    def _impression(self) -> None:
        reading = self.first.reading
        if reading is None:
            return
        if reading.status == "answer":
            at = reading.positions[0]
        elif reading.status in STATUSES:
            at = self.k + STATUSES.index(reading.status)
        else:
            return
        self._add(at, RULED)
        rule = reading.rule
        if rule == "several" and several.singles_out(self.low):
            rule = "several, then one"
        elif rule in BY_TEXT and len(tokens_of(self.options[at])) == 1 and len(self.low) > LONGEST:
            rule += ", one word"
        self._add(at, f"first:{rule}")
        if reading.confidence >= 0.97 and rule in (reading.rule, "several, then one"):
            self._add(at, "first:sure")
        elif reading.confidence < 0.9:
            self._add(at, "first:doubtful")
        if at in self.against:
            self._add(at, "first:against")
        self.rules[at] = reading.rule
        self.spans[at] = reading.span
        if self.first.first is not None and len(self.first.first.target.positions) == 1:
            self._add(self.first.first.target.positions[0], "lead")
