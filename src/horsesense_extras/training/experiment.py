"""What an experiment of training is, and what it will take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import orjson

from horsesense.errors import UsageError
from horsesense.progress import clock
from horsesense.runs.settings import Settings
from horsesense.stats.words import plural
from horsesense_extras.build.stages import ALONE, STAGED_ARMS
from horsesense_extras.build.statements import ARMS, alone_text
from horsesense_extras.models.hf.tuning import Recipe


def device_text(name: str) -> str:
    """The device in words."""
    import torch

    if name == "cpu" or not torch.cuda.is_available():
        return f"the CPU ({plural(torch.get_num_threads(), 'thread')})"
    return str(torch.cuda.get_device_name(0 if name in ("auto", "cuda") else name))


def peak_memory() -> int | None:
    """Bytes that this process took at most until now: of the GPU where there is one."""
    import torch

    if torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated())
    try:
        import resource
    except ImportError:  # Windows has no such count
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


ALIKE: Final = 0.05
"""Share of the greatest value by which arms may differ before that is said."""


class Effort(NamedTuple):
    """What one training takes.

    Attributes:
        statements: how many are learned.
        items: how many items they are about.
        updates: of the weights.
        tokens: prompts and replies together, each as often as it is read.
        reply_tokens: those of them that the loss is of.
    """

    statements: int
    items: int
    updates: int
    tokens: int
    reply_tokens: int


_WORDS: Final = {
    "statements": "statements",
    "items": "items seen",
    "updates": "updates",
    "tokens": "tokens",
    "reply_tokens": "tokens of replies",
}


def unequal(efforts: Mapping[str, Sequence[Effort]], budget: int | None = None) -> Iterator[str]:
    """In what arms differ by more than `ALIKE`, and which trainings left that much of the budget.

    Args:
        efforts: arm -> what each of its trainings took.
        budget: tokens that each might take; None where they were not counted out.

    Yields:
        Sentences; none where all are alike.

    >>> list(unequal({"a": [Effort(9, 9, 3, 90, 9)], "b": [Effort(9, 9, 3, 90, 6)]}))
    ['The arms are not alike in tokens of replies (a 9, b 6).']
    """
    # Tuning alone reads no texts: that is what the arm is for.
    efforts = {arm: each for arm, each in efforts.items() if arm != ALONE} or efforts
    told = []
    for name, words in _WORDS.items():
        means = {
            arm: sum(getattr(e, name) for e in each) / len(each) for arm, each in efforts.items()
        }
        if min(means.values()) < (1 - ALIKE) * max(means.values()):
            listed = ", ".join(f"{arm} {round(mean):,}" for arm, mean in means.items())
            told.append(f"{words} ({listed})")
    if told:
        yield f"The arms are not alike in {'; '.join(told)}."
    if budget is not None:
        short = [
            f"{arm} {e.tokens:,}"
            for arm, each in efforts.items()
            for e in each
            if e.tokens < (1 - ALIKE) * budget
        ]
        if short:
            yield (
                f"Of {plural(budget, 'token')}, some trainings took fewer, since no further"
                " statement"
                f" fits: {', '.join(short)}."
            )


EQUAL: Final = ("tokens", "statements")
"""What all trainings of an experiment may have alike."""
STAGES: Final[Mapping[tuple[str, ...], Mapping[str, str]]] = {
    ("statements",): ARMS,
    ("pretrain", "sft"): STAGED_ARMS,
}
"""Stages of a training -> arms, and what each learns."""
MOST_PASSES: Final = 1_000
"""Passes over the items beyond which an experiment is taken for a slip of the pen."""


@dataclass(frozen=True)
class Experiment:
    """What is trained and how it is evaluated.

    Attributes:
        items: the items file, as `horsesense audit` takes it.
        base: the model to start from, as `hf:` takes it.
        stages: of each training; one of `STAGES`. After pre-training and tuning, learned items are
            asked about, else items of other clusters.
        arms: what is learned; see `STAGES`.
        seeds: how many trainings of each arm.
        train, test: numbers of items; None for all that are left, and three tenths.
        tune: number of items to tune on, in two stages; None for three tenths, or all of
            `tune_from`, a file of their own.
        epochs: passes over the items; `tokens` is then what the shortest arm needs for them.
        tune_epochs: passes over the items to tune on.
        tokens: of each training, prompts and replies together; None: as `epochs` takes.
        equal: what all trainings have alike, `tokens` or `statements` (as many as `epochs` has).
        recipe: of the adapter.
        suite, faithful, probes, readers, max_tokens: of the evaluations.
        map, split, where: which rows are taken.
        seed: of the division; training number n has the seed `seed` + n.
        dtype, device: of the arithmetic.
        quantised: whether the base is packed in 4 bits (nf4).
        level: of the intervals.
    """

    items: str
    base: str
    stages: tuple[str, ...] = ("statements",)
    arms: tuple[str, ...] = tuple(ARMS)
    seeds: int = 5
    train: int | None = None
    test: int | None = None
    tune: int | None = None
    tune_from: str | None = None
    epochs: int = 3
    tune_epochs: int = 3
    tokens: int | None = None
    equal: str = EQUAL[0]
    recipe: Recipe = field(default_factory=Recipe)
    suite: str | None = "revas"
    faithful: bool = False
    probes: tuple[str, ...] | None = None
    readers: tuple[str, ...] = ("auto",)
    max_tokens: int = 16
    map: Mapping[str, str] = field(default_factory=dict)
    split: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    dtype: str = "float32"
    device: str = "auto"
    quantised: bool = False
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.stages not in STAGES:
            known = [",".join(stages) for stages in STAGES]
            raise UsageError.unknown("order of stages", ",".join(self.stages), known)
        arms = STAGES[self.stages]
        for arm in self.arms:
            if arm not in arms:
                raise UsageError.unknown("arm", arm, arms)
        if not self.arms or len(set(self.arms)) < len(self.arms):
            raise UsageError(
                "--arms names no arm, or one twice.", hint=f"Known: {', '.join(arms)}."
            )
        for name in ("seeds", "train", "test", "tune", "epochs", "tune_epochs", "tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(
                    f"--{name.replace('_', '-')} is {value}.", hint="Give a number from 1 up."
                )
        if self.equal not in EQUAL:
            raise UsageError.unknown("kind of equality", self.equal, EQUAL)
        if self.staged and self.equal != "statements":
            raise UsageError(
                "--equal tokens with --stages pretrain,sft.",
                hint="Texts are counted: leave it out.",
            )
        if not self.staged and (self.tune, self.tune_from) != (None, None):
            raise UsageError(
                "There is no tuning without --stages pretrain,sft.",
                hint="Leave --tune and --tune-from out.",
            )
        if self.tokens is not None and self.equal != "tokens":
            raise UsageError("--tokens with --equal statements.", hint="Give --epochs instead.")
        if self.epochs > MOST_PASSES:
            raise UsageError(f"--epochs is {self.epochs:,}.", hint=f"{MOST_PASSES:,} at most.")
        if not 0 <= self.seed <= 2**63 - self.seeds:
            raise UsageError(f"--seed is {self.seed}.", hint="Give a number from 0 below 2^63.")

    @property
    def staged(self) -> bool:
        """Whether texts are learned first, and replies in the forms of the test then."""
        return len(self.stages) > 1

    def as_json(self) -> dict[str, Any]:
        """Every setting by name, as JSON has it."""
        found: dict[str, Any] = orjson.loads(orjson.dumps(asdict(self)))
        return found

    def evaluation(self, test: Path, adapter: Path | None) -> Settings:
        """The settings of one evaluation."""
        options = {"dtype": self.dtype, "device": self.device}
        options = {n: v for n, v in options.items() if v not in ("float32", "auto")}
        options |= {"bits": "4"} if self.quantised else {}
        options |= {} if adapter is None else {"adapter": quote(str(adapter))}
        query = "&".join(f"{name}={value}" for name, value in options.items())
        return Settings.of(
            items=str(test),
            model=f"hf:{self.base}{'?' if query else ''}{query}",
            suite=self.suite,
            faithful=self.faithful,
            readers=self.readers,
            max_tokens=self.max_tokens,
            seed=self.seed,
            level=self.level,
            **({} if self.probes is None else {"probes": self.probes}),
        )


def sides_text(
    train: int, test: int, tune: int | None, clusters: Mapping[str, int]
) -> Iterator[str]:
    """How many items are on which side."""
    learned = plural(clusters["train"], "cluster")
    if tune is None:
        asked = f"{test:,} of other clusters to ask about ({clusters['test']:,})"
    else:
        asked = (
            f"{tune:,} others to tune on ({plural(clusters['tune'], 'cluster')});"
            f" {test:,} of those learned are asked about"
        )
    yield f"{plural(train, 'item')} to train on ({learned}), {asked}."


@dataclass(frozen=True)
class Plan:
    """What an experiment will do, and what that takes.

    Attributes:
        train: items to train on.
        test: items of other clusters, to ask about.
        left_out: reason, and number of items on neither side.
        clusters: of train and test, or of train and tune.
        alone: items that name neither a cluster nor a context.
        trainings: ARM-SEED of each.
        done: trainings that are finished.
        tokens: that each training may take; null by statements.
        efforts: arm, and statements, items, updates, tokens, reply_tokens of its first seed.
        requests: of each evaluation, at most.
        tune: items to tune on, in two stages.
        peak: bytes that timed updates took at most.
        device, training_seconds, asking_seconds: on which, and of what is left. Asking is taken for
            a third of training, token by token.
    """

    train: int
    test: int
    left_out: Mapping[str, int]
    clusters: Mapping[str, int]
    alone: int
    trainings: tuple[tuple[str, int], ...]
    done: int
    tokens: int | None
    efforts: Mapping[str, Effort]
    requests: int
    device: str
    tune: int | None = None
    peak: int | None = None
    training_seconds: float | None = None
    asking_seconds: float | None = None

    def lines(self) -> Iterator[str]:
        """The plan in sentences."""
        yield from sides_text(self.train, self.test, self.tune, self.clusters)
        yield from alone_text(self.alone, self.train + (self.tune or self.test))
        if self.left_out:
            reasons = ", ".join(f"{reason} ({n:,})" for reason, n in self.left_out.items())
            yield f"On neither side: {reasons}."
        done = f", {self.done} of them done" if self.done else ""
        counts = [effort.statements for effort in self.efforts.values()]
        told = " to ".join(f"{n:,}" for n in sorted({min(counts), max(counts)}))
        each = f"of {told} statements"
        if self.tokens is not None:
            each = f"of up to {self.tokens:,} tokens ({told} statements)"
        yield (
            f"{plural(len(self.trainings), 'training')}{done}, each {each};"
            f" {len(self.trainings) + 1}"
            f" evaluations, each of up to {plural(self.requests, 'request')}."
        )
        yield from unequal({arm: [effort] for arm, effort in self.efforts.items()}, self.tokens)
        yield f"It runs on {self.device}."
        if self.training_seconds is not None and self.asking_seconds is not None:
            yield (
                f"About {clock(self.training_seconds)} for training and"
                f" {clock(self.asking_seconds)} for asking, by updates that were timed"
                + ("." if self.peak is None else f" and took {self.peak / 2**30:,.1f} GiB at most.")
            )

    def as_json(self) -> dict[str, Any]:
        """Every field by name."""
        names = [f"{arm}-{seed}" for arm, seed in self.trainings]
        return asdict(self) | {
            "trainings": names,
            "efforts": {arm: effort._asdict() for arm, effort in self.efforts.items()},
        }
