"""What the command line says: JSON for machines, errors and warnings for people.

Every `--json` output and every error goes through here, and so carries the name and version of
its schema; `horsesense.cli.schemas` says what fields each has.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TextIO

from horsesense.errors import HorsesenseError
from horsesense.plugins import PluginWarning
from horsesense.progress import harmless

SCHEMA_VERSION = 3
"""Version of the fields of all `--json` outputs; it grows when one is renamed or removed, or holds
something else."""


_STEERS: Final = re.compile(
    "(?!\x1b\\[(?:0|3[1-3])m|\r\n)[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
"""What could steer a terminal, besides lines, tabs and the colours of `cli.ending`."""


@contextmanager
def harmless_output() -> Iterator[None]:
    """What is printed shows as escapes what could steer a terminal; those in JSON are JSON's."""
    out = sys.stdout
    write = out.write

    def shown(text: str) -> int:
        return write(
            _STEERS.sub(lambda c: f"\\{'x%02x' if c[0] < ' ' else 'u%04x'}" % ord(c[0]), text)
        )

    out.write = shown  # type: ignore[method-assign]
    try:
        yield
    finally:
        out.write = write  # type: ignore[method-assign]


def print_json(name: str, value: Mapping[str, Any], *, file: TextIO | None = None) -> None:
    """Print a result for machines, with the name and version of its schema."""
    print(json_text(_versioned(name, value)), file=file)


def print_json_line(name: str, value: Mapping[str, Any]) -> None:
    """Print one of many results on a line of its own, in ASCII: text of models is untrusted."""
    sys.stdout.write(json.dumps(_versioned(name, value)) + "\n")


def _versioned(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"schema": f"horsesense.{name}/{SCHEMA_VERSION}"}
    return schema | dict(value) | schema  # first, and never that of a file


def json_text(value: Any) -> str:
    """A value as JSON that people can read; what is not a finite number is null."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    try:
        return orjson.dumps(value, option=options).decode()
    except orjson.JSONEncodeError:
        # Half a surrogate pair, which no UTF-8 can hold: it is escaped.
        return json.dumps(value, indent=2)


def print_error(error: HorsesenseError, *, as_json: bool) -> None:
    """Say on stderr what went wrong and what to do."""
    if as_json:
        print_json("error", {"error": error.message, "hint": error.hint}, file=sys.stderr)
    else:
        print(f"horsesense: {harmless(str(error))}", file=sys.stderr)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings that are meant for users are shown as one plain line on stderr each.

    Python's own form names a line of this program's source, which helps nobody here.
    """
    with warnings.catch_warnings():
        python_form = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, FutureWarning | PluginWarning):
                print(f"horsesense: {harmless(str(message))}", file=sys.stderr)
            else:
                python_form(message, category, *where, **more)

        warnings.showwarning = show
        yield
