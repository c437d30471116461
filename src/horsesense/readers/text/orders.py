"""Options that are orders of the same few names ("3-2-4-1"), and replies that write one otherwise.

"3 → 2 → 4 → 1" and "first the crisis (3), then the landing (2), ..." give the order that an option
gives with other signs between.
"""

from __future__ import annotations

import re
from functools import lru_cache

from horsesense.readers.reading import Reading
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.normalise import DEFAULT
from horsesense.readers.text.standing import WITHDRAWS
from horsesense.readers.text.statements import turned_down
from horsesense.readers.text.targets import Scene
from horsesense.readers.text.truths import reported

_CONFIDENCE = 0.91
_LONGEST = 6000
_FEWEST, _MOST = 3, 8
_NAME = re.compile(r"[^\W_]+")
_NOTE = r"(?: ?\([^()]{1,60}\))?"
_BETWEEN = r"(?:\s*(?:,|;|-+>?|→|⇒|>|<|then)\s*|\s+)"
_BRACKETED = re.compile(r"\(([^\W_]{1,2})\)")
_SIGNS = re.compile(r"[-(→⇒><]")
_HEADS = re.compile(
    r"(?:\b(?:order|sequence|arrangement|answer|reads)\b[^.,\n]{0,20}|: ?|\A|\n)[\s*_>]*\Z"
)
"""Before names with commas between them: that they are an order, and no list."""
_NEAR = 60
_TURN = re.compile(r"\b(?:wait|hmm+|actually|correction|reverse[ds]?|instead|wrong|incorrect)\b")


def orders(scene: Scene, first: Impression) -> Reading | None:
    """The option whose order a reply gives, where it gives no other and names none by label."""
    low = scene.response.low
    known = _known(tuple(scene.options.texts))
    if known is None or first.said or len(low) > _LONGEST:
        return None
    if first.first is not None and first.first.target.by == "label":
        return None
    if WITHDRAWS.search(low) or _TURN.search(low):
        return None
    pattern, wanted = known
    found: dict[int, tuple[int, int]] = {}
    for m in pattern.finditer(low):
        order = tuple(one.strip() for one in m.group(*range(1, len(wanted[0]) + 1)))
        if order in wanted:
            if turned_down(scene, m.start()) or reported(low, m.start()):
                return None
            if not (_SIGNS.search(m.group()) or _HEADS.search(low[: m.start()][-_NEAR:])):
                continue
            found[wanted.index(order)] = m.span()
    if not found:
        ids = list(_BRACKETED.finditer(low))
        order = tuple(m[1] for m in ids)
        if order in wanted:
            found[wanted.index(order)] = ids[0].start(), ids[-1].end()
    if len(found) != 1:
        return None
    at, span = found.popitem()
    return Reading("answer", (at,), "orders", scene.response.span(*span), _CONFIDENCE)


@lru_cache(maxsize=4096)
def _known(texts: tuple[str, ...]) -> tuple[re.Pattern[str], list[tuple[str, ...]]] | None:
    """What finds an order of the names that the options are orders of, and each option's own."""
    wanted = [tuple(_NAME.findall(text.translate(DEFAULT).lower())) for text in texts]
    names = {*wanted[0]} if wanted else set()
    if not _FEWEST <= len(names) <= _MOST or any(len(name) > 2 for name in names):
        return None
    if len(wanted) < 2 or len({*wanted}) != len(wanted):
        return None
    if any({*one} != names or len(one) != len(names) for one in wanted):
        return None
    one = "(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + ")"
    item = rf"(?<![^\W_])\(?{one}\)?(?![^\W_])[.]?{_NOTE}"
    return re.compile(_BETWEEN.join([item] * len(names))), wanted
