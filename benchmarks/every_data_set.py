"""All suites over every data set of a folder: is the perfect model perfect in every form?

    python benchmarks/every_data_set.py ../shared/data [--limit 20] [--only mmlu,snli]

`sim:oracle` must be read as right wherever a trial has something to get right, by every reader;
what is not is printed with its reply. No sentence of the verdict may find a fault in it.
`sim:prior` must only run to its end. A set that a suite refuses is printed with the reason, which
should be a true one. Of items without right answers the perfect model chooses nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import polars as pl

import horsesense
from horsesense.errors import HorsesenseError
from horsesense.items.files import load_rows
from horsesense.runs.suites import SUITES

ENDINGS = (".jsonl", ".jsonl.gz", ".csv", ".parquet")
BY_LABEL = "select_one"
"""Asked once for each label: a problem of another label is rightly not named. Its measures tell."""


def files(folder: Path, only: list[str]) -> Iterator[Path]:
    """Data files below a folder, one after the other."""
    for path in sorted(folder.rglob("*")):
        named = not only or any(name in str(path) for name in only)
        if named and path.name.endswith(ENDINGS) and "latex_papers" not in path.parts:
            yield path


def split_of(path: Path) -> str | None:
    """The largest split, where there are several."""
    try:
        counts = Counter(str(row.get("split")) for _, row in load_rows(path))
    except HorsesenseError:
        return None
    return counts.most_common(1)[0][0] if len(counts) > 1 else None


def wrong(run: horsesense.Run) -> pl.DataFrame:
    """Readings of a perfect model that are not right, where there is something to get right."""
    asked = run.trials.filter(pl.col("expects") != "chance", pl.col("form") != BY_LABEL)
    both = run.readings.join(asked, on=["trial", "variant"], how="inner")
    return both.filter(~pl.col("correct").fill_null(value=True))


def low(run: horsesense.Run) -> pl.DataFrame:
    """Accuracies of a perfect model that are below 1."""
    share = ~pl.col("measure").str.contains("change") & pl.col("measure").str.contains("accuracy")
    named = share & (pl.col("unit") == "fraction")
    chance = set(run.trials.filter(pl.col("expects") == "chance")["probe"])
    return run.estimates.filter(named, pl.col("value") < 1, ~pl.col("probe").is_in(chance))


def accused(run: horsesense.Run) -> list[str]:
    """Sentences of the verdict that find a fault in a perfect model."""
    return [text for text in run.verdict() if text.startswith("[found]")]


def attempt(path: Path, suite: str, model: str, limit: int) -> str:
    """One audit; what is to be said of it, "" where it is as it should be."""
    with tempfile.TemporaryDirectory() as place, redirect_stderr(StringIO()):
        try:
            out, split = Path(place) / "run", split_of(path)
            run = horsesense.audit(
                path, model, suite=suite, limit=limit, split=split, out=out, report_items=5
            )
        except HorsesenseError as error:
            return "refused: " + str(error).splitlines()[0]
        except Exception:  # noqa: BLE001 - a defect, which is printed
            return "DEFECT\n" + traceback.format_exc(limit=-3)
        if model != "sim:oracle":
            return ""
        faults, below = wrong(run), low(run)
        if not run.items.has_gold:
            return "nothing to be perfect at: no item has a right answer"
        if told := accused(run):
            return "NOT PERFECT by the verdict: " + " ".join(told)
        if faults.is_empty() and not below.is_empty():
            return (
                f"NOT PERFECT: {below.select('measure', 'probe', 'condition', 'value').rows()[:6]}"
            )
        if faults.is_empty():
            scored = run.readings.filter(pl.col("correct").is_not_null()).height
            return f"perfect ({scored:,} readings)"
        keys = ["probe", "condition", "reader", "status"]
        counts = faults.group_by(keys).agg(
            pl.len(), pl.first("item_id", "trial", "labels", "options", "gold_at")
        )
        lines = [f"NOT PERFECT: {faults.height:,} of {run.readings.height:,} readings"]
        for row in counts.sort("len", descending=True).head(8).iter_rows(named=True):
            lines.append("    " + "; ".join(f"{k}={str(v)[:160]}" for k, v in row.items()))
            lines.append("       reply: " + said(run, row["trial"]))
        return "\n".join(lines)


def said(run: horsesense.Run, trial: int) -> str:
    """What the model said in a trial."""
    key = run.trials.filter(pl.col("trial") == trial)["key"][0]
    from horsesense.inference.store import Store

    with Store.open(run.path / "store.sqlite", read_only=True) as store:
        found = store.exchanges([key]).get(key)
    return "(nothing)" if found is None else repr(found[1].text)[:200]


def main() -> int:
    """Print a line for each file and suite."""
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("folder", type=Path)
    words.add_argument("--limit", type=int, default=20)
    words.add_argument("--only", default="")
    words.add_argument("--suites", default=",".join(SUITES.names()))
    words.add_argument("--models", default="sim:oracle,sim:prior")
    given = words.parse_args()
    warnings.simplefilter("ignore")
    bad, before = 0, ""
    for path in files(given.folder, [name for name in given.only.split(",") if name]):
        for suite in given.suites.split(","):
            for model in given.models.split(","):
                found = attempt(path, suite, model, given.limit)
                bad += found.startswith(("DEFECT", "NOT"))
                if found.startswith("refused") and found == before:
                    continue
                before = found
                if found:
                    name = path.relative_to(given.folder)
                    print(f"{name} {suite} {model}: {found}", flush=True)
    print(f"{bad} to be mended")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
