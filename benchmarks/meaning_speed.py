"""Replies per minute of `text+meaning` on one core, and how many of them it encodes.

    python benchmarks/meaning_speed.py

The development part of the packaged replies, the hardest there are; times are of the process's own
CPU, with one thread, after the encoder is loaded.
"""

from __future__ import annotations

import asyncio
import time

from horsesense.inference.limits import UNLIMITED
from horsesense.models.messages import Response
from horsesense.readers.corpus.load import examples
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from horsesense_extras.readers.meaning import MeaningReader


async def main() -> None:
    import torch

    torch.set_num_threads(1)
    rows = []
    for e in examples("development"):
        origin = tuple(range(len(e.options)))
        variant = Variant(e.id, e.question, e.options, e.labels, origin, None)
        trial = Trial("original", PLAIN, 0, (variant,))
        rows.append((trial, Response(e.response, e.finish_reason)))
    async with MeaningReader() as reader:
        start = time.process_time()
        await reader.prepare(rows, None, UNLIMITED)
        found = [reading for row in rows for reading in reader.read(*row)]
        spent = time.process_time() - start
    meant = sum(reading.rule.startswith("meaning_") for reading in found)
    print(f"{len(found)} replies, {meant} of them read with meaning: {spent:.0f} s of one core")
    print(f"replies a minute: {60 * len(found) / spent:,.0f}; encoded: {60 * meant / spent:,.0f}")


if __name__ == "__main__":
    asyncio.run(main())
