"""The tokens that spell a label, as a server with vLLM's `/tokenize` has them.

Where a server has that address, labels can be scored by their tokens (`logprob_token_ids`) instead
of being looked for among the most likely ones. Where that stops working in the middle of a run, it
is done without, for as long as the model's object lives.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

import orjson

from horsesense.models.messages import Failure, Request

MOST_SCORED: Final = 128
"""Tokens that vLLM scores by their ids in one call."""
MOST_TOKENS: Final = 2**31
"""No vocabulary has as many."""
PATIENCE: Final = 10.0
"""Seconds for which a tokeniser may fail before labels are done without it."""
MAY_BE_WHY: Final = frozenset((400, 403, 404, 405, 406, 413, 415, 422, 501))
"""With these a server may refuse a field without naming it."""
LEADS: Final = ("", " ", "\n")
"""What may stand before a label: its token differs after a space."""
PROBED: Final = ("J", "Q", "X", "Z")
"""Labels so unlikely to be among the most likely tokens that a server which gives all means it."""

Ids = tuple[int, ...]
Tokenize = Callable[[str], Awaitable[bytes | Failure]]


class LabelTokens:
    """Token ids of labels; each label is asked for once.

    Args:
        tokenize: puts one text to the server; gives the body of its reply.

    Attributes:
        refused: whether naming tokens was found not to work.
    """

    def __init__(self, tokenize: Tokenize) -> None:
        self._tokenize = tokenize
        self._leads: dict[str, Ids] = {}
        self._known: dict[str, Ids] = {}
        self._asking = asyncio.Lock()  # requests that come together wait for one answer
        self.refused = False
        self._suspect = set[Request]()  # requests that were refused with token ids
        self._failing_since: float | None = None

    async def of_request(self, request: Request) -> Ids | Failure:
        """Tokens of a request's labels; none where naming them does not work, or no longer."""
        if self.refused or request in self._suspect:
            return ()
        ids = await self.of(request.params.label_tokens)
        if not isinstance(ids, Failure):
            self._failing_since = None
            return ids
        now = time.monotonic()
        since = self._failing_since = self._failing_since or now
        if ids.retryable and now - since < PATIENCE:
            return ids
        self.refused = True
        return ()

    def may_be_why(self, refusal: Failure, request: Request, ids: Ids) -> bool:
        """Whether a refusal may be about `ids`: the same request without them then tells."""
        if ids and refusal.kind == "rejected" and refusal.status in MAY_BE_WHY:
            self._suspect.add(request)
            return True
        if not refusal.retryable:
            self._suspect.discard(request)  # it was something else
        return False

    def answered(self, request: Request) -> None:
        """Note that a request has an answer, perhaps now that it names no tokens."""
        if self._suspect and request in self._suspect:
            self.refused = True
            self._suspect.clear()

    async def of(self, labels: Sequence[str]) -> Ids | Failure:
        """Every token that alone spells one of the labels, as many as one call scores."""
        if not self._known.keys() >= set(labels):
            async with self._asking:
                failure = await self._find(labels)
            if failure is not None:
                return failure
        # One spelling of each before the second of any: where not all fit, none is left out.
        spellings = zip_longest(*(self._known[label] for label in labels))
        ids = dict.fromkeys(token for some in spellings for token in some if token is not None)
        return tuple(ids)[:MOST_SCORED]

    async def _find(self, labels: Sequence[str]) -> Failure | None:
        for label in dict.fromkeys(labels):
            if label not in self._known:
                found = await self._spellings(label)
                if isinstance(found, Failure):
                    return replace(found, unsent=True)
                self._known[label] = found
        return None

    async def _spellings(self, label: str) -> Ids | Failure:
        # One after the other: a server without the address is told by the first.
        for lead in LEADS:
            if lead not in self._leads:
                before = await self._ids(lead)
                if isinstance(before, Failure):
                    return before
                self._leads[lead] = before
        wholes = await asyncio.gather(*(self._ids(lead + label) for lead in LEADS))
        found = []
        for lead, whole in zip(LEADS, wholes, strict=True):
            if isinstance(whole, Failure):
                return whole
            # The label has one token, alone with its lead or after the tokens of its lead.
            if whole and whole[:-1] in ((), self._leads[lead]):
                found.append(whole[-1])
        return tuple(dict.fromkeys(found))

    async def _ids(self, text: str) -> Ids | Failure:
        reply = await self._tokenize(text) if text else b'{"tokens": []}'
        return _token_ids(reply) if isinstance(reply, bytes) else reply


def _token_ids(body: bytes) -> Ids | Failure:
    try:
        ids = orjson.loads(body)["tokens"]
        if all(type(token) is int and 0 <= token < MOST_TOKENS for token in ids):
            return tuple(ids)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        pass
    return Failure("malformed", "the reply of /tokenize holds no tokens", 200)
