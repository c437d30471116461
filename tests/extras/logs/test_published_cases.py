"""Scores that were silently wrong, as logs of the harnesses concerned, each named after its report.

Two programs have no importer here, so that what their servers answered stands as a batch:
olmo-eval#399 (35 % of the replies of Qwen3.5 4B to GPQA end in mid-thought: 66.7 in all, 88.3 of
the complete ones) and omlx#3772 (52 of 100 replies of Gemma 4 to MMLU-Pro are empty: 44 % is
published, 91.7 % of those answered are right). The report inspect_evals#2091 could not be found:
its case holds each way in which Inspect logs a reply that its limit ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from harness_logs import Asked, batch, helm, inspect, lm_eval
from horsesense.models.messages import Failure, Response, Usage
from horsesense.report.score_bar import headline, spoken
from horsesense.runs.exchanges import exchanges
from horsesense_extras.cli.cite import cited
from horsesense_extras.cli.logs import lines, summary
from horsesense_extras.integrations.exports import write_lm_eval
from horsesense_extras.integrations.inspect_log import write_inspect_log
from horsesense_extras.logs.log_score import log_scores
from horsesense_extras.logs.registry import open_logs
from horsesense_extras.logs.sample import Sample

OPTIONS = ("iron", "water", " granite", "helium")
THOUGHT = "We need to weigh the four options. Helium is a gas, and granite is a rock, so"


def question(number: int) -> str:
    return f"Which of these is a liquid at {15 + number} degrees?"


def asked(replies: Sequence[Response | Failure], epochs: int = 1) -> list[Asked]:
    """Questions whose right option is B, each so many times."""
    return [Asked(question(n // epochs), OPTIONS, 1, reply) for n, reply in enumerate(replies)]


def said(text: str, ended: str = "stop", tokens: int = 5, thought: str = "") -> Response:
    return Response(text, ended, reasoning=thought, usage=Usage(90, tokens, 0))


def spent(tokens: int, thought: str = "") -> Response:
    """A reply whose tokens all went into the thought."""
    return Response("", "length", reasoning=thought, usage=Usage(90, tokens, tokens))


RIGHT, WRONG = said("ANSWER: B"), said("ANSWER: C")
CUT = said(f"<think>{THOUGHT}", "length", 8192)
WEIGHED = said(f"<think>It may be (B). But the answer is A if it freezes. {THOUGHT}", "length", 9)
CASES: dict[str, tuple[Callable[..., Path], list[Response], str]] = {
    # The hidden thought takes all of the budget: an empty completion, no error, status success.
    "inspect_ai#5467": (
        inspect, [*[spent(16)] * 6, *[RIGHT] * 4],
        "Of 10 answers that the log grades, 6 were cut off in mid-thought; all count as"
        " wrong (40.0\u202f% in the log, 100.0\u202f% without them, 40.0\u202f% with"
        " them wrong, 100.0\u202f% with them right).",
    ),
    # The second: by the other endpoint the same limit does not bind the thought.
    "inspect_ai#5467-chat": (
        inspect, [Response("ANSWER: B", "stop", usage=Usage(90, 459, 455))] * 10, "",
    ),
    # The third: the thought stands in the completion, without a channel of its own.
    "inspect_ai#5467-inline": (
        inspect, [*[CUT] * 3, *[RIGHT] * 6, WRONG],
        "Of 10 answers that the log grades, 3 were cut off in mid-thought (items 0, 1, 2);"
        " all count as wrong (60.0\u202f% in the log, 85.7\u202f% without them, 60.0\u202f% with"
        " them wrong, 90.0\u202f% with them right).",
    ),
    # The scorer takes no letter between signs: 254 of 792 answers, in four epochs.
    "inspect_ai#5145": (
        partial(inspect, epochs=4),
        [*[said("ANSWER: $B$")] * 4, said("ANSWER: **B**"), said("ANSWER: (B)"),
         *[RIGHT] * 12, *[WRONG] * 2],
        "6 of 20 answers state the right choice, and the log grades them as wrong"
        " (60.0\u202f% in the log, 87.5\u202f% without them, 90.0\u202f% with credit for them).",
    ),
    # mmlu_0_shot gives 16 tokens, and every completion is empty.
    "inspect_evals#2473": (
        inspect, [spent(16)] * 10,
        "Of 10 answers that the log grades, 10 were cut off in mid-thought; all count as"
        " wrong (0.0\u202f% in the log, 0.0\u202f% with them wrong, 100.0\u202f% with them right).",
    ),
    "inspect_evals#2091": (
        inspect,
        [*[said(THOUGHT, "length", 16)] * 2, said(f"{THOUGHT[:77]}.", "model_length", 16),
         spent(16, THOUGHT), *[CUT] * 2, *[RIGHT] * 5, WRONG],
        "Of 12 answers that the log grades, 3 were cut off and 3 were cut off in mid-thought; all"
        " count as wrong (41.7\u202f% in the log, 83.3\u202f% without them, 41.7\u202f% with"
        " them wrong, 91.7\u202f% with them right).",
    ),
    # A thought of a limited length in the text itself, which does not end, and names letters.
    "olmo-eval#399": (
        batch, [*[CUT] * 4, *[WEIGHED] * 3, *[RIGHT] * 12, WRONG],
        "7 of 20 replies were cut off in mid-thought.",
    ),
    "omlx#3772": (
        batch, [*[spent(8192, THOUGHT)] * 13, *[RIGHT] * 11, WRONG],
        "13 of 25 replies were cut off in mid-thought.",
    ),
    # The whole first line is compared with the letter: 0 of 298 replies of either model are right.
    "lm-evaluation-harness#4187": (
        lm_eval,
        [*[said("B. water")] * 4, said("B. \\(6x^2 + 4x + 6\\)"), *[RIGHT] * 3,
         *[said("C. granite")] * 2],
        "8 of 10 answers state the right choice, and the log grades them as wrong"
        " (0.0\u202f% in the log, 0.0\u202f% without them, 80.0\u202f% with credit for them).",
    ),
}  # fmt: skip
SCORES = {"olmo-eval#399": (12 / 20, 19 / 20), "omlx#3772": (11 / 25, 24 / 25)}
"""As graded, and if all that was lost were right."""


@pytest.mark.parametrize("name", CASES)
def test_published_case(name: str, tmp_path: Path) -> None:
    made, replies, sentence = CASES[name]
    items = [{"id": f"i{n}", "question": question(n), "options": OPTIONS, "answer": "B"}
             for n in range(len(replies))]  # fmt: skip
    given = {"items": items} if made is batch else {}
    log = made(tmp_path, asked(replies, 4 if isinstance(made, partial) else 1))
    run = hs.load_log(log, out=tmp_path / "run", **given)
    told = summary(run)
    assert told["findings"] == [sentence] * bool(sentence)
    assert sentence in "\n".join(lines(run, told))
    assert sentence.replace("\u202f", " ") in run.report().read_text().replace("\u202f", " ")
    if name == "inspect_evals#2473":
        [first, *_] = headline(run.results)
        assert first.endswith("this says nothing of what the model knows.")
    if scores := SCORES.get(name):
        became = run.results.replies(reader="text")
        assert (became["as_graded"], became["most"]) == pytest.approx(scores)


FILTERED = Failure("rejected", "400: content_filter", retryable=False)
CAUSES = {
    "choice": RIGHT,
    "empty": said(""),
    "cut_off": said("Let me look at the options one by one, and", "length"),
    "thought_open": spent(16, THOUGHT),
    "filtered": said("ANSWER: B", "content_filter"),
    "failed": Failure("timeout", "503 overloaded"),
}


@pytest.mark.parametrize("made", [inspect, partial(inspect, packed=True), helm, batch])
def test_fields_of_a_log_give_the_cause(made: Callable[..., Path], tmp_path: Path) -> None:
    run = hs.load_log(made(tmp_path, asked([*CAUSES.values(), FILTERED])), out=tmp_path / "run")
    told = run.results.replies(reader="text")["causes"]
    assert told == {**dict.fromkeys(CAUSES, 1), "filtered": 2}
    found = "\n".join(summary(run)["findings"])
    left_out = "The log grades 6 of 7 samples: its score leaves out the other."
    assert (left_out in found) == (made not in (helm, batch))
    assert "held back by the provider" in found


@pytest.mark.parametrize("made", [inspect, batch])
def test_all_tokens_taken_without_a_reason_is_a_reply_cut_off(
    made: Callable[..., Path], tmp_path: Path
) -> None:
    """Its text ends with a full stop, and would be whole."""
    text = "Let us compare water and granite. Water freezes."
    replies = [Response(text, None, usage=Usage(90, tokens, 0)) for tokens in (64, 63)]
    run = hs.load_log(made(tmp_path, asked(replies), cap=64), out=tmp_path / "run")
    causes = run.results.replies(reader="text")["causes"]
    assert causes.pop("cut_off") == 1
    assert "cut_off" not in causes


def test_a_log_of_one_order_says_so_and_why_replies_choose_nothing(tmp_path: Path) -> None:
    log = lm_eval(tmp_path, asked([*[RIGHT] * 6, *[said("A. granite")] * 2]))
    run = hs.load_log(log, out=tmp_path / "run")
    assert (
        "2 replies give a label with another option's text (chose several options 2)."
        in summary(run)["findings"]
    )
    assert "though 100\u202f% of the answers are B: each item" in " ".join(spoken(run.results))


def test_without_any_reply_all_failed(tmp_path: Path) -> None:
    log = lm_eval(tmp_path, asked([Failure("timeout", "none")] * 2))
    run = hs.load_log(log, out=tmp_path / "run")
    assert run.results.replies()["causes"] == {"failed": 2}
    assert summary(run)["findings"] == [
        "Of 2 answers that the log grades, 2 failed (items 0, 1); all count as wrong"
        " (0.0\u202f% in the log, 0.0\u202f% with them wrong, 100.0\u202f% with them right)."
    ]


def in_its_prompt(sample: dict[str, Any]) -> None:
    del sample["choices"]


def called(sample: dict[str, Any]) -> None:
    """A call with settings of its own, which another model answered."""
    config = {"max_tokens": 7, "temperature": 0.5, "top_p": 0.9, "top_logprobs": 5}
    output = {**sample["output"], "model": "reasoner-2026"}
    sample["events"] = [{"event": "model", "model": "openai/reasoner", "config": config,
                         "input": sample["messages"][:1], "output": output}]  # fmt: skip


def shuffled(sample: dict[str, Any]) -> None:
    """What was shown stands in what the scorer explains alone."""
    shown = "\n".join(f"{a}) {text}" for a, text in zip("ABCD", OPTIONS[::-1], strict=True))
    sample["scores"]["choice"]["explanation"] = (
        "Choices were shuffled before generating a response, the following was sent to the model:"
        f"\n\n{sample['input']}\n\n{shown}\nShuffled answer:\nANSWER: C"
    )


def limited(sample: dict[str, Any]) -> None:
    scores = {"choice": {"value": "N"}, "words": {"value": "no number"}}
    sample |= {"limit": {"type": "time"}, "output": {}, "scores": scores}
    sample["metadata"] = {"subject": "physics"}


def unscored(run: hs.Run) -> list[Any]:
    """Each answer but its scores; own orders need a prompt."""
    return [
        (e.trial.repetition, one.question, one.options, one.labels, one.gold_at,
         one.subject, e.response and e.response.text,
         e.request and e.request.messages and run.items.by_id[one.item_id].options)
        for e in exchanges(run.directory) for one in e.trial.variants
    ]  # fmt: skip


EDITS = (in_its_prompt, called, shuffled, limited)
REAL = ("mmlu-summary-choices.eval", "mmlu_shuffled_mock.eval", "arc_qwen.json")
LOGS = [*REAL, *EDITS, *(name for name in CASES if name.startswith("inspect")), False, True]


def whole(sample: Sample) -> dict[str, Any]:
    """All of a sample but scores that are no numbers, its options as they were shown.

    A temperature of 0 is that of a log that names none.
    """
    told: dict[str, Any] = {f.name: getattr(sample, f.name) for f in fields(sample)}
    told["options"] = [sample.options[place] for place in told.pop("order")]
    told["gold"] = None if sample.gold is None else sample.options[sample.gold]
    own = {name: s for name, s in sample.scores.items() if not name.startswith("horsesense/")}
    told["scores"] = {name: score for name, score in own.items() if score.value is not None}
    told["settings"] = {name: value for name, value in sample.settings.items() if value}
    return told | {"prompt": sample.prompt or None}


@pytest.mark.thorough
@pytest.mark.parametrize("name", LOGS)
def test_a_log_that_is_imported_and_exported_is_the_log_again(
    name: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """What it lacks is named in docs/logs.md: a scorer's N comes back as the 0 that it counts."""
    if name in REAL:
        source = request.getfixturevalue("shared") / "logs/inspect" / name
    elif name in CASES:
        made, replies, _ = CASES[name]
        source = made(tmp_path, asked(replies, 4 if isinstance(made, partial) else 1))
    else:
        given = asked([*CAUSES.values(), FILTERED] if isinstance(name, bool) else [RIGHT, WRONG])
        source = inspect(tmp_path, given, packed=name is True)
        if name in EDITS:
            log = json.loads(source.read_text())
            for sample in log["samples"]:
                name(sample)
            source.write_text(json.dumps(log | {"status": "error"}))
    run = hs.load_log(source, out=tmp_path / "run")
    [old], [new] = (
        open_logs([source]),
        open_logs([write_inspect_log(run.results, tmp_path / "b.eval")]),
    )
    before, after = ({(s.id, s.epoch): whole(s) for s in log.samples()} for log in (old, new))
    assert before.keys() == after.keys() != set()
    assert [
        (id, field, value, after[id][field])
        for id, sample in before.items()
        for field, value in sample.items()
        if after[id][field] != value
    ] == []
    same = ("task", "model", "state", *(["created"] if old.created else []))
    assert [getattr(new, field) for field in same] == [getattr(old, field) for field in same]
    told = ({(r.name, r.value, r.over) for r in log.reported} for log in (new, old))
    assert next(told) >= next(told)
    back = hs.load_log(write_lm_eval(run.results, tmp_path / "lm"), out=tmp_path / "back")
    assert unscored(back) == unscored(run)
    if name is called:
        assert cited(run)["asked"].endswith("log; max_tokens 7; temperature 0.5; top_p 0.9")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["gen", "letters", "option_texts"])
def test_a_log_of_lm_eval_is_exported_whole(name: str, tmp_path: Path, shared: Path) -> None:
    run = hs.load_log(
        shared / f"logs/lm_eval/samples_mmlu_{name}_smollm2.jsonl", out=tmp_path / "a"
    )
    back = hs.load_log(write_lm_eval(run.results, tmp_path / "lm"), out=tmp_path / "b")
    assert unscored(back) == unscored(run)
    if name == "gen":  # completions, whose prompt Inspect alone would make a message
        log = write_inspect_log(run.results, tmp_path / "r.eval")
        assert hs.load_log(log, out=tmp_path / "c").prompts().equals(run.prompts())
    one, other = (r.estimates.drop("signature", "dataset") for r in (run, back))
    assert one.equals(other)
    new, old = ([[*s.findings()] for s in log_scores(r.results)] for r in (back, run))
    assert new == old
    kinds = "(as read: chose several options 3) = 13 right as read, of 60."
    assert any(said.endswith(kinds) for score in new for said in score) == (name == "gen")
