"""From trials to requests: templates, few-shot examples, chat or plain completion.

A template is a file of two parts with a line of three dashes between: the instruction, given
once, and the problem, which is repeated for every few-shot example. A user replaces one by
putting a file of the same name into a folder of their own. A template's version is the hash of
its text, so that a changed word changes the signature of every number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from jinja2 import TemplateError

from horsesense.errors import UsageError
from horsesense.files import MOST_SETTINGS, read_whole
from horsesense.items.item import Item, ItemSet, Kind
from horsesense.items.tasks import ANY, Task
from horsesense.models.messages import Message, Request, SamplingParams, as_thought
from horsesense.probes.base import LETTERS, show
from horsesense.probes.labels import LABEL_SETS
from horsesense.prompts.batched import answer_tokens, bundle_fields, examples, own, worked_answer
from horsesense.prompts.part import Part
from horsesense.rng import fingerprint, unit
from horsesense.trials.extras import Begun, Capped, Proposed, Served
from horsesense.trials.option_texts import as_replies, has_option_texts
from horsesense.trials.trial import BUNDLED, AnswerFormat, Trial, Variant, bundled

Style = Literal["chat", "completion"]

LONGER: Mapping[AnswerFormat, int] = MappingProxyType({"free": 64, "letters": 32, "equation": 256})
"""Least number of tokens for replies that need more than one label."""

NEUTRAL = "Answer:"
"""What asks for an answer and says nothing of the question (a domain premise, Holtzman et al.
2021, section 3)."""


class PromptTemplate(NamedTuple):
    """One form of prompt."""

    name: str
    version: str
    instruction: Part
    problem: Part


def load_template(name: str, folder: Path | None = None) -> PromptTemplate:
    """The template of that name, the user's own where `folder` has one.

    Raises UsageError if there is none, if it cannot be parsed, or if there is no such folder.
    """
    if folder is not None and not folder.is_dir():
        raise UsageError(
            f"There is no folder {folder} with prompt templates.",
            hint="Name the folder of your own .j2 files, or leave --templates out.",
        )
    own = None if folder is None else folder / f"{name}.j2"
    path = own if own is not None and own.exists() else None
    packaged = files("horsesense.prompts") / "templates" / f"{name}.j2"
    if path is None and not packaged.is_file():
        known = sorted(p.name[:-3] for p in (files("horsesense.prompts") / "templates").iterdir())
        raise UsageError.unknown("prompt template", name, known)
    try:
        found = read_whole(path, MOST_SETTINGS) if path else packaged.read_bytes()
        text = found.decode("utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from None
    instruction, dashes, problem = text.partition("\n---\n")
    if not dashes:
        raise UsageError(
            f"{path or name}: no line of three dashes.",
            hint="A template is an instruction, a line `---`, and the problem.",
        )
    try:
        parts = Part(instruction), Part(problem)
    except TemplateError as error:
        raise UsageError(f"{path or name}: {error}") from None
    return PromptTemplate(name, fingerprint(text)[:6], *parts)


@dataclass(frozen=True)
class Want:
    """What every request asks the model for, as far as it can give it.

    Attributes:
        max_tokens: limit of the reply; 0 for scores alone.
        temperature, top_p: decoding.
        effort, thinking_tokens: how much to think; tokens of thought come on top of `max_tokens`.
        top_logprobs: alternatives at the first positions.
        label_tokens: whether label log-probabilities are asked for by name.
        continuations: whether the options' texts are scored as the reply.
        unconditional: whether they are scored without the question too, after `NEUTRAL`.
    """

    max_tokens: int = 16
    temperature: float = 0.0
    top_p: float | None = None
    effort: str | None = None
    thinking_tokens: int | None = None
    top_logprobs: int = 0
    label_tokens: bool = False
    continuations: bool = False
    unconditional: bool = False


@dataclass(frozen=True)
class Shots:
    """Few-shot examples: the first `k` of an item's subject, or of all where it has none there.

    An example that is the item itself, or repeats it, is passed over.
    """

    items: ItemSet
    k: int

    def for_variant(self, variant: Variant) -> list[Item]:
        whole, subject = self.items.everything, variant.subject
        pool = whole if subject is None else self.items.by_subject.get(subject, whole)
        others = (s for s in pool if s.id != variant.item_id and s.question != variant.question)
        return list(islice(others, self.k))


@dataclass(eq=False)
class Prompter:
    """Turns trials into requests.

    Attributes:
        style: "chat" (messages) or "completion" (plain text that the answer continues).
        want: what to ask for.
        shots: few-shot examples; none by default.
        folder: where the user's own templates are.
        task: the words for what is classified.
    """

    style: Style = "chat"
    want: Want = Want()
    shots: Shots | None = None
    folder: Path | None = None
    task: Task = ANY
    _templates: dict[str, PromptTemplate] = field(default_factory=dict, init=False)

    def template(self, name: str) -> PromptTemplate:
        if name not in self._templates:
            self._templates[name] = load_template(name, self.folder)
        return self._templates[name]

    def signature(self, form: str) -> str:
        """Template, version, style, words of the task and number of examples."""
        task = "" if self.task.name == "any" else f", task={self.task.name}@{self.task.version}"
        shots = (
            "" if self.shots is None else f", shots={self.shots.k}@{self.shots.items.fingerprint}"
        )
        return f"{form}@{self.template(form).version}({self.style}{task}{shots})"

    def request(self, trial: Trial) -> Request:
        """The request for one trial."""
        template = self.template(trial.form)
        fields = self._fields(trial)
        instruction = template.instruction.render(fields)
        problems = [(template.problem.render(fields), "")]
        if trial.answer_format in BUNDLED:
            problems = [*self._worked(trial, template), *problems]
        elif self.shots is not None:
            shots = self.shots.for_variant(trial.variants[0])
            problems = [self._shot(trial, template, shot) for shot in shots] + problems
        params, extras = self._params(trial), trial.extras
        begun = as_thought(extras.thought) if isinstance(extras, Begun) else ""
        if self.style == "completion":
            return Request(None, _as_text(instruction, problems) + begun, params)
        messages = _as_messages(instruction, problems)
        return Request((*messages, ("assistant", begun)) if begun else messages, None, params)

    def instruction(self, trial: Trial) -> str:
        """What a prompt says before the problem."""
        return self.template(trial.form).instruction.render(self._fields(trial))

    def _fields(self, trial: Trial) -> Mapping[str, Any]:
        if trial.answer_format in BUNDLED:
            return bundle_fields(trial, own(trial), self.task)
        return template_fields(trial, self.task)

    def _worked(self, trial: Trial, template: PromptTemplate) -> Iterator[tuple[str, str]]:
        """Worked bundles: one that reasons where the trial wants that, else as many as set."""
        reasons, own_shots = bundled(trial).cot, bundled(trial).shots
        if (reasons or own_shots) and self.shots is None:
            wanted = "cot=1 shows a worked example" if reasons else f"shots={own_shots}"
            raise UsageError(
                f"probe {trial.probe}: {wanted}, of which file?", hint="Give --shots-from FILE."
            )
        if self.shots is None:
            return
        count = own_shots or (1 if reasons else self.shots.k)
        for shown in examples(trial, self.shots.items, count, self.task):
            fields = bundle_fields(trial, shown, self.task)
            yield template.problem.render(fields), worked_answer(trial, shown)

    def _shot(self, trial: Trial, template: PromptTemplate, item: Item) -> tuple[str, str]:
        """An example in the form of the trial: same kind of labels, question withheld alike."""
        if item.gold is None:
            raise UsageError(f"few-shot item {item.id!r} has no gold answer.")
        if trial.answer_format == "yes_no":
            proposed, answer = _judged_example(trial, item, item.gold)
            fields = template_fields(trial, self.task, show(item, "choice"))
            return template.problem.render({**fields, "proposed": proposed}), answer
        shown = trial.variants[0]
        kind: Kind = "choice" if shown.labels else "label"
        labels = _stretched(shown.labels, len(item.options)) if shown.labels else None
        question = None if shown.question is None else ""
        variant = show(item, kind, labels=labels, question=question)
        answer = variant.labels[item.gold] if variant.labels else variant.options[item.gold]
        return template.problem.render(template_fields(trial, self.task, variant)), answer

    def _params(self, trial: Trial) -> SamplingParams:
        want, replies = self.want, self._replies(trial)
        begun = isinstance(trial.extras, Begun)
        if begun:
            want = replace(want, effort=None, thinking_tokens=None)  # it is to think no more
        if begun or (isinstance(trial.extras, Served) and trial.extras.against and want.max_tokens):
            # Another server may give no scores; its replies are what is compared.
            want, replies = replace(want, top_logprobs=0, label_tokens=False), ()
        room = max(want.max_tokens, _room(trial)) + (want.thinking_tokens or 0)
        if isinstance(trial.extras, Capped):
            room = trial.extras.cap
        return SamplingParams(
            max_tokens=room if want.max_tokens else 0,
            temperature=want.temperature,
            top_p=want.top_p,
            effort=want.effort,
            thinking_tokens=want.thinking_tokens,
            top_logprobs=want.top_logprobs,
            label_tokens=_watched(trial) if want.label_tokens else (),
            continuations=replies,
            sample=trial.sample,
            unconditional=NEUTRAL if replies and want.unconditional else None,
        )

    def _replies(self, trial: Trial) -> tuple[str, ...]:
        """The options' texts as this style's replies; none where they are not to be scored."""
        if not self.want.continuations or not has_option_texts(trial):
            return ()
        return as_replies(trial.variant.options, " " if self.style == "completion" else "")


def _room(trial: Trial) -> int:
    """Tokens that a reply needs at least."""
    if trial.answer_format == "rewording":
        # Twice the question at 4 bytes a token, and 1.5 tokens a character of 3 bytes.
        return 64 + len((trial.variant.question or "").encode()) // 2
    return (
        answer_tokens(trial)
        if trial.answer_format in BUNDLED
        else LONGER.get(trial.answer_format, 0)
    )


def _watched(trial: Trial) -> tuple[str, ...]:
    """The texts whose probability as the first token is wanted."""
    labels = trial.variants[0].labels
    if trial.answer_format == "yes_no":
        return (*labels, *(word.lower() for word in labels), *(word.upper() for word in labels))
    return labels if trial.answer_format == "letter" else ()


def template_fields(trial: Trial, task: Task, variant: Variant | None = None) -> Mapping[str, Any]:
    """What a template may use: the item as shown, the trial's extras and the words of the task."""
    shown = variant or trial.variants[0]
    labels = shown.labels or ("",) * len(shown.options)
    return {
        **trial.extras.named(),
        "context": shown.context,
        "question": shown.question,
        "text_b": shown.text_b,
        "target": shown.target,
        "options": list(zip(labels, shown.options, strict=True)),
        "label_noun": _label_noun(shown.labels),
        "variants": trial.variants,
        "task": task,
    }


def _judged_example(trial: Trial, item: Item, gold: int) -> tuple[str, str]:
    """An example that proposes one answer: the right one or, for half of the items, a wrong one."""
    number = gold
    if unit(b"proposed", item.id.encode()) < 0.5 and len(item.options) > 1:
        number = (gold + 1) % len(item.options)
    asked = trial.extras
    assert isinstance(asked, Proposed), "only trials that propose an answer ask for yes or no"
    accepted = (number == gold) == (asked.quality == "correct")
    return item.options[number], "Yes" if accepted else "No"


@lru_cache(maxsize=256)
def _label_noun(labels: tuple[str, ...]) -> str:
    if all(label.isalpha() for label in labels):
        return "letter"
    return "number" if all(label.isdigit() for label in labels) else "sign"


def _stretched(labels: tuple[str, ...], k: int) -> tuple[str, ...]:
    """Labels of the same set for an example with `k` options."""
    for known in (LETTERS, *LABEL_SETS.values()):
        if known[: len(labels)] == labels and len(known) >= k:
            return known[:k]
    raise UsageError(f"a few-shot item has {k} options, more than there are labels.")


def _as_text(instruction: str, problems: Sequence[tuple[str, str]]) -> str:
    blocks = [f"{problem} {answer}".rstrip() for problem, answer in problems]
    return "\n\n".join([instruction, *blocks])


def _as_messages(instruction: str, problems: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
    """The instruction opens the first user message; examples are turns of their own."""
    messages: list[Message] = []
    for place, (problem, answer) in enumerate(problems):
        content = f"{instruction}\n\n{problem}" if place == 0 else problem
        messages.append(("user", content))
        if answer:
            messages.append(("assistant", answer))
    return tuple(messages)
