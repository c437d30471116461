"""The device that trains: its name, its memory, and what was taken of it."""

from __future__ import annotations

import os
from typing import Any

from horsesense.stats.words import plural


def _gpu(name: str) -> Any:
    """The properties of the GPU that a device name means; None for the CPU."""
    import torch

    if name == "cpu" or not torch.cuda.is_available():
        return None
    return torch.cuda.get_device_properties(0 if name in ("auto", "cuda") else name)


def device_text(name: str) -> str:
    """The device in words."""
    import torch

    gpu = _gpu(name)
    return gpu.name if gpu else f"the CPU ({plural(torch.get_num_threads(), 'thread')})"


def memory_of(name: str) -> int | None:
    """Bytes that a device has in all; None where that is not known."""
    gpu = _gpu(name)
    if gpu:
        return int(gpu.total_memory)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows has no such count
        return None


def peak_memory() -> int | None:
    """Bytes that this process took at most until now: of the GPU where there is one."""
    import torch

    if torch.cuda.is_available():
        return int(torch.cuda.max_memory_allocated())
    try:
        import resource
    except ImportError:  # Windows has no such count
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
