"""A reader's share, corrected by a labelled sample."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import beta

from horsesense.stats.corrected import corrected

READ = np.array([True, True, False, False, True, True, True, True, False, False])
FIRST = np.arange(4)
EACH = np.arange(10)


def test_by_hand() -> None:
    found = corrected(READ, FIRST, np.array([True, True, True, False]), EACH)
    value, low, high = found.score
    assert value == pytest.approx(0.6 + 0.25)
    more = beta.ppf([0.025, 0.975], [1, 2], [4, 3])
    least, most = beta.ppf([0.025, 0.975], [8.5, 9.5], [2.5, 1.5])
    never = 1 - 0.025**0.25  # 0 of 4
    rest = 1 - 4 / 10
    down = sqrt((0.85 - least) ** 2 + rest * ((0.25 - more[0]) ** 2 + never**2))
    assert low == pytest.approx(0.85 - down)
    assert high == min(1.0, 0.85 + sqrt((most - 0.85) ** 2 + rest * (more[1] - 0.25) ** 2))
    assert (found.sensitivity[0], found.specificity[0]) == pytest.approx((2 / 3, 1))
    assert found.rogan_gladen == pytest.approx(0.6 / (2 / 3))


def test_a_sample_of_all_is_the_score() -> None:
    person = ~READ  # the worst reader
    found = corrected(READ, EACH, person, EACH)
    assert found.score == pytest.approx(found.alone)
    assert found.rogan_gladen is None


def test_no_disagreement_has_a_width_and_no_sample_no_score() -> None:
    found = corrected(READ, FIRST, READ[:4], EACH)
    assert found.score[2] - found.score[1] > 0.5
    assert corrected(READ, FIRST[:0], READ[:0], EACH).score is None


def test_clusters_widen() -> None:
    read = np.repeat(np.arange(20) % 2 == 0, 10)
    sampled = np.arange(0, 200, 2)
    alone, together = (
        corrected(read, sampled, read[sampled], np.arange(200) // size).score for size in (1, 10)
    )
    assert together[2] - together[1] > 2 * (alone[2] - alone[1])
