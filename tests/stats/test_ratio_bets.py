"""Bands of ratios over items like those asked: as wrong as their level allows, at every look."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from each import each
from horsesense.stats.ratio_bets import Ratio, in_random_order

Floats = npt.NDArray[np.float64]


def choices(rng: np.random.Generator) -> tuple[Ratio, float]:
    """Choices of one of four positions in four orders, of which some reply is no choice."""
    chosen = rng.binomial(4, 0.6, 150)
    hits = rng.binomial(chosen, 0.3).astype(float)
    return Ratio(hits, hits, chosen.astype(float), 4.0), 0.3


def own_nulls(rng: np.random.Generator) -> tuple[Ratio, float]:
    """Guesses among 2 or 10 options: what each adds is moved by its null less the mean of them."""
    null = rng.choice([0.5, 0.1], 150)
    mean = float(null.mean())
    about = (rng.random(150) < null) + (mean - null)
    return Ratio(about, about, np.ones(150), lean=float(np.abs(null - mean).max())), mean


def differences(rng: np.random.Generator) -> tuple[Ratio, float]:
    d = rng.choice([-1.0, 0.0, 1.0], 200, p=[0.1, 0.7, 0.2])
    return Ratio(d, d, np.ones(200), least=-1.0), 0.1


def clusters(rng: np.random.Generator) -> tuple[Ratio, float]:
    text = np.repeat(np.arange(60), rng.choice([1, 2, 8], 60))
    answers = (rng.random(60) < 0.7)[text].astype(float)
    ratio = Ratio(answers, answers, np.ones(len(text)))
    return ratio.of_clusters(rng.permutation(60)[text]), 0.7


@each("study", [choices, own_nulls, differences, clusters])
def test_bands_are_as_wrong_as_their_level_allows(study) -> None:  # type: ignore[no-untyped-def]
    """Looked at after every unit, they are wrong on either side in at most a tenth."""
    rng, wrong = np.random.default_rng(1), np.zeros(2)
    for _ in range(60):
        ratio, truth = study(rng)
        low, high = ratio.band(0.05, 0.1)
        wrong += (low > truth, high < truth)
    assert (wrong <= 60 * 0.1 + 3 * (60 * 0.09) ** 0.5).all()


def test_bets_know_nothing_of_what_comes() -> None:
    rng = np.random.default_rng(5)
    hits, nothing = rng.binomial(4, 0.3, 60).astype(float), np.zeros(300)
    seen = Ratio(hits, hits, np.full(60, 4.0), 4.0)
    more = np.concatenate([hits, nothing])
    later = Ratio(more, more, np.append(np.full(60, 4.0), nothing), 4.0)
    assert seen.band(0.05, 0.05) == later.band(0.05, 0.05)


def test_nothing_seen_leaves_everything_possible() -> None:
    nothing = np.zeros(0)
    assert Ratio(nothing, nothing, nothing).band(0.05, 0.05) == (0.0, 1.0)
    assert Ratio(nothing, nothing, nothing, least=-1.0).band(0.05, 0.05) == (-1.0, 1.0)


def test_what_is_missing_is_the_worst_for_each_bet() -> None:
    answers = np.tile([1.0, 1.0, 0.0], 100)
    lost = np.arange(300) % 9 == 0
    least, most = np.where(lost, 0.0, answers), np.where(lost, 1.0, answers)
    low, high = Ratio(least, most, np.ones(300)).band(0.05, 0.05)
    assert low == Ratio(least, least, np.ones(300)).band(0.05, 0.05)[0]
    assert high == Ratio(most, most, np.ones(300)).band(0.05, 0.05)[1]


def test_the_order_needs_nothing_but_the_seed() -> None:
    names = [f"q{n}" for n in range(50)]
    assert in_random_order(names, 1) == in_random_order(names[::-1], 1) != names
    assert in_random_order(names, 2) != in_random_order(names, 1)
