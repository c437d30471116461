"""Labels ("A", "2", "§", ...): spotting one, and telling it from an article or a pronoun."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from horsesense.readers.text.words.normalise import DEFAULT, Folded, Table

# Words that may follow a bare label in a sentence and hardly ever follow an article.
_GOES_ON = re.compile(
    r"\s*(?:because|since|as|and|or|but|for|with|which|who|while|due|it|is|are|was|would|seems"
    r"|according|rather|instead|therefore|so|if|unless|where|in|on|by|the|not|weil|da|denn|und|oder|porque|parce|car"
    r"|et|ou|perché|y)\b"
    r"|\s*(?:です|입니다|है)|[번番号](?=です|입니다|이|가|だ|が|を|[\s。.]|\Z)|\s*[&+|]\s*\W?[A-Z]\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\s*(?:because|since|due|weil|denn|porque|parce|car|perché)\b", re.IGNORECASE
)
_OPEN = r"[\s\"'(\[{<:=>]{0,40}"
_CLOSE = r"(?:\\?[\"')\]}>]){0,9}"
# Letters that would make a longer word with a label. Scripts without spaces are left out: a label
# may stand right between their signs.
_WORD = r"0-9A-Za-z_\u00aa-\u02af\u0370-\u052f\u0600-\u06ff\u0900-\u0dff"
# "A's", "A-level", "1.5", "2/5", "D.C.", "C++" and "C(n, k)" begin with a label's character but
# are none.
_WHOLE = rf"(?![{_WORD}'])(?!-\w)(?![.,/]\d|\.[A-Z]\.)(?!\+\+|#)(?!\(\w\w?[,)])"
_SIGN = r"\s{0,9}[.:;,)/]|\s{0,9}-(?=\s)|(?=\s{0,40}$)|(?=[ \t]{0,40}\n)|(?=\s{0,9}[!?}}\]<|\\])"
_AND = (
    r"[\s\"'(\[)\].;]{0,20}(?:,\s{0,9}(?:and|or)?|\band\b|\bor\b|&|/|\+"
    r"|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\bo\b|\be\b|\blub\b|\bveya\b|\bили\b|أو"
    r"|或者?|还是|和|または|か|と|또는|혹은|와|과)"
    r"\s{0,9}(?:option|choice|选)?\s{0,9}[\"'(\[]{0,9}"
)
_REPLY_FORMS = ("{}", "{}.", "({})", "{})", "{}:", "[{}]", "**{}**", "**{}.**", "**({})**", '"{}"')
_SET_OFF = " ()[]{}<>.:"
EAST_ASIAN = "\u3040"
"""From here on are signs of scripts without spaces, in which a Latin letter is no word."""
_TAIL = 12
_DOUBTFUL = frozenset("AaIi")
_WORD_NEXT = re.compile(r"\s+(?!(?:is|are|because|since|and|or|but|both|were|for|in|would)\b)[a-z]")


class LabelHit(NamedTuple):
    """A label in the folded response.

    Attributes:
        position: the option it names.
        start, end: place of the label with its brackets.
        marked: brackets or a sign set it off from the words around it.
        bracketed: it is in brackets, so that it can be nothing but a label.
        after: where the text behind it begins.
    """

    position: int
    start: int
    end: int
    marked: bool
    bracketed: bool
    after: int


class LabelSet:
    """What is known of one tuple of labels: patterns, and all replies that are one label.

    Attributes:
        table: how responses are folded; the labels' own characters are kept.
        whole: complete replies ("B", "(b)", "B.", ...) and their position.
        positions: spelled label -> position; letters in either case where that is unambiguous.
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        labels = _bare_names(labels)
        signs = {c for label in labels for c in label if not c.isalnum()}
        self.table = Table(signs) if signs else DEFAULT
        shown = [Folded(label.strip(), self.table).text for label in labels]
        self._shown = frozenset(shown)
        self.positions = {name: position for position, name in enumerate(shown) if name}
        for position, name in enumerate(shown):
            if name.isalpha() and name.swapcase().swapcase() == name:
                self.positions.setdefault(name.swapcase(), position)
        self._most = 2 * len(shown)
        self.numbers = bool(shown) and all(name.isdigit() for name in shown)
        usual = [chr(ord("A") + i) for i in range(len(shown))]
        self.unusual = not self.numbers and [name.upper() for name in shown] != usual
        self.letters = bool(shown) and all(
            len(n) == 1 and n.isascii() and n.isalpha() for n in shown
        )
        self.whole = self._one_label_replies()
        names = "|".join(sorted(map(re.escape, self.positions), key=len, reverse=True)) or "(?!)"
        self._at = re.compile(
            rf"(?P<open>{_OPEN})(?P<name>{names})(?P<close>{_CLOSE}){_WHOLE}(?P<sign>{_SIGN})?"
        )
        self._mention = re.compile(
            rf"(?<![{_WORD}'.&/+^\\-])(?<!\w\()(?P<open>[(\[]?)(?P<name>{names})(?P<close>[)\]]?){_WHOLE}"
            r"(?P<sign>[.:)](?!\w))?"
        )
        self._last = re.compile(
            rf"(?<![{_WORD}'.&/+^-])(?P<open>[(\[]?)(?P<name>{names})(?P<close>[)\]]?)(?P<sign>[.!]?)[\s\"']*\Z"
        )
        self.lead = re.compile(
            rf"[\s*(\[\"'`]{{0,9}}(?P<name>{names})(?![{_WORD}'])[\s*)\]\"'`.:,;=>-]{{1,9}}"
        )
        self._next = re.compile(rf"{_AND}(?P<name>{names}){_WHOLE}(?P<close>{_CLOSE})")

    def _one_label_replies(self) -> dict[str, int]:
        replies = {}
        for name, position in self.positions.items():
            for form in _REPLY_FORMS:
                reply = form.format(name)
                replies.update({reply: position, f" {reply}": position, f"{reply}\n": position})
        return replies

    def shows(self, name: str) -> bool:
        """Whether a label is written just so."""
        return name in self._shown

    def at(self, response: Folded, offset: int) -> LabelHit | None:
        """The label at `offset`, unless it can be an article or a pronoun."""
        m = self._at.match(response.text, offset)
        if m is None:
            return None
        name = m["name"]
        bracketed = bool(m["close"].strip("\"'"))
        marked = bracketed or m["sign"] is not None
        if not marked and not self._bare(name, response, m.end()):
            return None
        start = m.start("name") - len(m["open"]) + len(m["open"].rstrip("(["))
        return LabelHit(self.positions[name], start, m.end("close"), marked, bracketed, m.end())

    def _bare(self, name: str, response: Folded, after: int) -> bool:
        """Whether a label before further words, with nothing to set it off, is one."""
        if name.isupper() and response.text[after : after + 1] >= EAST_ASIAN:
            return True
        if name in "Ii":
            return _BECAUSE.match(response.text, after) is not None
        if name.islower() and name not in self._shown:
            return False
        if name in _DOUBTFUL or self.numbers or name.islower():
            return _GOES_ON.match(response.text, after) is not None
        return True

    def goes_on(self, response: Folded, hit: LabelHit) -> bool:
        """Whether a label is set off, or continues as only a label would ("B because ...")."""
        return hit.marked or _GOES_ON.match(response.text, hit.after) is not None

    def further(self, response: Folded, offset: int) -> list[LabelHit]:
        """The labels that follow as in "B and C" or "A, B or D", from `offset` on."""
        hits: list[LabelHit] = []
        # A list of each label and as many again says all that a longer one does.
        while len(hits) <= self._most and (m := self._next.match(response.text, offset)):
            offset = m.end()
            if m["name"] in _DOUBTFUL and _WORD_NEXT.match(response.text, offset):
                break
            start, end = m.span("name")
            hits.append(LabelHit(self.positions[m["name"]], start, end, True, False, offset))
        return hits

    def at_end(self, response: Folded) -> LabelHit | None:
        """The label that a response ends with."""
        m = self._last.search(response.text, max(0, len(response.text.rstrip()) - _TAIL))
        return self._hit(m) if m else None

    def _hit(self, m: re.Match[str]) -> LabelHit:
        bracketed = bool(m["open"] and m["close"])
        marked = bool(m["close"] or m["sign"])
        position = self.positions[m["name"]]
        return LabelHit(position, m.start(), m.end("close"), marked, bracketed, m.end())

    def mentions(
        self, response: Folded, offset: int = 0, stop: int = sys.maxsize
    ) -> Iterator[LabelHit]:
        """Every label standing by itself, marked or not, articles and pronouns included."""
        return map(self._hit, self._mention.finditer(response.text, offset, stop))


def _bare_names(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Labels without what sets them off ("(a)", "B."), where names are left that differ."""
    bare = tuple(label.strip(_SET_OFF) for label in labels)
    names = len({*bare}) == len(bare) and all(name.isalnum() for name in bare)
    return bare if names else labels


@lru_cache(maxsize=512)
def label_set(labels: tuple[str, ...]) -> LabelSet:
    """The (shared) `LabelSet` of these labels."""
    return LabelSet(labels)
