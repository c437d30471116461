"""Option texts that are not ordinary answers: none-options, refusals, "I do not know"."""

from __future__ import annotations

import re

_NONE = re.compile(
    r"^\W*(?:"
    r"none[\s-]+of[\s-]+(?:the[\s-]+)?(?:above|these|them|those|others?|options?|answers?|choices?)\b.*"
    r"|no(?:ne)?[\s-]+(?:correct|right|valid)[\s-]+(?:answer|option|choice)\b.*"
    r"|(?:none|neither)[\s-]+(?:is|are)[\s-]+(?:correct|right)\b.*"
    r"|neither of (?:the (?:above|options)|these|them)\b.*"
    r")$",
    re.IGNORECASE | re.DOTALL,
)


def says_none(option: str) -> bool:
    """True if an option's text says that none of the others is right.

    >>> says_none("None of the above"), says_none("none-of-them"), says_none("Nonesuch Palace")
    (True, True, False)
    """
    return bool(_NONE.match(option))
