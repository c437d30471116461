"""A model that helps to make items: how asking it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from horsesense.errors import InterruptedRunError
from horsesense.inference.store import Store
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from horsesense_extras.build.asking import Asker, How
from scripted import saying


def test_ctrl_c_says_what_is_kept_as_an_audit_does(tmp_path: Path) -> None:
    """It had words of its own for the same stop."""
    model = saying(lambda asked: os.kill(os.getpid(), signal.SIGINT) if begun else None)
    model.batch_size, begun = 1, []
    variants = [Variant(f"q{n}", f"{n}?", ("1", "2"), ("A", "B"), (0, 1), 0) for n in range(9)]
    trials = [Trial("original", PLAIN, 0, (variant,)) for variant in variants]

    async def asked() -> None:
        async with model:
            with Store.open(tmp_path / "store.sqlite") as store:
                asker = await Asker.for_model(model, store, How(max_connections=1))
                begun.append(True)
                await asker.answers(trials, "asking")

    with pytest.raises(InterruptedRunError) as error:
        asyncio.run(asked())
    told = str(error.value)
    assert re.match(r"Stopped after [1-8] answers?; all of them are stored\.\n", told)
    assert error.value.hint == "The same command continues."


def test_one_answer_is_one() -> None:
    """It was "Stopped after 1 answers"."""
    assert "after 1 answer;" in str(InterruptedRunError.after(1, "Go on."))
