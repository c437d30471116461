"""A table of cases fails where a case fails, and names each that does."""

from __future__ import annotations

from pathlib import Path

import pytest

from each import each


def test_every_case_that_fails_is_named(tmp_path: Path) -> None:
    @each(("first", "second"), [(1, 1), (1, 2), ("a", None)])
    @each("sign", [1, -1])
    def compared(first: int, second: int, sign: int, folder: Path) -> None:
        assert folder == tmp_path
        assert first * sign < second

    with pytest.raises(
        AssertionError, match=r"(?s)^cases that fail: 2\n.*\(1, 1\): .*1: .*\('a', None\)"
    ):
        compared(folder=tmp_path)
