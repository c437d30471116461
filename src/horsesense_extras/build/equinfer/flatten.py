"""A paper's documents, each as one text: main files found, comments taken out, inputs put in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from horsesense_extras.build.equinfer.sources import Paper

MOST_TEXT: Final = 2**22
"""Characters of a document with everything that it inputs."""
DEEPEST: Final = 16
"""Inputs within inputs."""
MOST_INPUTS: Final = 2_000
"""Inputs of a document."""

OUTSIDE: Final = "a path outside the paper"
MISSING: Final = "a file that is not in the paper"
CIRCLE: Final = "a file that inputs itself"

UNUSED: Final = "a file that no main file inputs"
BEHIND: Final = "what stands behind \\end{document}"

NO_LATEX: Final = "no LaTeX file could be read"
TOO_LONG: Final = f"more than {MOST_TEXT:,} characters or {MOST_INPUTS:,} inputs in a document"

_VERBATIM: Final = (
    r"[BL]?[Vv]erbatim\*?|spverbatim|SaveVerbatim|VerbatimOut|alltt|lstlisting|tcblisting|minted"
    r"|comment|filecontents\*?"
)
_DEFINERS: Final = (
    "lstnewenvironment|(?:re)?newtcblisting|NewTCBListing|(?:Re|Custom)?DefineVerbatimEnvironment"
    "|NewVerbatimEnvironment|excludecomment"
)
_OWN = re.compile(
    rf"\\(?:{_DEFINERS})\s*(?:\[[^\]]{{0,300}}\]\s*)?"
    r"\{(?P<named>[A-Za-z]{1,40}\*?)\}"
    r"|\\newminted\s*(?:\[(?P<minted>[A-Za-z]{1,40})\]|\{(?P<language>[A-Za-z]{1,40})\})"
    r"|\\newenvironment\s*\{(?P<wrapped>[A-Za-z]{1,40})\}[^\n]{0,300}?"
    rf"\\(?:begin\{{)?(?:{_VERBATIM})(?![A-Za-z])"
)
"""Where an author defines an environment that shows its content as it is written."""
_MOST_OWN: Final = 50
_INPUT = re.compile(
    r"\\(?P<how>input|include|subfile|subfileinclude)\s*(?:\{(?P<braced>[^{}\n]{1,300})\}"
    r"|(?<=input)[ \t]+(?P<bare>[^\s{}\\%]{1,300}))"
    r"|\\(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{(?P<folder>[^{}\n]{0,300})\}"
    r"\s*\{(?P<file>[^{}\n]{1,300})\}"
)
_CONDITIONAL = re.compile(  # `\iff` is a sign; `\ifthenelse{` and its like take braces
    r"(?<!\\)(?:\\\\)*(?:\\newif\s*\\if[A-Za-z@]+"
    r"|\\(?P<if>iffalse|if(?!f(?![A-Za-z@]))[A-Za-z@]*(?![A-Za-z@{]))(?![A-Za-z@])"
    r"|\\(?P<fi>fi|else)(?![A-Za-z@]))"
)
_CLASS = re.compile(r"\\document(?:class|style)\b")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")
_REFERENCES = re.compile(
    r"\\begin\s*\{thebibliography\}.*?(?:\\end\s*\{thebibliography\}|\Z)", re.DOTALL
)


class FlattenError(Exception):
    """A document cannot be put together; the message is the reason."""


@dataclass
class Document:
    """A document with its inputs.

    Attributes:
        name: path of its main file.
        text: preamble and body without comments.
        not_found: reason -> inputs that were left out for it.
        used: the files that it is made of.
    """

    name: str
    text: str
    not_found: dict[str, list[str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)


@lru_cache(64)
def _comment(own: frozenset[str]) -> re.Pattern[str]:
    """Comments and what is shown as it is written, in environments of an author's own too."""
    names = "|".join((_VERBATIM, *map(re.escape, sorted(own))))
    return re.compile(
        rf"(?P<kept>\\begin\{{(?P<env>{names})\}}.*?(?:\\end\{{(?P=env)\}}|\Z))"
        r"|\\(?:verb\*?|lstinline)(?P<mark>[^\sA-Za-z*{\[])[^\n]*?(?P=mark)"
        r"|(?P<escaped>\\[\\%])|(?P<line>(?:(?<=\n)|\A)[ \t]*%[^\n]*\n?)|(?P<comment>%[^\n]*)",
        re.DOTALL,
    )


def own_verbatim(text: str) -> Iterator[str]:
    r"""The environments that a file defines to show their content as it is written.

    >>> sorted(own_verbatim(r"\lstnewenvironment{code}{}{} \newminted{python}{}"))
    ['code', 'pythoncode']
    """
    for f in _OWN.finditer(text):
        yield f["named"] or f["minted"] or f["wrapped"] or f"{f['language']}code"


def without_comments(text: str, own: frozenset[str] = frozenset()) -> str:
    r"""LaTeX without comments; what is shown verbatim goes too, since nothing in it is LaTeX.

    `own` are names of environments that show their content so, besides those of usual packages.

    >>> without_comments("50\\% of it % really\nwas % \\begin{equation}\n")
    '50\\% of it \nwas \n'
    """
    return _without_false(_comment(own).sub(lambda found: found["escaped"] or "", text))


def _without_false(text: str) -> str:
    r"""LaTeX without what `\iffalse` takes out, up to its `\else` or `\fi`."""
    parts: list[str] = []
    kept_to = 0  # the place behind what is decided
    start: int | None = None  # of the part that is taken out
    depth = 0
    live = False  # in the \else of an \iffalse
    for found in _CONDITIONAL.finditer(text):
        if found["if"]:
            if depth == 0 and found["if"] != "iffalse":
                continue
            depth += 1
            if depth == 1:
                start, live = found.start("if") - 1, False
        elif depth == 1 and found["fi"] and start is not None:
            parts.append(text[kept_to:start])
            kept_to, start = found.end(), None
            if found["fi"] == "fi":
                depth = 0
            else:
                live = True
        elif depth == 1 and found["fi"] == "fi" and live:
            parts.append(text[kept_to : found.start("fi") - 1])
            kept_to, depth = found.end(), 0
        elif depth > 1 and found["fi"] == "fi":
            depth -= 1
    return "".join([*parts, text[kept_to:]])


def stripped(paper: Paper) -> dict[str, str]:
    """The files of a paper without comments, each read once."""
    defined = dict.fromkeys(chain.from_iterable(map(own_verbatim, paper.files.values())))
    own = frozenset(islice(defined, _MOST_OWN))
    return {name: without_comments(text, own) for name, text in paper.files.items()}


def roots(files: Mapping[str, str]) -> list[str]:
    """Main files: those with a document class; where there is none, all that no other inputs.

    A file with a class that another inputs (`subfiles`) is no main file.

    Args:
        files: as `stripped` gives them.
    """
    used = {
        target
        for name, text in files.items()
        for found in _INPUT.finditer(text)
        if (target := _target(found, name, files)) is not None and target != name
    }
    mains = [n for n, text in files.items() if _CLASS.search(text) and _BEGIN.search(text)]
    return [n for n in mains if n not in used] or mains or [n for n in files if n not in used]


def flatten(files: Mapping[str, str], root: str) -> Document:
    """A main file with all inputs in place.

    Args:
        files: as `stripped` gives them.

    Raises:
        FlattenError: it is too long, what is read of its files and then left out included.
    """
    document = Document(root, "")
    document.text = "".join(_Merger(files, document).merged(root, ()))
    return document


class _Merger:
    def __init__(self, files: Mapping[str, str], document: Document) -> None:
        self.files = files
        self.document = document
        self._left = MOST_TEXT
        self._inputs = MOST_INPUTS

    def merged(self, name: str, within: tuple[str, ...]) -> Iterator[str]:
        text = self.files[name]
        self.document.used.add(name)
        self._left -= len(text)
        if self._left < 0:
            raise FlattenError(TOO_LONG)
        if within:  # a subfile has a preamble of its own
            text = body(text)
        start = 0
        for found in _INPUT.finditer(text):
            yield text[start : found.start()]
            yield from self._put(found, (*within, name))
            start = found.end()
        yield text[start:]

    def _put(self, found: re.Match[str], within: tuple[str, ...]) -> Iterator[str]:
        target = _target(found, within[-1], self.files, within[0])
        if target is None or target in within or len(within) > DEEPEST:
            asked = _asked(found)
            why = CIRCLE if target else OUTSIDE if _leads_out(asked, within[0]) else MISSING
            self.document.not_found.setdefault(why, []).append(asked)
            return
        self._inputs -= 1
        if self._inputs < 0:
            raise FlattenError(TOO_LONG)
        yield from self.merged(target, within)


def body(text: str) -> str:
    """What stands between the begin and the end of the document, without its references."""
    begin = _BEGIN.search(text)
    start = begin.end() if begin else 0
    end = _END.search(text, start)
    return _REFERENCES.sub("", text[start : end.start() if end else len(text)])


def behind(text: str) -> bool:
    """Whether anything stands behind the end of the document."""
    end = _END.search(text)
    return end is not None and bool(text[end.end() :].strip())


def _asked(found: re.Match[str]) -> str:
    name = found["braced"] or found["bare"]
    return (name if name else posixpath.join(found["folder"], found["file"])).strip().strip('"')


def _leads_out(asked: str, root: str) -> bool:
    path = posixpath.normpath(posixpath.join(posixpath.dirname(root), asked))
    return path.startswith(("../", "/", "~")) or "|" in asked


def _target(
    found: re.Match[str], name: str, files: Mapping[str, str], root: str | None = None
) -> str | None:
    """The file that an input means: as LaTeX looks from the main file, or beside where it stands.

    Collections that keep a paper in one folder write `__` for `/`.
    """
    asked = _asked(found)
    for beside in dict.fromkeys((root or name, name)):
        for flat in (False, True):
            folder = posixpath.dirname(beside.replace("__", "/") if flat else beside)
            path = posixpath.normpath(posixpath.join(folder, asked))
            for ending in ("", ".tex", ".ltx", ".latex"):
                candidate = f"{path}{ending}"
                candidate = candidate.replace("/", "__") if flat else candidate
                if candidate in files:
                    return candidate
    return None
