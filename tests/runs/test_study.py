"""The whole pipeline with models whose truth is known: what each probe catches and spares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

import horsesense
from horsesense.api import Run
from horsesense.errors import ItemsError, UsageError
from horsesense.runs.settings import Settings
from studies import PROBES, Result, items_file, jsonl, study, text

N = 60
ASKED = {
    "oracle": PROBES,
    "cheat": ("options_only",),
    "habit": ("repeat", "labels"),
    "uniform": ("repeat", "order"),
    "position?k=1": ("repeat", "order", "labels"),
    "prior": PROBES,
    "ranker": ("order", "none_of_the_above"),
    "none": ("none_of_the_above",),
    "refuse": (),
    "talker": ("order",),
}
"""The models, and the probes that show what each is."""


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return items_file(tmp_path_factory.mktemp("items") / "made_up.jsonl", N)


@pytest.fixture(scope="module")
def results(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    return {
        model.split("?")[0]: study(
            benchmark, f"sim:{model}", tmp_path_factory.mktemp("run"), probes=probes
        )
        for model, probes in ASKED.items()
    }


def within(result: Result, truth: float, measure: str, probe: str = "original", **w: str) -> bool:
    """Whether an interval of 95 % holds the truth (the seed is fixed, so this is one draw)."""
    e = result.estimate(measure, probe, reader="text", **w)
    return e.low <= truth <= e.high


KEPT = "place=kept, wording=above, design=published"
DISTRACTOR = "place=distractor, wording=above, design=published"


def test_oracle_is_spared_everywhere(results: dict[str, Result]) -> None:
    oracle = results["oracle"]
    for probe, condition in (
        ("original", ""),
        ("repeat", ""),
        ("order", "design=cyclic"),
        ("labels", "set=symbols"),
        ("none_of_the_above", KEPT),
        ("none_of_the_above", DISTRACTOR),
    ):
        assert text(oracle, "accuracy", probe, condition=condition) == 1.0
    assert text(oracle, "plurality_agreement", "order") == 1.0
    assert text(oracle, "answer_entropy", "order") == 0.0
    assert text(oracle, "rstd") == 0.0
    assert within(oracle, 0.25, "accuracy", "options_only")


def test_a_position_is_caught_by_order(results: dict[str, Result]) -> None:
    """Closed form under cyclic orders: agreement 1/k, accuracy 1/k, RStD at its maximum."""
    position = results["position"]
    assert text(position, "accuracy") == 0.25
    assert text(position, "accuracy", "order") == 0.25
    assert text(position, "plurality_agreement", "order") == 0.25
    assert text(position, "accuracy_hard", "order") == 0.0
    assert text(position, "position_locked", "order", group="B") == 1.0
    assert text(position, "position_preference", "order", group="B") == 1.0
    assert text(position, "rstd", "order") == pytest.approx(43.3012701892)
    assert text(position, "answer_change_rate", "repeat") == 0.0


def test_a_habit_for_a_letter_is_caught_by_labels(results: dict[str, Result]) -> None:
    """Right once in four under letters, always under other signs; a position is always the same."""
    habit = results["habit"]
    assert text(habit, "accuracy") == 0.25
    for signs in ("digits", "lower", "symbols"):
        condition = f"set={signs}"
        assert text(habit, "accuracy", "labels", condition=condition) == 1.0
        assert text(habit, "answer_change_rate", "labels", condition=condition) == 0.75
        assert text(results["position"], "answer_change_rate", "labels", condition=condition) == 0.0
    assert text(habit, "answer_change_rate", "repeat") == 0.0


def test_a_cheat_is_caught_by_withholding_the_question(results: dict[str, Result]) -> None:
    cheat = results["cheat"].estimate("accuracy", "options_only", reader="text")
    assert (cheat.value, cheat.baseline) == (1.0, 0.25)
    assert within(results["oracle"], 0.25, "accuracy", "options_only")


def test_a_guesser_is_caught_by_asking_again(results: dict[str, Result]) -> None:
    assert within(results["uniform"], 0.75, "answer_change_rate", "repeat")
    assert text(results["oracle"], "answer_change_rate", "repeat") == 0.0


def test_a_ranker_is_caught_by_none_of_the_above(results: dict[str, Result]) -> None:
    """It is right wherever the gold is shown, and never says that it is not."""
    ranker = results["ranker"]
    assert text(ranker, "accuracy") == 1.0
    assert text(ranker, "accuracy", "order") == 1.0
    assert text(ranker, "accuracy", "none_of_the_above", condition=KEPT) == 0.0
    assert text(ranker, "accuracy", "none_of_the_above", condition=DISTRACTOR) == 1.0


def test_a_sayer_of_none_is_caught_where_the_answer_is_there(results: dict[str, Result]) -> None:
    none = results["none"]
    assert text(none, "accuracy") == 0.0
    assert text(none, "accuracy", "none_of_the_above", condition=KEPT) == 1.0
    assert text(none, "accuracy", "none_of_the_above", condition=DISTRACTOR) == 0.0
    assert text(none, "status_share", group="none") == 1.0


def test_a_refusal_is_no_answer(results: dict[str, Result]) -> None:
    refuse = results["refuse"]
    assert text(refuse, "valid_rate") == 0.0
    assert text(refuse, "accuracy") == 0.0
    assert text(refuse, "status_share", group="refusal") == 1.0
    # Nothing is left to compute over: undefined, with a reason, and not 0.
    valid = refuse.estimate("accuracy_valid", reader="text")
    assert (valid.value, valid.note) == (None, "no trial to count")


def test_a_prior_has_the_accuracy_that_follows_from_it(results: dict[str, Result]) -> None:
    """Gold is spread evenly, so a draw from any prior is right once in k."""
    prior = results["prior"]
    known = sum(_knows(f"q{i}") for i in range(N)) / N
    truth = known + (1 - known) / 4
    assert within(prior, truth, "accuracy")
    assert within(prior, truth, "accuracy", "order")
    assert text(prior, "position_preference", "order", group="A") > 0.25
    # The four draws of an unknown item are all right with probability .4 x .3 x .2 x .1.
    assert within(prior, known + (1 - known) * 0.0024, "accuracy_hard", "order")


def _knows(item_id: str) -> bool:
    from horsesense.models.simulated.profiles import knows
    from horsesense.trials.trial import Variant

    return knows(Variant(item_id, "?", (), (), (), None), 0.6)


def test_a_talker_disagrees_with_its_first_token_at_its_rate(results: dict[str, Result]) -> None:
    e = results["talker"].estimate("mismatch_rate", "order")
    assert e.low <= 0.3 <= e.high
    assert text(results["talker"], "valid_rate") == 1.0
    assert results["oracle"].estimate("mismatch_rate", "order").value == 0.0


def test_guessing_agrees_with_itself_as_often_as_chance_has_it(results: dict[str, Result]) -> None:
    uniform = results["uniform"]
    e = uniform.estimate("plurality_agreement", "order", reader="text")
    assert e.baseline == pytest.approx(0.53125)
    assert within(uniform, 0.53125, "plurality_agreement", "order")


def test_every_number_is_signed_and_counted(results: dict[str, Result]) -> None:
    for e in results["prior"].estimates:
        assert str(e.signature).startswith("data:made_up@")
        assert f"|measure:{e.measure.removesuffix('_null')}|" in str(e.signature)
        assert (e.low is None) == (e.high is None) == bool(e.note)
        # Of four orders of an item, what chance alone would make has a mean and no more.
        assert (e.value is None) <= (e.low is None)
        assert e.value is None or e.n > 0
        if e.low is not None:
            assert e.interval
        elif e.value is not None:
            assert e.measure == "ece_null"


def test_results_do_not_depend_on_other_probes_or_items(
    benchmark: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    """Randomness belongs to the item: fewer probes, other order of the file, same trials."""
    lines = benchmark.read_bytes().splitlines()
    backwards = tmp_path / "made_up.jsonl"
    backwards.write_bytes(b"\n".join(reversed(lines)))
    one = study(backwards, "sim:prior", tmp_path / "b", probes=("order",))

    def shown(result: Result) -> pl.DataFrame:
        frame = result.done.trials.filter(pl.col("probe") == "order")
        return frame.sort("item_id", "repetition").select("item_id", "repetition", "origin", "key")

    assert shown(results["prior"]).equals(shown(one))


def test_where_scores_alone_are_asked_for_no_reply_is_read(benchmark: Path, tmp_path: Path) -> None:
    """ "Read by the text, the score is 26 points lower": no text had been asked for."""
    run = horsesense.audit(
        benchmark, "sim:oracle", out=tmp_path, limit=8, probes="order", max_tokens=0
    )
    assert [*run.results.readers] == ["first_token"]
    assert not any(f.reader == "text" for f in run.results.verdict if f.measured)
    with pytest.raises(UsageError, match="nothing is written that --readers text could read"):
        Run.start(
            tmp_path / "named",
            Settings.of(
                items=str(benchmark), model="sim:oracle", readers=("text", "pride"), max_tokens=0
            ),
        )


def test_items_without_gold_are_measured_as_far_as_they_go(tmp_path: Path) -> None:
    rows = [
        {"id": str(i), "question": "Agree?", "options": ["yes", "no", "maybe"]} for i in range(30)
    ]
    path = jsonl(tmp_path / "survey.jsonl", rows)
    result = study(path, "sim:position", tmp_path / "run")
    assert result.estimate("accuracy", reader="text").note == "no item has a gold answer"
    assert text(result, "plurality_agreement", "order") == pytest.approx(1 / 3)
    reasons = {row["reason"] for row in result.findings["exclusions"]}
    assert "the item has no gold answer" in reasons


def test_task_level_labels(tmp_path: Path) -> None:
    rows = [{"id": str(i), "text": f"message {i}", "label": f"intent_{i % 30}"} for i in range(60)]
    path = jsonl(tmp_path / "intents.jsonl", rows)
    result = study(path, "sim:oracle", tmp_path / "run", probes=("order", "labels"))
    assert text(result, "accuracy") == 1.0
    condition = result.estimate("accuracy", "order", reader="text").condition
    assert str(condition) == "design=random(4)"
    assert result.findings["exclusions"][0]["items"] == 60


def test_a_recording_names_its_settings_in_any_order(benchmark: Path, tmp_path: Path) -> None:
    """As a text in either order, or as an object; what is not a condition is an error."""
    ways: list[Any] = [
        "place=kept, wording=above, design=published",
        "wording=above,design=published, place=kept",
        {"wording": "above", "place": "kept", "design": "published"},
    ]
    rows = [
        {
            "item_id": f"q{i}",
            "probe": "none_of_the_above",
            "condition": ways[i % len(ways)],
            "response": "ABCD"[i % 4],
        }
        for i in range(60)
    ]
    path = jsonl(tmp_path / "answers.jsonl", rows)
    probes = ("none_of_the_above(place=kept)",)
    result = study(benchmark, f"replay:{path}", tmp_path / "run", probes=probes)
    e = result.estimate("accuracy", "none_of_the_above", reader="text", condition=ways[1])
    assert (e.value, e.n, e.n_missing) == (1.0, 60, N - 60)
    path.write_bytes(orjson.dumps({**rows[0], "condition": "the first prompt"}))
    with pytest.raises(ItemsError, match="'the first prompt' is not a condition"):
        study(benchmark, f"replay:{path}", tmp_path / "other", probes=probes)


def test_recorded_answers_are_matched_and_what_is_not_recorded_is_missing(
    benchmark: Path, tmp_path: Path
) -> None:
    rows = [
        {"item_id": f"q{i}", "model": "m", "response": "ABCD"[i % 4], "gold": "ABCD"[i % 4]}
        for i in range(60)
    ]
    path = jsonl(tmp_path / "answers.jsonl", rows)
    result = study(benchmark, f"replay:{path}", tmp_path / "run", probes=("order",))
    e = result.estimate("accuracy", reader="text")
    assert (e.value, e.n, e.n_missing) == (1.0, 60, N - 60)
    # An order that happens to be the published one is the same prompt, and so has an answer.
    order = result.estimate("accuracy", "order", reader="text")
    assert order.n + order.n_missing == 4 * N
    assert order.n < 40


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"item_id": "q999", "response": "A"}, "not among"),
        ({"item_id": "q0", "response": "A", "gold": "C"}, "a different gold answer"),
    ],
)
def test_recorded_answers_to_other_items_are_an_error(
    benchmark: Path, tmp_path: Path, row: dict[str, str], fault: str
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(orjson.dumps(row))
    with pytest.raises(UsageError, match=fault):
        study(benchmark, f"replay:{path}", tmp_path / "run")
