"""horsesense in a few calls, for scripts and notebooks.

audit = ask, read, measure and report in a row;  open = any run, at any stage
Side programs add `hs.cues` and `hs.load_log` (group `horsesense.api` in pyproject.toml).
"""

from __future__ import annotations

from horsesense.api.given import Items, ModelLike, default_out, model_of
from horsesense.api.models import compare, gate, sides
from horsesense.api.runs import Run, import_out, open
from horsesense.api.study import audit, check, plan, plan_study, read

__all__ = [
    "Items",
    "ModelLike",
    "Run",
    "audit",
    "check",
    "compare",
    "default_out",
    "gate",
    "import_out",
    "model_of",
    "open",
    "plan",
    "plan_study",
    "read",
    "sides",
]
