"""One item as the report shows it: what was chosen in each form, and what differs between forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from horsesense.items.item import Item
from horsesense.measures.contrast import REPEAT
from horsesense.measures.joined import ORIGINAL
from horsesense.models.messages import Request
from horsesense.report.examples import AskedExample, Read, letter, messages
from horsesense.stats.words import plural

SAME_CONTENT = (ORIGINAL, REPEAT, "order", "labels")
"""Probes whose forms keep question and options; what they chose is counted together."""
MOST_COLUMNS = 6
"""Options that have a column of their own; with more, the answer stands in words alone."""
QUOTED = 60
"""Characters of a quoted answer."""
MOST_ROWS = 6
"""Forms of one label that have a row each; of more, those that choose otherwise come first."""
MOST_UNFOLDED = 10
"""Forms of an item that hold their prompt and reply, unless the item has a page of its own."""
ADDED = "+"
"""Column of everything that a probe put among the options."""

Outcome = Literal["right", "wrong", "other"]
"""Of a form: right, wrong, or without a right answer, a choice or a reply."""


class ReplyLine(NamedTuple):
    """A line of a prompt; `same` where the published form has it too."""

    text: str
    same: bool = False


class Message(NamedTuple):
    """A message of a prompt; `lines` repeats what differs and the options, and counts the rest."""

    role: str
    lines: tuple[ReplyLine, ...]


class Form(NamedTuple):
    """One form of an item.

    Attributes:
        label: what was changed, in words; numbered where it was asked in several versions.
        outcome: whether it was answered right.
        cells: per column the label that was chosen there; "" elsewhere; empty without columns.
        answer: what was chosen, in words.
        prompt: the messages; empty where the form is `plain` or has no stored request.
        asked: the trial, with its reply and readings.
        plain: there is nothing to unfold, as what was chosen is what was chosen as published.
        unfolded: shown unfolded, since it decides.
        more: what stands below its row: how many forms of its label have none; "" for none.
    """

    label: str
    outcome: Outcome
    cells: tuple[str, ...]
    answer: str
    prompt: tuple[Message, ...]
    asked: AskedExample
    plain: bool
    unfolded: bool = False
    more: str = ""


class ItemView(NamedTuple):
    """An item and everything that was asked about it.

    Attributes:
        item: as published.
        columns: heads of the columns; empty where options are too many to have one each.
        forms: in the order in which they were asked.
        squares: outcomes, probe by probe.
        tally: (option in words, how often it was chosen, whether it is right) over the forms that
            keep the content, the most frequent first.
        changed: forms that choose otherwise than as published.
        reasons: what happened to it.
    """

    item: Item
    columns: tuple[str, ...]
    forms: tuple[Form, ...]
    squares: tuple[tuple[Outcome, ...], ...]
    tally: tuple[tuple[str, int, bool], ...]
    changed: int
    reasons: tuple[str, ...]

    @property
    def spoken(self) -> str:
        """The squares in words."""
        outcomes = [outcome for group in self.squares for outcome in group]
        return f"right in {outcomes.count('right')} of {plural(len(outcomes), 'form')}"


def view_of(
    item: Item,
    trials: Sequence[AskedExample],
    reader: str,
    exchanged: Callable[[Sequence[AskedExample]], Sequence[AskedExample]],
    reasons: Sequence[str] = (),
    *,
    whole: bool = False,
) -> ItemView:
    """An item as shown; `whole` repeats every prompt in full and leaves nothing out.

    Args:
        item: as published.
        trials: everything that was asked about it, in order.
        reader: the main reader.
        exchanged: adds what was sent and what came back to trials whose prompts are shown.
        reasons: what happened to it.
        whole: whether it stands on a page of its own.
    """
    published = next((t for t in trials if t.probe == ORIGINAL), None)
    columns = _columns(item, trials)
    forms = list(_forms(item, trials, reader, columns, published, whole=whole))
    numbered = _numbered(forms)
    shown = numbered if whole else _with_evidence(_with_rows(numbered))
    beside = [] if published is None or whole else [published]
    asked = exchanged([*beside, *(form.asked for form in shown if not form.plain)])
    base, rest = asked[0] if beside else None, iter(asked[len(beside) :])
    return ItemView(
        item,
        columns,
        tuple(form if form.plain else _with_prompt(form, next(rest), base) for form in shown),
        tuple(_squares(forms)),
        tuple(_tally(item, trials, reader)),
        sum(not form.plain and form.asked is not published for form in forms),
        tuple(reasons),
    )


def quoted(text: str) -> str:
    """A text in quotation marks, cut where it is long.

    >>> quoted("A decline in investment.")
    '“A decline in investment.”'
    """
    line = " ".join(text.split())
    return f"“{line if len(line) <= QUOTED else line[: QUOTED - 1].rstrip() + '…'}”"


def _reading(trial: AskedExample | None, reader: str) -> Read | None:
    return next((r for r in trial.readings if r.reader == reader), None) if trial else None


def _chosen(trial: AskedExample, reader: str) -> tuple[int, ...] | None:
    """The content that was chosen, as published options or what was added; None without one."""
    read = _reading(trial, reader)
    if read is None or read.reading.status != "answer":
        return None
    return tuple(trial.origin[p] for p in read.reading.positions if p < len(trial.origin))


def _columns(item: Item, trials: Sequence[AskedExample]) -> tuple[str, ...]:
    """One head per published option, and one for what was added, where they are few."""
    k = len(item.options)
    if not 1 < k <= MOST_COLUMNS:
        return ()
    added = any(o < 0 for t in trials for o in t.origin)
    return (*map(letter, range(k)), *([ADDED] if added else []))


def _forms(
    item: Item,
    trials: Sequence[AskedExample],
    reader: str,
    columns: Sequence[str],
    published: AskedExample | None,
    *,
    whole: bool,
) -> Iterator[Form]:
    before = _chosen(published, reader) if published else None
    for trial in trials:
        chosen, read = _chosen(trial, reader), _reading(trial, reader)
        outcome: Outcome = "other"
        if read is not None and read.correct is not None:
            outcome = "right" if read.correct else "wrong"
        same = chosen is not None and chosen == before
        differing = any(_differs(read, other) for other in trial.readings)
        plain = same and not differing and trial is not published and not whole
        cells, answer = _cells(trial, read, columns), _in_words(item, trial, read)
        yield Form(trial.label, outcome, cells, answer, (), trial, plain)


def _with_prompt(form: Form, asked: AskedExample, base: AskedExample | None) -> Form:
    """A form with its prompt, beside that of `base` where it is another."""
    before = None if base is None or base.number == asked.number else base.request
    prompt = _prompt(asked.request, before, asked.options) if asked.request else ()
    return form._replace(asked=asked, prompt=prompt)


def _differs(one: Read | None, other: Read) -> bool:
    """Whether another reader chose another option; one that could not read says nothing."""
    if one is None or other.reading.status != "answer":
        return False
    return one.reading.positions != other.reading.positions


def _cells(trial: AskedExample, read: Read | None, columns: Sequence[str]) -> tuple[str, ...]:
    if not columns:
        return ()
    cells = [""] * len(columns)
    if read is not None and read.reading.status == "answer":
        for p in read.reading.positions:
            origin = trial.origin[p] if p < len(trial.origin) else -1
            at = origin if 0 <= origin < len(columns) else len(columns) - 1
            label = trial.labels[p] if p < len(trial.labels) else "•"
            cells[at] = " ".join(filter(None, (cells[at], label)))
    return tuple(cells)


def _in_words(item: Item, trial: AskedExample, read: Read | None) -> str:
    if read is None:
        return "failed" if trial.failed else "no answer"
    if read.reading.rule == "left_out" and read.reading.status == "none":
        return "leaves it out"
    if read.reading.status != "answer":
        return NO_CHOICE.get(read.reading.status, str(read.reading.status))
    return ", ".join(_text_at(item, trial, p) for p in read.reading.positions)


NO_CHOICE = {
    "none": "says that none is right",
    "unknown": "says that it does not know",
    "refusal": "refuses to answer",
    "ambiguous": "names several options",
    "empty": "is empty",
    "illegal": "names an option that was not offered",
    "truncated": "is cut off before an answer",
    "unclear": "is unclear: no choice can be told with enough confidence",
}
"""Replies without a choice, in words."""


def _text_at(item: Item, trial: AskedExample, position: int) -> str:
    origin = trial.origin[position] if position < len(trial.origin) else None
    if position < len(trial.options):
        return quoted(trial.options[position])
    if origin is not None and 0 <= origin < len(item.options):
        return quoted(item.options[origin])
    return quoted(trial.labels[position]) if position < len(trial.labels) else "another option"


def _prompt(request: Request, base: Request | None, options: Sequence[str]) -> tuple[Message, ...]:
    """The messages; beside another request, what differs from it and the lines with options."""
    own = messages(request)
    if base is None:
        return tuple(Message(role, tuple(map(ReplyLine, text.splitlines()))) for role, text in own)
    others = messages(base)
    found = []
    for place, (role, text) in enumerate(own):
        other = others[place][1] if place < len(others) else ""
        lines = list(_differing(text.splitlines(), other.splitlines(), options))
        if any(not line.same for line in lines):
            found.append(Message(role, tuple(lines)))
    return tuple(found)


def _differing(
    lines: Sequence[str], before: Sequence[str], options: Sequence[str]
) -> Iterator[ReplyLine]:
    """Lines that differ and lines of options; of the others, how many there are."""
    same = 0
    for tag, _, _, low, high in SequenceMatcher(None, before, lines, autojunk=False).get_opcodes():
        for line in lines[low:high]:
            if tag == "equal" and not _holds_option(line, options):
                same += 1
                continue
            yield from _counted(same)
            same = 0
            yield ReplyLine(line, tag == "equal")
    yield from _counted(same)


def _counted(n: int) -> Iterator[ReplyLine]:
    if n:
        yield ReplyLine(f"⋮ {plural(n, 'line')} as in the original", True)


def _holds_option(line: str, options: Sequence[str]) -> bool:
    return any(option and line.rstrip().endswith(option) for option in options)


def _numbered(forms: Sequence[Form]) -> list[Form]:
    """Forms of one label are told apart by their number."""
    of, seen, found = Counter(form.label for form in forms), Counter[str](), []
    for form in forms:
        seen[form.label] += 1
        label = form.label if of[form.label] == 1 else f"{form.label}, {seen[form.label]}"
        found.append(form._replace(label=label))
    return found


def _with_rows(forms: Sequence[Form]) -> list[Form]:
    """At most `MOST_ROWS` forms of a label, and how many others there are."""
    by_label: dict[tuple[str, str], list[int]] = {}
    for place, form in enumerate(forms):
        by_label.setdefault((form.asked.probe, form.asked.label), []).append(place)
    found = dict(enumerate(forms))
    for places in by_label.values():
        ranked = sorted(places, key=lambda p: forms[p].plain)
        rest = [found.pop(place) for place in ranked[MOST_ROWS:]]
        if rest:
            last = max(ranked[:MOST_ROWS])
            right = sum(form.outcome == "right" for form in rest)
            more = f"{plural(len(rest), 'more form')}, {right} of them right"
            found[last] = found[last]._replace(more=more)
    return list(found.values())


def _with_evidence(forms: Sequence[Form]) -> list[Form]:
    """The published form and the first that decide can be unfolded; the first of these is."""
    deciding = [p for p, form in enumerate(forms) if not form.plain]
    by_turn = sorted(deciding, key=lambda p: (_turn(forms, p), p))
    kept = set(by_turn[:MOST_UNFOLDED])
    first = next((p for p in deciding if forms[p].asked.probe != ORIGINAL), -1)
    return [
        form._replace(plain=place not in kept, unfolded=place == first and place in kept)
        for place, form in enumerate(forms)
    ]


def _turn(forms: Sequence[Form], place: int) -> int:
    """How many forms of the same probe decide before this one: every probe has its turn."""
    probe = forms[place].asked.probe
    return sum(not f.plain and f.asked.probe == probe for f in forms[:place])


def _squares(forms: Iterable[Form]) -> Iterator[tuple[Outcome, ...]]:
    by_probe: dict[str, list[Outcome]] = {}
    for form in forms:
        by_probe.setdefault(form.asked.probe, []).append(form.outcome)
    return map(tuple, by_probe.values())


def _tally(
    item: Item, trials: Sequence[AskedExample], reader: str
) -> Iterator[tuple[str, int, bool]]:
    chosen = [_chosen(t, reader) for t in trials if t.probe in SAME_CONTENT]
    known = range(len(item.options))
    counted = Counter(c[0] for c in chosen if c is not None and len(c) == 1 and c[0] in known)
    for option, n in counted.most_common():
        yield quoted(item.options[option]), n, option == item.gold
