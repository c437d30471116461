"""The question withheld: what can be guessed from the options alone? (Balepur et al. 2024)"""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.items.item import Item, Kind
from horsesense.probes.base import Probe, Setting, show
from horsesense.trials.trial import Trial


class OptionsOnly(Probe):
    name = "options_only"
    title = "Question withheld"
    summary = "Question and context are withheld; only the options are shown."
    expectation = "Nothing better than chance."
    invariant = "chance"
    kinds = frozenset(("choice",))

    def undefined_for_kind(self, kind: Kind) -> str:
        return "with one label set for all items nothing is left when the text is withheld"

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        variant = show(item, setting.items.kind, question=None)
        yield self.trial(variant, expects="chance", form="options_only")
