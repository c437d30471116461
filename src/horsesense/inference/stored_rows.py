"""What a store tells of itself, and its rows: from and to JSON, and whether they are sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import orjson

from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.values import quick

Query = Callable[..., Iterator[tuple[Any, ...]]]
"""Finds rows: given SQL, and its values."""


class Totals(NamedTuple):
    """What a store holds. Tokens are sums over the responses that state them."""

    responses: int
    prompt_tokens: int
    completion_tokens: int
    failures: int


@quick(frozen=True, slots=True)
class Spent:
    """What calls took at most: their number, and tokens as counted or as bounded from above."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def __sub__(self, other: Spent) -> Spent:
        return self + Spent(-other.requests, -other.prompt_tokens, -other.completion_tokens)

    def __or__(self, other: Spent) -> Spent:
        """Of two states of one account the later: it never shrinks."""
        return Spent(*map(max, astuple(self), astuple(other)))


class Failed(NamedTuple):
    """A request without an answer: attempts over all runs, and what was seen last."""

    request: Request
    attempts: int
    failure: Failure


@quick(frozen=True, slots=True)
class Verification:
    """What was found: rows checked, a sentence for each fault, and whether there is a manifest."""

    checked: int
    faults: tuple[str, ...]
    manifest: bool = False

    @property
    def sound(self) -> bool:
        return not self.faults


MOST_COUNTED: Final = 2**53
"""A larger number is no count of what was spent: sums of these fit into every file."""


def countable(n: float) -> int:
    """A sum of counts that may be damaged, as one that an account can hold."""
    return int(min(max(n, 0), MOST_COUNTED))


UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError)
"""What damaged JSON raises, in parsing it or in what is made of it."""


def shown_key(key: Any) -> str:
    return key.hex() if isinstance(key, bytes) else repr(key)


def text_of(response: Response) -> str:
    return json_of(response.as_json())


def json_of(value: Any) -> str:
    return orjson.dumps(value).decode()


def digest_of(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def request_of(text: str) -> Request:
    return Request.from_json(orjson.loads(text))


def response_of(text: str) -> Response:
    return Response.from_json(orjson.loads(text))


def faults_of_row(
    table: str,
    key: Key,
    identity: str | None,
    request: str,
    text: str = "",
    digest: bytes | None = None,
) -> Iterator[str]:
    """What is wrong with a row of a table: its digest, its model, its request or its key."""
    where = f"{table}, key {shown_key(key)}"
    if digest is not None and not (isinstance(text, str) and digest_of(text) == digest):
        yield f"{where}: the response is not the one that was stored"
    if identity is None:
        yield f"{where}: the model that it names is not in the store"
        return
    try:
        derived = request_of(request).key(identity)
    except UNREADABLE as error:
        yield f"{where}: the request cannot be read ({type(error).__name__}: {error})"
    else:
        if derived != key:
            yield f"{where}: request and model {identity!r} hash to {derived.hex()}"


ASKED_IN: Final = (
    "SELECT responses.rowid, key, identity, request FROM responses"
    " LEFT JOIN models ON models.id = model WHERE key IN ({})"
)
"""What shows whether a request is the one that was asked, of some keys."""

_HASHED: Final = {
    "responses": """
        SELECT key, identity, request, response, digest FROM responses
        LEFT JOIN models ON models.id = model""",
    "failures": """
        SELECT key, identity, request, failure, NULL FROM failures
        LEFT JOIN models ON models.id = model""",
}
"""Everything that the hashes of a table are derived from."""


def totals_of(rows: Query) -> Totals:
    """Counts over a whole store; reads every row."""
    [(responses, prompt, completion)] = rows(
        "SELECT count(*), total(json_extract(response, '$.usage[0]')), "
        "total(json_extract(response, '$.usage[1]')) FROM responses WHERE json_valid(response)"
    )
    [(failures,)] = rows(
        "SELECT count(DISTINCT key) FROM failures f "
        "WHERE NOT EXISTS (SELECT 1 FROM responses r WHERE r.key = f.key)"
    )
    # A damaged answer may state any number: none beyond what a model can count.
    prompt, completion = (int(min(max(n, 0), 2**63)) for n in (prompt, completion))
    return Totals(responses, prompt, completion, failures)


def last_of(rows: Query) -> tuple[int, str]:
    """How many answers a store holds, and the key of the last, in hexadecimal; "" without any."""
    found = [*rows("SELECT lower(hex(key)) FROM responses ORDER BY rowid DESC LIMIT 1")]
    return _count(rows), found[0][0] if found else ""


def lost_since(rows: Query, answers: int, last: str) -> str:
    """What a store lacks that held so many answers once, the last of them under `last`.

    A store only grows: what it lost, or that it is another one, shows without reading it.
    """
    if (there := _count(rows)) < answers:
        return f"{answers - there:,} of the {answers:,} answers that it held are gone"
    if not [*rows("SELECT 1 FROM responses WHERE key = ?", [bytes.fromhex(last)])]:
        return "it belongs to another run: the last answer that came is not in it"
    return ""


def _count(rows: Query) -> int:
    [(n,)] = rows("SELECT count(*) FROM responses")
    return int(n)


def verified(rows: Query, file: str) -> Verification:
    """Every hash of a file derived again (see `Store.verify`)."""
    broken = (line for (line,) in rows("PRAGMA integrity_check") if line != "ok")
    faults = [f"{file}: {line}" for line in broken]
    checked = 0
    for table, sql in _HASHED.items():
        for key, name, request, text, digest in rows(sql):
            checked += 1
            faults += faults_of_row(table, key, name, request, text, digest)
    return Verification(checked, tuple(faults))
