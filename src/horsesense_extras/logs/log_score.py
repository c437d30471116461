"""The score that a log gives itself, beside the same answers read by what they say.

What a log counts as wrong may be right, or no answer at all: its scorer may miss what a reply
states, and a reply may be cut off. Both are told as findings, with the score without them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from horsesense.inference.store import Store
from horsesense.measures.base import Estimate
from horsesense.readers.causes import BECAME, LOST, WORDS, Cause, of_status
from horsesense.readers.reading import STATUSES
from horsesense.runs.directory import RunDirectory
from horsesense.runs.measure import gone
from horsesense.runs.parts import readable, scan_parts
from horsesense.runs.results import Results
from horsesense.stats.words import agreeing, percent, plural, some_of
from horsesense_extras.logs.imported import RECORDED
from horsesense_extras.logs.told import logs_of

_CAUSES = {status: of_status(status) for status in STATUSES}

EXAMPLES = 1_000
"""Differing answers that are named."""
VALUE = pl.col("value")
NAMED = 3
"""Answers that a sentence names."""
SOME = 200
"""Replies called cut off in which a stop reason is looked for."""


class Differing(NamedTuple):
    """One answer that the log counts otherwise than what it says.

    Attributes:
        item_id, repetition: which answer, repetitions from 0.
        reply: what came back.
        said: what it says as read: the label shown, an option's text, or what became of it.
        log_answer: what the log took it for; None where it does not say.
        log_value: what the log gave for it, 0 to 1.
        right: whether what it says is right.
    """

    item_id: str
    repetition: int
    reply: str
    said: str
    log_answer: str | None
    log_value: float
    right: bool


@dataclass(frozen=True)
class LogScore:
    """A log's own score beside that of a reader.

    Attributes:
        name: of the log's score, as its samples have it.
        reported: the numbers that the log reports, untouched, by their names there; several where
            it has one for each split.
        from_samples: the mean over items of their samples' scores; None where none is a number.
        reader: by which the answers were read.
        said: the accuracy as read; None where no right answer is known.
        said_as_graded: the same where unread replies count as wrong, as logs count them.
        both: answers with a score of the log and a known right answer.
        differ: of these, how many the two count differently.
        right: how many are right in the log.
        worth: what guesses, between wrong and right, add to these.
        only_log: what became of those that are right only in the log, by cause.
        examples: those counted differently, right as said and right in the log in turn.
        answers, graded: samples of the logs, and how many of them have a score.
        over: of how many samples the reported number is, as the logs say; None where they do not.
        missed: answers graded as wrong that state the right choice; 0 where scores were read.
        without_missed: the mean of the log's scores of all others; None where nothing was missed.
        if_right: the mean of the log's scores with those counted as right.
        lost: cause -> answers lost to it, however graded.
        lost_as_wrong: how many of them are graded as wrong.
        without_lost: the mean of the log's scores of all others; None where nothing was lost.
        if_lost: the same of all answers, were those lost all wrong, and all right; empty as above.
        guesses: how many of the lost and the missed are graded as guesses, between wrong and right.
        named: items of the lost, and of the missed, where there are few.
    """

    name: str
    reported: Mapping[str, float]
    from_samples: float | None
    reader: str
    said: Estimate | None
    said_as_graded: Estimate | None
    both: int
    differ: int
    right: int
    worth: float
    only_log: Mapping[Cause, int]
    examples: tuple[Differing, ...]
    answers: int
    graded: int
    over: int | None
    missed: int
    without_missed: float | None
    if_right: float | None
    lost: Mapping[Cause, int]
    lost_as_wrong: int
    without_lost: float | None
    if_lost: tuple[float, ...]
    guesses: int
    named: tuple[Sequence[str], Sequence[str]]

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        both = {name: getattr(self, name) for name in ("said", "said_as_graded")}
        examples = [example._asdict() for example in self.examples]
        return {f.name: getattr(self, f.name) for f in fields(self)} | {
            **{name: said and said.as_json() for name, said in both.items()},
            "examples": examples,
            "findings": list(self.findings()),
        }

    def findings(self) -> Iterator[str]:
        """What is behind the log's score, in sentences."""
        if self.lost:
            each = sorted(self.lost.items(), key=lambda pair: -pair[1])
            *first, last = (f"{n:,} {agreeing(n, BECAME[cause])}" for cause, n in each)
            said = f"{', '.join(first)} and {last}" if first else last
            wrong, n = self.lost_as_wrong, sum(self.lost.values())
            low, high = (percent(end, 1) for end in self.if_lost)
            ends = "{0} with {2} wrong, {1} with {2} right".format(low, high, _them(n))
            some = f"{wrong:,} of them {agreeing(wrong, 'count')}" if wrong else "none counts"
            who = some if wrong < n else "all count" if n > 1 else "it counts"
            yield (
                f"Of {plural(self.graded, 'answer')} that the log grades, {said}"
                f"{_listed(self.named[0])}; {who} as {self._low}"
                f"{self._without(n, self.without_lost, ends)}."
            )
        if self.missed:
            right = f"{percent(self.if_right or 0.0, 1)} with credit for {_them(self.missed)}"
            yield (
                f"{some_of(self.missed, self.graded, 'answer', 'state')} the right choice, and the"
                f" log grades {_them(self.missed)} as {self._low}"
                f"{_listed(self.named[1])}"
                f"{self._without(self.missed, self.without_missed, right)}."
            )
        if self.only_log:
            lost = sum(self.only_log.values())
            only = _kinds(self.only_log.items())
            aside = f" (its guesses, worth {self.worth:.1f}, left out)" if self.worth else ""
            yield (
                f"{self.right:,} right in the log{aside} + {self.differ - lost:,} right only as"
                f" read - {lost:,} right only in the log (as read: {only}) ="
                f" {self.right + self.differ - 2 * lost:,} right as read, of {self.both:,}."
            )
        if self.graded < self.answers:
            left = self.answers - self.graded
            yield (
                f"The log grades {self.graded:,} of {plural(self.answers, 'sample')}: its score"
                f" leaves out the other{'' if left == 1 else f' {left:,}'}."
            )
        if self.over is not None:
            yield (
                f"The log says that its score is of {plural(self.over, 'sample')}, and it holds"
                f" {plural(self.graded, 'graded answer')}."
            )

    @property
    def _low(self) -> str:
        return "wrong or as a guess" if self.guesses else "wrong"

    def _without(self, n: int, score: float | None, counted: str) -> str:
        """What the score is without `n` answers, and counted otherwise, beside the log's."""
        if self.own is None:
            return ""
        without = [] if score is None else [f"{percent(score, 1)} without {_them(n)}"]
        return f" ({', '.join([f'{percent(self.own, 1)} in the log', *without, counted])})"

    @property
    def own(self) -> float | None:
        """The log's score as one number: as reported where there is one, else from its samples."""
        return next(iter(self.reported.values())) if len(self.reported) == 1 else self.from_samples


@lru_cache(1)  # the command, the page and its notices ask for the same
def log_scores(results: Results) -> list[LogScore]:
    """Each score of the logs of an imported run, in their order; empty for other runs.

    Raises StoreError where the run's files are damaged.
    """
    directory = results.directory
    logs = logs_of(directory)
    if not (names := main_scores(logs)):
        return []
    reader = "text" if "text" in results.readers else results.reader
    with readable(directory.layout.root):
        frame = joined(directory, reader)
    said = tuple(results.one(name, reader=reader) for name in ("accuracy", "accuracy_as_graded"))
    of = defaultdict(frame.clear, frame.partition_by("name", as_dict=True))
    with directory.store() as store:
        return [_score(store, logs, of[name,], name, reader, said) for name in names]


def findings(results: Results, scores: Sequence[LogScore]) -> list[str]:
    """What is behind the first of a log's scores; where it has none, what became of its replies."""
    behind = [*(scores[0].findings() if scores else ()), *_contradicting(results)]
    found = [*behind, *_inferred(results)]
    loss = results.losses().get("original")
    return found if scores or loss is None or not loss.lost else [f"{loss.words}."]


def _contradicting(results: Results) -> Iterator[str]:
    """How many replies name one option by its label and another by its text."""
    one = (pl.col("rule") == "other_text") & (pl.col("reader") == results.reader)
    of = results.directory.readings().filter(one).select("cause").collect()["cause"]
    if n := len(of):
        gives, kinds = agreeing(n, "give"), _kinds(of.value_counts(sort=True).rows())
        yield f"{plural(n, 'reply')} {gives} a label with another option's text ({kinds})."


def _kinds(counts: Iterable[tuple[Cause, int]]) -> str:
    return ", ".join(f"{WORDS[cause]} {n:,}" for cause, n in counts)


def _inferred(results: Results) -> Iterator[str]:
    """That no stop reason says so where replies are called cut off."""
    directory = results.directory
    cut = (pl.col("cause") == "cut_off") & (pl.col("reader") == results.reader)
    read = directory.readings().filter(cut).select("trial").head(SOME)
    keys = directory.trials().join(read, on="trial").select("key").collect()["key"].to_list()
    if not keys:
        return
    with directory.store() as store:
        if not any(getattr(one, "finish_reason", None) for one in store.get(keys).values()):
            yield "No stop reason stands in the log: “cut off” is inferred from how a reply ends."


def main_scores(logs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the scores that a log reports means of; where it reports none, all that it has."""
    named = [r["score"] for log in logs for r in log["reported"] if r["score"] in log["scores"]]
    return list(dict.fromkeys(named or [name for log in logs for name in log["scores"]]))


def joined(directory: RunDirectory, reader: str) -> pl.DataFrame:
    """One row per answer and score of a log, with what the reader made of the answer."""
    recorded = scan_parts([directory.layout.recorded], RECORDED).filter(
        pl.col("value").is_not_null()
    )
    read = directory.readings().filter(pl.col("reader") == reader)
    # An answer that others read, as scores where this one reads replies, has not failed.
    others = directory.readings().select("trial", by_others=pl.lit("choice")).unique()
    status = pl.col("status").replace_strict(_CAUSES)
    causes = gone(directory)
    unheard = pl.LazyFrame(
        {"key": causes.keys(), "gone": causes.values()}, {"key": pl.Binary, "gone": pl.String}
    )
    known = pl.coalesce("cause", status, "by_others", "gone", pl.lit("failed"))
    shown = directory.trials().filter(pl.col("probe") == "original")
    columns = ("trial", "item_id", "repetition", "labels", "options", "key")
    return (
        recorded.join(shown.select(columns), on="trial")
        .join(
            read.select("trial", "status", "positions", "correct", "cause"), on="trial", how="left"
        )
        .join(others, on="trial", how="left")
        .join(unheard, on="key", how="left")
        .with_columns(cause=known)
        .drop("by_others", "gone")
        .sort("trial")
        .collect()
    )


def _score(
    store: Store,
    logs: Sequence[Mapping[str, Any]],
    frame: pl.DataFrame,
    name: str,
    reader: str,
    said: Sequence[Estimate | None],
) -> LogScore:
    names = [(log["task"], Path(log["path"]).name, log["path"]) for log in logs]
    having = Counter(name for each in names for name in set(each))

    def named(log: Mapping[str, Any]) -> str:
        """What tells the numbers of several logs apart: the task, or of one task the file."""
        each = names[logs.index(log)]
        found = next((name for name in each if having[name] == 1), each[-1])
        return f"{found}: " * (len(names) > 1)

    reported = {
        f"{named(log)}{row['name']}": row["value"]
        for log in logs
        for row in log["reported"]
        if row["score"] == name
    }
    means = [log["scores"][name] for log in logs if name in log["scores"]]
    # One of two options drawn at random is a guess, and not right.
    both, right = pl.col("correct").is_not_null(), pl.col("value") > 0.5
    wrong, stated = ~right, pl.col("correct").fill_null(value=False)
    differ = both & (right != stated)
    # Scores are read as they stand: no scorer can miss them.
    missed = wrong & stated & (pl.col("cause") == "choice") & (reader == "text")
    lost = pl.col("cause").is_in(list(LOST))
    guesses = (lost | missed) & wrong & (pl.col("value") > 0)
    numbers = "both", "differ", "right", "missed", "lost_as_wrong", "guesses"
    each = zip(numbers, (both, differ, both & right, missed, lost & wrong, guesses), strict=True)
    differing, of_lost, of_missed = (frame.filter(of) for of in (differ, lost, missed))
    counts = of_lost["cause"].value_counts(sort=True).rows()
    return LogScore(
        **frame.select(of.sum().alias(number) for number, of in each).row(0, named=True),
        name=name,
        reported=reported,
        from_samples=means[0] if len(means) == 1 else mean_of(frame),
        reader=reader,
        said=said[0],
        said_as_graded=said[1],
        worth=float(frame.filter(both & wrong)["value"].sum()),
        only_log=dict(differing.filter(~pl.col("correct"))["cause"].value_counts(sort=True).rows()),
        examples=_examples(store, differing),
        answers=sum(log["samples"] for log in logs),
        graded=frame.height,
        over=_over(logs, name, {frame.height, frame["item_id"].n_unique()}),
        without_missed=_without(frame, missed),
        if_right=mean_of(frame, pl.when(missed).then(1.0).otherwise("value")),
        lost=dict(counts),
        without_lost=_without(frame, lost),
        if_lost=tuple(
            mean_of(frame, pl.when(lost).then(end).otherwise("value")) or 0.0
            for end in (0.0, 1.0) * bool(counts)
        ),
        named=(_items(of_lost), _items(of_missed)),
    )


def _items(frame: pl.DataFrame) -> list[str]:
    """The items of answers, where they are few enough to be named."""
    return frame["item_id"].to_list() if frame.height <= NAMED else []


def _them(n: int) -> str:
    return "it" if n == 1 else "them"


def _listed(names: Sequence[str]) -> str:
    named = f"item{'s' if len(names) > 1 else ''} {', '.join(name[:60] for name in names)}"
    return f" ({named})" if names else ""


def _without(frame: pl.DataFrame, left_out: pl.Expr) -> float | None:
    """The mean of the log's scores without some; None where there are none, or no others."""
    rest = frame.filter(~left_out)
    return mean_of(rest) if rest.height < frame.height else None


def mean_of(graded: pl.DataFrame, score: pl.Expr = VALUE) -> float | None:
    """The mean over items of the mean over their answers, as programs reduce epochs; None for no
    answers."""
    items = graded.group_by("item_id", maintain_order=True).agg(score.alias("score").mean())
    return float(items["score"].to_numpy().mean()) if items.height else None


def _over(logs: Sequence[Mapping[str, Any]], name: str, there: set[int]) -> int | None:
    """Of how many samples the one log says its score is, where they are not those it holds."""
    rows = [row for log in logs for row in log["reported"] if row["score"] == name]
    said = {row.get("over") for row in rows} - {None}
    [over, *more] = said or {None}
    return None if len(logs) > 1 or more or over in there else over


def _examples(store: Store, differing: pl.DataFrame) -> tuple[Differing, ...]:
    turn = pl.int_range(pl.len()).over("correct")
    rows = differing.sort(turn, ~pl.col("correct")).head(EXAMPLES).to_dicts()
    replies = store.get([row["key"] for row in rows])
    return tuple(
        Differing(
            row["item_id"],
            row["repetition"],
            replies[row["key"]].text,
            _said(row),
            row["answer"],
            row["value"],
            row["correct"],
        )
        for row in rows
    )


def _said(row: Mapping[str, Any]) -> str:
    """What a reply says, in a few words."""
    if row["status"] != "answer":
        return WORDS[row["cause"]]
    names = row["labels"] or row["options"]
    return ", ".join(str(names[place]) for place in row["positions"])
