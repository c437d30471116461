"""Attention of a trie in blocks: what no node of a block sees is not multiplied at all.

The nodes of a trie stand depth first, so that neighbours share most of their ancestors: a block
of them sees few keys beside its own. Of the 950 nodes of an item's 24 orders each sees 150 keys
at most, and attention under one large mask would compute all 950.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

ROWS = 64
"""Nodes of a block: smaller ones compute less in vain, larger ones copy fewer keys."""
_NAME = "horsesense_trie"


class Block(NamedTuple):
    """Rows of queries with the keys that they see: indices of keys, mask added to the scores."""

    rows: slice
    keys: Tensor
    mask: Tensor


def masked(seen: np.ndarray, like: Any, rows: int = ROWS) -> Tensor:
    """A mask [1, 1, nodes, keys] to be added to the scores; on a CPU it carries its `blocks`.

    Args:
        seen: which keys each node sees, bool [nodes, keys].
        like: a model or tensor, whose type of numbers and device the mask has.
        rows: nodes of a block.
    """
    # Numbers instead of bool: the one form that every attention implementation takes.
    mask = torch.zeros(seen.shape, dtype=like.dtype)
    mask.masked_fill_(torch.from_numpy(~seen), torch.finfo(mask.dtype).min)
    whole = mask[None, None].to(like.device)
    if whole.device.type == "cpu":
        whole.blocks = []
        for start in range(0, len(seen), rows):
            block = slice(start, start + rows)
            keys = torch.from_numpy(np.flatnonzero(seen[block].any(0)))
            whole.blocks.append(Block(block, keys, mask[block, keys]))
    return whole


@contextmanager
def in_blocks(model: Any, mask: Tensor) -> Iterator[None]:
    """Compute attention in the blocks of `mask`, if it has any and the model uses torch's."""
    config = model.config.get_text_config()
    usual = config._attn_implementation
    if usual == "sdpa" and hasattr(mask, "blocks"):
        config._attn_implementation = _NAME
    try:
        yield
    finally:
        config._attn_implementation = usual


def _attend(
    module: Any, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor, **more: Any
) -> tuple[Tensor, None]:
    """[1, nodes, heads, d]: as `sdpa`, and the same where the mask has no blocks."""
    blocks = getattr(attention_mask, "blocks", None)
    if blocks is None or more.get("position_bias") is not None:
        out, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **more)
        return out, None
    heads, shared = query.shape[1], key.shape[1]
    out = query.new_empty(1, query.shape[2], heads, value.shape[-1])
    for rows, keys, mask in blocks:
        # [shared, heads of each, rows, d]: keys that several heads share are not copied for each.
        asked = query[0, :, rows].unflatten(0, (shared, -1))
        held = key[0].index_select(1, keys)[:, None].expand(-1, heads // shared, -1, -1)
        given = value[0].index_select(1, keys)[:, None].expand(-1, heads // shared, -1, -1)
        found = scaled_dot_product_attention(
            asked, held, given, attn_mask=mask, scale=more.get("scaling")
        )
        out[0, rows] = found.flatten(0, 1).transpose(0, 1)
    return out, None


AttentionInterface.register(_NAME, _attend)
