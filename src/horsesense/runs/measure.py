"""The third stage: every measure from the two tables of a run; writes estimates.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson
import polars as pl

from horsesense.errors import StoreError
from horsesense.findings.early import Early
from horsesense.findings.guesses import Copies, Guesses
from horsesense.findings.kinds import sizes_of
from horsesense.findings.known import (
    composition_by_reader,
    known_by_reader,
    unasked_composition,
    unasked_known,
)
from horsesense.findings.uncounted import covered_counts
from horsesense.findings.verdict import doubted, verdict
from horsesense.items.class_names import near_names
from horsesense.items.item import ItemSet
from horsesense.kept import keep, read_kept
from horsesense.measures.bounds import Bound, bounds
from horsesense.measures.cells import HELD_OUT, Cell, Replies
from horsesense.measures.contrast import tested
from horsesense.measures.counting import Gold
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.graded import graded, score_range, to_the_letter
from horsesense.measures.people import agreements, by_person
from horsesense.measures.registry import MEASURES
from horsesense.measures.samples import designs, in_use
from horsesense.measures.signature import Signature
from horsesense.models.messages import Key
from horsesense.probes.context_length import GAP
from horsesense.readers.causes import Cause, of_failure
from horsesense.readers.registry import reads_scores
from horsesense.readers.reviews import Reviews
from horsesense.rng import fingerprint
from horsesense.runs.asked import AskedRecord
from horsesense.runs.bands import clusters
from horsesense.runs.cells import cells
from horsesense.runs.directory import RunDirectory
from horsesense.runs.made_of import made_of
from horsesense.runs.parts import check_trials, readable, spans
from horsesense.runs.read import described
from horsesense.runs.replay import Sequences
from horsesense.runs.results import Results
from horsesense.runs.suites import named_suites
from horsesense.runs.unanswered import silent_forms
from horsesense.trials.condition import Condition
from horsesense.version import __version__

SCHEMA = 3
"""Version of the fields of estimates.json; it grows when one is renamed or removed."""


def measure(directory: RunDirectory) -> Results:
    """Compute every measure of a run anew and write estimates.json, where the run can be written.

    Raises StoreError where the run's files cannot be read or written.
    """
    asked, settings = directory.settled(), directory.settings
    n = len(directory.items)
    check_trials(directory.layout.root, directory.trials(), asked.trials, n)
    reviews = Reviews.load(directory.layout.root)
    found = cells_of(directory, reviews)
    if settings.faithful:  # the papers count what cannot be read as wrong
        view = to_the_letter if settings.suite == "revas" else graded
        found = [view(cell) for cell in found]
    context = _context(directory, asked, reviews)
    measured, cluster = found_all(found, MEASURES, context), context.cluster
    estimates = [one.estimate for one in measured]
    findings = _findings(directory, asked, reviews)
    findings["bounds"] = _bounds(found)
    findings["replies"] = [score_range(cell).as_json() for cell in found if Replies in cell]
    people = _people(directory.layout.people)
    if people is not None:
        agreed = agreements(found, cluster, settings.level)
        findings["people"] = {**people, "agreement": agreed, "by_person": by_person(found)}
    early = told = None
    if asked.until is not None:
        study = settings.seed, settings.level, cluster
        told = Sequences(asked.until, directory.items, found, *study)
        estimates = list(told.estimates(estimates))
        findings["until"] = {**asked.until.model_dump(), "findings": told.findings()}
        early = Early(told.stopped, asked.until.reader, told.questions, told.band)
    findings["designs"] = list(designs(estimates, in_use(found, cluster)))
    results = Results(directory, findings, tuple(estimates))
    blocks = cluster, settings.level, settings.seed, results.lacking
    # Of a probe that stopped for what was seen, neither interval would hold.
    stopped = early is not None and early.stopped & {"original", "order"}
    # Intervals of what people answered draw items again, not people.
    if not stopped and people is None:
        findings["composition"] = composition_by_reader(found, estimates)
        findings["known"] = known_by_reader(found, *blocks)
    else:
        ended = directory.known.stages["ask"].ended
        orders = len(directory.items) if told is None else told.put_to("order")
        findings["composition"] = unasked_composition(found, ended)
        if told is not None and people is None:
            findings["composition"] |= told.composed(estimates)
        findings["known"] = unasked_known(found, settings.level, orders, ended)
    sizes = sizes_of(settings.smallest, None if told is None else told.goal.size)
    options = [len(item.options) for item in directory.items]
    guesses = Guesses(found, cluster, Copies.of(directory.items)) if people is None else None
    judged = verdict(results, measured, sizes, early, options, guesses)
    findings["sizes"] = sizes
    findings["verdict"] = [f.as_json() for f in doubted(judged, results.losses())]
    if directory.writable:
        rows = [estimate.as_json() for estimate in estimates]
        content = orjson.dumps({**findings, "estimates": rows}, option=orjson.OPT_INDENT_2)
        keep(directory.layout.estimates, content)
    directory.mark("measure", "complete", made_of(directory))
    return results


def _people(told: Path) -> dict[str, Any] | None:
    """What a run of people says of its booklets (`annotate TEST --take`); None for another run."""
    names = ("test", "booklets", "returned", "answers", "missing")
    try:
        found: dict[str, Any] = orjson.loads(read_kept(told))
        return {name: found[name] for name in names}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError.unreadable(told, error) from None


def cells_of(directory: RunDirectory, reviews: Reviews | None = None) -> list[Cell]:
    """Every cell of a run, with what people decided in the place of the reader's verdicts."""
    reviews = Reviews.load(directory.layout.root) if reviews is None else reviews
    readers = list(directory.known.readers)
    by_scores = [name for name in readers if reads_scores(name)]
    with readable(directory.layout.root):
        found = cells(
            directory.trials(),
            directory.readings(),
            readers,
            reviews.classes,
            by_scores,
            gone=gone(directory),
        )
    gold = with_gold(directory.items)
    fits = _told(described(directory), "fit")
    return [_covered(with_right_answers(cell, gold), fits) for cell in found]


def gone(directory: RunDirectory) -> dict[Key, Cause]:
    """What became of prompts whose calls gave no reply, by key."""
    with directory.store() as store:
        return {key: of_failure(each.failure) for key, each in store.failures().items()}


def with_gold(items: ItemSet) -> npt.NDArray[np.bool_]:
    """Which items have a right answer, by number."""
    return np.array([item.gold is not None for item in items], dtype=np.bool_)


def with_right_answers(cell: Cell, gold: npt.NDArray[np.bool_]) -> Cell:
    """The cell, knowing which of its items have a right answer."""
    known = np.broadcast_to(gold[cell.item][:, None], cell.status.shape)
    return cell.having(Gold(known))


def _covered(cell: Cell, fits: Mapping[str, Any]) -> Cell:
    """The cell without what its reader reads nothing of, as it was not fitted on such items."""
    counts = covered_counts(fits.get(cell.reader.removesuffix(HELD_OUT), {}))
    covered = np.isin(cell.k, [*counts])
    return cell.among(cell.item[covered]) if covered.any() else cell


def _context(directory: RunDirectory, asked: AskedRecord, reviews: Reviews) -> Context:
    settings, items = directory.settings, directory.items
    return Context(
        dataset=items.name,
        model=directory.known.model.name,
        cluster=clusters(items),
        signature=_signer(directory, asked, reviews),
        **subjects(items),
        near=near_classes(items),
        tested=tested((p["name"], p["invariant"]) for p in asked.probes),
        level=settings.level,
        seed=settings.seed,
    )


def near_classes(items: ItemSet) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
    """Which items are of a class with a near name; None where none is."""
    near = near_names(items.labels)
    of = [item.gold is not None and bool(near.get(item.options[item.gold])) for item in items]
    return np.array(of) if near and any(of) else None


def subjects(items: ItemSet) -> dict[str, Any]:
    """`Context.subject` and `Context.subjects` of a set; nothing where there is one at most."""
    names = sorted({item.subject for item in items if item.subject is not None})
    if len(names) < 2:
        return {}
    known = [*names, "(none)"] if any(item.subject is None for item in items) else names
    number = {name: place for place, name in enumerate(known)}
    codes = np.array([number[item.subject or "(none)"] for item in items], dtype=np.intp)
    return {"subject": codes, "subjects": tuple(known)}


def _signer(
    directory: RunDirectory, asked: AskedRecord, reviews: Reviews
) -> Callable[[str, Condition, str, str], Signature]:
    """Signatures from which a number can be made again: (probe, condition, reader, measure)."""
    settings, record, items = directory.settings, directory.known, directory.items
    model = f"{record.model.name}@{fingerprint(record.model.identity)}"
    made = {(m.probe, Condition.parse(m.condition)): m for m in asked.made}

    @cache
    def shared(probe: str, condition: Condition, reader: str) -> Signature:
        found = made.get((probe, condition))
        if found is None:  # a measure of several cells together
            found = next((m for m in asked.made if m.probe == probe), None)
        if found is None:
            raise StoreError(
                f"{directory.layout.asked} does not say how {probe} was asked.",
                hint=directory.again,
            )
        reviewed = reviews.count_for(reader)
        people = f"+{reviewed}reviewed" if reviewed else ""
        return Signature(
            data=f"{items.name}@{items.fingerprint}",
            items=str(len(items)),
            model=model,
            probe=f"{found.signature}[{condition}]" if condition else found.signature,
            prompt=found.prompt,
            decoding=_decoding(directory),
            reader=f"{reader}@{record.readers[reader.removesuffix(HELD_OUT)]}{people}",
            measure="",
            interval=f"{settings.level:g}",
            seed=str(settings.seed),
            horsesense=__version__,
        )

    return lambda *of: shared(*of[:3])._replace(measure=of[3])


def _decoding(directory: RunDirectory) -> str:
    """How replies were drawn; each answer of a log says so itself, as far as the log does."""
    settings = directory.settings
    if directory.known.kind == "imported":
        return "as_recorded"
    if directory.known.kind == "people":
        return "by_people"
    told = f"max_tokens={settings.max_tokens},temperature={settings.temperature:g}"
    more = {name: getattr(settings, name) for name in ("top_p", "effort", "thinking_tokens")}
    return told + "".join(f",{name}={v}" for name, v in more.items() if v is not None)


def _bounds(found: Sequence[Cell]) -> dict[str, Any]:
    """How many inequalities between the numbers were checked, and those that do not hold."""
    checked: list[Bound] = [bound for cell in found for bound in bounds(cell)]
    broken = [bound.as_json() for bound in checked if not bound.holds]
    return {"checked": len(checked), "violated": broken}


def _findings(directory: RunDirectory, asked: AskedRecord, reviews: Reviews) -> dict[str, Any]:
    """What estimates.json holds, but for the estimates."""
    items, settings, record = directory.items, directory.settings, directory.known
    suites = named_suites(settings.suite)
    told, (silent, unclear) = described(directory), _unread(directory)
    done = {
        **settings.model_dump(),
        "readers": tuple(record.readers),
        "kind": "gap" if any(GAP in (item.context or "") for item in items) else items.kind,
        "items_asked": len(items),
        "exclusions": asked.excluded,
    }
    return {
        "schema": SCHEMA,
        "horsesense": __version__,
        "study": settings.model_dump(mode="json", exclude_none=True),
        "stages": {n: s.model_dump() for n, s in record.stages.items() if n in ("ask", "read")},
        "dataset": {
            "name": items.name,
            "kind": items.kind,
            "fingerprint": items.fingerprint,
            "items": len(items),
            "with_gold": sum(item.gold is not None for item in items),
            "clusters": int(clusters(items).max(initial=-1)) + 1,
            "flags": {flag: len(ids) for flag, ids in items.flags.items()},
            "notes": items.notes,
        },
        "model": {
            "name": record.model.name,
            "identity": record.model.identity,
            "notes": record.model.offers.notes,
        },
        "probes": [{**probe, "holds": probe["invariant"]} for probe in asked.probes],
        "readers": list(record.readers),
        "fits": _told(told, "fit"),
        "judges": _told(told, "spent"),
        "judges_before": {name: spent for name, spent in _told(told, "before").items() if spent},
        "cascades": _told(told, "steps"),
        "trials": asked.trials,
        "failures": _failures(directory),
        "unread": len(silent) + unclear,
        "unclear": unclear,
        "unanswered": silent_forms(directory, silent),
        "silent": _silent(directory, told),
        "run": asked.spent,
        "exclusions": asked.excluded,
        "too_long": asked.too_long,
        "suites": [suite.as_json(settings.faithful, done) for suite in suites],
        "reviews": reviews.as_json(),
    }


def _told(told: Sequence[Mapping[str, Any]], field: str) -> dict[str, Any]:
    return {reader["name"]: reader[field] for reader in told if field in reader}


def _unread(directory: RunDirectory) -> tuple[Sequence[int], int]:
    """Trials without a reading by any reader, and how many have readings that are all unclear."""
    trials = np.unique(directory.trials().select("trial").collect().to_series().to_numpy())
    seen, read = np.zeros((2, len(trials)), dtype=np.bool_)
    for part in spans(directory.readings().select("trial", "status")) if len(trials) else ():
        some = part.collect()
        name, clear = some["trial"].to_numpy(), (some["status"] != "unclear").to_numpy()
        place = np.searchsorted(trials[:-1], name)
        known = trials[place] == name
        seen[place[known]] = True
        read[place[known & clear]] = True
    return trials[~seen].tolist(), int((seen & ~read).sum())


def _silent(directory: RunDirectory, told: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Readers that read nothing at all, and why, as far as they say."""
    readers = directory.readings().select("reader").unique()
    there = readers.collect(engine="streaming")["reader"].to_list()
    fits = _told(told, "fit")
    nothing = "the answers hold nothing that it could read"
    return {
        name: fits.get(name, {}).get("undefined_reason", nothing)
        for name in directory.known.readers
        if name not in there
    }


def _failures(directory: RunDirectory) -> int:
    """Requests of the present plan that failed and have no answer to this day.

    Failures of requests that were written under other settings do not count: nobody asks them.
    """
    judged = sum(
        int(spent.get("failed", 0)) for spent in _told(described(directory), "spent").values()
    )
    with directory.store() as store:
        failed = pl.Series(list(store.failures()), dtype=pl.Binary)
    if not len(failed):
        return judged
    asked = directory.trials().filter(pl.col("key").is_in(failed.implode()))
    still: int = asked.select(pl.col("key").n_unique()).collect().item()
    return still + judged
