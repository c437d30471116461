"""Language models that name the class of a reply: T5 and causal models with a LoRA adapter.

The prompt is that of Look at the Text, section 4 and appendix; the answer is one token. Instead
of what comes first in the whole vocabulary, the most probable of the possible classes is taken,
so that every reply gets one of them with a probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.readers.model_based.cases import Case, references
from horsesense_extras.models.hf.tuning import trained_weights

if TYPE_CHECKING:
    from torch import Tensor

    from horsesense_extras.readers.training.examples import Example
    from horsesense_extras.readers.training.recipes import ReaderRecipe

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
