"""What is asked of the engine for one request, and the response that its answers make.

Text and label log-probabilities come from one call. What it cannot hold (more label tokens than the
engine scores at once, the most likely tokens, scores of whole replies) is asked by further calls,
whose prompts lie in the prefix cache by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Request, Response
from horsesense_extras.models.hf.local import FIRST_POSITIONS
from horsesense_extras.models.hf.tokens import Tokens, refuse_too_long, without_question

MOST_SCORED: Final = 128
"""Tokens that one call scores by their ids at most (`logprob_token_ids`)."""

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the engine; equal ones are made once.

    Attributes:
        prompt: token ids.
        max_tokens: upper limit of generated tokens, from 1.
        scored: tokens whose log-probability is wanted at every position, besides that of the
            token written; at most `MOST_SCORED`.
        top: how many of the most likely tokens are wanted instead; None for no log-probabilities
            but those of `scored`.
        temperature, top_p, seed: decoding.
    """

    prompt: Ids
    max_tokens: int = 1
    scored: Ids = ()
    top: int | None = None
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None

    def settings(self) -> dict[str, Any]:
        """Fields of vLLM's `SamplingParams`."""
        return {
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": self.seed,
            "logprobs": self.top,
            "logprob_token_ids": list(self.scored) or None,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What the engine gave.

    Attributes:
        tokens: written, with the one that ended the reply.
        logprobs: token id -> log-probability at each of the first positions.
    """

    tokens: Ids
    logprobs: tuple[Mapping[int, float], ...] = ()


Answers = Mapping[Call, Answer | Failure]


class Readout:
    """The calls that one request needs, and its response.

    Args:
        asked: the request, with the key that its draws are a function of.
        tokens: the model's tokeniser.
        context_length: tokens that prompt and reply share.

    Raises:
        ValueError: the prompt cannot be written in the model's form, or it or a reply that is to be
            scored does not fit.
    """

    def __init__(self, asked: Asked, tokens: Tokens, context_length: int) -> None:
        request = asked.request
        params = request.params
        self._params, self._tokens = params, tokens
        self._prompt = tokens.prompt(request)
        # At least one token is generated, also where scores alone are wanted.
        limit = max(1, params.max_tokens)
        refuse_too_long(self._prompt, f"{limit} are asked for", limit, context_length)
        drawn = params.temperature > 0
        plain = Call(
            self._prompt,
            limit,
            temperature=params.temperature,
            top_p=1.0 if params.top_p is None else params.top_p,
            seed=int.from_bytes(asked.key[:7]) if drawn else None,
        )
        self._spelled = tokens.spellings(params.label_tokens) if params.label_tokens else ()
        self._calls = list(self._written(plain))
        self._given = _Replies(self._prompt, request, tokens, context_length)
        self._bare: _Replies | None = None
        if (alone := without_question(request)) is not None:
            self._bare = _Replies(tokens.prompt(alone), alone, tokens, context_length)

    def _written(self, plain: Call) -> Iterator[Call]:
        """The call that writes the reply, then those that score its first positions once more."""
        top = self._params.top_logprobs or None
        # A request that names labels none of which is a token still tells what it wrote.
        none_spelled = 0 if self._params.label_tokens and not self._spelled else None
        brief = replace(plain, max_tokens=min(FIRST_POSITIONS, plain.max_tokens))
        if not self._spelled:
            yield replace(plain, top=top or none_spelled)
            return
        first, *rest = _chunks(self._spelled)
        yield replace(plain, scored=first)
        for chunk in rest:
            yield replace(brief, scored=chunk)
        if top:
            yield replace(brief, top=top)

    def calls(self) -> Iterator[Call]:
        """All calls, that which writes the reply first."""
        yield from self._calls
        for replies in (self._given, self._bare):
            if replies is not None:
                yield from replies.calls()

    def outcome(self, answers: Answers) -> Response | Failure:
        """The response; a Failure where any call failed or the model gave no numbers."""
        failed = (answers[call] for call in self.calls())
        failure = next((answer for answer in failed if isinstance(answer, Failure)), None)
        if failure is not None:
            return failure
        written = _answer(answers, self._calls[0]).tokens if self._params.max_tokens else ()
        given = self._given.scores(answers)
        bare = {} if self._bare is None else self._bare.scores(answers)
        positions = tuple(self._positions(answers))
        return self._tokens.response(self._prompt, written, positions, given, bare)

    def _positions(self, answers: Answers) -> Iterator[dict[str, float]]:
        """Log-probabilities by text at each first position, from all calls that wrote the same."""
        params = self._params
        if not (params.label_tokens or params.top_logprobs):
            return
        written = _answer(answers, self._calls[0]).tokens
        for place, token in enumerate(written[:FIRST_POSITIONS]):
            wanted = {*self._spelled} | ({token} if params.max_tokens else set())
            found: dict[int, float] = {}
            for call in self._calls:
                answer = _answer(answers, call)
                # Where two tokens are equally likely, another call may have gone on otherwise.
                if answer.tokens[:place] == written[:place] and place < len(answer.logprobs):
                    given = answer.logprobs[place]
                    found |= {t: v for t, v in given.items() if call.top or t in wanted}
            yield self._tokens.by_text(found)


class _Replies:
    """Whole replies scored after one prompt: token by token, what they share once."""

    def __init__(self, prompt: Ids, request: Request, tokens: Tokens, context_length: int) -> None:
        self.prompt = prompt
        replies = tokens.replies(request, request.params.continuations)
        # A part of what was asked for is no answer: with more room, it would stay in its place.
        longest = max(map(len, replies.values()), default=0)
        refuse_too_long(prompt, f"a reply to be scored {longest}", longest, context_length)
        self.replies = replies
        after: dict[Ids, set[int]] = {}
        for ids in self.replies.values():
            for place, token in enumerate(ids):
                after.setdefault(ids[:place], set()).add(token)
        self._calls = {
            prefix: [Call((*prompt, *prefix), scored=chunk) for chunk in _chunks(sorted(following))]
            for prefix, following in after.items()
        }

    def calls(self) -> Iterator[Call]:
        for calls in self._calls.values():
            yield from calls

    def scores(self, answers: Answers) -> dict[str, tuple[float, int]]:
        """Text -> (total log-probability, number of tokens)."""
        return {
            text: (sum((self._logprob(ids, n, answers) for n in range(len(ids))), 0.0), len(ids))
            for text, ids in self.replies.items()
        }

    def _logprob(self, ids: Ids, place: int, answers: Answers) -> float:
        calls = self._calls[ids[:place]]
        call = next(call for call in calls if ids[place] in call.scored)
        return _answer(answers, call).logprobs[0][ids[place]]


def _chunks(ids: Sequence[int]) -> Iterator[Ids]:
    """As many tokens at a time as one call scores."""
    for start in range(0, len(ids), MOST_SCORED):
        yield tuple(ids[start : start + MOST_SCORED])


def _answer(answers: Answers, call: Call) -> Answer:
    answer = answers[call]
    assert isinstance(answer, Answer)
    return answer
