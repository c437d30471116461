"""From papers to items: equations found, filtered, drawn, and put between their context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.probes.context_length import GAP
from horsesense.rng import Dice
from horsesense_extras.build.equinfer import edits
from horsesense_extras.build.equinfer.equations import (
    MOST,
    EndlessError,
    check_parser,
    expand,
    find,
)
from horsesense_extras.build.equinfer.funnel import Fate, Funnel, PaperFate
from horsesense_extras.build.equinfer.notation import canonical, spaced
from horsesense_extras.build.equinfer.sources import (
    BEHIND,
    NO_LATEX,
    UNUSED,
    FlattenError,
    Paper,
    behind,
    body,
    flatten,
    read_papers,
    roots,
    stripped,
)

MOST_WORDS: Final = 1500
"""Words of context on each side, at most (Know-No, figure 5)."""
USUAL_WORDS: Final = 1000
"""Words of context on each side, unless others are asked for."""
LEAST_WORDS: Final = 100
"""Words that must stand on each side; the generator and the judge see no more."""
OUTWARD: Final = 600
"""Characters by which a context is longer at most, to begin and end with a sentence."""

NO_CONTEXT: Final = f"fewer than {LEAST_WORDS} words before or after it"
REPEATED: Final = "the same equation stands earlier in the paper"
GIVEN_AWAY: Final = "its right side stands in its context too"
NOT_DRAWN: Final = "others of its paper were drawn"
NO_EDITS: Final = "no two edits give three other equations"
NO_EQUATIONS: Final = "it has no display equation"
TOO_MANY: Final = f"a document has more than {MOST:,} display equations"

QUESTION: Final = f"Which equation belongs in the place of {GAP}?"

_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.!?][\"')\]}]*\s+(?=[A-Z\\$])|\n\s*\n")
_SQUASHED = re.compile(r"\\(?:left|right|[,;:! ]|quad|qquad|big|Big|bigl|bigr)(?![A-Za-z])|[\s&~]")


def gather(sources: Sequence[str | Path], *, per_paper: int = 3, seed: int = 0) -> Funnel:
    """Find, filter and draw the equations of all papers.

    Raises:
        UsageError: a source is not there, there is no paper, or pylatexenc is not installed.
    """
    check_parser()
    if per_paper < 1:
        raise UsageError(f"per_paper is {per_paper}; it must be at least 1.")
    funnel = Funnel(per_paper=per_paper)
    for paper in read_papers(sources):
        fate = _searched(paper)
        _draw(fate, per_paper, seed)
        funnel.papers.append(fate)
    if not funnel.papers:
        raise UsageError(
            f"{', '.join(map(str, sources))}: no paper.",
            hint="Name folders or archives with .tex files, or a folder of such.",
        )
    return funnel


def _searched(paper: Paper) -> PaperFate:
    fate = PaperFate(paper.name)
    fate.files.update(paper.refused.values())
    if not paper.files:
        fate.reason = NO_LATEX
    seen: set[str] = set()
    files = stripped(paper)
    used: set[str] = set()
    for root in roots(files):
        try:
            document = flatten(files, root)
            whole = expand(document.text)
        except (FlattenError, EndlessError) as error:
            fate.reason = str(error)
            used.update(files)
            continue
        text = body(whole).replace(GAP, "")
        fate.documents.append(root)
        used |= document.used
        fate.files.update({why: len(names) for why, names in document.not_found.items()})
        fate.files[BEHIND] += behind(whole)
        found = find(text, paper.name, root, len(fate.equations) + 1)
        listed = [_in_context(text, each, seen) for each in islice(found, MOST)]
        fate.files[TOO_MANY] += next(found, None) is not None
        fate.equations += listed
    fate.files[UNUSED] += len(files.keys() - used)
    fate.files = +fate.files
    if not fate.equations and fate.reason is None:
        fate.reason = NO_EQUATIONS
    return fate


def _in_context(text: str, fate: Fate, seen: set[str]) -> Fate:
    if fate.kept:
        fate.before = context_before(text, fate.start, MOST_WORDS)
        fate.after = context_after(text, fate.end, MOST_WORDS)
        reason = _unfit(fate, seen)
        if reason is not None:
            fate.drop("filter", reason)
    return fate


def _unfit(fate: Fate, seen: set[str]) -> str | None:
    form = canonical(fate.latex)
    if form in seen:
        return REPEATED
    seen.add(form)
    if min(len(fate.before.split()), len(fate.after.split())) < LEAST_WORDS:
        return NO_CONTEXT
    squashed = _SQUASHED.sub("", fate.before) + "\n" + _SQUASHED.sub("", fate.after)
    return GIVEN_AWAY if _SQUASHED.sub("", fate.right) in squashed else None


def context_before(text: str, end: int, words: int) -> str:
    """At least the last `words` words of `text[:end]`, from the beginning of a sentence on.

    >>> context_before("One two. Three four five. Six", 30, 2)
    'Three four five. Six'
    """
    if words == 0:
        return ""
    begin = max(0, end - words * 40)
    starts = [found.start() for found in _WORD.finditer(text, begin, end)]
    start = starts[-words] if len(starts) >= words else begin
    outward = text[max(0, start - OUTWARD) : start]
    ends = [found.end() for found in _SENTENCE_END.finditer(outward + text[start : start + 1])]
    if ends:
        start += ends[-1] - len(outward)
    elif start <= OUTWARD:
        start = 0
    return _tidy(text[start:end])


def context_after(text: str, start: int, words: int) -> str:
    """At least the first `words` words of `text[start:]`, to the end of a sentence.

    >>> context_after("x = y. One two. Three four five. Six", 6, 3)
    'One two. Three four five.'
    """
    if words == 0:
        return ""
    stop = min(len(text), start + words * 40)
    ends = [found.end() for found in _WORD.finditer(text, start, stop)]
    end = ends[words - 1] if len(ends) >= words else stop
    # From the last sign on, since the sentence may end with the last word.
    found = _SENTENCE_END.search(text, max(start, end - 1), min(len(text), end + OUTWARD))
    if found:
        end = found.end()
    elif len(text) - end <= OUTWARD:
        end = len(text)
    return _tidy(text[start:end])


def around_gap(before: str, after: str, words: int) -> str:
    """The text before and after a gap with so many words of each, and the gap between."""
    parts = (context_before(before, len(before), words), GAP, context_after(after, 0, words))
    return "\n\n".join(part for part in parts if part)


def _tidy(text: str) -> str:
    return re.sub(r"\n\s*\n\s*", "\n\n", re.sub(r"[ \t]+", " ", text)).strip()


def _draw(paper: PaperFate, per_paper: int, seed: int) -> None:
    fit = [fate for fate in paper.equations if fate.kept]
    if len(fit) <= per_paper:
        return
    drawn = Dice(seed, paper.name, "equation").sample(fit, per_paper)
    for fate in fit:
        if fate not in drawn:
            fate.drop("draw", NOT_DRAWN)


def edit(fates: Iterable[Fate], seed: int = 0) -> None:
    """Give equations three wrong options by edits of the right one; drop those that have none."""
    for fate in fates:
        made = edits.wrong_options(fate.right, Dice(seed, fate.id, "edits"))
        if made is None:
            fate.drop("generate", NO_EDITS)
        else:
            fate.wrong = [full(fate, right) for right in made[0]]
            fate.made_by = f"edits: {made[1]}"


def full(fate: Fate, right: str) -> str:
    """The equation with this right side, as an option is written."""
    return f"{spaced(fate.left)} {fate.relation} {spaced(right)}"


def rows(funnel: Funnel, words: int = USUAL_WORDS, seed: int = 0) -> Iterator[dict[str, Any]]:
    """The items, with `words` words of context on each side; 0 for none."""
    for fate in funnel.kept():
        options = [full(fate, fate.right), *fate.wrong]
        order = Dice(seed, fate.id, "equinfer").permutation(len(options))
        before = context_before(fate.before, len(fate.before), words)
        after = context_after(fate.after, 0, words)
        yield {
            "id": fate.id,
            "question": QUESTION,
            "options": [options[place] for place in order],
            "answer_index": order.index(0),
            **({"context": around_gap(fate.before, fate.after, words)} if words else {}),
            "cluster": fate.paper,
            "context_before": before,
            "context_after": after,
            "made_by": fate.made_by,
            **({} if fate.fooled is None else {"judge_fooled": fate.fooled}),
        }
