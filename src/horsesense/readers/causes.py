"""Why a reply counts as it does: one closed list of causes, told from all that came back.

A reading says what a reply says. A cause adds how it came about: a reply may be empty because the
limit on tokens was spent on a thought, or because the provider held it back. What counts as a
number's wrong answer and what as its missing one is decided here, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args

from horsesense.expressions import expression
from horsesense.models.messages import WITHHELD, Failure, Response, broken_off, ended_by
from horsesense.readers.reading import Reading, Status
from horsesense.stats.words import agreeing
from horsesense.trials.trial import Variant

Cause = Literal[
    "choice",
    "several",
    "none",
    "refused",
    "no_choice",
    "cut_off",
    "thought_open",
    "empty",
    "filtered",
    "failed",
    "not_asked",
    "unreadable",
]
"""What became of a prompt:

choice        the reply chooses one option, or as many as were asked for
several       it chooses several where one was asked for, or contradicts itself
none          it says that no option is right
refused       it declines to answer, or says that it cannot be determined
no_choice     it is whole and states no choice, or one that was not offered
cut_off       it ends before an answer: the limit on tokens, a loop, an unfinished last sentence
thought_open  it is a thought that was not ended
empty         nothing came, and nothing says why
filtered      the provider held the reply back
failed        the call gave no reply, or an error in its place
not_asked     the prompt was not sent
unreadable    it states a choice that no reader can tell, repeats the options or one sign and
              nothing else, or writes the other side's turn (a wrong chat template)
"""

CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
WORDS: Final[Mapping[Cause, str]] = {
    "choice": "chose an option",
    "several": "chose several options",
    "none": 'said "none"',
    "refused": "refused",
    "no_choice": "stated no choice",
    "cut_off": "cut off",
    "thought_open": "cut off in mid-thought",
    "empty": "empty",
    "filtered": "held back by the provider",
    "failed": "failed",
    "not_asked": "not asked",
    "unreadable": "unreadable",
}
"""What a page calls each."""
NO_REPLY: Final[frozenset[Cause]] = frozenset(("failed", "not_asked"))
"""Without a reply there is nothing to grade."""
LOST: Final[frozenset[Cause]] = frozenset(
    ("cut_off", "thought_open", "empty", "filtered", "failed", "not_asked", "unreadable")
)
"""What may say more of the instrument than of the model: these leave a score open."""
BECAME: Final[Mapping[Cause, str]] = {
    "cut_off": "were cut off",
    "thought_open": "were cut off in mid-thought",
    "empty": "were empty",
    "filtered": "were held back by the provider",
    "unreadable": "were unreadable",
    "failed": "failed",
    "no_choice": "stated no choice",
    "refused": "refused to answer",
}
"""The same of replies that say nothing of what the model knows, as a sentence says it."""
REMEDY: Final[Mapping[Cause, str]] = {
    "cut_off": "Give a larger --max-tokens, or a prompt that asks for a short answer.",
    "thought_open": "Give a larger --max-tokens, --thinking-tokens N, or a lower --effort.",
    "empty": "Look at the chat template of the server, and try --style completion.",
    "filtered": "The provider holds replies back: ask another one.",
    "failed": "Look at the server, or ask fewer at once (--max-connections).",
    "unreadable": "Look at the chat template of the server and at the prompt (--templates).",
    "no_choice": "Look at some replies, and whether the prompt asks for a choice.",
    "refused": "Look at what filters replies, and whether the prompt reads as harmful.",
}
"""What to look at first."""
SILENT: Final[frozenset[Cause]] = frozenset(("no_choice", "refused"))
"""What a model does now and then, and a wrong prompt or a filter makes of nearly every reply."""
TOO_MANY: Final = 0.2
"""Share of lost replies above which a score tells of the instrument before it tells of a model."""
NEARLY_ALL: Final = 0.9

_OF_STATUS: Final[Mapping[Status, Cause]] = {
    "answer": "choice",
    "none": "none",
    "refusal": "refused",
    "unknown": "no_choice",
    "ambiguous": "several",
    "illegal": "no_choice",
    "truncated": "cut_off",
    "empty": "empty",
    "unclear": "unreadable",
}
TEMPLATE: Final = expression(
    r"<\|(?:im_start|start_header_id)\|>|<start_of_turn>|\[INST\]"
    r"|\A\s*(?:(?:[<[](?:pad|PAD|unk|UNK)[]>]\s*)+|([^\w\s])(?:\s*\1){3,}\s*)\Z"
)
"""What begins a turn: a reply that writes one was asked with the wrong template. And a whole reply
of filling tokens, or of one sign over and over."""
_OF_SERVER: Final = expression(
    r"""(?isx)\{\s*"(?:error"|detail"|(?:object|type)":\s*"error").*\}
    |(?:(?:http|api|server)\s)?error(?:\scode)?\W{0,3}[45]\d\d\b.{0,500}
    |(?:error\W+)?(?:[45]\d\d\W+)?(?:internal\sserver\serror|too\smany\srequests|bad\sgateway
      |service\s(?:temporarily\s)?unavailable|gateway\stime-?out|request\stimed\sout
      |rate\slimit\s(?:reached|exceeded))\b[^\n]{0,200}
    |(?=.*(?:error|unavailable|denied|\b[45]\d\d\b))(?:<!doctype[^>]*>\s*)?<html\b.*</html>
    |(?=.*(?:content|safety|usage))(?:the\s|your\s)?(?:response|prompt|output|request|content)\s
      (?:(?:was|has\sbeen|is)\s)?(?:filtered|blocked|flagged|withheld)\b.{0,400}"""
)
"""A whole reply that a server or a gateway wrote in the place of the model."""
_UNFINISHED: Final = expression(r"[^\s.!?:;)\]}\"'`*$|。！？…>]\s*\Z")
_WORDS: Final = 3
"""More words than these are a sentence, whose end without a stop is the sign of a cut."""
_LABELS: Final = (".", ")", ":")
"""What stands between a label and an option's text."""
_MORE: Final = expression(
    r"(?:[,:(\[=+/–-]|\b(?:an?|the|of|to|in|on|at|by|for|from|with|that|this|and|or|but|is|are|was"
    r"|be|has|have|which|as|if|so|since|because|we|it|its|not|than|can|would|could)"
    r"|(?:\A|\n)\w[.)] [^\n]+\n\w[.)])\s*\Z"
)
"""An end behind which more must come, however short the text is."""
WEIGHED: Final = frozenset(("signs", "other_text", "named", "likeness", "weak"))
"""Rules of readings that the sum of all signs speaks for, and no statement."""
LONG: Final = 100
"""Characters from which a choice that is only weighed is none if the reply ends early."""


def of_status(status: Status) -> Cause:
    """The cause of a reading of which nothing but its status is known."""
    return _OF_STATUS[status]


def of_failure(failure: Failure | None) -> Cause:
    """The cause of a prompt without a reply, from what its call failed with; None: not sent."""
    if failure is None:
        return "not_asked"
    return "filtered" if WITHHELD.search(failure.message) else "failed"


def cause_of(
    reading: Reading, response: Response, variant: Variant, cap: int | None = None
) -> Cause:
    """What became of a prompt that has a reply.

    Args:
        variant: what the reply was read against.
        cap: the limit on tokens that was asked for, where it is known.
    """
    text, found = response.text, _OF_STATUS[reading.status]
    weighed = reading.rule in WEIGHED
    if reading.rule == "left_out" and found in ("cut_off", "empty"):
        # One of several problems: the reply answers others, and need not have been cut.
        return ends_early(response, cap, variant) or "no_choice"
    if found == "choice" and not weighed:
        return found
    stated = found in ("several", "none") and not weighed
    if not stated and (instead := _of_provider(response, found)):
        return instead
    if found == "choice" and len(text) <= LONG:
        return found
    if found != "choice" and (TEMPLATE.search(text) or echoes(reading, text, variant)):
        return "unreadable"
    if found in ("several", "none", "refused") and not weighed:
        return found
    if not text.strip() and response.continuations:
        return found  # scores alone were asked for
    if reading.status in ("unknown", "illegal") and not weighed:
        return found
    ended = ends_early(response, cap, variant)
    if ended:
        return ended
    if found == "unreadable":
        return "unreadable" if states(text, variant) else "no_choice"
    return found


def cause_unread(response: Response, cap: int) -> Cause:
    """The same of a reply in a free form, in which no choice is looked for: lost where nothing came
    but a thought. A limit may well cut off what stands behind an answer."""
    ended = ends_early(response, cap)
    if instead := _of_provider(response, "unreadable"):
        return instead
    if not response.text.strip():
        return ended or "empty"
    return ended if ended == "thought_open" else "choice"


def _of_provider(response: Response, found: Cause) -> Cause | None:
    """What a server did or wrote in the place of a reply, told by its reason first."""
    text = response.text.strip()
    wrote = found != "choice" and _OF_SERVER.fullmatch(text)
    if wrote and WITHHELD.search(text):
        return "filtered"
    return broken_off(response.finish_reason) or ("failed" if wrote else None)


def ends_early(
    response: Response, cap: int | None = None, variant: Variant | None = None
) -> Cause | None:
    """Whether a reply, or the thought before it, was cut off; None where it ended by itself, also
    with a label, the whole text of an option, or before a next question of its own making."""
    # Here and not above: what is needed before the first request loads no reader.
    from horsesense.readers.text.page import loops, prepare

    text, thought = response.text, bool(response.reasoning or response.usage.reasoning_tokens)
    spent = response.usage.completion_tokens
    full = cap is not None and cap > 1 and spent is not None and spent >= cap
    reason = ended_by(response.finish_reason)
    at_limit = reason == "length" or (reason is None and full)
    page = prepare(text) if text.strip() else None
    if page is not None and page.thinks:
        return "thought_open"
    if page is not None and page.whole:
        return None
    if at_limit:
        return "thought_open" if thought and not text.strip() else "cut_off"
    if loops(text):
        return "cut_off"
    # A server that says that the reply ended by itself is believed: many do without a full stop.
    if reason is not None or (variant is not None and _ends_on_option(text, variant)):
        return None
    open_end = len(text.split()) > _WORDS and _UNFINISHED.search(text)
    return "cut_off" if open_end or _MORE.search(text) else None


def _ends_on_option(text: str, variant: Variant) -> bool:
    """Whether a reply ends with a label, or behind one with the whole text of an option."""
    said = " ".join(text.split())
    for option in variant.options:
        own = " " + " ".join(option.split()).removesuffix(".")
        if said.endswith(own) and said.removesuffix(own).rstrip(" *_")[-1:] in _LABELS:
            return True
    return said.rpartition(" ")[2] in variant.labels


def states(text: str, variant: Variant) -> bool:
    """Whether a reply names an option, by its label or its words."""
    folded = text.casefold()
    named = any(
        re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text)
        for label in variant.labels
        if label and label in text
    )
    return named or any(o.casefold() in folded for o in variant.options if len(o) > 2)


def echoes(reading: Reading, text: str, variant: Variant) -> bool:
    """Whether a reply repeats the options as they were shown, and states nothing behind them."""
    if not variant.labels or len(variant.options) < 2:
        return False
    if not all(option in text for option in variant.options):
        return False  # most replies: no pattern is made for them
    at = 0
    for label, option in zip(variant.labels, variant.options, strict=True):
        line = expression(rf"^\W*{re.escape(label)}\W{{1,3}}{re.escape(option)}\W*$", re.MULTILINE)
        found = line.search(text, at)
        if found is None:
            return False
        at = found.end()
    return reading.span is None or reading.span[0] < at


class Loss(NamedTuple):
    """How many replies are lost to the instrument, of all prompts that were asked.

    Attributes:
        prompts: how many were asked.
        causes: how many are lost for each cause.
    """

    prompts: int
    causes: Mapping[Cause, int]

    @classmethod
    def of(cls, causes: Mapping[Cause, int]) -> Loss:
        """From what became of the prompts.

        Replies without a choice count where nearly all say nothing: no model is known by them.
        """
        asked: dict[Cause, int] = {cause: n for cause, n in causes.items() if cause != "not_asked"}
        of = sum(asked.values())
        lost: dict[Cause, int] = {c: n for c, n in asked.items() if c in LOST}
        silent: dict[Cause, int] = {c: n for c, n in asked.items() if c in SILENT}
        if sum(lost.values()) + sum(silent.values()) >= NEARLY_ALL * of:
            lost |= silent
        return cls(of, lost)

    @property
    def lost(self) -> int:
        return sum(self.causes.values())

    @property
    def share(self) -> float:
        """0 where nothing was asked."""
        return self.lost / self.prompts if self.prompts else 0.0

    @property
    def remedy(self) -> str:
        """What to look at first; "" where nothing is lost."""
        return REMEDY[max(self.causes, key=self.causes.__getitem__)] if self.causes else ""

    @property
    def words(self) -> str:
        """The causes, the most frequent first: "40 of 40 replies were empty"."""
        each = sorted(self.causes.items(), key=lambda pair: -pair[1])
        of = f"{self.lost:,} of {self.prompts:,} {'reply' if self.prompts == 1 else 'replies'}"
        if len(each) == 1:
            return f"{of} {agreeing(self.lost, BECAME[each[0][0]])}"
        *first, last = (f"{n:,} {agreeing(n, BECAME[cause])}" for cause, n in each)
        return f"{of} {agreeing(self.lost, 'were')} lost: {', '.join(first)} and {last}"
