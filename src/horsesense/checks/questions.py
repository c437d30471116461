"""Flaws of the question: what it lacks, hides or gives away."""

from __future__ import annotations

import re
from typing import Final

from horsesense.checks.shares import clipped, letter, quoted
from horsesense.expressions import expression
from horsesense.items.item import Item

_WORD: Final = expression(r"\w+")
_ENGLISH: Final = expression(r"\b(?:the|of|which|what|is|are|following)\b", re.IGNORECASE)
_BRACKETS: Final = expression(r"\([^() ]{1,40} [^() ]{1,40} [^()]{1,200}\)")
_EXCEPT: Final = expression(
    r"\b(?:which|what|who|all|each|any|every|both)\b[^.?!]{0,300}\b(?:except|excepting|excluding"
    r"|with the exception of)\b|\bexcept(?:ion)?\W*$|\b(?:but|save) (?:one|not)\W*$",
    re.IGNORECASE,
)
_EMPHASIS: Final = expression(
    r"\b(?:(?:CAN)?NOT(?! guilty)|EXCEPT|LEAST|FALSE|INCORRECT|[A-Z]+N['’]T)\b|[*_]not[*_]"
)
_CLAUSE: Final = expression(
    r"(?<!^)(?<!which )(?<!what )\b(?:that|who|whom|whose|because|if|when|where|since|while"
    r"|although|unless|why|how|so|but|think|reason|probability|chance|assum\w+|it"
    r"|, which(?! of\b| one\b))\b(?: not)?[^,;:?]{0,200}",
    re.IGNORECASE,
)
_AUX: Final = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|may|might|need|must)"
)
_WRONG: Final = r"(?:false|incorrect|untrue|inaccurate|inappropriate|wrong)"
_RARE: Final = (
    r"(?:likely|probabl[ey]|appropriate|correct|true|accurate|typical(?:ly)?|characteristic"
    r"|important|effective|common(?:ly)?(?! (?:multiple|denominator|divisor))|helpful|useful"
    r"|suitable|relevant|consistent|plausible|desirable|preferred|often|frequent(?:ly)?|affected"
    r"|involved|associated|valid|necessary|acceptable|supported|compatible|significant|related)"
)
_NEGATED: Final = expression(
    rf"(?<!thing )\b(?:which|what|who|where)\b[^.?!]{{0,160}}(?:\b{_AUX}(?: [\w’'-]+){{0,4}}? ?"
    r"(?:not\b(?! (?:only|to)\b)|never\b|unable\b)|n[’']t\b)"
    rf"|\b{_AUX} ?(?:be )?not\b(?:(?: [\w’'-]+){{0,4}}\s*(?:[:_…]|\.\.)[\s:_…–.-]*)?$"
    r"|\bnot\b[^.?!]{0,60} which \w+\W*$"
    rf"|(?<!\bat )(?<!\bin )\bleast {_RARE}\b"
    rf"|^(?:the )?{_WRONG}(?:ly)? (?:\w+ )?(?:statement|option|match|about|regarding|one|is|are"
    r"|pair)"
    rf"|\b(?:is|are) (?:the |an? )?{_WRONG}(?: (?:statement|option|answer|about|regarding"
    rf"|concerning|in|for|of)\b"
    rf"[^.?!]{{0,80}})?\W*$|\b(?:which|what|the|an?|one|following) {_WRONG} (?:statement|option"
    rf"|answer|match|pair|choice)"
    r"|\bodd (?:one|man|word|item) out\b|\bthe odd one\b"
    r"|^not (?:an?|the|one|true|correct|seen|found|part|used|\w+(?:ed|ous|ive|ble|ful))\b"
    rf"|^(?:identify|name|find|choose|select|mark|pick)\b[^.?!:,]{{0,80}}\b(?:not|{_WRONG}|odd)\b",
    re.IGNORECASE,
)
"""Stems that ask for what is not so, in English."""
_NEGATED_ELSEWHERE: Final = expression(
    r"\b(?:welche[rsnm]?|was|wer|wo|wem|wen|alle)\b[^.?!,]{0,160}"
    r"\b(?:nicht|kein(?:e[nrms]?)?|außer|ausgenommen|falsch|unzutreffend|am wenigsten)\b"
    r"|\b(?:quel(?:le)?s?|lequel|laquelle|lesquel(?:le)?s|qui|parmi|tou(?:s|tes))\b[^.?!]{0,160}"
    r"(?:\b(?:ne|n['’]\s?\w+)\b[^.?!]{0,60}\b(?:pas|jamais|aucun)\b"
    r"|\b(?:sauf|excepté|fausses?|faux|incorrecte?|inexacte?|le moins)\b)"
    r"|\b(?:cuál(?:es)?|cual(?:es)?|qué|quién|dónde|todos|todas|señale|indique|marque)\b[^.?!]{0,160}"
    r"\b(?:no|nunca|excepto|salvo|fals[oa]s?|incorrect[oa]s?|menos probable)\b(?! solo)"
    r"|\b(?:außer|sauf|excepto|salvo)\W*$"
    r"|(?:哪|什么|谁|下列|以下|选出)[^。？！]{0,80}(?:不(?!同|仅|久|断|得不|少于|超过)|没有|错误|有误|除外|除了|例外|并非|非)"
    r"|除[^。？！]{1,30}(?:外|以外)",
    re.IGNORECASE,
)
_QUOTED: Final = expression(r"[„“«\"「][^”“»\"」]{1,200}[”“»\"」]")

_FIGURE: Final = (
    r"(?:figure|diagram|graph|picture|image|photo(?:graph|micrograph)?|drawing|chart|map|table"
    r"|illustration|pedigree|cartoon|x-?ray|radiograph|ct scan|cect|mri|ecg|ekg|ultrasound|video"
    r"|slide|specimen|sketch|histopatholog\w+|fig)"
)
_MISSING: Final = expression(
    rf"\b{_FIGURE}s?(?: \d+)?,? (?:(?:shown |given |pictured )?(?:above|below|opposite)|shown"
    r" here)\b"
    rf"|\b{_FIGURE}s?\b[^.?!]{{0,40}}\b(?:is|are|as|was) (?:as )?(?:shown|given|depicted|seen) "
    r"(?:here|below|above)"
    r"|\b(?:shown|given|pictured|depicted|illustrated|labell?ed|marked|indicated|according) "
    rf"(?:in|by|on|to) (?:the |this |a )?(?:following |above |accompanying |given |attached )?"
    rf"{_FIGURE}\b"
    rf"|\bthe (?:following|above|accompanying|attached|given) {_FIGURE}\b(?! of speech)"
    rf"|\b(?:in|from|on) the (?:given|shown) {_FIGURE}\b|\brefer to the {_FIGURE}\b"
    rf"|^(?:using|use|in|from|based on|study|look at|examine) the {_FIGURE}"
    r"(?=[,.:]| above| below| to (?:answer|determine|estimate|find)\b)"
    rf"|\bdo(?:es)? the {_FIGURE}s? (?:depict|give|show|represent)\b"
    rf"|\b(?:data|results|information) (?:shown |given )?in (?:the )?{_FIGURE}\b"
    r"|\b(?:in|see|from|based on|according to) table \d"
    r"|^(?:the |this )?(?:figure|image|picture|photograph) (?:depicts|shows|represents)\b"
    r"|\bfig(?:ure|\.)? ?\d|\bin the (?:circuit|network|apparatus) shown\b|\bvideo link\b"
    r"|\b(?:marked|indicated|pointed|shown) (?:with|by|at by|as per) (?:the |an? )?(?:\w+ )?"
    r"arrows?\b"
    # A formula that was a picture: nothing between "the following model:" and "where".
    r"|:[ \t]*\n(?:[ \t]*\n){2,}(?=where\b)",
    re.IGNORECASE,
)
_PASSAGE: Final = expression(
    r"\b(?:according to|based on) the (?:passage|excerpt|extract|story|article|paragraph|poem"
    r"|author)\b(?! of\b)"
    r"|\b(?:in|from) the (?:text|excerpt|extract|article|poem) (?:above|below)\b"
    r"|\b(?:in|from|read) the following (?:passage|excerpt|extract|article|paragraph)\b"
    r"|\bthe passage (?:above|below|mainly|suggests|implies|states)\b"
    r"|^read the (?:poem|passage|extract|excerpt|story|article|paragraph)\b",
    re.IGNORECASE,
)
_NUMBERS: Final = expression(r"\d[\d.,]*")
_DATA: Final = 6
"""Numbers in a question from which its chart or table is taken to be written out."""
_PASSAGE_WORDS: Final = 40
"""Words in a question from which the passage may stand in it."""

_ANNOUNCED: Final = expression(
    r"(?:\b(?:answer|ans|answer key|key|solution|hint|correct (?:option|choice|response|one)"
    r"|antwort|réponse|respuesta)\b|(?<=[(\[])(?:correct|right)\b|答案)(?: key| choice| option)?\s?"
    r"(?P<link>is|are|was|says|:|=+|-+>?|–|→|ist|lautet|est|es|是|为|：)\s{0,3}"
    r"(?:(?:option|choice|letter|the|an?|it is the)\s)?[\"'“‘*(\[]{0,2}",
    re.IGNORECASE,
)
"""Words that announce the answer: what follows is its letter or its text."""
_LETTER_NEXT: Final = expression(r"([A-H])(?=[\"'”’*)\]]{0,2}\s{0,3}(?:[.;,)\]!。]|$|\n))")
_CONDITION: Final = expression(
    r"\b(?:if|whether|when|unless|suppose|assum\w+|until|which|what|whose|how|why)\b[^.?!\n]{0,400}$",
    re.IGNORECASE,
)
_MARKED: Final = expression(
    r"[(\[{]\s?(?:this is )?(?:the )?(?:(?:correct|right)(?: (?:answer|one|option|choice))?"
    r"|ans(?:wer)?|key|richtig|bonne réponse|correcta|正确(?:答案)?)\s?[!.]?\s?[)\]}]\W*$"
    r"|(?:<-+|←|<=+|-{2,})\s?(?:the )?(?:correct|right|answer|this one|key)\b(?: answer| one)?\W*$"
    r"|[✓✔☑✅]\s*$|^\s*(?:[✓✔☑✅]|\[[xX✓]\])",
    re.IGNORECASE,
)
_PLAIN_ANSWERS: Final = frozenset(["yes", "no", "true", "false"])


def _blank(found: re.Match[str]) -> str:
    """As many spaces, so that what is found beside it stands where it stood."""
    return " " * len(found[0])


def negated(item: Item) -> str | None:
    """The question asks for what is not so (one with yes or no for options asks neither)."""
    if any(_PLAIN_ANSWERS.issuperset(_WORD.findall(option.lower())) for option in item.options):
        return None
    last = _asked(item.question)
    if not last.isupper() and (found := _EMPHASIS.search(last)):
        return f"{clipped(last[max(0, found.end() - 45) :], 70)!r} (emphasised)"
    found = _EXCEPT.search(last) or _NEGATED.search(_CLAUSE.sub(_blank, last))
    if found is None and not _ENGLISH.search(last):
        found = _NEGATED_ELSEWHERE.search(_QUOTED.sub(_blank, last))
    return found and f"{clipped(last[max(0, found.end() - 45) :], 70)!r} (not emphasised)"


def _asked(question: str) -> str:
    """The last sentence of a question on one line, without remarks in brackets."""
    last = re.split(r"[.?!][\"”']?\s+", question.strip())[-1]
    plain = " ".join(_BRACKETS.sub(" ", last).split())
    return plain if len(plain) > len(last) / 2 else " ".join(last.split())


def missing_material(item: Item) -> str | None:
    """The question points at a figure, table, formula or passage, and it is not there."""
    question = item.question
    found = _MISSING.search(question)
    data = found is not None and re.search("chart|graph|table", found[0], re.IGNORECASE)
    if data and len(_NUMBERS.findall(question)) >= _DATA:
        found = None  # a chart or table in numbers
    if not (found or item.context or item.text_b) and len(question.split()) < _PASSAGE_WORDS:
        found = _PASSAGE.search(question)
    return found and f"{clipped(question[max(0, found.start() - 30) :], 70)!r}"


def states_answer(item: Item) -> str | None:
    """The question says which option is right, by letter or by text; or the right one is marked."""
    return _announced(item) or _marked(item) or _named(item)


def _announced(item: Item) -> str | None:
    """What stands where the question announces its answer, if it is the gold or its letter."""
    if item.gold is None:
        return None
    question, gold = item.question, item.options[item.gold].strip(" .").lower()
    for found in _ANNOUNCED.finditer(question):
        if found["link"].isalpha() and _CONDITION.search(question[: found.start()][-80:]):
            continue  # "which answer is B", "if the answer is yes"
        named = _LETTER_NEXT.match(question, found.end())
        after = question[found.end() : found.end() + len(gold)].lower()
        rest = question[found.end() + len(gold) :][:3]
        if (named and named[1] == letter(item.gold)) or (after == gold and not rest[:1].isalnum()):
            return f"…{clipped(question[max(0, found.start() - 20) : found.end() + 30])!r}"
    return None


def _marked(item: Item) -> str | None:
    """The one option that carries a mark, where it is the gold or the gold is not known."""
    marked = [at for at, option in enumerate(item.options) if _MARKED.search(option)]
    if len(marked) != 1 or item.gold not in (None, marked[0]):
        return None
    return f"{quoted(item, marked)} is marked"


def _named(item: Item) -> str | None:
    """The gold alone is named in the question: in brackets, or as what is asked for."""
    if item.gold is None:
        return None
    gold = re.escape(item.options[item.gold].strip(" ."))
    lower = item.question.lower()
    held = [at for at, o in enumerate(item.options) if o.strip(" .").lower() in lower]
    if held != [item.gold] or len(gold) < 3:
        return None
    named = re.search(
        rf"\w(?:, {gold},|,? \({gold}\))(?= [a-z]|[.?]?$)", item.question, re.IGNORECASE
    )
    if named or _said_before(item.question, item.options[item.gold]):
        return f"the answer {quoted(item, [item.gold])} is named in the question"
    return None


def _said_before(question: str, gold: str) -> bool:
    """Whether a sentence before the last names the gold and has all words of what is asked."""
    *before, last = re.split(r"(?<=[.!])\s+", question.strip())
    asked = {word for word in _WORD.findall(last.lower()) if len(word) > 3} - {"which", "what"}
    naming = (sentence.lower() for sentence in before if gold.lower() in sentence.lower())
    told = (set(_WORD.findall(sentence)) for sentence in naming)
    return len(asked) > 1 and any(asked <= words for words in told)


def no_gold(item: Item) -> str | None:
    """No right answer is known."""
    return "no right answer is given" if item.gold is None else None
