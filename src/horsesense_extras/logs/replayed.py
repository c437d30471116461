"""The answers of a log as rows of a recording, for `replay:LOG`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from horsesense.models.messages import Response
from horsesense_extras.logs.registry import open_logs


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The answers of a log as rows of a recording; their places follow from their contents."""
    number = 0
    for log in open_logs([path]):
        for sample in log.samples():
            number += 1
            came = sample.came if isinstance(sample.came, Response) else None
            scores = {} if came is None else {t: s for t, (s, _) in came.continuations.items()}
            yield (
                number,
                {
                    "sample": sample,
                    "item_id": sample.id,
                    "repetition": number,
                    "options": [sample.options[place] for place in sample.order],
                    "labels": list(sample.labels),
                    "response": came and came.text,
                    "finish_reason": came and came.finish_reason,
                    "model": sample.model or log.model,
                    **({"gold": sample.options[sample.gold]} if sample.gold is not None else {}),
                    **({"top_logprobs": list(came.token_logprobs)} if came else {}),
                    **({"text_scores": scores} if scores else {}),
                },
            )
