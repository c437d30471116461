"""The built-in text reader beside the answer parsers of other evaluation packages.

    python benchmarks/reader_side_by_side.py             # the answers that people labelled
    python benchmarks/reader_side_by_side.py --corpus    # the packaged replies of all kinds

Each package runs its own code in an environment of its own, made on the first run in
`.venv-peer-NAME` beside the project; a package that does not install is left out and named. All
read the same answers, those that people labelled. A reading is right if it is the label: a
letter, X where no option is right, Y for a refusal; a parser that knows letters alone cannot say
X or Y. "no letter = refusal" gives a parser the refusal wherever it finds no letter.

Of the corpus the table counts what a parser of letters can be asked for: of the replies that choose
an option, the share read as that option; of all replies, the share of which an option is read that
they do not choose; both also of the replies to options labelled A, B, C, ... alone. xFinder's
weights are not packaged anywhere, so that it is not in the table.
"""

from __future__ import annotations

import json
import string
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotated_answers import Answer, mmlu, opinions
from horsesense.readers.corpus.load import SEEN, Example, examples
from horsesense.readers.corpus.score import right, share, wrong_choice
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

ROOT = Path(__file__).parents[1]
WORKER = Path(__file__).with_name("reader_peers.py")
PACKAGES = {"lm-eval": (), "inspect-ai": (), "opencompass": ("torch==2.13.0",)}
"""Package -> what must be there before it, so that no build for a GPU is downloaded."""
"""Those that may be looked at."""
REFUSED = "Refused"


def main() -> None:
    if "--corpus" in sys.argv[1:]:
        corpus()
        return
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


def corpus() -> None:
    """The table of the packaged replies, part by part."""
    for part in SEEN:
        known = examples(part)
        lettered = [e for e in known if e.labels == tuple(string.ascii_uppercase[: len(e.labels)])]
        lettered = [e for e in lettered if e.labels]
        head = ("chosen right", "wrong choice")
        print(f"\n{part}: all replies, then those to options labelled A, B, C, ... (% with 95 %)")
        print(f"{'':46}" + "".join(f"{name:>20}" for name in (*head, *head)))
        answers = [answer_of(example) for example in known]
        reader = TextReader()
        ours = {
            e.id: reader.read(
                e.response, e.options, e.labels, finish_reason=e.finish_reason, question=e.question
            )
            for e in known
        }
        _show_corpus("horsesense text", known, lettered, ours)
        for package, first in PACKAGES.items():
            for name, letters in peer(package, first, answers).items():
                read = {e.id: _chosen(e, letter) for e, letter in zip(known, letters, strict=True)}
                _show_corpus(name, known, lettered, read)


def _shown(example: Example) -> tuple[str, ...]:
    """Its labels; letters, which no prompt showed, where it has none."""
    return example.labels or tuple(string.ascii_uppercase[: len(example.options)])


def answer_of(example: Example) -> Answer:
    """A reply of the corpus as the parsers of letters take it."""
    options, letters = example.options, _shown(example)
    return Answer(
        *("corpus", example.id, example.question),
        options,
        letters,
        example.response,
        None,
        "single",
    )


def _chosen(example: Example, letter: str) -> Reading | None:
    """A parser's letter as a reading; None where it gives none of those shown."""
    shown = _shown(example)
    return Reading("answer", (shown.index(letter),)) if letter in shown else None


def _show_corpus(
    name: str,
    known: Sequence[Example],
    lettered: Sequence[Example],
    read: Mapping[str, Reading | None],
) -> None:
    cells = []
    for group in (known, lettered):
        pairs = [(example, read[example.id]) for example in group]
        chosen = [pair for pair in pairs if pair[0].status == "answer"]
        for found in (share(chosen, right), share(pairs, wrong_choice)):
            value, low, high = (100 * (x or 0.0) for x in (found.value, found.low, found.high))
            cells.append(f"{f'{value:.1f} ({low:.1f}-{high:.1f})':>20}")
    print(f"{name:46}{''.join(cells)}", flush=True)


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


def peer(
    package: str, first: tuple[str, ...], answers: list[Answer], python: Path | None = None
) -> dict[str, list[str]]:
    """Letters by each of a package's ways of reading; empty, and said so, where it fails.

    `python` has the package already; without it an environment is made.
    """
    trouble = ""
    if python is None:
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
