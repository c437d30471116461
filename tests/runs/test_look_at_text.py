"""Measures of Look at the Text on worked examples, and a whole run with known truth."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, cohen_kappa_score, roc_auc_score

from cells import cell_of, measured
from horsesense.measures.agreement import answer_entropy
from horsesense.measures.cells import NO_OPTION, STATUS_CODE, Scores
from horsesense.measures.joined import joined
from horsesense.measures.registry import MEASURES
from horsesense.measures.votes import elected, votes
from horsesense.report import write_report
from horsesense.runs.suites import suite_probes
from horsesense.trials.condition import PLAIN, Condition
from horsesense.trials.trial import NONE_OPTION
from studies import items_file, jsonl, study, text

CODES = {"a": 0, "b": 1, "c": 2, "d": 3, "X": NONE_OPTION}


def value(name, cell, other=None):
    measure = MEASURES.get(name)
    rows = measure.rows(cell if other is None else cell.against(other))
    return measure.value(rows.rows.sum(axis=0))


def chosen(letters, probe):
    """A cell of items with the right answer first, by what was chosen: a letter, or X for none."""
    contents = [[CODES[c] for c in of] for of in letters]
    cell = cell_of(contents, [0] * len(contents), probe=probe)
    status = np.where(np.array(contents) == NONE_OPTION, STATUS_CODE["none"], cell.status)
    return replace(cell, status=status.astype(np.int8))


def perturbed(runs):
    """A cell of one item: versions x shuffles."""
    condition = Condition(versions=len(runs), design=f"random({len(runs[0])})")
    return replace(chosen(["".join(map("".join, runs))], "key_typo"), condition=condition)


def test_votes_of_four_versions(vectors):
    v = vectors["entropy_4x5"]
    cell = perturbed(v["runs"])
    found = votes(cell, 4)
    assert found.option[0].tolist() == [CODES[c] for c in v["votes"]]
    assert found.tied[0].tolist() == v["tie"]
    assert value("answer_entropy", cell)[0] == pytest.approx(v["entropy_nats"], abs=1e-8)
    assert value("vote_tie_rate", cell)[0] == 0.25


def test_entropy_in_every_unit(vectors):
    for v in vectors["entropy"]:
        cell = cell_of([[CODES[c] for c in v["answers"]]], [0])
        assert value("answer_entropy", cell)[0] == pytest.approx(v["nats"], abs=1e-8)
        assert value("answer_entropy_bits", cell)[0] == pytest.approx(v["bits"], abs=1e-8)
        normalised = value("answer_entropy_normalised", cell)[0]
        assert normalised == pytest.approx(v["norm_by_lnN"], abs=1e-8)
        kinds = len(set(v["answers"]))
        corrected = value("answer_entropy_corrected", cell)[0]
        assert corrected == pytest.approx(v["nats"] + (kinds - 1) / 8, abs=1e-8)
        pairs = [x != y for i, x in enumerate(v["answers"]) for y in v["answers"][:i]]
        assert value("answer_disagreement", cell)[0] == pytest.approx(np.mean(pairs))


def test_chance_entropy_is_that_of_guessing():
    rng = np.random.default_rng(0)
    cell = cell_of(rng.integers(0, 4, (4000, 4)).tolist(), [0] * 4000)
    for name, by_hand in (
        ("answer_entropy", answer_entropy().guessed(4, 4)),
        ("answer_disagreement", 1 - 1 / 4),
    ):
        measure = MEASURES.get(name)
        assert value(name, cell)[0] == pytest.approx(by_hand, abs=0.02)
        assert measure.baseline(cell) == pytest.approx(by_hand)


@given(st.lists(st.sampled_from("abcdX"), min_size=5, max_size=5), st.permutations(range(4)))
def test_a_vote_follows_the_content_whatever_it_is_called(run, renamed):
    cell = perturbed([run])
    other = replace(cell, option=np.vectorize(lambda c: renamed[c] if c >= 0 else c)(cell.option))
    mine, theirs = votes(cell).option[0, 0], votes(other).option[0, 0]
    assert theirs == (renamed[mine] if mine >= 0 else mine)
    counts = [run.count(c) for c in run]
    assert run[counts.index(max(counts))] in run
    winner = next(c for c in "abcdX" if CODES[c] == mine)
    assert run.count(winner) == max(counts)


def test_unreadable_answers_elect_nobody_and_missing_ones_are_missing():
    cell = cell_of([[None, None, 2, -99, 0, 0]], [0])
    cell = replace(cell, condition=Condition(versions=2, design="random(3)"), probe="key_typo")
    vote = elected(cell)
    assert vote.option[0, 0] == NO_OPTION
    assert vote.read[0].tolist() == [True, False]


def before_after(v):
    parts = {name: chosen(v[name], "extra_options") for name in ("before", "after")}
    return joined(parts, "extra_options", PLAIN)


def test_answers_that_float(vectors):
    v = vectors["floating"]
    cell = before_after(v)
    found = value("answer_floating", cell)
    assert found == pytest.approx([v["rate"], v["to_added_rate"]], abs=1e-8)


def test_the_flow_sums_to_one_and_names_what_moved(vectors):
    cell = before_after(vectors["floating"])
    flow = MEASURES.get("answer_flow")
    shares = dict(zip(flow.groups(cell), value("answer_flow", cell), strict=True))
    assert shares == pytest.approx(
        {"right → right": 0.2, "wrong → none": 0.2, "wrong → wrong": 0.2, "none → none": 0.2,
         "right → wrong": 0.2}
    )  # fmt: skip
    assert sum(shares.values()) == pytest.approx(1)


def test_kappa_is_cohens():
    rng = np.random.default_rng(3)
    mine = rng.integers(0, 4, 300)
    theirs = np.where(rng.random(300) < 0.6, mine, rng.integers(0, 4, 300))
    cells = [cell_of([[int(x)] for x in xs], [0] * 300) for xs in (mine, theirs)]
    assert value("mismatch_kappa", *cells)[0] == pytest.approx(cohen_kappa_score(mine, theirs))


def scored_cell(n=400, sharp=1.0, seed=0):
    """Answers right as often as their confidence says, or less."""
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.25, 1, n)
    right = rng.random(n) < sure * sharp
    cell = cell_of([[0 if r else 1] for r in right], [0] * n, reader="first_token")
    score = np.zeros((n, 1), dtype=np.float32)
    scores = Scores(sure[:, None].astype(np.float32), score)
    return cell.having(scores), right, sure


def test_calibration_against_scikit_learn():
    cell, right, sure = scored_cell()
    shown = sure.astype(np.float32)
    assert value("brier", cell)[0] == pytest.approx(brier_score_loss(right, shown))
    assert value("confidence_auroc", cell)[0] == pytest.approx(roc_auc_score(right, shown))


@pytest.mark.parametrize(("sharp", "calibrated"), [(1.0, True), (0.6, False)])
def test_a_calibrated_respondent_is_told_from_an_overconfident_one(sharp, calibrated):
    cell, _, _ = scored_cell(sharp=sharp)
    found = {e.measure: e for e in measured([cell], "ece")}
    assert (found["ece_null"].p_value > 0.05) == calibrated
    if not calibrated:
        assert found["ece"].value == pytest.approx(0.25, abs=0.05)


def test_subjects_that_differ_by_noise_alone_are_drawn_together():
    rng = np.random.default_rng(5)
    n, subjects = 2000, 20
    gold = np.tile(np.arange(4), n // 4)
    right = rng.random(n) < np.array([0.8, 0.5, 0.5, 0.5])[gold]
    said = np.where(right, gold, (gold + 1) % 4)
    cell = cell_of([[int(x)] for x in said], gold.tolist(), probe="original")
    names = tuple(f"s{i:02}" for i in range(subjects))
    subject = rng.permutation(np.arange(n) % subjects)
    names_of = ("rstd", "rstd_by_subject", "rstd_by_subject_raw", "accuracy_by_subject")
    found = measured([cell], *names_of, subject=subject, subjects=names)
    whole = next(e for e in found if e.measure == "rstd")
    by_subject = [e for e in found if e.measure == "rstd_by_subject"]
    assert [e.group for e in by_subject] == list(names)
    assert np.mean([e.value for e in by_subject]) == pytest.approx(whole.value, abs=2)
    assert np.std([e.value for e in by_subject]) < 2
    of = subject == 3
    hits = [np.mean(right[of & (gold == place)]) for place in range(4)]
    third = {e.measure: e.value for e in found if e.group == "s03"}
    raw = third["rstd_by_subject_raw"]
    assert raw == pytest.approx(100 * np.std(hits))
    assert third["accuracy_by_subject"] == pytest.approx(np.mean(right[of]))
    assert 0 < third["rstd_by_subject_raw_null"] < raw < 40


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    """The suite with models whose truth is known."""
    items = items_file(tmp_path_factory.mktemp("items") / "made_up.jsonl", 16)
    found = {}
    for model in ("oracle", "position?k=1", "refuse"):
        out = tmp_path_factory.mktemp("run")
        probes = suite_probes("look-at-text", faithful=False)
        if model == "refuse":
            probes = tuple(probe for probe in probes if probe.startswith("extra_options"))
        readers = ("first_token", "text", "pride(alpha=0.5)")
        found[model] = study(items, f"sim:{model}", out, probes=probes, readers=readers)
    return found


PERTURBED = ("key_typo", "letter_scramble", "letter_swap", "word_swap")


@pytest.mark.thorough
def test_who_knows_is_moved_by_nothing(suites):
    oracle = suites["oracle"]
    for probe in PERTURBED:
        assert text(oracle, "answer_entropy", probe) == 0
        assert text(oracle, "vote_tie_rate", probe) == 0
        assert text(oracle, "accuracy", probe) == 1
    assert text(oracle, "answer_entropy", "option_swap") == 0
    assert text(oracle, "answer_floating", "extra_options", group="all") == 0
    assert text(oracle, "answer_flow", "extra_options", group="right → right") == 1
    assert oracle.estimate("accuracy", reader="pride(alpha=0.5)").value == 1
    assert oracle.estimate("score_gain", reader="pride(alpha=0.5)_held_out").value == 0


@pytest.mark.thorough
def test_a_position_shows_in_shuffled_options_and_not_in_perturbed_questions(suites):
    """The votes of all versions rest on the same shuffles, and a position's vote with them."""
    position = suites["position?k=1"]
    for probe in PERTURBED:
        assert text(position, "answer_entropy", probe) == 0
    assert text(position, "answer_entropy", "order") == pytest.approx(np.log(4))
    assert text(position, "answer_entropy", "option_swap") > 0.7
    assert text(position, "answer_floating", "extra_options", group="all") > 0.5
    [fit] = position.findings["fits"]["pride(alpha=0.5)"]["fits"]
    assert fit["prior"][1]["value"] > 0.99


@pytest.mark.thorough
def test_a_refusal_floats_nowhere(suites):
    """Declining in words before is the content of the abstention option after."""
    refuse = suites["refuse"]
    assert text(refuse, "answer_floating", "extra_options", group="all") == 0
    assert text(refuse, "answer_flow", "extra_options", group="refusal → refusal") == 1


@pytest.mark.thorough
def test_the_report_shows_readers_side_by_side(suites):
    result = suites["position?k=1"]
    write_report(result.results, max_items=3)
    page = (result.out / "report.html").read_text()
    assert "What do first token and text say?" in page
    words = (
        "PriDe",
        "Entropy of an item’s answers",
        "Without → with them",
        "not fitted on",
        "none added",
    )
    assert [word for word in words if word not in page] == []
    checks, numbers = page[: page.index('id="items"')], page[page.index("What came back") :]
    assert "read by PriDe (on items that it was not fitted on)" in checks
    assert "held_out" not in checks
    # What moves an answer there may be the orders, which the label has to say.
    for changed in ("Typing errors", "Scrambled letters", "Swapped words", "Swapped letters"):
        assert f"{changed}, options shuffled" in checks
    assert numbers.count("every reply chose an option") == 1


def test_each_subject_by_itself_has_a_draw_and_a_prior_of_its_own(tmp_path):
    """However few its items are: so it was published."""
    rows = (
        {"id": f"{i}", "question": f"Which of {i}?", "options": [f"{i}{x}" for x in "abcd"],
         "answer_index": i % 4, "subject": "law" if i < 40 else "art"}
        for i in range(48)
    )  # fmt: skip
    path = jsonl(tmp_path / "items.jsonl", rows)
    reader = "pride(mean=arithmetic, per=subject)"
    run = study(
        path, "sim:position?k=1", tmp_path / "run", probes=("order",), readers=(reader,), draws=10
    )
    [fit] = run.findings["fits"][reader]["fits"]
    assert fit["estimation_items"] == 2 + 1  # 5 % of 40, and one of 8
    assert fit["subjects"]["number"] == 2
    assert fit["subjects"]["fewest_items"] == 1
    assert fit["subjects"]["weight_of_global"] == 0
    assert len(fit["draws"]) == 5
    assert fit["subjects"]["items"] == {"law": 2, "art": 1}
    write_report(run.results, max_items=0)
    page = (run.out / "report.html").read_text()
    _, table = page.split("Priors that the answers were read with, by subject (2 subjects)", 1)
    for subject, n in (("law", 2), ("art", 1)):
        row = re.search(rf"<tr><th scope=\"row\"><bdi>{subject}</bdi></th>(.*?)</tr>", table)
        cells = re.findall(r"<td[^>]*>([^<]*)</td>", row[1])
        prior = [f"{value:.3f}" for value in fit["subjects"]["priors"][subject]]
        assert cells == [*prior, str(n)]
    assert "Of all subjects together: no answer was read with it" in page


def test_a_prior_of_one_item_is_reported_without_an_interval(tmp_path):
    items, reader = items_file(tmp_path / "few.jsonl", 12), "pride(mean=arithmetic, per=subject)"
    result = study(
        items, "sim:oracle", tmp_path / "run", probes=("order",), readers=("text", reader)
    )
    [fit] = [fit for fit in result.findings["fits"].values() if fit.get("fits")]
    assert [(row["low"], row["high"]) for row in fit["fits"][0]["prior"]] == [(None, None)] * 4
    page = write_report(result.results, max_items=0).read_text()
    assert page.count("no interval: one item") == 4
