"""The check that every model must pass, ours and those of other packages.

>>> from horsesense.models.registry import make_model
>>> check_model(lambda: make_model("sim:oracle")).text
True
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from horsesense.models.base import Asked, Capabilities, Model, NeedsAnswerKey
from horsesense.models.messages import Failure, Request, Response
from horsesense.prompts import Prompter, Want
from horsesense.testing.conformance import check_blind, trials_to_read
from horsesense.trials.trial import Trial

HOSTILE_PROMPTS = ("", " ", "\x00\x1b[31m", "<|im_end|>{{ 7 * 7 }}</s>", "a " * 3000)
"""Prompts to which a model may answer what it likes, or fail; it must not raise."""


def check_model(make: Callable[[], Model], trials: Sequence[Trial] = ()) -> Capabilities:
    """A model declares itself, answers in order, fails without raising, and knows requests alone.

    Args:
        make: gives a model that was not entered yet, the same one each time. It is asked some
            dozens of short prompts.
        trials: what is asked about, the first of each kind of answer unless given. A recorded
            model is given trials that it has answers to.

    Returns what the model offers. For use outside of a running event loop.
    """
    return asyncio.run(_check(make, trials or trials_to_read()[:3]))


async def _check(make: Callable[[], Model], trials: Sequence[Trial]) -> Capabilities:
    model = make()
    _check_declarations(model)
    assert make().identity == model.identity, "the same model has two identities"
    before = model.identity
    async with model as entered:
        assert entered is model, "`async with` must give the model itself"
        offers = await model.capabilities()
        assert isinstance(offers, Capabilities), "capabilities() must give Capabilities"
        assert offers.chat or offers.completion, "the model takes no kind of prompt"
        assert offers.text or offers.label_tokens or offers.continuations, "it gives nothing"
        asks = _asks(model, offers, trials)
        assert asks, "the model answers none of the trials"
        answers = await _check_answers(model, asks)
        await _check_failures(model, offers)
        if not isinstance(model, NeedsAnswerKey):
            await _check_blindness(model, asks, answers)
        _check_counts(model, [asked.request for asked in asks])
    assert model.identity == before, "the identity changes with use"
    return offers


def _check_declarations(model: Model) -> None:
    for name in ("identity", "name"):
        value = getattr(model, name)
        assert isinstance(value, str), f"the model does not declare its {name} as a text"
        assert value, f"the model does not declare its {name}"
    for name in ("batch_size", "max_connections"):
        value = getattr(model, name)
        assert isinstance(value, int), f"{name} is a whole number from 1"
        assert value > 0, f"{name} is a whole number from 1"


def _asks(model: Model, offers: Capabilities, trials: Sequence[Trial]) -> list[Asked]:
    """The trials as greedy requests of the kind that the model takes, each once."""
    want = Want(top_logprobs=min(5, offers.top_logprobs), label_tokens=offers.label_tokens)
    prompter = Prompter(style="chat" if offers.chat else "completion", want=want)
    found = {}
    for trial in trials:
        request = prompter.request(trial)
        asked = Asked(request.key(model.identity), request)
        if not isinstance(model, NeedsAnswerKey) or model.attach_trial(asked.key, trial):
            found[asked.key] = asked
        check_blind([request], [trial.variants[0].item_id, f'"{trial.probe}"'])
    return list(found.values())


async def _check_answers(model: Model, asks: Sequence[Asked]) -> list[Response]:
    """One answer for each request, in order, and the same whatever it is asked together with."""
    together = await _ask(model, asks)
    backwards = await _ask(model, asks[::-1])
    alone = [(await _ask(model, [asked]))[0] for asked in asks]
    for asked, answer, other, single in zip(asks, together, backwards[::-1], alone, strict=True):
        assert isinstance(answer, Response), f"a plain request failed: {answer}"
        for again in (other, single):
            assert isinstance(again, Response), f"a plain request failed: {again}"
            assert again.text == answer.text, (
                f"{model.name} answers one request in two ways at temperature 0: "
                f"{answer.text!r}, {again.text!r} ({asked.request})"
            )
    return [answer for answer in together if isinstance(answer, Response)]


async def _ask(model: Model, asks: Sequence[Asked]) -> Sequence[Response | Failure]:
    answers = await model.respond(asks)
    assert len(answers) == len(asks), f"{len(answers)} answers to {len(asks)} requests"
    assert all(isinstance(a, Response | Failure) for a in answers), "neither answer nor failure"
    return answers


async def _check_failures(model: Model, offers: Capabilities) -> None:
    """What cannot be answered comes back as a Failure, or as an answer; nothing is raised."""
    assert not await _ask(model, []), "no request has no answer"
    for text in HOSTILE_PROMPTS:
        request = Request((("user", text),), None) if offers.chat else Request(None, text)
        try:
            await _ask(model, [Asked(request.key(model.identity), request)])
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(
                f"{model.name} raises {error!r} for the prompt {text!r}"
            ) from error


async def _check_blindness(
    model: Model, asks: Sequence[Asked], answers: Sequence[Response]
) -> None:
    """The answer depends on the request, and not on the key that it is stored under."""
    renamed = [Asked(bytes(16), asked.request) for asked in asks]
    for asked, answer in zip(renamed, answers, strict=True):
        [again] = await _ask(model, [asked])
        assert isinstance(again, Response), f"a plain request failed: {again}"
        assert again.text == answer.text, f"{model.name} answers by the key of a request"


def _check_counts(model: Model, requests: Sequence[Request]) -> None:
    """Tokens are counted for all prompts or for none."""
    counts = [model.count_tokens(request) for request in requests]
    assert all(n is None for n in counts) or all(n is not None and n > 0 for n in counts), (
        f"token counts must be whole numbers from 1, or None throughout: {counts}"
    )
