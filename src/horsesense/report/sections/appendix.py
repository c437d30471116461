"""What stands at the end: every number, what was left out, what names mean, signatures."""

from __future__ import annotations

from horsesense.items.item import FLAGS
from horsesense.measures.base import Estimate
from horsesense.measures.registry import MEASURES
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results
from horsesense.runs.unanswered import failure_kinds
from horsesense.trials.condition import Condition

MOST_NUMBERS = 600
"""Estimates that are listed; of more, those by the main reader and for all items alone."""
MOST_FAILURES = 20
"""Kinds of failure that are listed; the rest is counted."""


def numbers(run: Results) -> Context:
    main = [e for e in run.estimates if e.reader == run.reader]
    for listed in (list(run.estimates), main, [e for e in main if not e.group]):
        if len(listed) <= MOST_NUMBERS:
            break
    by_cell: dict[str, list[tuple[str, Estimate]]] = {}
    undefined: dict[tuple[str, str], dict[str, None]] = {}
    for e in listed:
        label, title = run.label(e.probe, e.condition), _title(e.measure)
        if e.value is None:
            undefined.setdefault((title, e.note), {})[label] = None
        else:
            by_cell.setdefault(label, []).append((title, e))
    return {
        "cells": by_cell,
        "undefined": [(title, [why, ", ".join(at)]) for (title, why), at in undefined.items()],
        "unlisted": len(run.estimates) - len(listed),
        "level": run.estimates[0].level if run.estimates else 0.95,
    }


def _title(measure: str) -> str:
    base = measure.removesuffix("_null")
    if base not in MEASURES:
        return measure
    return MEASURES.get(base).title + (", without effect" if base != measure else "")


def left_out(run: Results) -> Context:
    found = run.findings
    kinds = failure_kinds(run.directory) if found["failures"] else []
    flags = found["dataset"]["flags"]
    return {
        "exclusions": found["exclusions"],
        "failures": found["failures"],
        "kinds": kinds[:MOST_FAILURES],
        "more_kinds": max(0, len(kinds) - MOST_FAILURES),
        "flags": [(text, [flags[flag]]) for flag, text in FLAGS.items() if flags.get(flag)],
        "notes": [*found["dataset"]["notes"], *found["model"]["notes"]],
        # Prompts that exceed the model's context and were not sent.
        "too_long": [
            (run.label(row["probe"], Condition.parse(row["condition"])), [row["prompts"]])
            for row in found.get("too_long", ())
        ],
        "missing": [
            (run.label(e.probe, e.condition), [e.n_missing, e.n + e.n_missing]) for e in run.missing
        ],
        # Labels without a log-probability; every reader of tokens looks at the same replies.
        "unscored": next((f for f in found.get("fits", {}).values() if f.get("missing")), None),
    }


def glossary(run: Results) -> Context:
    used = {e.measure.removesuffix("_null") for e in run.estimates}
    return {"measures": [m for m in MEASURES if m.name in used]}


def signatures(run: Results) -> Context:
    """One signature per probe, condition and reader; its measures differ in one part only."""
    found: dict[tuple[str, Condition, str], str] = {}
    for e in run.estimates:
        if (place := (e.probe, e.condition, e.reader)) not in found:
            found[place] = e.signature._replace(measure="NAME").format()
    return {"signatures": [(run.label(p, c), reader, s) for (p, c, reader), s in found.items()]}


NUMBERS = Section("numbers", "All numbers", numbers, open=False)
LEFT_OUT = Section("left_out", "What was left out, and why", left_out, open=False)
GLOSSARY = Section("glossary", "What the measures mean", glossary, open=False)
SIGNATURES = Section("signatures", "Signatures", signatures, open=False)
