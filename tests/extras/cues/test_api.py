"""`find_cues` on sets whose truth is known, on bad input, and against the published heat map."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from typer.testing import CliRunner

from horsesense.cli import app
from horsesense.errors import ItemsError, UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.items.load import load_items
from horsesense_extras.cue_tests import charts as cues_charts
from horsesense_extras.cue_tests.answers import load_answers
from horsesense_extras.cue_tests.api import as_json, find_cues
from horsesense_extras.cue_tests.classify import CLASSIFIERS, Turned, fit
from horsesense_extras.cue_tests.dependence import Answers, Dependence, family_of, family_summary
from horsesense_extras.cue_tests.evaluate import evaluate
from horsesense_extras.cue_tests.features import NGRAMS
from horsesense_extras.cue_tests.groups import find_groups
from horsesense_extras.cue_tests.page import write_cue_report
from horsesense_extras.cue_tests.paper import CLEVER_HANS
from horsesense_extras.cue_tests.repair import balance
from horsesense_extras.cue_tests.result import CueResult
from horsesense_extras.cue_tests.splits import published, published_draw
from horsesense_extras.cue_tests.sweep import Method
from horsesense_extras.cue_tests.task import make_task
from horsesense_extras.cue_tests.verdict import judge

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in ("al", "en", "or") for c in "aeiomns"]


def generated(seed: int, n: int = 210, cue_rate: float = 0.0) -> ItemSet:
    """Texts without meaning, labels by lot; with `cue_rate`, a word that gives the label."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(WORDS) + 1)
    items = []
    for i in range(n):
        text = rng.choice(WORDS, 12, p=weights / weights.sum()).tolist()
        label = int(rng.integers(2))
        if rng.random() < cue_rate:
            text[int(rng.integers(12))] = ("seldom", "often")[label]
        items.append(Item(str(i), " ".join(text), ("no", "yes"), label))
    return ItemSet("generated", "label", tuple(items), ("no", "yes"))


def templated(patterns: int = 60, fillings: int = 5) -> ItemSet:
    """Each pattern has a label by lot; its fillings share everything but one made-up name."""
    rng = np.random.default_rng(0)
    items = []
    for p in range(patterns):
        body = " ".join(rng.choice(WORDS, 8)) + f" pattern{p} is the one of the {WORDS[p % 40]}"
        label = int(rng.integers(2))
        for f in range(fillings):
            text = f"{body}, and so it was for the {WORDS[(p + f) % 50]} in the end"
            items.append(Item(f"{p}.{f}", text, ("no", "yes"), label))
    return ItemSet("templated", "label", tuple(items), ("no", "yes"))


def quick(items: ItemSet, **settings: object) -> CueResult:
    return find_cues(items, **{"folds": 3, "repeats": 1, "jobs": 1, **settings})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def planted() -> CueResult:
    return quick(generated(1, 400, 0.4), jobs=2)


def test_random_labels_are_not_called_predictable() -> None:
    called = [quick(generated(s), seed=s, folds=2).verdict.predictable for s in range(20)]
    assert sum(called) <= 4  # 4 of 20 has a chance of 2 % if 5 % are called


def test_a_planted_cue_is_found_and_named(planted: CueResult) -> None:
    assert planted.verdict.predictable
    assert planted.verdict.strength in ("clear", "strong")
    by_name = {cue.name: cue for cue in planted.cues[:4]}
    assert by_name["often"].label == "yes"
    assert by_name["seldom"].label == "no"
    assert by_name["often"].counts["no"] == 0
    assert by_name["often"].support == sum("often" in t for t in _texts(1, 400, 0.4))
    assert all("often" in example for _, example in by_name["often"].examples)


def _texts(seed: int, n: int, rate: float) -> list[str]:
    return [item.question for item in generated(seed, n, rate)]


def test_predictions_cover_every_item_and_list_the_ones_cues_get(planted: CueResult) -> None:
    assert len(planted.predictions) == 400
    assert set(planted.items) == {i for i, share in planted.predictions.items() if share == 1}


def test_workers_give_what_one_process_gives() -> None:
    items = generated(3, 220, 0.3)
    one, two = quick(items, jobs=1), quick(items, jobs=2)
    assert one.rows == two.rows
    assert one.cues == two.cues


def test_small_sets_are_fitted_again_to_shuffled_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """No shuffling of the labels does as well as the labels that a word gives away."""
    monkeypatch.setattr("horsesense_extras.cue_tests.evaluate.REFITS", 9)
    result = quick(generated(6, 60, 1.0), folds=2, grouping="none")
    row = result.row("1-gram presence word")
    assert row.kappa is not None
    assert row.kappa > 0.5
    assert row.p_value == pytest.approx(1 / 10)


def test_templates_leak_only_without_groups() -> None:
    result = quick(templated())
    assert result.rows[0].grouped
    assert not result.verdict.predictable
    assert result.ungrouped is not None
    assert result.ungrouped.kappa is not None
    assert result.ungrouped.kappa > 0.8
    assert any("divided at random" in reason for reason in result.verdict.reasons)
    assert quick(templated(), grouping="none").verdict.predictable


def alike(fillings: int = 10) -> ItemSet:
    """Short patterns of a few fixed words, each with a label; everything else is filled in."""
    rng = np.random.default_rng(1)
    starts, middles, ends = ("in", "on", "at"), ("over", "from"), ("with", "by", "to", "of")
    frames = [
        f"{a} {{}} {b} {{}} {b}{a}{c}s . {c} {{}}" for a in starts for b in middles for c in ends
    ]
    rows = []
    for p, frame in enumerate(frames):
        for f in range(fillings):
            who = rng.choice(WORDS, 3)
            words = (("the " if rng.random() < 0.5 else "") + str(word) for word in who)
            rows.append(
                Item(f"{p}.{f}", frame.format(*words), ("no", "yes"), int("001101011"[p % 9]))
            )
    return ItemSet("alike", "label", tuple(rows), ("no", "yes"))


def test_where_templates_are_too_short_to_be_sure_of_it_is_said_loudly() -> None:
    items = alike()
    groups = find_groups(make_task(items))
    assert groups.n_grouped < 0.2 * len(items)  # no rule for groups finds them
    result = quick(items, folds=2)
    assert result.ungrouped is None
    assert result.alike is not None
    assert result.alike.low is not None
    assert result.alike.low < 0 < result.verdict.row.low
    assert not result.verdict.predictable
    assert "cannot be told: many of its texts are built alike" in result.verdict.sentence
    assert any("--group FIELD" in advice for advice in result.verdict.advice)
    assert as_json([result])["alike_rows"][0]["kappa"] == result.alike.kappa


def one_frame(fixed: int, patterns: int = 40, fillings: int = 6) -> ItemSet:
    """Word problems whose templates all have the same frame and choose `fixed` of its words."""
    rng = np.random.default_rng(2)
    rows = []
    for p in range(patterns):
        chosen = rng.choice(WORDS, fixed).tolist()
        for f in range(fillings):
            w = iter([*chosen, *rng.choice(WORDS, 9 - fixed)])
            text = (
                f"{next(w)} had {rng.integers(2, 99)} {next(w)} {next(w)}, and they were at the "
                f"{next(w)} {next(w)}. Did {next(w)} have more than {rng.integers(2, 99)} of "
                f"{next(w)} {next(w)} in {next(w)}?"
            )
            rows.append(Item(f"{p}.{f}", text, ("no", "yes"), int("0110100110"[p % 10])))
    return ItemSet("problems", "label", tuple(rows), ("no", "yes"))


def test_templates_of_one_frame_are_found_by_their_words() -> None:
    """Numbers are fillings, and a frame that all have is none: forty templates, nothing across."""
    items = one_frame(fixed=7)
    groups = find_groups(make_task(items))
    family = [item.id.partition(".")[0] for item in items]
    for name in set(family):
        assert len({n for n, own in zip(groups.numbers, family, strict=True) if own == name}) == 1
    assert len(np.unique(groups.numbers)) > 20
    assert not quick(items, folds=2).verdict.predictable


def test_where_templates_of_one_frame_cannot_be_found_it_is_said_loudly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("horsesense_extras.cue_tests.evaluate.REFITS", 30)
    result = quick(one_frame(fixed=1, patterns=6, fillings=30), folds=2)
    assert result.verdict.row.low is not None
    assert not result.verdict.predictable
    assert "cannot be told" in result.verdict.sentence
    assert any("--group FIELD" in advice for advice in result.verdict.advice)


def test_fillings_of_a_template_need_no_word_in_common() -> None:
    frames = ["{} is in {}, and {} is not at {}.", "{} was above {}; {} was below {}, or on it."]
    texts = [frames[i % 2].format(*(f"The {WORDS[(7 * i + j) % 60]}" for j in range(4)))
             for i in range(12)]  # fmt: skip
    others = [
        Item(f"o{i}", f"{WORDS[i]} {i} {WORDS[-i]}!", ("no", "yes"), i % 2) for i in range(60)
    ]
    items = [Item(str(i), text, ("no", "yes"), i % 2) for i, text in enumerate(texts)]
    numbers = find_groups(make_task(ItemSet("t", "label", (*items, *others)))).numbers
    assert len(set(numbers[:12:2])) == len(set(numbers[1:12:2])) == 1
    assert numbers[0] != numbers[1]


def test_turned_rows_give_the_same_weights() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.poisson(0.3, (40, 300)).astype(float), rng.integers(0, 3, 40)
    for labels in (y, np.minimum(y, 1)):
        slow = fit(CLASSIFIERS[0], x, labels, 3)
        fast = fit(CLASSIFIERS[0], x, labels, 3, turned=Turned.of(x))
        assert np.abs(slow.weights - fast.weights).max() < 2e-3
        assert slow.predict(x).tolist() == fast.predict(x).tolist()
    assert Turned.of(np.zeros((3, 4))) is None


def test_the_published_method_draws_the_published_kappa(planted: CueResult) -> None:
    faithful = replace(planted, faithful=True)
    drawn, own = cues_charts.heat_map([faithful]), cues_charts.heat_map([planted])
    first = planted.rows[0]
    assert first.kappa is not None
    assert cues_charts.signed(first.kappa_uniform) in drawn
    assert "Kappa_uniform" in drawn
    assert "Kappa_uniform" not in own
    assert "kappa_uniform" in cues_charts.vectors(faithful)


def test_a_majority_label_alone_is_never_predictable() -> None:
    items = generated(5, 300)
    mostly = tuple(
        replace(item, gold=0 if i % 5 else item.gold) for i, item in enumerate(items.items)
    )
    result = quick(replace(items, items=mostly))
    row = result.row("1-gram TFIDF word")
    assert row.kappa_uniform > 0.5
    assert row.kappa == pytest.approx(0, abs=0.1)
    assert not result.verdict.predictable


def choices(n: int = 260, longest: float = 0.0) -> ItemSet:
    rng = np.random.default_rng(0)
    items = []
    for i in range(n):
        gold = int(rng.integers(4))
        options = [" ".join(rng.choice(WORDS, rng.integers(3, 6))) for _ in range(4)]
        if rng.random() < longest:
            options[gold] += " " + " ".join(rng.choice(WORDS, 4))
        items.append(Item(str(i), f"which {WORDS[i % 50]}?", tuple(options), gold))
    return ItemSet("choices", "choice", tuple(items))


def test_the_longest_option_is_found_as_a_cue() -> None:
    result = quick(choices(longest=0.7))
    assert result.kind == "options"
    assert result.verdict.predictable
    assert result.row("length alone").kappa > 0.3  # type: ignore[operator]
    assert result.row("position alone").kappa < 0.15  # type: ignore[operator]
    assert any(cue.kind == "length" and cue.label == "right option" for cue in result.cues)


def test_options_without_a_cue_are_not_predictable() -> None:
    assert not quick(choices()).verdict.predictable


def test_choices_with_one_set_of_options_are_labels() -> None:
    items = generated(1, 60)
    as_choice = replace(items, kind="choice", labels=())
    assert make_task(as_choice).kind == "labels"
    assert make_task(as_choice).labels == ("no", "yes")


def test_the_published_method_shows_cheap_cues_in_the_list_alone() -> None:
    found = find_cues(generated(1, 200, 0.4), faithful=True, jobs=1)
    assert {row.features.split()[0] for row in found.rows} == {"1-gram", "2-gram", "readability"}
    still = {each.what: each.faithful for each in CLEVER_HANS.still_differs()}
    assert "no vector, cell or verdict has them" in still["cheap cues"]
    assert "list of the strongest cues" in still


def test_faithful_choices_have_letters_as_labels() -> None:
    task = make_task(choices(40), faithful=True)
    assert task.labels == ("a", "b", "c", "d")
    assert "\nC. " in task.texts[0]


# ---- bad input


def relabelled(n: int, labels: list[str]) -> ItemSet:
    names = tuple(sorted(set(labels)))
    items = tuple(
        Item(str(i), f"{WORDS[i % 90]} {WORDS[i * 7 % 90]} {i}", names, names.index(label))
        for i, label in enumerate(labels[:n])
    )
    return ItemSet("bad", "label", items, names)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (relabelled(40, ["yes"] * 40), "same label"),
        (relabelled(10, ["a", "b"] * 5), "10 usable items"),
        (
            replace(
                generated(0, 40),
                items=tuple(replace(i, question="equal") for i in generated(0, 40)),
            ),
            "all texts are equal",
        ),
        (
            replace(
                generated(0, 40), items=tuple(replace(i, question=" ") for i in generated(0, 40))
            ),
            "0 usable items",
        ),
        (replace(generated(0, 40), items=()), "0 usable items"),
    ],
    ids=["one label", "ten items", "equal texts", "empty texts", "no items"],
)
def test_what_cannot_be_done_is_said(items: ItemSet, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_cues(items)


def test_exclusions_are_counted() -> None:
    items = generated(0, 60)
    odd = [
        Item("rare", "a text of its own", ("no", "yes", "maybe"), 2),
        Item("blank", " \n", ("no", "yes"), 0),
        Item("open", "no gold here", ("no", "yes"), None),
    ]
    notes = " ".join(make_task(replace(items, items=(*items.items, *odd))).notes)
    assert "Items left out because they have no gold: 1." in notes
    assert "Items left out because of an empty text: 1." in notes
    assert "so nothing can predict it: 1." in notes


def test_many_labels_long_texts_and_scripts_without_spaces() -> None:
    many = relabelled(300, [f"label{i // 2}" for i in range(300)])
    assert quick(many, folds=2).rows[0].labels == 150
    long = replace(generated(0, 40), items=tuple(generated(0, 40)))
    first = replace(long.items[0], question="word " * 400_000)
    task = make_task(replace(long, items=(first, *long.items[1:])))
    assert len(task.texts[0]) <= 100_000
    assert any("cut to 100,000" in note for note in task.notes)
    chinese = tuple(
        replace(i, question="猫坐在垫子上" + "很好不坏"[int(i.id) % 4]) for i in long.items
    )
    assert any("without spaces" in n for n in make_task(replace(long, items=chinese)).notes)


def test_layout_that_goes_with_a_label_is_noted_not_used() -> None:
    items = generated(0, 200)
    spaced = tuple(
        replace(i, question=i.question + ("\n\nAnswer" if i.gold else "\nAnswer")) for i in items
    )
    task = make_task(replace(items, items=spaced))
    assert any("a blank line" in note for note in task.notes)
    assert not any("\n" in text for text in task.texts)


# ---- models


def answers_of(result: CueResult, uses: float, seed: int = 0) -> Answers:
    """A model that is right more often, by `uses`, where cues are."""
    rng = np.random.default_rng(seed)
    chance = {i: 0.5 + uses / 2 * (1 if s > 0.5 else -1) for i, s in result.predictions.items()}
    return Answers(f"gpt-4-{seed}", {i: float(rng.random() < p) for i, p in chance.items()})


def test_a_model_that_uses_cues_is_told_from_one_that_does_not(planted: CueResult) -> None:
    answers = [answers_of(planted, 0.6), answers_of(planted, 0.0, 1)]
    result = quick(generated(1, 400, 0.4), answers=answers, jobs=2)
    user, other = result.models
    assert user.low is not None
    assert user.low > 0.3
    assert other.low is not None
    assert other.high is not None
    assert other.low < 0.05 < 0.2
    families, published_rows = family_summary([result])
    assert [f.family for f in families] == ["OpenAI"]
    assert families[0].adjusted == families[0].p_value
    assert published_rows[0].pairs == 2


@pytest.mark.parametrize(
    ("model", "family"),
    [("text-ada-001", "OpenAI"), ("meta_llama-3-70b", "Meta"), ("claude-3-opus", "Anthropic"),
     ("google_gemini-1.5-pro", "Google"), ("my-own", "my-own")],
)  # fmt: skip
def test_families_by_name(model: str, family: str) -> None:
    assert family_of(model) == family
    assert family_of(model, {model: "mine"}) == "mine"


def row(family: str, difference: float, half: float, dataset: str) -> Dependence:
    return Dependence(
        "m", family, dataset, difference, difference - half, difference + half, 0.5, None, 0.0,
        0.5, 0.6, 0.4, 0.5, 100, 50, 0, {},
    )  # fmt: skip


def test_data_sets_pool_with_their_spread(planted: CueResult) -> None:
    same = [replace(planted, families=(row("F", 0.1, 0.05, d),)) for d in "abc"]
    mixed = [
        replace(planted, families=(row("F", v, 0.05, d),)) for v, d in ((0.4, "a"), (-0.2, "b"))
    ]
    (tight,), (wide,) = family_summary(same)[0], family_summary(mixed)[0]
    assert tight.difference == pytest.approx(0.1)
    # Equal effects: the error is that of their own variances, with Student's t of two degrees.
    half = 0.05 / 3**0.5 * student.ppf(0.975, 2) / norm.ppf(0.975)
    assert (tight.high - tight.low) / 2 == pytest.approx(half)  # type: ignore[operator]
    assert wide.low < 0 < wide.high  # type: ignore[operator]
    # One that could not be told is left out, and said to be.
    few = replace(row("F", 0.2, 0.05, "z"), low=None, high=None, p_value=None, note="too few")
    (with_few,) = family_summary([*same, replace(planted, families=(few,))])[0]
    assert (with_few.difference, with_few.note) == (tight.difference, "left out: z: too few")
    (alone,) = family_summary([same[0], replace(planted, families=(few,))])[0]
    assert (alone.low, alone.p_value) == (pytest.approx(0.05), 0.5)
    (none,) = family_summary([replace(planted, families=(few,))] * 2)[0]
    assert (none.difference, none.p_value, none.note) == (None, None, "z: too few; z: too few")


def test_pooled_effects_are_those_of_statsmodels(planted: CueResult) -> None:
    """Hartung and Knapp's interval, where effects differ more than their own errors say."""
    from statsmodels.stats.meta_analysis import combine_effects

    effects, halves = [0.31, -0.12, 0.22, 0.05], [0.05, 0.08, 0.06, 0.1]
    sets = [
        replace(planted, families=(row("F", d, h, str(h)),))
        for d, h in zip(effects, halves, strict=True)
    ]
    [found] = family_summary(sets)[0]
    errors = np.array(halves) / norm.ppf(0.975)
    theirs = combine_effects(np.array(effects), errors**2, method_re="dl", use_t=True)
    assert found.difference == pytest.approx(theirs.mean_effect_re)
    half = max(theirs.sd_eff_w_re_hksj, theirs.sd_eff_w_re) * student.ppf(0.975, 3)
    assert found.high - found.difference == pytest.approx(half)  # type: ignore[operator]


def test_families_of_data_sets_that_do_not_differ_are_called_so(planted: CueResult) -> None:
    """Four data sets whose effects scatter about 0: p at most 5 %, interval 95 %."""
    rng, studies = np.random.default_rng(5), 500
    covered = alarms = 0
    for _ in range(studies):
        errors = rng.uniform(0.02, 0.06, 4)
        drawn = rng.normal(0, np.sqrt(errors**2 + 0.05**2))
        sets = [
            replace(planted, families=(row("F", d, norm.ppf(0.975) * e, str(e)),))
            for d, e in zip(drawn, errors, strict=True)
        ]
        [found] = family_summary(sets)[0]
        covered += found.low <= 0 <= found.high  # type: ignore[operator]
        alarms += found.p_value <= 0.05  # type: ignore[operator]
    assert covered / studies > 0.92
    assert alarms / studies < 0.075


def test_a_feature_that_nearly_all_items_have_is_no_cue() -> None:
    """70 of 71 against 179 of 182: more frequent with the label, as luck has it."""
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, 8)) for _ in range(253)]
    plain = {0, 71, 72, 73}
    rows = [
        Item(str(i), text + ("" if i in plain else "."), ("no", "yes"), int(i < 71))
        for i, text in enumerate(texts)
    ]
    result = quick(ItemSet("stops", "label", tuple(rows), ("no", "yes")), grouping="none")
    assert not result.cues


def test_no_cues_are_listed_where_labels_are_drawn() -> None:
    listed = sum(bool(quick(generated(s), seed=s, folds=2).cues) for s in range(10))
    assert listed <= 3  # a false discovery rate of 5 % among n-grams, and among cheap cues


def test_nothing_is_said_of_kappas_where_one_label_is_always_predicted(planted: CueResult) -> None:
    silent = replace(planted.verdict.row, kappa=0.0, low=None, high=None, p_value=1.0)
    verdict = judge(silent, planted.rows, None, constant=True, faithful=False)
    assert not verdict.predictable
    assert not any("are not excluded" in advice for advice in verdict.advice)
    assert "always says the same label" in verdict.advice[0]


def test_recorded_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = generated(0, 30)
    gold = [items.items[i].options[items.items[i].gold or 0] for i in range(30)]
    rows = [
        {"item_id": str(i), "model": "m", "response": f"It is {g}."} for i, g in enumerate(gold)
    ]
    rows += [{"item_id": "0", "model": "n", "response": "?", "correct": True}]
    rows += [{"item_id": "1", "model": "n", "response": "that one, the usual"}]
    rows += [{"item_id": "1", "model": "n", "response": "x", "probe": "order", "correct": True}]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    m, n = load_answers(path, items)
    assert set(m.right.values()) == {1.0}
    assert n.right == {"0": 1.0, "1": None}
    published_rule = load_answers(path, items, faithful=True)[0]
    assert set(published_rule.right.values()) == {1.0}
    text = items.by_id["3"].question
    strangers = [
        {"item_id": "99", "response": "no"},
        {"item_id": "0", "gold": "perhaps", "correct": True},
        {"id": "row 7", "text": f" {text.upper()}", "model": "p", "correct": False},
    ]
    path.write_text("\n".join(map(json.dumps, strangers)))
    [by_text] = load_answers(path, items)
    assert by_text.right == {"3": 0.0}
    said = capsys.readouterr().err
    assert "1 recorded answers are used, 2 are not" in said
    assert "1 of other items; 1 with another gold answer" in said
    path.write_text('{"item_id": "99", "response": "no"}\n{"item_id": "0", "gold": "perhaps"}')
    with pytest.raises(ItemsError, match=r"'99' is not among(.|\n)*a different gold answer"):
        load_answers(path, items)


# ---- repair


def test_balancing_removes_a_cue_and_edits_nothing() -> None:
    items = generated(2, 600, 0.6)
    found = balance(items, grouping="none")
    assert found.before[0] > 0.4
    assert found.after[0] < found.before[0] / 2
    assert 60 < len(found.kept) < 500
    assert set(found.kept) <= {item.id for item in items}
    assert np.mean(list(found.weights.values())) == pytest.approx(1)
    kept = [i for i in items if i.id in set(found.kept)]
    share = np.mean([("often" in i.question) or ("seldom" in i.question) for i in kept])
    assert share < 0.3


def test_a_set_without_cues_is_left_nearly_whole() -> None:
    found = balance(generated(4, 400), grouping="none")
    assert found.rounds == 0
    assert len(found.kept) == 400


def test_a_set_given_away_entirely_is_refused() -> None:
    with pytest.raises(UsageError, match="would be left"):
        balance(generated(0, 300, 1.0), grouping="none")


# ---- output


def test_json_rows_have_the_promised_fields(planted: CueResult) -> None:
    found = as_json([planted])
    promised = "dataset features classifier kappa kappa_uniform balanced_accuracy majority "
    promised += "low high p_value n labels grouped"
    assert " ".join(found["rows"][0]) == promised
    assert {"verdict", "cues", "models"} <= set(found)
    json.dumps(found)


def test_the_report_is_closed_and_escapes(planted: CueResult, tmp_path: Path) -> None:
    evil = replace(
        planted,
        dataset="<script>alert(1)</script>",
        cues=(replace(planted.cues[0], name="<img src=x onerror=1>"), *planted.cues[1:]),
    )
    html = write_cue_report([evil, planted], tmp_path / "cues.html").read_text()
    assert "<script" not in html
    assert "<img" not in html
    assert "default-src 'none'" in html
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert "All feature vectors" in html
    assert planted.verdict.sentence in html


@pytest.mark.parametrize("reply", ["often", "never"])
def test_the_report_of_models_is_written(tmp_path: Path, reply: str) -> None:
    """`--responses FILE --out PAGE`: with differences, and where every answer is wrong."""
    source, given, page = (tmp_path / name for name in ("items.jsonl", "said.jsonl", "cues.html"))
    items = generated(2, 300, 0.6)
    rows = [{"id": i.id, "text": i.question, "label": i.options[i.gold or 0]} for i in items]
    source.write_text("\n".join(map(json.dumps, rows)))
    said = [
        {"item_id": i.id, "model": model, "correct": reply in i.question and int(i.id) % 3 > 0}
        for i in items
        for model in ("gpt-4", "gpt-3", "claude-2")
    ]
    given.write_text("\n".join(map(json.dumps, said)))
    common = ["--folds", "2", "--repeats", "1", "--jobs", "1", "--no-groups"]
    call = ["cues", str(source), *common, "--responses", str(given), "--out", str(page)]
    assert CliRunner().invoke(app(), call, catch_exceptions=False).exit_code == 0
    text = page.read_text()
    assert "Dependence on cues by model family" in text
    assert ("Better where cues predict the label" in text) == (reply == "often")


def test_the_command_line(tmp_path: Path) -> None:
    source, out, page = (tmp_path / name for name in ("items.jsonl", "kept.jsonl", "cues.html"))
    lines = [
        json.dumps({"id": i.id, "text": i.question, "label": i.options[i.gold or 0]})
        for i in generated(2, 300, 0.6)
    ]
    source.write_text("\n".join(lines))
    runner = CliRunner()
    common = [str(source), "--folds", "2", "--repeats", "1", "--jobs", "1", "--no-groups"]
    done = runner.invoke(app(), ["cues", *common, "--out", str(page)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "'often' (n-gram) speaks for 'yes'" in done.stdout
    assert page.exists()
    done = runner.invoke(app(), ["cues", *common, "--json"], catch_exceptions=False)
    assert json.loads(done.stdout)["rows"][0]["n"] == 300
    done = runner.invoke(
        app(),
        ["build", "balanced", str(source), "--out", str(out), "--no-groups", "--json"],
        catch_exceptions=False,
    )
    kept = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(kept) == json.loads(done.stdout)["kept"]
    originals = {json.loads(line)["id"]: json.loads(line) for line in lines}
    assert all(originals[row["id"]] == row for row in kept)


# ---- the published heat map

PUBLISHED = {  # kappa_uniform, in the order of NGRAMS
    "anli": ".01 -.01 .01 -.01 .03 .04 .03 -.03 .03 -.03 .06 -.05",
    "babi_task_16": ".21 .21 .21 .21 .25 .25 .26 .23 .26 .23 .25 .25",
    "commonsense_qa_2": ".08 .09 .08 .09 .08 .18 .13 .09 .13 .09 .07 .10",
    "fantasy_reasoning": ".49 .49 .49 .49 .49 .49 .49 .49 .49 .49 .49 .49",
    "metaphor_boolean": ".11 .11 .11 .11 .11 .11 .11 .11 .11 .11 .11 .11",
    "wanli": ".16 .15 .16 .15 .23 .20 .14 .20 .14 .20 .20 .20",
}


def published_rows(shared: Path, name: str) -> ItemSet:
    path = shared / f"data/clever_hans_rows/{name}.jsonl.gz"
    return load_items(path, split="train,validation,test")


@pytest.mark.shared
@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_the_published_cells(shared: Path, name: str) -> None:
    task = make_task(published_rows(shared, name), faithful=True)
    splits = [published(list(task.splits))]
    alone = np.arange(len(task))
    found = evaluate(task, splits, alone, Method(faithful=True, presence_bug=True), lean=True)
    gold = task.gold[found.items]
    k = len(task.labels)
    ours = [(np.mean(found.predicted[v.name] == gold) - 1 / k) / (1 - 1 / k) for v in NGRAMS]
    np.testing.assert_allclose(ours, [float(x) for x in PUBLISHED[name].split()], atol=0.0201)


@pytest.mark.shared
def test_our_draw_is_as_large_as_the_published_split(shared: Path) -> None:
    items = published_rows(shared, "fantasy_reasoning")
    _, split = published_draw(len(items))
    named = published([item.split for item in items])
    for part in ("fit", "choose", "test"):
        assert len(getattr(split, part)) == len(getattr(named, part))


@pytest.mark.shared
def test_true_presence_differs_from_the_published_bug(shared: Path) -> None:
    items = published_rows(shared, "babi_task_16")
    rows = [
        find_cues(items, faithful=True, presence_bug=bug, jobs=1).row("2-gram presence token")
        for bug in (True, False)
    ]
    assert rows[0].kappa_uniform != rows[1].kappa_uniform


@pytest.mark.shared
def test_stories_and_templates_of_real_sets_are_found(shared: Path) -> None:
    task = make_task(published_rows(shared, "fantasy_reasoning"))
    groups = find_groups(task)
    assert groups.n_grouped > 150
    assert "a sentence in common" in groups.joined


def test_what_enters_no_number_is_counted_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 190 rows, 20 say null, 10 nothing, 10 are second answers and 7 of unknown items."""
    items = generated(2, 200)
    rows = [{"item_id": i.id, "response": i.options[i.gold or 0]} for i in items.items[:150]]
    rows += [{"item_id": i.id, "response": None} for i in items.items[150:170]]
    rows += [{"item_id": i.id} for i in items.items[170:180]]
    rows += [{"item_id": i.id, "response": "no"} for i in items.items[:10]]
    rows += [{"item_id": f"x{i}", "response": "no"} for i in range(7)]
    source = tmp_path / "said.jsonl"
    source.write_text("\n".join(map(json.dumps, rows)))
    [answers] = load_answers(source, items)
    assert sum(right is not None for right in answers.right.values()) == 150
    line = capsys.readouterr().err
    assert "160 recorded answers are used, 37 are not" in line
    assert "30 that choose no option" in line
    assert "7 of other items" in line
    assert "10 items were answered more than once; their answers are averaged" in line
