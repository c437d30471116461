"""Parts of a response that answer nothing: markup, the prompt, a next question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from heapq import merge
from html import unescape
from itertools import islice

from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.normalise import DEFAULT, Folded

_TOKEN = re.compile(
    r"<\|(?:im start|start|start header id)\|>\s{0,3}assistant\b"
    r"|<\|[^<>|\n]{1,40}\|>|</?s>|\[/?inst\]|</?(?:end of turn|start of turn|eos|bos|pad|eot|unk)>"
)
_NEXT_TURN = re.compile(
    r"(?:<\|(?:im start|start header id|start)\|>|<start of turn>"
    r"|<\|eot id\|><\|start header id\|>)"
    r"\s{0,9}user|\[inst\]|<\|user\|>"
)
_ELEMENT = re.compile(
    r"</?(?:html|body|p|br|hr|b|i|u|em|strong|span|div|ul|ol|li|h[1-6]|table|thead|tbody|tr|t[dh]"
    r"|code|pre|mark|font|small|su[bp]|blockquote|center|section|article|details|summary|a"
    r"|output|final(?! ?answer)|response|result|solution)"
    r"(?:\s[^<>]{0,120})?/?>|&nbsp;"
)
_SAYS = re.compile(r"\w")
_BREAKS = re.compile(r"</?(?:p|br|hr|div|li|h[1-6]|tr|table|blockquote|section)\b")
_STRUCK = re.compile(
    r"(?:(?<=\n)|\A)[\t >*-]{0,9}\(?\w{1,3}[.):][ \t]{0,3}~~[^~\n]{1,80}~~"
    r"(?=[ \t]*(?:\n|\Z))|~~[^~\n]{1,80}~~"
    r"|<(?:del|s|strike)>[^<\n]{1,80}</(?:del|s|strike)>"
)
_TO_YOU = re.compile(r"\b(?:you|your|sie|ihnen|du|vous|tú|usted|i|we)\b|\b(?:which|what) one\b")
_ENTITY = re.compile(r"&(?:#\d{2,6}|#x[0-9a-f]{2,5}|[a-z]{2,8});", re.IGNORECASE)
_MARKERS = 200
_ROLES = 640
_HEADS = 40
_NEXT_QUESTION = re.compile(
    r"\n[ \t]{0,9}(?:#{1,6} ?)?(?:(?:next|new|another|nächste) )?"
    r"(?:question|q|problem|exercise|frage|aufgabe|pregunta|chapter)"
    r" ?(?:#?\d{0,3} ?[:.)]|#?\d{1,3} ?(?=\n|\Z))"
    r"|\n[ \t]{0,9}(?:#{1,6} ?)?(?:next|another|nächste) (?:question|problem|exercise|frage"
    r"|aufgabe)\b"
    r"|(?<=\})\s{0,3}\n\s{0,3}(?=\{)"
    r"|\n[ \t]{0,9}<(?:question|frage|doc|item|problem)\b"
    r"|\n[^\n?]{12,300}\?[^\n]{0,80}(?:\n[^\n]{1,200}){0,1}(?=\Z"
    r"|\n[ \t(]{0,9}(?:[a-h1-9]|i)[.):]? )"
    r"|\n[^\n?]{12,300}\?[^\n]{0,80}(?=\n{1,3}[ \t(]{0,9}[a-z1-9][.):] ?[^\n]{1,200}\n{1,2}"
    r"[ \t(]{0,9}[a-z1-9][.):] )"
    r"|\n[ \t]{0,9}(?:#{1,6} ?)?(?:user|human|student|instruction|input) ?:"
    r"|\n[ \t]{0,9}#{1,6} ?(?:instruction|input|question)\b"
    r"|\n[ \t(]{0,9}(?:(?:\d{1,3}|[ivx]{1,4})[.)] [^\n]{12,300}"
    r"|(?![^\n]*\b(?:option|choice|answer|analy|explan|reason|evaluat|eliminat|consider|step|check))"
    r"[^\n]{12,300}\w[\"')]?)\n[ \t(]{0,9}(?:a|1|i)[.):] [^\n]*(?:\n[^\n]{0,200}){0,8}?"
    r"\n\W{0,4}ans(?:wer)?\b"
)


def without_struck(text: str) -> str:
    """A text with spaces in place of what is struck out, unless nothing else is said.

    >>> without_struck("~~B~~ A C"), without_struck("~~B~~")
    ('      A C', '~~B~~')
    """
    if "~~" not in text and "</" not in text:
        return text
    rest = _STRUCK.sub(lambda m: " " * len(m[0]), text)
    return rest if _SAYS.search(rest) else text


def leave_out_markup(scene: Scene) -> bool:
    """Blank special tokens and elements of HTML, unless an option is made of them; whether another
    turn of the user was left out."""
    response = scene.response
    low = response.low
    if "&" in low and not any("&" in option and ";" in option for option in scene.options.texts):
        response.blank_each(
            (*m.span(), (unescape(m.group()) + " ")[0]) for m in _ENTITY.finditer(low)
        )
        low = response.low
    struck = "~~" in low or "</" in low
    # "<s> B </s>" is the whole of a reply between two tokens, not struck out.
    if struck and _SAYS.search(_TOKEN.sub("", _STRUCK.sub("", low))):
        response.blank_each((*m.span(), " ") for m in _STRUCK.finditer(low))
    if "<" not in low and "[" not in low and "&" not in low:
        return False
    turn = _NEXT_TURN.search(low)
    turned = turn is not None and bool(low[: turn.start()].strip())
    if turn and turned:
        response.blank(turn.start(), len(low), "\n")
    response.blank_each(
        (*m.span(), " ")
        for m in _TOKEN.finditer(response.low)
        if not any(m.group() in option.lower() for option in scene.options.texts)
    )
    if any("<" in option for option in scene.options.texts):
        return turned
    if not _SAYS.search(_ELEMENT.sub("", response.low)):
        return turned
    response.blank_each(
        (*m.span(), "\n" if _BREAKS.match(m.group()) else " ")
        for m in _ELEMENT.finditer(response.low)
    )
    return turned


_HEAD = re.compile(
    r"(?:\A|\n)[ \t]{0,9}(?P<head>(?:[a-z][\w/' -]{0,29}?|[a-z]{0,3}) ?(?P<number>\d{0,3}) ?[:.)]"
    r"|[a-z][^\n.:?]{11,59}(?=\.))",
    re.IGNORECASE,
)
_LIKE = re.compile(r"([^\W\d_]\S*(?: [^\s?]+){2})(?= )")
_OBJECTS = re.compile(
    r"(?<=:)\W*(?:no\b|wrong|incorrect|sure\b|are you|really|but\b|that'?s|isn't|i (?:think"
    r"|thought))"
)
"""A turn of the user that is about the answer before it."""
_LONG_HEAD, _DIFFERS = 12, 30
"""What heads a line of a question ("Review:", "Q14.", "Pick the right one.")."""


@lru_cache(maxsize=4096)
def _heads_again(question: str, labels: frozenset[str]) -> re.Pattern[str] | None:
    """Finds a line that is headed as one of the question's lines is, whatever its number."""
    heads: set[str] = set()
    for m in islice(_HEAD.finditer(question), _HEADS):
        head = m["head"].strip().lower()
        if head.rstrip(" :.)").upper() in labels or not _SAYS.search(head):
            continue
        if m["number"] and head.rstrip(" :.)") == m["number"]:
            continue
        words = re.escape(head)
        heads.add(words.replace(m["number"], r"\d{1,3}") if m["number"] else words)
    asked = _LIKE.match(question.strip().translate(DEFAULT).lower())
    like = ""
    if asked is not None and len(asked[1]) >= _LONG_HEAD:
        ends = r"\?" if "?" in question else r"[.:]?"
        same = re.escape(question.strip().translate(DEFAULT).lower()[asked.end() :][:_DIFFERS])
        like = (
            rf"{re.escape(asked[1])}(?!{same})[^\n]{{3,160}}{ends}[ \t]*"
            r"(?=\Z|\n{1,3}[ \t(]{0,9}[a-z1-9][.):][^\n]{1,200}\n{1,2}[ \t(]{0,9}[a-z1-9][.):])"
        )
    if not (heads or like):
        return None
    return re.compile(rf"\n[ \t]{{0,9}}(?:{'|'.join(sorted(heads | ({like} if like else set())))})")


def _markers(scene: Scene) -> Iterator[re.Match[str]]:
    """Where a further question may begin, in order."""
    low = scene.response.low
    if "\n" not in low:
        return iter(())
    markers = _NEXT_QUESTION.finditer(low)
    names = frozenset(name.upper() for name in scene.labels.positions)
    again = _heads_again(scene.question, names) if scene.question else None
    if again is None:
        return markers
    return merge(markers, again.finditer(low), key=lambda m: m.start())


_ROLE = re.compile(
    r"\s*(?:(?:user|human|question|q) ?: ?(?P<asked>[^\n]{4,600})\n+\s*)?(?:assistant|ai|bot"
    r"|model|gpt) ?:"
    r"(?=\s*\S)"
)


def leave_out_role(scene: Scene) -> None:
    """Blank the name of the one who answers, with the question if it is said again before."""
    response = scene.response
    m = _ROLE.match(response.low) if ":" in response.low[:_ROLES] else None
    if m is None:
        return
    asked = m["asked"] or ""
    known = scene.question.translate(DEFAULT).lower()
    if not asked or (known and asked.strip() in known):
        response.blank(0, m.end())


def leave_out_next_question(scene: Scene) -> bool:
    """Blank a further question that the model made up after it named an option; whether it did."""
    response = scene.response
    low = response.low
    markers = _markers(scene)
    begins = len(low) - len(low.lstrip())
    # Asked for the first marker alone: most responses have none.
    named: int | None = None
    tried, introduced = -1, len(low)
    for marker in islice(markers, _MARKERS):
        if marker.start() <= begins or _TO_YOU.search(marker.group()):
            continue
        # What was asked is answered, or contested, by what follows.
        asks = low[: marker.start()].rstrip().endswith("?")
        if asks or _OBJECTS.match(low, marker.end()):
            continue
        named = _first_named(scene) if named is None else named
        colon = low.rfind(":", max(0, tried), marker.start())
        if colon > tried and marker.start() < named:
            target = scene.target_at(colon + 1)
            tried, introduced = colon, target.end if target else len(low)
        if min(named, introduced) <= marker.start():
            response.blank(marker.start(), len(low), "\n")
            return True
    return False


def _first_named(scene: Scene) -> int:
    """Where the first option ends that the response begins with, names by its whole text or by a
    label that is set off; its length where there is none."""
    first = scene.target_at(0)
    ends = [hit.end for hit in scene.options.find_all(scene.response)]
    ends += [first.end] if first else []
    label = next(
        (
            hit.end
            for hit in scene.labelled
            if hit.marked or scene.labels.goes_on(scene.response, hit)
        ),
        len(scene.response.low),
    )
    return min([*ends, label])


def leave_out_recital(scene: Scene) -> bool:
    """Blank the lines that repeat all options as they were shown; whether there are any."""
    response = scene.response
    k = len(scene.options.texts)
    if response.low.count("\n") < k - 1 or not scene.labels.positions:
        return False
    wanted, first = 0, 0
    for hit in scene.labelled:
        if hit.position not in (0, wanted):
            continue
        target = scene.behind(hit)
        if not (target.agrees and target.end >= _line_end(response, hit.start) - 2):
            continue
        if hit.position == 0:
            wanted, first = 0, hit.start
        wanted += 1
        if wanted == k:
            before, after = response.low[:first], response.low[target.end :]
            if before.strip() or after.strip():
                response.blank(first, target.end)
            return True
    return False


def _line_end(response: Folded, offset: int) -> int:
    end = response.low.find("\n", offset)
    return end if end >= 0 else len(response.low)
