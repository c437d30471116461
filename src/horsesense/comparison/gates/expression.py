"""Requirements as text: a small grammar over estimates, parsed and computed here, nothing executed.

    requirement  any of the clauses that `or` joins; each is all of those that `and` joins
    clause       `not` clause | ( requirement ) | sum OP sum        OP: < <= > >= == !=
    sum          terms joined by + and -; terms are factors joined by * and /
    factor       number | number% | - factor | abs( sum ) | ( sum ) | reference
    reference    [baseline.]MEASURE[probe=P, condition=C, reader=R, group=G][.FIELD]
                 | [baseline.]OUTCOME[KIND, probe=P]
    FIELD        value (where none is named), low, high, n, n_missing, p_value, p_adjusted,
                 detectable, chance
    OUTCOME      found, cannot_tell, ruled_out: how many sentences of the verdict are that

>>> str(parse("accuracy_hard.low > 0.5 and accuracy[probe=order] >= 60%"))
'accuracy_hard.low > 0.5 and accuracy[probe=order] >= 60%'
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeVar

from horsesense.errors import UsageError
from horsesense.findings.finding import ORDER

FIELDS: Final[Mapping[str, str]] = {
    "value": "value",
    "low": "low",
    "high": "high",
    "n": "n",
    "n_missing": "n_missing",
    "p_value": "p_value",
    "p_adjusted": "p_adjusted",
    "detectable": "detectable",
    "chance": "baseline",
}
"""Name in a requirement -> field of an estimate."""
SELECTORS: Final = ("probe", "condition", "reader", "group")
OF_VERDICT: Final = ("kind", "probe")
OUTCOMES: Final = (*ORDER, "cannot_tell")
"""What is counted, in place of a measure."""
COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
LONGEST: Final = 2_000
DEEPEST: Final = 30

T = TypeVar("T")

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<select>\[[^\[\]]*\])"
    r"|(?P<sign><=|>=|==|!=|[-+*/<>().]))"
)
_KIND: Final = re.compile(r"\s*(\w+)\s*(?:,|$)")
_PAIR: Final = re.compile(r"\s*(\w+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\"']*?))\s*(?:,|$)")


@dataclass(frozen=True)
class Reference:
    """An estimate and one of its fields, or a count of the verdict.

    Attributes:
        measure: its name, or an outcome.
        field: a name of `FIELDS`; of a count `value`.
        where: probe, condition, reader and group, as far as they are named; of a count, kind and
            probe.
        baseline: whether the run to compare with is meant.
        text: as written.
    """

    measure: str
    field: str
    where: Mapping[str, str]
    baseline: bool
    text: str


class MissingError(Exception):
    """A number that a requirement needs is undefined; the message says why."""


Look = Callable[[Reference], float]
"""Finds the number that is referred to; raises MissingError where it is undefined."""


@dataclass(frozen=True)
class Sum:
    """An arithmetic expression, as a function of the way to look numbers up."""

    compute: Callable[[Look], float]
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True)
class Requirement:
    """What must hold.

    Attributes:
        text: as written.
        holds: whether it holds, given the way to look numbers up.
        references: every estimate that it names.
    """

    text: str
    holds: Callable[[Look], bool] = field(compare=False)
    references: tuple[Reference, ...] = field(compare=False)

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Requirement:
    """The requirement that a text states; UsageError shows where it is none."""
    return _Parser(text).requirement()


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


class _Parser:
    """Recursive descent over the tokens of one requirement."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.depth = 0
        if len(text) > LONGEST:
            raise UsageError(f"A requirement has at most {LONGEST:,} characters.")
        self.tokens = list(self._tokens())

    def _tokens(self) -> Iterator[_Token]:
        at = 0
        while self.text[at:].strip():
            found = _TOKEN.match(self.text, at)
            if found is None:
                self._fail("this is no part of a requirement", at)
            kind = str(found.lastgroup)
            yield _Token(kind, found[kind], found.start(kind), found.end())
            at = found.end()
        yield _Token("end", "", len(self.text), len(self.text))

    def _fail(self, why: str, at: int | None = None) -> NoReturn:
        place = self.tokens[self.place].start if at is None else at
        raise UsageError(
            f"The requirement cannot be read at its character {place + 1}, {why}:\n"
            f"  {self.text}\n  {' ' * place}^",
            hint="For example: accuracy_hard.low > 0.5, or accuracy[probe=order] >= 60% and"
            " valid_rate.low > 0.9. See docs/compare.md.",
        )

    def _next(self, *texts: str) -> _Token | None:
        """Take the next token if it is one of these."""
        token = self.tokens[self.place]
        if token.kind in ("sign", "name") and token.text in texts:
            self.place += 1
            return token
        return None

    def _need(self, *texts: str) -> _Token:
        return self._next(*texts) or self._fail(f"where {' or '.join(texts)} should stand")

    def requirement(self) -> Requirement:
        holds, references = self._any()
        if self.tokens[self.place].kind != "end":
            self._fail("where it should end")
        return Requirement(self.text.strip(), holds, references)

    def _any(self) -> _Clause:
        clauses = [self._all()]
        while self._next("or"):
            clauses.append(self._all())
        return _joined(clauses, any)

    def _all(self) -> _Clause:
        clauses = [self._clause()]
        while self._next("and"):
            clauses.append(self._clause())
        return _joined(clauses, all)

    def _clause(self) -> _Clause:
        if self._next("not"):
            holds, references = self._deeper(self._clause)
            return (lambda look: not holds(look)), references
        start = self.place
        if self._next("("):
            return self._bracket(start)
        return self._comparison()

    def _bracket(self, start: int) -> _Clause:
        """A bracket holds a requirement or begins a sum: which, shows only where it is closed."""
        depth = self.depth
        try:
            found = self._deeper(self._any)
            self._need(")")
            return found
        except UsageError as error:
            first, reached = error, self.place
        self.place, self.depth = start, depth
        try:
            return self._comparison()
        except UsageError:
            if self.place < reached:
                raise first from None
            raise

    def _comparison(self) -> _Clause:
        left = self._sum()
        sign = COMPARISONS[self._need(*COMPARISONS).text]
        right = self._sum()
        references = (*left.references, *right.references)
        return (lambda look: sign(left.compute(look), right.compute(look))), references

    def _sum(self) -> Sum:
        found = self._product()
        while token := self._next("+", "-"):
            found = _computed(token.text, found, self._product())
        return found

    def _product(self) -> Sum:
        found = self._factor()
        while token := self._next("*", "/"):
            found = _computed(token.text, found, self._factor())
        return found

    def _factor(self) -> Sum:
        token = self.tokens[self.place]
        if token.kind == "number":
            self.place += 1
            percent = token.text.endswith("%")
            value = float(token.text.rstrip("%")) / (100 if percent else 1)
            return Sum(lambda _: value)
        if self._next("-"):
            inner = self._deeper(self._factor)
            return Sum(lambda look: -inner.compute(look), inner.references)
        if self._next("("):
            inner = self._deeper(self._sum)
            self._need(")")
            return inner
        if token.kind != "name" or token.text in ("and", "or", "not"):
            self._fail("where a number or the name of a measure should stand")
        return self._named()

    def _named(self) -> Sum:
        first = self.tokens[self.place]
        self.place += 1
        if first.text == "abs" and self._next("("):
            inner = self._deeper(self._sum)
            self._need(")")
            return Sum(lambda look: abs(inner.compute(look)), inner.references)
        baseline = first.text == "baseline"
        measure = first
        if baseline:
            self._need(".")
            measure = self._name("the name of a measure")
        counted = measure.text in OUTCOMES
        where = self._where(counted)
        named = self._name("a field") if self._next(".") else None
        if named is not None and counted:
            raise UsageError(
                f"{measure.text} is a number of sentences and has no field {named.text!r}.",
                hint=f"Write {measure.text} == 0, or {measure.text}[position_preference] == 0.",
            )
        if named is not None and named.text not in FIELDS:
            raise UsageError.unknown("field of an estimate", named.text, FIELDS)
        end = self.tokens[self.place - 1].end
        reference = Reference(
            measure.text,
            "value" if named is None else named.text,
            where,
            baseline,
            self.text[first.start : end].strip(),
        )
        return Sum(lambda look: look(reference), (reference,))

    def _name(self, what: str) -> _Token:
        token = self.tokens[self.place]
        if token.kind != "name":
            self._fail(f"where {what} should stand")
        self.place += 1
        return token

    def _where(self, counted: bool) -> dict[str, str]:
        token = self.tokens[self.place]
        if token.kind != "select":
            return {}
        inner, at, found = token.text[1:-1], 0, {}
        selectors = OF_VERDICT if counted else SELECTORS
        if counted and (kind := _KIND.match(inner)):
            at, found = kind.end(), {"kind": kind[1]}
        while inner[at:].strip():
            pair = _PAIR.match(inner, at)
            if pair is None:
                self._fail("where NAME=VALUE should stand", token.start + 1 + at)
            if pair[1] not in selectors:
                raise UsageError.unknown("selector", pair[1], selectors)
            found[pair[1]] = next(value for value in pair.groups()[1:] if value is not None)
            at = pair.end()
        self.place += 1
        return found

    def _deeper(self, part: Callable[[], T]) -> T:
        self.depth += 1
        if self.depth > DEEPEST:
            self._fail(f"which nests more than {DEEPEST} deep")
        found = part()
        self.depth -= 1
        return found


_Clause = tuple[Callable[[Look], bool], tuple[Reference, ...]]


def _joined(clauses: Sequence[_Clause], how: Callable[[Iterator[bool]], bool]) -> _Clause:
    """Clauses that any or all must hold; every one is looked up, so that none hides a fault."""
    if len(clauses) == 1:
        return clauses[0]
    references = tuple(reference for _, some in clauses for reference in some)
    return (lambda look: how(iter([holds(look) for holds, _ in clauses]))), references


def _computed(sign: str, left: Sum, right: Sum) -> Sum:
    references = (*left.references, *right.references)
    if sign == "/":
        return Sum(lambda look: _divided(left.compute(look), right.compute(look)), references)
    made = {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign]
    return Sum(lambda look: made(left.compute(look), right.compute(look)), references)


def _divided(left: float, right: float) -> float:
    if right == 0:
        raise MissingError("it divides by 0")
    return left / right
