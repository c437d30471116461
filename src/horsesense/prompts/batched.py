"""What templates of many problems need: the numbered problems, and worked examples of bundles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from horsesense.errors import UsageError
from horsesense.items.item import Item, normalised
from horsesense.items.tasks import Task
from horsesense.trials.answer_formats import index_json, label_key, label_lines, numbers
from horsesense.trials.trial import Trial, Variant, bundled


class ShownProblem(NamedTuple):
    """A bundle as a prompt shows it: the trial's own, or a worked example.

    Attributes:
        problems: its members in order.
        labels: the classes of all of them; empty where each problem has options of its own.
        asked: the class to be selected; "" where all are.
        gold: the right class or letter of each; empty for the trial's own.
    """

    problems: Sequence[Variant | Item]
    labels: Sequence[str]
    asked: str
    gold: Sequence[str] = ()


def own(trial: Trial) -> ShownProblem:
    """The bundle that a trial asks about."""
    first = trial.variants[0]
    labels = () if first.labels else first.options
    return ShownProblem(trial.variants, labels, bundled(trial).asked or "")


def examples(trial: Trial, pool: Iterable[Item], k: int, task: Task) -> Iterator[ShownProblem]:
    """`k` worked bundles of the trial's size: the first items of `pool`, in its order.

    Items that the trial shows are passed over. Where examples alternate, they go through the
    labels in the order of `task`. UsageError if there are too few items.
    """
    size, bundle = len(trial.variants), own(trial)
    shown = {v.item_id for v in trial.variants} | {v.question for v in trial.variants}
    usable = (i for i in pool if i.id not in shown and i.question not in shown)
    for number in range(k):
        items = list(islice(usable, size))
        if len(items) < size:
            raise UsageError(
                f"{k} worked examples of {size} problems need {k * size} items with gold.",
                hint="Give a larger --shots-from file, or ask for smaller sizes.",
            )
        label = bundle.asked
        if label and bundled(trial).examples == "alternate":
            label = _in_order(bundle.labels, task)[number % len(bundle.labels)]
        gold = [_gold(item, trial) for item in items]
        problems = items
        if bundled(trial).shows == "label":
            problems = [Item(i.id, g, i.options, i.gold) for i, g in zip(items, gold, strict=True)]
        yield ShownProblem(problems, bundle.labels, label, gold)


def _in_order(labels: Sequence[str], task: Task) -> Sequence[str]:
    """Labels in the order of published examples of the task: the one that these begin with, then
    those of the task, not of the alphabet; as they are where it has none."""
    first = [task.begins] if task.begins else []
    order = dict.fromkeys(map(normalised, [*first, *task.labels]))
    places = {label: place for place, label in enumerate(order)}
    return sorted(labels, key=lambda label: places.get(normalised(label), 0))


def _gold(item: Item, trial: Trial) -> str:
    """The right answer of an example in the words of the trial."""
    if item.gold is None:
        raise UsageError(f"few-shot item {item.id!r} has no gold answer.")
    labels = trial.variants[0].labels
    if not labels:
        return item.options[item.gold]
    longest = max((v.labels for v in trial.variants), key=len)
    if item.gold >= len(longest):
        raise UsageError(f"few-shot item {item.id!r} has more options than there are labels.")
    return longest[item.gold]


def worked_answer(trial: Trial, shown: ShownProblem) -> str:
    """The right reply to a worked example, in the form that the trial asks for."""
    if trial.answer_format == "label_lines":
        return label_lines(shown.gold, anchored=bundled(trial).lines == "anchored")
    labels = [shown.asked] if shown.asked else list(shown.labels)
    chosen = {
        label: [n for n, gold in enumerate(shown.gold, 1) if gold == label] for label in labels
    }
    answer = index_json(chosen, len(shown.gold))
    return answer if not bundled(trial).cot else _reasoned(shown, chosen, answer)


def _reasoned(shown: ShownProblem, chosen: Mapping[str, Sequence[int]], answer: str) -> str:
    """Classify first, line by line, then select (specification, 4.2)."""
    count = len(shown.gold)
    found = []
    for label, given in chosen.items():
        which = numbers(given, count)
        which = ", ".join(map(str, which)) if isinstance(which, list) else which.lower()
        found.append(f'"{label}" holds for {which}')
    return (
        f"First, the class of each, one a line:\n{label_lines(shown.gold, anchored=True)}\n"
        f"So {'; '.join(found)}. The answer as JSON:\n{answer}"
    )


def bundle_fields(trial: Trial, shown: ShownProblem, task: Task) -> Mapping[str, Any]:
    """What a template of many problems may use."""
    return {
        **trial.extras.named(),
        "task": task,
        "count": len(shown.problems),
        "labels": list(shown.labels),
        "keys": [label_key(label) for label in shown.labels],
        "asked": shown.asked,
        "key": label_key(shown.asked),
        "lines": bundled(trial).lines,
        "problems": numbered(shown.problems, trial, task),
    }


def numbered(problems: Sequence[Variant | Item], trial: Trial, task: Task) -> str:
    """The problems in one block, each with its number.

    Each text stands on one line, whatever line breaks it has: a line that begins with "3." inside
    a text must not look like the third problem.
    """
    longest: tuple[str, ...] = max((v.labels for v in trial.variants), key=len)
    bodies = [_problem(problem, longest, task) for problem in problems]
    gap = "\n\n" if any("\n" in body for body in bodies) else "\n"
    return gap.join(f"{number}. {body}" for number, body in enumerate(bodies, 1))


def _problem(problem: Variant | Item, letters: Sequence[str], task: Task) -> str:
    parts = [problem.context] if problem.context else []
    if problem.text_b is not None:
        parts += [f"{task.target}: {problem.target}"] if problem.target else []
        parts += [f"{task.text_a}: {problem.question}", f"{task.text_b}: {problem.text_b}"]
    else:
        parts.append(problem.question or "")
        parts += [f"{task.target}: {problem.target}"] if problem.target else []
    lines = [_one_line(part) for part in parts]
    if letters:
        lines += [f"{a}. {_one_line(o)}" for a, o in zip(letters, problem.options)]  # noqa: B905
    return "\n".join(lines)


@lru_cache(maxsize=1 << 13)
def _one_line(text: str) -> str:
    """A text without line breaks; the same texts stand in many prompts."""
    return " ".join(text.split())


def answer_tokens(trial: Trial) -> int:
    """Room for a complete answer, generous: about three characters a token."""
    count = len(trial.variants)
    names = trial.variants[0].labels or trial.variants[0].options
    line = max(map(len, names)) // 3 + 6
    if trial.answer_format == "label_lines":
        return count * line + 16
    # Numbers of up to three digits with comma and space; an index may stand under several labels.
    listed = 2 * 5 * count + 16 * len(trial.variants[0].options) + 32
    return listed + (count * line + 5 * count + 96 if bundled(trial).cot else 0)
