"""Tables of cases: one test a table, which names every case that fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, for cases that take no time: a test of its own takes longer."""
    told = (names,) if isinstance(names, str) else names

    def over_all(test: Test) -> Test:
        @wraps(test)
        def table(**given: Any) -> None:
            failed = []
            for case in cases:
                values = (case,) if isinstance(names, str) else case
                try:
                    test(**given, **dict(zip(told, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001
                    failed.append(f"{case!r}: {type(error).__name__}: {error}")
            assert not failed, f"cases that fail: {len(failed)}\n" + "\n".join(failed)

        whole = inspect.signature(test)
        left = [p for name, p in whole.parameters.items() if name not in told]
        table.__signature__ = whole.replace(parameters=left)  # type: ignore[attr-defined]
        return table

    return over_all
