"""What the words around an answer make of it: denied, reported, asked, or taken back behind it.

"The answer is B" says what is chosen only where it is a sentence of its own. In "I doubt that the
answer is B" and "my friend says the answer is B" it is what another verb is about; in "Answer: B.
Never mind." it no longer holds. Patterns run on text in lower case and look a bounded way.
"""

from __future__ import annotations

import re
from typing import Literal

from horsesense.readers.text.names.targets import Target
from horsesense.readers.text.words import announcements

Frame = Literal["denied", "reported"]

_BEFORE = 90
_HEADING = 90
_SENTENCE_END = re.compile(r"(?<!\be\.g)[.!?](?=\s|\Z)|;|\n|, (?:but|so|and|yet)\b|\bbut\b")
_ADJECTIVES = re.compile(
    r"(?:(?:correct|right|best|true|final|most \w+|likely|actual|proper) ){0,2}\Z"
)
_HOLDS = (
    r"(?:think|believe|say|agree|claim|accept|conclude|suppose|argue|guess|expect|mean|suggest)"
)
_DENIED = re.compile(
    rf"(?:\b(?:not|never|nobody|no one|none|hardly|cannot|few)|n't|n’t)"
    rf"(?: (?!but\b|i\b|we\b)\w+){{0,2}} {_HOLDS}s?\b(?P<t1>.{{0,24}})\Z"
    r"|\b(?:doubt\w*|unlikely|implausible|impossible|improbable|mistake to \w+|mistaken\w*"
    r"|wrong to|wish|unless|deny"
    r"|denies|disbelieve|pretend\w*|no way|far from|no reason|n't see|not see|nonsense|untrue"
    r"|(?:not|n't) (?:true|so|clear|sure|certain|obvious|possible|likely|the case|convinced))\b"
    r"(?P<t2>.{0,32})\Z"
)
_EVIDENCE = frozenset(
    [
        *("passage", "text", "question", "paragraph", "article", "sentence", "excerpt", "story"),
        *("law", "rule", "definition", "theorem", "table", "graph", "figure", "statute", "code"),
        *("it", "this", "that", "which", "context", "evidence", "option", "choice", "statement"),
        *("everything", "logic", "reasoning", "author", "constitution", "i", "we", "data"),
    ]
)
_PERSON = (
    r"people|they|others?|many|most|some|someone|somebody|everyone|everybody|anyone|you|one|he|she"
    r"|gpt\S*|(?:\w+ )?(?:models?|assistants?"
    r"|friends?|mother|father|mum|mom|dad|sister|brother|wife|husband|uncle|aunt|boss|neighbou?rs?"
    r"|teachers?|colleagues?|students?|users?|books?|keys?|experts?|critics)"
)
_SAYS = re.compile(
    rf"(?P<who>\w+) (?:\w+ly )?(?:says|claims|thinks|believes|argues|insists|reckons|swears|guesses"
    r"|maintains|told \w+)(?P<t1>.{0,24})\Z"
    rf"|\b(?:{_PERSON})(?:'d| would| could| might| may| will)? (?:\w+ly )?(?:say|said|claim|claimed"
    r"|think|thought|believe|believed|argue|argued|insist|insisted|guess|assume|answer|told \w+)\b"
    r"(?P<t2>.{0,24})\Z"
    r"|\bi(?:'ve| have| was|'d| had)? (?:\w+ )?(?:told|heard|read|taught|hoped|assumed)\b"
    r"(?P<t3>.{0,24})\Z"
    r"|(?:\A|\n)\W{0,4}(?:agent|student|teacher|judge|speaker|person|voter|debater|expert|panelist"
    r"|alice|bob|carol)(?: \w{1,2})?\W{0,3}:(?P<t4>.{0,12})\Z"
    r"|\b(?:it(?:'s|’s| is| was| has been)|(?:is|was) (?:\w+ )?)(?: ?\w+ly| often)? ?(?:claimed"
    r"|said|believed|thought|assumed|argued|rumou?red)\b(?P<t5>.{0,24})\Z"
    r"|\bi (?:used to (?:think|believe|say)|disagree|once thought)\b(?P<t6>.{0,24})\Z"
)
_SAYS_WORDS = (
    *("say", "said", "claim", "think", "thought", "believ", "argu", "insist", "reckon", "swear"),
    *("guess", "assum", "maintain", "told", "answer", "heard", "read", "taught", "hoped", "rumo"),
    *("disagree", "agent", "student", "teacher", "judge", "speaker", "person", "voter", "debater"),
    *("expert", "panelist", "alice", "bob", "carol"),
)
"""One of these is in whatever `_SAYS` finds; plain words are looked for first, for speed."""
_LINKS_ON = re.compile(
    r"(?:,? ?(?:that|why|how|of|is|to|it's|it is|:|the|my|our|an?|this)\b[\s\"']*){0,4}\W*\Z"
)
_NAMED_SO = re.compile(
    r"\b(?:e\.g|for example|for instance|such as|example|sample|second[- ]best|second(?:-\Z)?"
    r"|opposite of"
    r"(?: the)?|runner-?up|old|former|earlier|trap|least \w+|next[- ]best|decoy)[\s,:.*]*\Z"
)
_OF_ANOTHER = re.compile(
    r"[\s*]*(?:used to\b|format\b|in your\b|to (?:the |a )?(?:previous|earlier|last|next"
    r"|other|another|different|first|second|part \(?\w\b|question \(?\w\b)|of (?:another|others"
    r"|most)\b|keys? (?:says?|has)"
    r"|,? ?(?:that |which )?(?:i|we) (?:first|initially|originally|gave|had|wrote)\b"
    r"|,? ?(?:that |which )?(?:(?:most|many|some) \w+|students?|beginners|he|she|you) \w+ed\b)"
)
_AVOIDED = re.compile(
    r"[\s*]*(?:(?:that|which|to|be|one|i|you|we|must|should|would|can|is|are|was) ){0,4}"
    r"(?:avoid|reject|rul(?:e|ed) out|eliminat|discard|dismiss|exclud|cross|leave out|drop)\w*"
    r"|[\s*]*(?:(?:that|which|i|you|we|one) ){0,2}(?:(?:should|must|would|could|can|do|is|are)"
    r"(?: not|n't| never)|cannot|can't|won't|never) (?:be |to )?\w+"
)
_HEAD = re.compile(
    r"\b(?:wrong|incorrect|worst|least|rul(?:e|ed|es|ing)[ _]out|ruled|reject\w*|discard\w*"
    r"|eliminat\w*|exclud\w*|dismiss\w*|cross\w* out|not|never|except|everything but|all but"
    r"|distractors?|decoys?|runners?-?up|second[ -]best|(?<!or )false|invalid|implausible|unlikely"
    r"|traps?)\b[^\n.!?,]*\Z|n't\b[^\n.!?,]*\Z"
)
_HEAD_WORDS = (
    *("not", "but", "wrong", "incorrect", "worst", "least", "rul", "reject", "discard", "elimin"),
    *("exclu", "dismiss", "cross", "never", "except", "distractor", "decoy", "runner", "second"),
    *("false", "invalid", "implausible", "unlikely", "trap", "n't"),
)
"""One of these is in whatever `_HEAD` or `_WORSE` finds; plain words are looked for, for speed."""
_WORSE = re.compile(
    r"\b(?:worst|distractor|decoy|trap|runner-?up|second[ -]best|least \w+|wrong|incorrect)"
    r"(?: (?:answer|option|choice|one|pick)s?)? (?:is|are|was|were)\Z"
)
SET_ASIDE = re.compile(
    r"[*_\"')]*\s*(?:in the dust|far behind|to (?:nobody|no one)|last(?: of all)?[.!,]"
    r"|(?:off|from) the (?:list|table|mark|board|\w+ of \w+)|apart\b|aside\b"
    r"|(?:is|was|as|to be) (?:off the \w+|(?:the|a) (?:\w+ )?(?:trap|lure|decoy|distractor|bait))"
    r"|has (?:little|nothing) to do)"
)
"""Behind an option that somebody seems to choose: that he does the opposite."""
_VERDICT = re.compile(r"\b(?:correct|right|wrong|incorrect|true|false|possible|given|listed)\Z")
_RIGHT_HEAD = re.compile(
    r"\b(?:not (?:only|just|sure)|so|therefore|thus|leav\w*|left|remain\w*|but \w|choose"
    r"|(?:the|my|final|correct|right|best) answer)\b"
)
_SENTENCE_START = re.compile(r"[.!?;]\s+")
_ITEMS = re.compile(
    r"(?:[\s>*•+,(\[\"'`_#-]|\band\b|\bor\b|\b(?:option|choice)\b"
    r"|(?<!\w)\w[).\]]?(?=[\s,*)\]\"'`:]))+\Z"
)
_PLAIN = frozenset(("", "the", "the correct", "the right", "the best", "so the", "so the correct"))
"""What stands most often in front of a statement, and frames nothing."""
_ASKS = re.compile(r"[\s\"')\]*_]{0,4}\?")


_OWNED = re.compile(
    r"(?<!\w)(?!(?:question|problem|exercise|item|quiz|riddle|puzzle|today|it|that|here|let|what)"
    r"['’]s)[\w.-]+['’]s (?:\w+ )?\Z"
)
"""Right before a statement: that it is somebody's ("my teacher's answer is")."""


def frame(low: str, start: int, target: Target) -> Frame | None:
    """What the words around a statement make of it, if it is not the reply's own.

    `start` is where its wording begins ("the answer is"), `target` what it names.
    """
    window = low[max(0, start - _BEFORE) : start]
    begins = [m.end() for m in _SENTENCE_END.finditer(window)]
    clause = window[begins[-1] if begins else 0 :]
    if _OWNED.search(clause):
        return "reported"
    if clause.strip() not in _PLAIN and (found := _framed(clause)):
        return found
    if announcements.NOT_THE_ANSWER.match(low, target.end):
        return "denied"
    return "reported" if _ASKS.match(low, target.end) else None


def _framed(clause: str) -> Frame | None:
    """What the words in front of a statement make of it."""
    before = _ADJECTIVES.sub("", clause, count=1)
    m = _DENIED.search(before)
    if m and _LINKS_ON.fullmatch(m["t1"] or m["t2"] or ""):
        return "denied"
    if _NAMED_SO.search(before):
        return "reported"
    m = _SAYS.search(before) if any(map(before.__contains__, _SAYS_WORDS)) else None
    others = m is not None and m["who"] not in _EVIDENCE
    if (
        m
        and others
        and _LINKS_ON.fullmatch(next(filter(None, m.group("t1", "t2", "t3", "t4", "t5", "t6")), ""))
    ):
        return "reported"
    return None


def of_another(low: str, start: int, end: int) -> bool:
    """Whether the words around "answer" make it another one ("the answer to the next question",
    "your answer was")."""
    if low[max(0, start - 5) : start] == "your " and low.startswith((" was", " were"), end):
        return True
    return _OF_ANOTHER.match(low, end) is not None


def avoided(low: str, end: int) -> bool:
    """Whether what follows "answer" says that it is not to be given ("the answer to avoid")."""
    return _AVOIDED.match(low, end) is not None


def headed(low: str, offset: int) -> bool:
    """Whether what stands above or before a list rejects what is named in it ("Ruled out:").

    A whole clause ("the country that is not in Europe is:") repeats what is asked instead.
    """
    window = low[max(0, offset - _HEADING) : offset]
    # First what is cheap: most windows have nothing that could be a heading.
    if not any(sign in window for sign in (":", "\n", " is", " are", " was", " were")):
        return False
    if not any(map(window.__contains__, _HEAD_WORDS)):
        return False
    m = _ITEMS.search(window)
    if m is None:
        return False
    head, between = window[: m.start()], window[m.start() :]
    line = head.rstrip(" *_\t").rsplit("\n", 1)[-1]
    line = _SENTENCE_START.split(line)[-1]
    if _WORSE.search(line.rstrip(":")):
        return True
    if not line.endswith(":") and ("\n" not in between or _VERDICT.search(line)):
        return False
    line = line.rstrip(":* ")
    if line.endswith((" is", " are", " was", " be")):
        return False
    found = _HEAD.search(line)
    return found is not None and _RIGHT_HEAD.search(found.group()) is None
