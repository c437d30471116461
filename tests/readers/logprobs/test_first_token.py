"""Readers of token scores: where labels stand, and PriDe fitted on a study's own answers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from each import each
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.models.messages import Response
from horsesense.probes.base import Setting, show
from horsesense.probes.registry import parse_probes
from horsesense.readers.logprobs.first_token import FirstTokenReader
from horsesense.readers.logprobs.pride import FITTED_ON, RULES, PrideReader
from horsesense.readers.registry import make_reader
from horsesense.stats.pride import estimate_prior, item_prior
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial
from studies import items_file, study

PRIOR = (0.5, 0.25, 0.15, 0.1)


def made(n=40, k=4, first=0):
    """Items of two subjects with the gold spread evenly."""
    items = tuple(
        Item(
            id=f"q{i}",
            question=f"Number {i}?",
            options=tuple(f"{i}.{j}" for j in range(k)),
            gold=i % k,
            subject=f"s{i % 2}",
        )
        for i in range(first, first + n)
    )
    return ItemSet(name="made", kind="choice", items=items)


def answered(items, prior=PRIOR, lean=1.5, drop=lambda item: False):
    """Scores that factorise into a prior for the label and a lean towards the gold."""
    setting = Setting(items)
    for probe in parse_probes(["order"]):
        for item in items:
            for trial in probe.apply(item, setting):
                yield trial, scores(trial, prior, lean, drop(item))


def scores(trial, prior=PRIOR, lean=1.5, drop=False):
    shown = trial.variant
    pairs = zip(shown.labels, prior, strict=False)
    weights = {
        label: p * (lean if position == shown.gold_at else 1.0)
        for position, (label, p) in enumerate(pairs)
    }
    found = {label: math.log(w / sum(weights.values())) for label, w in weights.items()}
    if drop and trial.probe == "order":
        del found["B"]
    return Response("x", token_logprobs=(found,))


def test_pride_takes_out_a_prior_that_hides_the_answer():
    items, reader = made(), PrideReader(alpha=0.25)
    reader.fit(answered(items), Setting(items))
    [fit] = reader.report()["fits"]
    assert (fit["estimation_items"], fit["of"]) == (10, 40)
    assert [entry["value"] for entry in fit["prior"]] == pytest.approx(PRIOR, abs=1e-6)
    assert fit["prompts_per_item"] == pytest.approx(0.25 * 4 + 0.75)
    before = FirstTokenReader()
    right, raw, on = 0, 0, 0
    for item in items:
        trial = Trial("original", PLAIN, 0, (show(item, "choice"),))
        [found] = reader.read(trial, scores(trial))
        right += found.positions == (item.gold,)
        raw += before.read(trial, scores(trial))[0].positions == (item.gold,)
        on += found.rule == FITTED_ON
    assert (right, raw, on) == (40, 10, 10)
    assert [draw["accuracy"] for draw in fit["draws"]] == [1.0] * 5


def test_the_version_says_what_it_was_fitted_on():
    versions = set()
    for first, alpha in ((0, 0.25), (0, 0.5), (100, 0.25)):
        items, reader = made(first=first), PrideReader(alpha=alpha)
        assert reader.version == f"{RULES.version},not fitted"
        reader.fit(answered(items), Setting(items))
        versions.add(reader.version)
    assert len(versions) == 3
    assert all("cyclic,alpha=" in version for version in versions)


def test_too_few_estimation_items_are_said_and_not_used():
    items, reader = made(40), PrideReader()
    reader.fit(answered(items), Setting(items))
    assert "2 of 40 items with 4 options" in reader.report()["undefined_reason"]
    assert "needs at least 5" in reader.report()["undefined_reason"]
    trial = Trial("original", PLAIN, 0, (show(items.items[0], "choice"),))
    assert reader.read(trial, scores(trial)) == ()


def test_few_items_are_made_enough_but_half_of_them_stay_held_out():
    for items, drawn in ((made(40), 20), (made(20), 10), (made(8), None)):
        reader = PrideReader(least=20)
        reader.fit(answered(items), Setting(items))
        fits = reader.report()["fits"]
        assert [fit["estimation_items"] for fit in fits] == ([drawn] if drawn else [])
    assert "4 of 8 items" in reader.report()["undefined_reason"]
    assert (
        "pride(least" not in reader.report()["undefined_reason"]
    )  # nothing can be drawn from so few
    reader = PrideReader()
    reader.fit(answered(made(40)), Setting(made(40)))
    assert "pride(least=5)" in reader.report()["undefined_reason"]
    assert make_reader("pride(least=20)").name == "pride(least=20)"


def test_one_order_a_question_is_no_ground_for_a_prior():
    items, reader = made(), PrideReader(alpha=0.5)
    only = [(t, r) for t, r in answered(items) if t.probe == "original"]
    reader.fit(only, Setting(items))
    assert "one order per question" in reader.report()["undefined_reason"]


def test_class_names_have_no_letters_to_score():
    items, reader = made(), PrideReader()
    reader.fit((), Setting(replace(items, kind="label")))
    assert "no letters were shown" in reader.report()["undefined_reason"]
    assert "order" not in reader.report()["undefined_reason"]


def test_missing_label_probabilities_are_counted():
    items, reader = made(), PrideReader(alpha=0.25)
    lost = answered(items, drop=lambda item: int(item.id[1:]) < 4)
    reader.fit(lost, Setting(items))
    [row] = reader.report()["excluded"]
    assert (row["reason"], row["items"]) == ("the log-probability of a label is missing", 4)
    assert reader.report()["fits"][0]["of"] == 36


def test_option_counts_have_priors_of_their_own():
    four, three = made(40), made(8, k=3, first=100)
    items = ItemSet(name="mixed", kind="choice", items=(*four, *three))
    reader = PrideReader(alpha=0.25)
    reader.fit(answered(items), Setting(items))
    report = reader.report()
    assert [fit["options"] for fit in report["fits"]] == [4]
    assert [row["items"] for row in report["excluded"]] == [8]
    assert "3 options" in report["excluded"][0]["reason"]


def test_subjects_are_drawn_towards_the_global_prior():
    items, reader = made(80), PrideReader(alpha=0.5, per="subject")
    other = (0.1, 0.2, 0.3, 0.4)
    replies = [
        (t, scores(t, other if int(t.variant.item_id[1:]) % 2 else PRIOR))
        for t, _ in answered(items)
    ]
    reader.fit(replies, Setting(items))
    subjects = reader.report()["fits"][0]["subjects"]
    assert subjects["number"] == 2
    assert subjects["priors"]["s0"] == pytest.approx(PRIOR, abs=1e-3)
    assert subjects["priors"]["s1"] == pytest.approx(other, abs=1e-3)


def run(tmp_path, name, n, probe, *readers, know=0):
    items = items_file(tmp_path / f"{name}.jsonl", n)
    out, model = tmp_path / name, f"sim:prior?know={know}"
    return study(items, model, out, probes=(probe,), readers=("first_token", "text", *readers))


@pytest.mark.thorough
def test_a_prior_can_come_from_another_run(tmp_path):
    first = run(tmp_path, "a", 120, "order", "pride")
    name = f"pride(source={tmp_path / 'a'})"
    second = run(tmp_path, "b", 40, "repeat", name)
    [fit] = first.findings["fits"]["pride"]["fits"]
    assert second.findings["fits"][name]["fits"][0]["prior"] == fit["prior"]
    assert second.estimate("accuracy", reader=name).n == 40
    with pytest.raises(UsageError, match=r"estimates\.json"):
        PrideReader(source=str(tmp_path)).fit([], Setting(made()))


@pytest.mark.thorough
def test_pride_recovers_a_known_prior_and_accuracy(tmp_path):
    """sim:prior draws from its prior where it knows nothing, whatever the options say."""
    wide, published = "pride(alpha=0.1)", "pride(alpha=0.1, mean=arithmetic)"
    result = run(tmp_path, "m", 400, "order", "pride", wide, published)
    fits = result.findings["fits"]
    [fit], [more], [drawn] = (fits[name]["fits"] for name in ("pride", wide, published))
    assert fit["estimation_items"] == 20
    for entry, truth in zip((*fit["prior"], *more["prior"]), (0.4, 0.3, 0.2, 0.1) * 2, strict=True):
        assert entry["low"] <= truth <= entry["high"], entry
    # The published mean of the items' priors is drawn to the middle by their noise: its interval
    # holds the estimator's own expectation.
    rng = np.random.default_rng(0)
    noisy = np.log([0.4, 0.3, 0.2, 0.1]) + rng.gumbel(size=(20_000, 4, 4))
    expected = estimate_prior(item_prior(np.exp(noisy))).prior
    assert expected[0] < 0.39
    for entry, truth in zip(drawn["prior"], expected, strict=True):
        assert entry["low"] <= truth <= entry["high"], entry
    for reader in ("pride", "pride_held_out"):
        e = result.estimate("accuracy", "order", reader=reader)
        assert abs(e.value - 0.25) < 1.5 * (e.high - e.low) / 2  # three standard errors
        assert "on=20@" in e.signature.format()
    held = result.estimate("accuracy", reader="pride_held_out")
    assert (held.n, result.estimate("accuracy", reader="pride").n) == (380, 400)
    raw = result.estimate("position_preference", "order", reader="first_token", group="A")
    clean = result.estimate("position_preference", "order", reader="pride", group="A")
    assert raw.value > 0.37
    assert abs(clean.value - 0.25) < 0.05


@pytest.mark.thorough
def test_what_is_known_stays_known(tmp_path):
    e = run(tmp_path, "k", 300, "order", "pride", know=1).estimate("accuracy", reader="pride")
    assert (e.value, e.n) == (1.0, 300)


LATE = Response("The answer is B", token_logprobs=({"The": -0.1, "A": -4.0, "B": -5.0},
                {" answer": -0.1}, {" B": -0.2, " A": -2.0}))  # fmt: skip


@each(
    ("spec", "positions", "rule"),
    [
        ("first_token", (0,), "position_1"),
        ("first_token(1)", (0,), "position_1"),
        ("first_token(3)", (1,), "position_3"),
        ("first_token(token=2)", (), "no_label_token"),
        ("first_token(9)", (), "no_label_token"),
        ("first_token(found)", (1,), "position_3"),
    ],
)
def test_the_position_is_chosen_or_found(spec, positions, rule):
    trial = Trial("original", PLAIN, 0, (show(made().items[0], "choice"),))
    [found] = make_reader(spec).read(trial, LATE)
    assert (found.positions, found.rule) == (positions, rule)


def test_positions_behind_the_one_that_is_read_are_not_worked_out():
    trial = Trial("original", PLAIN, 0, (show(made().items[0], "choice"),))
    [found] = FirstTokenReader().read(trial, Response("A", token_logprobs=({"A": -1.0}, None)))
    assert found.positions == (0,)


def test_where_labels_stand_is_reported_of_every_model():
    reader, items = FirstTokenReader(), made(4)
    trials = [Trial("original", PLAIN, 0, (show(item, "choice"),)) for item in items]
    reader.fit([(trial, LATE) for trial in trials], Setting(items))
    report = reader.report()
    assert report["offset"] == 2
    assert [row["held"] for row in report["positions"]] == [0.0, 0.0, 1.0]
    assert report["positions"][2]["mass"] == pytest.approx(math.exp(-0.2) + math.exp(-2))
    logits = Response("A", token_logprobs=({"A": 24.0, "B": 3.0},))
    reader.fit([(trial, logits) for trial in trials], Setting(items))
    assert reader.report() == {
        **{"positions": [], "offset": 0, "labels": 16, "missing": 8},
        **{"replies": 4, "incomplete": 4},
    }


def test_labels_without_a_score_are_counted():
    """A model that gives its most likely tokens alone may leave a label out."""
    reader, items = FirstTokenReader(), made(3)
    trials = [Trial("original", PLAIN, 0, (show(item, "choice"),)) for item in items]
    replies = [{"A": -0.1, " B": -3.0}, {"B": -0.1, "The": -3.0}, {"The": -0.1}]
    answered = [Response("", token_logprobs=(scores, {"A": -1.0})) for scores in replies]
    reader.fit(list(zip(trials, answered, strict=True)), Setting(items))
    assert (reader.report()["labels"], reader.report()["missing"]) == (12, 9)


@each(
    "spec", ["first_token(0)", "first_token(late)", "pride(alpha=0)", "pride(per=model)",
             "pride(estimation=random)", "pride(alpha=much)", "pride(least=-1)",
             "pride(beta=1)", "prider", "a b"],
)  # fmt: skip
def test_a_spec_that_makes_no_sense_is_refused(spec):
    with pytest.raises(UsageError):
        make_reader(spec)
