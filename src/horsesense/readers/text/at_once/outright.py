"""What a reply says in so many words, or is too short to weigh: read at once."""

from __future__ import annotations

import re

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.closing import closes
from horsesense.readers.text.at_once.declared import declared
from horsesense.readers.text.at_once.elsewhere import RULE as ELSEWHERE
from horsesense.readers.text.at_once.elsewhere import elsewhere
from horsesense.readers.text.at_once.equations import only_of_another
from horsesense.readers.text.at_once.in_full import in_full
from horsesense.readers.text.at_once.in_words import in_words, is_taken_up
from horsesense.readers.text.at_once.mismatch import mismatched
from horsesense.readers.text.claims import candidates, several
from horsesense.readers.text.claims.clauses import named_by_word
from horsesense.readers.text.claims.contest import FORMS, contest_of
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.claims.listing import stands_out
from horsesense.readers.text.claims.sentences import LURE, speaks_against, told
from horsesense.readers.text.claims.statements import is_named, turned_down
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.wording import TURNS_BACK, Wording

_SURE, PLAINLY, _FAIRLY, _BRIEFLY = 0.99, 0.95, 0.91, 0.82
"""Confidences of what is read outright, by how much a reply says; see `scripts/learn_reader.py`."""
_CUT_SHORT = Reading("truncated", rule="announced", confidence=PLAINLY)
_ANNOUNCES = re.compile(
    r"\b(?:answer|choice|option|statement|pick|one)\b"
    r"(?: (?:here|to \w+|for \w+|would|must|should)){0,2}"
    r"(?: is| be|:)(?: that| the| option| choice)?(?!\W*__)[\s:*_`\"'(\[-]*\Z"
)
_FAIR = 0.85
_PLAIN = 0.97
_OPENING = 120
_OUTRIGHT = frozenset(
    ("stated", "chosen", "confirmed", "lead", "last_line", "boxed", "element", "field")
)
_ENDS_IN_FORM = re.compile(
    r"</ ?(?:(?:final|selected|chosen|correct|best|my) ?)?(?:answer|choice|option)>\s*\Z"
    r"|\\(?:boxed|fbox) ?\{(?:[^{}\n]|\{[^{}\n]*\}){1,60}\}[\s.\])\\]*\Z"
)
_BOXES_ITS_ANSWER = re.compile(
    r"(?:(?<!if )\b(?:final|correct|my) (?:answer|choice|option)(?: here)?(?: is|:|\s)+"
    r"|\n[\s\\\[$*]*)"
    r"(?:option |choice )?[\s*$:]*\\(?:boxed|fbox) ?\{(?:[^{}\n]|\{[^{}\n]*\}){1,60}\}"
    r"[\s.\])$*\\]*\Z"
)
"""Last words that announce the answer and hold it in a box, whatever is named before."""
_RIGHT_ONES = re.compile(
    r"(?:\A|[.!?:\n] ?)[\s*_]*(?:(?:so|therefore|thus|hence),? )?the (?:correct|right)"
    r" (?:answers|options|choices)(?: here)? are(?: therefore| thus)?:?[\s*_\"'(]*"
)
"""Begins a sentence that gives several answers."""
_JOINS = re.compile(r"[\s,;*_\"'`().:]*(?:(?:and|the|&|option)\b[\s*_\"'`(]*)*(?:\([^()\n]*\)\W*)?")
_TO_ONE = re.compile(
    r"\b(?:i|i'd|my|so|only|alone|but|best|better|pick|choose|answer|said|says?|if|or|rather|one)\b|\?"
)
"""Behind several answers: that one of them may be the choice, or that they are somebody else's."""
_UNFIRM = frozenset(("text_alone", "linked", "mentioned", "several_linked", "several_texts"))
"""Rules that find what a reply names on the way to another answer, too."""
_WEAKER = frozenset(("linked", "mentioned"))
_BRIEF = frozenset(("unknown", "linked", "mentioned", "several", "text_alone")) | {
    "other_label",
    "all_rejected",
    "label_alone",
    "corrected",
    "last_line",
    "lead",
}
_BRIEFEST = _BRIEF | {"lead_text", "stated", "chosen", "label_with_other_text"}
_SHORT, _VERY_SHORT = 80, 40
_MOSTLY = 0.4  # of a short reply an option's text must be, to be its choice outright
_FULL_STOP = 3
_SETS_OFF = (".", ")", ":", "\n")
_LINKED = re.compile(r"(?:\b(?:is|are|would be|be|making)|:)\s*(?:option )?\(?\Z")
_LISTS = re.compile(r"[❌✗✘✅✓✔☑%|{]|\n[^\n]+\n")
_REJECTED = re.compile(
    r"[)\].:*]*,? (?:is|are|was|would be|can be) (?:\w+ly |also |therefore |thus )*"
    r"(?:not\b|incorrect|wrong|false|ruled out|eliminated|irrelevant|unlikely|too )"
)
_SET_OFF = re.compile(r"[)\].:*]*[ \t]*(?:\n|\Z)")
_LINE = re.compile(r"\n[\s>#|*•-]*(?:(?:option|choice)\b)?")
_TURN = Wording(
    TURNS_BACK,
    re.compile(
        r"\b(?:wait\b|no sorry|sorry, no|hmm+|correction|scratch|oops\b"
        r"|torn\b(?! (?:down|apart|off))|undecided\b|second thought|i said|run \d+:"
        r"|(?:edit|sample|votes?|attempt|user|question|q|no)(?: \d+)?:|at first i|then again"
        r"|suppose\b|if it were\b|were it\b|had it been\b|choices [a-h] to [a-h]\b)"
        r"|[❌✗✘]"
    ),
)
_HESITATION = Wording(
    TURNS_BACK,
    re.compile(r"\b(?:actually|either|unsure|sorry|mistake|instead|decide|both|but then|no,)"),
)
_DOUBT = re.compile(
    r"\b(?:wait|hmm|actually|correction|scratch|oops|either|torn|undecided|unsure|not|none|neither|no"
    r"|cannot|but|however|although|though|sorry|mistake|or|and also|both|between|depends|unless|if"
    r"|maybe|perhaps|changed|nicht|oder|aber)\b|n't\b|[❌✗✘?]"
)
_NEGATED = re.compile(
    r"\b(?:not|no|never|neither|nor|nicht|kein\w*|other|exception|but|except)\b|n['o]?t\b|leav|left"
)
_BUT_NOT = re.compile(
    r"\W*(?:(?:it(?:['’]s| is| must be)|that['’]s|i(?:['’]d| would)? (?:say|pick|choose|go with)"
    r"|(?:the )?(?:correct |right )?answer(?: is|:)?) )?(?:option |choice )?"
    r"\W?(\w)\W{0,2} (?:and |but )?(?:\w+ly )?not (?:option |choice )?\W?\w\b\W?"
    r"(?:(?:,|,? or|,? nor) (?:option |choice )?\W?\w\b\W?)*\W*"
)
"""One label and not others, as the whole of a reply: "It is D, not B"."""
_LISTED = re.compile(r"[\n\[]")
_LABELS = re.compile(r"[\s,;.()\[\]&+/]+|\b(?:and|or|und|oder)\b")
_RATED = re.compile(r"\W*(\d{1,2}) ?(?:/|out of|von) ?(\d{1,2})\W*")
"""A place on a scale ("4/5") as the whole of a reply."""
_FIRST_WORD = re.compile(r"[\s,;.()\[\]&+/]*([^\s,;.()\[\]&+/]+)")
_TOGETHER = re.compile(r"\b(?:all|both|and|none|neither|only)\b")
"""In an option that may stand for several others."""
_JOINED = re.compile(r"\b[A-Z1-9]\b(?:,| and| or| &){1,2} \b[A-Z1-9]\b")


def outright(scene: Scene, first: Impression, *, cut: bool = False) -> Reading | None:
    """The reading of a reply that says in so many words what it chooses, and nothing besides.

    It names one option alone, by rules that hardly err, with no word of doubt or of a turn; or it
    is so short that there is nothing to weigh. Of a reply that was `cut` off, which may have gone
    on to other options, only what it states.
    """
    if not cut and (tied := mismatched(scene, first)) is not None:
        return Reading("ambiguous", (), "label_with_other_text", tied, _BRIEFLY)
    found = _in_so_many_words(scene, first, cut)
    if found is not None and (found.confidence >= _FAIRLY or found.rule == ELSEWHERE):
        return found
    low = scene.response.low
    refuses = first.reading is not None and first.reading.rule == "refusal" and not first.said
    worded = in_words(scene, first, _TURN, cut=cut)
    worded = worded or (None if cut else closes(scene, first, turned=has_turn(low)))
    if worded is not None and not refuses:
        return worded
    return (None if cut else declared(scene, first)) or found


def _in_so_many_words(scene: Scene, first: Impression, cut: bool) -> Reading | None:
    """What a reply states, or begins with, by rules of order alone."""
    found = first.reading
    low = scene.response.low
    alone = _labels_alone(scene)
    if len(alone) == 1:
        return Reading("answer", (*alone,), "label_alone", None, PLAINLY)
    whole = several.option_of(scene, alone) if alone else None
    if whole is not None:
        return Reading("answer", (whole,), "together", None, _FAIRLY)
    if alone or (not first.said and several.just_listed(scene)):
        return Reading("ambiguous", (), "several", None, PLAINLY)
    listed = stands_out(scene) if not cut and _may_list(first) else set()
    if first.said and listed != {*first.said[0].target.positions}:
        listed = set()
    if len(listed) == 1:
        return Reading("answer", (*listed,), "listed", None, PLAINLY)
    if listed and not any(map(_TOGETHER.search, map(str.lower, scene.options.texts))):
        return Reading("ambiguous", (), "several_listed", None, _FAIRLY)
    if first.standing.plain or (not cut and _several_right(scene)):
        return Reading("ambiguous", (), "two_stand", None, _FAIRLY)
    if found is None:
        announced = _ANNOUNCES.search(low[-_OPENING:]) and "?" not in low
        return _CUT_SHORT if announced else None if cut else elsewhere(scene)
    if found.rule in _UNFIRM and not cut and not first.said:
        result = elsewhere(scene, stated=True, at_end=found.rule != "text_alone")
        if result is not None:
            return result
    end = None if first.said or cut or _TURN.search(low) else candidates.concluded(scene)
    if end is not None and not scene.asks_not:
        span = scene.response.span(end.start, end.end)
        return Reading("answer", end.target.positions, "concluded", span, _FAIRLY)
    if found.rule == "refusal":
        return None
    plainly = _SURE if _agrees(first, found) else PLAINLY
    if found.positions and _but_not_others(scene, found):
        return _with(found, plainly)
    boxes = found.rule == "boxed" and _BOXES_ITS_ANSWER.search(low[-_OPENING:])
    if boxes and found.positions and not _TURN.search(low[-_OPENING:]):
        return _with(found, PLAINLY)
    if contest_of(scene, first, cut=cut):
        return None
    if found.rule == "given":
        return _with(found, _FAIRLY)
    if found.rule == "text_alone":
        at = found.positions[0]
        hits = scene.options.find_all(scene.response)
        if only_of_another(scene, at, [hit.start for hit in hits if hit.position == at]):
            return None
    if found.positions and not _agrees(first, found) and _ends_on_another(scene, first, found):
        return None
    if found.rule == "lead" and _joins_labels(scene, first) and not _TURN.search(low):
        return _with(found, _FAIRLY)
    if found.rule in _OUTRIGHT and found.confidence >= _FAIR and not _TURN.search(low):
        hesitates = _HESITATION.search(low) and not _agrees(first, found)
        if found.rule == "lead" and not first.said and _leads(scene, first):
            own = first.first is not None and first.first.target.agrees
            return _with(found, _SURE if own else _FAIRLY)
        sure = found.confidence >= _PLAIN
        if sure and not hesitates and (_by_label(scene, first, found) or _undoubted(scene, found)):
            return _with(found, plainly)
    if found.rule in FORMS and found.positions and _ENDS_IN_FORM.search(low[-_OPENING:]):
        return _with(found, PLAINLY)
    if found.rule in _OUTRIGHT and _stands(scene, first, found):
        return _with(found, _FAIRLY)
    held_off = speaks_against(scene, 0, len(low), LURE)
    if found.rule == "mentioned" and not held_off and _is_linked(scene, found):
        return _with(found, _FAIRLY)
    weaker = found.rule in _WEAKER and not held_off and _undoubted(scene, found)
    if weaker and is_taken_up(scene, found.positions[0]):
        return _with(found, plainly)
    size = len(low.strip())
    if found.rule == "other_label" and size < _SHORT and not _names_any(scene):
        hedged = _DOUBT.search(low) or _TURN.search(low) or _HESITATION.search(low)
        lone = scene.labels.positions and not _LISTED.search(low.strip())
        return None if hedged else _with(found, _FAIRLY if lone else _BRIEFLY)
    if _LISTS.search(low) or found.confidence < _FAIR:
        return None
    if found.rule == "text_alone":
        chosen = scene.options.texts[found.positions[0]]
        others = named_by_word(low, scene.options.texts) - {*found.positions}
        if others or len(chosen) < _MOSTLY * size:
            return None
    if found.rule == "several" and several.singles_out(low):
        return None
    turned = found.rule != "corrected" and _TURN.search(low)
    if found.positions and (turned or _NEGATED.search(low)):
        return None
    if held_off:
        return None
    brief = size < _SHORT and found.rule in _BRIEF
    if found.rule == "lead" and not _agrees(first, found):
        brief = brief and _alone(scene, found.positions[0], standing=True)
    if size < _VERY_SHORT and found.rule in _BRIEFEST:
        brief = brief or not found.positions or _alone(scene, found.positions[0])
    return _with(found, _BRIEFLY) if brief else None


def _may_list(first: Impression) -> bool:
    """Whether nothing is stated, or one option called right among others that are named."""
    if not first.said:
        return True
    several = first.reading is not None and first.reading.status == "ambiguous"
    return several and len({one.target.positions for one in first.said}) == 1


def _several_right(scene: Scene) -> bool:
    """Whether a sentence says that the right answers are several options, all of which it names."""
    low = scene.response.low
    m = _RIGHT_ONES.search(low) if "s are" in low else None
    if (
        m is None
        or scene.asks_not
        or any(map(_TOGETHER.search, map(str.lower, scene.options.texts)))
    ):
        return False
    names = [name for name in told(scene).at(m.end()).names if name.start >= m.end()]
    if len({name.position for name in names}) < 2:
        return False
    begins = [m.end(), *(name.end for name in names)]
    ends = [*(name.start for name in names), names[-1].end]
    gaps = (low[begin:end] for begin, end in zip(begins, ends, strict=True))
    rest = low[names[-1].end :]
    return all(map(_JOINS.fullmatch, gaps)) and not (_TO_ONE.search(rest) or _TURN.search(rest))


def has_turn(low: str) -> bool:
    """Whether there is a word of a turn."""
    return _TURN.search(low) is not None


def _with(found: Reading, confidence: float) -> Reading:
    """A reading with another confidence."""
    return Reading(found.status, found.positions, found.rule, found.span, confidence)


def _but_not_others(scene: Scene, found: Reading) -> bool:
    """Whether the whole of a reply is the label that was found, and "not" others."""
    said = _BUT_NOT.fullmatch(scene.response.low.strip())
    if said is None:
        return False
    known = scene.labels.positions
    return known.get(said[1].upper(), known.get(said[1])) in found.positions


def _ends_on_another(scene: Scene, first: Impression, found: Reading) -> bool:
    """Whether the last word is the label of another option ("so it's really C")."""
    hit = scene.labels.at_end(scene.response)
    reach = first.said[-1].end + _OPENING if first.said else _OPENING
    return (
        hit is not None
        and hit.start < reach
        and hit.position not in found.positions
        and is_named(scene, hit.start)
        and not turned_down(scene, hit.start)
    )


def _joins_labels(scene: Scene, first: Impression) -> bool:
    """Whether it begins with a label and its own text, which names other labels ("A and B")."""
    lead = first.first
    if lead is None or not lead.target.agrees or len(lead.target.positions) > 1:
        return False
    return _JOINED.search(scene.options.texts[lead.target.positions[0]]) is not None


def _labels_alone(scene: Scene) -> set[int]:
    """The options of a reply that is labels and nothing else: several, or one over and over."""
    known = scene.labels.positions
    if not known:
        return set()
    rated = _RATED.fullmatch(scene.response.low)
    if rated and int(rated[2]) == len(known) and scene.labels.numbers and rated[1] in known:
        return {known[rated[1]]}
    first = _FIRST_WORD.match(scene.response.text)
    if first is None or not (first[1] in known or _LABELS.match(first[1])):
        return set()
    words = _LABELS.sub(" ", scene.response.text).split()
    if len(words) < 2 or "?" in scene.response.low or not known.keys() >= {*words}:
        return set()
    found = {known[word] for word in words}
    shown = all(map(scene.labels.shows, words))
    fits = shown or len(words) < 3
    return found if fits and (len(words) <= len(known) or len(found) == 1) else set()


def _stands(scene: Scene, first: Impression, found: Reading) -> bool:
    """Whether the last statement holds whatever comes before it.

    It gives a label with its own text and no turn follows, or a label that ends the reply; or
    all statements agree, no turn is there and no other option is named.
    """
    low = scene.response.low
    if found.rule == "last_line":
        return not _TURN.search(low)
    if not first.said or not found.positions or found.confidence < _FAIR:
        return False
    last = first.said[-1]
    if last.target.positions == found.positions:
        at_end = len(low.rstrip()) - last.end <= _FULL_STOP
        if at_end and (last.target.by == "label" or not _TURN.search(low)):
            return True
        if last.target.agrees and not _TURN.search(low, last.end):
            return True
        whole = found.rule in ("stated", "chosen") and found.confidence >= _PLAIN
        if whole and not _TURN.search(low, last.start) and in_full(scene, last):
            return True
    agreed = found.confidence >= _PLAIN and found.rule in ("stated", "chosen")
    return agreed and not _TURN.search(low) and _alone(scene, found.positions[0])


def _is_linked(scene: Scene, found: Reading) -> bool:
    """Whether the first label named comes right after "is" or a colon, with nothing taken back."""
    low = scene.response.low
    if _TURN.search(low):
        return False
    hesitates = _HESITATION.search(low)
    for hit in scene.labelled:
        name = scene.response.text[hit.start : hit.end]
        if hit.marked or (name not in ("A", "a", "I", "i") and is_named(scene, hit.start)):
            linked = _LINKED.search(low, max(0, hit.start - 20), hit.start) is not None
            text = scene.options.texts[hit.position].lower()
            own = text and text in low[hit.end : hit.end + len(text) + 4]
            return linked and hit.position in found.positions and bool(own or not hesitates)
    return False


def _leads(scene: Scene, first: Impression) -> bool:
    """Whether a reply begins with a label that is set off, and no other line with another."""
    lead = first.first
    low = scene.response.low
    if lead is None or lead.target.by != "label" or lead.target.text == "other" or "{" in low:
        return False
    set_off = lead.target.agrees or low[lead.target.end : lead.target.end + 1] in _SETS_OFF
    named = tuple(lead.target.positions)
    beside = lead.target.agrees or not any(
        hit.marked and hit.position not in named and is_named(scene, hit.start)
        for hit in scene.labelled
    )
    return set_off and beside and _begins_alone(scene, named)


def _undoubted(scene: Scene, found: Reading) -> bool:
    """Whether no other option is named, and no word of doubt or of a turn is there."""
    low = scene.response.low
    doubt = _DOUBT.search(low) or _TURN.search(low) or _HESITATION.search(low)
    return not doubt and bool(found.positions) and _alone(scene, found.positions[0])


def _names_any(scene: Scene) -> bool:
    """Whether an option's text is there, other than one that says that no choice is made."""
    texts = scene.options.texts
    return any(
        meaning_of(texts[h.position]) is None for h in scene.options.find_all(scene.response)
    )


def _agrees(first: Impression, found: Reading) -> bool:
    """Whether the choice is stated, or led with, by label and own text."""
    said = first.said or ([first.first] if first.first else [])
    return any(s.target.agrees and s.target.positions == found.positions for s in said)


def _begins_alone(scene: Scene, named: tuple[int, ...]) -> bool:
    """Whether no other line begins with the label of another option, unless to reject it."""
    low = scene.response.low
    hits = (scene.labels.at(scene.response, m.end()) for m in _LINE.finditer(low))
    return all(
        hit is None or hit.position in named or _REJECTED.match(low, hit.end) for hit in hits
    )


def _by_label(scene: Scene, first: Impression, found: Reading) -> bool:
    """Whether every statement, or the beginning, names this option alone and by its label."""
    said = first.said
    if not said:
        lead = first.first
        set_off = lead is not None and _SET_OFF.match(scene.response.low, lead.target.end)
        own = lead is not None and (lead.target.agrees or (lead.target.text is None and set_off))
        return bool(own) and _begins_alone(scene, found.positions)
    return all(s.target.by == "label" and s.target.positions == found.positions for s in said)


def _alone(scene: Scene, chosen: int, *, standing: bool = False) -> bool:
    """Whether no other option is named anywhere, or with `standing` none but to turn it down."""
    for hit in scene.labelled:
        if hit.position == chosen or (standing and turned_down(scene, hit.start)):
            continue
        name = scene.response.text[hit.start : hit.end]
        odd = name in ("A", "a", "I", "i") and scene.response.low[hit.end : hit.end + 1].isascii()
        if hit.marked or (not odd and is_named(scene, hit.start)):
            return False
    return all(
        hit.position == chosen or (standing and turned_down(scene, hit.start))
        for hit in scene.options.find_all(scene.response)
    )
