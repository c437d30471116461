"""Lists of all options in which one stands out: by a mark, a verdict or the highest chance."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from horsesense.readers.text.names.targets import Scene

_BEFORE = re.compile(r"(?:\[ ?[x*]? ?\]|\( ?[x*o]? ?\)|option\s+|<t[dr]>|[^\w\n])*", re.IGNORECASE)
_PLAIN = re.compile(r"[\s.,;:()|•\-–—]+")
_BOX = re.compile(r"\[\s*\]|\(\s*\)|[☐◯○⚪□◻⬜]")
_MARK = re.compile(r"[✓✔✅☑☒←⬅➡→👈👉★⭐●◉🔘■◼🏆*<>=]|\[x\]|\([xo]\)")
_FILLED = re.compile(r"\[ ?[x*] ?\]|\( ?[xo*] ?\)")
_CROSS = re.compile(r"[✗✘❌✖❎🚫👎⛔]")
_VERDICT = re.compile(
    r"\A[\s|:;,.()*_\-–—=→>\"'`]*(?:(?P<yes>✅|✓|✔|☑|(?:yes|true|correct|right|oui|sí|si|ja|richtig|good"
    r"|fits|matches|best|chosen|selected|supported)\b)|(?P<no>❌|✗|✘|✖|(?:no|not|false|incorrect"
    r"|wrong|non|nein|falsch|poor|weak|partial|impossible|unlikely|eliminated|rejected"
    r"|unsupported)\b))"
)
_SECOND = re.compile(r"\W*\|\W*(?:yes|no|true|false|✓|✔|✅|✗|❌|✘|✖)\s*(?:\||\Z)")
_OF_CHANCES = re.compile(
    r"probab|chance|likel|confiden|odds|\bp ?\(|vote|weight|score|belie|\b0?\.\d+(?![\d ]*%)"
    r"|estimat|credence"
    r"|i would put it|wahrschein|out of 100"
)
_RATES = re.compile(
    r"(?!.*\b(?:unlikely|not|least)\b|.*n['’]t\b).*?"
    r"(?:\b(?:probabilit(?:y|ies)|likelihoods?|confidence)\b[^.?]{0,40}"
    r"\b(?:each|every|all|these|following|options?|choices?)\b"
    r"|\b(?:rate|score|rank|grade)\b[^.?]{0,40}\b(?:fits?|match\w*|options?|choices?|answers?|each)\b)",
    re.DOTALL,
)
"""A question that asks how likely, or how fitting, each option is."""
_OUT_OF = re.compile(
    r"\A[^\w\n]{0,12}(\d{1,3}(?:\.\d)?) ?(?:/|out of) ?(5|10|100)(?=\s*(?:[.,;|(]|\Z))"
)
_DEGREE = re.compile(
    r"\A[\s|:;,.()*_–—=→>-]*(?P<degree>very high|high|highest|most likely|very likely|likely"
    r"|medium|moderate|low|lowest|very low|none|zero|minimal|negligible|(?:very )?unlikely)"
    r"(?=\s*(?:[.,;|(]|\Z))"
)
_OF_SHARES = re.compile(
    r"%|per ?cent|share|proportion|fraction|portion|rate\b|compos|how (?:many|much)"
)
"""What asks for shares of a hundred, which then say nothing of how likely an option is."""
_OF_OTHERS = re.compile(
    r"\b(?:being|is|it's|it is) (?:not (?:the answer|correct|right|true)|wrong|incorrect|false)\b"
    r"|\b(?:error|eliminat|survey|poll|distract)\w*\b"
    r"|\bstudents?\b|\bpopular|\blast (?:year|time)\b|\bshares? of\b"
)
_PLACES = re.compile(r"\b(?:first|second|third|fourth|last|not|but)\b")
"""What makes numbers other than the chances of being right."""
_HIGH = ("very high", "high", "highest", "most likely", "very likely", "likely")
_AT_END = re.compile(r"(\d{1,3}(?:[.,]\d+)?|\.\d+) ?(?:%|percent|per cent)[^\w\n]*\Z")
_FEW_LETTERS = 20
_ASKED = 400

_LAST_VERDICT = re.compile(
    r"[-–—:;,.=→>(][\s*_]*(?:(?P<yes>yes|true|correct|fits|✅|✓|✔)|(?P<no>no|false|incorrect|out|wrong"
    r"|eliminated|ruled out|❌|✗|✘))[\s*_.!)|]*\Z"
)
"""A verdict that ends a line, behind what is said of the option."""
_CHANCE = re.compile(
    r"\A[^\w\n+]{0,12}?(?:\w+\W{0,4}){0,2}?[^\w\n+]{0,6}?(\d{1,3}(?:[.,]\d+)?|\.\d+)"
)
_TELLS = re.compile(r"[\d✓✔✅☑☒●◉🔘■✗✘❌✖]")
_TELLS_IN_WORDS = re.compile(r"(?:true|false|yes|no)\b|\[x\]|\([xo]\)")
_CONTINUES = re.compile(r"\w")
_RULE = re.compile(r"[\s|:+=-]+")
_TICKS = "✓✔✅☑"
_SIGN = re.compile(rf"[{_TICKS}✗✘❌✖❎☒]")
_AMONG = re.compile(r"[\d\s.,;:|+=()*/✓✔✅☑✗✘❌✖❎☒\ufe0f-]+")
_NAME = re.compile(r"\w{1,5}(?![\w'])")
_GAP = re.compile(r"[^\w\n]*")
_LETTER = re.compile(r"[^\W\dx_]")
_MOST = 20_000


def stands_out(scene: Scene) -> set[int]:
    """The option that a list of all of them marks, approves or rates highest; several that it
    approves or marks where it does the opposite to all others."""
    if len(scene.options.texts) < 2 or len(scene.response.source) > _MOST:
        return set()
    found, rests = _the_one(scene)
    if found is not None:
        return {found}
    return _several(rests) if rests and len(rests) > 2 else set()


def _the_one(scene: Scene) -> tuple[int | None, list[tuple[str, str]] | None]:
    """The one that a list sets off, and what the list says of each option in a line of its own."""
    response = scene.response
    # What was left out at the end, a next question, is no part of the list.
    source = response.source[response.begins : response.span(0, len(response.low.rstrip()))[1]]
    text = source.lower()
    k = len(scene.options.texts)
    table = _turned(text) if text.count("|") > 2 * k else text
    rests = _rests(scene, table) if table.count("\n") >= k - 1 else None
    if rests is not None:
        chances = [_likeliest, _rated, _by_degree] if _of_chances(scene, text) else []
        looks = (_approved, _stars, _marked, *chances)
        for look in looks:
            found = look(rests)
            if found is not None:
                return found, rests
    ordered = _in_order(text, k)
    if ordered is not None:
        return ordered, rests
    row = _in_a_row(scene, text) if _tells(text) else None
    if row is None:
        return None, rests
    found = _approved([("", after) for _, after in row])
    found = _likeliest(row) if found is None and _of_chances(scene, text) else found
    signs = all(_PLAIN.sub("", before) and not _LETTER.search(before) for before, _ in row)
    if found is None and signs:
        found = _marked([(before, "") for before, _ in row])
    return found, rests


def _of_chances(scene: Scene, text: str) -> bool:
    """Whether a reply says how likely the options are; shares of a hundred may be what is asked."""
    if scene.asks_not or _OF_OTHERS.search(text):
        return False
    asked = scene.question.lower()
    if _RATES.match(asked[-_ASKED:]) and "%" not in asked and "share" not in asked:
        return True
    return _OF_CHANCES.search(text) is not None or _is_all(scene, text)


def _is_all(scene: Scene, text: str) -> bool:
    """Whether a reply is labels with numbers and hardly anything else, and no shares are asked for.

    Names with numbers may be shares of something that is not asked about ("iron 78 %").
    """
    asked = " ".join((scene.question, *scene.options.texts)).lower()
    if not scene.question or "%" not in text or _OF_SHARES.search(asked) or _PLACES.search(text):
        return False
    if scene.options.find_all(scene.response):
        return False
    names = {name.lower() for name in scene.labels.positions} | {"option", "percent"}
    words = [word for word in re.findall(r"[^\W\d_]+", text) if word not in names]
    return sum(map(len, words)) <= _FEW_LETTERS


def _tells(text: str) -> bool:
    """Whether there is anything that may tell an option from the others."""
    if _TELLS.search(text) is not None:
        return True
    # A boundary in front would make the search several times as slow.
    return any(
        text[m.start()] in "[(" or not _CONTINUES.match(text[m.start() - 1 : m.start()])
        for m in _TELLS_IN_WORDS.finditer(text)
    )


def _turned(text: str) -> str:
    """A table whose columns are as many as its first row has names, as a table of rows."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in text.split("\n")
        if "|" in line and not _RULE.fullmatch(line)
    ]
    wide = len(rows) > 1 and len({len(row) for row in rows}) == 1 and len(rows) < len(rows[0])
    return "\n".join(" | ".join(cells) for cells in zip(*rows, strict=True)) if wide else text


def _in_order(text: str, k: int) -> int | None:
    """The one tick among as many ticks and crosses as there are options, in lines or in a row."""
    signs = [] if text.isascii() else _SIGN.findall(text)
    ticks = [sign in _TICKS for sign in signs]
    if len(signs) != k or k < 3 or ticks.count(True) != 1:
        return None
    return ticks.index(True) if _AMONG.sub("", text) == "" else None


def _rests(scene: Scene, text: str) -> list[tuple[str, str]] | None:
    """What stands before and after each option in the line that begins with it; None where an
    option has no such line, or several."""
    found: dict[int, tuple[str, str]] = {}
    names = {name.lower(): i for name, i in scene.labels.positions.items()}
    texts = [text.lower() for text in scene.options.texts]
    for line in text.split("\n"):
        m = _BEFORE.match(line)
        start = m.end() if m else 0
        position, end = option_at(line, start, names, texts)
        if position is None:
            continue
        if position in found:
            return None
        found[position] = (line[:start], line[end:])
    if len(found) < len(texts):
        return None
    return [found[i] for i in range(len(texts))]


def option_at(
    line: str, start: int, names: dict[str, int], texts: list[str]
) -> tuple[int | None, int]:
    """The option that a line names at a place, by label or text, and where its name ends."""
    m = _NAME.match(line, start)
    position = names.get(m.group()) if m else None
    end = m.end() if m and position is not None else start
    if position is None:
        fits = [i for i, text in enumerate(texts) if text and line.startswith(text, start)]
        if not fits:
            return None, start
        position = max(fits, key=lambda i: len(texts[i]))
        return position, start + len(texts[position])
    gap = _GAP.match(line, end)
    after = gap.end() if gap else end
    place = line.find(texts[position], end, after + len(texts[position])) if texts[position] else -1
    return position, place + len(texts[position]) if place >= 0 else end


def _marked(rests: list[tuple[str, str]]) -> int | None:
    """The only one whose line has a mark that those of all others lack."""
    signs = [_FILLED.sub("✓", before + after) for before, after in rests]
    signs = [_PLAIN.sub("", _BOX.sub("", sign)) for sign in signs]
    usual, n = Counter(signs).most_common(1)[0]
    if len(signs) == 2:
        usual, n = ("", 1) if "" in signs else ("", 0)
    odd = [i for i, sign in enumerate(signs) if sign != usual]
    if n != len(signs) - 1 or len(odd) != 1:
        return None
    more = signs[odd[0]].replace(usual, "", 1) if usual else signs[odd[0]]
    marked = _MARK.search(more) and not _CROSS.search(more) and not _LETTER.search(more)
    return odd[0] if marked else None


def _approved(rests: list[tuple[str, str]]) -> int | None:
    """The only one whose line goes on with a yes where all others go on with a no, or the reverse
    ("which is not?")."""
    verdicts = [_VERDICT.match(after) for _, after in rests]
    if _in_columns(verdicts):
        return None
    if not all(verdicts):
        verdicts = [_cell(after) or _LAST_VERDICT.search(after) for _, after in rests]
    for_it = [i for i, m in enumerate(verdicts) if m and m["yes"]]
    against = [i for i, m in enumerate(verdicts) if m and m["no"]]
    if len(for_it) + len(against) < len(rests):
        return None
    if len(for_it) == 1:
        return for_it[0]
    return against[0] if len(against) == 1 else None


def _in_columns(verdicts: list[re.Match[str] | None]) -> bool:
    """Whether a line goes on with a second verdict: of two columns, none is known to be the one."""
    return any(m is not None and _SECOND.match(m.string, m.end()) for m in verdicts)


def _cell(after: str) -> re.Match[str] | None:
    """The one cell of a row that is a verdict and no more."""
    if "|" not in after:
        return None
    found = [_VERDICT.match(cell) for cell in after.split("|")]
    alone = [m for m in found if m and not m.string[m.end() :].strip(" *_.")]
    return alone[0] if len(alone) == 1 else None


def _several(rests: list[tuple[str, str]]) -> set[int]:
    """Several of more than two that are ticked or approved, where all others are crossed, left
    empty or turned down."""
    verdicts = [_VERDICT.match(after) for _, after in rests]
    if _in_columns(verdicts):
        return set()
    approved = {i for i, m in enumerate(verdicts) if m and m["yes"]}
    if not all(verdicts):
        full = [_FILLED.search(before) is not None for before, _ in rests]
        boxes = all(_BOX.search(before) or is_full
                    for (before, _), is_full in zip(rests, full, strict=True))  # fmt: skip
        approved = {i for i, is_full in enumerate(full) if is_full and boxes}
    return approved if 1 < len(approved) < len(rests) else set()


def _stars(rests: list[tuple[str, str]]) -> int | None:
    """The one with the most full stars."""
    counts = [after.count("★") + after.count("⭐") for _, after in rests]
    return counts.index(max(counts)) if min(counts) and counts.count(max(counts)) == 1 else None


def _likeliest(rests: list[tuple[str, str]]) -> int | None:
    """The one with the highest of numbers that add up to 1 or to 100."""
    found = [_AT_END.search(after) for _, after in rests]
    if not all(found):
        found = [_CHANCE.match(after) for _, after in rests]
    chances = [float(m[1].replace(",", ".")) for m in found if m]
    if len(chances) < len(rests) or not any(abs(sum(chances) / whole - 1) < 0.021
                                            for whole in (1, 100)):  # fmt: skip
        return None
    highest = max(chances)
    return chances.index(highest) if chances.count(highest) == 1 else None


def _rated(rests: list[tuple[str, str]]) -> int | None:
    """The one with the most points of as many ("9/10")."""
    found = [_OUT_OF.match(after) for _, after in rests]
    if not all(found) or len({m[2] for m in found if m}) > 1:
        return None
    points = [float(m[1]) for m in found if m]
    return points.index(max(points)) if points.count(max(points)) == 1 else None


def _by_degree(rests: list[tuple[str, str]]) -> int | None:
    """The only one that is called likely, in whatever degree, where all others are less so."""
    found = [_DEGREE.match(after) for _, after in rests]
    if not all(found):
        return None
    high = [i for i, m in enumerate(found) if m and m["degree"] in _HIGH]
    return high[0] if len(high) == 1 else None


def _in_a_row(scene: Scene, text: str) -> list[tuple[str, str]] | None:
    """What stands before and after each option where all are named once."""
    names = list(scene.labels.positions.items())
    ways = [[(n.lower(), i) for n, i in names]] if names else []
    ways.append([(t.lower(), i) for i, t in enumerate(scene.options.texts) if t.strip()])
    for way in filter(None, ways):  # blank options have no name to look for
        known = dict(way)
        # What is not there once need not be looked for in its place.
        if len({position for name, position in known.items() if name in text}) < len(
            scene.options.texts
        ):
            continue
        each = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        hits = list(re.finditer(rf"(?<![\w.])(?:{each})(?![\w.])", text))
        order = [known[m.group()] for m in hits]
        if sorted(order) != list(range(len(scene.options.texts))):
            continue
        begins = [0, *(m.end() for m in hits)]
        ends = [*(m.start() for m in hits), len(text)]
        gaps = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
        beside = dict(zip(order, pairwise(gaps), strict=True))
        return [beside[position] for position in range(len(order))]
    return None
