"""What reads foreign bytes raises errors of ours alone; `scripts/fuzz` tries for as long as asked.

Time: four times as many bytes may not take ten times as long, which `scripts/fuzz --growth`
measures; here every text that grows must be done within a time that only a mistake exceeds. Memory
is bounded by the kernel, in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fuzzing
from fuzzing import CORPUS, FAST, SHAPES, SLOW, TARGETS, Target, feed, fuzz, grown, seeds

OFTEN = [target for target in TARGETS if target.name in FAST and target.seeds is None]
WITHIN = 1_000 * 2**20
"""Bytes of address space that may be added for 2 MiB of input."""


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_changed_bytes_raise_errors_of_ours_alone(target: Target) -> None:
    """A few of the seeds that scripts/fuzz goes through by the thousand."""
    for number in range(1 if target.name in {*SLOW, "items-parquet"} else 4):
        fuzz(target, number)


@pytest.mark.parametrize("target", OFTEN, ids=lambda target: target.name)
def test_texts_that_grow_end(target: Target) -> None:
    for shape in SHAPES if target.name != "wire" else SHAPES[-2:]:
        feed(target, grown(shape, 2**12))


def test_seeds_are_sound() -> None:
    """A target that refuses all of its seeds would try nothing."""
    for target in TARGETS:
        if not target.name.startswith("run-") and target.name != "replay":  # whose items are others
            assert any(feed(target, data) for data in seeds(target.name)), target.name
    assert {path.name for path in CORPUS.iterdir()} <= {target.name for target in TARGETS}


@pytest.mark.slow
def test_memory_is_bounded() -> None:
    """2 MiB of the worst texts, in a process that may take no more than so much for them."""
    code = f"""
import resource
from fuzzing import SHAPES, TARGETS, feed, grown, seeds
names = ("items-jsonl", "items-csv", "recorded", "annotations", "models-list", "replay")
chosen = [target for target in TARGETS if target.name in names]
for target in chosen:
    feed(target, seeds(target.name)[0])
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + {WITHIN}
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for target in chosen:
    for shape in SHAPES[:12:4]:
        feed(target, grown(shape, 2**21))
"""
    paths = [str(Path(fuzzing.__file__).parent), *sys.path]
    subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{code}"], check=True
    )


ITEMS = (
    b'{"shots": null, "items": {"name": "x", "kind": "choice", "labels": [], "flags": %s,'
    b' "source": "", "notes": [], "items": %s}}'
)
FOUND = {
    "a list of letters with line breaks": ("reply-text", b"A" + b"\n" * 40 + b"x"),
    "asterisks where an answer was to be": ("reply-text", b"**" * 8_000),
    "spaces where letters were to be": ("reply-text", b" " * 8_000 + b"x"),
    "letters in brackets again and again": ("reply-text", b"(A) " * 8_000),
    "an option again and again": ("reply-text", b"Option A " * 8_000),
    "an object of answers that never closes": ("reply-text", b"{" + b'"answer"' * 5_000),
    "the number infinity": ("reply-text", b'{"class_0": [Infinity, NaN]}'),
    "a number that is raised": ("reply-text", '{"²": "class_0"}'.encode()),
    "a number of 5,000 digits": ("reply-text", b'{"%s": "class_0"}' % (b"9" * 5000)),
    "a range of 5,000 digits": ("reply-text", b'{"class_0": "1-%s"}' % (b"9" * 5000)),
    "two thousand million numbers": ("reply-text", b'{"class_0": [1, "...", 2000000000]}'),
    "lists within lists": ("reply-text", b'{"class_0": %s1%s}' % (b"[" * 900, b"]" * 900)),
    "many columns": ("items-csv", b"," * 300_000),
    "a number beyond 64 bits": (
        "replay",
        b'{"id": "x", "n": 18446744073709551616, "response": NaN}',
    ),
    "flags that are a number": ("run-items", ITEMS % (b"0", b"[]")),
    "items that are texts": ("run-items", ITEMS % (b"{}", b'["A"]')),
    "the repetition infinity": ("replay", b'{"id": "x", "repetition": Infinity, "response": "B"}'),
    "a reader.json that is a list": ("run-reader", b'{"name": "text", "version": "1", "plan": 3}'),
    "estimates of no items": ("run-estimates", b'{"estimates": [], "dataset": 3}'),
    "infinitely many tokens": ("store-row", b'{"text": "B", "usage": [1e400, 1]}'),
    "a log that says nothing": ("run-imported", b"[]"),
    "a probe that declares nothing": ("run-asked", b'{"probes": [{"name": "order"}]}'),
    "a long number": ("reply-text", b"Yes, i1979: 94611686018427387904999999999999999999\r\nt."),
    "a table that ends early": ("run-trials", b"PAR1\x15\x04"),
}
"""What fuzzing found: it fails no more."""


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found(name: str) -> None:
    target, data = FOUND[name]
    feed(next(one for one in TARGETS if one.name == target), data)
