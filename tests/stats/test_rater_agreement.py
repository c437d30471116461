"""Agreement of raters against published examples and other programs."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.errors import UsageError
from horsesense.stats import rater_agreement
from horsesense.stats.rater_agreement import (
    alpha_with_interval,
    cohen_kappa,
    counts_of,
    fleiss_kappa,
    krippendorff_alpha,
    mean_cohen_kappa,
)

_ = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)
"""Krippendorff (2011), "Computing Krippendorff's alpha-reliability", example C: nominal .743."""


def ratings(seed: int, raters: int = 5, units: int = 30, missing: float = 0.3) -> np.ndarray:
    dice = np.random.default_rng(seed)
    truth = dice.integers(0, 4, units)
    found = np.where(
        dice.random((raters, units)) < 0.6, truth, dice.integers(0, 4, (raters, units))
    )
    return np.where(dice.random(found.shape) < missing, np.nan, found.astype(float))


@pytest.fixture
def library() -> None:
    pytest.importorskip("krippendorff", reason="the extra people is not installed")


@pytest.mark.usefixtures("library")
def test_alpha_is_that_of_the_published_example() -> None:
    assert krippendorff_alpha(KRIPPENDORFF) == pytest.approx(0.743, abs=5e-4)


@pytest.mark.usefixtures("library")
def test_alpha_is_undefined_where_nothing_varies_or_nobody_shares_a_unit() -> None:
    assert krippendorff_alpha(np.ones((3, 4))) is None
    assert krippendorff_alpha(np.array([[1, _], [_, 2]])) is None
    assert alpha_with_interval(np.ones((3, 4)), np.arange(4), 0.95).low is None


@pytest.mark.usefixtures("library")
def test_the_interval_of_alpha_holds_it_and_knows_clusters_and_raters() -> None:
    found = ratings(1, raters=8, units=40)
    alone = alpha_with_interval(found, np.arange(40), 0.95)
    assert -1 <= alone.low < alone.value < alone.high <= 1
    one = found[:, :1].repeat(10, axis=1)  # ten units that are one cluster are no more than one
    many = np.concatenate([found, one], axis=1)
    clustered = alpha_with_interval(many, np.r_[np.arange(40), np.zeros(10, int)], 0.95)
    apart = alpha_with_interval(many, np.arange(50), 0.95)
    assert clustered.high - clustered.low > apart.high - apart.low


def test_without_the_package_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rater_agreement, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"horsesense\[people\]"):
        krippendorff_alpha(KRIPPENDORFF)


def test_kappas_agree_with_other_programs() -> None:
    other = pytest.importorskip("statsmodels.stats.inter_rater", reason="needs the extra check")
    for seed in range(3):
        found = ratings(seed, missing=0)
        counts = counts_of(found)
        assert fleiss_kappa(counts) == pytest.approx(other.fleiss_kappa(counts), abs=1e-12)
        first, second = found[:2].astype(int)
        table = np.zeros((4, 4))
        np.add.at(table, (first, second), 1)
        own = cohen_kappa(list(zip(first, second, strict=True)))
        assert own == pytest.approx(other.cohens_kappa(table).kappa, abs=1e-9)
        assert mean_cohen_kappa(found[:2]) == pytest.approx(own)


def test_kappas_that_are_not_defined() -> None:
    assert fleiss_kappa(np.array([[2.0, 1.0], [2.0, 2.0]])) is None
    assert fleiss_kappa(np.array([[3.0], [3.0]])) is None
    assert mean_cohen_kappa(np.array([[1, _], [_, 1]])) is None
