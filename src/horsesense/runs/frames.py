"""The tables of a run for people who analyse it: polars frames with documented columns."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from horsesense.measures.base import Estimate
from horsesense.runs.directory import RunDirectory
from horsesense.runs.parts import readable
from horsesense.runs.results import Results

TRIAL_COLUMNS: Mapping[str, str] = {
    "trial": "number of the trial in the run",
    "variant": "place of the item in its prompt; 0 unless several problems share one",
    "item": "number of the item in its set",
    "item_id": "id of the item",
    "probe": "which probe made it",
    "condition": "the probe's settings as text, names sorted",
    "settings": "the same, a list of names and values",
    "repetition": "the replicate (order 0, 1, ...)",
    "stage": "2 for trials that depend on earlier answers",
    "answer_format": "the kind of answer asked for",
    "expects": "what a sound model does: gold, none or chance",
    "form": "the prompt template",
    "options": "option texts in the order shown",
    "labels": "what stands before each option",
    "origin": "shown position -> original option, or a negative code for what a probe added",
    "gold_at": "the shown position that is right; null where none is",
    "key": "key of the request in the store",
}
READING_COLUMNS: Mapping[str, str] = {
    "trial": "number of the trial in the run",
    "variant": "place of the item in its prompt",
    "reader": "who read",
    "status": "answer, none, refusal, unknown, ambiguous, unclear, illegal, truncated or empty",
    "positions": "chosen positions, from 0",
    "option": "option identity: the chosen original option or a negative code; null if none",
    "correct": "whether that is right; null where no gold is known",
    "rule": "the rule that decided",
    "span_start": "where the deciding text begins in the reply",
    "span_end": "where it ends",
    "confidence": "0 to 1",
    "score": "the deciding number of a reader of scores",
    "excess": "answers beyond the problems of a prompt",
}
ESTIMATE_COLUMNS: Mapping[str, str] = {
    "measure": "name of the measure",
    "value": "the estimate; null where it is undefined",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "level": "its confidence level",
    "n": "trials or items that entered",
    "n_missing": "those that should have, and have no reading",
    "counted": "what n counts",
    "unit": "fraction (0 to 1), points, nats, bits, kappa, count, d_prime, variance or ratio",
    "dataset": "name of the items",
    "model": "name of the model",
    "probe": "under which probe",
    "condition": "and which of its settings",
    "reader": "as which reader understood it",
    "group": "position, status, subject or other part; empty for the whole",
    "signature": "all that is needed to make the number again",
    "interval": "method of the interval",
    "baseline": "what guessing gives",
    "p_value": "of no effect",
    "p_adjusted": "the same after correction for the number of probes",
    "detectable": "minimum detectable effect",
    "note": "why the value is undefined",
}


def trials_frame(directory: RunDirectory) -> pl.DataFrame:
    """What was asked; columns as in `TRIAL_COLUMNS`. StoreError where the table is damaged."""
    with readable(directory.layout.root):
        return directory.trials().select(list(TRIAL_COLUMNS)).collect()


def readings_frame(directory: RunDirectory) -> pl.DataFrame:
    """What was understood; columns as in `READING_COLUMNS`. StoreError as for `trials_frame`."""
    with readable(directory.layout.root):
        return directory.readings().select(list(READING_COLUMNS)).collect()


def estimates_frame(results: Results) -> pl.DataFrame:
    """What was measured; columns as in `ESTIMATE_COLUMNS`."""
    texts = {"measure", "counted", "unit", "dataset", "model", "probe", "condition", "reader"}
    texts |= {"group", "signature", "interval", "note"}
    kinds = {
        name: pl.String if name in texts else pl.Int64 if name[0] == "n" else pl.Float64
        for name in Estimate._fields
    }
    rows = [estimate.as_json() for estimate in results.estimates]
    return pl.DataFrame(rows, schema=kinds).select(list(ESTIMATE_COLUMNS))
