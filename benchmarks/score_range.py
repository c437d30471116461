"""Does the range of a score hold the score without what was lost, and is what was lost named right?

    python benchmarks/measured.py score_range

Studies: a model answers items in words, and a cause takes replies, more often the wrong ones. The
truth is its score without that cause. "Named": the cause that `readers.causes` tells of a reply,
against the one that made it; "text alone" has no finish reason and no count of tokens. Real replies
to MMLU-Pro are cut at a random place before they state their answer; a reading of the answer that
the whole reply states counts as right. Failures: whole audits whose replies a server spoils.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np

from horsesense.api import Run
from horsesense.comparison.gates import gate
from horsesense.comparison.gates.expression import parse
from horsesense.measures.cells import NO_OPTION, STATUS_CODE, Cell, Replies
from horsesense.measures.graded import score_range
from horsesense.models.messages import Failure, Response, Usage
from horsesense.models.registry import make_model
from horsesense.readers.causes import CAUSES, NO_REPLY, cause_of, of_failure
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.report.score_bar import headline
from horsesense.runs.settings import Settings
from horsesense.trials.trial import Variant
from recorded_truth import KEPT, LETTERS, rows, shared

UNSEEN = KEPT | {"Qwen1.5-7B-Chat", "Llama-2-7b-hf"}
"""Models on whose replies no rule was tried."""
COLOURS = ("red", "green", "blue", "grey", "amber", "violet", "white", "black", "brown", "pink")
READ = TextReader()
SAID = (
    "The passage says that {a} was there before {b}",
    "We have to weigh {a} against {b}, since both are named in the first paragraph",
    "It could be {a}, because light of that kind is scattered less by the haze above the coast",
    "However, nobody has measured this since 1974, and the text does not say how it was done",
    "Let us look at each of them in turn",
    "First, {b} does not fit what is said about the winter",
    "On the other hand, {a} appears twice (once in the title)",
    "If 12 of 30 lamps are {b}, then 40% of them are, and the rest is something else",
    "That is a difficult question, and much depends on what is meant by a colour",
    "According to the table, the share rises from 3.5 to 7.25 within two years",
)
STATED = ("The answer is ({}).", "So the answer is {}.", "Answer: {}", "The correct option is ({})")
REFUSED = ("I'm sorry, but I can't help with that.", "I cannot assist with this request.")
NOWHERE = ("That depends on how one looks at it.", "Thank you for the interesting question!",
           "Colours are a matter of taste.", "The lamps were lit at nine.")  # fmt: skip
FILTERS = ("content_filter", "SAFETY", "RECITATION", "refusal", "PROHIBITED_CONTENT")
THOUGHTS = ("<think>", "<thinking>", "<think>\n", "<reasoning>", "◁think▷")

Came = tuple[Response | Failure, int | None]
"""What came back, and the limit on tokens where it is known."""

ABOUT = """\
The made-up replies were tuned on, and so was the confidence from which an evasive reply is a
refusal. The unseen models were scored five times. "Passes a gate" is the check of the command
`gate` with nothing else required. The same as logs: [log studies](log_studies.md)."""


def prose(rng: Random, shown: Variant, sentences: int) -> str:
    """What could stand before an answer: it names options, several at first, and chooses none."""
    first = f"Let us compare {', '.join(shown.options[:-1])} and {shown.options[-1]}"
    said = (rng.choice(SAID).format(a=rng.choice(shown.options), b=rng.choice(shown.options))
            for _ in range(sentences))  # fmt: skip
    return ". ".join([first, *said]) + "."


def cut(rng: Random, text: str, whole: bool = False) -> str:
    """A text that ends early, behind a letter or a comma, as a limit on tokens has it; or behind a
    whole sentence, which no reader can tell from one that is done."""
    end = rng.randrange(len(text) // 3, len(text) - 2)
    return f"{text[:end].rpartition('. ')[0] or text[:end]}." if whole else text[:end]


def made(rng: Random, shown: Variant, cause: str, position: int, *, fields: bool) -> Came:
    """A reply that a cause has made; without fields, its text alone tells."""
    stop = "stop" if fields else None
    long = prose(rng, shown, rng.randrange(2, 9))
    stated = rng.choice(STATED).format(shown.labels[position])
    if cause == "choice":
        return Response(
            f"{long} {stated}" if rng.random() < 0.6 else shown.labels[position], stop
        ), None
    if cause == "refused":
        return Response(rng.choice(REFUSED), stop), None
    if cause == "no_choice":
        return Response(" ".join(rng.sample(NOWHERE, 2)), stop), None
    if cause == "cut_off":
        if fields:
            spent = rng.choice((None, 64))
            usage = Usage(completion_tokens=spent)
            reason = rng.choice(("length", "max_tokens")) if spent is None else None
            return Response(cut(rng, long, rng.random() < 0.5), reason, usage=usage), 64
        loop = rng.choice(SAID[4:5] + SAID[8:9]) + ". "
        return Response(loop * 40 if rng.random() < 0.2 else cut(rng, long), None), None
    if cause == "thought_open":
        if fields and rng.random() < 0.5:
            return Response("", "length", reasoning=long), None
        text = rng.choice(THOUGHTS) + cut(rng, long)
        return Response(text, "length" if fields else None), None
    if cause == "empty":
        return Response(rng.choice(("", " ", "\n\n")), stop), None
    if cause == "filtered":
        if rng.random() < 0.3:
            return Failure("rejected", "400: content_filter", retryable=False), None
        return Response(rng.choice(("", cut(rng, long))), rng.choice(FILTERS)), None
    return Failure("timeout", "no answer in 60 s", retryable=False), None


FIELDS = (
    "choice",
    "refused",
    "no_choice",
    "cut_off",
    "thought_open",
    "empty",
    "filtered",
    "failed",
)
TEXTS = ("choice", "refused", "no_choice", "cut_off", "thought_open")


def told(came: Came, shown: Variant) -> tuple[Reading | None, str]:
    """The reading and the cause that the tool has for a reply."""
    reply, cap = came
    if isinstance(reply, Failure):
        return None, of_failure(reply)
    read = READ.read(reply.text, shown.options, shown.labels, finish_reason=reply.finish_reason)
    return read, cause_of(read, reply, shown, cap)


def item(rng: Random, number: int) -> Variant:
    k = rng.choice((4, 4, 5, 10))
    options = tuple(rng.sample(COLOURS, k))
    gold = rng.randrange(k)
    return Variant(str(number), None, options, tuple(LETTERS[:k]), tuple(range(k)), gold)


def study(rng: Random, cause: str, fields: bool) -> tuple[bool, bool, float]:
    """Whether [least, most] holds the score without any loss, and the range of the cause that
    without this cause; and how wide the former is."""
    n, know, lost, other = rng.choice((20, 50)), rng.random(), rng.uniform(0.05, 0.9), 0.05
    shown = [item(rng, i) for i in range(n)]
    right = np.array([rng.random() < know for _ in shown])
    took = np.array([rng.random() < lost * (0.6 if hit else 1.0) for hit in right])
    more = ~took & np.array([rng.random() < other for _ in shown])
    codes, statuses, correct = [], [], []
    for at, variant in enumerate(shown):
        wrong = (int(variant.gold_at or 0) + 1) % len(variant.options)
        position = int(variant.gold_at or 0) if right[at] else wrong
        which = cause if took[at] else rng.choice(("empty", "failed")) if more[at] else "choice"
        read, why = told(made(rng, variant, which, position, fields=fields), variant)
        chose = read is not None and read.status == "answer"
        codes.append(CAUSES.index(why))
        statuses.append(STATUS_CODE[read.status] if read is not None else -1)
        hit = chose and read is not None and read.positions == (variant.gold_at,)
        correct.append(-1 if why in NO_REPLY else int(hit))
    told_range = score_range(cell(shown, statuses, correct, codes))
    low, high = told_range.least, told_range.most
    assert low is not None
    assert high is not None
    own = told_range.without.get(cause, low)  # type: ignore[call-overload]
    slack = 1e-9
    whole, single = right.mean(), (right & ~more).mean()
    return low - slack <= whole <= high + slack, low - slack <= single <= own + slack, high - low


def cell(shown: Sequence[Variant], status: list[int], correct: list[int], codes: list[int]) -> Cell:
    column = (len(shown), 1)
    right = np.array(correct, np.int8).reshape(column)
    return Cell(
        probe="original", reader="text", item=np.arange(len(shown)),
        k=np.array([len(v.options) for v in shown]),
        status=np.array(status, np.int8).reshape(column),
        position=np.full(column, -1, np.int16), option=np.full(column, NO_OPTION, np.int16),
        gold_at=np.array([v.gold_at for v in shown], np.int16).reshape(column), correct=right,
        groups=(Replies(np.array(codes, np.int8).reshape(column), right),),
    )  # fmt: skip


def real(rng: Random, each: int) -> dict[str, Counter[str]]:
    """Part of the models -> cause told of replies that were cut, or "right" where it is right; and
    the same of whole replies, which no cut has ended."""
    folder = shared() / "responses/mmlu_pro"
    found: dict[str, Counter[str]] = defaultdict(Counter)
    if not folder.exists():
        return found
    items = {row["id"]: row for row in rows(folder / "items.jsonl.gz")}
    for path in sorted(folder.glob("*.jsonl.gz")):
        if path.name == "items.jsonl.gz":
            continue
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            replies = [row for row in map(json.loads, stream) if row["harness"]]
        name = path.name.removesuffix(".jsonl.gz")
        part = "unseen models" if name in UNSEEN else "models tried on"
        for row in rng.sample(replies, each):
            text, options = row["response"], tuple(items[row["id"]]["options"])
            states = re.search(r"(?i)(?:final )?answer(?: is|:)", text)
            if states is None or states.start() < 40:
                continue
            labels = tuple(LETTERS[: len(options)])
            shown = Variant(row["id"], None, options, labels, tuple(range(len(options))), None)
            short = text[: rng.randrange(20, states.start())]
            read, why = told((Response(short, None), None), shown)
            assert read is not None
            same = read.status == "answer" and labels[read.positions[0]] == row["harness"]
            found[f"cut, {part}"]["right" if why == "cut_off" or same else why] += 1
            first = re.split(r"\n\s*\n?(?:Question|Q):", text)[0].rstrip()
            _, why = told((Response(first, None), None), shown)
            found[f"whole, {part}"]["right" if why not in ("cut_off", "thought_open") else why] += 1
    return found


def spoils(rng: Random) -> dict[str, Callable[[str], Response | Failure]]:
    """Ways in which a server spoils a reply, given the prompt."""
    shown = item(rng, 0)

    def text(make: Callable[[str], str], reason: str | None = "stop") -> Any:
        return lambda prompt: Response(make(prompt), reason)

    def garbage(_: str) -> str:
        return "".join(rng.choice("qwxz#@ 0%ßµ\ufffd{}~|") for _ in range(rng.randrange(20, 200)))

    return {
        "all empty": text(lambda _: ""),
        "all cut off": text(lambda _: cut(rng, prose(rng, shown, 3)), "length"),
        "all cut off, no reason given": text(lambda _: cut(rng, prose(rng, shown, 6)), None),
        "wrong template": text(lambda _: rng.choice((
            "<|im_end|>\n<|im_start|>user\nWhat would you like to know?<|im_end|>",
            "<|start_header_id|>user<|end_header_id|>\n\nTell me more.",
            "[INST] Which of these is right? [/INST]", "<start_of_turn>user\nHello"))),
        "echo": text(lambda prompt: prompt),
        "echo of the end": text(lambda prompt: prompt[-rng.randrange(60, 120) :]),
        "44 % empty": lambda prompt: (
            Response("", "stop") if crc32(prompt.encode()) % 100 < 44 else None),
        "filter says so": text(lambda _: "", "content_filter"),
        "filter rejects": lambda prompt: None if crc32(prompt.encode()) % 20 == 0 else Failure(
            "rejected", "400: content_filter", retryable=False),
        "filter's own words": text(lambda _: rng.choice(REFUSED)),
        "thought not ended": text(lambda _: rng.choice(THOUGHTS) + prose(rng, shown, 3), None),
        "another language": text(lambda _: rng.choice((
            "Das Wetter ist heute schön, und die Sonne scheint über den Bergen.",
            "Je ne sais pas de quoi vous parlez.",
            "今日はいい天気ですね。", "Сегодня хорошая погода."))),
        "garbage": text(garbage),
    }  # type: ignore[dict-item]  # fmt: skip


def failure(folder: Path, rng: Random, name: str, items: Path) -> tuple[bool, bool]:
    """Whether a spoilt audit passes a gate, and whether headline or verdict blames the model."""
    spoil = spoils(rng)[name]
    model: Any = make_model("sim:oracle")
    answer = model.respond

    async def respond(batch: Any) -> list[Any]:
        came = await answer(batch)
        texts = [a.request.text or (a.request.messages or (("", ""),))[-1][1] for a in batch]
        return [spoil(text) or found for text, found in zip(texts, came, strict=True)]

    model.respond = respond
    settings = Settings(items=str(items), model="sim:oracle", probes=("order",), stop_if="never")
    run = Run.start(folder, settings)
    with contextlib.redirect_stderr(io.StringIO()):
        run.ask(model)
    run.read()
    run.measure()
    found = run.results
    checks = [*gate.require([parse("accuracy_hard >= 0 or valid_rate >= 0")], found, None),
              *gate.replies_lost(found, "20%")]  # fmt: skip
    said = (headline(found) or [""])[0]
    blamed = [f.kind for f in found.verdict if f.conclusion == "found" and f.kind != "no_choice"]
    return all(c.state == "passed" for c in checks), bool(
        blamed or not re.match(r"[\d,]+ of [\d,]+ replies", said)
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--replies", type=int, default=2000, help="made-up replies of each cause")
    parser.add_argument("--each", type=int, default=150, help="real replies of each model")
    parser.add_argument("--failures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    ranges(asked.studies, asked.seed)
    named(asked.replies, asked.seed)
    print("\n| real replies to MMLU-Pro | right | n | else called |\n|---|---|---|---|")
    for name, counts in sorted(real(Random(asked.seed), asked.each).items()):
        print(row(name, counts))
    failures(asked.failures, asked.seed)


def row(name: str, counts: Counter[str]) -> str:
    n = counts.total()
    others = ", ".join(f"{c} {m}" for c, m in counts.most_common() if c != "right")
    return f"| {name} | {100 * counts['right'] / n:.1f} % | {n:,} | {others} |"


def ranges(studies: int, seed: int) -> None:
    print("| cause | told by | [least, most] holds the score | range of the cause holds it"
          " | mean width | studies |\n|---|---|---|---|---|---|")  # fmt: skip
    kinds = [(c, True) for c in FIELDS[1:]] + [("cut_off", False), ("thought_open", False)]
    kinds = [one for one in kinds if one[0] not in ("refused", "no_choice")]
    for cause, fields in kinds:
        rng = Random(f"{seed} {cause} {fields}")
        n = -(-studies // len(kinds))
        held = np.array([study(rng, cause, fields) for _ in range(n)]).mean(axis=0)
        by = "fields" if fields else "text alone"
        print(
            f"| {cause} | {by} | {held[0]:.3f} | {held[1]:.3f} | {held[2]:.2f} | {n:,} |",
            flush=True,
        )


def named(replies: int, seed: int) -> None:
    print("\n| made-up replies | right | n | else called |\n|---|---|---|---|")
    for fields, causes in ((True, FIELDS), (False, TEXTS)):
        total: Counter[str] = Counter()
        for cause in causes:
            rng, counts = Random(f"{seed} {cause} {fields}"), Counter[str]()
            for number in range(replies):
                shown = item(rng, number)
                _, why = told(made(rng, shown, cause, rng.randrange(4), fields=fields), shown)
                counts["right" if why == cause else why] += 1
            total += counts
            print(row(f"{cause}, {'fields' if fields else 'text alone'}", counts), flush=True)
        print(row(f"**all, {'fields' if fields else 'text alone'}**", total))


def failures(n: int, seed: int) -> None:
    found: dict[str, list[tuple[bool, bool, str]]] = defaultdict(list)
    names = list(spoils(Random(seed)))
    with tempfile.TemporaryDirectory() as place:
        items = Path(place) / "items.jsonl"
        for number in range(n):
            rng = Random(f"{seed} {number}")
            shown = [item(rng, i) for i in range(rng.choice((12, 30)))]
            items.write_text("\n".join(json.dumps({
                "id": v.item_id, "question": f"Which of these is the colour of lamp {v.item_id}?",
                "options": v.options, "answer_index": v.gold_at}) for v in shown))  # fmt: skip
            name = names[number % len(names)]
            found[name].append(failure(Path(place) / str(number), rng, name, items))
    print("\n| failure | passes a gate | headline or verdict blames the model | audits |")
    print("|---|---|---|---|")
    for name, every in found.items():
        passed, blamed = (sum(one[at] for one in every) for at in (0, 1))
        print(f"| {name} | {passed} | {blamed} | {len(every)} |")
    total = [sum(one[at] for every in found.values() for one in every) for at in (0, 1)]
    print(f"| **all** | {total[0]} | {total[1]} | {n} |")
    print(f"\n{ABOUT}")


if __name__ == "__main__":
    main()
