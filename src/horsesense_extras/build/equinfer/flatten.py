"""A paper's documents, each as one text: main files found, comments taken out, inputs put in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
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
_INPUT = re.compile(
    r"\\(?P<how>input|include|subfile|subfileinclude)\s*(?:\{(?P<braced>[^{}\n]{1,300})\}"
    r"|(?<=input)[ \t]+(?P<bare>[^\s{}\\%]{1,300}))"
    r"|\\(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{(?P<folder>[^{}\n]{0,300})\}"
    r"\s*\{(?P<file>[^{}\n]{1,300})\}"
)
_FALSE = re.compile(r"\\iffalse(?![A-Za-z@])(?:(?!\\iffalse).)*?\\fi(?![A-Za-z@])", re.DOTALL)
_COMMENT = re.compile(
    rf"(?P<kept>\\begin\{{(?P<env>{_VERBATIM})\}}.*?(?:\\end\{{(?P=env)\}}|\Z))"
    r"|\\(?:verb\*?|lstinline)(?P<mark>[^\sA-Za-z*{\[])[^\n]*?(?P=mark)"
    r"|(?P<escaped>\\[\\%])|(?P<line>(?:(?<=\n)|\A)[ \t]*%[^\n]*\n?)|(?P<comment>%[^\n]*)",
    re.DOTALL,
)
"""Comments, and what is shown as it is written."""
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


def without_comments(text: str) -> str:
    r"""LaTeX without comments; what is shown verbatim goes too, since nothing in it is LaTeX.

    >>> without_comments("50\\% of it % really\nwas % \\begin{equation}\n")
    '50\\% of it \nwas \n'
    """
    return _FALSE.sub("", _COMMENT.sub(lambda found: found["escaped"] or "", text))


def stripped(paper: Paper) -> dict[str, str]:
    """The files of a paper without comments, each read once."""
    return {name: without_comments(text) for name, text in paper.files.items()}


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
    left = [MOST_TEXT, MOST_INPUTS]

    def merged(name: str, within: tuple[str, ...]) -> str:
        # A subfile has a preamble of its own.
        text = body(files[name]) if within else files[name]
        document.used.add(name)
        left[0] -= len(files[name])
        left[1] -= bool(within)
        if min(left) < 0:
            raise FlattenError(TOO_LONG)
        return _INPUT.sub(lambda found: put(found, (*within, name)), text)

    def put(found: re.Match[str], within: tuple[str, ...]) -> str:
        target = _target(found, within[-1], files, root)
        if target is not None and target not in within and len(within) <= DEEPEST:
            return merged(target, within)
        asked = _asked(found)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(root), asked))
        outside = path.startswith(("../", "/", "~")) or "|" in asked
        why = CIRCLE if target else OUTSIDE if outside else MISSING
        document.not_found.setdefault(why, []).append(asked)
        return ""

    document.text = merged(root, ())
    return document


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


def _target(
    found: re.Match[str], name: str, files: Mapping[str, str], root: str | None = None
) -> str | None:
    """The file that an input means: as LaTeX looks from the main file, or beside where it stands.

    `Paper.files` writes `/` for `__`.
    """
    asked = _asked(found).replace("__", "/")
    for beside in (root or name, name):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(beside), asked))
        for candidate in (path, f"{path}.tex", f"{path}.ltx", f"{path}.latex"):
            if candidate in files:
                return candidate
    return None
