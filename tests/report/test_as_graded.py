"""A score cannot be silently wrong: as graded, of those read, and what was lost between the two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from horsesense.api import Run
from horsesense.inference.limits import Limits
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Response
from horsesense.report.behind_score import caveats
from horsesense.report.published_tables import beside
from horsesense.report.score_bar import headline
from scripted import saying
from studies import items_file, study

PROSE = "The passage tells of a boy, and there is much that could be said of him."
CUT = "Let me go through all of them. The first could be right, since the passage says that the"


def run_of(out: Path, of_256: int, *instead: Response | Failure, **settings: Any) -> Run:
    """A run of a model that gives other replies to so many of 256 requests."""

    def spoilt(asked: Asked) -> Response | Failure | None:
        return instead[asked.key[1] % len(instead)] if asked.key[0] < of_256 else None

    asked = {"stop_if": "never", "asked": saying(spoilt), **settings}
    return study(asked.pop("items"), "sim:oracle", out, **asked).done


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("instead", "cause", "said"),
    [
        (Response(PROSE, "stop"), "no_choice", ""),
        (Response(CUT, "length"), "cut_off", "if no reply had been cut off"),
        (Response("", "stop"), "empty", "if no reply had been empty"),
        (Response("", "content_filter"), "filtered", "held back by the provider"),
        (Response("<think>First, the", "length"), "thought_open", "cut off in mid-thought"),
        (Failure("rejected", "no", retryable=False), "failed", "if no reply had been lost"),
    ],
)
def test_what_spoils_a_score_is_named(
    tmp_path: Path, instead: Response | Failure, cause: str, said: str
) -> None:
    items = items_file(tmp_path / "items.jsonl", 60)
    run = run_of(tmp_path / "run", 110, instead, items=str(items), probes=("order",))
    told = run.results.replies()
    assert told["causes"][cause] + told["causes"]["choice"] == 60
    assert told["most"] == pytest.approx(1.0 if said else told["least"])
    (first,) = headline(run.results)
    assert "(" not in first
    assert said in " ".join(caveats(run.results))
    assert first.startswith(f"{told['causes'][cause]} of 60") == (cause != "no_choice")
    # What was lost is said in the place of a guess.
    assert not [text for text in caveats(run.results) if said and "be guessing" in text]
    if isinstance(instead, Response):
        score = run.results.score
        assert score.measure == "accuracy_as_graded"
        assert score.value == pytest.approx(told["causes"]["choice"] / 60)


def test_prompts_that_were_not_asked_are_not_called_lost_replies(tmp_path: Path) -> None:
    limits = Limits(requests=20)
    run = study("sample", "sim:oracle", tmp_path / "run", probes=("order",), limits=limits)
    (first,) = headline(run.results)
    assert first == "100\u202f% right as graded, in the original order."
    said = "The score would be between 7\u202f% and 100\u202f% if every prompt were asked."
    assert said in [*caveats(run.results)]


def by_hand(trial: dict[str, Any], reply: str) -> bool:
    """Whether a reply of this model is right, told from its raw text and the prompt's options."""
    prompt = prompt_of(trial)
    if prompt in ("hint_instruction", "no_hint"):
        return reply in ("none-of-them", "None of the options is correct.")
    if reply not in trial["labels"]:
        return False
    chosen = trial["labels"].index(reply)
    return (
        chosen == trial["gold_at"] if prompt == "with_gold" else "none" in trial["options"][chosen]
    )


def prompt_of(trial: dict[str, Any]) -> str:
    return trial["condition"].rpartition("prompt=")[2].partition(",")[0]


def test_the_four_prompts_as_graded_are_those_counted_from_raw_replies(tmp_path: Path) -> None:
    """A model that answers 60 % of its prompts in prose, which is wrong."""
    items = items_file(tmp_path / "items.jsonl", 40)
    settings = {"items": str(items), "suite": "know-no", "faithful": True}
    run = run_of(tmp_path / "run", 154, Response(PROSE, "stop"), **settings)
    trials = [t for t in run.trials.to_dicts() if t["probe"] == "gold_absent"]
    with run.directory.store() as store:
        replies = store.get([t["key"] for t in trials])
    found: dict[str, list[bool]] = {}
    for trial in trials:
        found.setdefault(prompt_of(trial), []).append(by_hand(trial, replies[trial["key"]].text))
    shares = {prompt: sum(right) / len(right) for prompt, right in found.items()}
    assert set(map(len, found.values())) == {120}  # forty items in three orders
    assert all(0.25 < share < 0.55 for share in shares.values())
    told = {
        e.condition["prompt"]: e.value
        for e in run.results.all("accuracy_as_graded", "gold_absent", reader="text")
    }
    assert told == pytest.approx(shares, abs=1e-9)
    omni = run.results.one("omni_accuracy", "gold_absent", reader="text")
    hints = [share for prompt, share in shares.items() if prompt != "with_gold"]
    assert omni.value == pytest.approx((shares["with_gold"] + sum(hints) / 3) / 2, abs=1e-9)
    for hint in ("hint_option", "hint_instruction", "no_hint"):
        e = run.results.one("accuracy_without_gold", "gold_absent", group=hint)
        assert e.value == pytest.approx(shares[hint], abs=1e-9), hint


SPELLINGS = (
    "none-of-them",
    "none-of-them.",
    '"none-of-them"',
    "Answer: none-of-them",
    "I believe none-of-them is correct.",
    "All options seem incorrect.",
    "C. none-of-them",
    "(B) none-of-them.",
    "None of the options is correct.",
)


def test_the_abstainer_has_one_half_in_any_spelling(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 2 * len(SPELLINGS))
    settings = {"items": str(items), "suite": "know-no", "faithful": True}
    for measure, spellings in (
        ("omni_accuracy_lenient", SPELLINGS),
        ("omni_accuracy", SPELLINGS[:-1]),
    ):
        said = [Response(text, "stop") for text in spellings]
        run = run_of(tmp_path / measure, 256, *said, **settings)
        found = run.results.one(measure, "gold_absent")
        assert found.value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("instead", "cause"),
    [
        (Failure("rejected", "400: content_filter", retryable=False), "filtered"),
        (Response('{"error": {"message": "Rate limit reached", "code": 429}}', "stop"), "failed"),
    ],
)
def test_what_a_server_refuses_is_missing_read_and_graded(
    tmp_path: Path, instead: Response | Failure, cause: str
) -> None:
    items = items_file(tmp_path / "items.jsonl", 40)
    run = run_of(tmp_path / "run", 110, instead, items=str(items), probes=("original",))
    told = run.results.replies()["causes"][cause]
    for measure in ("accuracy", "accuracy_as_graded"):
        score = run.results.one(measure)
        assert (score.n_missing, score.n, score.value) == (told, 40 - told, 1.0)


def test_of_items_that_a_filter_refuses_all_the_headline_says_so(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 12)
    refused = Failure("rejected", "400: content_filter", retryable=False)
    run = run_of(tmp_path / "run", 248, refused, items=str(items), probes=("order",))
    assert run.results.replies(reader="text")["causes"] == {"filtered": 12}
    assert run.results.losses()["order"].causes["filtered"] < run.results.losses()["order"].prompts
    assert headline(run.results) == [
        "12 of 12 replies were held back by the provider: this says nothing of what the model"
        " knows."
    ]


def test_the_page_tells_what_became_of_the_replies(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 20)
    cut = Response(CUT, "length")
    run = run_of(tmp_path / "run", 110, cut, items=str(items), probes=("original",))
    page = run.report().read_text(encoding="utf-8")
    assert "What became of the replies?" in page
    assert "Cut off" in page


def test_beside_a_papers_table_replies_without_a_choice_are_wrong(tmp_path: Path) -> None:
    items = str(items_file(tmp_path / "mmlu_made_up.jsonl", 40))
    spoilt = 128, Response(PROSE, "stop")
    run = run_of(tmp_path / "run", *spoilt, items=items, probes=("original",)).results
    read, graded = run.one("accuracy"), run.one("accuracy_as_graded")
    assert (graded.value or 0) < 0.8 < (read.value or 0)
    [table] = beside(run, "revas_accuracy_mmlu", lambda *_: read)
    assert set(table.mine) == {f"{100 * (graded.value or 0):.2f}"}
