"""PriDe on worked examples, by its properties, and on recorded probabilities."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import t as student

from each import each
from horsesense.stats.pride import (
    by_content,
    cost,
    debiased,
    estimate_prior,
    item_prior,
    normalised,
    pooled,
    repeated,
    rstd,
    shrunken,
)

CYCLIC = np.array([[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]])


def observe(prior, content, orders=CYCLIC):
    """What a model shows whose prior and content factorise: (orders, k)."""
    return normalised(np.asarray(prior) * np.asarray(content)[np.asarray(orders)])


def test_a_prior_that_factorises_is_recovered_exactly(vectors):
    v = vectors["pride_exact"]
    shown = {q: observe(v["true_prior"], c) for q, c in v["true_content"].items()}
    for q, observed in v["observed"].items():
        assert shown[q] == pytest.approx(np.array(observed), abs=1e-6)
        assert item_prior(shown[q]) == pytest.approx(v["true_prior"], abs=1e-8)
    prior = estimate_prior([item_prior(shown[q]) for q in v["estimation_items"]]).prior
    assert prior == pytest.approx(v["global_prior"], abs=1e-8)
    for q, expected in v["estimation_items_perm_debiased"].items():
        assert by_content(shown[q], CYCLIC) == pytest.approx(expected, abs=1e-6)
    for q, expected in v["test_debiased"].items():
        found = debiased(shown[q][0], prior)
        assert shown[q][0].argmax() == v["test_default_argmax"][q]
        assert found == pytest.approx(expected, abs=1e-8)
        assert found.argmax() == v["test_debiased_argmax"][q]
    assert cost(0.5, 4) == v["mean_forward_passes_per_item"]
    said = [by_content(shown[q], CYCLIC).argmax() for q in v["estimation_items"]]
    said += [debiased(shown[q][0], prior).argmax() for q in v["test_debiased"]]
    assert np.mean(np.array(said) == list(v["gold"].values())) == v["acc_after"]


def test_what_does_not_factorise(vectors):
    v = vectors["pride_noisy"]
    for q, expected in v["item_priors"].items():
        assert item_prior(v["observed"][q]) == pytest.approx(expected, abs=1e-8)
        content = by_content(v["observed"][q], CYCLIC)
        assert content == pytest.approx(v["est_debiased"][q], abs=1e-8)
    prior = estimate_prior([item_prior(v["observed"][q]) for q in v["item_priors"]]).prior
    assert prior == pytest.approx(v["global_prior"], abs=1e-8)
    for q, expected in v["test_debiased"].items():
        found = debiased(v["observed"][q][0], prior)
        assert found == pytest.approx(expected, abs=1e-8)
        assert found.argmax() == v["test_argmax"][q]


def test_all_orders_of_three_options(vectors):
    v = vectors["pride_full3"]
    assert item_prior(v["observed"]) == pytest.approx(v["item_prior"], abs=1e-8)
    found = by_content(v["observed"], v["perms"])
    assert found == pytest.approx(v["perm_debiased"], abs=1e-8)


def test_noise_does_not_draw_the_geometric_mean_to_the_middle():
    """True prior (.4, .3, .2, .1), answers noisy: 95 % intervals on 20 items hold it 19 times."""
    rng = np.random.default_rng(1)
    prior, studies = np.array([0.4, 0.3, 0.2, 0.1]), 400
    held, shown = np.zeros(4), np.zeros((2, 4))
    for _ in range(studies):
        seen = item_prior(np.exp(np.log(prior) + 3 * rng.gumbel(size=(20, 4, 4))))
        found = estimate_prior(seen, "geometric")
        low, high = found.interval()
        held += (low <= prior) & (prior <= high)
        shown += [found.prior, estimate_prior(seen).prior]
    assert (held / studies > 0.92).all()
    assert shown[0] / studies == pytest.approx(prior, abs=0.015)
    assert shown[1, 0] / studies < 0.35


def test_the_interval_of_a_geometric_mean_is_students_on_log_odds():
    """Two labels: log odds of the first are one number per item."""
    odds = np.array([0.3, 1.1, -0.2, 0.9, 0.5])
    low, high = estimate_prior(
        np.stack([expit(odds), expit(-odds)], axis=1), "geometric"
    ).interval()
    ends = odds.mean() + np.array([-1, 1]) * student.ppf(0.975, 4) * odds.std(ddof=1) / 5**0.5
    assert (low[0], high[0]) == pytest.approx(expit(ends))


def test_groups_are_drawn_together_in_logarithms_too():
    priors = np.array([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7], [0.2, 0.2, 0.6]])
    found, weight = shrunken(priors, [0, 0, 1, 1], "geometric")
    overall, own = pooled(priors, "geometric"), pooled(priors[:2], "geometric")
    assert 0 < weight < 1
    mixed = np.log(own) * 2 + np.log(overall) * weight
    assert found[0] == pytest.approx(normalised(np.exp(mixed / (2 + weight))))


weights = st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4)


@given(weights, weights)
def test_a_uniform_prior_changes_no_choice(prior, content):
    shown = observe([0.25] * 4, content)
    found = debiased(shown, [0.25] * 4)
    assert found == pytest.approx(shown, abs=1e-8)
    assert item_prior(observe(prior, content)) == pytest.approx(normalised(prior), abs=1e-6)


@given(weights, st.floats(1e-3, 1e3))
def test_only_the_shares_of_what_is_observed_count(content, scale):
    shown = observe([0.4, 0.3, 0.2, 0.1], content)
    assert item_prior(scale * shown) == pytest.approx(item_prior(shown), abs=1e-12)


@each("bad", [[0.0, 0.0], [np.nan, 1.0], [-0.1, 1.1], [np.inf, 1.0]])
def test_what_is_no_probability_is_refused(bad):
    with pytest.raises(ValueError, match="label probabilities"):
        normalised(bad)


def test_groups_that_do_not_differ_share_the_global_prior():
    priors = np.tile([0.4, 0.6], (8, 1)) + np.array([0.1, -0.1, 0.1, -0.1] * 2)[:, None] * [1, -1]
    found, weight = shrunken(priors, [0, 0, 0, 0, 1, 1, 1, 1])
    assert weight == np.inf
    assert found == pytest.approx(np.tile([0.4, 0.6], (2, 1)))


def test_groups_that_differ_are_drawn_towards_the_global_prior_by_their_size():
    rng = np.random.default_rng(0)
    means = np.repeat([[0.2, 0.8], [0.6, 0.4]], [200, 5], axis=0)
    priors = means + rng.normal(0, 0.1, 205)[:, None] * [1, -1]
    found, weight = shrunken(priors, [0] * 200 + [1] * 5)
    raw = priors[200:].mean(axis=0)
    overall = priors.mean(axis=0)
    assert 0 < weight < 5
    assert found[1] == pytest.approx((5 * raw + weight * overall) / (5 + weight))
    assert abs(found[0, 0] - 0.2) < 0.02
    assert found.sum(axis=1) == pytest.approx([1, 1])


def test_repeated_draws_return_the_known_accuracy():
    """Prior times content, content right in 80 %: the score before hides it, after shows it."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 4, 400)
    best = np.where(rng.random(400) < 0.8, gold, (gold + 1) % 4)
    content = np.full((400, 4), 0.15)
    content[np.arange(400), best] = 0.3
    shown = np.stack([observe([0.6, 0.2, 0.1, 0.1], c) for c in content])
    before = (shown[:, 0].argmax(axis=1) == gold).mean()
    sets = [rng.permutation(400)[:20] for _ in range(5)]
    found = repeated(shown, CYCLIC, shown[:, 0], gold, sets)
    assert before < 0.5
    truth = (best == gold).mean()
    for draw in found:
        assert draw.accuracy == pytest.approx(truth)
        assert draw.prior == pytest.approx([0.6, 0.2, 0.1, 0.1], abs=1e-8)
        assert draw.rstd < 10 < rstd(gold, shown[:, 0].argmax(axis=1), 4)


def test_groups_by_themselves_have_priors_of_their_own():
    """Two subjects with opposite biases: one prior for both takes out neither."""
    gold = np.arange(80) % 4
    content = np.full((80, 4), 0.2)
    content[np.arange(80), gold] = 0.4
    subject = np.repeat([0, 1], 40)
    biases = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]])
    shown = np.stack([observe(biases[s], c) for s, c in zip(subject, content, strict=True)])
    sets = [np.array([0, 5, 50, 79])]
    [together] = repeated(shown, CYCLIC, shown[:, 0], gold, sets)
    [apart] = repeated(shown, CYCLIC, shown[:, 0], gold, sets, groups=subject)
    assert apart.held_out_accuracy == 1
    assert together.held_out_accuracy < 0.8


@pytest.mark.shared
def test_recorded_probabilities_of_a_real_model(shared):
    """Three questions under all 24 orders (Zheng et al. 2024): llama-7b likes the later labels."""
    path = shared / "responses" / "pride" / "llama7b_mmlu_perm_probs.jsonl.gz"
    with gzip.open(path, "rt") as stream:
        rows = [json.loads(line) for line in stream]
    observed = np.array([row["probs"] for row in rows])
    orders = np.array(rows[0]["permutations"])
    full = estimate_prior(item_prior(observed))
    shifts = [i for i, order in enumerate(orders.tolist()) if order in CYCLIC.tolist()]
    cyclic = estimate_prior(item_prior(observed[:, shifts]))
    assert full.items == 3
    assert full.prior.argmin() == 0
    assert cyclic.prior == pytest.approx(full.prior, abs=0.02)
    assert by_content(observed, orders).sum(axis=1) == pytest.approx([1, 1, 1])
    uneven = observed.std(axis=-1).mean()
    assert debiased(observed, full.prior).std(axis=-1).mean() < uneven
