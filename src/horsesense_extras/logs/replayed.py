"""The answers of a log as rows of a recording, for `replay:LOG`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from horsesense_extras.logs.registry import open_logs


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The answers of a log as rows of a recording; their places follow from their contents."""
    number = 0
    for log in open_logs([path]):
        for sample in log.samples():
            number += 1
            scores = [dict(sample.label_scores)] if sample.label_scores else sample.logprobs
            yield (
                number,
                {
                    "sample": sample,
                    "item_id": sample.id,
                    "repetition": number,
                    "options": [sample.options[place] for place in sample.order],
                    "labels": list(sample.labels),
                    "response": "" if sample.reply is None and scores else sample.reply,
                    "finish_reason": sample.finish_reason,
                    "model": sample.model or log.model,
                    **({"gold": sample.options[sample.gold]} if sample.gold is not None else {}),
                    **({"top_logprobs": list(scores)} if scores else {}),
                    **({"text_scores": dict(sample.text_scores)} if sample.text_scores else {}),
                },
            )
