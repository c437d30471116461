"""Flaws of the options: what can be told from them without the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final

from horsesense.checks.numbers import writings
from horsesense.checks.remarks import letters_named, places_named, remark, says_all, says_none, tidy
from horsesense.checks.shares import quoted
from horsesense.expressions import expression
from horsesense.items.item import Item, order_dependent

_BARE: Final = {
    "none": frozenset({"none", "keine", "aucun", "aucune", "ninguno"}),
    "all": frozenset({"all", "alle", "alles", "tous", "toutes", "todos", "todas"}),
}
_AMOUNT: Final = expression(
    r"\d|\b(?:all|some|most|many|few|half|little|much|one|two|three|four|once|twice|full|partial"
    r"|complete|mild|moderate|severe|slight|increase\w*|decrease\w*|low|high|both|always|yes|no"
    r"|strong|weak|positive|negative|never|more|less)\b"
)
_ASKS_AMOUNT: Final = expression(
    r"\bhow (?:many|much|often|do(?:es)?|did|is|are|was|were|will|would)\b"
    r"|\b(?:effect|change|difference|influence|impact|degree|level|amount|number|religion"
    r"|party|words?)\b",
    re.IGNORECASE,
)
_SCALE: Final = expression(
    r"\W*(?:only )?(?:most|some|half|a few|few) of (?:them|it|these)\W*", re.IGNORECASE
)
_WRITING: Final = expression(
    r"simpl|decimal|fraction|lowest|significant|digit|round|writ|express|reduced|form\b|precis"
    r"|capital\w*(?! (?:city|of))|spell|punctuat|grammar|sentence|case|notation|allele|\bgenes?\b"
    r"|identifier|variable|python|\bcode\b|program|string|translat|percentage form",
    re.IGNORECASE,
)
"""Asked for is how something is written, so that 0.5 and 0.50 differ."""
_SYMBOLS: Final = expression(r"(?<!\w)(?:[B-H]|A(?! (?!and |or )[a-z]))(?!\w)")
_PAIR: Final = expression(r"(?:(?<!\w)([A-Za-z]{1,30}) )?\b(\w*[A-D]) (?:and|or|nor) ([A-D]\w*)")
_BEFORE_PAIR: Final = frozenset((
    "options", "answers", "choices", "statements", "option", "answer", "choice", "both", "either",
    "neither", "only", "all", "not", "of", "just", "is", "are", "and", "or", "nor", "but", "except",
))  # fmt: skip
"""Words before "A and B" that leave it a remark on options; "Vitamin A and D" is content."""
_THEIRS: Final = expression(
    r"\W*(?:all|none|any|both|either|neither) of (?:these|them|those)(?: \w+){2}", re.IGNORECASE
)
"""An answer about things that the question names: "Neither of them live further ..."."""
_OWN_LETTER: Final = expression(
    r"\s*(?:\(?([A-E])\)(?!,? ?(?:and|or|\())|([A-E])[.:])\s*[^\s,]", re.IGNORECASE
)
_STATEMENT: Final = r"(?:[ivx]{1,4}|[1-9]|\((?:[ivx]{1,4}|[a-e1-9])\))"
_K_TYPE: Final = expression(
    r"\s*(?:(?:both|only|neither|either) )?(?:statements? |options? )?"
    rf"(?:{_STATEMENT}(?: ?, ?(?:and )?| and | & | or ))+"
    rf"{_STATEMENT}(?: (?:only|are (?:correct|true)|both))?\W*"
    rf"|\s*{_STATEMENT} only\W*",
    re.IGNORECASE,
)
_STATEMENTS: Final = expression(r"\bI[.):\s]|\bi[.):]|(?:^|[\s(])1[.):]")
_LISTED: Final = expression(r"a\).*b\)|\bA[.):] .*\bB[.):] ", re.DOTALL)
_LETTERS: Final = expression(
    r"\s*(?:[a-e]{1,5}|[a-e](?:(?:,|,? and)? [a-e])+(?: only)?)\W*", re.IGNORECASE
)
_NUMBER: Final = expression(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
_NAME: Final = expression(
    r"(?!(?:about|approximately|around|nearly|by|in|at|after|every|only|over|under|up|less|more)\b)"
    r"[^\W\d]{3,}",
    re.IGNORECASE,
)
_AMOUNT_OF: Final = r"\$?(\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?)"
_RANGE: Final = expression(
    rf"(?:between |from )?{_AMOUNT_OF}\s?(?:%|[^\W\d]{{1,9}})? ?(?:-|–|to|and) ?"
    rf"{_AMOUNT_OF}\s?(%|[^\W\d]{{0,15}})"
)
_ASKS_RANGE: Final = expression(
    r"\b(?:ranges?|interval|spectrum|limits?|normal(?:ly)?|between (?:which|what)|from what|period"
    r"|duration|incubation|reign|last(?:ed|s)?|minimum|maximum|threshold|cut-?off|criteri|defin"
    r"|confidence|domain|inequality|bounds?|solution|recommended|reference)",
    re.IGNORECASE,
)
"""Asked for is a range, and one of the options is right as a whole."""
_VOWEL: Final = expression(
    r"(?:[aeio]|u(?!ni(?!n|m)|s[aeiu]|ti|ra|ter|k)|hour|hono|heir|honest)", re.IGNORECASE
)
_CONSONANT: Final = expression(r"(?:eu|one\b|once\b|ou[ij])", re.IGNORECASE)
_ARTICLE: Final = expression(
    r"\b(an?|one|each|every|another|these|those|several|many|two|three|four|are|were)"
    r"(?:[\s:_.…-]*$| _{2,}(?=[\s.,?]))",
    re.IGNORECASE,
)
_MANY: Final = frozenset(
    ("these", "those", "several", "many", "two", "three", "four", "are", "were")
)


def equal(item: Item) -> str | None:
    """Two options say the same, in one writing or in two."""
    written = [dict.fromkeys(writings(option)) for option in item.options]
    every = [key for keys in written for key in keys]
    exact = len({*every}) < len(every) and _WRITING.search(item.question) is not None
    seen: dict[str, int] = {}
    for at, keys in enumerate(written):
        for key in [*keys][:1] if exact else keys:
            first = seen.setdefault(key, at)
            if first != at:
                one = " and one of them is the answer" if item.gold in (first, at) else ""
                return f"{quoted(item, [first, at])} are equal{one}"
    return None


def all_of_the_above(item: Item) -> Sequence[int]:
    """The options that say all others are right."""
    return _remarks(item, says_all, _BARE["all"])


def none_of_the_above(item: Item) -> Sequence[int]:
    """The options that say no other is right."""
    return _remarks(item, says_none, _BARE["none"])


def _remarks(item: Item, says: Callable[[str], bool], bare: frozenset[str]) -> Sequence[int]:
    """The options that `says` knows, or that are a `bare` word at the end of other things."""
    if _quantities(item):
        return []
    last = len(item.options) - 1
    return [
        at
        for at, option in enumerate(item.options)
        if says(option) or (at == last > 1 and tidy(option) in bare and _things(item))
    ]


def _things(item: Item) -> bool:
    """Whether the options before the last are things, of which "none" or "all" may be said.

    Beside numbers, other quantities or kinds of change, "none" is an amount.
    """
    others = [tidy(option) for option in item.options[:-1]]
    return not any(_AMOUNT.search(other) for other in others) and not _ASKS_AMOUNT.search(
        item.question
    )


def _quantities(item: Item) -> bool:
    """Whether options are shares of something: "all of them" beside "most of them"."""
    return any(_SCALE.fullmatch(option) for option in item.options if len(option) < 30)


def named(marks: Callable[[Item], Sequence[int]]) -> Callable[[Item], str | None]:
    """A rule's `each`: the items in which something is marked, with the marked options."""

    def each(item: Item) -> str | None:
        found = marks(item)
        return quoted(item, found) if found else None

    return each


def names_letters(item: Item) -> str | None:
    """An option refers to others by letter or place, and so has no meaning in another order."""
    return None if _quantities(item) else quoted(item, _pointing(item)) or None


def _pointing(item: Item) -> Iterator[int]:
    """The options that refer to others; "A and B" may also be what the question speaks of."""
    symbols = set(_SYMBOLS.findall(item.question))
    letters = [letters_named(option) for option in item.options]
    for at, option in enumerate(item.options):
        # What is referred to must be there, be no reference itself, and no symbol of the question.
        meant = [ord(named) - ord("A") for named in letters[at] - symbols]
        there = bool(meant) and max(meant) < len(item.options)
        refers = there and any(not letters[named] for named in meant)
        of_all = remark(option) and not tidy(option).startswith("no ")
        if refers or of_all or places_named(option):
            yield at
        elif letters[at] or _THEIRS.match(option[:120]):
            continue
        elif order_dependent([_without_symbols(option, symbols)]):
            yield at


def _without_symbols(option: str, symbols: set[str]) -> str:
    """An option without pairs that are content: "Vitamin A and D", "RNA and DNA"."""

    def kept(pair: re.Match[str]) -> str:
        noun, *letters = pair.groups()
        content = noun is not None and noun.lower() not in _BEFORE_PAIR
        named = max(map(len, letters)) > 1 or symbols.issuperset(letters)
        return "" if content or named else pair[0]

    return _PAIR.sub(kept, option)


def own_letters(item: Item) -> str | None:
    """Options that begin with letters of their own, beside which an asker's letters stand too."""
    found = [(at, _OWN_LETTER.match(option)) for at, option in enumerate(item.options)]
    shown = [at for at, own in found if own and own[1]]
    dotted = {at: own[2].upper() for at, own in found if own and own[2]}
    # Not the names "E. coli" and "B. F. Skinner": all letters from A on are there.
    if not shown and len(dotted) > 1 and sorted(dotted.values()) == list("ABCDE"[: len(dotted)]):
        shown = list(dotted)
    return quoted(item, shown) if shown else None


def k_type(item: Item) -> str | None:
    """Options are combinations of statements ("I and III only"; "ab" of a), b) and c))."""
    if _LISTED.search(item.question):
        combined = _LETTERS
    elif _STATEMENTS.search(item.question):
        combined = _K_TYPE
    else:
        return None
    found = [at for at, option in enumerate(item.options) if combined.fullmatch(option)]
    parts = {frozenset(re.findall(r"[a-e]|\w+", item.options[at].lower())) for at in found}
    # The same numbers in two options are orders to choose from, not combinations.
    return quoted(item, found) if 1 < len(parts) == len(found) else None


def number(option: str) -> float | None:
    """The one number in a short option."""
    found = _NUMBER.findall(option)
    if len(found) != 1 or len(option) > 20:
        return None
    value = float(found[0].replace(",", ""))
    return -value if re.match(r"\W*[-−]\s*\$?[\d.]", option) else value


def out_of_order(item: Item) -> str | None:
    """Options that are all numbers, of one unit, stand in no order; "Caspase 8" is a name."""
    if any(_NAME.match(option.strip()) for option in item.options):
        return None
    if len({_NUMBER.sub("", option).strip(" -−") for option in item.options}) > 1:
        return None
    known = [value for option in item.options if (value := number(option)) is not None]
    if len(known) < max(3, len(item.options)) or len(set(known)) < len(known):
        return None
    if known in (sorted(known), sorted(known, reverse=True)):
        return None
    return ", ".join(option.strip() for option in item.options)[:80]


def overlapping(item: Item) -> str | None:
    """A number lies in two of the ranges that divide a scale, so that both are right if asked for.

    Nothing is wrong with a question that asks for a range, of which one is right as a whole: such
    ranges begin or end together, lie in one another, or stand in no order.
    """
    if _ASKS_RANGE.search(item.question):
        return None
    spans = [_span(option) for option in item.options]
    known = [(at, span) for at, span in enumerate(spans) if span is not None]
    ends = [(low, high) for _, (low, high, _) in known]
    listed = ends in (sorted(ends), sorted(ends, reverse=True))
    if len(known) < max(2, len(spans) - 1) or not listed or len({s[2] for _, s in known}) > 1:
        return None
    shared = None
    for (a, first), (b, second) in combinations(known, 2):
        low, high = max(first[0], second[0]), min(first[1], second[1])
        if (low, high) in (first[:2], second[:2]):
            return None
        if low <= high and shared is None:
            shared = f"{quoted(item, [a, b])} share {low:g}"
    return shared


def _span(option: str) -> tuple[float, float, str] | None:
    """Ends and unit of an option that is a range; pairs of years are no parts of a scale."""
    plain = " ".join(option.lower().split()).strip(" .")
    found = _RANGE.fullmatch(plain) if len(plain) < 60 else None
    if found is None or (" and " in plain and "between" not in plain):
        return None
    low, high = (float(found[at].replace(",", "")) for at in (1, 2))
    years = not found[3] and 1000 <= low <= 2100 and 1000 <= high <= 2100
    return (low, high, found[3]) if low < high and not years else None


def article(item: Item) -> str | None:
    """The question ends, or has its blank, after a word that only one option can follow: "a" or
    "an", or a word for one or for many."""
    found = _ARTICLE.search(item.question.rstrip())
    if found is None or len(item.options) < 3:
        return None
    before = item.question[: found.start()].rstrip()
    if not before or before.endswith((".", "?", "!", "(", "=", "+", ",", "/")) or found[1] == "A":
        return None
    word = found[1].lower()
    if word in ("a", "an"):
        fits = [_fits(word, option) for option in item.options]
    else:
        plurals = [_plural(option) for option in item.options]
        fits = [None if plural is None else plural == (word in _MANY) for plural in plurals]
    if None in fits or fits.count(True) != 1:
        return None
    return f"asks for what follows {found[1]!r}; only {quoted(item, [fits.index(True)])} fits"


def _fits(article: str, option: str) -> bool | None:
    """Whether an option can follow the article; None where its sound cannot be told."""
    word = re.match(r"[A-Za-z][a-z]+", option.strip())
    if word is None or word[0].lower() in ("the", "an", "one"):
        return None
    vowel = bool(_VOWEL.match(word[0])) and not _CONSONANT.match(word[0])
    return vowel == (article == "an")


def _plural(option: str) -> bool | None:
    """Whether an option is a noun in the plural; None where its form does not tell."""
    plain = option.strip(" .")
    named = re.fullmatch(r"[A-Z]?[a-z]{3,}(?: [a-z]{4,})?", plain)
    return None if not named or plain.endswith(("ss", "us", "is", "ics")) else plain.endswith("s")
