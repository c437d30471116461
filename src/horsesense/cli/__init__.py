"""The command line. Results go to stdout, progress and errors to stderr.

What it exits with is `errors.EXIT_CODES`.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from itertools import pairwise
from typing import Annotated, Any, NoReturn, TextIO

import typer

from horsesense.cli.grouped import Commands
from horsesense.cli.helped import COMMANDS, Helped, HelpedGroup
from horsesense.cli.output import harmless_output, plain_warnings, print_error
from horsesense.errors import (
    EXIT_CODES,
    ExitCode,
    HorsesenseError,
    InterruptedRunError,
    StoreError,
    UnexpectedError,
    UsageError,
)
from horsesense.hosts import named_in
from horsesense.side import offered, side
from horsesense.version import __version__

DEBUG, VERSION = "--debug", "--version"
MAY_BE_EMPTY = ("--probes",)
"""Options whose empty value says something: none."""


def _version(asked: bool) -> None:
    if asked:
        print(f"horsesense {__version__}")
        raise typer.Exit


def _horsesense(
    version: Annotated[
        bool, typer.Option(VERSION, callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(DEBUG, help="Show where something unexpected came from; after any command."),
    ] = False,
) -> None:
    """Find out what a multiple-choice score is made of before you believe it."""


OWN = {
    **{name: f"audit:{name}" for name in ("audit", "plan", "demo")},
    "run": "study:run_study",
    **{"report": "runs:report", "verify": "runs:verify", "list": "runs:list_"},
    **{name: f"{name}:{name}" for name in ("merge", "view", "check", "compare", "gate", "read")},
}
"""Command -> the module here, and its function."""


def _names(first: str | None) -> list[str]:
    """The command that stands first; all of them where there is none such, none for the version.

    The modules of other commands are not imported, which would take time.
    """
    if first == VERSION:
        return []
    known = [*OWN, *offered("commands")]
    order = " ".join(COMMANDS.values()).split()
    if first in known:
        return [first]
    return sorted(known, key=lambda name: order.index(name) if name in order else len(order))


def _found(name: str) -> Any:
    """A command, or the group of several."""
    if name not in OWN:
        return side("commands", name)
    module, _, function = OWN[name].partition(":")
    return getattr(import_module(f"horsesense.cli.{module}"), function)


@cache
def app(command: str | None = None, *, named_only: bool = False) -> typer.Typer:
    """The command line with all its commands, those of side programs too; or with one alone."""
    made = Commands(
        name="horsesense",
        cls=HelpedGroup,
        help="Find out what a multiple-choice score is made of before you believe it.",
        no_args_is_help=True,
        epilog="Exit codes: "
        + "; ".join(f"{code.value} {says}" for code, says in EXIT_CODES.items())
        + ".",
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    made.named_only = named_only
    made.callback()(_horsesense)
    for name in _names(command):
        found = _found(name)
        made.add_typer(found) if isinstance(found, typer.Typer) else made.command(name)(found)
    for group in made.registered_groups:
        group.cls = HelpedGroup
    for some in (made, *(group.typer_instance for group in made.registered_groups)):
        for each in some.registered_commands if some else ():
            each.cls = Helped
    return made


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code.

    Whatever a command raises ends here, as one message and an exit code; with `--debug`, what
    nothing expects is raised again.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    words = [word for word in given if word != DEBUG]
    for name in ("stdin", "stdout", "stderr"):
        if (stream := getattr(sys, name)) is None:  # closed by whoever began this process
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r+"))
        elif isinstance(stream, TextIOWrapper):  # a name that it cannot show is no defect
            stream.reconfigure(errors="backslashreplace")
    # A run makes millions of small objects that hold no cycles: Python need not look so often.
    gc.set_threshold(1_000_000, 20, 50)
    first = next((word for word in words if word == VERSION or word[:1] != "-"), None)
    debug, lost = words != given, None
    try:
        with plain_warnings(), harmless_output(), named_in(words), _plain_threads(debug=debug):
            _refuse_empty(words)
            # Without words, a shell may ask for the options, to complete them.
            made = app(first, named_only=first is None and bool(words))
            code = made(words, standalone_mode=False)
            if lost := _dropped(sys.stdout):  # here, where it is told
                raise lost
        if code == InterruptedRunError.exit_code:  # which typer makes of Ctrl-C, without a word
            raise KeyboardInterrupt
    except BaseException as stop:  # what Rust panics with is no Exception
        _last(arguments)
        lost = lost or _dropped(sys.stdout) or _dropped(sys.stderr)
        code = _usage_exit(stop)
        if code is None:
            known = first in {*OWN, *offered("commands")}
            error = _told(stop, f"horsesense {first}" if known else "horsesense")
            if lost and isinstance(stop, OSError):
                says = f"What is printed cannot be written: {stop.strerror}."
                error = StoreError(says, hint="Free some space, or send the output elsewhere.")
            if isinstance(error, UnexpectedError) and debug:
                raise
            with suppress(OSError):  # where it cannot be told, the code is all that is left
                print_error(error, as_json="--json" in words)
            _dropped(sys.stderr)
            code = error.exit_code
    _last(arguments)
    sys.exit(int(code) if isinstance(code, int) else 0)


_MISNAMED = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST)
"""What the system says of a name that cannot be used."""


def _told(stop: BaseException, command: str) -> HorsesenseError:
    if isinstance(stop, KeyboardInterrupt | typer.Abort):
        return InterruptedRunError("Stopped.")
    if hasattr(stop, "format_message"):
        return _refused(stop)
    if isinstance(stop, OSError) and stop.errno in _MISNAMED:
        return UsageError(f"{stop.filename}: {stop.strerror}.", hint="Name another file or folder.")
    if isinstance(stop, OSError) and stop.errno == errno.ENOENT and stop.filename is None:
        return UsageError("The working directory is gone.", hint="Change to one that is there.")
    return UnexpectedError.of(stop, command)


def _refused(stop: Any) -> UsageError:
    """What the option parser says, with the example of the command."""
    context = stop.ctx
    says = str(stop.format_message()).removesuffix(", unable to parse string as an integer")
    if context is None:
        return UsageError(says)
    _, has, example = (context.command.help or "").partition("Example: ")
    example = f"Example: {example.splitlines()[0]}\n" if has else ""
    return UsageError(says, hint=f"{example}All options: {context.command_path} --help")


def _dropped(stream: TextIO) -> OSError | None:
    """Why something cannot be written any more: as Python ends, it is not tried again."""
    try:
        print(end="", file=stream, flush=True)
    except OSError as error:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


@contextmanager
def _plain_threads(*, debug: bool) -> Iterator[None]:
    """What ends a thread is told in a line."""
    before = threading.excepthook

    def tell(about: threading.ExceptHookArgs) -> None:
        if about.exc_value is not None:
            print_error(UnexpectedError.of(about.exc_value, "A thread"), as_json=False)

    threading.excepthook = before if debug else tell
    try:
        yield
    finally:
        threading.excepthook = before


def _refuse_empty(words: Sequence[str]) -> None:
    """UsageError for an empty argument, such as a variable that is not set.

    As a path it would be the current folder, and as a budget none.
    """
    for before, word in pairwise(words):
        option = before if not word else word.removesuffix("=")
        if option not in MAY_BE_EMPTY and (not word or (word == f"{option}=" and word[:2] == "--")):
            raise UsageError(
                f"The argument after {before} is empty." if not word else f"{option} is empty.",
                hint="Is a variable not set? The current folder is written as a dot.",
            )


def _last(arguments: Sequence[str] | None) -> None:
    """Where this process ends here, another Ctrl-C has nothing to stop, and Python need not go
    through all objects once more before they are gone."""
    if arguments is None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()


def _usage_exit(error: BaseException) -> int | None:
    """Exit code of what ends without an error of ours, such as help that was asked for; or None."""
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, SystemExit | BrokenPipeError):  # the parser makes one of the other
        return ExitCode.UNREAD
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined]
        return ExitCode.USAGE
    return None
