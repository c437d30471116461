"""How long an import takes, and how much memory, against unpacking and parsing the same file.

    python benchmarks/import_logs.py [SAMPLES] [FOLDER]
    python benchmarks/import_logs.py large [FOLDER]

Made logs of Inspect: SAMPLES (10,000) samples of four options, each with its model event, prompt
and token log-probabilities, as `.eval` (zstd and deflate) and `.json`. Times are those of the
processor, so that other work on the machine does not enter; the least of three turns.

`large`: one `.json` of 260,000 padded samples, four epochs of 65,000 items, about 1 GB.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from horsesense_extras.logs.imported import import_logs
from horsesense_extras.logs.registry import open_logs
from horsesense_extras.logs.streams import Archive, Document, zipfile

LETTERS = "ABCD"


def sample(number: int) -> dict:
    """One sample of about 4 KB, shuffled by its number."""
    options = [f"answer {number} {place}" for place in range(4)]
    order = [(place + number) % 4 for place in range(4)]
    shown = "\n".join(f"{LETTERS[p]}) {options[o]}" for p, o in enumerate(order))
    prompt = f"Answer the following multiple choice question.\n\nQuestion {number}?\n\n{shown}"
    letter = LETTERS[number % 3]
    top = [{"token": t, "logprob": -1.0 - n, "bytes": [65 + n]} for n, t in enumerate("ABCDE")]
    message = {"id": f"m{number}", "role": "assistant", "content": f"ANSWER: {letter}"}
    output = {
        "model": "made",
        "choices": [
            {
                "message": message,
                "stop_reason": "stop",
                "logprobs": {"content": [{"token": letter, "logprob": -0.3, "top_logprobs": top}]},
            }
        ],
        "completion": f"ANSWER: {letter}",
        "usage": {"input_tokens": 70, "output_tokens": 3, "total_tokens": 73},
    }
    right = options[order[LETTERS.index(letter)]] == options[1]
    return {
        "id": number,
        "epoch": 1,
        "input": f"Question {number}?",
        "choices": options,
        "target": "B",
        "messages": [{"role": "user", "content": prompt}, message],
        "output": output,
        "scores": {"choice": {"value": "C" if right else "I", "answer": letter}},
        "metadata": {},
        "events": [
            {"event": "sample_init", "sample": {"input": f"Question {number}?"}},
            {
                "event": "model",
                "model": "made/made",
                "input": [{"role": "user", "content": prompt}],
                "config": {"max_tokens": 16, "temperature": 0.0},
                "output": output,
                "call": {"request": {"messages": prompt}, "response": output},
            },
            {"event": "score", "score": {"value": "I"}},
        ],
    }


def header(count: int) -> dict:
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "made", "model": "made/made", "created": "2026-01-01", "config": {}},
        "plan": {"config": {"temperature": 0.0}},
        "results": {"total_samples": count, "scores": []},
    }


def write_eval(path: Path, count: int, method: int) -> None:
    with zipfile.ZipFile(path, "w", compression=method) as archive:
        archive.writestr("_journal/start.json", json.dumps(header(count)))
        for number in range(count):
            archive.writestr(f"samples/{number}_epoch_1.json", orjson.dumps(sample(number)))
        archive.writestr("header.json", json.dumps(header(count)))


def write_json(path: Path, samples: Iterable[dict], count: int) -> None:
    with path.open("wb") as stream:
        stream.write(orjson.dumps(header(count))[:-1] + b',"samples":[')
        for number, made in enumerate(samples):
            stream.write((b"," if number else b"") + orjson.dumps(made))
        stream.write(b"]}")


def padded(count: int, items: int) -> Iterator[dict]:
    for number in range(count):
        made = sample(number % items)
        yield {**made, "epoch": 1 + number // items, "metadata": {"pad": "x" * 1500}}


def peak() -> float:
    """The most memory that the process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def large(folder: Path) -> None:
    path, before = folder / "large.json", peak()
    write_json(path, padded(260_000, 65_000), 260_000)
    written = peak()
    reading = timed(lambda: sum(1 for _ in open_logs([path])[0].samples()))
    read = peak()
    importing = timed(lambda: import_logs(folder / "run-large", open_logs([path])))
    print(f"{path.stat().st_size / 1e9:.2f} GB: samples {reading:.0f} s, import {importing:.0f} s")
    print(f"peak memory: {before:.0f} MB at the start, {written:.0f} once written, {read:.0f} once")
    print(f"read, {peak():.0f} once imported")


def parse(path: Path) -> None:
    """The least that a reader must do: every sample as a Python object, one at a time."""
    if path.suffix == ".eval":
        with Archive(path) as archive:
            for name in archive.sizes:
                archive.json(name)
    else:
        for _ in Document(path, {"samples"}).entries():
            pass


def timed(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    gc.set_threshold(100_000, 20, 50)  # as the command line does
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    if sys.argv[1:2] == ["large"]:
        large(folder)
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    files = {"zstd.eval": zipfile.ZIP_ZSTANDARD, "deflate.eval": zipfile.ZIP_DEFLATED}
    for name, method in files.items():
        write_eval(folder / name, count, method)
    write_json(folder / "plain.json", map(sample, range(count)), count)
    for name in (*files, "plain.json"):
        path = folder / name
        best = {"parse": [], "samples": [], "import": []}
        for turn in range(3):
            out = folder / f"run-{name}-{turn}"
            best["parse"].append(timed(lambda p=path: parse(p)))
            best["samples"].append(
                timed(lambda p=path: sum(1 for _ in open_logs([p])[0].samples()))
            )
            best["import"].append(timed(lambda p=path, o=out: import_logs(o, open_logs([p]))))
        least = {what: min(seconds) for what, seconds in best.items()}
        ratio = least["import"] / least["parse"]
        shown = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in least.items())
        print(f"{name} ({path.stat().st_size / 1e6:.0f} MB): {shown}; {ratio:.1f} x parsing")
    print(f"peak memory of the process {peak():.0f} MB")


if __name__ == "__main__":
    main()
