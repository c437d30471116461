"""Models whose truth is known: the positive controls of a report, and the tests.

A simulated model is told the trial behind each request (see `NeedsAnswerKey`); every other
backend sees the request alone. Each answer is a pure function of the profile, the item and the
request's key, so a run can be repeated, resumed and reordered without changing it.

A profile decides in content (`Decision`); how the decision is put into words depends on what the
trial asks for and is the same for all profiles (`horsesense.models.simulated.speech`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any
from urllib.parse import parse_qsl

from horsesense.errors import UsageError
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import UNATTACHED, Failure, Key, Response, Usage
from horsesense.models.simulated.profiles import ALLOWED, Profile
from horsesense.models.simulated.speech import first_token, reply_scores, speak
from horsesense.plugins import Registry, declared
from horsesense.trials.trial import Trial

REMEMBERED = 8192
"""Trials that are kept at a time; at most `batch_size` and a chunk of the runner are in flight."""


PROFILES: Registry[type[Profile]] = Registry("simulated model")
for _profile in declared(__package__, "profiles second_thoughts instruments", Profile):
    PROFILES.add(_profile.name, _profile, formerly=_profile.formerly)


class Simulated(HoldsNothing):
    """The backend around a profile.

    >>> Simulated.from_spec("position?k=2").identity
    'sim:position?k=2'
    """

    batch_size = 512
    max_connections = 1

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.identity = profile.spec
        self.name = profile.shown
        self.thinks = profile.thinks
        self._answer_key: dict[Key, Trial] = {}

    @classmethod
    def from_spec(cls, rest: str) -> Simulated:
        """From `PROFILE?key=value&...`; UsageError names what is unknown and what there is."""
        name, _, query = rest.partition("?")
        kind = PROFILES.get(name)
        known = {f.name: f for f in fields(kind)}
        values: dict[str, Any] = {}
        for key, text in parse_qsl(query, keep_blank_values=True):
            if key not in known:
                raise UsageError.unknown(f"parameter of sim:{name}", key, known)
            values[key] = _parsed(f"sim:{name}", key, type(known[key].default), text)
        return cls(kind(**values))

    async def __aexit__(self, *error: object) -> None:
        self._answer_key.clear()

    async def capabilities(self) -> Capabilities:
        return Capabilities(
            completion=True, top_logprobs=26, label_tokens=True, continuations=True, continues=True
        )

    def attach_trial(self, key: Key, trial: Trial) -> bool:
        self._answer_key.setdefault(key, trial)
        if len(self._answer_key) > REMEMBERED:
            # Far more than can be in flight; what is older was answered or needed no answer.
            del self._answer_key[next(iter(self._answer_key))]
        return True

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        known = ((asked, self._answer_key.get(asked.key)) for asked in batch)
        return [
            UNATTACHED if trial is None else self.answer(asked, trial) for asked, trial in known
        ]

    def answer(self, asked: Asked, trial: Trial) -> Response | Failure:
        decisions = self.profile.decide_all(trial, self._luck_key(asked))
        params = asked.request.params
        scored = params.label_tokens and len(decisions) == 1
        replies = params.continuations if len(decisions) == 1 else ()
        told = self.profile.text_logits(trial.variants[0], decisions[0]) if replies else ()
        response = Response(
            text=speak(trial, decisions),
            finish_reason="stop",
            token_logprobs=(first_token(trial, decisions[0]),) if scored else (),
            continuations=reply_scores(replies, told),
            unconditional={}
            if params.unconditional is None
            else reply_scores(replies, [0.0] * len(replies)),
            usage=Usage(),
        )
        return self.profile.delivered(response, trial, asked.request)

    def _luck_key(self, asked: Asked) -> Key:
        """The key that draws are made with: what is scored besides does not change the reply."""
        params = asked.request.params
        if not params.continuations:
            return asked.key
        bare = replace(params, continuations=(), unconditional=None)
        return replace(asked.request, params=bare).key(self.identity)


def from_spec(rest: str) -> Simulated:
    return Simulated.from_spec(rest)


def _parsed(where: str, name: str, kind: type, text: str) -> Any:
    """A parameter's value; probabilities lie in 0..1, weights are not negative."""
    try:
        if kind is tuple:
            value: Any = tuple(float(part) for part in text.split(","))
            fits = sum(value) > 0 and min(value) >= 0
        elif kind is str:
            value, fits = text, text == "" or text.isidentifier()
        else:
            value = kind(text)
            fits = value >= 0 and (kind is int or value <= 1)
    except ValueError:
        fits = False
    if not fits:
        raise UsageError(f"{where}: {name} cannot be {text!r}.", hint=f"Allowed: {ALLOWED[kind]}.")
    return value
