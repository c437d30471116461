"""`horsesense build equinfer`, stage after stage, and what it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from horsesense.errors import UsageError
from horsesense.files import json_lines, write_whole
from horsesense.inference.limits import RunSummary
from horsesense.inference.store import Store
from horsesense.models.base import Model
from horsesense_extras.build.asking import Asker, How
from horsesense_extras.build.equinfer.candidates import NOT_JUDGED, generate, judge
from horsesense_extras.build.equinfer.construct import MOST_WORDS, edit, gather, rows
from horsesense_extras.build.equinfer.funnel import Funnel

EQUATIONS: Final = "equations.jsonl"
FUNNEL: Final = "funnel.json"


@dataclass
class Built:
    """Items, and how they came about.

    Attributes:
        rows: the items, in the format that `load_items` reads.
        funnel: what became of every equation.
        spent: requests and tokens.
    """

    rows: list[dict[str, Any]]
    funnel: Funnel
    spent: RunSummary = field(default_factory=RunSummary)


async def build_equinfer(
    sources: Sequence[str | Path],
    folder: Path,
    *,
    generator: Model | None = None,
    judged_by: Model | None = None,
    per_paper: int = 3,
    words: int = MOST_WORDS,
    seed: int = 0,
    how: How = How(),  # noqa: B008
) -> Built:
    """Items from LaTeX sources.

    Args:
        sources: folders, archives and files.
        folder: where answers are stored, and what became of every equation.
        generator: writes the wrong options; by default they are edits of the right one.
        judged_by: looks for flaws in them; by default nobody does.
        per_paper: equations of a paper, at most.
        words: words of context on each side; 0 for none.

    Raises:
        UsageError: before anything is spent.
        ModelError: a model cannot be reached.
        StoreError: `folder` cannot be used.
        InterruptedRunError: after Ctrl-C; the same call resumes.
    """
    if not 0 <= words <= MOST_WORDS:
        raise UsageError(f"Context of {words} words: 0 to {MOST_WORDS:,} are possible.")
    funnel = gather(sources, per_paper=per_paper, seed=seed)
    funnel.judged = judged_by is not None
    drawn = funnel.kept()
    spent = RunSummary()
    async with AsyncExitStack() as stack:
        store = None
        if generator is not None or judged_by is not None:
            store = stack.enter_context(Store.open(folder / "store.sqlite"))

        async def asker(model: Model) -> Asker:
            entered = await stack.enter_async_context(model)
            assert store is not None
            return await Asker.for_model(entered, store, how)

        if generator is None:
            edit(drawn, seed)
        else:
            writing = await asker(generator)
            await generate(drawn, writing)
            spent += writing.spent
        if judged_by is not None and spent.stopped is None:
            reading = await asker(judged_by)
            await judge(drawn, reading)
            spent += reading.spent
        elif judged_by is not None:
            for fate in funnel.kept():
                fate.drop("judge", NOT_JUDGED)
    built = Built(list(rows(funnel, words, seed)), funnel, spent)
    _leave(built, folder)
    return built


def _leave(built: Built, folder: Path) -> None:
    lines = (fate.as_json() for fate in built.funnel.fates())
    write_whole(folder / EQUATIONS, json_lines(lines))
    write_whole(folder / FUNNEL, orjson.dumps(built.funnel.as_json(), option=orjson.OPT_INDENT_2))
