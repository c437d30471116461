"""What a run of people says of itself (`horsesense annotate TEST --take`)."""

from __future__ import annotations

from typing import Any

import orjson

from horsesense.errors import StoreError
from horsesense.kept import read_kept
from horsesense.runs.layout import RunLayout


def load_told(layout: RunLayout) -> dict[str, Any] | None:
    """What a run of people says of its booklets; None where it says nothing."""
    try:
        found: dict[str, Any] = orjson.loads(read_kept(layout.people))
        return {
            name: found[name] for name in ("test", "booklets", "returned", "answers", "missing")
        }
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError.unreadable(layout.people, error) from None
