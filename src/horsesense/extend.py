"""All that a plug-in of another package is written with.

A package adds to horsesense by entry points, and needs no change of horsesense itself:

    [project.entry-points."horsesense.probes"]      name = "package.module:ProbeClass"
    [project.entry-points."horsesense.measures"]    name = "package.module:MeasureClass"
    [project.entry-points."horsesense.readers"]     name = "package.module:ReaderClass"
    [project.entry-points."horsesense.models"]      scheme = "package.module:SCHEME"

A `Probe` yields trials (`Trial`, with a `Variant` made by `show`), a `Measure` turns a `Cell` into
`Rows` that add up, a `Reader` turns a trial and its `Response` into a `Reading`, and a `Scheme`
names the module whose `from_spec(rest)` makes a `Model`. The name of an entry point is the name
that users type; one that is taken is refused. `horsesense.testing` has checks for all four kinds.

Entry points are installed code. horsesense loads those that are asked for by name, all probes,
readers and models to list them, and all measures to compute them, without any sandbox: install
only packages that you trust.
"""

from __future__ import annotations

from horsesense.errors import ModelError, UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.measures.base import Measure, Rows, item_means
from horsesense.measures.cells import Cell
from horsesense.measures.parts import of_whole
from horsesense.models.base import Asked, Capabilities, Model, NeedsAnswerKey
from horsesense.models.messages import Failure, Request, Response, Usage
from horsesense.plugins import Scheme
from horsesense.probes.base import NotApplicableError, Probe, SetProbe, Setting, show
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.reading import Reading
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial, Variant

__all__ = [
    "Asked",
    "Capabilities",
    "Cell",
    "Condition",
    "Failure",
    "FittedReader",
    "Item",
    "ItemSet",
    "Measure",
    "Model",
    "ModelError",
    "NeedsAnswerKey",
    "NotApplicableError",
    "Probe",
    "Reader",
    "Reading",
    "Request",
    "Response",
    "Rows",
    "Scheme",
    "SetProbe",
    "Setting",
    "Trial",
    "Usage",
    "UsageError",
    "Variant",
    "item_means",
    "of_whole",
    "show",
]
