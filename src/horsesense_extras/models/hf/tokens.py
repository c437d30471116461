"""Between text and the tokens of one local model: prompts, replies, spellings of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from math import exp, isnan, log
from typing import Any

from jinja2 import TemplateError

from horsesense.models.messages import Failure, Message, Request, Response, Usage
from horsesense.stats.words import plural

_END_OF_TURN = ("<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "</s>")
# Some chat templates print today's date: the same request would be another prompt tomorrow.
_FIXED_DATE = "26 Jul 2024"
THINK = "<think>"
"""What begins a thought; some templates write it themselves."""

Scores = Mapping[str, tuple[float, int]]
"""Text -> its total log-probability, and its number of tokens."""


def without_question(request: Request) -> Request | None:
    """The prompt of `SamplingParams.unconditional`; None where nothing is asked without one."""
    text = request.params.unconditional
    if text is None:
        return None
    if request.messages is None:
        return Request(None, text, request.params)
    return Request((("user", text),), None, request.params)


def refuse_too_long(prompt: Sequence[int], more: str, n: int, longest: float) -> None:
    """ValueError where a prompt and the `n` tokens that `more` tells of do not fit together."""
    if len(prompt) + n > longest:
        raise ValueError(
            f"the prompt has {plural(len(prompt), 'token')} and {more}; the model takes"
            f" {longest} in all"
        )


class Tokens:
    """A tokeniser of transformers with its chat template.

    Args:
        tokenizer: what `AutoTokenizer` gives.
        stop_ids: tokens that end a reply by the model's own configuration.
    """

    def __init__(self, tokenizer: Any, stop_ids: Sequence[int] = ()) -> None:
        self._tokenizer = tokenizer
        known = tokenizer.get_vocab()
        named = {known[name] for name in _END_OF_TURN if name in known}
        own = {tokenizer.eos_token_id} - {None}
        self.stop_ids = frozenset({*stop_ids, *own, *named})
        # Text is decoded after this ordinary character, or a leading space could be lost.
        self._anchor: list[int] = tokenizer.encode("a", add_special_tokens=False)

    @property
    def has_template(self) -> bool:
        return bool(self._tokenizer.chat_template)

    @property
    def end_of_turn(self) -> int | None:
        """The token that ends a reply in texts to learn from; None where none is known."""
        eos = self._tokenizer.eos_token_id
        return eos if eos is not None else min(self.stop_ids, default=None)

    def save(self, folder: str) -> None:
        """Write the tokeniser's files into a model directory."""
        self._tokenizer.save_pretrained(folder)

    def prompt(self, request: Request) -> tuple[int, ...]:
        """Token ids of the prompt, with the template's or the tokeniser's own special tokens.

        Raises:
            ValueError: messages for a model without a chat template, or refused by it.
        """
        return self._prompt(request.messages, request.text)

    # A prompt is counted before it is asked: the same tokens are wanted twice.
    @lru_cache(maxsize=1024)  # noqa: B019 - one tokeniser lives as long as its backend
    def _prompt(self, messages: tuple[Message, ...] | None, text: str | None) -> tuple[int, ...]:
        if messages is None:
            return self._completion(text or "")
        return tuple(self._encode(self._rendered(messages)))

    def replies(self, request: Request, texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
        """Token ids of each text as what follows the prompt of `request`.

        They are the tokens of prompt and text together, less those of the prompt. Where the two
        would merge over the seam, the prompt's tokens stay as they were sent and the text is
        tokenised by itself: that is how the model would have to write it.
        """
        if not texts:
            return {}
        messages = request.messages
        before = (request.text or "") if messages is None else self._rendered(messages)
        bare = self._encode(before)
        found = {}
        for text in texts:
            whole = self._encode(before + text)
            follows = len(whole) > len(bare) and whole[: len(bare)] == bare
            found[text] = tuple(whole[len(bare) :] if follows else self._alone(text))
        return found

    def text(self, ids: Sequence[int]) -> str:
        """The text of `ids` in the middle of a text: spaces and special tokens are kept."""
        return self._decode([*self._anchor, *ids])[len(self._decode(self._anchor)) :]

    @cached_property
    def _vocabulary(self) -> dict[str, list[int]]:
        """Text without surrounding space -> tokens that spell it."""
        spelled: dict[str, list[int]] = {}
        for token in range(len(self._tokenizer)):
            spelled.setdefault(self.text([token]).strip(), []).append(token)
        return spelled

    @lru_cache(maxsize=4096)  # noqa: B019 - one tokeniser lives as long as its backend
    def spellings(self, watch: tuple[str, ...]) -> tuple[int, ...]:
        """Every token that alone spells one of the texts, with or without space around it."""
        return tuple(sorted({t for text in watch for t in self._vocabulary.get(text, ())}))

    def by_text(self, found: Mapping[int, float]) -> dict[str, float]:
        """Log-probabilities by token text; tokens of the same text are added up."""
        out: dict[str, float] = {}
        for token, value in sorted(found.items(), key=lambda pair: -pair[1]):
            text = self.text([token])
            # Pieces of a character have no text of their own: they must not be added up.
            text = f"<token {token}>" if "\ufffd" in text else text
            held = out.get(text)
            out[text] = value if held is None else held + log(1 + exp(value - held))
        return out

    def response(
        self,
        prompt: Sequence[int],
        written: Sequence[int],
        positions: Sequence[Mapping[str, float]],
        given: Scores,
        bare: Scores,
    ) -> Response | Failure:
        """The response of a model that wrote these tokens; a Failure where a number is NaN.

        Args:
            prompt, written: token ids; a reply that ended keeps the token that ended it.
            positions: text -> log-probability at each first position.
            given, bare: scored texts after the prompt, and without its question.
        """
        numbers = [value for position in positions for value in position.values()]
        if any(map(isnan, [*numbers, *(value for value, _ in (*given.values(), *bare.values()))])):
            return Failure("malformed", "the model gave NaN", retryable=False)
        stopped = bool(written) and written[-1] in self.stop_ids
        return Response(
            text=self.text(written[:-1] if stopped else written),
            finish_reason=("stop" if stopped else "length") if written else None,
            token_logprobs=tuple(
                {text: round(value, 6) for text, value in position.items()}
                for position in positions
            ),
            continuations={text: (round(value, 6), n) for text, (value, n) in given.items()},
            unconditional={text: (round(value, 6), n) for text, (value, n) in bare.items()},
            usage=Usage(len(prompt), len(written)),
        )

    def _completion(self, text: str) -> tuple[int, ...]:
        ids = self._tokenizer.encode(text)
        bos, stop = self._tokenizer.bos_token_id, self._tokenizer.eos_token_id
        if len(ids) > 1 and ids[:2] == [bos, bos]:
            ids = ids[1:]
        # A tokeniser that closes texts would ask what follows their end.
        if len(ids) > 1 and ids[-1] == stop and not text.endswith(self._tokenizer.eos_token):
            ids = ids[:-1]
        # An empty prompt still needs one token from which to go on.
        return tuple(ids or [bos if bos is not None else self._anchor[0]])

    def _rendered(self, messages: Sequence[Message]) -> str:
        if not self.has_template:
            raise ValueError("the model has no chat template: ask it in the completion form")
        # Templates drop the thought of a reply that is begun: it is put behind what they make.
        begun = messages[-1][1] if messages[-1][0] == "assistant" else ""
        messages = messages[:-1] if begun else messages
        try:
            rendered: str = self._tokenizer.apply_chat_template(
                [{"role": role, "content": content} for role, content in messages],
                tokenize=False,
                add_generation_prompt=True,
                date_string=_FIXED_DATE,
                strftime_now=lambda form: _FIXED_DATE,
            )
        except (TemplateError, ValueError, TypeError) as error:
            raise ValueError(f"the model's chat template refused it: {error}") from error
        opened = rendered.rstrip().endswith(THINK) and begun.startswith(THINK)
        return rendered.rstrip() + begun.removeprefix(THINK) if opened else rendered + begun

    def _alone(self, text: str) -> list[int]:
        """Tokens of `text` in the middle of a text, by the first of two ways that gives it back."""
        for lead in ("", "\n"):
            before = self._encode(lead)
            ids = self._encode(lead + text)[len(before) :]
            if self.text(ids) == text:
                return ids
        return self._encode(text)

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False)
        return ids

    def _decode(self, ids: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(
            ids, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return text
