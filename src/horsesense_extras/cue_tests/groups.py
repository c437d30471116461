"""Items that must not be on both sides of a split: given clusters, repeats, shared templates.

A model that has seen one filling of a template knows the answer to the others. Three rules find
such items; all that they join, and all that share a given cluster, becomes one group.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final, Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform

from horsesense.errors import UsageError
from horsesense.items.near import TOKENS, near_duplicates
from horsesense.stats.words import plural
from horsesense_extras.cue_tests.features import Floats, Ints, plain
from horsesense_extras.cue_tests.task import Task

Grouping = Literal["found", "given", "none"]

FILLED: Final = (0.3, 0.4, 0.5, 0.6, 0.7)
"""Jaccard similarities of content words from which texts of a frequent frame are one template: the
first that leaves no family too large. Where all words come of a small vocabulary, chance alone
makes texts of two templates more alike than the first."""
PIECE_WORDS: Final = 8
"""Shortest sentence or line whose repetition joins items."""
FEWEST_WORDS: Final = 7
"""Content words of texts that are one template where two of seven differ."""
COMMON: Final = 0.2
"""A sentence of more items than this share is an instruction, not a source; nor is a frame one
template, but templates may share it."""
SHARED_WORD: Final = 0.5
"""Share of the texts of one frame from which a word of theirs belongs to the frame."""
MOST_COMPARED: Final = 4000
"""Texts of one frame, up to which each is compared with each."""
LARGEST: Final = 0.3
"""Share of the items above which one group makes splitting pointless."""

_PIECES: Final = re.compile(r"[\n.!?]+")
_WORDS: Final = """
a about above after all also although am an and any are as at be because been before being below
between both but by can could did do does doing down each either every few for from had has have
he her here hers him his how i if in into is it its just may me might more most must my no nor
not of off on once only or other our out over own same shall she should so some such than that
the their them then there these they this those through to too under until up very was we were
what when where which while who whom whose why will with would you your
"""
_FUNCTION: Final = frozenset(_WORDS.split())
_ARTICLES: Final = frozenset(("a", "an", "the"))  # "Ann" and "the doctor" fill the same gap
_FEWEST_FIXED: Final = 6
"""Function words and marks that make a frame worth comparing. Of 13 public sets that no template
made, 12 have at most 2 % of their texts in a shared frame of so many, SNLI has 6 %."""


@dataclass(frozen=True)
class Groups:
    """Which items belong together.

    Attributes:
        numbers: group number of each item; an item alone has a number of its own.
        joined: rule -> number of items that it joined with another.
        notes: rules that were set aside, and why.
        unresolved: items alone whose frame a large part has: templates could not be told apart.
    """

    numbers: Ints
    joined: dict[str, int]
    notes: tuple[str, ...] = ()
    unresolved: int = 0

    @property
    def n_grouped(self) -> int:
        """Items that share a group with another."""
        sizes = np.bincount(self.numbers)
        return int(sizes[sizes > 1].sum())


def find_groups(task: Task, grouping: Grouping = "found") -> Groups:
    """Group the items of a task.

    Args:
        task: the task; the items' own clusters always count, except with "none".
        grouping: "found" adds repeats and templates, "given" takes the clusters alone.

    Raises:
        UsageError: "given" without clusters, or fewer than two groups.
    """
    if grouping == "none":
        return Groups(np.arange(len(task)), {})
    given = [name or None for name in task.given_groups]
    if grouping == "given" and not any(given):
        raise UsageError(
            f"{task.name}: no item names a cluster.", hint="Name its field with --group FIELD."
        )
    rules: dict[str, Callable[[], Iterator[tuple[int, int]]]] = {"given": lambda: _equal(given)}
    if grouping == "found":
        rules["nearly the same text"] = lambda: near_duplicates(task.wholes)
        rules["a sentence in common"] = lambda: _shared_pieces(task.wholes)
        rules["five of seven words"] = lambda: _in_their_places(task.wholes)
        rules["one template"] = lambda: _templates(task.wholes)
    groups = _joined(len(task), rules)
    if len(np.unique(groups.numbers)) < 2:
        raise UsageError(
            f"{task.name}: all items belong to one group.", hint="Set --no-groups to ignore it."
        )
    return replace(groups, unresolved=_unresolved(task, groups)) if grouping == "found" else groups


def _unresolved(task: Task, groups: Groups) -> int:
    """Items alone in their groups whose frame more than `COMMON` of the items have."""
    alone = np.bincount(groups.numbers)[groups.numbers] == 1
    common = [m for m in _framed(task.wholes).values() if len(m) > COMMON * len(task)]
    return int(sum(alone[members].sum() for members in common))


def _joined(n: int, rules: dict[str, Callable[[], Iterator[tuple[int, int]]]]) -> Groups:
    """Apply the rules in turn; one that would join too large a part is set aside."""
    parent = np.arange(n)
    joined: dict[str, int] = {}
    notes = []
    for rule, pairs in rules.items():
        trial = parent.copy()
        touched: set[int] = set()
        for a, b in pairs():
            touched |= {a, b}
            trial[_root(trial, a)] = _root(trial, b)
        if not touched:
            continue
        # Tried on a copy: a rule that joins too much is undone as a whole, since no single one
        # of its pairs can be called the wrong one. What the user gave is never undone.
        roots = np.array([_root(trial, i) for i in range(n)])
        largest = int(np.bincount(roots).max())
        if rule != "given" and largest > LARGEST * n:
            notes.append(
                f"Grouping by {rule} would put {largest:,} of {plural(n, 'item')} into one group; "
                "this rule was not used."
            )
            continue
        parent, joined[rule] = roots, len(touched)
    return Groups(np.unique(parent, return_inverse=True)[1], joined, tuple(notes))


def _root(parent: Ints, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = int(parent[i])
    return i


def _equal(keys: Iterable[Hashable | None]) -> Iterator[tuple[int, int]]:
    first: dict[Hashable, int] = {}
    for i, key in enumerate(keys):
        if key is not None and first.setdefault(key, i) != i:
            yield first[key], i


def _shared_pieces(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of texts with a long sentence or line in common that is not an instruction."""
    keys, owners = array("Q"), array("i")
    for i, text in enumerate(texts):
        for piece in {" ".join(p.split()) for p in _PIECES.split(plain(text))}:
            if piece.count(" ") >= PIECE_WORDS - 1:
                keys.append(int.from_bytes(blake2b(piece.encode(), digest_size=8).digest()))
                owners.append(i)
    # Most sentences occur once: flat arrays hold them in a tenth of a dictionary's memory.
    hashes, items = np.array(keys, np.uint64), np.array(owners, np.int64)
    order = np.argsort(hashes, kind="stable")
    begins = np.flatnonzero(np.diff(hashes[order], prepend=hashes[order][:1] + np.uint64(1)))
    sizes = np.diff(begins, append=len(order))
    for begin, size in zip(begins[sizes > 1], sizes[sizes > 1], strict=True):
        if size <= COMMON * len(texts):
            members = items[order[begin : begin + size]].tolist()
            yield from ((members[0], other) for other in members[1:])


def _in_their_places(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of texts with five of seven content words in common, each in its place.

    Texts with as many content words are cut into one piece more than they may have differences, so
    that one piece is the same in both. Each is compared with the first that has a piece.
    """
    contents = [
        [t for t in TOKENS.findall(plain(text)) if t.isalnum() and t not in _FUNCTION]
        for text in texts
    ]
    first: dict[tuple[int, int, tuple[str, ...]], int] = {}
    for i, words in enumerate(contents):
        differ = 2 * len(words) // FEWEST_WORDS
        size = len(words) // (differ + 1)
        for at in range(0, size * (differ + 1), size) if len(words) >= FEWEST_WORDS else ():
            other = first.setdefault((len(words), at, tuple(words[at : at + size])), i)
            unlike = sum(a != b for a, b in zip(words, contents[other], strict=True))
            if other != i and unlike <= differ:
                yield other, i


def _templates(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of texts that are fillings of one template: their frames are the same.

    A frame that a large part of the texts has is that of one long prompt or of one question; then
    the words that fill it must be much the same too.
    """
    for members in _framed(texts).values():
        if len(members) <= COMMON * len(texts):
            yield from ((members[0], other) for other in members[1:])
        else:
            yield from _fillings(texts, members)


def _framed(texts: Sequence[str]) -> dict[str, list[int]]:
    """Frames with enough fixed parts to be compared -> the texts that have them."""
    buckets: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(texts):
        frame, fixed = _frame(text)
        if fixed >= _FEWEST_FIXED:
            buckets[frame].append(i)
    return buckets


def built_alike(task: Task, groups: Groups) -> Groups:
    """The groups, joined where texts have the same frame, however little of a frame it is.

    Many short texts have one by chance, so this is no rule for groups; but a cue that does not
    outlive it may be no more than a memory of templates.
    """
    frames = [_frame(text) for text in task.wholes]
    usual = Counter(frame for frame, _ in frames)
    keys = [
        frame if fixed and usual[frame] <= COMMON * len(frames) else None for frame, fixed in frames
    ]
    return _joined(
        len(task), {"given": lambda: _equal(groups.numbers.tolist()), "frame": lambda: _equal(keys)}
    )


def _fillings(texts: Sequence[str], members: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of texts of one frame that a chain of similar content words joins (single linkage).

    Words that most of them have belong to the frame, and tell no two templates apart. None where
    there are too many texts to be compared.
    """
    if len(members) > MOST_COMPARED:
        return
    words = [{t for t in TOKENS.findall(plain(texts[i])) if t.isalpha()} for i in members]
    usual = Counter(word for each in words for word in each)
    framing = {word for word, n in usual.items() if n > SHARED_WORD * len(members)} | _FUNCTION
    tree = linkage(squareform(1 - _likeness([each - framing for each in words])), "single")
    for like in FILLED:
        families = fcluster(tree, 1 - like, "distance")
        if np.bincount(families).max() <= LARGEST * len(texts):
            break
    yield from ((members[a], members[b]) for a, b in _equal(families.tolist()))


def _likeness(words: Sequence[set[str]]) -> Floats:
    """Jaccard similarity of each two sets, 1 on the diagonal."""
    places = {word: place for place, word in enumerate(sorted(set().union(*words)))}
    columns = [places[word] for each in words for word in sorted(each)]
    sizes = np.array([len(each) for each in words])
    table = csr_array(
        (np.ones(len(columns)), columns, np.concatenate([[0], np.cumsum(sizes)])),
        shape=(len(words), len(places)),
    )
    both = (table @ table.T).toarray()
    found: Floats = both / np.maximum(sizes[:, None] + sizes - both, 1)
    np.fill_diagonal(found, 1)
    return found


def _frame(text: str) -> tuple[str, int]:
    """What a template would leave of a text, and how many parts of it are fixed.

    Function words and marks stay in order, without articles; each run of other words and numbers
    is a gap.

    >>> _frame("The doctor saw 3 of Ann's 12 trams.")
    ("_ of _ ' _ .", 3)
    """
    frame: list[str] = []
    for token in TOKENS.findall(plain(text)):
        if token in _ARTICLES:
            continue
        fixed = token in _FUNCTION or not token.isalnum()
        if fixed or not frame or frame[-1] != "_":
            frame.append(token if fixed else "_")
    return " ".join(frame), sum(part != "_" for part in frame)
