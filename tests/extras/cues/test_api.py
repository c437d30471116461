"""`find_cues` on sets whose truth is known, on bad input, and against the published heat map."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from command_line import call
from horsesense.errors import ItemsError, UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.items.load import load_items
from horsesense_extras.cue_tests import page as cues_charts
from horsesense_extras.cue_tests.answers import answers_by_set, load_answers
from horsesense_extras.cue_tests.api import as_json, find_cues
from horsesense_extras.cue_tests.dependence import Answers, Dependence, family_of, family_summary
from horsesense_extras.cue_tests.evaluate import evaluate
from horsesense_extras.cue_tests.features import NGRAMS, THIRTEEN
from horsesense_extras.cue_tests.groups import find_groups
from horsesense_extras.cue_tests.page import write_cue_report
from horsesense_extras.cue_tests.paper import printed_kappa, printed_test
from horsesense_extras.cue_tests.repair import balance
from horsesense_extras.cue_tests.result import CueResult, _advice_on_nothing, _sentence, signed
from horsesense_extras.cue_tests.scores import published
from horsesense_extras.cue_tests.sweep import Method
from horsesense_extras.cue_tests.task import make_task
from studies import jsonl, study

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
    return quick(generated(1, 400, 0.4))


@pytest.mark.slow
def test_random_labels_are_not_called_predictable() -> None:
    called = [quick(generated(s), seed=s, folds=2).verdict.predictable for s in range(20)]
    assert sum(called) <= 4  # 4 of 20 has a chance of 2 % if 5 % are called


def test_a_planted_cue_is_found_and_named(planted: CueResult) -> None:
    assert planted.verdict.predictable
    nothing = replace(planted.verdict.row, kappa=0.01, low=-0.06, high=0.08)
    assert _sentence(nothing, "none").startswith("No leak over all items: ")
    said = _advice_on_nothing(nothing, None, False)[0]
    assert "a kappa above 0.08 is excluded. If there is no cue, some 1,200 items" in said
    assert planted.verdict.strength in ("clear", "strong")
    by_name = {cue.name: cue for cue in planted.cues[:4]}
    assert by_name["often"].label == "yes"
    assert by_name["seldom"].label == "no"
    assert by_name["often"].counts["no"] == 0
    assert by_name["often"].support == sum(
        "often" in item.question for item in generated(1, 400, 0.4)
    )
    assert all("often" in example for _, example in by_name["often"].examples)


def test_predictions_cover_every_item_and_list_the_ones_cues_get(planted: CueResult) -> None:
    assert len(planted.predictions) == 400
    assert set(planted.items) == {i for i, share in planted.predictions.items() if share == 1}


@pytest.mark.slow
def test_templates_leak_only_without_groups() -> None:
    result = quick(templated())
    assert result.rows[0].grouped
    assert not result.verdict.predictable
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


@pytest.mark.slow
def test_where_templates_are_too_short_to_be_sure_of_it_is_said_loudly() -> None:
    items = alike()
    groups = find_groups(make_task(items))
    assert groups.n_grouped < 0.2 * len(items)  # no rule for groups finds them
    result = quick(items, folds=2)
    assert result.ungrouped is None
    assert result.alike.low < 0 < result.verdict.row.low
    assert not result.verdict.predictable
    assert "Undecided whether simple features" in result.verdict.sentence
    assert any("--group FIELD" in advice for advice in result.verdict.advice)
    assert as_json([result])["alike_rows"][0]["kappa"] == result.alike.kappa


def test_the_published_method_draws_the_published_kappa(planted: CueResult) -> None:
    faithful = replace(planted, faithful=True)
    [(name, [drawn, own]), *_] = cues_charts.heat_map([faithful, planted])
    first = planted.rows[0]
    assert name == first.features
    assert drawn[0] == signed(first.kappa_uniform)
    assert own[0] == signed(first.kappa)
    assert "kappa_uniform" in cues_charts.vector_figure(faithful)


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


@pytest.mark.thorough
def test_the_longest_option_is_found_as_a_cue() -> None:
    result = quick(choices(longest=0.7))
    assert result.kind == "options"
    assert result.verdict.predictable
    assert result.row("length alone").kappa > 0.3  # type: ignore[operator]
    assert result.row("position alone").kappa < 0.15  # type: ignore[operator]
    assert any(cue.kind == "length" and cue.label == "right option" for cue in result.cues)


# ---- bad input


def relabelled(n: int, labels: list[str]) -> ItemSet:
    names = tuple(sorted(set(labels)))
    items = tuple(
        Item(str(i), f"{WORDS[i % 90]} {WORDS[i * 7 % 90]} {i}", names, names.index(label))
        for i, label in enumerate(labels[:n])
    )
    return ItemSet("bad", "label", items, names)


def saying(text: str) -> ItemSet:
    items = generated(0, 40)
    return replace(items, items=tuple(replace(item, question=text) for item in items))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (relabelled(40, ["yes"] * 40), "same label"),
        (relabelled(10, ["a", "b"] * 5), "10 usable items"),
        (saying("equal"), "all texts are equal"),
        (saying(" "), "0 usable items"),
        (replace(generated(0, 40), items=()), "0 usable items"),
    ],
    ids=["one label", "ten items", "equal texts", "empty texts", "no items"],
)
def test_what_cannot_be_done_is_said(items: ItemSet, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_cues(items)


# ---- models


def answers_of(result: CueResult, uses: float, seed: int = 0) -> Answers:
    """A model that is right more often, by `uses`, where cues are."""
    rng = np.random.default_rng(seed)
    chance = {i: 0.5 + uses / 2 * (1 if s > 0.5 else -1) for i, s in result.predictions.items()}
    return Answers(f"gpt-4-{seed}", {i: float(rng.random() < p) for i, p in chance.items()})


@pytest.mark.thorough
def test_a_model_that_uses_cues_is_told_from_one_that_does_not(planted: CueResult) -> None:
    answers = [answers_of(planted, 0.6), answers_of(planted, 0.0, 1)]
    result = quick(generated(1, 400, 0.4), answers=answers)
    user, other = result.models
    assert user.low > 0.3
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


def test_pooled_effects_are_those_of_statsmodels(planted: CueResult) -> None:
    """Hartung and Knapp's interval, where effects differ more than their own errors say."""
    other = pytest.importorskip("statsmodels.stats.meta_analysis", reason="needs the extra check")
    effects, halves = [0.31, -0.12, 0.22, 0.05], [0.05, 0.08, 0.06, 0.1]
    sets = [
        replace(planted, families=(row("F", d, h, str(h)),))
        for d, h in zip(effects, halves, strict=True)
    ]
    [found] = family_summary(sets)[0]
    errors = np.array(halves) / norm.ppf(0.975)
    theirs = other.combine_effects(np.array(effects), errors**2, method_re="dl", use_t=True)
    assert found.difference == pytest.approx(theirs.mean_effect_re)
    half = max(theirs.sd_eff_w_re_hksj, theirs.sd_eff_w_re) * student.ppf(0.975, 3)
    assert found.high - found.difference == pytest.approx(half)  # type: ignore[operator]
    [wide] = family_summary(sets[:2])[0]
    assert (wide.low, wide.high) == (-1, 1), "no difference of two shares is larger"


def test_recorded_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = generated(0, 30)
    gold = [items.items[i].options[items.items[i].gold or 0] for i in range(30)]
    rows = [
        {"item_id": str(i), "model": "m", "response": f"It is {g}."} for i, g in enumerate(gold)
    ]
    rows += [{"item_id": "0", "model": "n", "response": "?", "correct": True}]
    rows += [{"item_id": "1", "model": "n", "response": "that one, the usual"}]
    rows += [{"item_id": "1", "model": "n", "response": "x", "probe": "order", "correct": True}]
    path = jsonl(tmp_path / "answers.jsonl", rows)
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
    jsonl(path, strangers)
    [by_text] = load_answers(path, items)
    assert by_text.right == {"3": 0.0}
    said = capsys.readouterr().err
    assert "1 recorded answer used, 2 not" in said
    assert "1 of other items; 1 with another gold answer" in said
    path.write_text('{"item_id": "99", "response": "no"}\n{"item_id": "0", "gold": "perhaps"}')
    with pytest.raises(ItemsError, match=r"'99' is not among(.|\n)*a different gold answer"):
        load_answers(path, items)


def test_answers_to_several_sets_find_their_items_by_id_or_text(tmp_path: Path) -> None:
    first, second = generated(0, 30), replace(generated(5, 30), name="other")
    own = replace(second, items=tuple(replace(i, id=f"b{i.id}") for i in second.items))
    path = tmp_path / "answers.jsonl"
    path.write_text('{"item_id": "3", "correct": true}\n{"item_id": "b4", "correct": false}')
    [[to_first], [to_own]] = answers_by_set([path], [first, own])
    assert (to_first.right, to_own.right) == ({"3": 1.0}, {"b4": 0.0})
    # Both sets have an item 3: what was asked says which is meant, and without it nothing does.
    with pytest.raises(ItemsError, match="'3' is in several sets"):
        answers_by_set([path], [first, second])
    text = second.by_id["3"].question
    path.write_text(json.dumps({"item_id": "3", "text": text, "correct": True}))
    none, [to_second] = answers_by_set([path], [first, second])
    assert (none, to_second.right) == ([], {"3": 1.0})


def test_the_runs_of_a_study_belong_to_the_set_that_they_asked(tmp_path: Path) -> None:
    """Both sets have the ids 0 to 23."""
    sets = [replace(generated(seed, 24), name=f"set{seed}") for seed in (0, 5)]
    (tmp_path / "study.toml").write_text("")
    for each in sets:
        lines = ({"id": i.id, "text": i.question, "label": i.options[i.gold or 0]} for i in each)
        jsonl(tmp_path / f"{each.name}.jsonl", lines)
        study(tmp_path / f"{each.name}.jsonl", "sim:oracle", tmp_path / each.name,
              probes=("original",), labels="no,yes", task="any")  # fmt: skip
    found = answers_by_set([tmp_path], sets)
    assert [[sum(a.right.values()) for a in each] for each in found] == [[24.0], [24.0]]


def test_the_published_test_leaves_out_sets_that_cues_do_not_predict(planted: CueResult) -> None:
    low = replace(planted.verdict.row, kappa_uniform=0.2)
    model = replace(row("F", 0.2, 0.1, "a"), on_predictable=0.7, on_unpredictable=0.5)
    other = replace(model, on_predictable=0.9)
    kept = replace(planted, models=(model, other))
    left = replace(kept, dataset="weak", verdict=replace(planted.verdict, row=low))
    for sets, pairs, names in (([kept], 2, []), ([kept, left], 2, ["weak"])):
        assert family_summary(sets)[1][0].pairs == pairs
        assert as_json(sets)["published_left_out"] == names


def test_printed_values_are_found_by_name() -> None:
    assert printed_kappa("kor/wanli", "readability") == 0.2
    assert printed_kappa("anli", "1-gram TF token") == -0.01
    assert printed_kappa("party", "readability") is None
    assert {name for name in THIRTEEN if printed_kappa("art", name) is None} == set()
    assert printed_test("Meta") == (2.8908, 0.007342, 0.058255)


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


# ---- output


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


def test_the_command_line(tmp_path: Path) -> None:
    source, out, page = (tmp_path / name for name in ("items.jsonl", "kept.jsonl", "cues.html"))
    lines = [
        json.dumps({"id": i.id, "text": i.question, "label": i.options[i.gold or 0]})
        for i in generated(2, 160, 0.6)
    ]
    source.write_text("\n".join(lines))
    words = "cues", str(source), "--folds", "2", "--repeats", "1", "--jobs", "1", "--no-groups"
    assert "'often' (n-gram) speaks for 'yes'" in call(*words, "--out", page).stdout
    assert page.exists()
    assert call(*words, "--json").json["rows"][0]["n"] == 160
    done = call("build", "balanced", source, "--out", out, "--no-groups", "--json")
    kept = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(kept) == done.json["kept"]
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


@pytest.mark.slow
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
def test_stories_and_templates_of_real_sets_are_found(shared: Path) -> None:
    task = make_task(published_rows(shared, "fantasy_reasoning"))
    groups = find_groups(task)
    assert groups.n_grouped > 150
    assert "a sentence in common" in groups.joined
