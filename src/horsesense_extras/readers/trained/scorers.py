"""The two kinds of models that read: an encoder of pairs, and a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from horsesense.readers.model_based.cases import Case, references
from horsesense.rng import Dice
from horsesense_extras.models.hf.tuning import trained_weights

if TYPE_CHECKING:
    from torch import Tensor

    from horsesense_extras.readers.training.examples import Example
    from horsesense_extras.readers.training.learners import ReaderRecipe


HEAD = "head.safetensors"

STATEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "X": "none of the options is the correct answer",
        "Y": "I cannot answer this question, I refuse to choose",
        "Z": "I do not know the answer",
    }
)
"""What a special class says in the place of an option."""

REPLY_TOKENS = 96
"""Of a longer reply the first and the last half of so many tokens are kept."""
OPTION_TOKENS = 40

_PAIRS = 256


class PairEncoder:
    """An encoder of the BERT kind with its head and its tokeniser.

    Attributes:
        body: the encoder; its `config.hidden_size` is the width of the head.
        head: hidden state -> score.
        tokenizer: with `cls` and `sep` tokens.
    """

    def __init__(self, body: Any, tokenizer: Any, trained: Path | None = None) -> None:
        """With the head that lies in the folder `trained`, or a new one (of zeros)."""
        import torch
        from safetensors.torch import load_file

        self.body = body
        self.tokenizer = tokenizer
        self.head = torch.nn.Linear(body.config.hidden_size, 1)
        if trained is None:
            torch.nn.init.zeros_(self.head.weight)
            torch.nn.init.zeros_(self.head.bias)
        else:
            self.head.load_state_dict(load_file(trained / HEAD))
        self.head.to(body.device)

    def save(self, folder: Path) -> None:
        """Weights as safetensors, with configuration and tokeniser."""
        from safetensors.torch import save_file

        self.body.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        save_file(self.head.state_dict(), folder / HEAD)

    def parameters(self) -> list[Any]:
        return trained_weights(self.body, self.head)

    def freeze(self, layers: int) -> None:
        """Leave the embeddings and the lowest `layers` layers as they are."""
        frozen = [self.body.embeddings, *self.body.encoder.layer[:layers]] if layers else []
        for part in frozen:
            part.requires_grad_(False)

    def train(self, on: bool) -> None:
        self.body.train(on)

    def pair(self, case: Case, place: int) -> list[int]:
        """Token ids of the reply and the class at `place` of `case.classes`."""
        known = case.classes[place]
        text = STATEMENTS[known] if isinstance(known, str) else _shown(case, known)
        reply = self._ids(case.response)
        if len(reply) > REPLY_TOKENS:
            half = REPLY_TOKENS // 2
            reply = reply[:half] + reply[-half:]
        cls, sep = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        return [cls, *reply, sep, *self._ids(text)[:OPTION_TOKENS], sep]

    def _ids(self, text: str) -> list[int]:
        # More characters than could be kept need not be tokenised: the ends are enough.
        if len(text) > 40 * REPLY_TOKENS:
            text = text[: 20 * REPLY_TOKENS] + " " + text[-20 * REPLY_TOKENS :]
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def usable(self, row: Example) -> bool:
        """Whether the model can learn from this reply."""
        return len(row.case.classes) > 1

    def loss(self, batch: Sequence[Example], step: int, recipe: ReaderRecipe) -> Tensor:
        """Cross-entropy of the right class among it and some wrong ones, drawn at each update."""
        import torch

        shown = []
        for n, row in enumerate(batch):
            wrong = [p for p in range(len(row.case.classes)) if p != row.target]
            dice = Dice(recipe.seed, f"{step}/{n}", "negatives")
            shown.append([row.target, *dice.sample(wrong, min(recipe.negatives, len(wrong)))])
        each = zip(batch, shown, strict=True)
        pairs = [self.pair(row.case, place) for row, places in each for place in places]
        scores = self.forward(pairs).split([len(places) for places in shown])
        zero = torch.zeros(1, dtype=torch.long, device=scores[0].device)
        losses = [torch.nn.functional.cross_entropy(row[None], zero) for row in scores]
        return torch.stack(losses).mean()

    def forward(self, pairs: Sequence[Sequence[int]]) -> Tensor:
        """One score a pair."""
        import torch

        longest = max(map(len, pairs))
        ids = torch.full((len(pairs), longest), self.tokenizer.pad_token_id)
        mask = torch.zeros(len(pairs), longest)
        second = torch.zeros(len(pairs), longest, dtype=torch.long)
        for row, pair in enumerate(pairs):
            ids[row, : len(pair)] = torch.tensor(pair)
            mask[row, : len(pair)] = 1
            second[row, pair.index(self.tokenizer.sep_token_id) + 1 : len(pair)] = 1
        device = self.body.device
        mask = mask.to(device)
        hidden = self.body(
            input_ids=ids.to(device), attention_mask=mask, token_type_ids=second.to(device)
        ).last_hidden_state
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.head(mean)[:, 0]

    def probabilities(self, cases: Sequence[Case]) -> list[list[float]]:
        """For each case the probabilities of `case.classes`; pairs of like length go together."""
        import torch

        keys = [(n, place) for n, case in enumerate(cases) for place in range(len(case.classes))]
        pairs = {key: self.pair(cases[key[0]], key[1]) for key in keys}
        keys.sort(key=lambda key: len(pairs[key]))
        scores: dict[tuple[int, int], float] = {}
        with torch.inference_mode():
            for start in range(0, len(keys), _PAIRS):
                batch = keys[start : start + _PAIRS]
                found = self.forward([pairs[key] for key in batch]).tolist()
                scores.update(zip(batch, found, strict=True))
        rows = [[scores[n, p] for p in range(len(case.classes))] for n, case in enumerate(cases)]
        return [torch.tensor(row).softmax(0).tolist() for row in rows]


def _shown(case: Case, position: int) -> str:
    """An option as it was shown."""
    return (
        f"{case.labels[position]}. {case.options[position]}"
        if case.labels
        else case.options[position]
    )


REPLY_CHARACTERS = 4000
"""Of a longer reply the first and the last half of so many characters are kept."""

_BATCH = 16


def prompt(case: Case, *, wrapped: bool) -> str:
    """What the model reads; causal models get it `wrapped` as an instruction."""
    if len(case.response) > REPLY_CHARACTERS:
        half = REPLY_CHARACTERS // 2
        case = case._replace(response=f"{case.response[:half]} {case.response[-half:]}")
    text = references(case)
    return f"[INST] Name the class of this reply.\n{text} [/INST]" if wrapped else text


class LanguageReader:
    """A language model with its tokeniser that scores the codes of a case.

    Attributes:
        model: a T5 (`seq2seq`) or causal model, with or without an adapter.
    """

    def __init__(self, model: Any, tokenizer: Any, *, seq2seq: bool) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.seq2seq = seq2seq
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token

    def parameters(self) -> list[Any]:
        return trained_weights(self.model)

    def train(self, on: bool) -> None:
        self.model.train(on)

    def save(self, folder: Path) -> None:
        """The whole model, or the adapter alone; tokeniser and configuration beside it."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def usable(self, row: Example) -> bool:
        """Whether the model can learn from this reply."""
        return self.code_tokens(row.case) is not None

    def loss(self, batch: Sequence[Example], step: int, recipe: ReaderRecipe) -> Tensor:
        """Cross-entropy of the right token over the whole vocabulary."""
        import torch

        logits = self.logits([row.case for row in batch]).float()
        right = [(self.code_tokens(row.case) or [])[row.target] for row in batch]
        return torch.nn.functional.cross_entropy(logits, torch.tensor(right, device=logits.device))

    def code_tokens(self, case: Case) -> list[int] | None:
        """The first token of each code; None where two codes begin alike."""
        lead = "" if self.seq2seq else " "
        ids = [self.tokenizer(lead + c, add_special_tokens=False)["input_ids"] for c in case.codes]
        # A tokeniser of words writes a lead of its own, which is the same for all codes.
        place = 1 if all(len(i) > 1 and i[0] == ids[0][0] for i in ids) else 0
        first = [i[place] for i in ids]
        return first if len(set(first)) == len(first) else None

    def logits(self, cases: Sequence[Case]) -> Tensor:
        """Scores of the whole vocabulary for the answer: cases x tokens."""
        import torch

        texts = [prompt(case, wrapped=not self.seq2seq) for case in cases]
        side = "right" if self.seq2seq else "left"
        given = self.tokenizer(texts, return_tensors="pt", padding=True, padding_side=side)
        device = self.model.device
        ids, mask = given["input_ids"].to(device), given["attention_mask"].to(device)
        if self.seq2seq:
            start = torch.full((len(cases), 1), self.model.config.decoder_start_token_id)
            out = self.model(input_ids=ids, attention_mask=mask, decoder_input_ids=start.to(device))
            return out.logits[:, -1]
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        # Only the last position is needed: logits of all of them would fill the memory.
        out = self.model(input_ids=ids, attention_mask=mask, position_ids=places, logits_to_keep=1)
        return out.logits[:, -1]

    def probabilities(self, cases: Sequence[Case]) -> list[list[float]]:
        """For each case the probabilities of `case.classes`; empty where codes begin alike."""
        import torch

        tokens = [self.code_tokens(case) for case in cases]
        order = sorted(
            (n for n, ids in enumerate(tokens) if ids is not None),
            key=lambda n: len(cases[n].response),
        )
        found: list[list[float]] = [[] for _ in cases]
        with torch.inference_mode():
            for start in range(0, len(order), _BATCH):
                batch = order[start : start + _BATCH]
                rows = self.logits([cases[n] for n in batch]).float()
                for n, row in zip(batch, rows, strict=True):
                    found[n] = row[tokens[n]].softmax(0).tolist()
        return found
