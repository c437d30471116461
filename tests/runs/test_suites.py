"""Know-No and REVAS with models whose truth is known: what each probe catches and spares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import horsesense as hs
from each import each
from horsesense.api import plan_study
from horsesense.models.registry import make_model
from horsesense.probes.registry import parse_probe
from horsesense.rng import unit
from horsesense.runs.plan import Plan
from horsesense.runs.settings import Settings
from horsesense.runs.start import start
from horsesense.runs.stored_items import load_stored_items
from horsesense.runs.studies import StudyFile
from horsesense.runs.suites import SUITES, USUAL, Departure, Paper
from horsesense.trials.trial import NONE_OPTION
from studies import Result, items_file, jsonl, study, value

KNOW_NO = "gold_absent", "gold_plus_none"
REVAS = (
    "none_of_the_above(design=cyclic)",
    "option_count(2)",
    "option_count(8)",
    "option_count(8, kind=plausible)",
    "true_false(items=all, polarity=both)",
    "option_confidence(items=all)",
    "multi_select(items=majority_wrong)",
    "misleading_replaced(items=majority_wrong)",
)
COUNTED, JUDGED, RATED, TWICE = REVAS[1:4], REVAS[4:5], REVAS[5:6], REVAS[6:]
N = 16


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Result]:
    """A study of made-up items, once per model, probes and number of items."""

    @cache
    def conducted(model: str, probes: tuple[str, ...], n: int = N) -> Result:
        out = tmp_path_factory.mktemp("run")
        items = items_file(out / "made_up.jsonl", n)
        return study(items, f"sim:{model}", out / "run", probes=probes)

    return conducted


@pytest.mark.parametrize(
    ("model", "with_gold", "without", "false_none", "balanced"),
    [
        ("oracle", 1, 1, 0, 1),
        ("none", 0, 1, 1, 0.5),
        ("ranker", 1, 0, 0, 0.5),
        ("refuse", 0, 0, 0, 0.5),
        ("recites", 1, 1, 0, 1),
    ],
)
def test_know_no(
    run: Callable[..., Result],
    model: str, with_gold: float, without: float, false_none: float, balanced: float,
) -> None:  # fmt: skip
    result = run(model, KNOW_NO)
    assert value(result, "omni_accuracy") == pytest.approx((with_gold + without) / 2)
    for group in ("hint_option", "hint_instruction", "no_hint", "mean"):
        assert value(result, "accuracy_without_gold", group) == pytest.approx(without)
    assert value(result, "false_none_rate") == false_none
    assert value(result, "gold_detection_balanced") == pytest.approx(balanced)
    detected = value(result, "gold_detection")
    assert detected > 2 if balanced == 1 else detected == pytest.approx(0)
    assert result.findings["bounds"]["violated"] == []
    assert result.findings["bounds"]["checked"] > 10


@pytest.mark.parametrize(
    ("model", "group"),
    [
        ("oracle", "none_declared"),
        ("recites", "new_correct"),
        ("ranker", "incorrect_option"),
        ("refuse", "other"),
    ],
)
def test_kinds_of_reply_without_a_hint(run: Callable[..., Result], model: str, group: str) -> None:
    assert value(run(model, KNOW_NO), "response_class", group) == 1


def test_chance_is_nothing_where_no_shown_option_is_right(run: Callable[..., Result]) -> None:
    result = run("oracle", KNOW_NO)
    baselines = {
        e.condition["prompt"]: e.baseline
        for e in result.estimates
        if (e.measure, e.probe, e.reader) == ("accuracy", "gold_absent", "text")
    }
    assert baselines == {
        "with_gold": 0.25,
        "hint_option": 0.25,
        "hint_instruction": 0,
        "no_hint": 0,
    }


def test_a_ranker_takes_the_runner_up_where_none_is_right(run: Callable[..., Result]) -> None:
    result = run("ranker", REVAS[:1])
    assert value(result, "accuracy", has="place=kept") == 0
    assert value(result, "accuracy", has="place=distractor") == 1
    assert value(result, "plurality_agreement", has="place=kept") == 1
    trials = result.done.trials
    readings = result.done.readings.filter(reader="text")
    kept = trials.filter(pl.col("condition").str.contains("place=kept")).join(readings, on="trial")
    for item_id, origin, content in kept.select("item_id", "origin", "option").iter_rows():
        liking = {o: unit(b"ranker", item_id.encode(), str(o).encode()) for o in origin if o >= 0}
        assert content == max(liking, key=liking.__getitem__) != NONE_OPTION


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("model", "gold", "distractors", "accuracy"),
    [
        ("oracle", 1, 1, 1),
        ("ranker", 1, 0, 0.25),
        ("position?k=0", 1, 0, 0.25),
        ("position?k=1", 0, 1, 0.75),
        ("refuse", 0, 0, 0),
    ],
)
def test_judgements_one_by_one(
    run: Callable[..., Result], model: str, gold: float, distractors: float, accuracy: float
) -> None:
    """Always no has 0.75 of 1:3, and half of the balance, like always yes."""
    result, has = run(model, JUDGED), "items=all, polarity=positive"
    assert value(result, "true_false_consistency", "gold", has=has) == gold
    assert value(result, "true_false_consistency", "distractors", has=has) == distractors
    assert value(result, "true_false_accuracy", has=has) == pytest.approx(accuracy)
    balanced = value(result, "true_false_balanced_accuracy", has=has)
    assert balanced == pytest.approx((gold + distractors) / 2)


def test_a_bias_to_yes_shows_in_opposite_polarities(run: Callable[..., Result]) -> None:
    result = run("position?k=0", JUDGED)
    by = {p: f"items=all, polarity={p}" for p in ("positive", "negative")}
    accepted = {p: value(result, "true_false_consistency", "gold", has=by[p]) for p in by}
    assert accepted == {"positive": 1, "negative": 0}


def test_confidence_in_options(run: Callable[..., Result]) -> None:
    """The simulation leaves 2 % of the first token's mass to other words."""
    result = run("rates?gold=0.9&other=0.3", RATED)
    for measure, mass in (("option_confidence", 0.98), ("option_confidence_relative", 1.0)):
        got = [value(result, measure, g, reader="first_token")
               for g in ("gold", "strongest_distractor", "ratio")]  # fmt: skip
        assert got == pytest.approx([0.9 * mass, 0.3 * mass, 1 / 3], rel=1e-5)
    assert value(result, "option_auroc", reader="first_token") == 1


@pytest.mark.thorough
def test_items_of_option_confidence_are_chosen(tmp_path: Path) -> None:
    """Orders are answered right, and some of the items are not with two options."""
    items, probes = items_file(tmp_path / "a.jsonl", 24), ("option_count(2)", "option_confidence")
    of: dict[tuple[str, str], int] = {}
    for chosen in ("consistent", "derived"):
        result = study(items, "sim:slips?under=option_count&wrong=0.3", tmp_path / chosen,
                       probes=probes, confidence_items=chosen)  # fmt: skip
        of |= {(chosen, e.measure): e.n for e in result.estimates if e.group == "gold"}
    assert of["consistent", "option_confidence"] == 24
    right = of["consistent", "option_confidence_derived"]
    assert 0 < right < 24
    assert of["derived", "option_confidence"] == right


def test_confidence_that_knows_no_difference(run: Callable[..., Result]) -> None:
    result = run("rates?gold=0.5&other=0.5&spread=0.6", RATED, 48)
    (area,) = [e for e in result.estimates if e.measure == "option_auroc" and e.n]
    assert area.low < 0.5 < area.high
    # The strongest of three uniform distractors has 3/4 of the range on average.
    strongest = value(result, "option_confidence_relative", "strongest_distractor",
                      reader="first_token")  # fmt: skip
    assert strongest == pytest.approx(0.5 + 0.6 * 0.25, abs=0.05)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("model", "multi", "gold", "misleading", "recovery"),
    [("torn?know=0", 1, 1, 1, 1), ("stubborn?know=0", 0, 0, 1, 0)],
)
def test_a_second_look(
    run: Callable[..., Result],
    model: str, multi: float, gold: float, misleading: float, recovery: float,
) -> None:  # fmt: skip
    """Who prefers a misleading option recovers once it is gone; who knows no better does not."""
    result = run(model, TWICE)
    assert value(result, "multi_rate") == multi
    assert value(result, "recall_gold", "all") == gold
    assert value(result, "recall_misleading", "all") == misleading
    assert value(result, "multi_precision") == gold / 2
    assert value(result, "recovery_rate", "misleading") == recovery
    assert value(result, "recovery_rate", "misleading-unchanged") == recovery
    for control in ("other", "unchanged"):
        assert value(result, "recovery_rate", control) == 0


def test_items_chosen_by_their_answers_show_no_change(run: Callable[..., Result]) -> None:
    result = run("torn?know=0", TWICE)
    (change,) = [
        e for e in result.estimates
        if e.fits(measure="accuracy_change", reader="text")
        and e.condition.matches(arm="misleading")
    ]  # fmt: skip
    assert change.value is None
    assert "earlier answers" in change.note


def test_who_knows_all_is_not_looked_at_twice(run: Callable[..., Result]) -> None:
    result = run("oracle", TWICE)
    reasons = {e["reason"]: e["items"] for e in result.findings["exclusions"]
               if e["probe"].startswith("multi_select")}  # fmt: skip
    assert reasons == {"it was answered right": N}


@pytest.mark.parametrize("n", [2, 8])
def test_a_position_agrees_with_itself_once_in_n(run: Callable[..., Result], n: int) -> None:
    result = run("position?k=0", COUNTED)
    has = f"n={n}, kind=nonsense" if n > 4 else f"n={n}, "
    assert value(result, "plurality_agreement", has=has) == pytest.approx(1 / n)
    assert value(result, "accuracy", has=has) == pytest.approx(1 / n)
    assert value(result, "accuracy_hard", has=has) == 0


@pytest.mark.thorough
def test_options_without_meaning_are_seen_through(run: Callable[..., Result]) -> None:
    """Guessing among what has a meaning: 1/4 whatever nonsense is added, 1/8 of plausible ones."""
    result = run("excludes", COUNTED, 48)
    nonsense = value(result, "accuracy", has="kind=nonsense")
    plausible = value(result, "accuracy", has="kind=plausible")
    assert nonsense == pytest.approx(1 / 4, abs=0.07)
    assert plausible == pytest.approx(1 / 8, abs=0.06)
    knows = run("ranker", COUNTED)
    assert {value(knows, "accuracy", has=f"kind={k}") for k in ("nonsense", "plausible")} == {1}


@pytest.fixture(scope="module")
def intents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up set of texts with class names in parts."""
    names = ["card_lost", "card_stolen", "top_up_failed", "pin_blocked", "refund"]
    rows = [{"id": f"t{i}", "text": f"text {i}", "label": names[i % 5]} for i in range(30)]
    return jsonl(tmp_path_factory.mktemp("intents") / "intents.jsonl", rows)


@pytest.mark.thorough
@pytest.mark.parametrize(("model", "leak"), [("recites", 0.8), ("oracle", 0), ("position?k=0", 0)])
def test_published_spelling(intents: Path, tmp_path: Path, model: str, leak: float) -> None:
    """One class name of five has no parts, so that nothing can leak there."""
    result = study(intents, f"sim:{model}", tmp_path, probes=("delimiter",))
    assert value(result, "leak_rate") == pytest.approx(leak)


def test_no_choice_is_no_fault_where_none_is_right(intents: Path, tmp_path: Path) -> None:
    """With the right class name taken away, a perfect model chooses none, which is its merit."""
    probes = ("original", "delimiter(gold=both)")
    result = study(intents, "sim:oracle", tmp_path, probes=probes)
    assert [text for text in result.done.verdict() if text.startswith("[found]")] == []
    fewer = {f["condition"] for f in result.findings["verdict"] if f["kind"] == "fewer_choices"}
    assert fewer
    assert all("gold=present" in condition for condition in fewer)


@pytest.mark.thorough
def test_know_no_on_a_label_set(intents: Path, tmp_path: Path) -> None:
    result = study(intents, "sim:none", tmp_path, probes=KNOW_NO)
    assert value(result, "omni_accuracy") == 0.5


def test_a_cut_context_takes_away_what_stood_there(tmp_path: Path) -> None:
    filler = "Nothing of interest happened here. "
    rows = [
        {
            "id": f"c{i}",
            "context": f"{filler * (i % 2) * 20}The colour is shade{i}. {filler * 20}",
            "question": "Which colour is it?",
            "options": [f"shade{i + d}x" if d else f"shade{i}" for d in range(4)],
            "answer_index": 0,
        }
        for i in range(40)
    ]
    path = jsonl(tmp_path / "contexts.jsonl", rows)
    probes = ("context_length(30)", "context_length(30, keep=end)", "context_length(9999)")
    result = study(path, "sim:looks_up", tmp_path / "run", probes=probes)
    assert value(result, "accuracy", has="words=30, keep=start") > 0.5
    early = value(result, "accuracy", has="words=30, keep=start")
    assert early == pytest.approx(0.5 + 0.5 * 0.25, abs=0.13)
    assert value(result, "accuracy", has="words=30, keep=end") == pytest.approx(0.25, abs=0.2)
    short = [e for e in result.findings["exclusions"] if "9999" in e["probe"]]
    assert [(e["items"], e["reason"]) for e in short] == [
        (40, "its context has no more than 9999 words")
    ]


@pytest.mark.thorough
def test_a_second_stage_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Stopped by the budget in the first stage and in the second; the end is the same."""
    from horsesense.inference.runner import Limits

    items = items_file(tmp_path / "made_up.jsonl", 20)
    probes = ("misleading_replaced", "multi_select")
    whole = study(items, "sim:prior", tmp_path / "whole", probes=probes)
    parts = tmp_path / "parts"
    for budget in (7, 22):
        study(items, "sim:prior", parts, probes=probes, limits=Limits(requests=budget))
    again = study(items, "sim:prior", parts, probes=probes)
    assert [e.as_json() for e in again.estimates] == [e.as_json() for e in whole.estimates]


def test_both_suites_share_requests(tmp_path: Path) -> None:
    """At least 15 % fewer than each probe would ask alone, as its own plan counts it."""
    items = str(items_file(tmp_path / "made_up.jsonl", 12))

    def planned(**chosen: Any) -> Plan:
        return plan_study(
            Settings.of(items=items, model="sim:prior", **chosen), make_model("sim:prior")
        )[0]

    both = planned(suite="revas,know-no")
    alone = {p.probe: planned(probes=(p.probe,)).requests for p in both.probes[1:]}
    assert {p.probe: p.own_requests for p in both.probes[1:]} == alone
    assert both.requests <= 0.85 * sum(alone.values())


def test_suites_resolve_to_probes_and_say_which_protocol() -> None:
    faithful = Settings.of(items="sample", model="sim:none", suite="revas", faithful=True)
    better = Settings.of(items="sample", model="sim:none", suite="revas")
    assert "order(design=random(4))" in faithful.probes
    assert "order" in better.probes
    both = Settings.of(items="sample", model="sim:none", suite="revas,know-no", probes=("labels",))
    assert both.probes[-1] == "labels"
    assert Settings.of(**both.model_dump()) == both


def test_settings_of_a_paper_hold_unless_others_are_named(tmp_path: Path) -> None:
    def settings(**chosen: Any) -> Settings:
        return Settings.of(items="sample", model="sim:none", suite="know-no", **chosen)

    published, own = settings(faithful=True), settings(faithful=True, max_tokens=16)
    assert (published.max_tokens, published.top_p) == (1000, 0.9)
    assert (own.max_tokens, own.top_p) == (16, 0.9)
    assert (settings().max_tokens, settings().top_p) == (16, None)
    suite = SUITES.get("know-no")
    declared = [each.what for each in suite.differences if each.faithful]
    assert [r["what"] for r in suite.departures(True, published.model_dump())] == declared
    [row] = [r for r in suite.departures(True, own.model_dump()) if r["what"] == "--max-tokens"]
    assert (row["published"], row["here"]) == ("1000", "16")
    StudyFile.of(own).save(tmp_path)
    [(_, again)] = StudyFile.load(tmp_path).runs(tmp_path)
    assert (again.max_tokens, again.top_p) == (16, 0.9)


def departed(suite: str, **chosen: Any) -> dict[str, tuple[str, str]]:
    """What a run lists beyond the declared differences: (published, here) by what."""
    return {what: (one, other) for what, one, other in all_departed(suite, **chosen)}


def all_departed(suite: str, **chosen: Any) -> list[tuple[str, str, str]]:
    faithful = chosen.pop("faithful", True)
    found = Settings.of(items="sample", model="sim:none", suite=suite, faithful=faithful, **chosen)
    known = SUITES.get(suite)
    told = known.departures(faithful, found.model_dump())
    declared = {d.what for d in known.differences}
    rows = [(r["what"], r["published"], r["here"]) for r in told]
    return [row for row in rows if row[0] not in declared]


@each("suite", [name for name in SUITES.names() if name != "basic"])
def test_every_option_that_overrides_a_protocol_is_listed(suite: str) -> None:
    for faithful in (True, False):
        assert departed(suite, faithful=faithful, shots_from="x") == {}
        found = departed(suite, faithful=faithful, shots_from="x", shots=2, temperature=0.7)
        assert found["--temperature"][1] == "0.7"
        assert found["--shots"][1] == "2"
    chosen: dict[str, Any] = {"top_p": 0.5, "max_tokens": 7, "style": "chat", "templates": "own"}
    assert set(departed(suite, shots_from="x", **chosen)) == {
        f"--{n.replace('_', '-')}" for n in chosen
    }


def test_what_is_usual_is_what_settings_begin_with() -> None:
    for name, (usual, _) in USUAL.items():
        assert Settings.model_fields[name].default == usual
    assert departed("revas", shots=5) == {}
    assert departed("revas", shots=3) == {"--shots": ("0 and 5", "3")}


def test_what_a_run_chose_is_told_in_place_of_what_is_declared() -> None:
    suite = SUITES.get("know-no")
    named = Settings.of(
        items="sample", model="sim:none", suite="know-no", faithful=True, max_tokens=50, limit=100
    )
    told = {r["what"]: r["here"] for r in suite.departures(True, named.model_dump())}
    assert (told["--max-tokens"], told["--limit"], told.get("items")) == ("50", "100", None)
    assert "length of replies, nucleus" not in told
    assert "wording of the prompts" in told


def test_points_of_class_names_are_listed_for_class_names_alone() -> None:
    suite, named = SUITES.get("know-no"), Settings.of(items="sample", model="m", suite="know-no")
    points = {}
    for kind in ("choice", "label", "gap"):
        here = {**named.model_dump(), "kind": kind}
        points[kind] = {row["what"] for row in suite.departures(True, here)}
    assert "class names that are listed" in points["label"] - points["choice"]
    assert not any("class name" in what for what in points["choice"])
    assert not any("EquInfer" in what for kind in points for what in points[kind])
    assert points["gap"] - points["choice"] == {"question of items with a gap in their context"}


def test_examples_that_are_asked_too_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = items_file(tmp_path / "made_up.jsonl", 8)
    settings = Settings.of(items=str(items), model="sim:none", shots=1, shots_from=str(items))
    start(tmp_path / "run", settings)
    assert f"8 of the 8 items are few-shot examples in {items} too" in capsys.readouterr().err


def test_other_bundles_and_probes_left_out_are_listed() -> None:
    found = all_departed("multi-problem", shots_from="x", sizes="5,10", bundles=10, disjoint=True)
    tasks, singles = "batch, select_one, select_all", "5/10/20/50/100 (of pairs 3/5/10/20/50)"
    assert set(found) == {
        (f"bundles of {tasks}", "100", "10"),
        (f"design of {tasks}", "nested", "disjoint"),
        (f"sizes of {tasks}", singles, "5/10"),
        (f"sizes of {tasks} with worked examples", "5", "5/10"),
        ("sizes of select_one, select_all with worked examples", "10", "5/10"),
    }
    headings = [what for what, _, _ in found]
    assert len(set(headings)) == len(headings)
    suite, named = SUITES.get("revas"), Settings.of(items="sample", model="sim:none", suite="revas")
    kept = tuple(spec for spec in named.probes if not spec.startswith("multi_select"))
    fewer = {**named.model_dump(), "probes": kept}
    assert [r["what"] for r in suite.departures(False, fewer) if r["here"] == "not asked"] == [
        "probe multi_select"
    ]


def test_what_the_items_do_not_allow_is_listed() -> None:
    suite = SUITES.get("multi-problem")
    named = Settings.of(items="i", model="m", suite="multi-problem", faithful=True)
    specs = [probe.signature for probe in map(parse_probe, named.probes)]
    larger = [f"too few items for bundles of {size}" for size in (50, 100)]
    rows = [{"probe": spec, "reason": why, "items": 24} for why in larger for spec in specs]
    empty = [{"probe": spec, "reason": "the text is empty", "items": 1} for spec in specs]

    def told(*exclusions: dict[str, Any]) -> list[tuple[str, str]]:
        here = {**named.model_dump(), "items_asked": 25, "exclusions": exclusions}
        found = suite.departures(True, here)
        return [(r["what"], r["here"]) for r in found if r["what"].startswith("what is asked by")]

    assert told(*empty) == []
    assert told(*empty, *rows) == [
        ("what is asked by batch, select_one, select_all", f"not all of it ({'; '.join(larger)})")
    ]
    assert told({**rows[0], "items": 25}) == [
        ("what is asked by batch", f"not all of it ({larger[0]})")
    ]


def test_a_named_reader_reads_as_the_suite_does_unless_told_otherwise() -> None:
    def readers(*names: str, faithful: bool = True) -> tuple[str, ...]:
        return Settings.of(
            items="sample", model="sim:none", suite="look-at-text", faithful=faithful, readers=names
        ).readers

    published = "pride(mean=arithmetic, per=subject)"
    assert readers("auto", faithful=False) == ("first_token", "text", "pride(least=20)")
    assert readers("first_token", "text", "pride") == ("first_token", "text", published)
    assert readers("text") == ("text", published)
    assert readers("pride", faithful=False) == ("pride(least=20)",)
    assert readers("pride(alpha=0.2)", faithful=False) == ("pride(least=20, alpha=0.2)",)
    assert readers("pride(per=shrunken)") == ("pride(mean=arithmetic, per=shrunken)",)
    assert departed("look-at-text", readers=("first_token", "text", "pride")) == {}
    [(what, told)] = departed("look-at-text", readers=("pride(per=shrunken)",)).items()
    assert (what, told) == ("reader pride", (published, "pride(mean=arithmetic, per=shrunken)"))


def test_a_difference_differs_somewhere() -> None:
    with pytest.raises(ValueError, match="nothing differs"):
        Departure("orders", published="three", default="", why="")
    same = Departure("orders", published="three", default="all", why="more is better")
    other = Departure("length", published="1,000", default="", why="no room", faithful="16")
    paper = Paper("a", "A", "B. 2020", "", (same, other))
    assert [row["here"] for row in paper.departures(False, {})] == ["all"]


def test_a_larger_limit_draws_no_option_anew(tmp_path: Path) -> None:
    """Plausible options come from the whole file; what was asked about few stays asked."""
    path = items_file(tmp_path / "made_up.jsonl", 60)
    probes = ("option_count(10, kind=plausible)", "option_count(6, form=words)")

    def shown(limit: int) -> dict[str, list[tuple[str, ...]]]:
        settings = Settings.of(items=str(path), model="sim:prior", probes=probes, limit=limit)
        study = plan_study(settings, make_model("sim:prior"))[1]
        found: dict[str, list[tuple[str, ...]]] = {}
        for planned in study.planner.plan(study.probes):
            variant = planned.trial.variant
            found.setdefault(variant.item_id, []).append(variant.options)
        return found

    few, more = shown(2), shown(20)
    assert len(few) == 2
    assert max(map(len, next(iter(few.values())))) == 10
    assert few == {name: more[name] for name in few}
    for named, kept in ((probes, 60), (("order",), 2)):
        settings = Settings.of(items=str(path), model="sim:prior", probes=named, limit=2)
        directory = start(tmp_path / named[0][:5], settings)
        directory.layout.root.mkdir()
        directory.save_items()
        items, _ = load_stored_items(directory.layout.items)
        assert (len(items), len(items.everything)) == (2, kept), "no more than is needed"


class InItsOwnWords:
    """Says that nothing is right, in words that no prompt offers."""

    def __call__(self, prompts: Sequence[str]) -> list[str]:
        return ["There is no correct answer." for _ in prompts]


def test_after_a_hint_only_the_offered_words_count(tmp_path: Path) -> None:
    items = items_file(tmp_path / "made_up.jsonl", 4)
    run = hs.audit(items, InItsOwnWords(), out=tmp_path / "run", probes="gold_absent")
    for group, offered in (("hint_option", 0), ("hint_instruction", 0), ("no_hint", 1)):
        found = [
            run.estimate(f"accuracy_without_gold{twin}", "gold_absent", reader="text", group=group)
            for twin in ("", "_lenient")
        ]
        assert [e.value for e in found] == [offered, 1]
    twins = [run.estimate(f"omni_accuracy{twin}", "gold_absent", reader="text").value
             for twin in ("", "_lenient")]  # fmt: skip
    assert twins == pytest.approx([1 / 6, 1 / 2])


def test_near_class_names_are_counted_apart(tmp_path: Path) -> None:
    names = ["pending_card_payment", "declined_card_payment", "refund", "top_up_limits"]
    rows = [{"id": f"t{i}", "text": f"text {i}", "label": names[i % 4]} for i in range(8)]
    path = jsonl(tmp_path / "intents.jsonl", rows)
    result = study(path, "sim:oracle", tmp_path / "run", probes=KNOW_NO)
    by = {e.group: e for e in result.estimates
          if e.measure == "accuracy_without_gold_by_name" and e.reader == "text"}  # fmt: skip
    assert {group: e.value for group, e in by.items()} == {"near": 1, "apart": 1}


def test_accuracy_beside_a_none_option_is_of_the_same_items(tmp_path: Path) -> None:
    items = items_file(tmp_path / "made_up.jsonl", 14)
    probes = "gold_absent", "gold_plus_none(sample=10)"
    result = study(items, "sim:oracle", tmp_path / "run", probes=probes)
    both = [e for e in result.estimates
            if e.measure == "accuracy_beside_none" and e.reader == "text"]  # fmt: skip
    assert {(e.group, e.value, e.n) for e in both} == {
        ("with_gold", 1, 10),
        ("gold_plus_none", 1, 10),
    }


def test_a_study_asks_zero_shot_and_with_examples(tmp_path: Path) -> None:
    told = 'models = ["sim:prior"]\nitems = ["sample"]\nshots = [0, 5]\n'
    (tmp_path / "study.toml").write_text(f'{told}[settings]\nshots_from = "sample-shots"\n')
    runs = list(StudyFile.load(tmp_path).runs(tmp_path))
    assert [(path.name, settings.shots) for path, settings in runs] == [
        ("sim-prior-sample-0-shot", 0), ("sim-prior-sample-5-shot", 5)
    ]  # fmt: skip
