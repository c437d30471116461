"""Whole audits through random disturbances; `scripts/chaos` runs as many as there is time for."""

from __future__ import annotations

from collections import Counter

import pytest

from chaos import HASTY, Chaos, Trouble, asks_items, run_chaos

RUNS = 2


@pytest.mark.slow
def test_random_disturbances_change_no_number() -> None:
    run_chaos(RUNS, steps=4)


@pytest.mark.slow
def test_a_bad_moment_at_the_start_changes_no_prompt() -> None:
    """A fault while the server was asked what it offers had everything asked in another form."""
    run = Chaos()
    run.begin("one round")
    run.weather(kinds=["drop"], share=0.8, hopeless=0.0, seed=14)
    run.undisturbed()
    run.good_weather()
    run.troubled(Trouble("kill", "file", 30))
    run.teardown()


@pytest.mark.slow
def test_its_short_pauses_reach_the_model() -> None:
    run = Chaos()
    run.begin("one round")
    run.weather(kinds=["429"], share=0.6, hopeless=0.3, seed=1)
    run.undisturbed()
    asked = Counter(call.prompt for call in run.server.calls if asks_items(call.prompt))
    assert max(asked.values()) == HASTY.attempts
    run.teardown()
