"""An `LM` of lm-evaluation-harness made from any model of horsesense.

from horsesense_extras.integrations.lm_eval_model import HorsesenseLM
lm_eval.simple_evaluate(model=HorsesenseLM("hf:smollm2"), tasks=["arc_easy"])
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from lm_eval.api.model import LM

from horsesense.errors import ModelError, UsageError
from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.models.base import Asked, Capabilities, Model, NeedsAnswerKey
from horsesense.models.messages import Key, Message, Request, Response, SamplingParams
from horsesense.models.registry import make_model
from horsesense.runs.run import complete
from horsesense_extras.integrations.lm_eval_task import trial_of_document
from horsesense_extras.logs.carried import OURS

MAX_TOKENS: Final = 256
"""Longest reply where a task does not say."""


class HorsesenseLM(LM):  # type: ignore[misc]
    """One of our models as lm-eval calls it.

    A simulated or recorded model is told the trial behind a prompt, which it takes from the tasks
    of `horsesense export --to lm-eval-task`; it can answer no others. Whether a scored text is the
    greedy one is not known, and always given as False: metrics that need it (`acc` of tasks of the
    kind `loglikelihood`) are not to be used.

    Args:
        model: a model, or its specification ("hf:smollm2", "http:NAME@URL", ...).
        max_connections: calls under way together; the model's own limit by default.
    """

    def __init__(self, model: str | Model, max_connections: int | None = None, **_: Any) -> None:
        super().__init__()
        self.model = make_model(model) if isinstance(model, str) else model
        self.connections = max_connections or self.model.max_connections
        self._chats: dict[str, tuple[Message, ...]] = {}

    @property
    def tokenizer_name(self) -> str:
        """Names the chat template in caches of prompts: messages go to the model as they are."""
        return self.model.identity

    def chat_template(self, chat_template: bool | str = False) -> str:
        """No text: the model has its own."""
        return ""

    def apply_chat_template(
        self, chat_history: Sequence[Mapping[str, str]], add_generation_prompt: bool = True
    ) -> str:
        """The messages as a text that stands for them."""
        messages = tuple((m["role"], m["content"]) for m in chat_history)
        text = json.dumps(messages, ensure_ascii=False)
        self._chats[text] = messages  # type: ignore[assignment]
        return text

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """Replies, cut before the first of the strings that end them."""
        asked = [self._reply_to(instance) for instance in requests]
        answers = self._answers(asked, requests)
        return [
            _until(answer.text, instance.args[1].get("until") or ())
            for answer, instance in zip(answers, requests, strict=True)
        ]

    def _reply_to(self, instance: Any) -> Request:
        context, wanted = instance.args
        sampled = wanted.get("do_sample", False)
        params = SamplingParams(
            max_tokens=int(wanted.get("max_gen_toks", MAX_TOKENS)),
            temperature=float(wanted.get("temperature", 0.0)) if sampled else 0.0,
        )
        return self._request(context, params)

    def loglikelihood(
        self, requests: Sequence[Any], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Log-probabilities of continuations; those of one context are scored together."""
        by_context: dict[str, dict[str, None]] = {}
        for instance in requests:
            context, continuation = instance.args
            by_context.setdefault(context, {})[continuation] = None
        first = {instance.args[0]: instance for instance in reversed(requests)}
        asked = [
            self._request(context, SamplingParams(max_tokens=0, continuations=tuple(texts)))
            for context, texts in by_context.items()
        ]
        answers = self._answers(asked, [first[context] for context in by_context])
        scores = dict(zip(by_context, (a.continuations for a in answers), strict=True))
        return [(scores[i.args[0]][i.args[1]][0], False) for i in requests]

    def loglikelihood_rolling(
        self, requests: Sequence[Any], disable_tqdm: bool = False
    ) -> list[float]:
        raise NotImplementedError("horsesense's models score replies, not whole texts.")

    def _request(self, context: str, params: SamplingParams) -> Request:
        if context in self._chats:
            return Request(self._chats[context], None, params)
        return Request(None, context, params)

    def _answers(self, asked: Sequence[Request], instances: Sequence[Any]) -> list[Response]:
        """The answers in order; ModelError where one could not be had."""
        with TemporaryDirectory() as place, Store.open(Path(place) / "store.sqlite") as store:
            keys = complete(self._ask(asked, instances, store))
            found = store.get(list(dict.fromkeys(keys)))
            for failed in store.failures().values():
                raise ModelError(f"{self.model.name} did not answer: {failed.failure.message}")
        return [found[key] for key in keys]

    async def _ask(
        self, requests: Sequence[Request], instances: Sequence[Any], store: Store
    ) -> list[Key]:
        async with self.model as model:
            offers = await model.capabilities()
            asked = [self._offered(request, offers) for request in requests]
            keyed = [Asked(request.key(model.identity), request) for request in asked]
            if isinstance(model, NeedsAnswerKey):
                for each, instance in zip(keyed, instances, strict=True):
                    self._tell(model, each.key, instance.doc)
            await run(iter(keyed), model, store, total=len(keyed), max_connections=self.connections)
        return [each.key for each in keyed]

    def _offered(self, request: Request, offers: Capabilities) -> Request:
        """The request in a form that the model takes; UsageError where there is none."""
        if request.params.continuations and not offers.continuations:
            raise UsageError(
                f"{self.model.name} cannot score given texts.",
                hint="Use tasks that generate (export with --readers text), or a local model.",
            )
        if request.messages is None and not offers.completion:
            return replace(request, messages=(("user", request.text or ""),), text=None)
        return request

    def _tell(self, model: NeedsAnswerKey, key: Key, doc: Any) -> None:
        """Tell a simulated or recorded model the trial; UsageError where it has no answer to it."""
        ours = isinstance(doc, Mapping) and OURS in doc
        if not (ours and model.attach_trial(key, trial_of_document(doc))):
            raise UsageError(
                f"{self.model.name} answers trials of horsesense alone, and not this prompt.",
                hint="Take tasks of: horsesense export ITEMS FOLDER --to lm-eval-task.",
            )


def _until(text: str, ends: str | Sequence[str]) -> str:
    """A reply up to the first of the strings that end it."""
    for end in [ends] if isinstance(ends, str) else ends:
        text = text.split(end)[0] if end else text
    return text
