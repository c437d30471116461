"""Reading scored option texts: by hand, in simulated studies, and beside lm-eval's own scores."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import pytest

from each import each
from horsesense.errors import UsageError
from horsesense.findings.sentences import statement
from horsesense.findings.uncounted import named
from horsesense.items.item import Item
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense.probes.base import show
from horsesense.readers.base import OptionScorer
from horsesense.readers.logprobs.option_text import NORMS, OptionTextReader
from horsesense.readers.reading import Reading
from horsesense.readers.registry import make_reader
from horsesense.report.sections.readers import context
from horsesense.runs.results import Results
from horsesense.testing.conformance import check_reader
from horsesense.trials.extras import WithheldGold
from horsesense.trials.trial import Trial
from studies import items_file, jsonl, study, value

Scores = dict[str, tuple[float, int]]


def trial(*options: str, **fields: Any) -> Trial:
    item = Item(id="q", question="Which?", options=options, gold=0)
    return Trial("original", "", 0, (show(item, "choice"),), **fields)


def read(scores: Scores, norm: str = "sum", lead: str = "", **more: Any) -> tuple[Reading, ...]:
    """The reading of a reply to the options that were scored."""
    replies = {f"{lead}{text}": score for text, score in scores.items()}
    alone = {f"{lead}{text}": score for text, score in more.get("alone", {}).items()}
    response = Response("", continuations=replies, unconditional=alone)
    return OptionTextReader(norm).read(trial(*more.get("options", scores)), response)


def test_each_norm_compares_what_it_says() -> None:
    """One set of scores that every norm decides in another way."""
    scores = {"aa": (-2.0, 1), "éééé": (-3.2, 2), "bbbbbb": (-4.2, 2), "c " * 9: (-15.0, 12)}
    alone = {"aa": (-1.0, 1), "éééé": (-2.0, 2), "bbbbbb": (-9.0, 2), "c " * 9: (-15.0, 12)}
    compared = {
        "sum": [-2.0, -3.2, -4.2, -15.0],
        "token": [-2.0, -1.6, -2.1, -1.25],
        "char": [-1.0, -0.8, -0.7, -15 / 18],
        "byte": [-1.0, -0.4, -0.7, -15 / 18],
        "pmi": [-1.0, -1.2, 4.8, 0.0],
    }
    assert tuple(compared) == NORMS
    for norm, values in compared.items():
        for lead in ("", " "):
            (found,) = read(scores, norm, lead, alone=alone)
            best = max(range(4), key=values.__getitem__)
            share = math.exp(values[best]) / sum(map(math.exp, values))
            assert (found.status, found.positions) == ("answer", (best,))
            assert found.confidence == pytest.approx(share)
            # The mass of all texts is the same whatever is compared.
            assert found.score == pytest.approx(
                math.log(sum(math.exp(total) for total, _ in scores.values()))
            )


def test_the_length_is_that_of_the_option_and_not_of_what_leads_up_to_it() -> None:
    """With the space, 3 and 9 characters, the second would be the better one."""
    scores = {"ab": (-2.0, 1), "c" * 8: (-7.8, 2)}
    assert -2.0 / 3 > -7.8 / 9 or -2.0 / 2 < -7.8 / 8
    for lead in ("", " "):
        assert read(scores, "char", lead)[0].positions == (1,)
    assert read({"ab": (-2.0, 1), "c" * 8: (-8.2, 2)}, "char", " ")[0].positions == (0,)


def test_options_with_one_text_cannot_be_told_apart() -> None:
    scores = {"red": (-1.0, 1), "blue": (-2.0, 1)}
    (best,) = read(scores, options=("red", "blue", "red"))
    assert (best.status, best.rule, best.confidence) == ("ambiguous", "same_text", 0.0)
    scores = {"red": (-3.0, 1), "blue": (-2.0, 1)}
    (other,) = read(scores, options=("red", "blue", "red"))
    assert (other.status, other.positions) == ("answer", (1,))
    # Each text counts once, as it is one reply.
    assert other.confidence == pytest.approx(1 / (1 + math.exp(-1)))
    assert other.score == pytest.approx(math.log(math.exp(-2) + math.exp(-3)))


def test_two_texts_with_one_score_are_a_tie() -> None:
    (found,) = read({"red": (-1.0, 1), "blue": (-1.0, 1)})
    assert (found.status, found.rule) == ("ambiguous", "tie")


def test_the_beginning_of_another_option_is_counted_once_in_the_mass() -> None:
    (found,) = read({"2": (-0.1, 1), "20": (-0.5, 2), "3": (-3.0, 1)})
    assert found.positions == (0,)
    assert found.score == pytest.approx(math.log(math.exp(-0.1) + math.exp(-3.0)))
    assert found.score <= 0


@each(
    ("scores", "norm"),
    [
        ({}, "sum"),
        ({"red": (-1.0, 1)}, "sum"),
        ({"red": (-1.0, 1), "blue": (math.nan, 1)}, "sum"),
        ({"red": (-math.inf, 1), "blue": (-math.inf, 1)}, "sum"),
        ({"red": (-1.0, 1), "blue": (0.0, 0)}, "token"),
        ({"red": (-1.0, 1), "blue": (-2.0, 1)}, "pmi"),
    ],
)
def test_what_was_not_scored_has_no_reading(scores: Scores, norm: str) -> None:
    assert read(scores, norm, options=("red", "blue")) == ()


@each("norm", NORMS)
def test_an_empty_option_has_no_reading(norm: str) -> None:
    """Its probability as the beginning of a reply is 1, and its length 0."""
    for empty in ("", " "):
        scores = {"red": (-1.0, 1), empty: (0.0, 0)}
        assert read(scores, norm, alone=scores) == ()


def test_a_leading_space_of_an_option_is_its_own() -> None:
    """Of plain text both options are scored with one more space; the lead is that of all."""
    response = Response("", continuations={" x": (-3.0, 1), "  x": (-1.0, 1)})
    (found,) = OptionTextReader().read(trial("x", " x"), response)
    assert found.positions == (1,)


def test_only_trials_that_an_option_could_answer_are_read() -> None:
    response = Response("", continuations={"Yes": (-1.0, 1), "No": (-2.0, 1)})
    assert OptionTextReader().read(trial("Yes", "No"), response)
    for fields in (
        {"answer_format": "yes_no"},
        {"extras": WithheldGold(gold="x", none_phrase="neither")},
    ):
        assert OptionTextReader().read(trial("Yes", "No", **fields), response) == ()


def test_names_and_parameters() -> None:
    specs = ("option_text", "option_text(sum)", "option_text(char)", "option_text(norm=pmi)")
    readers = [make_reader(spec) for spec in specs]
    assert [reader.name for reader in readers] == [
        "option_text",
        "option_text",
        "option_text(norm=char)",
        "option_text(norm=pmi)",
    ]
    assert [r.unconditional for r in readers if isinstance(r, OptionScorer)] == [False] * 3 + [True]
    assert not isinstance(make_reader("first_token"), OptionScorer)
    with pytest.raises(UsageError, match="bytes") as caught:
        make_reader("option_text(bytes)")
    assert "byte" in (caught.value.hint or "")


@each("norm", NORMS)
def test_it_never_fails_on_what_logs_hold(norm: str) -> None:
    assert check_reader(OptionTextReader(norm), [trial("red", "blue", "green", "blue")])


READERS = ("first_token", "text", "option_text", "option_text(norm=pmi)")


@pytest.fixture(scope="module")
def habit(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A model that says B whatever stands there, and knows every answer by its text."""
    folder = tmp_path_factory.mktemp("habit")
    found = study(80, "sim:habit", folder / "run", probes=("order",), readers=READERS)
    return found.results


def test_a_habit_for_a_label_is_not_one_for_a_text(habit: Results) -> None:
    def one(measure: str, reader: str) -> float | None:
        found = habit.one(measure, reader=reader)
        return None if found is None else found.value

    for reader in READERS[2:]:
        assert one("accuracy", reader) == 1.0
        assert one("score_gain", reader) == 0.75
        assert one("letter_difference", reader) == 0.75
        # The same options in every order, where the letter goes with the place.
        ordered = habit.one("plurality_agreement", "order", reader=reader)
        assert ordered.value == 1.0
    assert one("accuracy", "first_token") == 0.25
    assert one("letter_difference", "text") is None
    assert [e for e in habit.estimates if e.measure == "letter_difference" and e.n_missing] == []
    assert one("letter_difference", "first_token") is None


def test_the_report_sets_it_beside_the_letters(habit: Results) -> None:
    shown = context(habit)
    assert [reader for reader, _ in shown["by_text"]] == list(READERS[2:])
    found = {f.reader: f for f in habit.verdict if f.kind == "other_reader"}
    for reader in READERS[2:]:
        assert found[reader].conclusion == "found"
        assert found[reader].value == pytest.approx(0.75)
        said = statement(found[reader])
        assert f"by {named(reader, READERS)} it is 75 points higher" in said


def test_scoring_besides_changes_no_reply(tmp_path: Path) -> None:
    """What a simulation says does not depend on what is scored in the same request."""
    items = items_file(tmp_path / "items.jsonl", 60)
    probes = ("repeat",)
    plain = study(items, "sim:uniform", tmp_path / "a", probes=probes)
    scored = study(items, "sim:uniform", tmp_path / "b", probes=probes, readers=READERS)
    for measure in ("accuracy", "answer_change_rate"):
        for reader in ("text", "first_token"):
            assert [
                e.value for e in plain.estimates if (e.measure, e.reader) == (measure, reader)
            ] == [e.value for e in scored.estimates if (e.measure, e.reader) == (measure, reader)]
    original = [e for e in scored.estimates if e.probe == "original"]
    accuracy = {e.reader: e.value for e in original if e.measure == "accuracy"}
    assert accuracy["option_text"] == accuracy["text"]


def test_without_scores_all_is_missing_and_nothing_guessed(tmp_path: Path) -> None:
    rows = [{"id": f"q{i}", "response": "A"} for i in range(12)]
    answers = jsonl(tmp_path / "answers.jsonl", rows)
    made = study(
        12, f"replay:{answers}", tmp_path / "run", probes=(), readers=("text", "option_text")
    )
    assert value(made, "accuracy") == 0.25
    assert not [e for e in made.estimates if e.reader == "option_text" and e.n]


class Local(HoldsNothing):
    """Stands for a model in this process: it sees the request alone, and scores continuations."""

    identity = name = "local"
    batch_size, max_connections = 64, 1

    async def capabilities(self) -> Capabilities:
        return Capabilities(top_logprobs=5, label_tokens=True, continuations=True)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({}, ["first_token", "text", "option_text"]),
        ({"readers": ("first_token", "text")}, ["first_token", "text"]),
        ({"readers": ("option_text(char)", "text")}, ["option_text(norm=char)", "text"]),
    ],
)
def test_when_it_is_asked_for(tmp_path: Path, settings: dict[str, Any], names: list[str]) -> None:
    """By default where the model sees requests alone and can score; else where it is named."""
    from horsesense.runs.prepare import load_study_items, prepare, reader_names
    from horsesense.runs.record import ModelRecord
    from horsesense.runs.settings import Settings

    items = items_file(tmp_path / "items.jsonl", 4)
    chosen = Settings.of(items=str(items), model="x", probes=("original",), **settings)
    local = Local()
    model = ModelRecord.of(local, asyncio.run(local.capabilities()))
    found = load_study_items(chosen)
    ready = prepare(chosen, found, None, model, reader_names(chosen, found, model))
    assert [reader.name for reader in ready.readers()] == names
    scored = any(name.startswith("option_text") for name in names)
    (first, *_) = ready.planner.plan(ready.probes)
    assert bool(first.request.params.continuations) == scored
    assert first.request.params.unconditional is None


def test_a_simulation_and_class_names_are_scored_only_when_asked(tmp_path: Path) -> None:
    made = study(8, "sim:oracle", tmp_path / "run", probes=())
    assert {e.reader for e in made.estimates} == {"first_token", "text"}
    rows = [{"id": f"t{i}", "text": f"text {i}", "label": "ab"[i % 2]} for i in range(8)]
    labelled = jsonl(tmp_path / "labels.jsonl", rows)
    made = study(
        labelled,
        "sim:oracle",
        tmp_path / "labels",
        probes=(),
        readers=("text", "option_text"),
        task="any",
    )
    assert value(made, "accuracy", reader="option_text") == 1.0


LM_EVAL = "logs/lm_eval/samples_mmlu_option_texts_smollm2.jsonl"
EXACT = {
    "mmlu-professional_law-test-0409": (-54.686795, -29.193804, -58.444496, -55.618115),
    "mmlu-formal_logic-test-0087": (-5.312402, -44.81599, -49.390686, -46.518806),
}
"""Log-probabilities computed in float64 where the recorded ones differ by more than 1e-3."""


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.local
def test_lm_eval_finds_the_same_for_the_same_prompts(shared: Path) -> None:
    """60 MMLU items as lm-eval 0.4.13 asked them: its log-probabilities, `acc` and `acc_norm`.

    Eight of its 240 recorded log-probabilities are 1.0e-3 to 1.8e-3 from float64; these are held
    against float64, and all others against the record.
    """
    pytest.importorskip("torch", reason="needs torch: pip install 'horsesense[local]'")
    from horsesense_extras.models.hf.backend import from_spec, smollm2_path

    try:
        smollm2_path()
    except UsageError as error:
        pytest.skip(error.message)
    lines = (shared / LM_EVAL).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    calls = [[row["arguments"][name] for name in sorted(row["arguments"])] for row in rows]
    requests = [
        Request(
            None,
            asked[0]["arg_0"],
            SamplingParams(max_tokens=0, continuations=tuple(each["arg_1"] for each in asked)),
        )
        for asked in calls
    ]

    async def ask() -> list[Response]:
        async with from_spec("smollm2") as model:
            pairs = [Asked(request.key(model.identity), request) for request in requests]
            found = await model.respond(pairs)
        return [each for each in found if isinstance(each, Response)]

    responses = asyncio.run(ask())
    assert len(responses) == len(rows) == 60
    far = 0
    for row, asked, response in zip(rows, calls, responses, strict=True):
        ours = [response.continuations[each["arg_1"]][0] for each in asked]
        theirs = [float(scored[0][0]) for scored in row["resps"]]
        exact = EXACT.get(row["doc"]["id"])
        far += sum(abs(a - b) > 1e-3 for a, b in zip(ours, theirs, strict=True))
        assert ours == pytest.approx(exact or theirs, abs=3e-4 if exact else 1e-3)
        shown = trial(*row["doc"]["choices"])
        for norm, metric in (("sum", "acc"), ("char", "acc_norm")):
            (found,) = OptionTextReader(norm).read(shown, response)
            assert found.status == "answer"
            assert (found.positions == (row["doc"]["answer"],)) == bool(row[metric])
            length = {"sum": lambda text: 1, "char": len}[norm]
            best = max(range(4), key=lambda i: theirs[i] / length(row["doc"]["choices"][i]))
            assert found.positions == (best,)
    assert far <= 8
