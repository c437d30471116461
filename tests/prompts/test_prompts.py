"""Prompts: what is asked, and that nothing else is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.errors import UsageError
from horsesense.models.messages import Request
from horsesense.probes.base import Setting
from horsesense.probes.registry import PROBES, parse_probe
from horsesense.prompts import Prompter, Shots, Want
from horsesense.prompts.part import Part
from horsesense.runs.planner import Planner
from horsesense.testing.conformance import check_blind, item_set
from horsesense.trials.extras import WithheldGold
from horsesense.trials.trial import Trial


def trial(spec: str = "original", kind: str = "choice") -> Trial:
    items = item_set(kind)
    return parse_probe(spec).apply(items.items[0], Setting(items))[0]


def test_a_choice_lists_the_options_and_ends_in_the_cue() -> None:
    ((role, text),) = Prompter().request(trial()).messages or ()
    assert role == "user"
    assert "\nA. thing 0-0\nB. thing 0-1\nC. thing 0-2\nD. thing 0-3\nAnswer:" in text
    assert "Story number 0" in text
    assert text.endswith("Answer:")


def test_completion_form_is_one_text() -> None:
    request = Prompter("completion").request(trial())
    assert request.messages is None
    assert (request.text or "").endswith("Answer:")


def test_labels_are_called_what_they_are() -> None:
    ((_, text),) = Prompter().request(trial("labels(digits)")).messages or ()
    assert "single number" in text
    assert "\n1. thing" in text


def test_a_label_set_is_listed_by_name() -> None:
    ((_, text),) = Prompter().request(trial(kind="label")).messages or ()
    assert "class_0, class_1, class_2, class_3" in text


def test_few_shot_examples_carry_their_answers_and_never_the_item() -> None:
    items = item_set()
    prompter = Prompter("chat", shots=Shots(items, 3))
    messages = prompter.request(trial()).messages or ()
    assert [role for role, _ in messages] == ["user", "assistant"] * 3 + ["user"]
    examples = "".join(content for _, content in messages[:-1])
    assert "0th thing" not in examples  # the item itself is in the pool
    assert messages[1][1] == "D"  # item 3, of the same subject, has its gold in position 3


def test_examples_follow_the_labels_of_the_trial() -> None:
    prompter = Prompter("completion", shots=Shots(item_set(), 1))
    text = prompter.request(trial("labels(digits)")).text or ""
    assert "4. thing 3-3\nAnswer: 4\n\n" in text


def test_a_template_of_ones_own_changes_the_signature(tmp_path: Path) -> None:
    (tmp_path / "choice.j2").write_text("Pick one.\n---\n{{ question }}\nReply:")
    own = Prompter("completion", folder=tmp_path)
    assert own.request(trial()).text == "Pick one.\n\nWhat is the 0th thing?\nReply:"
    assert own.signature("choice") != Prompter("completion").signature("choice")
    assert own.signature("options_only") == Prompter("completion").signature("options_only")


@pytest.mark.parametrize(
    ("text", "fault"), [("no dashes", "three dashes"), ("a\n---\n{% if %}", "choice.j2")]
)
def test_a_broken_template_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "choice.j2").write_text(text)
    with pytest.raises(UsageError, match=fault):
        Prompter(folder=tmp_path).request(trial())


def test_template_code_in_an_item_is_text() -> None:
    shown = replace(trial().variant, question="{{ 7 * 7 }} {% raw %}")
    ((_, text),) = Prompter().request(replace(trial(), variants=(shown,))).messages or ()
    assert "{{ 7 * 7 }} {% raw %}" in text


def test_a_template_cannot_reach_the_machine(tmp_path: Path) -> None:
    (tmp_path / "choice.j2").write_text("{{ ''.__class__.__mro__ }}\n---\nx")
    with pytest.raises(Exception, match=r"unsafe|undefined"):
        Prompter(folder=tmp_path).request(trial())


def test_scores_are_asked_for_where_they_are_given() -> None:
    params = Prompter(want=Want(label_tokens=True, top_logprobs=5)).request(trial()).params
    assert params.label_tokens == ("A", "B", "C", "D")
    assert params.top_logprobs == 5
    assert (
        Prompter(want=Want(label_tokens=True)).request(trial(kind="label")).params.label_tokens
        == ()
    )


def test_option_texts_are_scored_as_the_reply_of_their_style() -> None:
    """A reply to plain text that ends in "Answer:" begins with a space, one in a chat does not."""
    want = Want(continuations=True)
    texts = trial().variant.options
    chat = Prompter("chat", want).request(trial())
    plain = Prompter("completion", want).request(trial())
    assert chat.params.continuations == texts
    assert plain.params.continuations == tuple(f" {text}" for text in texts)
    assert plain.text.endswith("Answer:")
    assert chat.params.unconditional is None
    assert Prompter().request(trial()).params.continuations == ()
    yes_no = replace(trial(), answer_format="yes_no")
    told = replace(trial(), extras=WithheldGold(gold="x", none_phrase="none of them"))
    for one in (yes_no, told):
        assert Prompter("chat", want).request(one).params.continuations == ()
    neutral = Prompter("chat", Want(continuations=True, unconditional=True)).request(trial())
    assert neutral.params.unconditional == "Answer:"
    assert Request.from_json(neutral.as_json()) == neutral
    assert "unconditional" not in chat.as_json()["params"]


def test_requests_are_blind() -> None:
    """Neither gold, origin, probe, condition nor item id is in what a backend receives."""
    items, requests = item_set(), []
    for name in PROBES.names():
        probe = parse_probe(name)
        planner = Planner(items, (probe,), Setting(items), Prompter(), "test")
        requests += [planned.request for planned in planner.plan([probe])]
    assert len(requests) > 10
    check_blind(requests, ["gold", "origin", "probe", "item-1", "design=", "place=", "expects"])


def test_a_folder_of_templates_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        Prompter(folder=tmp_path / "nowhere").request(trial())


def test_a_template_that_cannot_be_filled_is_told() -> None:
    with pytest.raises(UsageError, match="template cannot be filled: 'q' is undefined"):
        Part("{{ q }}").render({})
