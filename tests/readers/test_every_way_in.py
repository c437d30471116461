"""The same reply to the same question has the same reading, whichever way it comes in."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

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

Read = dict[str, tuple[str, tuple[int, ...]]]
"""Id of an item -> status and positions."""

NEGATED = Example(
    *("shark", "", "", "facts", "", "", "Which of these is NOT a mammal?"),
    ("whale", "shark", "dog", "cat"), LETTERS[:4], "A shark is not a mammal.", "stop", "answer", 1,
)  # fmt: skip


def replies(n: int = 60) -> dict[str, Example]:
    """Replies of the corpus, one to an item, as a plain prompt shows options."""
    plain = [
        e for part in SEEN for e in examples(part)
        if e.labels == LETTERS[: len(e.options)] and len({*e.options}) == len(e.options)
        and all(o == " ".join(o.split()) for o in e.options) and e.question.strip()
    ]  # fmt: skip
    random.Random(0).shuffle(plain)
    found = {(e.question, e.options): e for e in [NEGATED, *plain[:n]]}
    return {f"r{number}": e for number, e in enumerate(found.values())}


class Given(NamedTuple):
    """Replies in files, and a run that was asked with a model that gives them."""

    replies: Mapping[str, Example]
    items: Path
    file: Path
    run: Run


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    folder, found = tmp_path_factory.mktemp("given"), replies()
    asked = [
        {"id": name, "question": e.question, "options": e.options, "labels": e.labels}
        for name, e in found.items()
    ]
    gold = [{**row, "answer_index": found[row["id"]].position or 0} for row in asked]
    said = [
        {**row, "response": e.response, "finish_reason": e.finish_reason}
        for row, e in zip(asked, found.values(), strict=True)
    ]
    items, file = folder / "items.jsonl", folder / "replies.jsonl"
    items.write_bytes(b"\n".join(map(orjson.dumps, gold)))
    file.write_bytes(b"\n".join(map(orjson.dumps, said)))
    run = hs.audit(
        items, f"replay:{file}", out=folder / "run", probes="original", stop_if="never",
        no_preflight=True,
    )  # fmt: skip
    return Given(found, items, file, run)


def of_run(run: Run, given: Given) -> Read:
    joined = run.readings.join(run.trials.select("trial", "item_id"), on="trial")
    rows = joined.select("item_id", "status", "positions").iter_rows()
    return {name: (status, tuple(positions)) for name, status, positions in rows}


def of_file(given: Given, place: Path) -> Read:
    return {r.id: (r.reading.status, r.reading.positions) for r in read_file(given.file)}


def audited(given: Given, place: Path) -> Read:
    return of_run(given.run, given)


def read_again(given: Given, place: Path) -> Read:
    """As `report` and `read RUN` do it, from the tables and the stored answers."""
    shutil.copytree(given.run.path, place / "run")
    shutil.rmtree(place / "run" / "readings")
    run = hs.open(place / "run")
    run.read()
    return of_run(run, given)


def before_questions_were_kept(given: Given, place: Path) -> Read:
    shutil.copytree(given.run.path, place / "run")
    for path in (place / "run" / "trials").rglob("*.parquet"):
        pl.read_parquet(path).drop("question").write_parquet(path)
    (place / "run" / MANIFEST).unlink()
    shutil.rmtree(place / "run" / "readings")
    run = hs.open(place / "run")
    run.read()
    return of_run(run, given)


def through_an_inspect_log(given: Given, place: Path) -> Read:
    log = write_inspect_log(given.run.results, place / "run.eval")
    return of_run(hs.load_log(log, out=place / "run"), given)


def from_lm_eval(given: Given, place: Path) -> Read:
    """Samples of a task that lm-eval wrote without us."""
    place.joinpath("samples_x_2026-01-01T00-00-00.jsonl").write_bytes(
        b"\n".join(
            orjson.dumps(_sample(number, name, e))
            for number, (name, e) in enumerate(given.replies.items())
        )
    )
    return of_run(hs.load_log(place, out=place / "run"), given)


def _sample(number: int, name: str, e: Example) -> dict[str, Any]:
    shown = [f"{label}. {option}" for label, option in zip(e.labels, e.options, strict=True)]
    prompt = "\n".join([e.question, *shown, "Answer:"])
    return {
        "doc_id": number,
        "doc": {"id": name, "question": e.question, "choices": e.options},
        "target": LETTERS[e.position or 0],
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": []}}},
        "resps": [[e.response]],
        "filtered_resps": [e.response],
        "filter": "none",
        "exact_match": 0.0,
    }


def in_lm_eval(given: Given, place: Path) -> Read:
    chosen = Settings.of(items=str(given.items), model="http:m", probes=("original",))
    write_tasks(chosen, place / "tasks")
    [path] = (place / "tasks").glob("*_original.jsonl")
    docs = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    names = [doc["id"].split()[0] for doc in docs]
    found = ReplyFilter().apply([[given.replies[name].response] for name in names], docs)
    return {
        name: (status, (LETTERS.index(one["answer"]),) if status == "answer" else ())
        for name, one in zip(names, found, strict=True)
        for status in one["status"]
    }


def in_inspect(given: Given, place: Path) -> Read:
    pytest.importorskip("inspect_ai", reason="needs inspect-ai")
    from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from horsesense_extras.integrations.inside_inspect import reader

    score, found = reader(), {}
    for name, e in given.replies.items():
        shown = [f"{label}) {option}" for label, option in zip(e.labels, e.options, strict=True)]
        prompt, gold = "\n".join([e.question, *shown]), Target(LETTERS[e.position or 0])
        ended = "max_tokens" if e.finish_reason == "length" else "stop"
        state = TaskState(
            ModelName("mockllm/m"), name, 1, e.question, [ChatMessageUser(content=prompt)],
            target=gold, choices=list(e.options),
            output=ModelOutput.from_content("m", e.response, stop_reason=ended),
        )  # fmt: skip
        one = asyncio.run(score(state, gold))
        [status] = one.metadata["status"]
        found[name] = (status, (LETTERS.index(one.answer),) if status == "answer" else ())
    return found


WAYS: dict[Callable[[Given, Path], Read], bool] = {
    of_file: True,
    audited: True,
    read_again: True,
    before_questions_were_kept: True,
    through_an_inspect_log: True,
    from_lm_eval: False,
    in_lm_eval: False,
    in_inspect: True,
}
"""A way in -> whether it says why a reply ended."""


@pytest.mark.parametrize("way", WAYS)
def test_the_same_reply_has_the_same_reading(
    way: Callable[[Given, Path], Read], given: Given, tmp_path: Path
) -> None:
    reader = TextReader()
    alone = {
        name: reader.read(
            e.response, e.options, e.labels, question=e.question,
            finish_reason=e.finish_reason if WAYS[way] else None,
        )
        for name, e in given.replies.items()
    }  # fmt: skip
    assert way(given, tmp_path) == {name: (r.status, r.positions) for name, r in alone.items()}
    assert alone["r0"].positions == (1,)
