"""Models: whatever answers a request. `--model SCHEME:REST` names one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from horsesense.errors import UsageError
from horsesense.models.base import Model

SCHEMES = {
    "http": "horsesense.models.openai.http",
    "hf": "horsesense.models.hf.backend",
    "sim": "horsesense.models.simulated.backend",
    "replay": "horsesense.models.recorded",
}
"""Scheme -> module with `from_spec(rest, **options)`. A new backend is one module and one line."""


def make_model(spec: str, **options: Any) -> Model:
    """The model named by `--model`; UsageError lists the schemes.

    >>> make_model("sim:position?k=1").name
    'sim:position?k=1'
    """
    scheme, colon, rest = spec.partition(":")
    if not colon or not rest or scheme not in SCHEMES:
        raise UsageError(
            f"{spec!r} names no model.",
            hint="Write http:NAME[@URL], hf:PATH-or-NAME, sim:PROFILE or replay:FILE.",
        )
    backend: Model = import_module(SCHEMES[scheme]).from_spec(rest, **options)
    return backend
