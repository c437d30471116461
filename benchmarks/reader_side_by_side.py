"""The built-in text reader beside the answer parsers of other evaluation packages.

    python benchmarks/reader_side_by_side.py

Each package runs its own code in an environment of its own, made on the first run in
`.venv-peer-NAME` beside the project; a package that does not install is left out and named. All
read the same answers, those that people labelled. A reading is right if it is the label: a
letter, X where no option is right, Y for a refusal; a parser that knows letters alone cannot say
X or Y. "no letter = refusal" gives a parser the refusal wherever it finds no letter.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

from annotated_answers import Answer, mmlu, opinions
from horsesense.readers.text import TextReader

ROOT = Path(__file__).parents[1]
WORKER = Path(__file__).with_name("reader_peers.py")
PACKAGES = {"lm-eval": (), "inspect-ai": (), "opencompass": ("torch==2.13.0",)}
"""Package -> what must be there before it, so that no build for a GPU is downloaded."""
REFUSED = "Refused"


def main() -> None:
    answers = [answer for answer in (*mmlu(), *opinions()) if answer.scored]
    files = list(dict.fromkeys(answer.file for answer in answers))
    short = [name.replace("opinionqa ", "oqa ") for name in files]
    print(f"{'':52}" + "".join(f"{name:>17}" for name in short))
    show("horsesense text", horsesense(answers), answers, files)
    for package, first in PACKAGES.items():
        found = peer(package, first, answers)
        for name, letters in found.items():
            show(name, letters, answers, files)
            if "tuned" in name:
                assumed = [
                    letter if letter in answer.letters else refusal(answer)
                    for letter, answer in zip(letters, answers, strict=True)
                ]
                show("  and no letter = refusal", assumed, answers, files)


def horsesense(answers: list[Answer]) -> list[str]:
    reader = TextReader()
    codes = {"none": "X", "refusal": "Y"}
    read = [reader.read(a.response, a.options, a.letters) for a in answers]
    return [
        "".join(a.letters[position] for position in r.positions) or codes.get(r.status, "")
        for a, r in zip(answers, read, strict=True)
    ]


def refusal(answer: Answer) -> str:
    """The label of a refusal: the option that says so where there is one."""
    if REFUSED in answer.options:
        return answer.letters[answer.options.index(REFUSED)]
    return "Y"


def show(name: str, letters: list[str], answers: list[Answer], files: list[str]) -> None:
    cells = []
    for file in files:
        pairs = [
            letter == answer.label
            for letter, answer in zip(letters, answers, strict=True)
            if answer.file == file
        ]
        cells.append(f"{sum(pairs) / len(pairs):17.4f}")
    print(f"{name:52}{''.join(cells)}")


def peer(package: str, first: tuple[str, ...], answers: list[Answer]) -> dict[str, list[str]]:
    """Letters by each of a package's ways of reading; empty, and said so, where it fails."""
    python = ROOT / f".venv-peer-{package}" / "bin" / "python"
    trouble = install(python, package, first)
    if not trouble:
        lines = "\n".join(
            json.dumps({"options": a.options, "letters": a.letters, "response": a.response})
            for a in answers
        )
        done = subprocess.run(
            [python, WORKER, package], input=lines, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            result = json.loads(done.stdout.splitlines()[-1])
            head = f"{package} {result['version']}"
            return {f"{head} {name}": found for name, found in result["found"].items()}
        trouble = done.stderr.strip().splitlines()[-1]
    print(f"{package} is left out: {trouble}")
    return {}


def install(python: Path, package: str, first: tuple[str, ...]) -> str:
    """Make the environment of a package; what went wrong, or ""."""
    if not python.exists():
        print(f"installing {package} into {python.parents[1].name}", file=sys.stderr)
        venv.create(python.parents[1], with_pip=True)
    for name in (*first, package):
        pip = [python, "-m", "pip", "install", "--quiet", name]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr.strip().splitlines()[-1]
    return ""


if __name__ == "__main__":
    main()
