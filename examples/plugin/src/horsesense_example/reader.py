"""A reader: what a reply chooses, among the options as they were shown."""

from __future__ import annotations

import re

from horsesense.extend import Reading, Response, Trial


class LastLabel:
    """The last option label that stands alone in the reply."""

    name = "last_label"
    version = "1"

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        if trial.answer_format != "letter":
            return ()
        labels = trial.variant.labels
        pattern = rf"\b(?:{'|'.join(map(re.escape, labels))})\b"
        found = list(re.finditer(pattern, response.text))
        if not found:
            return (Reading("illegal" if response.text.strip() else "empty"),)
        return (Reading("answer", (labels.index(found[-1].group()),), "last", found[-1].span()),)
