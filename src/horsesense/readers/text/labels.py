"""Labels ("A", "2", "§", ...): spotting one, and telling it from an article or a pronoun."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from horsesense.readers.text.normalise import DEFAULT, Folded, Table

# Words that may follow a bare label inside a sentence. After an article or a pronoun ("a golf
# ball", "I think") none of them stands.
_GOES_ON = (
    r"because|since|as|and|or|but|for|with|which|who|while|given|due|that|this|these|it|is|are|was"
    r"|not|based|according|therefore|so|if|when|where|explanation|reason|reasoning|here|in|on|by"
    r"|the|weil|da|denn|und|oder|porque|ya|parce|car|et|ou|perché|e|o|y|u"
)
_OPEN = r"[\s\"'(\[{<:=>-]*"
_CLOSE = r"[\"')\]}>]*"
_SURE_FORM = ("(B)", "B)", "B.", "B:", "[B]")


class LabelHit(NamedTuple):
    """A label in the folded response.

    Attributes:
        slot: the option it names.
        start, end: place of the label and its brackets.
        marked: it stands in brackets or before a sign that sets it off, not bare among words.
        after: where the text behind it begins.
    """

    slot: int
    start: int
    end: int
    marked: bool
    after: int


class LabelSet:
    """What is known of one tuple of labels: patterns, and all one-label replies.

    Attributes:
        table: how responses are folded; the labels' own characters are kept.
        whole: complete replies ("B", "(b)", "B.", ...) and their slot.
        names: spelled label -> slot.
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        odd = {c for label in labels for c in label if not c.isalnum()}
        self.table = Table(odd) if odd else DEFAULT
        spelled = [Folded(label.strip(), self.table).text for label in labels]
        self.labels = labels
        self.names = {name: slot for slot, name in enumerate(spelled) if name}
        for slot, name in enumerate(spelled):
            if name.isalpha():
                self.names.setdefault(name.swapcase(), slot)
        self.digits = all(name.isdigit() for name in spelled)
        self.letters = all(len(name) == 1 and name.isalpha() for name in spelled)
        self.whole = self._whole_replies()
        names = "|".join(sorted(map(re.escape, self.names), key=len, reverse=True)) or "(?!)"
        self._at = re.compile(
            rf"(?P<open>{_OPEN})(?P<name>{names})(?P<close>{_CLOSE})(?![\w'])(?!-\w)(?![.,]\d)"
            r"(?P<sign>\s*[.:;,)/]|\s*-(?=\s)|(?=\s*$)|(?=[ \t]*\n)|(?=[!?]))?"
        )
        self.mention = re.compile(
            rf"(?<![\w'.&/+^\\-])(?P<open>[(\[]?)(?P<name>{names})(?P<close>[)\]]?)(?![\w'])(?!-\w)"
            r"(?![.,]\d)(?P<sign>[.:)])?"
        )
        self._list = re.compile(
            rf"[\s\"'(\[)\].]*(?:,\s*(?:and|or)?|\band\b|\bor\b|&|/|\+|\bund\b|\bet\b|\by\b)\s*"
            rf"(?:option|choice)?\s*(?P<open>[\"'(\[]*)(?P<name>{names})(?![\w'])(?!-\w)(?P<close>{_CLOSE})"
        )

    def _whole_replies(self) -> dict[str, int]:
        forms = ("{}", "{}.", "({})", "{})", "{}:", "[{}]", "**{}**", "**{}.**", "**({})**", '"{}"')
        replies = {}
        for name, slot in self.names.items():
            for form in forms:
                reply = form.format(name)
                replies.update({reply: slot, f" {reply}": slot, f"{reply}\n": slot})
        return replies

    def at(self, response: Folded, position: int) -> LabelHit | None:
        """The label that stands at `position`, unless it can be an article or a pronoun."""
        m = self._at.match(response.text, position)
        if m is None:
            return None
        name, after = m["name"], m.end()
        marked = bool(m["sign"] is not None or m["close"].strip("\"'"))
        if not marked and not self._stands_alone(name, response, after):
            return None
        start = m.start("name") - len(m["open"]) + len(m["open"].rstrip("(["))
        return LabelHit(self.names[name], start, m.end("close"), marked, after)

    def _stands_alone(self, name: str, response: Folded, after: int) -> bool:
        """Whether a bare label before further words is one."""
        if name.islower() and name.upper() in self.names and self.labels[self.names[name]] != name:
            return False
        if name not in ("A", "a", "I", "i") and not self.digits:
            return True
        return _goes_on(response, after)

    def further(self, response: Folded, position: int) -> list[LabelHit]:
        """The labels that follow as in "B and C" or "A, B or D", from `position` on."""
        hits = []
        while m := self._list.match(response.text, position):
            name = m["name"]
            if name in ("a", "A", "I", "i") and not self._alone_in_list(response, m.end()):
                break
            hits.append(LabelHit(self.names[name], m.start("name"), m.end("name"), True, m.end()))
            position = m.end()
        return hits

    def _alone_in_list(self, response: Folded, position: int) -> bool:
        return not re.compile(r"\s+[a-z]").match(response.text, position) or _goes_on(
            response, position
        )


_GOES_ON_PATTERN = re.compile(rf"\s*(?:[A-Z(]|(?:{_GOES_ON})\b)")


def _goes_on(response: Folded, position: int) -> bool:
    return _GOES_ON_PATTERN.match(response.text, position) is not None


@lru_cache(maxsize=512)
def label_set(labels: tuple[str, ...]) -> LabelSet:
    """The (shared) `LabelSet` of these labels."""
    return LabelSet(labels)
