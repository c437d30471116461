"""What becomes of a prompt: one cause for each, told from all that came back."""

from __future__ import annotations

from dataclasses import replace

from each import each
from horsesense.models.messages import Failure, Response, Usage
from horsesense.readers.causes import (
    CAUSES,
    LOST,
    NO_REPLY,
    WORDS,
    Loss,
    cause_of,
    ends_early,
    of_failure,
    of_status,
)
from horsesense.readers.reading import STATUSES, Reading
from horsesense.readers.text import TextReader
from horsesense.trials.trial import Variant

SHOWN = Variant("1", None, ("red", "green", "blue", "grey"), ("A", "B", "C", "D"), (0, 1, 2, 3), 1)


def cause(text: str, finish: str | None = "stop", cap: int | None = None, **rest: object) -> str:
    response = Response(text, finish, **rest)  # type: ignore[arg-type]
    reading = TextReader().read(text, SHOWN.options, SHOWN.labels, finish_reason=finish)
    return cause_of(reading, response, SHOWN, cap)


@each(
    ("text", "finish", "expected"),
    [
        ("The answer is (B).", "stop", "choice"),
        ("The answer is (B).", "length", "choice"),
        ("Both A and B are right.", "stop", "several"),
        ("None of these options is correct.", "stop", "none"),
        ("I'm sorry, but I can't help with that.", "stop", "refused"),
        ("Colours are a fine thing to think about.", "stop", "no_choice"),
        ("Let me look at each option. First, the sky can be", "length", "cut_off"),
        ("Let me look at each option. " * 20 + "So the", None, "cut_off"),
        ("wait, again " * 300, "stop", "cut_off"),
        ("<think>First, the sky can be", "length", "thought_open"),
        ("<think>First, the sky can be", None, "thought_open"),
        ("We should look at each of the", None, "cut_off"),
        (
            "Of these red and grey are colours of a lamp, and nothing is said of blu",
            None,
            "cut_off",
        ),
        ("Thanks for asking", None, "no_choice"),
        ("A. green\nB.", None, "cut_off"),
        ("I do not know which one it could be", "stop", "no_choice"),
        ("A. red\nB. green\nC. blue\nD. grey\nAnswer:", "stop", "unreadable"),
        ("<|im_end|>\n<|im_start|>user\nWhat would you like to know?", "stop", "unreadable"),
        ("", "stop", "empty"),
        ("", "length", "cut_off"),
        ("", "MAX_TOKENS", "cut_off"),
        ("", "content_filter", "filtered"),
        ("", "SAFETY", "filtered"),
        ('{"error": {"message": "Rate limit reached", "code": 429}}', "stop", "failed"),
        ("Error: 429 Too Many Requests", "stop", "failed"),
        ("Internal server error", "stop", "failed"),
        ("<html><head><title>502 Bad Gateway</title></head></html>", "stop", "failed"),
        (
            "The response was filtered due to the prompt triggering Azure OpenAI's content"
            " management policy. Please modify your prompt and retry.",
            "stop",
            "filtered",
        ),
        ("I got an error: internal server error. The answer is B.", "stop", "choice"),
        ("<pad>" * 20, "stop", "unreadable"),
        ("<unk> <unk>", "stop", "unreadable"),
        ("!!!!", "stop", "unreadable"),
        ("Sorry, A is", "content_filter", "filtered"),
        ("Let me think about it", "SPII", "filtered"),
        ("Hello there", "guardrail_intervened", "filtered"),
        ("B", "content_filter", "choice"),
        ("I can", "abort", "failed"),
        ("", "error", "failed"),
        ("Hello there", "insufficient_system_resource", "failed"),
        ("I can", "model_context_window_exceeded", "cut_off"),
        ("My thoughts: <think> is a tag. The answer is B", "stop", "choice"),
        ("Okay. <think>First, the answer is B", "stop", "thought_open"),
    ],
)
def test_each_cause_is_told(text: str, finish: str | None, expected: str) -> None:
    assert cause(text, finish) == expected


@each(
    ("text", "status"),
    [
        ("Let me think. Option A is", "truncated"),
        ("Let's consider option A", "truncated"),
        ("Looking at A. red, it seems", "truncated"),
        ("I need to evaluate each: A", "truncated"),
        ("Let me analyze. A) red: this", "truncated"),
        ("The correct answer is (B) or maybe", "truncated"),
        ("Let me think. The answer is A", "answer"),
        ("The answer is (B) because the sky", "answer"),
        ("B", "answer"),
        ("B.", "answer"),
    ],
)
def test_a_reply_cut_where_it_begins_to_weigh_has_no_choice(text: str, status: str) -> None:
    found = TextReader().read(text, SHOWN.options, SHOWN.labels, finish_reason="length")
    assert found.status == status
    assert cause(text, "length") == of_status(found.status)


def test_a_reply_that_ends_with_the_whole_text_of_an_option_is_not_cut_off() -> None:
    long = replace(SHOWN, options=("grey as a wolf", "as red as it", "blue", "green"))
    for text, early in [("B. grey as a wolf", None), ("B. grey as a wo", "cut_off")]:
        assert ends_early(Response(text), None, long) == early, text
    found = TextReader().read("B. grey as a wolf", long.options, long.labels)
    assert (found.rule, cause_of(found, Response("B. grey as a wolf"), long)) == (
        *("other_text", "several"),
    )


def test_a_thought_that_took_all_tokens_is_told_from_an_empty_reply() -> None:
    assert cause("", "length", reasoning="First, the sky") == "thought_open"


def test_a_server_that_gives_no_reason_is_judged_by_its_count_of_tokens() -> None:
    spent = Usage(completion_tokens=16)
    assert cause("First, the sky can be", None, 16, usage=spent) == "cut_off"
    assert cause("The sky is a fine thing.", None, 99, usage=spent) == "no_choice"


def test_problems_that_a_reply_leaves_out_are_cut_off_only_where_the_reply_was() -> None:
    left_out = Reading("truncated", (), "left_out", None, 0.99)
    assert cause_of(left_out, Response("1. A", "stop"), SHOWN, 34) == "no_choice"
    assert cause_of(left_out, Response("1. A\n2.", "length"), SHOWN, 34) == "cut_off"


def test_what_is_read_as_a_refusal_counts_as_one_however_unsure_the_reader_is() -> None:
    unsure = Reading("refusal", (), "signs", None, 0.4)
    assert cause_of(unsure, Response("I'm sorry, but no.", "stop"), SHOWN) == "refused"


def test_what_states_an_option_and_cannot_be_read_is_not_a_reply_without_a_choice() -> None:
    found = TextReader().read("grey, or else not", SHOWN.options, SHOWN.labels)
    if found.status == "unclear":
        assert cause("grey, or else not") == "unreadable"
    assert cause("Hmm.") == "no_choice"


def test_calls_without_a_reply() -> None:
    assert of_failure(None) == "not_asked"
    assert of_failure(Failure("timeout", "no answer in 60 s")) == "failed"
    assert of_failure(Failure("rejected", "400: content_filter, see policy")) == "filtered"


def test_the_list_is_closed() -> None:
    assert set(WORDS) == set(CAUSES)
    assert {of_status(status) for status in STATUSES} < set(CAUSES)
    assert NO_REPLY < LOST


def test_what_became_of_one_reply_is_said_as_of_several() -> None:
    loss = Loss(20, {"empty": 2, "thought_open": 1})
    assert loss.words == "3 of 20 replies were lost: 2 were empty and 1 was cut off in mid-thought"
