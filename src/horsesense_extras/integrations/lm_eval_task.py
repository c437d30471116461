"""Items as tasks of lm-evaluation-harness: a folder for `--include_path`, and what runs in it.

Each condition of each probe is a task, all of them a group. The folder registers nothing by itself:
its `utils.py` takes the reader from here, as a filter, and lm-eval finds it by `!function`. The
samples that come back (`--log_samples`) are imported as the run that horsesense would have made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import orjson
import yaml

from horsesense.errors import UsageError
from horsesense.files import Lines, new_folder
from horsesense.items.item import ItemSet
from horsesense.items.tasks import check_task
from horsesense.models.base import Capabilities
from horsesense.models.messages import Request, Response
from horsesense.readers.text_answers import TextAnswers
from horsesense.runs.prepare import Study, load_shots, load_study_items, prepare
from horsesense.runs.record import ModelRecord
from horsesense.runs.rounds import stages
from horsesense.runs.settings import Settings
from horsesense.runs.tables import trial_of
from horsesense.trials.trial import Trial
from horsesense.version import __version__
from horsesense_extras.integrations.inspect_log import rows_of, score_of, share_right, target
from horsesense_extras.logs.carried import OURS, UNKNOWN, Carrier, carried_by_log

Kind = Literal["replies", "labels", "texts"]
"""What lm-eval brings back: replies, scores of the labels, or scores of the options' texts."""

READERS: Final[Mapping[str, Kind]] = {
    "text": "replies",
    "first_token": "labels",
    "option_text": "texts",
}
UTILS: Final = '''"""Prompts of {name}, written by horsesense {version}."""

from pathlib import Path

from horsesense_extras.integrations.lm_eval_task import ReplyFilter, documents, judged


class filter(ReplyFilter):
    """What each reply chooses, as horsesense reads it."""


def dataset(file, **kwargs):
    """The prompts of one task."""
    return documents(Path(__file__).parent / file)


def process_results(doc, results):
    """Whether the answer is right, and whether there is one."""
    return judged(results)
'''


@dataclass
class Tasks:
    """What was written.

    Attributes:
        group: name of the group of all tasks.
        tasks: name -> number of prompts.
        left_out: why prompts are not there -> their number.
    """

    group: str
    tasks: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)


def write_tasks(settings: Settings, folder: Path, items: ItemSet | None = None) -> Tasks:
    """Write the folder for `lm_eval --include_path FOLDER --tasks GROUP`.

    `settings.readers` decides what lm-eval is to bring back: "text" replies, "first_token" scores
    of the labels, "option_text" scores of the options' texts.

    Raises:
        UsageError: settings that no such task can have, or the folder exists.
        ItemsError: the items cannot be read.
    """
    kind = _kind(settings)
    found = load_study_items(settings) if items is None else items
    check_task(found, settings.task)
    study = _study(settings, found, kind)
    made = Tasks(slug(f"horsesense_{found.name}"))
    with new_folder(folder) as lines:
        _write_documents(study, kind, lines, made)
        if not made.tasks:
            raise UsageError("These items and probes give lm-eval nothing to ask.")
        carried = carried_by_log(settings, found, study.shots, study.model)
        for name in made.tasks:
            lines.put(f"{name}.yaml", _yaml(_config(name, kind, settings, carried)))
        lines.put("group.yaml", _yaml({"group": made.group, "task": list(made.tasks)}))
        lines.put("utils.py", UTILS.format(name=slug(found.name), version=__version__))
    return made


def _kind(settings: Settings) -> Kind:
    named = settings.readers if settings.readers != ("auto",) else ("text",)
    kinds = {READERS[name] for name in named if name in READERS}
    if len(kinds) != 1 or len(named) > 1:
        raise UsageError(
            f"A task of lm-eval brings back one thing, not what {', '.join(named)} read.",
            hint="--readers text: replies; first_token: scores of labels; option_text: of texts.",
        )
    if settings.until is not None:
        raise UsageError("lm-eval asks everything: --until has no place in its tasks.")
    return kinds.pop()


def _study(settings: Settings, items: ItemSet, kind: Kind) -> Study:
    """The study as it will be put by lm-eval, to a model that nobody knows yet."""
    offers = Capabilities(
        chat=settings.style == "chat",
        completion=settings.style != "chat",
        text=kind == "replies",
        label_tokens=kind == "labels",
        continuations=kind == "texts",
    )
    model = ModelRecord.named(UNKNOWN, UNKNOWN, offers)
    shots = load_shots(settings, items)
    return prepare(settings, items, shots, model, settings.readers)


def _write_documents(study: Study, kind: Kind, lines: Lines, made: Tasks) -> None:
    carrier = Carrier(study.items)
    first, *later = (probes for _, probes in stages(study.probes))
    for probe in (probe for probes in later for probe in probes):
        made.left_out[f"{probe.name} depends on earlier answers"] = len(study.items)
    for planned in study.planner.plan(first):
        trial, request = planned.trial, planned.request
        fault = _fault(trial, request, kind)
        if fault:
            made.left_out[fault] = made.left_out.get(fault, 0) + 1
            continue
        name = slug(f"{made.group}_{trial.probe}_{trial.condition}")
        carried = carrier.of(planned.number, 1, trial, request)
        lines.add(f"{name}.jsonl", orjson.dumps(document(trial, request, carried)))
        made.tasks[name] = made.tasks.get(name, 0) + 1


def _fault(trial: Trial, request: Request, kind: Kind) -> str:
    """Why a prompt cannot be a document of lm-eval; "" where it can."""
    if len(request.messages or ()) > 1:
        return "several messages (few-shot examples of a chat): use --style completion"
    if kind == "replies":
        return ""
    if not (request.params.label_tokens if kind == "labels" else request.params.continuations):
        return f"no {'labels' if kind == 'labels' else 'option texts'} to score"
    return "" if trial.variant.gold_at is not None else "no right answer among the options"


def document(trial: Trial, request: Request, carried: Mapping[str, Any]) -> dict[str, Any]:
    """A prompt as a document of lm-eval; what is ours is one text, which no table can change."""
    variant = trial.variants[0]
    prompt = (request.text or "") if request.messages is None else request.messages[-1][1]
    prefix = " " if request.messages is None else ""
    labels = [f"{prefix}{name}" for name in variant.labels]
    return {
        "id": f"{carried['item']} {trial.probe} {carried['condition']} {trial.repetition}",
        "prompt": prompt,
        "options": list(variant.options),
        "choices": list(request.params.continuations) or labels,
        "target": "; ".join(map(target, trial.variants)),
        "gold": -1 if variant.gold_at is None else variant.gold_at,
        OURS: orjson.dumps(carried).decode(),
    }


class _Function(str):
    """The name of a function of `utils.py`."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    pass


_Dumper.add_representer(
    _Function, lambda dumper, name: dumper.represent_scalar("!function", str(name))
)


def _yaml(value: Mapping[str, Any]) -> str:
    return yaml.dump(dict(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def _config(
    name: str, kind: Kind, settings: Settings, carried: Mapping[str, Any]
) -> dict[str, Any]:
    """The configuration of one task."""
    common: dict[str, Any] = {
        "task": name,
        "custom_dataset": _Function("utils.dataset"),
        "dataset_kwargs": {"file": f"{name}.jsonl"},
        "test_split": "test",
        "doc_to_text": "prompt",
        "target_delimiter": "",
        "metadata": {"version": 1.0, OURS: carried},
    }
    if kind != "replies":
        return common | {
            "output_type": "multiple_choice",
            "doc_to_choice": "choices",
            "doc_to_target": "gold",
            "metric_list": [_metric("acc"), _metric("acc_norm")],
        }
    return common | {
        "output_type": "generate_until",
        "doc_to_target": "target",
        "generation_kwargs": {
            "until": [],
            "max_gen_toks": settings.max_tokens,
            "do_sample": settings.temperature > 0,
            "temperature": settings.temperature,
        },
        "filter_list": [{"name": OURS, "filter": [{"function": _Function("utils.filter")}]}],
        "process_results": _Function("utils.process_results"),
        "metric_list": [_metric("acc"), _metric("answered")],
    }


def _metric(name: str) -> dict[str, Any]:
    return {"metric": name, "aggregation": "mean", "higher_is_better": True}


def slug(text: str) -> str:
    """A name of letters, digits and underscores, as tasks have them."""
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower() or "items"


# -- inside lm-eval ------------------------------------------------------------------------------


def documents(path: Path) -> Any:
    """The prompts of one task, as lm-eval takes them (`datasets.DatasetDict`)."""
    from datasets import Dataset, DatasetDict

    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    return DatasetDict({"test": Dataset.from_list(rows)})


def trial_of_document(doc: Mapping[str, Any]) -> Trial:
    """The trial behind a document of ours; KeyError or ValueError for any other."""
    return trial_of(orjson.loads(doc[OURS])["shown"])


class ReplyFilter:
    """A filter of lm-eval: replies become what they choose."""

    def __init__(self, **kwargs: Any) -> None:
        self._reader = TextAnswers()

    def apply(
        self, resps: Iterable[Sequence[str]], docs: Iterable[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """One answer per document, of its first reply.

        Returns what was chosen by name, the status of each reading, and whether it is right (None
        where no right answer is known).
        """
        return [self._answer(replies[0], doc) for replies, doc in zip(resps, docs, strict=True)]

    def _answer(self, reply: str, doc: Mapping[str, Any]) -> dict[str, Any]:
        trial = trial_of_document(doc)
        rows = rows_of(trial, self._reader.read(trial, Response(reply)))
        score = score_of(trial, rows)
        return {
            "answer": score["answer"],
            "status": score["metadata"]["status"],
            "correct": share_right(rows),
        }


def judged(results: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """lm-eval's metrics of one document: a share right, and a share answered."""
    found = results[0]
    answered = [status == "answer" for status in found["status"]]
    return {
        "acc": float(found["correct"] or 0.0),
        "answered": sum(answered) / max(len(answered), 1),
    }
