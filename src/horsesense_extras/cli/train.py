"""`horsesense train`: readers from annotated replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli import options
from horsesense.cli.grouped import Commands
from horsesense.cli.options import AsJson, FieldMap, pairs
from horsesense.cli.output import print_json
from horsesense.errors import InterruptedRunError, UsageError
from horsesense.stats.words import plural
from horsesense_extras.cli.groups import tell

if TYPE_CHECKING:
    from horsesense_extras.readers.training.examples import Score
    from horsesense_extras.readers.training.reader import Evaluation, Trained
    from horsesense_extras.training.experiment import Experiment


train = Commands(name="train", help="Train readers on annotated replies.", no_args_is_help=True)

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        help="JSONL, CSV or Parquet with question, options, response, label and where present"
        " model and labels."
    ),
]


@dataclass(frozen=True)
class Changes:
    """What a recipe has otherwise than it was published; None leaves a value as it is.

    Attributes:
        base: Model to start from: minilm, smollm2, a directory or hub name.
        steps: Updates; else as many as --epochs takes.
        epochs: Passes over the replies.
        batch: Replies an update.
        rate: Learning rate.
        rank: Rank of the LoRA adapter.
        frozen: Lowest layers of an encoder that stay.
        seed: Of split, order, weights and dropout.
        precision: float32, bfloat16 or float16; the paper's on a GPU, float32 on a CPU.
        like_length: Batches filled together in order of length; 1 for none.
    """

    base: str | None = None
    steps: int | None = None
    epochs: float | None = None
    batch: int | None = None
    rate: float | None = None
    rank: int | None = None
    frozen: int | None = None
    seed: int = 0
    precision: str | None = None
    like_length: int | None = None
    quantised: Annotated[bool, typer.Option("--quantised", help="QLoRA: the base in 4 bits.")] = (
        False
    )


@train.command()
def reader(
    out: Path,
    changes: Changes,
    files: Files = None,
    evaluate: list[Path] | None = None,
    kind: str = "encoder",
    map: FieldMap = None,
    test_share: float = 0.2,
    leave_out: str | None = None,
    most: int | None = None,
    as_json: AsJson = False,
) -> None:
    """Fine-tune a model that says what a reply chooses; use it as trained:DIRECTORY.

    Example: horsesense train reader replies.jsonl --out reader

    Args:
        out: Directory for the reader; without FILES, of the reader to --evaluate.
        evaluate: Another annotated file to measure the reader on; repeatable.
        kind: encoder, seq2seq (T5) or causal (LoRA; --quantised for QLoRA).
        test_share: Share of the questions to measure on.
        leave_out: Measure on models with this in their name; train on others.
        most: Replies to train on, and to measure on, at most.
    """
    from horsesense_extras.readers.trained.saved import Manifest
    from horsesense_extras.readers.training.learners import recipe_for
    from horsesense_extras.readers.training.reader import Plan, evaluate_reader, train_reader

    fields = pairs("map", map)
    if not files and not evaluate:
        raise UsageError(
            "There is nothing to train on and nothing to measure.",
            hint="Name annotated FILES to train on, or --evaluate FILE with a reader in --out.",
        )
    given = {**asdict(changes), "quantised": changes.quantised or None}
    recipe = recipe_for(kind, **given)
    if files:
        plan = Plan(kind, recipe, tuple(files), fields, test_share, leave_out, most)  # type: ignore[arg-type]
        trained = train_reader(plan, out)
        if not as_json:
            print(*table(trained), sep="\n", flush=True)
    others = (
        evaluate_reader(out, evaluate, fields, most=most, seed=changes.seed) if evaluate else []
    )
    told = Manifest.load(out).model_dump(mode="json")
    tell("train-reader", told, as_json, [line for other in others for line in evaluated(other)])


def evaluated(found: Evaluation) -> list[str]:
    """How another file was read."""
    left = ", ".join(f"{plural(n, 'row')}: {reason}" for reason, n in found.dropped.items())
    return [f"{found.file}{f' (left out: {left})' if left else ''}:", *_scores(found.results)]


def table(found: Trained) -> list[str]:
    """What was held out and how it was read, one line for each source model."""
    data = found.manifest.data
    return [
        f"{found.folder}: trained on {plural(data['trained_on'], 'reply')} to"
        f" {plural(data['questions_trained_on'], 'question')} in"
        f" {plural(len(found.losses), 'update')};"
        f" measured on {plural(data['measured_on'], 'reply')} to {data['questions_measured_on']}"
        " others.",
        *_scores(found.results),
    ]


def _scores(results: Sequence[Score]) -> list[str]:
    head = f"{'model':<28} options    n  wrong  accuracy  macro F1  fixed F1"
    return [
        head,
        *(
            f"{s.model or '-':<28} {s.options:>7} {s.n:>4} {s.wrong:>6} {s.accuracy:>9.4f}"
            f" {s.macro_f1:>9.4f} {s.macro_f1_fixed:>9.4f}"
            for s in results
        ),
    ]


@dataclass(frozen=True)
class Asked:
    """What is learned, how, and what is asked before and after.

    Attributes:
        stages: statements, or pretrain,sft: texts, then tuning as REVAS did.
        test_on: others, or with pretrain,sft learned: what is asked about.
        arms: What is learned, by commas; all by default.
        seeds: Trainings of each arm.
        train: Items to train on; all by default.
        test: Items to ask about: 30 %, of other clusters; or all that are learned.
        tune: Items to tune on, in the second stage; 30 % by default.
        tune_from: Items to tune on, in place of some of ITEMS.
        epochs: Passes over the items of the shortest arm.
        tune_epochs: Passes over the items to tune on.
        tokens: Tokens of each training, in place of --epochs.
        equal: What all trainings have alike: tokens, or statements (as texts are).
        suite: What is asked before and after; revas without --probes.
        faithful: The suite's protocol exactly as published.
        probes: Probes in place of a suite or beside it, by commas.
        readers: As of `horsesense audit`.
        max_tokens: Longest reply; 0 for scores alone.
        rate: Greatest learning rate.
        rank: Rank of the LoRA adapters.
        batch: Statements an update.
        dtype: float32, bfloat16 or float16.
        device: auto, cpu or cuda
    """

    stages: str = "statements"
    test_on: str | None = None
    arms: str | None = None
    seeds: int = 5
    train: int | None = None
    test: int | None = None
    tune: int | None = None
    tune_from: str | None = None
    epochs: int = 3
    tune_epochs: int = 3
    tokens: int | None = None
    equal: str | None = None
    suite: str | None = None
    faithful: bool = False
    probes: str | None = None
    readers: str = "auto"
    max_tokens: int = 16
    rate: float = 2e-4
    rank: int = 16
    batch: int = 8
    checkpointing: Annotated[
        bool, typer.Option("--checkpointing", help="Less memory, more time.")
    ] = False
    dtype: str = "float32"
    device: str = "auto"
    quantised: Annotated[bool, typer.Option("--quantised", help="QLoRA: the base in 4 bits.")] = (
        False
    )

    def experiment(self, **more: Any) -> Experiment:
        """The experiment that the options describe."""
        from horsesense.plugins import split_outside_brackets
        from horsesense_extras.build.stages import ASKED
        from horsesense_extras.models.hf.tuning import Recipe
        from horsesense_extras.training.experiment import STAGES, Experiment

        stages = tuple(split_outside_brackets(self.stages))
        staged = len(stages) > 1
        tested = "learned" if staged else "others"
        if self.test_on not in (None, tested):
            raise UsageError(
                f"--test-on {self.test_on} with --stages {self.stages}.",
                hint="Give --stages pretrain,sft --test-on learned, or neither.",
            )
        named = None if self.probes is None else tuple(split_outside_brackets(self.probes))
        same = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("rate", "rank", "batch", "checkpointing", "test_on"):
            del same[name]
        if staged and not (named or self.suite):
            named = ASKED
        every = ",".join(STAGES.get(stages, ()))
        same |= {
            "stages": stages,
            "arms": tuple(split_outside_brackets(self.arms or every)),
            "equal": self.equal or ("statements" if staged else "tokens"),
            "readers": tuple(split_outside_brackets(self.readers)),
            "suite": self.suite or (None if named else "revas"),
            "probes": named,
        }
        recipe = Recipe(
            rank=self.rank,
            alpha=2 * self.rank,
            rate=self.rate,
            batch=self.batch,
            checkpointing=self.checkpointing or self.quantised,
        )
        return Experiment(recipe=recipe, **same, **more)


@train.command()
def choice(
    items: options.Items,
    base: str,
    out: Path,
    asked: Asked,
    map: options.FieldMap = None,
    split: options.Split = None,
    where: options.Where = None,
    seed: options.Seed = 0,
    plan: Annotated[bool, typer.Option("--plan", help="Say what it takes, and stop.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Train on right answers, on wrong ones marked wrong, on both; is the score better after?

    Every arm has as many tokens (or statements) as the others, and one is a control. The suite is
    asked before and after, about items of other clusters. With --stages pretrain,sft texts are
    learned and then forms of the test, and the learned items are asked about. The same --out
    continues where it stopped.

    Example: horsesense train choice exam.csv --base smollm2 --out trained

    Args:
        base: Model to start from: smollm2, a directory or hub name.
        out: Folder; one that holds the same experiment is continued.
    """
    experiment = asked.experiment(
        items=items,
        base=base,
        map=options.pairs("map", map),
        split=split,
        where=options.pairs("where", where),
        seed=seed,
    )
    try:
        _perform(experiment, out, plan=plan, as_json=as_json)
    except KeyboardInterrupt:
        raise InterruptedRunError("Stopped.", hint="The same command continues.") from None


def _perform(experiment: Experiment, out: Path, *, plan: bool, as_json: bool) -> None:
    """Plan, and do what was planned unless the plan alone is wanted."""
    from horsesense.progress import say
    from horsesense_extras.training.api import Laboratory

    laboratory = Laboratory(experiment, out)
    planned = laboratory.plan()
    if plan and as_json:
        print_json("train-choice-plan", planned.as_json())
        return
    for line in planned.lines():
        print(line) if plan else say(line)
    if plan:
        return
    found = laboratory.run()
    told = laboratory.told(found)
    if as_json:
        print_json("train-choice", told)
        return
    from horsesense.cli.compare import plain, print_table
    from horsesense_extras.training.report import score_table, sentences, table

    for sentence in (*sentences(found), *told["unequal"]):
        print(f"- {plain(sentence)}")
    for heads, rows in (score_table(found), table(found)):
        print()
        print_table(heads, rows)
    print(f"Report: {out / 'training.html'}")
