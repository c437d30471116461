"""Option texts: finding them in a response, whole or cut off.

Texts are compared token by token. Words, numbers (with sign) and mathematical symbols are tokens;
spaces, quotes, brackets and other punctuation are not, so that `Refund_not_showing_up?` and
"refund not showing up" are the same text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import NamedTuple

from horsesense.readers.text.names.expressions import is_part
from horsesense.readers.text.words.normalise import DEFAULT, Folded

SOLID = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
"""Scripts whose words run on without spaces, or with particles: each character is a token."""
# Words in plain letters come first, because most tokens are; no other alternative begins with one.
TOKEN = re.compile(
    rf"[A-Za-z]+[^\W\d_{SOLID}]*"
    r"|(?:(?<![\w)\]])[-+])?\d+(?:,\d{3})*(?:\.\d+)?"
    rf"|[{SOLID}]|[^\W\d_{SOLID}]+|[=<>^/+%°≤≥±√∞≈≠∈∪∩∧∨¬~→↔⊃≡&!#@|]"
)
_CLAUSE_END = re.compile(r"[\"')\]}]{0,9}\s{0,40}(?:$|[\n.,;:!?(]|- )")
_CLAUSE = re.compile(r"\s*(?:[^.\n;!?]|\.(?=\S))*")


_MARKS = re.compile(r"[\s*`$\\]+")
_FOLDED = "*`$_"
"""The signs of plain text that folding takes away or turns into spaces."""
_NEAR = 80
_AROUND = 3


class TextHit(NamedTuple):
    """An option text found: the position, its place in the folded response, and how many tokens."""

    position: int
    start: int
    end: int
    tokens: int


@lru_cache(maxsize=16_384)
def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens of an option text."""
    if not text.isascii() or any(map(text.__contains__, _FOLDED)):
        text = text.translate(DEFAULT)
    return _plain(TOKEN.findall(text.lower()))


@lru_cache(maxsize=16_384)
def first_of(text: str) -> str | None:
    """The first token of an option text."""
    if text.isascii() and not any(map(text.__contains__, _FOLDED)):
        m = TOKEN.search(text.lower())
        return m.group().replace(",", "") if m else None
    if len(text) < _NEAR:
        return next(iter(tokens_of(text)), None)
    # A long option is not folded as a whole for its first token; one that ends far from the cut
    # is certain to be whole, also where folding makes the text shorter.
    m = TOKEN.search(text[:_NEAR].translate(DEFAULT).lower())
    if m and m.end() < _NEAR // 2:
        return m.group().replace(",", "")
    return next(iter(tokens_of(text)), None)


def _plain(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple([t.replace(",", "") if "," in t else t for t in tokens])


class Options:
    """The option texts of one question; what is not needed of them is not worked out."""

    __slots__ = (
        "_begun",
        "_firsts",
        "_found",
        "_in_order",
        "_limit",
        "_numbers",
        "_signs",
        "texts",
    )

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._firsts = [first_of(text) for text in texts]
        self._numbers = any(first[-1].isdigit() for first in self._firsts if first)
        # Options without a word or a number (an emoji) are found as they stand.
        self._signs = {
            position: text.strip().lower()
            for position, text in enumerate(texts)
            if self._firsts[position] is None and text.strip()
        }
        self._begun: tuple[str, int, list[int]] = ("", -1, [])
        self._found: tuple[str, list[TextHit]] | None = None
        # The options that begin as the first of them does, in the order of their tokens.
        self._in_order: dict[int, list[tuple[tuple[str, ...], int]]] = {}
        self._limit = 2 * max(map(len, texts), default=0) + 40

    @property
    def tokens(self) -> list[tuple[str, ...]]:
        """The tokens of every option."""
        return [tokens_of(text) for text in self.texts]

    def match_at(self, response: Folded, offset: int) -> list[TextHit]:
        """The options whose whole text is at `offset`: the longest ones alone."""
        if self._signs and (signs := self._signs_at(response, offset)):
            return signs
        positions = self._beginning_at(response, offset)
        if not positions:
            return []
        wanted = self._in_order.get(positions[0])
        if wanted is None:
            wanted = sorted([(tokens_of(self.texts[position]), position) for position in positions])
            self._in_order[positions[0]] = wanted
        # Those that go on as the response does stand together in this order, the shortest first.
        first, end = 0, len(wanted)
        found: list[re.Match[str]] = []
        fitting: list[tuple[int, int]] = []
        for m in TOKEN.finditer(response.low, offset, offset + self._limit):
            # Token by token, so that a long option costs no more than what is there of it.
            token, place = m.group().replace(",", ""), len(found)
            if first + 1 < end:
                first = bisect_left(wanted, token, first, end, key=lambda one: one[0][place])
                end = bisect_right(wanted, token, first, end, key=lambda one: one[0][place])
            if first == end or wanted[first][0][place] != token:
                break
            found.append(m)
            while first < end and len(wanted[first][0]) == len(found):
                fitting.append((len(found), wanted[first][1]))
                first += 1
            if first == end:
                break
        # Of "New York" and "New York City" the longer is meant where it is there in full; two
        # options of the same tokens both stay, for the caller to find them ambiguous.
        n = max(fitting)[0] if fitting else 0
        hits = [
            TextHit(position, found[0].start(), found[n - 1].end(), n)
            for size, position in fitting
            if size == n
        ]
        hits = self._verbatim(response, hits) if len(hits) > 1 else hits
        return self._whole(response.low, hits)

    def _whole(self, low: str, hits: list[TextHit]) -> list[TextHit]:
        """The hits that are no parts of an expression."""
        if not self._numbers:
            return hits
        return [h for h in hits if not is_part(low, h.start, h.end, self.texts, h.position)]

    def _signs_at(self, response: Folded, offset: int) -> list[TextHit]:
        """The options of signs alone that are at `offset`, after spaces."""
        low = response.low
        start = (
            offset + len(low[offset : offset + _NEAR]) - len(low[offset : offset + _NEAR].lstrip())
        )
        return [
            TextHit(position, start, start + len(sign), 1)
            for position, sign in self._signs.items()
            if low.startswith(sign, start)
        ]

    def _verbatim(self, response: Folded, hits: list[TextHit]) -> list[TextHit]:
        """Of hits at one place those that the response writes exactly as they were shown.

        Options may differ in what folding takes away alone: case, signs, raised numbers.
        """
        said = response.original(max(0, hits[0].start - _AROUND), hits[0].end + _AROUND)
        for spelled in (str.strip, _closely):
            sizes = {hit: len(spelled(self.texts[hit.position])) for hit in hits}
            exact = [hit for hit in hits if spelled(self.texts[hit.position]) in spelled(said)]
            longest = max((sizes[hit] for hit in exact), default=0)
            if exact := [hit for hit in exact if sizes[hit] == longest]:
                return exact
        return hits

    def _beginning_at(self, response: Folded, offset: int) -> list[int]:
        """The positions whose text begins with the first token at or soon after `offset`."""
        low, at, found = self._begun
        if at != offset or low is not response.low:
            m = TOKEN.search(response.low, offset, offset + _NEAR)
            token = m.group().replace(",", "") if m else None
            known = token is not None and token in self._firsts
            found = [i for i, first in enumerate(self._firsts) if first == token] if known else []
            self._begun = response.low, offset, found
        return found

    def cut_at(self, response: Folded, offset: int) -> list[TextHit]:
        """The one option whose text begins with the whole clause at `offset`, of two tokens
        or more: a text left unfinished."""
        positions = self._beginning_at(response, offset)
        if not positions:
            return []
        stop = offset + self._limit
        end = _CLAUSE.match(response.low, offset, stop).end()  # type: ignore[union-attr]
        found = list(TOKEN.finditer(response.low, offset, end))
        words = _plain([m.group() for m in found])
        n = len(words)
        positions = [
            position for position in positions if tokens_of(self.texts[position])[:n] == words
        ]
        if n < 2 or len(positions) != 1:
            return []
        return [TextHit(positions[0], found[0].start(), found[-1].end(), n)]

    def begun_at(self, position: int, response: Folded, offset: int) -> int:
        """How many tokens of option `position`, from its first on, are at `offset`."""
        if position not in self._beginning_at(response, offset):
            return 0
        tokens = tokens_of(self.texts[position])
        found = TOKEN.finditer(response.low, offset, offset + self._limit)
        words = (m.group().replace(",", "") for m in found)
        pairs = zip(words, tokens, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def most_like(self, response: Folded, offset: int, position: int) -> bool:
        """Whether option `position` shares more of its tokens with the clause at `offset` than any
        other option does."""
        end = _CLAUSE.match(response.low, offset).end()  # type: ignore[union-attr]
        words = set(_plain(TOKEN.findall(response.low, offset, end)))
        likeness = [
            len(words.intersection(tokens)) / (min(len(words), len(set(tokens))) or 1)
            for tokens in self.tokens
        ]
        # The share is of the shorter side, so that neither a terse clause nor a long option loses
        # by its length.
        own = likeness.pop(position)
        return own > max(likeness, default=0.0)

    def find_all(self, response: Folded) -> list[TextHit]:
        """All whole option texts in the response, without those inside a longer one."""
        # Many rules ask; the spelling changes only where something is left out.
        if self._found is None or self._found[0] is not response.low:
            self._found = response.low, self._find_all(response)
        return self._found[1]

    def _may_name_any(self, low: str) -> bool:
        """Whether the first token of any option is there; commas may part digits."""
        return any(first in low or first[-1].isdigit() for first in self._firsts if first)

    def _find_all(self, response: Folded) -> list[TextHit]:
        if not (self._signs or self._may_name_any(response.low)):
            return []
        places = list(TOKEN.finditer(response.low))
        words = _plain([m.group() for m in places])
        line = f" {' '.join(words)} "
        hits = []
        spans = _Spans(words)
        # The longest first, so that what lies inside of them need not be looked at.
        for position, tokens in sorted(enumerate(self.tokens), key=_length, reverse=True):
            for first in _occurrences(line, tokens, spans):
                last = places[first + len(tokens) - 1]
                hits.append(TextHit(position, places[first].start(), last.end(), len(tokens)))
        for position, sign in self._signs.items():
            hits += [
                TextHit(position, *m.span(), 1) for m in re.finditer(re.escape(sign), response.low)
            ]
        kept = self._whole(response.low, _outermost(hits))
        if len(kept) < 2:
            return kept
        places_of: dict[tuple[int, int], list[TextHit]] = {}
        for hit in kept:
            places_of.setdefault((hit.start, hit.end), []).append(hit)
        if len(places_of) == len(kept):
            return kept
        return [
            hit
            for same in places_of.values()
            for hit in (self._verbatim(response, same) if len(same) > 1 else same)
        ]


def _closely(text: str) -> str:
    """A text without spaces and marks of emphasis."""
    return _MARKS.sub("", text)


def _length(one: tuple[int, tuple[str, ...]]) -> int:
    return len(one[1])


class _Spans:
    """Runs of tokens in which options were found, each at least as long as the next to be found.

    Runs of one length that follow each other at every token are one: whatever is shorter and inside
    of it is inside of one of them.
    """

    __slots__ = ("_words", "ends", "firsts", "sizes", "starts")

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self.starts: list[int] | None = None
        self.firsts: list[int] = []
        self.ends: list[int] = []
        self.sizes: list[int] = []

    def index(self, at: int) -> int:
        """The token before which the space at `at` of the line is."""
        if self.starts is None:
            self.starts = list(accumulate((len(word) + 1 for word in self._words), initial=0))
        return bisect_left(self.starts, at)

    def add(self, first: int, size: int) -> None:
        """Note that an option of `size` tokens begins at a token."""
        i = bisect_right(self.firsts, first)
        if i and self.sizes[i - 1] == size and first <= self.ends[i - 1] - size + 1:
            self.ends[i - 1] = max(self.ends[i - 1], first + size)
            return
        self.firsts.insert(i, first)
        self.ends.insert(i, first + size)
        self.sizes.insert(i, size)

    def beyond(self, first: int, size: int) -> int:
        """Where to look on, in the line, if a text of `size` tokens lies inside a longer one; -1
        if it does not."""
        i = bisect_right(self.firsts, first) - 1
        if i < 0 or size >= self.sizes[i] or self.ends[i] < first + size:
            return -1
        assert self.starts is not None
        return self.starts[self.ends[i] - size + 1]


def _occurrences(line: str, tokens: tuple[str, ...], spans: _Spans) -> Iterator[int]:
    """Index of the first token of every occurrence of `tokens` in a line of tokens, but for those
    inside a longer one."""
    if not tokens:
        return
    # Text search is far faster than comparing token by token; the spaces keep whole tokens.
    needle = f" {' '.join(tokens)} "
    at = line.find(needle)
    while at >= 0:
        first = spans.index(at)
        beyond = spans.beyond(first, len(tokens))
        if beyond < 0:
            spans.add(first, len(tokens))
            yield first
        at = line.find(needle, beyond if beyond >= 0 else at + 1)


def _outermost(hits: list[TextHit]) -> list[TextHit]:
    """Hits in order of place, without those that lie inside a longer hit of another option."""
    hits.sort(key=lambda h: (h.start, -h.end))
    kept: list[TextHit] = []
    reach = -1
    for hit in hits:
        same = kept and (kept[-1].start, kept[-1].end) == (hit.start, hit.end)
        if hit.end > reach or same:
            kept.append(hit)
            reach = max(reach, hit.end)
    return kept


def ends_clause(response: Folded, offset: int) -> bool:
    """True if a clause, line or the response ends at `offset`."""
    return _CLAUSE_END.match(response.low, offset) is not None
