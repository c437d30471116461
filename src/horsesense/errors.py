"""Everything that horsesense raises on purpose.

HorsesenseError
├── UsageError            wrong use: an unknown name, an impossible setting
│   └── ItemsError        faults in a data file, all of them at once
├── ModelError            the model could not be reached or refused to work
│   └── BudgetSpentError  the budget does not even allow to find out what a model offers
├── StoreError            the run directory cannot be used safely
│   └── InUseError        another process works on it
├── UnexpectedError       anything else that ends a command: damage that no check found, a defect
└── InterruptedRunError   the user stopped the run; it can be resumed

Every message says what is wrong and where; `hint` says what is allowed or what to do next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from traceback import walk_tb
from typing import Final, Self


class ExitCode(IntEnum):
    """What the command line exits with; `EXIT_CODES` says what each means."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    TROUBLE = 3
    BUDGET = 4
    UNDECIDED = 5
    ALARM = 6
    UNEXPECTED = 70
    INTERRUPTED = 130
    UNREAD = 141


EXIT_CODES: Final[Mapping[ExitCode, str]] = {
    ExitCode.FINE: "fine",
    ExitCode.FAILED: "a gate, check --fail-on or check-paper found what it looks for",
    ExitCode.USAGE: "wrong use, or faults in a file",
    ExitCode.TROUBLE: "trouble with the model or the run directory, or requests without an answer",
    ExitCode.BUDGET: "stopped by --budget; the same command with a larger one continues",
    ExitCode.UNDECIDED: "a gate is undecided: the items can neither show a loss nor rule it out",
    ExitCode.ALARM: "stopped by --stop-if, since too many replies are lost; their text says why",
    ExitCode.UNEXPECTED: "something unexpected, which --debug shows where: damage, or a defect",
    ExitCode.INTERRUPTED: "stopped by the user; the same command continues",
    ExitCode.UNREAD: "whoever reads the output, such as head, has seen enough",
}

LISTED = 100
"""Names up to which all are listed."""
LONGEST = 300
"""Characters that are shown of what another library says."""


def install(extra: str) -> str:
    """The command that installs what an extra needs, as a hint where it is missing.

    >>> install("cues")
    "pip install 'horsesense[cues]'"
    """
    return f"pip install 'horsesense[{extra}]'"


class HorsesenseError(Exception):
    """Base of all deliberate errors; `hint` tells the reader what to do next."""

    exit_code = ExitCode.USAGE

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message

    @classmethod
    def unreadable(cls, path: object, error: Exception, hint: str | None = None) -> Self:
        """A file of ours is damaged: which, and what is wrong with it in words of the user."""
        return cls(f"{path} cannot be read: {_in_words(error).removesuffix('.')}.", hint=hint)


def _in_words(error: Exception) -> str:
    """What is wrong with a file whose reading raised this."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"its byte {error.start + 1:,} is no text in UTF-8"
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    if isinstance(error, TypeError | AttributeError):
        return "a value in it is not of the kind that horsesense writes there"
    if hasattr(error, "errors"):  # of pydantic, which not every command imports
        found = ((".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()[:5])
        told = (f"{where}: {says}" if where else says for where, says in found)
        return "; ".join(says.removeprefix("Value error, ") for says in told)
    form = {"JSONDecodeError": "JSON", "TOMLDecodeError": "TOML"}.get(type(error).__name__)
    return f"it is not {form} ({error})" if form else str(error)


class UsageError(HorsesenseError):
    """The call cannot be carried out as asked."""

    @classmethod
    def unknown(
        cls, kind: str, name: str, known: Iterable[str], *, listed: int = LISTED
    ) -> UsageError:
        """An unknown name, with the nearest known name and the list.

        Of a list of more than `listed` names, the nearest are named.
        """
        import difflib

        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=5, cutoff=0.5)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        hint = f"Known: {', '.join(names)}."
        if len(names) > listed:
            some = ("Nearest", near) if near else ("The first", names[:5])
            hint = f"{some[0]} of {len(names):,}: {', '.join(some[1])}."
        return cls(f"{name!r} is no {kind}.{guess}", hint=hint)


class ItemsError(UsageError):
    """All faults found in one source of items.

    Attributes:
        source: the file or data set as the user named it.
        faults: one sentence each, with the line number where there is one.
    """

    SHOWN = 20

    def __init__(self, source: str, faults: Sequence[str], *, hint: str | None = None) -> None:
        self.source = source
        self.faults = tuple(faults)
        gathered = _gathered(self.faults)
        rest = len(gathered) - self.SHOWN
        lines = [f"  {fault}" for fault in gathered[: self.SHOWN]]
        if rest > 0:
            lines.append(f"  ... and {rest} more")
        noun = "fault" if len(self.faults) == 1 else "faults"
        head = f"{source}: {len(self.faults)} {noun}"
        super().__init__("\n".join([head, *lines]), hint=hint)


_VALUE = re.compile(
    r"'[^']*'|\"[^\"]*\"|0x[0-9a-f]{2}|(?<=position )\d+|(?<=line )\d+"
    r"|(?<=^option )[A-Z](?= is empty$)"
)


def _gathered(faults: Sequence[str]) -> list[str]:
    """Faults that say the same of several lines as one, with the first line and their number;
    values in quotation marks, bytes and places, and letters of empty options may differ."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for fault in faults:
        place, _, says = fault.partition(": ")
        place, says = (place, says) if says else ("", place)
        alike.setdefault(_VALUE.sub("''", says), []).append((place, says))
    told = []
    for found in alike.values():
        place, says = found[0]
        if not place:
            told += [text for _, text in found]
        elif len(found) == 1:
            told.append(f"{place}: {says}")
        elif all(text == says for _, text in found):
            told.append(f"{place} and {len(found) - 1:,} more: {says}")
        else:
            told.append(f"{place}: {says}; {len(found) - 1:,} more like it, the next {found[1][0]}")
    return told


class ModelError(HorsesenseError):
    """A model cannot do what the study needs of it."""

    exit_code = ExitCode.TROUBLE


class BudgetSpentError(ModelError):
    """Nothing more may be sent to a model."""

    exit_code = ExitCode.BUDGET


class StoreError(HorsesenseError):
    """A run directory or its store is unusable, locked, damaged or of another schema."""

    exit_code = ExitCode.TROUBLE


class InUseError(StoreError):
    """Another process works on the run directory."""


class LostRepliesError(HorsesenseError):
    """Too many of the latest replies were cut off, empty, unreadable or failed to go on."""

    exit_code = ExitCode.ALARM


class UnexpectedError(HorsesenseError):
    """What nothing here expects, in words of the user."""

    exit_code = ExitCode.UNEXPECTED

    @classmethod
    def of(cls, error: BaseException, command: str) -> HorsesenseError:
        """What ended a command, with the file that it is about or the place where it was seen.

        An error of ours says that itself.
        """
        if isinstance(error, HorsesenseError):
            return error
        known: dict[type[BaseException], str] = {
            MemoryError: "there is not enough memory",
            RecursionError: "it is too deeply nested",
        }
        said = next((line for line in str(error).splitlines() if line.strip()), "")[:LONGEST]
        what = known.get(type(error), f"{type(error).__name__}: {said}".removesuffix(": "))
        where = f"in {_place_of(error)}"
        if isinstance(error, OSError) and error.strerror:
            what, where = error.strerror, str(error.filename or where)
            hint = "Check the disk, and the permissions of the file and of its folder."
        else:
            hint = (
                "A file may be damaged: horsesense verify RUN checks a run. If none is, report it."
            )
        return cls(
            f"{command} ended unexpectedly: {what} ({where}).",
            hint=f"Run it again with --debug to see where. {hint}",
        )


def _place_of(error: BaseException) -> str:
    """The innermost place of ours that an error went through."""
    ours, found = Path(__file__).parents[1], Path(__file__).name
    for frame, line in walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ours) and "horsesense" in path.relative_to(ours).parts[0]:
            found = f"{path.relative_to(ours).as_posix()}, line {line}"
    return found


class InterruptedRunError(HorsesenseError):
    """The run was stopped by its user; what was paid for is stored."""

    exit_code = ExitCode.INTERRUPTED

    @classmethod
    def after(cls, answers: int, hint: str) -> Self:
        """Asking was stopped after so many answers; `hint` says how it goes on."""
        n = f"{answers:,} answer{'' if answers == 1 else 's'}"
        return cls(f"Stopped after {n}; all of them are stored.", hint=hint)
