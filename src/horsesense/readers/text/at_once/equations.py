"""What an equation is about: the quantity that is asked for, or another one.

"3x = 36" says nothing of x, "area = 32" nothing of a perimeter. The left side is what is asked for
where it is a calculation, an unknown or an expression that the question asks for by its name, or
words that the question has as well and gives no value of.
"""

from __future__ import annotations

import re
from functools import lru_cache

from horsesense.readers.text.claims import candidates
from horsesense.readers.text.claims.sentences import gives
from horsesense.readers.text.names import likeness
from horsesense.readers.text.names.targets import Scene

_NEAR = 160
_BEGINS = re.compile(
    r"[\n;:!?，。]|,(?=[a-z] ?=)|[.,](?=\s)|\\\\|\$\$|\\\[|=>|[→⇒⟹]|->"
    r"|\b(?:so|then|thus|hence|therefore|and|gives"
    r"|means|get|have|because|since|where|with|that|find|is|implies|which|but|first|compute"
    r"|calculate)\b"
)
"""Behind which an equation may begin."""
_EQUALS = re.compile(r"(?<![<>=!:≤≥])(?:=|≈|≃)(?![=>])")
_SIGNS = re.compile(r"[\s$*_`\\{}~&]|text|mathrm|left|right|quad")
_LETTER = re.compile(r"[^\W\d_]")
_UNKNOWN = re.compile(r"([^\W\d_])(?:[\s_{\\]*\w{1,2}|\s?[\\_{]+\w{1,6}|['′])?}?")
_WORDS = re.compile(r"[^\W\d_][^\d=+*/^×·÷()]{2,60}")
_BEHIND_WORDS = re.compile(r"[^\W\d_][\s$\\(]+([^\W\d_]|[$€£]?\d[^=]*[-+*/×·÷−x][^=]*)\Z")
"""The calculation or the unknown that words lead up to ("she reads 18 × 30")."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_OPERATOR = re.compile(r"[-+*/×·÷−]| x |\bper\b")
_VARIABLE = re.compile(r"\d[xyzabcntpqru](?![^\W\d_])|(?<![\w.] )(?<!\w)[^\W\d_](?!\w)")
_GENERAL = frozenset(
    likeness.stem(word)
    for word in (
        *("total", "answer", "result", "solution", "value", "final", "remaining", "left", "cost"),
        *("number", "amount", "sum", "output", "altogether", "our", "required", "needed"),
    )
)
"""What any quantity that is asked for may be called."""
_ASKS_FOR = (
    *("valueof", "whatis", "whats", "find", "compute", "calculate", "evaluate", "determine"),
    *("simplify", "workout", "for", "whatdoes", "numberof", "isthe", "equalto", "give"),
)
_ASKED = re.compile(
    r"\b(?:for|of|find|is|determine|calculate|compute|evaluate|does|are|value)[\s$\\(*]+"
    r"([^\W\d_])(?![\w'’])(?!\s*[=+*/^])"
)


def of_another(scene: Scene, start: int) -> bool:
    """Whether a number at a place of the folded reply is what an equation says of a quantity that
    is not the one asked for; not where the question is not known."""
    low = scene.response.low
    if not scene.question:
        return False
    signs = list(_EQUALS.finditer(low, max(0, start - _NEAR), start))
    if not signs or _SIGNS.sub("", low[signs[-1].end() : start]).strip("(+-−€£"):
        return False
    number = _NUMBER.match(low, start)
    return is_other(scene, left_of(low, signs[-1].start()), number.group() if number else "")


def left_of(text: str, end: int) -> str:
    """The first side of the equation whose last sign is at a place."""
    segment = text[max(0, end - _NEAR) : end].lower()
    begin = max((m.end() for m in _BEGINS.finditer(segment)), default=0)
    return _EQUALS.split(segment[begin:])[0]


def only_of_another(scene: Scene, position: int, starts: list[int]) -> bool:
    """Whether an option is only what another quantity equals than the one asked for."""
    numeric = bool(starts) and scene.question and candidates.numeric(scene, position)
    return bool(numeric) and all(of_another(scene, start) for start in starts)


@lru_cache(maxsize=1024)
def _bare(text: str) -> str:
    return _SIGNS.sub("", text.lower())


@lru_cache(maxsize=1024)
def _unknowns(question: str) -> frozenset[str]:
    """The unknowns that a question asks for."""
    return frozenset(m[1] for m in _ASKED.finditer(question.lower())) - {"a"}


def is_other(scene: Scene, left: str, number: str) -> bool:
    """Whether the left side of an equation is another quantity than the question asks for; `number`
    is what it equals."""
    said = left.strip(" \t\n$*_`\\()[]-–—>.")
    if behind := _BEHIND_WORDS.search(said):
        said = behind[1]
    bare = _bare(said).strip("()[]")
    asked = scene.question.lower()
    given = bool(number) and gives(scene, number)
    letters = _LETTER.search(bare)
    calculates = _OPERATOR.search(said) and len(_NUMBER.findall(said)) > 1
    if not letters or (calculates and not _VARIABLE.search(said)):
        return given  # A check comes to what the question gives.
    unknown = _UNKNOWN.fullmatch(said)
    if unknown:
        wanted = _unknowns(scene.question)
        return bool(wanted) and unknown[1] not in wanted and bare not in _bare(asked)
    if any(f"{word}{bare}" in _bare(asked) for word in _ASKS_FOR):
        return False
    if _WORDS.fullmatch(said):
        stems = {*likeness.stems(said)}
        if not (stems & _GENERAL or stems & {*likeness.stems(asked)}):
            return True
        return given
    return True
