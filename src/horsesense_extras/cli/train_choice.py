"""`horsesense train choice`: does training on wrong answers help? (REVAS, section 5)"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli import options
from horsesense.cli.output import print_json
from horsesense.errors import InterruptedRunError

if TYPE_CHECKING:
    from horsesense_extras.training.experiment import Experiment

Base = Annotated[
    str,
    typer.Option(help="Model to start from: smollm2, a directory or hub name.", show_default=False),
]
Out = Annotated[Path, typer.Option(help="Folder; one that holds the same experiment is continued.")]


@dataclass(frozen=True)
class Asked:
    """What is learned, how, and what is asked before and after."""

    arms: Annotated[
        str, typer.Option(help="What is learned, separated by commas; shuffled is the control.")
    ] = "positive,negative,mixed,shuffled"
    seeds: Annotated[int, typer.Option(help="Trainings of each arm.")] = 5
    train: Annotated[int | None, typer.Option(help="Items to train on; all by default.")] = None
    test: Annotated[
        int | None, typer.Option(help="Items of other clusters to evaluate on; 30 % by default.")
    ] = None
    epochs: Annotated[int, typer.Option(help="Passes over the items of the shortest arm.")] = 3
    tokens: Annotated[
        int | None, typer.Option(help="Tokens of each training, in place of --epochs.")
    ] = None
    equal: Annotated[
        str, typer.Option(help="What all trainings have alike: tokens, or statements.")
    ] = "tokens"
    suite: Annotated[
        str | None, typer.Option(help="What is asked before and after; revas without --probes.")
    ] = None
    faithful: Annotated[bool, typer.Option(help="The suite's protocol exactly as published.")] = (
        False
    )
    probes: Annotated[
        str | None, typer.Option(help="Probes in place of a suite or beside it, by commas.")
    ] = None
    readers: Annotated[str, typer.Option(help="As of `horsesense audit`.")] = "auto"
    max_tokens: Annotated[int, typer.Option(help="Longest reply; 0 for scores alone.")] = 16
    rate: Annotated[float, typer.Option(help="Greatest learning rate.")] = 2e-4
    rank: Annotated[int, typer.Option(help="Rank of the LoRA adapters.")] = 16
    batch: Annotated[int, typer.Option(help="Statements an update.")] = 8
    checkpointing: Annotated[
        bool, typer.Option("--checkpointing", help="Less memory, more time.")
    ] = False
    dtype: Annotated[str, typer.Option(help="float32, bfloat16 or float16.")] = "float32"
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, ...")] = "auto"
    quantised: Annotated[bool, typer.Option("--quantised", help="QLoRA: the base in 4 bits.")] = (
        False
    )

    def experiment(self, **more: Any) -> Experiment:
        """The experiment that the options describe."""
        from horsesense.plugins import split_outside_brackets
        from horsesense_extras.models.hf.tuning import Recipe
        from horsesense_extras.training.experiment import Experiment

        named = None if self.probes is None else tuple(split_outside_brackets(self.probes))
        same = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("rate", "rank", "batch", "checkpointing"):
            del same[name]
        same |= {
            "arms": tuple(split_outside_brackets(self.arms)),
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


def choice(
    items: options.Items,
    base: Base,
    out: Out,
    asked: Asked,
    map: options.FieldMap = None,
    split: options.Split = None,
    where: options.Where = None,
    seed: options.Seed = 0,
    plan: Annotated[bool, typer.Option("--plan", help="Say what it takes, and stop.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Train on right answers, on wrong ones marked wrong, on both; is the score better after?

    Every arm has as many tokens (or statements) as the others, and one has its marks shuffled. The
    suite is asked before and after, about items of other clusters. The same --out continues where
    it stopped.
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
