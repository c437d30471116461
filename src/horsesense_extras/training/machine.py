"""The device that trains: its name, and what was taken of its memory."""

from __future__ import annotations

from horsesense.stats.words import plural


def device_text(name: str) -> str:
    """The device in words."""
    import torch

    if name == "cpu" or not torch.cuda.is_available():
        return f"the CPU ({plural(torch.get_num_threads(), 'thread')})"
    return str(torch.cuda.get_device_name(0 if name in ("auto", "cuda") else name))


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
