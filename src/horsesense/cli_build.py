"""`horsesense build pairs` and `horsesense build mix`: benchmarks made from benchmarks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from horsesense.cli_cues import build_group

File = Annotated[str, typer.Argument(help="Items: texts with labels.", show_default=False)]
Out = Annotated[Path, typer.Option(help="JSONL file to write.", show_default=False)]
Split = Annotated[str | None, typer.Option(help="Rows whose field `split` has this value.")]
Seed = Annotated[int, typer.Option(help="Of the draw.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def register(app: typer.Typer) -> None:
    """Add `pairs` and `mix` to the group `build`."""
    group = build_group(app)
    group.command()(pairs)
    group.command()(mix)


def pairs(
    items: File,
    out: Out,
    same: Annotated[int, typer.Option(help="Pairs with the same label.")] = 500,
    different: Annotated[int, typer.Option(help="Pairs with different labels.")] = 500,
    split: Split = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Pairs of texts: do they have the same label? A benchmark that no model has seen."""
    from horsesense.build.pairs import build_pairs
    from horsesense.datasets import load_items

    found = load_items(items, split=split)
    _write(build_pairs(found, same, different, seed), out, as_json)


def mix(
    items: Annotated[list[str], typer.Argument(help="Two or more sets.", show_default=False)],
    out: Out,
    each: Annotated[int | None, typer.Option(help="Items of each set; all by default.")] = None,
    split: Annotated[
        str | None, typer.Option(help="Rows to take of the sets that have splits.")
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Several sets in one file, for prompts that mix their problems (probe parameter mix)."""
    from horsesense.build.mix import build_mix
    from horsesense.datasets import load_items

    sets = [load_items(source, split=split) for source in items]
    _write(build_mix(sets, each, seed), out, as_json)


def _write(rows: list[dict[str, Any]], out: Path, as_json: bool) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    found = {"out": str(out), "items": len(rows)}
    message = orjson.dumps(found).decode() if as_json else f"{len(rows):,} items in {out}"
    sys.stdout.write(message + "\n")
