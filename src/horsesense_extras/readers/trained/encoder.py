"""A small encoder that scores (reply, option) pairs: the same for any number and order of options.

Each pair is one sequence, `[CLS] reply [SEP] label. option [SEP]`; a linear layer on the mean of
its last hidden states gives one number, and a softmax over the pairs of a reply a distribution
over its options and over the special classes, each of which is a sentence. No option sees
another, so that the order of options cannot matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from horsesense.readers.model_based.cases import Case
from horsesense.rng import Dice
from horsesense_extras.models.hf.tuning import trained_weights

if TYPE_CHECKING:
    from torch import Tensor

    from horsesense_extras.readers.training.examples import Example
    from horsesense_extras.readers.training.recipes import ReaderRecipe

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
