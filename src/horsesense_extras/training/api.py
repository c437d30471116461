"""Training on statements about items, with an evaluation before and after: one folder, resumable.

OUT/experiment.json       what was asked for, with hashes of items and base; the same folder goes on
                          with the same alone
OUT/train.jsonl, test.jsonl   the items of both sides; in two stages tune.jsonl too
OUT/before                the run of the base
OUT/ARM-SEED/adapter      what was trained, with training.json beside it
OUT/ARM-SEED/run          its run
OUT/training.json, training.html   scores, effects, and the page
OUT/experiment.lock       held by the one process that works on the folder
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from horsesense.api.runs import Run
from horsesense.api.study import plan_study
from horsesense.comparison.align import Side
from horsesense.errors import StoreError, UsageError, install
from horsesense.files import json_lines, new_folder, read_whole, write_whole
from horsesense.inference.store_file import held
from horsesense.items.rows import row_of
from horsesense.models.registry import make_model
from horsesense.progress import progress, say
from horsesense.runs.settings import Settings
from horsesense.runs.start import check_names
from horsesense.stats.words import plural
from horsesense_extras.build.stages import STAGED_CONTROL, staged
from horsesense_extras.build.statements import CONTROL, Parts, parted
from horsesense_extras.models.hf.backend import TransformersBackend
from horsesense_extras.models.hf.local import memory_is_full
from horsesense_extras.models.hf.tuning import Encoded, Tuner, count, finite
from horsesense_extras.models.hf.weights import (
    Weights,
    find_weights,
    without_bars,
    without_warnings,
)
from horsesense_extras.training.comparison import BEFORE, Training, compare_arms
from horsesense_extras.training.experiment import (
    Effort,
    Experiment,
    Plan,
    device_text,
    peak_memory,
    unequal,
)
from horsesense_extras.training.lessons import Lessons

if TYPE_CHECKING:
    from horsesense.models.base import Model

RECORD: Final = "experiment.json"
LOCK: Final = "experiment.lock"
TRAINED: Final = "training.json"
_TIMED: Final = 2
"""Updates that are timed for the plan, after one that warms up."""
_INPUTS: Final = {
    "train": "the items to train on",
    "test": "the items to ask about",
    "tune": "the items to tune on",
    "base": "the weights of the base",
}
_ANOTHER: Final = "Name another --out."
_LESS: Final = "Try --checkpointing, a smaller --batch, or --quantised."


class Laboratory:
    """An experiment in its folder.

    Args:
        experiment: what is to be done.
        out: the folder; one that holds the same experiment is continued.

    Raises:
        UsageError: the folder holds another experiment, or the settings do not fit.
        ItemsError: the items have faults.
        StoreError: the folder cannot be used.
    """

    def __init__(self, experiment: Experiment, out: Path) -> None:
        self.experiment = experiment
        self.out = out
        before = self._begun()
        self.parts: Parts = self._parts()
        check_names(experiment.evaluation(out / "test.jsonl", None))
        try:
            self.weights: Weights = find_weights(experiment.base)
            with without_warnings():
                import peft  # noqa: F401
        except ImportError as error:
            raise UsageError(f"Training needs {error.name}.", hint=install("train")) from None
        self.lessons = Lessons(experiment, self.weights, self.parts)
        if before is not None:
            self._refuse_another(before)

    def _parts(self) -> Parts:
        from horsesense.runs.prepare import load_study_items

        e = self.experiment
        rows = {"model": f"hf:{e.base}", "map": dict(e.map)}
        items = load_study_items(
            Settings.of(items=e.items, split=e.split, where=dict(e.where), **rows)
        )
        if not e.staged:
            return parted(items, e.train, e.test, e.seed)
        others = e.tune_from and load_study_items(Settings.of(items=e.tune_from, **rows))
        return staged(items, e.train, e.tune, e.test, e.seed, others or None)

    def _begun(self) -> dict[str, Any] | None:
        """What the experiment in the folder was begun with; None where there is none yet."""
        path = self.out / RECORD
        if path.exists():
            return _read(path)
        if self.out.exists() and (
            not self.out.is_dir() or any(path.name != LOCK for path in self.out.iterdir())
        ):
            raise UsageError(f"{self.out} exists and holds no experiment.", hint=_ANOTHER)
        return None

    @property
    def _record(self) -> dict[str, Any]:
        """What makes this experiment: every setting, and what its items and base are."""
        inputs = {name: items.fingerprint for name, items in self.parts.sides.items()}
        inputs["base"] = self.weights.fingerprint
        return self.experiment.as_json() | {"inputs": inputs}

    def _refuse_another(self, before: dict[str, Any]) -> None:
        """Items and base are known by what they hold: their files may have moved."""
        now = self._record
        missing = [name for name in now if name not in before]
        if missing or not isinstance(before["inputs"], dict):
            raise StoreError(
                f"{self.out / RECORD} does not say all that it should"
                f" ({', '.join(missing or ['inputs'])}): it is damaged, or of another version.",
                hint=_ANOTHER,
            )
        told = [
            f"{name}: {before[name]!r}, now {now[name]!r}"
            for name in now
            if name not in ("items", "tune_from", "base", "inputs") and before[name] != now[name]
        ]
        told += [
            f"{_INPUTS[name]} are not those that it began with"
            for name, value in now["inputs"].items()
            if before["inputs"].get(name) != value
        ]
        if told:
            raise UsageError(
                f"{self.out} holds another experiment ({'; '.join(told)}).",
                hint="Give the items, base and settings that it began with, or another --out.",
            )

    @property
    def trainings(self) -> tuple[tuple[str, int], ...]:
        """(arm, seed) of every training, seed by seed."""
        seeds = range(self.experiment.seed, self.experiment.seed + self.experiment.seeds)
        return tuple((arm, seed) for seed in seeds for arm in self.experiment.arms)

    def folder(self, arm: str, seed: int) -> Path:
        """Where a training lies."""
        return self.out / f"{arm}-{seed}"

    def done(self, arm: str, seed: int) -> bool:
        """Whether a training is finished."""
        return (self.folder(arm, seed) / TRAINED).is_file()

    def plan(self) -> Plan:
        """What will be done; the model is loaded, and a few updates are timed.

        Raises:
            UsageError: not one statement fits, or the model cannot be trained.
            ModelError: it cannot be loaded.
        """
        e = self.experiment
        every = {arm: self.lessons.stages(arm, e.seed) for arm in e.arms}
        examples = [one.example for stages in every.values() for each in stages for one in each]
        efforts = {arm: self.lessons.effort(stages) for arm, stages in every.items()}
        settings = e.evaluation(self.out / "test.jsonl", None)
        asking, _ = plan_study(settings, self._model(settings), self.parts.test)
        left = [each for each in self.trainings if not self.done(*each)]
        made = Plan(
            train=len(self.parts.train),
            test=len(self.parts.test),
            tune=None if self.parts.tune is None else len(self.parts.tune),
            left_out=self.parts.left_out,
            clusters=self.parts.clusters,
            alone=self.parts.alone,
            trainings=self.trainings,
            done=len(self.trainings) - len(left),
            tokens=self.lessons.budget,
            efforts=efforts,
            requests=asking.requests,
            device=device_text(e.device),
        )
        if not left:
            return made
        rate = self._seconds_a_token(sorted(examples, key=len, reverse=True), e.seed)
        evaluations = len(left) + (not (self.out / BEFORE / "report.html").exists())
        asked_tokens = asking.prompt_tokens + asking.completion_tokens
        return replace(
            made,
            peak=peak_memory(),
            training_seconds=rate * sum(efforts[arm].tokens for arm, _ in left),
            asking_seconds=rate / 3 * asked_tokens * evaluations,
        )

    def _model(self, settings: Settings) -> Model:
        """The model of an evaluation, on the base that is in memory.

        Asked on a CPU, weights in 4 bits are laid out in another way, through which no gradient
        goes any more (bitsandbytes): they are then loaded for each evaluation.
        """
        import torch

        model = make_model(settings.model)
        on_gpu = self.experiment.device != "cpu" and torch.cuda.is_available()
        if isinstance(model, TransformersBackend) and (on_gpu or not self.experiment.quantised):
            model.base = self._base
        return model

    @cached_property
    def _base(self) -> tuple[Any, Any]:
        """The base and its tokeniser; adapters are put on it and taken off again."""
        from horsesense_extras.models.hf.weights import load

        e = self.experiment
        with without_bars(), progress("loading the base"):
            return load(self.weights, e.dtype, e.device, four_bits=e.quantised)

    @contextmanager
    def _tuner(self, seed: int) -> Iterator[Tuner]:
        """The base with a fresh adapter, which is taken off in the end."""
        tuner = Tuner(self._base[0], self.experiment.recipe, seed)
        try:
            yield tuner
        finally:
            tuner.unload()

    def _seconds_a_token(self, examples: Sequence[Encoded], seed: int) -> float:
        """From a few updates of the longest statements, after one that warms up.

        Raises:
            UsageError: there is not enough memory.
        """
        batch = self.experiment.recipe.batch
        timed = examples[: batch * _TIMED]
        try:
            with self._tuner(seed) as tuner, progress("timing"):
                finite(tuner.loss(examples[:batch])).backward()
                start = time.perf_counter()
                for n in range(0, len(timed), batch):
                    finite(tuner.loss(timed[n : n + batch])).backward()
                return (time.perf_counter() - start) / count(timed)
        except (RuntimeError, MemoryError) as error:
            if not memory_is_full(error):
                raise
            raise UsageError(
                f"There is not enough memory for {plural(batch, 'statement')} an update.",
                hint=_LESS,
            ) from None

    def run(self, tell: Callable[[str], None] = say) -> Training:
        """Evaluate, train, evaluate again, and compare; what is done already is left as it is.

        Raises:
            ModelError, StoreError, InterruptedRunError: as `Run.ask`; the same call continues.
            InUseError: another process works on the folder.
            UsageError: another experiment was begun there since this one was opened.
        """
        with held(self.out / LOCK):
            if (before := self._begun()) is not None:
                self._refuse_another(before)
            return self._run(tell)

    def _run(self, tell: Callable[[str], None]) -> Training:
        write_whole(self.out / RECORD, _text(self._record))
        for name, items in self.parts.sides.items():
            write_whole(
                self.out / f"{name}.jsonl", json_lines(row_of(item, items.kind) for item in items)
            )
        before = self._evaluated(BEFORE, self.out / BEFORE, None, tell)
        after: dict[str, list[Side]] = {arm: [] for arm in self.experiment.arms}
        for number, (arm, seed) in enumerate(self.trainings, 1):
            name, folder = f"{arm}-{seed}", self.folder(arm, seed)
            tell(f"{number} of {len(self.trainings)}: {name}")
            if not self.done(arm, seed):
                self._train(arm, seed)
            after[arm].append(self._evaluated(name, folder / "run", folder / "adapter", tell))
        staged, level = self.experiment.staged, self.experiment.level
        control = STAGED_CONTROL if staged else CONTROL
        found = compare_arms(before, after, control=control, level=level, columns=staged)
        write_whole(self.out / TRAINED, _text(self.told(found)))
        from horsesense_extras.training.report import write_training

        write_training(found, self.told(found), self.out / "training.html")
        return found

    def told(self, found: Training) -> dict[str, Any]:
        """Everything that is known of a finished experiment, for machines."""
        trained = [_read(self.folder(*each) / TRAINED) for each in self.trainings]
        efforts: dict[str, list[Effort]] = {}
        for row in trained:
            effort = Effort(*(row[name] for name in Effort._fields))
            efforts.setdefault(row["arm"], []).append(effort)
        return {
            "out": str(self.out),
            "report": str(self.out / "training.html"),
            "experiment": self.experiment.as_json(),
            "base": {"name": self.weights.name, "fingerprint": self.weights.fingerprint},
            "items": {
                **{name: len(items) for name, items in self.parts.sides.items()},
                "left_out": self.parts.left_out,
                "clusters": self.parts.clusters,
                "alone": self.parts.alone,
            },
            "tokens": self.lessons.budget,
            "trainings": trained,
            "unequal": list(unequal(efforts, self.lessons.budget)),
            **found.as_json(),
        }

    def _train(self, arm: str, seed: int) -> None:
        from horsesense_extras.models.hf.weights import save_adapter

        stages = self.lessons.stages(arm, seed)
        stated = [one.statement for each in stages for one in each if one.statement]
        wall, cpu = time.perf_counter(), time.process_time()
        with self._tuner(seed) as tuner:
            losses = []
            for number, learned in enumerate(stages, 1):
                part = f", stage {number} of {len(stages)}" if self.experiment.staged else ""
                examples = [one.example for one in learned]
                losses += tuner.train(examples, f"training {arm}-{seed}{part}")
            told = {
                "arm": arm,
                "seed": seed,
                **self.lessons.effort(stages)._asdict(),
                "true": sum(one.true for one in stated),
                "marked_right": sum(one.right for one in stated),
                "losses": [round(loss, 6) for loss in losses],
                "seconds": round(time.perf_counter() - wall, 1),
                "processor_seconds": round(time.process_time() - cpu, 1),
                "peak_memory": peak_memory(),
            }
            with new_folder(self.folder(arm, seed)) as lines:
                save_adapter(tuner.adapted, lines.folder / "adapter", self.weights)
                lines.put(TRAINED, _text(told))

    def _evaluated(
        self, name: str, place: Path, adapter: Path | None, tell: Callable[[str], None]
    ) -> Side:
        """The run of one model, asked as far as it is not yet.

        A finished one is opened as it is: the paths in its settings are those of the time when it
        was asked, and the folder may have moved since.
        """
        run = _finished(place)
        if run is None:
            settings = self.experiment.evaluation(self.out / "test.jsonl", adapter)
            run = Run.start(place, settings)
            run.ask(self._model(settings), tell=None)
            run.read()
            run.measure()
            run.report()
        found = run.results
        if found.findings["failures"]:
            raise StoreError(
                f"{place}: {plural(found.findings['failures'], 'request', 'have')} no answer.",
                hint="The same command asks them again.",
            )
        return Side(name, str(place), found)


def _finished(place: Path) -> Run | None:
    """The run that lies there, where nothing of it is missing."""
    if not (place / "run.toml").exists():
        return None
    run = Run.open(place)
    return run if "report" in run.directory.known.stages else None


def _text(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"


def _read(path: Path) -> dict[str, Any]:
    """A file of ours; StoreError where it is damaged."""
    try:
        found = orjson.loads(read_whole(path, inside=True))
    except (OSError, ValueError) as error:
        raise StoreError.unreadable(path, error, _ANOTHER) from None
    if not isinstance(found, dict):
        raise StoreError(f"{path} holds no object.", hint=_ANOTHER)
    return found
