"""The reader by itself: one function, a command that reads JSONL, and what other harnesses call.

It needs the standard library alone. `scripts/reader_wheel` packs it as `horsesense-reader`.

    horsesense-reader FILE      # or - ; a row has options, response, and where present labels,
                                # id, question and finish_reason
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from string import ascii_uppercase
from typing import Any, Final

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

FAILED: Final = "failed to read"
"""The status of a row that has no reading: its rule says what kept it from one."""
_HELP: Final = (__doc__ or "").partition("\n\n    ")[2]


def read(
    response: str,
    options: Sequence[str],
    labels: Sequence[str] | None = None,
    *,
    question: str | None = None,
    finish_reason: str | None = None,
) -> Reading:
    """What a response chooses among options; labels are A, B, C, ... unless given.

    Empty labels, or more than 26 options: they are named by their text. `finish_reason` "length"
    says that the response was cut off. TypeError or ValueError for options that are no list, or
    another number of labels.

    >>> read("I'd go with (B), not A.", ["red", "blue"]).positions
    (1,)
    """
    if isinstance(options, str | Mapping) or None in options:
        raise TypeError("options must be a list of texts")
    named = _named(len(options)) if labels is None else labels
    if named and len(named) != len(options):
        raise ValueError(f"{len(named)} labels for {len(options)} options")
    return _reader().read(response, options, named, finish_reason=finish_reason, question=question)


def _named(k: int) -> str:
    return ascii_uppercase[:k] if k <= len(ascii_uppercase) else ""


@cache
def _reader() -> TextReader:
    return TextReader()


def read_lines(lines: Iterable[str | bytes]) -> Iterator[dict[str, Any]]:
    """The reading of each line of JSONL; one that cannot be read says so, and the rest goes on."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name: Any = number
        try:
            row = json.loads(line)
            name = row.get("id", number)
            labels = row.get("labels")
            options = row["options"]
            if isinstance(options, list) and None not in options:
                options = [str(option) for option in options]
            found = read(
                row["response"] or "", options, labels, question=row.get("question"),
                finish_reason=row.get("finish_reason"),
            )  # fmt: skip
            names = (_named(len(options)) if labels is None else labels) or options
            letters = [str(names[position]) for position in found.positions]
            told: dict[str, Any] = {
                "status": found.status, "positions": list(found.positions), "letters": letters,
                "rule": found.rule, "span": found.span and list(found.span),
                "confidence": round(found.confidence, 4),
            }  # fmt: skip
        except Exception as error:  # noqa: BLE001 - no row ends a file
            told = {"status": FAILED, "rule": f"{type(error).__name__}: {error}"}
        yield {"id": str(name), **told}


def main(words: Sequence[str] | None = None) -> int:
    """The command: the exit code is 2 where a row failed to read."""
    given = list(sys.argv[1:] if words is None else words)
    if len(given) != 1 or given[0] in ("-h", "--help"):
        print(_HELP)
        return 0 if given else 2
    failed = 0
    try:
        with sys.stdin.buffer if given[0] == "-" else open(given[0], "rb") as lines:
            for found in read_lines(lines):
                failed += found["status"] == FAILED
                sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    except OSError as error:
        print(f"{given[0]}: {error.strerror}. Name a JSONL file, or - for input.", file=sys.stderr)
        return 2
    if failed:
        print(f"rows that failed to read: {failed:,}", file=sys.stderr)
    return 2 if failed else 0


# ---- what other harnesses call ----


def _chosen(found: Reading) -> str:
    """The letter of the one option that is chosen; "" where none is."""
    return ascii_uppercase[found.positions[0]] if len(found.positions) == 1 else ""


def lm_eval(resps: Sequence[Sequence[str]], docs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """lm-eval: the letter that each reply chooses, as a `custom` filter; "" where none.

    A document holds `options` or `choices`, and where present `question`.
    """
    shown = [(doc.get("options") or doc["choices"], doc.get("question")) for doc in docs]
    return [
        [_chosen(read(reply, options, question=question)) for reply in replies]
        for replies, (options, question) in zip(resps, shown, strict=True)
    ]


def lighteval(doc: Any, model_response: Any, **_: Any) -> float:
    """lighteval: 1 where the first reply chooses a right choice of its `Doc`, else 0."""
    found = read(model_response.final_text[0], doc.choices, question=doc.query)
    gold = doc.gold_index if isinstance(doc.gold_index, list) else [doc.gold_index]
    return float(len(found.positions) == 1 and found.positions[0] in gold)


def opencompass(text: str, options: str = "ABCD", **_: Any) -> str:
    """OpenCompass: the letter that a prediction chooses, "" where it chooses none.

    A postprocessor is not given the texts of the options: it reads what letters say.
    """
    return _chosen(read(text, tuple(options)))


def promptfoo(output: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """promptfoo: whether an output chooses the variable `answer` (a letter) among `options`."""
    given = context["vars"]
    found = read(output, given["options"], question=given.get("question"))
    right = _chosen(found) == given["answer"]
    reason = f"{_chosen(found) or found.status} ({found.rule})"
    return {"pass": right, "score": float(right), "reason": reason}


if __name__ == "__main__":
    sys.exit(main())
