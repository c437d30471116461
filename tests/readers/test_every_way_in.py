"""The same reply to the same question has the same reading, whichever way it comes in."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import polars as pl
import pytest

import horsesense as hs
from horsesense.api import Run
from horsesense.kept import NAME as MANIFEST
from horsesense.probes.base import LETTERS
from horsesense.readers.corpus import SEEN, Example, examples
from horsesense.readers.recorded import read_file
from horsesense.readers.text import TextReader
from horsesense.runs.settings import Settings
from horsesense_extras.integrations.inspect_log import write_inspect_log
from horsesense_extras.integrations.lm_eval_task import ReplyFilter, write_tasks
from studies import jsonl

Read = dict[str, tuple[str, tuple[int, ...]]]
"""Id of an item -> status and positions."""
SHARK = examples("everyday")[0]._replace(
    question="Which of these is NOT a mammal?", options=("whale", "shark", "dog", "cat"),
    labels=LETTERS[:4], response="A shark is not a mammal.", finish_reason="stop",
)  # fmt: skip


@pytest.fixture(scope="module")
def replies() -> dict[str, Example]:
    """Replies of the corpus, one to an item, that plain prompts could show."""
    plain = [
        e for part in SEEN for e in examples(part)
        if e.labels == LETTERS[: len(e.options)] and len({*e.options}) == len(e.options)
        and all(o == " ".join(o.split()) for o in e.options) and e.question.strip()
    ]  # fmt: skip
    chosen = [SHARK, *random.Random(0).sample(plain, 60)]
    once = {(e.question, e.options): e for e in chosen}
    return {f"r{number}": e for number, e in enumerate(once.values())}


@pytest.fixture(scope="module")
def run(replies: dict[str, Example], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """An audit of a model that gives these replies; beside it, items.jsonl and replies.jsonl."""
    folder = tmp_path_factory.mktemp("given")
    items = [
        {**e.asked(), "id": name, "answer_index": e.position or 0} for name, e in replies.items()
    ]
    said = [{**e.asked(), "id": name} for name, e in replies.items()]
    for file, rows in (("items.jsonl", items), ("replies.jsonl", said)):
        jsonl(folder / file, rows)
    given = {"probes": "original", "stop_if": "never", "no_preflight": True}
    model = f"replay:{folder / 'replies.jsonl'}"
    return hs.audit(folder / "items.jsonl", model, out=folder / "run", **given)


def of_run(run: Run) -> Read:
    joined = run.readings.join(run.trials.select("trial", "item_id"), on="trial")
    rows = joined.select("item_id", "status", "positions").iter_rows()
    return {name: (status, tuple(positions)) for name, status, positions in rows}


def of_letters(found: dict[str, tuple[str, str]]) -> Read:
    return {
        name: (status, (LETTERS.index(letter),) if status == "answer" else ())
        for name, (status, letter) in found.items()
    }


def of_file(run: Run, replies: dict[str, Example], place: Path) -> Read:
    rows = read_file(run.path.with_name("replies.jsonl"))
    return {row.id: (row.status, row.reading.positions) for row in rows}


def audited(run: Run, replies: dict[str, Example], place: Path) -> Read:
    return of_run(run)


def read_again(run: Run, replies: dict[str, Example], place: Path) -> Read:
    """As `report` and `read RUN` do it, of a run from before trials kept their questions."""
    shutil.copytree(run.path, place / "run", ignore=shutil.ignore_patterns("readings", MANIFEST))
    for path in (place / "run" / "trials").rglob("*.parquet"):
        pl.read_parquet(path).drop("question").write_parquet(path)
    again = hs.open(place / "run")
    again.read()
    return of_run(again)


def through_an_inspect_log(run: Run, replies: dict[str, Example], place: Path) -> Read:
    return of_run(hs.load_log(write_inspect_log(run.results, place / "x.eval"), out=place / "run"))


def from_lm_eval(run: Run, replies: dict[str, Example], place: Path) -> Read:
    """Samples of a task that lm-eval wrote without us."""
    rows = []
    for name, e in replies.items():
        shown = [f"{label}. {text}" for label, text in zip(e.labels, e.options, strict=True)]
        prompt = "\n".join([e.question, *shown, "Answer:"])
        doc = {"id": name, "question": e.question, "choices": e.options}
        sent = {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": []}}}
        row = {"doc_id": len(rows), "doc": doc, "arguments": sent, "resps": [[e.response]]}
        rows.append({**row, "target": LETTERS[e.position or 0], "filter": "none"})
    file = jsonl(place / "samples_x_2026-01-01T00-00-00.jsonl", rows)
    return of_run(hs.load_log(file, out=place / "run"))


def in_lm_eval(run: Run, replies: dict[str, Example], place: Path) -> Read:
    items = str(run.path.with_name("items.jsonl"))
    write_tasks(Settings.of(items=items, model="http:m", probes=("original",)), place / "tasks")
    [path] = (place / "tasks").glob("*_original.jsonl")
    docs = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    names = [doc["id"].split()[0] for doc in docs]
    found = ReplyFilter().apply([[replies[name].response] for name in names], docs)
    told = zip(names, found, strict=True)
    return of_letters({name: (*one["status"], one["answer"]) for name, one in told})


def in_inspect(run: Run, replies: dict[str, Example], place: Path) -> Read:
    pytest.importorskip("inspect_ai", reason="needs inspect-ai")
    from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from horsesense_extras.integrations.inside_inspect import reader

    score, found = reader(), {}
    for name, e in replies.items():
        shown = [f"{label}) {text}" for label, text in zip(e.labels, e.options, strict=True)]
        sent = [ChatMessageUser(content="\n".join([e.question, *shown]))]
        ended = "max_tokens" if e.finish_reason == "length" else "stop"
        output = ModelOutput.from_content("m", e.response, stop_reason=ended)
        gold, asked = Target(LETTERS[e.position or 0]), (ModelName("mockllm/m"), name, 1)
        more = {"target": gold, "choices": list(e.options), "output": output}
        one = asyncio.run(score(TaskState(*asked, e.question, sent, **more), gold))
        found[name] = (*one.metadata["status"], one.answer)
    return of_letters(found)


SILENT = (from_lm_eval, in_lm_eval)
"""Ways that do not say why a reply ended."""


@pytest.mark.parametrize(
    "way",
    [
        *(of_file, audited, read_again, through_an_inspect_log, *SILENT),
        pytest.param(in_inspect, marks=pytest.mark.harness),
    ],
)
def test_the_same_reply_has_the_same_reading(
    way: Callable[[Run, dict[str, Example], Path], Read],
    run: Run,
    replies: dict[str, Example],
    tmp_path: Path,
) -> None:
    reader, alone = TextReader(), {}
    for name, e in replies.items():
        ended = None if way in SILENT else e.finish_reason
        alone[name] = reader.read(
            e.response, e.options, e.labels, question=e.question, finish_reason=ended
        )
    assert way(run, replies, tmp_path) == {n: (r.status, r.positions) for n, r in alone.items()}
    assert alone["r0"].positions == (1,)
