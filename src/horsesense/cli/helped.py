"""The help text of a command: its options in groups, with names that people know for values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter

GROUPED_FROM = 30
"""A command with so many options shows them in groups; fewer are read faster in one list."""
GROUPS = {
    "What is asked": "probes suite faithful limit seed shots shots-from style templates max-tokens"
    " temperature map split where labels task sizes bundles disjoint",
    "Model and server": "model key-env timeout max-connections rate effort thinking-tokens top-p"
    " takes-prefix against no-preflight",
    "Reading and verdict": "readers level smallest confidence-items",
    "Money and time": "budget price until stop-if",
    "Output": "out report-items json help",
    "Many machines": "shard shards engine address workers worker-cpus worker-gpus keep",
}
"""Heading -> its options, in the order of the help. Those that no group names stand before."""
COMMANDS = {
    "A model": "audit plan demo run merge",
    "Results": "report view compare gate verify cite",
    "A benchmark": "check cues build annotate check-paper",
    "Logs and replies": "import record export read train",
}
"""Heading -> its commands; others stand behind, under a heading of their own."""
VALUES = {"<str>": "TEXT", "<int>": "N", "<float>": "X", "<path>": "PATH"}
"""What stands for a value of each type."""


class Helped(TyperCommand):
    """A command whose many options are shown in `GROUPS`."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Arguments in capitals, as the documentation writes them: `[OPTIONS] ITEMS`."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("{", "").replace("}", "").upper() for piece in pieces]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write arguments and options, each group under its heading."""
        found = {
            param.opts[0] if param.param_type_name == "argument" else max(param.opts, key=len): row
            for param in self.get_params(ctx)
            if (row := param.get_help_record(ctx)) is not None
        }
        plain = {name: _plain(row) for name, row in found.items()}
        arguments = {n: (row[0].upper(), row[1]) for n, row in plain.items() if n[0] != "-"}
        options = {name[2:]: row for name, row in plain.items() if name[0] == "-"}
        groups = GROUPS if len(options) >= GROUPED_FROM else {}
        _write(formatter, {"Arguments": " ".join(arguments)}, arguments)
        _write(formatter, {"Options": _others(options, groups), **groups}, options)


class HelpedGroup(TyperGroup):
    """The command line itself: its commands in groups, each with its whole first sentence."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands, each group under its heading."""
        names = self.list_commands(ctx)
        widest = max(map(len, names), default=0)
        rows = {
            name: (name.ljust(widest), _first(command.help or ""))
            for name in names
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        }
        others = _others(rows, COMMANDS)
        title = "Others" if len(others.split()) < len(rows) else "Commands"
        _write(formatter, {**COMMANDS, title: others}, rows)


def _others(rows: Mapping[str, object], groups: Mapping[str, str]) -> str:
    """The names of rows that no group has."""
    placed = " ".join(groups.values()).split()
    return " ".join(name for name in rows if name not in placed)


def _write(
    formatter: HelpFormatter, groups: Mapping[str, str], rows: Mapping[str, tuple[str, str]]
) -> None:
    """Write rows under the headings of the groups that name them."""
    for title, names in groups.items():
        if shown := [rows[name] for name in names.split() if name in rows]:
            with formatter.section(title):
                formatter.write_dl(shown)


def _first(text: str) -> str:
    """The first sentence of a help text; a point within a word or in quotes ends none."""
    return re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]


def _plain(row: tuple[str, str]) -> tuple[str, str]:
    """`--map <list[str]>` as `--map TEXT`, and that an option may be given again."""
    name, told = row
    several = "<list[" in name and "epeatable" not in told and "Once for each" not in told
    name = re.sub(r"<(?:list\[)?(\w+)\]?(?: range)?>", lambda found: f"<{found[1].lower()}>", name)
    for kind, value in VALUES.items():
        name = name.replace(kind, value if name.startswith("-") else "").strip()
    return name, told + " Repeatable." * (several and name.startswith("-"))
