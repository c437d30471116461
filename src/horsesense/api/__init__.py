"""horsesense in a few calls, for scripts and notebooks.

audit = ask, read, measure and report in a row;  open = any run, at any stage
load_log = a run from the logs of another program
"""

from __future__ import annotations

from horsesense.api.benchmark import check, cues
from horsesense.api.given import Items, ModelLike, default_out, model_of
from horsesense.api.models import compare, sides
from horsesense.api.runs import Run, import_out, load_log, open
from horsesense.api.study import audit, plan, plan_study, read

__all__ = [
    "Items",
    "ModelLike",
    "Names",
    "Run",
    "audit",
    "check",
    "compare",
    "cues",
    "default_out",
    "import_out",
    "load_log",
    "model_of",
    "open",
    "plan",
    "plan_study",
    "read",
    "sides",
]
