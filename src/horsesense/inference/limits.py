"""What a run may spend, how stubbornly it asks, and what it says when it ends."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final, Literal

from horsesense.errors import ExitCode, UsageError
from horsesense.inference.stored_rows import Spent
from horsesense.models.messages import Failure, Response, Usage
from horsesense.plugins import pairs
from horsesense.stats.words import plural

Stopped = Literal["budget", "interrupted", "failures", "alarm"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run directory may spend, over all stages and sessions.

    A call is charged with an upper bound before it is sent: the bytes of its request, and the most
    tokens that it allows. What the model counts takes its place, also where the call failed; a call
    whose tokens nobody counts stays at the bound. Nothing is sent once a limit is reached, so that
    requests never exceed theirs, and tokens and money by less than one call, as long as no call
    takes more than `excess` tokens beyond what it allowed. See `inference.ledger`.

    Attributes:
        requests: calls, with those that fail, those repeated, and those that find out what a
            model offers.
        tokens: prompt and completion tokens together.
        money: in the currency of the prices.
        prompt_price: price of a million prompt tokens.
        completion_price: price of a million completion tokens; a judge is charged the same.
        excess: tokens that a model may count beyond what a call allowed. So many are held back for
            each call under way, so that few are sent together as tokens or money run out.
    """

    requests: int | None = None
    tokens: int | None = None
    money: float | None = None
    prompt_price: float | None = None
    completion_price: float | None = None
    excess: int = 4_000

    def __post_init__(self) -> None:
        if self.money is not None and not self.priced:
            raise UsageError(
                "A budget in money needs the prices of a million prompt and completion tokens.",
                hint="Give both (--price PROMPT,COMPLETION), or a budget in requests or tokens.",
            )
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1e15:
                raise UsageError(f"The limit {name} is {value}.", hint="Give a number, 0 to 1e15.")

    def given(self, budget: str | None, price: str | None) -> Limits:
        """These, but for what the texts of --budget and --price say."""
        values: dict[str, Any] = {}
        kinds = {"requests": int, "tokens": int, "money": float, "excess": int}
        parts = [part for part in (budget or "").split(",") if part]
        for name, text in pairs("budget", parts).items():
            if name not in kinds:
                raise UsageError.unknown("budget", name, kinds)
            values[name] = _number("budget", text, kinds[name])
        if price is not None:
            values["prompt_price"], values["completion_price"] = prices(price)
        return replace(self, **values)

    @property
    def priced(self) -> bool:
        return self.prompt_price is not None and self.completion_price is not None

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Money for so many tokens; None without prices."""
        if self.prompt_price is None or self.completion_price is None:
            return None
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1e6

    def less(self, spent: Spent) -> Limits:
        """What is left of them after so much was spent elsewhere."""
        money = self.cost(spent.prompt_tokens, spent.completion_tokens)
        gone = {"requests": spent.requests, "tokens": spent.tokens, "money": money or 0.0}
        left = {name: getattr(self, name) for name in gone}
        return replace(self, **{n: max(0, v - gone[n]) for n, v in left.items() if v is not None})

    def share(self, own: Spent, runs: int) -> Limits:
        """For one that has spent `own` and the first of `runs` that share what is left: that
        and an equal part, rounded up."""
        left = self.less(own)
        parts = {}
        for name in ("requests", "tokens", "money"):
            if (most := getattr(self, name)) is not None:
                rest = getattr(left, name)
                part = rest / runs if name == "money" else -(-rest // runs)
                parts[name] = most - rest + part
        return replace(self, **parts)

    def short_of(self, requests: float, prompt: int, completion: int, bytes_: int) -> str:
        """Which limits asking so much may pass, or that none is; "" without a limit.

        `bytes_`: what prompts are charged where a server counts no tokens.
        """
        names = ("requests", "tokens", "money")
        most, needed = (
            dict(zip(names, (requests, n + completion, self.cost(n, completion) or 0), strict=True))
            for n in (bytes_, prompt)
        )
        left = {k: v for k in names if (v := getattr(self, k)) is not None}
        few = [k for k, v in left.items() if v < needed[k]]
        told = "; ".join(
            f"{k}={exactly(left[k])} left, about {_of(k, needed[k])} needed" for k in few or left
        )
        if few:
            return f"The budget may stop this audit early ({told})."
        unsure = ", ".join(f"{k}={_of(k, most[k])}" for k, v in left.items() if v < most[k])
        if not unsure:
            return told and f"The budget suffices ({told})."
        return (
            f"The budget suffices if the server counts tokens ({told}). If it does not, each byte"
            f" of a request is charged as a token, which may take {unsure}."
        )

    def reach(self, calls: int, prompt: int, completion: int) -> tuple[int, int]:
        """How many of so many calls, which take so many tokens together, can be sent, and how
        many of them at a time."""
        held, money = self.excess * calls, self.cost(prompt, completion) or 0
        dearest = max(self.cost(held, 0) or 0, self.cost(0, held) or 0)
        sent = together = calls
        for limit, needed, kept in (
            (self.requests, calls, 0.0),
            (self.tokens, prompt + completion, held),
            (self.money, money, dearest),
        ):
            if limit is not None and needed:
                sent = min(sent, int(calls * limit / needed))
                together = min(together, int(calls * limit / (needed + kept) + (kept > 0)))
        return sent, together

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are limited, by number or by price."""
        return self.tokens is not None or self.money is not None

    @property
    def any(self) -> bool:
        """Whether anything is limited."""
        return self.requests is not None or self.counts_tokens


def prices(text: str) -> tuple[float, float]:
    """What --price says, and `price` in a study.toml."""
    parts = text.split(",")
    if len(parts) != 2:
        raise UsageError(
            f"--price {text!r} is not PROMPT,COMPLETION.",
            hint="Prices of a million tokens of each, as in --price 0.4,1.6.",
        )
    return _number("price", parts[0], float), _number("price", parts[1], float)


def _number(option: str, text: str, kind: type) -> Any:
    try:
        return kind(text.replace("_", ""))
    except ValueError:
        noun = "a whole number" if kind is int else "a number"
        raise UsageError(f"--{option}: {text!r} is not {noun}.") from None


def _of(name: str, n: float) -> str:
    return rounded_up(n) if name == "money" else f"{round(n):,}"


def exactly(spent: float) -> str:
    """What was spent or is left, to a millionth.

    >>> exactly(0.010008), exactly(1200)
    ('0.010008', '1,200')
    """
    return f"{spent:,.6f}".rstrip("0").rstrip(".")


def rounded_up(money: float) -> str:
    """An upper limit of money with two decimals, or two digits below 0.1; never rounded down.

    >>> rounded_up(12.341), rounded_up(0.000123), rounded_up(0)
    ('12.35', '0.00013', '0.00')
    """
    exact = Decimal(repr(float(money)))
    places = 2 if not exact else max(2, 1 - exact.adjusted())
    return f"{exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_CEILING):f}"


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and how late a failed request is asked again.

    The n-th pause is first_pause * 2^(n-1) seconds, at most longest_pause, times a random factor
    from 0.5 to 1 so that requests which failed together do not come back together. A server's
    `Retry-After` replaces a shorter pause; one beyond longest_wait ends the attempts.

    Attributes:
        attempts: calls for one request in one run.
        longest_wait: seconds that a server may ask to wait.
        give_up: the run stops after so many requests in a row ended without an answer.
    """

    attempts: int = 6
    first_pause: float = 1.0
    longest_pause: float = 60.0
    longest_wait: float = 900.0
    give_up: int = 100

    def pause(self, attempt: int, failure: Failure) -> float | None:
        """Seconds before the next attempt; None if there is to be none."""
        asked_to_wait = failure.retry_after or 0.0
        if not failure.retryable or attempt >= self.attempts or asked_to_wait > self.longest_wait:
            return None
        if failure.kind == "dialect":
            return 0.0
        # Only timing depends on this draw, never a result: it needs no seed.
        pause = min(self.longest_pause, self.first_pause * 2.0 ** (attempt - 1))
        pause *= random.uniform(0.5, 1.0)
        return max(pause, asked_to_wait)


UNLIMITED: Final = Limits()
PATIENT: Final = Retry()


@dataclass(slots=True)
class RunSummary:
    """What one call of `run` did.

    Attributes:
        asked: requests drawn from the caller.
        cached: of these, needed no call: stored already, or equal to another of this run.
        answered: answers received and stored.
        failed: requests that ended without an answer; all are in the store's failures.
        sent: calls made, with repeated ones and those that found out what the model offers.
        retried: of these, repeated ones.
        prompt_tokens, completion_tokens: as the model counted them, failed calls included.
        reasoning_tokens: those of them that were thought, where the model says so.
        uncounted: calls whose tokens the model did not (fully) count.
        cost: money for all calls, the uncounted ones at their upper bound; None without prices.
        seconds: from start to end.
        stopped: why not everything was asked; None if everything was.
        last_failure: what was seen when a request failed for good.
    """

    asked: int = 0
    cached: int = 0
    answered: int = 0
    failed: int = 0
    sent: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    uncounted: int = 0
    cost: float | None = None
    seconds: float = 0.0
    stopped: Stopped | None = None
    last_failure: Failure | None = None

    def count(self, result: Response | Failure | None) -> None:
        """Add the tokens of a call, as far as the model counted them; None: nothing came back."""
        if isinstance(result, Failure) and result.unsent:
            return
        usage = Usage() if result is None else result.usage
        prompt, completion = usage.prompt_tokens, usage.completion_tokens
        self.prompt_tokens += prompt or 0
        self.completion_tokens += completion or 0
        self.reasoning_tokens += usage.reasoning_tokens or 0
        self.uncounted += prompt is None or completion is None

    def __add__(self, later: RunSummary) -> RunSummary:
        """What two stages did together: what stopped the first stopped the whole."""
        counts = {
            name: getattr(self, name) + getattr(later, name)
            for name in self.__dataclass_fields__
            if name not in ("cost", "stopped", "last_failure")
        }
        costs = [cost for cost in (self.cost, later.cost) if cost is not None]
        return RunSummary(
            **counts,
            cost=sum(costs) if costs else None,
            stopped=self.stopped or later.stopped,
            last_failure=later.last_failure or self.last_failure,
        )

    def costs(self) -> str:
        """What was asked and what it took, in one line."""
        return (
            f"{plural(self.answered, 'answer')} asked for, {self.cached:,} from the store,"
            f" {self.failed:,} failed; {self.prompt_tokens:,} prompt and"
            f" {plural(self.completion_tokens, 'completion token')}"
            + (f" ({self.reasoning_tokens:,} of them thought)" if self.reasoning_tokens else "")
            + (f", {plural(self.uncounted, 'call')} without token counts" if self.uncounted else "")
        )

    @property
    def exit_code(self) -> ExitCode:
        """How a command ends that asked no more than this."""
        if self.stopped == "budget":
            return ExitCode.BUDGET
        return ExitCode.TROUBLE if self.failed or self.stopped else ExitCode.FINE

    @property
    def complete(self) -> bool:
        """Whether every request now has an answer."""
        return self.stopped is None and self.failed == 0
