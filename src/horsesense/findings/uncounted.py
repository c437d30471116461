"""Why a prompt or an item does not count, and of what nothing can be said, in words.

An item without a right answer, and one on which a reader was not fitted, are no part of a number:
they are left out, and lack nothing. What is part of it may not have been asked, may have failed or
have no reply, or have one that could not be read: it is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Self

from horsesense.findings.finding import Finding
from horsesense.findings.kinds import BY_NAME, KINDS
from horsesense.findings.places import MANY_PROBLEMS, RunToJudge
from horsesense.findings.sentences import MOST_LOST as MOST_LOST
from horsesense.measures.base import Estimate
from horsesense.measures.cells import HELD_OUT
from horsesense.measures.counting import NO_GOLD
from horsesense.measures.estimate import NO_TRIAL, Computed
from horsesense.measures.joined import ORIGINAL
from horsesense.measures.registry import MEASURES
from horsesense.stats.words import agreeing, plural, some_of
from horsesense.trials.condition import PLAIN

LACK: Final = "lack a clear reply"
"""What is true of items that were asked, and have no answer that counts."""
GOLDLESS: Final = "without a right answer"
"""What is true of items that a share of right answers leaves out."""
NOT_ASKED: Final = "not asked"
NO_REPLY: Final = "without a reply"
"""Of what has neither a reply nor a failure, as where a recording ends."""
FAILED: Final = "failed"
UNCLEAR: Final = "unclear"
_CLAUSES: Final[Mapping[str, str]] = {
    NOT_ASKED: "were not asked",
    NO_REPLY: "have no reply",
    FAILED: "failed",
    UNCLEAR: "have an unclear reply",
}
"""The same as clauses, said of several."""


class Missing(NamedTuple):
    """What a number lacks, each prompt or item under the first reason that holds.

    Attributes:
        not_asked: and has no failure either.
        failed: no reply came.
        unclear: a reply came, and its answer does not count.
        never: what became of those that were not asked.
    """

    not_asked: int
    failed: int
    unclear: int
    never: str

    @classmethod
    def of(cls, n: int, silent: tuple[int, int], *, unfinished: bool) -> Self:
        """Of `n` that are missing, of which so many were not asked, and failed.

        A problem that is put once for each label is missing once, and silent several times.
        """
        unasked = min(silent[0], n)
        failed = min(silent[1], n - unasked)
        return cls(unasked, failed, n - unasked - failed, NOT_ASKED if unfinished else NO_REPLY)

    def each(self) -> Iterator[tuple[int, str]]:
        """How many, and why, of every reason that holds of some."""
        said = ((self.not_asked, self.never), (self.failed, FAILED), (self.unclear, UNCLEAR))
        return ((n, why) for n, why in said if n > 0)

    def clause(self, of: int, noun: str) -> str:
        """As in a sentence: "5 of 313 prompts were not asked and 2 have an unclear reply"."""
        (n, why), *others = self.each()
        told = [some_of(n, of, noun, _CLAUSES[why])]
        told += [f"{n:,} {agreeing(n, _CLAUSES[why])}" for n, why in others]
        return " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def lack(*, silent: bool, failed: bool, unclear: bool) -> str:
    """What is true of prompts, or items, of a run that are missing from its numbers.

    Args:
        silent: whether some have no reply.
        failed: whether some failed, or asking came to its end all the same.
        unclear: whether some have a reply that is unclear.
    """
    if not silent:
        return LACK
    said = f"were not {'answered' if failed else 'asked'}"
    return f"{said} or {LACK}" if unclear else said


IN_SOME = "in a form that this compares"
"""Where an item lacks a reply, of which a number compares several."""


def in_some(lacking: str, where: str = IN_SOME) -> str:
    """The same of items that are asked in several forms, and lack a reply in one at least.

    >>> in_some("were not answered"), in_some("were not asked", "in some order")
    ('lack a reply in a form that this compares', 'were not asked in some order')
    """
    if lacking.startswith("were not answered"):
        lacking = LACK if LACK in lacking else "lack a reply"
    return f"{lacking} {where}"


def of_gold(measure: str) -> bool:
    """Whether items without a right answer are no part of a measure."""
    return measure in MEASURES and MEASURES.get(measure).of_gold


def left_out(n: int) -> str:
    """That items without a right answer do not count; "" where there is none."""
    return f"{plural(n, 'item')} {GOLDLESS} {'is' if n == 1 else 'are'} left out" if n else ""


CHOOSING: Final = ("valid_rate", "valid_change")
"""Measures of choosing an option, whatever is right: beside them stand shares of right answers."""


def also_counted(n: int) -> str:
    """That items without a right answer count, where others do not count them."""
    return f"{plural(n, 'item')} {GOLDLESS} {'counts' if n == 1 else 'count'} here too" if n else ""


def each_reason(why: Iterable[tuple[int, str]]) -> str:
    """Why items are not asked; where for several reasons, with how many each is true of.

    >>> each_reason([(3, "the text is empty")])
    'the text is empty'
    >>> each_reason([(1, "the text is empty"), (27, "it has no labels")])
    'it has no labels (27 items); the text is empty (1 item)'
    """
    ranked = sorted(why, key=lambda pair: -pair[0])
    if len(ranked) == 1:
        return ranked[0][1]
    return "; ".join(f"{reason} ({plural(n, 'item')})" for n, reason in ranked)


def covered_counts(fit: Mapping[str, Any]) -> Collection[int]:
    """The numbers of options of the items that a reader was fitted on; none of one that is not."""
    return [int(each["options"]) for each in fit.get("fits", ())]


def not_covered(fit: Mapping[str, Any], options: Iterable[int], reader: str) -> str:
    """Which items a reader says nothing of, in words; "" where there is none.

    Args:
        fit: what the reader was fitted on.
        options: how many each item has, of those that could count.
        reader: its name in sentences.
    """
    counts, had = covered_counts(fit), [*options]
    out = [k for k in had if k not in counts]
    if not counts or not out:
        return ""
    *first, last = sorted(set(out))
    numbers = f"{', '.join(map(str, first))} or {last}" if first else f"{last}"
    have = some_of(len(out), len(had), "item", f"have {numbers} options")
    return f"{have}, on which {reader} is not fitted"


def noun_of(counted: str, probe: str) -> str:
    """What a number under a probe counts: items, prompts, or the problems that share one.

    >>> noun_of("items", "order"), noun_of("trials", "order"), noun_of("trials", "batch")
    ('item', 'prompt', 'problem')
    """
    if counted != "trials":
        return counted.removesuffix("s")
    return "problem" if probe in MANY_PROBLEMS else "prompt"


def untested(
    run: RunToJudge,
    found: Iterable[Computed],
    sizes: Mapping[str, float],
    told: Collection[tuple[str, str]],
) -> list[Finding]:
    """Kinds of findings that nothing could be measured of, with the reason; one a kind and probe.

    Args:
        told: kinds and probes of which something is said already.
    """
    why = {
        (kind.name, probe): f"not asked: {reason}"
        for probe, reason in run.unasked.items()
        for kind in KINDS
        if kind.asks(run, probe)
    }
    rates = choosing(found)
    for estimate, *_ in found:
        for kind in KINDS:
            silent = kind.measure == estimate.measure and estimate.value is None
            if silent and kind.takes(run, estimate):
                why.setdefault((kind.name, estimate.probe), _why(run, estimate, rates))
    return [
        Finding(
            kind=name,
            conclusion="undecided",
            reason="unmeasured",
            probe=probe,
            reader=run.reader,
            label="" if probe == ORIGINAL else str(run.probes[probe]["title"]),
            null=BY_NAME[name].null or 0.0,
            size=sizes[name],
            detail=reason,
        )
        for (name, probe), reason in why.items()
        if (name, probe) not in told
    ]


def choosing(found: Iterable[Computed]) -> dict[tuple[str, str, str], float]:
    """The share of replies that choose an option, by probe, condition and reader."""
    rates = (estimate for estimate, *_ in found if estimate.measure == "valid_rate")
    return {
        (e.probe, e.condition.format(), e.reader): e.value for e in rates if e.value is not None
    }


def _why(run: RunToJudge, e: Estimate, rates: Mapping[tuple[str, str, str], float]) -> str:
    """Why an estimate has no value; what was not asked explains it first, then what failed.

    Args:
        rates: what `choosing` gives.
    """
    if e.note == NO_TRIAL:
        if run.never_asked(e.probe):
            return "its prompts were not asked"
        if run.lost_shares(e)[1] == 1:
            return "none of its requests was answered"
        if e.n_missing and run.lost_shares(e)[1]:
            return "its requests failed, or no reply could be read"
        forms = (e.probe, e.condition.format()), (ORIGINAL, PLAIN.format())
        read = {rates.get((probe, form, e.reader)) for probe, form in forms}
        return "no reply chooses an option" if 0 in read else "no reply could be read"
    if e.note == NO_GOLD and run.some_gold:
        return "no item that was asked has a gold answer"
    return e.note


def asked_as(title: str) -> str:
    """How several problems were asked in one prompt, for a sentence that says that they were."""
    return title.lower().removeprefix("many problems, ")


READERS = {
    "first_token": "the first token",
    "option_text": "the option text",
    "pride": "PriDe",
    "text": "the text",
}
"""Kinds of readers in words."""


def named(reader: str, among: Iterable[str]) -> str:
    """A reader in words, with its settings where they tell it from `among` others of its kind.

    One that was fitted is judged on other items.
    """
    fitted = reader.removesuffix(HELD_OUT)
    kind, _, settings = fitted.partition("(")
    name = READERS.get(kind, fitted)
    if name != fitted and settings and sum(r.partition("(")[0] == kind for r in among) > 1:
        name = f"{name} ({settings}"
    return name if fitted == reader else f"{name} (on items that it was not fitted on)"
