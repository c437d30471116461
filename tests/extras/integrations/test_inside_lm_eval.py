"""horsesense inside lm-evaluation-harness, with the real package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.api import Run
from horsesense.models.base import Asked, NeedsAnswerKey
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense.models.registry import make_model
from horsesense.runs.run import complete
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer
from horsesense_extras.api import load_log
from horsesense_extras.integrations.exports import write_lm_eval
from horsesense_extras.integrations.lm_eval_task import trial_of_document, write_tasks

lm_eval = pytest.importorskip(
    "lm_eval", reason="needs lm-eval: scripts/test_harnesses installs and runs it"
)
pytestmark = pytest.mark.harness

PROBES = ("order", "labels", "none_of_the_above", "options_only")


def evaluated(folder: Path, group: str, model: Any, out: Path) -> dict[str, Any]:
    """lm-eval on a folder of ours; its samples and results are written to `out`."""
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    found = lm_eval.simple_evaluate(
        model=_lm(model),
        tasks=[group],
        task_manager=TaskManager(include_path=str(folder)),
        log_samples=True,
        bootstrap_iters=0,
    )
    samples = found["samples"]
    tracker = EvaluationTracker(output_path=str(out))
    tracker.save_results_aggregated(results=found, samples=samples)
    for name, rows in samples.items():
        tracker.save_results_samples(task_name=name, samples=rows)
    return found


def _lm(spec: str) -> Any:
    """One of our models as lm-eval calls it; it answers the documents of our tasks alone."""
    from lm_eval.api.model import LM

    class Ours(LM):  # type: ignore[misc]
        def generate_until(self, requests: Any, **_: Any) -> list[str]:
            wanted = [SamplingParams(max_tokens=each.args[1]["max_gen_toks"]) for each in requests]
            return [answer.text for answer in self._answers(requests, wanted)]

        def loglikelihood(self, requests: Any, **_: Any) -> list[tuple[float, bool]]:
            # A simulated model scores all choices of a document, in their order.
            choices: dict[tuple[str, int], list[str]] = {}
            for each in requests:
                choices.setdefault((each.task_name, each.doc_id), []).append(each.args[1])
            wanted = [
                SamplingParams(
                    max_tokens=0, continuations=tuple(choices[each.task_name, each.doc_id])
                )
                for each in requests
            ]
            answers = self._answers(requests, wanted)
            return [
                (answer.continuations[each.args[1]][0], False)
                for each, answer in zip(requests, answers, strict=True)
            ]

        def loglikelihood_rolling(self, requests: Any, **_: Any) -> list[float]:
            raise NotImplementedError

        def _answers(self, requests: Any, wanted: list[SamplingParams]) -> list[Response]:
            asked = [
                Request((("user", each.args[0]),), None, params) if spec.startswith("http")
                else Request(None, each.args[0], params)
                for each, params in zip(requests, wanted, strict=True)
            ]  # fmt: skip
            return complete(self._ask(asked, [each.doc for each in requests]))

        async def _ask(self, requests: list[Request], docs: list[Any]) -> list[Response]:
            async with make_model(spec) as model:
                keyed = [Asked(each.key(model.identity), each) for each in requests]
                for each, doc in zip(keyed, docs, strict=True):
                    if isinstance(model, NeedsAnswerKey):
                        model.attach_trial(each.key, trial_of_document(doc))
                return [each for each in await model.respond(keyed) if isinstance(each, Response)]

    return Ours()


def settings(model: str, **more: Any) -> Settings:
    base = {"items": "sample", "model": model, "probes": PROBES, "limit": 9, "style": "completion"}
    return Settings.of(**(base | more))


@pytest.mark.parametrize(("reader", "room"), [("text", 16), ("first_token", 0), ("option_text", 0)])
def test_samples_come_back_as_the_run_of_our_runner(tmp_path: Path, reader: str, room: int) -> None:
    chosen = settings("sim:position?k=1", readers=(reader,), max_tokens=room)
    made = write_tasks(chosen, tmp_path / "tasks")
    found = evaluated(tmp_path / "tasks", made.group, chosen.model, tmp_path / "out")
    [place] = (tmp_path / "out").iterdir()
    theirs = load_log(place, out=tmp_path / "theirs")
    ours = hs.audit(
        "sample", chosen.model, out=tmp_path / "ours", probes=PROBES, limit=9, style="completion",
        readers=reader, max_tokens=room,
    )  # fmt: skip
    accuracy = ours.estimate("accuracy", reader=reader)
    assert theirs.estimate("accuracy", reader=reader).value == accuracy.value
    shared_columns = ["measure", "probe", "condition", "reader", "group"]
    both = ours.estimates.join(theirs.estimates, on=shared_columns, suffix="_theirs")
    same = both.filter(both["n"] == both["n_theirs"])
    assert same["value"].equals(same["value_theirs"])
    told = found["results"][f"{made.group}_original"]
    metric = "acc,horsesense" if reader == "text" else "acc,none"
    assert told[metric] == accuracy.value


def test_the_filter_reads_replies_that_no_match_would(tmp_path: Path) -> None:
    chosen = settings("http:m", probes=("original",))
    made = write_tasks(chosen, tmp_path / "tasks")
    with FaultServer(answer=lambda prompt: " I would say it is **(A)**, since") as server:
        found = evaluated(tmp_path / "tasks", made.group, f"http:m@{server.url}", tmp_path / "out")
    rows = found["samples"][f"{made.group}_original"]
    # lm-eval may write what a filter returns as its text.
    assert all("'answer': 'A'" in str(row["filtered_resps"][0]) for row in rows)
    assert len(rows) == 9
    told = found["results"][f"{made.group}_original"]
    assert told["answered,horsesense"] == 1.0
    assert told["acc,horsesense"] == sum(row["doc"]["target"] == "A" for row in rows) / 9


def test_exported_samples_have_the_form_of_lm_eval(tmp_path: Path) -> None:
    run = Run.open(
        hs.audit("sample", "sim:prior", out=tmp_path / "run", probes="order", limit=6).path
    )
    folder = write_lm_eval(run.results, tmp_path / "samples")
    made = write_tasks(settings("sim:prior", probes=("order",)), tmp_path / "tasks")
    evaluated(tmp_path / "tasks", made.group, "sim:prior", tmp_path / "out")
    [place] = (tmp_path / "out").iterdir()
    theirs, ours = (_first_row(where) for where in (place, folder))
    assert set(theirs) - {"metrics", "answered"} <= set(ours)
    assert json.loads(next(folder.glob("results_*.json")).read_bytes())["results"]


def _first_row(folder: Path) -> dict[str, Any]:
    path = next(folder.glob("samples_*original*.jsonl"))
    return json.loads(path.read_bytes().splitlines()[0])
