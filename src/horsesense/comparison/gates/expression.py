"""Requirements as text: a small grammar over estimates, parsed and computed here, nothing executed.

References, which are no Python, are masked first. What is left is parsed as a Python expression, of
which comparisons, arithmetic, `and`, `or`, `not` and `abs` alone are known here.

    requirement  any of the clauses that `or` joins; each is all of those that `and` joins
    clause       `not` clause | ( requirement ) | sum OP sum        OP: < <= > >= == !=
    sum          terms joined by + and -; terms are factors joined by * and /
    factor       number | number% | - factor | abs( sum ) | ( sum ) | reference
    reference    [baseline.]MEASURE[probe=P, condition=C, reader=R, group=G][.FIELD]
                 | [baseline.]OUTCOME[KIND, probe=P]
    FIELD        value (where none is named), low, high, n, n_missing, p_value, p_adjusted,
                 detectable, chance
    OUTCOME      found, cannot_tell, ruled_out: how many sentences of the verdict are that; new: how
                 many are found that are not found in the baseline

>>> str(parse("accuracy_hard.low > 0.5 and accuracy[probe=order] >= 60%"))
'accuracy_hard.low > 0.5 and accuracy[probe=order] >= 60%'
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from horsesense.errors import UsageError
from horsesense.findings.finding import ORDER

OWN: Final = ("value", "low", "high", "n", "n_missing", "p_value", "p_adjusted", "detectable")
FIELDS: Final[Mapping[str, str]] = {**{name: name for name in OWN}, "chance": "baseline"}
"""Name in a requirement -> field of an estimate."""
SELECTORS: Final = ("probe", "condition", "reader", "group")
OF_VERDICT: Final = ("kind", "probe")
OUTCOMES: Final = (*ORDER, "cannot_tell", "new")
"""What is counted, in place of a measure."""
COMPARISONS: Final[Mapping[type, Callable[[float, float], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
ARITHMETIC: Final[Mapping[type, Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: _divided(left, right),
}
LONGEST: Final = 2_000
DEEPEST: Final = 100

_NAME: Final = r"(?!(?:and|or|not)\b)[A-Za-z_]\w*"
_PART: Final = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))(?P<percent>%?)"
    r"|(?P<plain>(?:and|or|not)\b|abs(?=\s*\()|<=|>=|==|!=|[-+*/<>()])"
    rf"|(?P<reference>(?:(?P<baseline>baseline)\s*\.\s*)?(?P<measure>{_NAME})"
    rf"(?:\s*\[(?P<select>[^\[\]]*)\])?(?:\s*\.\s*(?P<field>{_NAME}))?)"
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
    if len(text) > LONGEST:
        raise UsageError(f"A requirement has at most {LONGEST:,} characters.")
    return _Parser(text).requirement()


Value = Callable[["Look"], float]
Clause = Callable[["Look"], bool]


class _Parser:
    """One requirement, its references masked by underscores of the same length."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.references: dict[int, Reference] = {}
        self.percent: set[int] = set()
        masked, at = "", 0
        while at < len(text):
            found = _PART.match(text, at)
            if found is None:
                raise self._fault(at)
            masked += self._masked(found)
            at = found.end()
        self.masked = masked

    def _fault(self, place: int, why: str = "") -> UsageError:
        return UsageError(
            f"The requirement cannot be read at its character {place + 1}{why}:\n"
            f"  {self.text}\n  {' ' * place}^",
            hint="For example: accuracy_hard.low > 0.5, or accuracy[probe=order] >= 60% and"
            " valid_rate.low > 0.9. See docs/compare.md.",
        )

    def _masked(self, found: re.Match[str]) -> str:
        whole = found[0]
        if found["reference"]:
            self.references[found.start()] = self._reference(found)
            return "_" * len(whole)
        if found["percent"]:
            self.percent.add(found.start())
        return " " * len(whole) if found["space"] else whole.replace("%", " ")

    def _reference(self, found: re.Match[str]) -> Reference:
        measure, named = found["measure"], found["field"]
        if measure == "baseline":
            raise self._fault(found.end(), ", where . and a measure should stand")
        counted = measure in OUTCOMES
        where = self._where(found, counted)
        if named and counted:
            raise UsageError(
                f"{measure} is a number of checks and has no field {named!r}.",
                hint=f"Write {measure} == 0, or {measure}[position_preference] == 0.",
            )
        if named and named not in FIELDS:
            raise UsageError.unknown("field of an estimate", named, FIELDS)
        return Reference(measure, named or "value", where, bool(found["baseline"]), found[0])

    def _where(self, found: re.Match[str], counted: bool) -> dict[str, str]:
        inner, at, where = found["select"] or "", 0, {}
        selectors = OF_VERDICT if counted else SELECTORS
        if counted and (kind := _KIND.match(inner)):
            at, where = kind.end(), {"kind": kind[1]}
        while inner[at:].strip():
            pair = _PAIR.match(inner, at)
            if pair is None:
                raise self._fault(found.start("select") + at, ", where NAME=VALUE should stand")
            if pair[1] not in selectors:
                raise UsageError.unknown("selector", pair[1], selectors)
            where[pair[1]] = next(value for value in pair.groups()[1:] if value is not None)
            at = pair.end()
        return where

    def requirement(self) -> Requirement:
        body = self.masked.lstrip()
        self.shift = len(self.masked) - len(body)
        try:
            tree = ast.parse(body, mode="eval").body
        except SyntaxError as error:
            end = len(self.text.rstrip())
            place = self.shift + error.offset - 1 if error.offset else end
            raise self._fault(min(place, end)) from None
        except (MemoryError, RecursionError, ValueError):
            raise _too_deep() from None
        return Requirement(self.text.strip(), self._clause(tree), tuple(self.references.values()))

    def _clause(self, node: ast.expr, depth: int = 0) -> Clause:
        """What is true or false; every part is looked up, so that none hides a fault."""
        if depth > DEEPEST:
            raise _too_deep()
        match node:
            case ast.BoolOp(op, values):
                clauses = [self._clause(value, depth + 1) for value in values]
                how = all if isinstance(op, ast.And) else any
                return lambda look: how([holds(look) for holds in clauses])
            case ast.UnaryOp(ast.Not(), operand):
                inner = self._clause(operand, depth + 1)
                return lambda look: not inner(look)
            case ast.Compare(left, [op], [right]) if type(op) in COMPARISONS:
                sides = self._value(left), self._value(right)
                sign = COMPARISONS[type(op)]
                return lambda look: sign(*[side(look) for side in sides])
        raise self._fault(self.shift + node.col_offset, ", where one comparison should stand")

    def _value(self, node: ast.expr, depth: int = 0) -> Value:
        """What is a number."""
        if depth > DEEPEST:
            raise _too_deep()
        at = self.shift + node.col_offset
        match node:
            case ast.Constant(int() | float()):
                number = float(self.masked[at : self.shift + (node.end_col_offset or 0)])
                value = number / 100 if at in self.percent else number
                return lambda look: value
            case ast.Name() if at in self.references:
                reference = self.references[at]
                return lambda look: look(reference)
            case ast.UnaryOp(ast.USub(), operand):
                inner = self._value(operand, depth + 1)
                return lambda look: -inner(look)
            case ast.Call(ast.Name("abs"), [operand], []):
                inner = self._value(operand, depth + 1)
                return lambda look: abs(inner(look))
            case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
                sides = self._value(left, depth + 1), self._value(right, depth + 1)
                made = ARITHMETIC[type(op)]
                return lambda look: made(*[side(look) for side in sides])
        raise self._fault(at, ", where a number or the name of a measure should stand")


def _too_deep() -> UsageError:
    return UsageError(f"A requirement nests at most {DEEPEST} deep.")


def _divided(left: float, right: float) -> float:
    if right == 0:
        raise MissingError("it divides by 0")
    return left / right
