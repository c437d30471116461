"""The help text of a command: its options in groups, with names that people know for values."""

from __future__ import annotations

import re
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
        options = {name[2:]: _plain(row) for name, row in found.items() if name.startswith("-")}
        sections = {
            "Arguments": [
                (name.upper(), told)
                for name, told in (_plain(row) for key, row in found.items() if key[0] != "-")
            ]
        }
        groups = {title: names.split() for title, names in GROUPS.items()}
        placed = [name for names in groups.values() for name in names]
        if len(options) < GROUPED_FROM:
            sections["Options"] = list(options.values())
        else:
            sections["Options"] = [row for name, row in options.items() if name not in placed]
            for title, names in groups.items():
                sections[title] = [options[name] for name in names if name in options]
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class HelpedGroup(TyperGroup):
    """The command line itself: its commands in groups, each with its whole first sentence."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands, each group under its heading."""
        found = {
            name: _first(command.help or "")
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        }
        groups = {title: names.split() for title, names in COMMANDS.items()}
        placed = {name for names in groups.values() for name in names}
        title = "Others" if placed & {*found} else "Commands"
        groups[title] = [name for name in found if name not in placed]
        widest = max(map(len, found), default=0)
        for title, names in groups.items():
            rows = [(name.ljust(widest), found[name]) for name in names if name in found]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


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
