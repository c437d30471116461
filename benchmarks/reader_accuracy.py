"""How often the built-in text reader reads an answer as people did.

    python benchmarks/reader_accuracy.py [--errors]

Prints, per file: accuracy over the scored rows, and over all rows the precision and coverage of
readings with a confidence of 0.9 or more. The reader's weights are learnt from these answers, those
of both halves of the questions, and forms that it reads outright were written with them in view. So
halves, folds and families only show how the errors spread; `reader_unseen.py` leaves files out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from annotated_answers import Answer, mmlu, opinions
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

SURE = 0.9
READER = TextReader()
MEANS = {"none": "X", "refusal": "Y"}
ANSWERED = ("answer", "none", "refusal", "unknown")

Read = tuple[Answer, Reading, str]


def main() -> None:
    read = [read_one(answer) for answer in mmlu()]
    opinion = [read_one(answer) for answer in opinions()]
    print(f"{'file':24}{'scored':>8}{'wrong':>7}{'accuracy':>10}{'precision':>11}{'coverage':>10}")
    for name, part in [*groups(read, lambda a: a.file), ("all MMLU files", read)]:
        print(line(name, part))
    for title, key in (
        ("half of the questions", lambda a: a.half),
        ("fold", lambda a: f"fold {a.fold}"),
        ("family", lambda a: a.file.split()[0]),
    ):
        print(f"\nby {title}")
        for name, part in groups(read, key):
            print(line(name, part))
    print("\nOpinionQA, test split")
    for name, part in groups(opinion, lambda a: a.file):
        print(line(name, part))
    for title, part in (("MMLU", read), ("OpinionQA test", opinion)):
        print(f"\nwrong rows, {title}")
        for answer, reading, found in wrong(part):
            print(f"  {answer.id}: people {answer.label}, read {found} by {reading.rule}")
            if "--errors" in sys.argv:
                print(f"    options: {list(zip(answer.letters, answer.options, strict=True))}")
                print(f"    response: {answer.response!r}")


def read_one(answer: Answer) -> Read:
    reading = READER.read(answer.response, answer.options, answer.letters, question=answer.question)
    letters = "".join(answer.letters[position] for position in reading.positions)
    return answer, reading, letters or MEANS.get(reading.status, reading.status)


def groups(read: list[Read], key: Callable[[Answer], str]) -> Iterable[tuple[str, list[Read]]]:
    names = sorted({key(answer) for answer, _, _ in read})
    return [(name, [row for row in read if key(row[0]) == name]) for name in names]


def wrong(read: list[Read]) -> list[Read]:
    return [row for row in read if row[0].scored and row[2] != row[0].label]


def line(name: str, read: list[Read]) -> str:
    scored = sum(answer.scored for answer, _, _ in read)
    sure = [row for row in read if row[1].status in ANSWERED and row[1].confidence >= SURE]
    right = sum(answer.scored and found == answer.label for answer, _, found in sure)
    covered = sum(answer.scored for answer, _, _ in sure)
    errors = len(wrong(read))
    return (
        f"{name:24}{scored:8}{errors:7}{1 - errors / scored:10.4f}"
        f"{right / len(sure):11.4f}{covered / scored:10.4f}"
    )


if __name__ == "__main__":
    main()
