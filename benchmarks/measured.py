"""Runs one of these scripts and writes what it prints over its table under docs/measured/.

    python benchmarks/measured.py people_coverage --studies 200

The page says what was measured (the script's own first sentence), by which command, with which
version, when and in what time, so that no figure stands in the documentation without the script
that made it.
"""

from __future__ import annotations

import argparse
import ast
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

from horsesense.version import __version__

HERE = Path(__file__).parent
TABLES = HERE.parent / "docs" / "measured"


def page(name: str, words: list[str], printed: str, minutes: float) -> str:
    """What a script printed, with where it comes from."""
    about = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))) or ""
    command = shlex.join(["python", "benchmarks/measured.py", name, *words])
    body = re.sub(r"(?m)^\|.*$", lambda row: re.sub(r" *(?<!\\)\| *", "|", row[0]), printed.strip())
    if not body.startswith(("|", "-", "#")):
        body = f"```\n{body}\n```"
    cores, load = os.cpu_count() or 1, os.getloadavg()[2]
    shared = f" shared with others (load {load:.0f})" if load > cores + 1 else ""
    made = (
        f"horsesense {__version__}, Python {platform.python_version()}, {cores} cores{shared},"
        f" {date.today().isoformat()}, in {minutes:.1f} minutes"
    )
    return f"# {about.splitlines()[0]}\n\n`{command}` wrote this page ({made}).\n\n{body}\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = sorted(path.stem for path in HERE.glob("*.py") if path != Path(__file__))
    parser.add_argument("name", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("words", nargs=argparse.REMAINDER, help="what the script is given")
    name, words = vars(parser.parse_args()).values()
    command = [sys.executable, str(HERE / f"{name}.py"), *words]
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    if done.returncode or {"-h", "--help"} & {*words}:
        sys.exit(done.returncode)
    TABLES.mkdir(exist_ok=True)
    (TABLES / f"{name}.md").write_text(
        page(name, words, done.stdout, (time.monotonic() - start) / 60), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
