"""Models: whatever answers a request. `--model SCHEME:REST` names one.

A new kind of model is one module with `from_spec(rest, **options) -> Model` and one entry here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from horsesense.errors import UsageError
from horsesense.hosts import makes
from horsesense.plugins import Registry, Scheme, forms, parse_scheme, scheme
from horsesense.side import offered, side

if TYPE_CHECKING:
    from horsesense.models.base import Model

SCHEMES: Final[Registry[Scheme]] = Registry("model", group="horsesense.models", accept=scheme)
for _scheme in (
    Scheme(
        "http",
        "horsesense.models.openai.http",
        "NAME[@URL]",
        "Any server that speaks the OpenAI protocol; the key comes from the environment.",
        extra="server",
    ),
    Scheme(
        "sim",
        "horsesense.models.simulated.backend",
        "PROFILE[?key=value&...]",
        "A simulated model whose truth is known: the positive controls.",
    ),
    Scheme(
        "replay",
        "horsesense.models.recorded",
        "FILE",
        "Recorded answers, or a log of another program.",
    ),
):
    SCHEMES.add(_scheme.name, _scheme)

FORMS: Final = forms(
    {**SCHEMES.own, **{name: side("models", name) for name in sorted(offered("models"))}}
)
"""How our own models are written, for help texts."""


def make_model(spec: str, **options: Any) -> Model:
    """The model named by `--model`; UsageError lists the schemes.

    Args:
        spec: `SCHEME:REST`.
        options: of the scheme's `from_spec`; None leaves one out.

    >>> make_model("sim:position?k=1").name
    'sim:position?k=1'
    """
    if spec.startswith(("http://", "https://")):
        raise UsageError(
            "The address of a server does not say which of its models is meant.",
            hint="Write http:NAME@ before it, as in http:NAME@http://HOST:PORT/v1.",
        )
    if not makes(spec):
        raise UsageError(f"A run or a log alone names {spec}: it is not made. Name it yourself.")
    local = spec == "smollm2" or spec.endswith(".gguf")
    found, rest = parse_scheme(spec, SCHEMES, default="hf" if local else "http")
    given = {name: value for name, value in options.items() if value is not None}
    unknown = [name for name in given if not found.takes(name)]
    if unknown:
        raise UsageError(
            f"{found.name}: models take no {' and no '.join(unknown)}.",
            hint="It belongs to models behind a server (http:).",
        )
    model: Model = found.make(rest, **given)
    return model


def refuse_shared_key(models: Iterable[object]) -> None:
    """Refuse to send a key that was given for one server to several; UsageError says so."""
    http = sys.modules.get("horsesense.models.openai.http")
    if http is not None:  # else none of them is on a server
        http.refuse_shared_key(models)
