"""Flaws of the question: what it lacks, hides or gives away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from horsesense.checks.shares import clipped, letter, quoted
from horsesense.items.item import Item

_AUX: Final = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should|may|might|need|must)"
)
_WRONG: Final = r"(?:false|incorrect|untrue|wrong|inaccurate|erroneous|inappropriate|improper)"
_CLAIM: Final = (
    r"(?:statements?|options?|answers?|choices?|claims?|assertions?|match(?:es)?|pairs?|pairings?"
    r"|combinations?|one|ones|about|regarding|concerning|among|of these|of the following)"
)
_RARE: Final = (
    r"(?:likely|probabl[ey]|appropriate|correct|true|accurate|typical(?:ly)?|characteristic"
    r"|important|effective|common(?:ly)?(?! (?:multiple|denominator|divisor))|helpful|useful"
    r"|suitable|relevant|consistent"
    r"|plausible|desirable|preferred|often|frequent(?:ly)?|affected|involved|associated|valid"
    r"|necessary|acceptable|supported|compatible|significant|satisfactory|convincing|related"
    r"|compelling|apt|well[- ]suited|justified|fitting|credible)"
)
_NEGATED: Final = (
    # No clause may begin between the question word and the negation: "what is one called who
    # does not ..." asks for what is so. After a comma "which is not" describes what stands before.
    re.compile(
        r"(?:(?<!, )(?<!the )(?<!thing )\b(?:which|what)\b|, which (?:of|one|[a-z]+ly)\b|^who\b)"
        r"(?: (?!(?:that|who|which|why|if|because|when|where|but|and|it|since|while|although|reason"
        rf"|probability|chance|think|sure)\b)[^\s.?!]+){{0,12}}? {_AUX}"
        r"(?: ?not\b(?! that\b)(?![^.?!,]{0,60} but\b)|n[’']t\b| (?:never|unable)\b)",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:[^,]{0,80}, )?(?:what|which|who|whom|where|when)\b[^,;.?]{0,80}?"
        r"\b(?:do|does|did|would|could|can|might|should|will|must)(?: (?!reason|that|say|if)"
        r"[\w’'-]+){1,4} not\b(?! to\b)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:which|what|who|all|each|any|every(?:thing)?|both)\b[^.?!]{0,300}"
        r"\b(?:except|excepting|excluding|save (?:for )?one|with the exception of|but one)\b"
        r"|\bexcept(?:ion)?(?: for| one| of)?\W*$|\b(?:but|save) (?:one|not)\W*$"
        r"|\ball of (?:the following|these)\b[^.?!]{0,120}\bbut\W*$",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\bat )(?<!\bin )\bleast {_RARE}\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:which|what)\b[^.?!]{{0,200}}\b(?:is|are|was|were) (?:the |an? )?{_WRONG}"
        rf"(?! with|ly (?:accus|imprison)| (?:positive|negative|alarm|pretense|teeth|rib))\b"
        rf"|^(?:the )?(?:{_WRONG}|{_WRONG}ly (?:matched|paired)) (?:{_CLAIM}|is|are)\b"
        rf"|\b(?:the|an?|which|what|one|following) {_WRONG} (?:statement|option|answer|choice|claim"
        r"|assertion|match|pair|pairing|combination)s?\b(?! (?:made|by|given|was|had|that))"
        rf"|\b(?:is|are) (?:{_WRONG}|{_WRONG}ly matched)"
        r"(?: (?:about|regarding|concerning|for|of)\b[^.?!]{0,80})?(?:[\s:?_…–-]|\.{2,})*$"
        rf"|(?:^|[,:;] |\band )(?:identify|name|find|choose|select|mark|pick|spot|tick"
        rf"|indicate|point out)\b"
        rf"[^.?!:,]{{0,80}}(?:\b(?:not|{_WRONG}|except|odd|exception)\b|n[’']t\b)",
        re.IGNORECASE,
    ),
    re.compile(r"\bodd (?:one|man|word|item) out\b|\bthe odd one\b|\bintruder\b", re.IGNORECASE),
    # Headings: "Not a feature of ...", "... which is not true"; typing slips as "in not a".
    re.compile(
        r"^not (?:an?|the|one|true|correct|seen|found|present|part|caused?|given|done|used|known"
        r"|features?|\w+(?:ed|ous|ive|ble|ful))\b[^.?!]{0,120}[^.!]$"
        r"|\b(?:which|one) of [^.?!]{0,80} in not an?\b"
        r"|\b(?:one|following) (?!(?:[^ ]+ ){0,12}(?:that|who|which|reason)\b)[^.?!,]{0,80}"
        r"\b(?:is|are) not\b[^,]{0,80}$",
        re.IGNORECASE,
    ),
    # An open end: "... is not seen in:". After a conjunction the clause alone is negated.
    re.compile(
        r"^(?!.*\b(?:that|if|because|when|unless|who|why|how|so|since|although|while)\b)[^?]*"
        rf"\b{_AUX}(?: be| being)? ?not(?: (?!(?:only|yet|is|are|was|called|known|means"
        rf"|that)\b)[^\s,;.?!:]+){{0,4}}?"
        r"(?: (?:in|by|of|to|for|with|on|at|as|from|be|include|contain|cause|involve|affect"
        r"|have|require"
        r"|show|produce|included?|seen|found|used|involved|caused|given|done|present|true"
        r"|correct))?"
        r"(?:[\s:_…–-]|\.{2,})*$",
        re.IGNORECASE,
    ),
)
"""Stems that ask for what is not so, in English."""
_NEGATING: Final = (
    "not", "n't", "n’t", "never", "unable", "except", "exclud", "ave one", "ave for one", "but",
    "lea", "fal", "ncorrect", "untrue", "wrong", "naccurate", "erroneou", "nappropr", "mproper",
    "odd", "ntruder",
)  # fmt: skip
"""One of these stands in every sentence that `_NEGATED` finds; without i, k and s, which to a
pattern that ignores case are letters of other alphabets too."""
_NEGATED_ELSEWHERE: Final = (
    re.compile(
        r"\b(?:welche[rsnm]?|was|wer|wo|wem|wen|alle)\b[^.?!,]{0,160}"
        r"\b(?:nicht|kein(?:e[nrms]?)?|außer|ausser|ausgenommen|falsch|unzutreffend|unwahr"
        r"|am wenigsten)\b|\b(?:außer|ausser)\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:quel(?:le)?s?|lequel|laquelle|lesquel(?:le)?s|qui|que|qu['’]est|parmi|tou(?:s"
        r"|tes))\b"
        r"[^.?!]{0,160}(?:\b(?:ne|n['’]\s?\w+)\b[^.?!]{0,60}\b(?:pas|jamais|aucun)\b"
        r"|\b(?:sauf|excepté|fausses?|faux|incorrecte?|inexacte?|le moins)\b)|\b(?:sauf"
        r"|excepté)\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:\b(?:cuál(?:es)?|cual(?:es)?|qué|quién|dónde)\b[^.?!]{0,160}\b(?:no|nunca)\b"
        r"(?! solo)|\b(?:todos|todas|cuál|cuáles|qué|señale|indique|marque)\b[^.?!]{0,160}"
        r"\b(?:excepto|salvo|fals[oa]s?|incorrect[oa]s?|menos probable)\b|\b(?:excepto|salvo"
        r"|menos)\W*$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:哪|什么|谁|下列|以下|选出)[^。？！]{0,80}(?:不(?!同|仅|久|断|得不|少于|超过)|没有|错误|有误|除外|除了|例外|并非|非)"
        r"|除[^。？！]{1,30}(?:外|以外)"
    ),
)
_QUOTED: Final = re.compile(r"[„“«\"「][^”“»\"」]{1,200}[”“»\"」]")
_BRACKETS: Final = re.compile(r"\([^() ]{1,40} [^() ]{1,40} [^()]{1,200}\)")
_EMPHASIS: Final = re.compile(
    r"\b(?:(?:CAN)?NOT(?! guilty)|EXCEPT|LEAST|FALSE|INCORRECT|[A-Z]+N['’]T)\b|[*_]not[*_]"
)
_ENGLISH: Final = re.compile(r"\b(?:the|of|which|what|is|are|following)\b", re.IGNORECASE)
_FIGURE: Final = (
    r"(?:figure|diagram|graph|picture|image|photo(?:graph|micrograph)?|drawing|chart|map"
    r"|illustration"
    r"|pedigree|cartoon|x-?ray|radiograph|skiagram|ct scan|cect|mri|ecg|ekg|ultrasound|video|clip"
    r"|histopatholog\w+|angiogra\w+|fig\b|slide|specimen|screenshot|sketch)"
)
_MISSING: Final = re.compile(
    rf"\b{_FIGURE}s?(?: \d+)?,? (?:(?:shown |given |pictured )?(?:above|below)|shown here)\b"
    rf"|\b{_FIGURE}s?\b[^.?!]{{0,40}}\b(?:is|are|as|was) (?:as )?(?:shown|given|depicted|seen) "
    rf"(?:here|below|above)"
    r"|\b(?:shown|given|pictured|depicted|illustrated|labell?ed|represented|marked|indicated) "
    r"(?:in|by|on) "
    rf"(?:the |this |a )?(?:following |above |accompanying |given |attached )?{_FIGURE}\b"
    rf"|\bthe (?:following|above|accompanying|attached|given) {_FIGURE}\b(?! of speech)"
    rf"|\b(?:in|from|on) the (?:given |shown )(?:below )?{_FIGURE}\b|\bgiven {_FIGURE} "
    rf"(?:shows|depicts|represents)\b"
    rf"|\brefer to the {_FIGURE}\b|\bfig(?:ure|\.)? ?\d|^(?:this |the )?(?:figure|image"
    rf"|picture|photograph) "
    r"(?:depicts|shows|represents)\b(?! (?:of|how))"
    r"|\b(?:figure|image|picture|video|photograph|diagram)s? (?:was |were |is |are )?not "
    r"(?:provided|available|included|shown)\b"
    rf"|\b{_FIGURE}s? (?:opposite|overleaf)\b|\bin the (?:circuit|network|apparatus) shown\b"
    r"|\bvideo link\b|\b(?:marked|indicated|pointed|shown|labell?ed) (?:with|by|at by|as per) "
    r"(?:the |an? )?(?:\w+ )?arrows?\b"
    r"|\bunderlined (?:portion|part|word|words|phrase|section|text|sentence)\b"
    # A formula that was a picture: nothing between "the following model:" and "where".
    r"|:[ \t]*\n(?:[ \t]*\n){2,}(?=where\b)",
    re.IGNORECASE,
)
_POINTERS: Final = (
    "fig", "diagram", "graph", "picture", "image", "photo", "drawing", "chart", "map",
    "illustration",
    "pedigree", "cartoon", "ray", "skiagram", "ct scan", "cect", "mri", "ecg", "ekg", "ultrasound",
    "video", "clip", "patholog", "angiogra", "slide", "specimen", "screenshot", "sketch", "arrow",
    "underlined", ":\n", "in the circuit", "in the network", "in the apparatus",
)  # fmt: skip
"""One of these stands in every question that `_MISSING` finds."""
_UNDERLINE: Final = re.compile(r"[_*<>“”\"‘]|(?<!\w)'\w|\b[A-Z]{3,}\b")
_NUMBERS: Final = re.compile(r"\d[\d.,]*")
_DATA: Final = 6
"""Numbers in a question from which its chart is taken to be written out."""
_ANNOUNCED: Final = re.compile(
    r"(?:(?P<sure>\b(?:(?:correct|right|true|best|actual|expected|official|model|final) )?"
    r"(?:answers?|ans|answer key)\b|\b(?:richtige |korrekte )?antwort\b|\b(?:bonne )?réponse\b"
    r"|\brespuesta\b|答案)|(?P<other>\b(?:(?:correct|right|true|best) (?:option|choice|response"
    r"|one|alternative)|(?<=[(\[])(?:correct|right)|solution|soln|key|gold|lösung|solución|lösungsbuchstabe)\b))"
    r"(?: key| choice| option| correcte| correcta| letter)?\s{0,3}"
    r"(?P<link>is|are|was|says|reads|:|=+|-+>?|–|→|ist|lautet|est|es|是|为|：)\s{0,3}:?\s{0,3}"
    r"(?:(?:option|choice|letter|the option|answer)\s)?",
    re.IGNORECASE,
)
"""Words that announce the answer: what follows is its letter or its text."""
_CUES: Final = re.compile(
    r"(?:ans|key|hint|tip|clue|spoiler|remind|remember|psst|grader|marker|teacher|self|swer"
    r"|ption|hoice"
    r"|[(\[]correct|[(\[]right|sponse|one|native"
    r"|lution|soln|gold|wort|ponse|puesta|lösung|ción|答案)"
    r"(?:s| key| choice| option| correct[ea]| letter)?\s{0,3}(?:[:=→–是为：-]|is|are|was|says|reads"
    r"|ist|lautet|est|es)",
    re.IGNORECASE,
)
"""Found wherever `_ANNOUNCED` or `_HINTED` is."""
_HINTED: Final = re.compile(
    r"\b(?:hint|tip|clue|spoiler|reminder|remember|psst|key|note to (?:grader|marker|teacher"
    r"|self))\b"
    r"\s?[:=–-]\s?[^.?!\n]{0,60}?",
    re.IGNORECASE,
)
_LETTER_NEXT: Final = re.compile(
    r"[\"'“‘*]{0,2}(?:[(\[]([A-Ha-h])[)\]]|([A-H])(?![\w'’]))[\"'”’*]{0,2}\s{0,3}(?=[.;,)\]!。]"
    r"|$|\n)"
)
_ENDS_THERE: Final = re.compile(r"[\"'”’*]{0,2}\s{0,3}(?:[.;!)\]\n。]|$)")
_CONDITION: Final = re.compile(
    r"\b(?:if|whether|when|unless|suppose|assume|assuming|until|which|what|whose|how"
    r"|why)\b[^.?!\n]*$",
    re.IGNORECASE,
)
_LAST_MARK: Final = re.compile(
    r"(?:[*✓✔☑✅→]|->|=>){1,3}\s{0,3}[(\[]?([A-H])[)\]]?\s*$|[.?!:]\s{0,3}[(\[]([A-H])[)\]]\s*$"
)
_MARKED: Final = re.compile(
    r"[(\[{]\s?(?:this is )?(?:the )?(?:(?:correct|right)(?: (?:answer|one|option|choice))?"
    r"|ans(?:wer)?|key|richtig|bonne réponse|correcta|正确(?:答案)?)\s?[!.]?\s?[)\]}]\W*$"
    r"|(?:<-+|←|<=+|-{2,}|—|–)\s?(?:the )?(?:correct|right|answer|this one|key)\b(?: answer| "
    r"one)?\W*$"
    r"|[✓✔☑✅]\s*$|^\s*(?:[✓✔☑✅]|\[[xX✓]\])",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"[✓✔☑✅←*\[]|correct|right|answer|ans\b|key|richtig|réponse|正确", re.I)
_STARRED: Final = re.compile(r"^\s*\*{1,2}\s*(\w[^*]*)(?:\*{1,2})?\s*$")
_PASSAGE: Final = re.compile(
    r"\baccording to the (?:passage|excerpt|story|article|paragraph|poem)\b"
    r"|\bthe passage (?:above|below|mainly|suggests|implies|states)\b"
    r"|^read the (?:poem|passage|extract|excerpt|story|article|paragraph)\b",
    re.IGNORECASE,
)
_TABLE: Final = re.compile(
    r"\b(?:according to|refer to|see|shown in|given in) (?:the )?table (?:\d|above|below|opposite)",
    re.IGNORECASE,
)
_PASSAGE_WORDS: Final = 40
"""Words in a question from which the passage may stand in it."""
_LISTED: Final = re.compile(r"(?:^|[\s(])([A-Da-d])[.):]\s*\S")
_WORD: Final = re.compile(r"\w+")
_PLAIN_CLASSES: Final = frozenset(["yes", "no", "true", "false"])


def negated(item: Item) -> str | None:
    """The question asks for what is not so (one with yes or no for options asks neither)."""
    if any(_PLAIN_CLASSES.issuperset(_WORD.findall(option.lower())) for option in item.options):
        return None
    last = _asked(item.question)
    emphasis = None if last.isupper() else _EMPHASIS.search(last)
    found = emphasis
    if found is None and any(map(last.lower().__contains__, _NEGATING)):
        found = next(filter(None, (p.search(last) for p in _NEGATED)), None)
    if found is None and not _ENGLISH.search(last):
        bare = _QUOTED.sub("", last)
        found = next(filter(None, (p.search(bare) for p in _NEGATED_ELSEWHERE)), None)
    if found is None:
        return None
    shown = last[max(0, found.end() - 45) : found.end() + 25]
    return f"{clipped(shown, 70)!r} ({'' if emphasis else 'not '}emphasised)"


def _asked(question: str) -> str:
    """The last sentence of a question on one line, without remarks in brackets."""
    last = re.split(r"[.?!][\"”']?\s+", question.strip())[-1]
    plain = " ".join(_BRACKETS.sub(" ", last).split())
    return plain if len(plain) > len(last) / 2 else " ".join(last.split())


def missing_material(item: Item) -> str | None:
    """The question points at a figure, formula or passage, and it is not there."""
    lower = item.question.lower()
    found = _MISSING.search(item.question) if any(cue in lower for cue in _POINTERS) else None
    if not (item.context or item.text_b) and len(item.question.split()) < _PASSAGE_WORDS:
        found = found or _PASSAGE.search(item.question)
        if len(_NUMBERS.findall(item.question)) < _DATA:
            found = found or _TABLE.search(item.question)
    if found and "underlined" in found[0].lower():
        others = item.question[: found.start()] + item.question[found.end() :]
        found = None if _UNDERLINE.search(others) else found
    if found and re.search("chart|graph", found[0]):
        given = item.question[: found.start()]
        found = found if len(_NUMBERS.findall(given)) < _DATA else None
    return f"{clipped(item.question[max(0, found.start() - 30) :], 70)!r}" if found else None


def states_answer(item: Item) -> str | None:
    """The question says which option is right, by letter or by text; or the right one is marked."""
    if said := _announced(item) or _marked(item):
        return said
    if item.gold is None or item.options[item.gold].strip().lower() not in item.question.lower():
        return None
    if repeated_in_question(item) != [item.gold]:
        return None
    gold = re.escape(item.options[item.gold].strip())
    named = re.search(rf"\w(?:, {gold},|,? \({gold}\)) (?=[a-z])", item.question, re.IGNORECASE)
    return f"the answer {quoted(item, [item.gold])} is named in the question" if named else None


def _announced(item: Item) -> str | None:
    """What stands where the question announces its answer, if it is a letter or the gold."""
    question = item.question
    gold = None if item.gold is None else item.options[item.gold].strip(" .").lower()
    announcing = _CUES.search(question) is not None
    for found in _ANNOUNCED.finditer(question) if announcing else ():
        if found["link"].isalpha() and _CONDITION.search(
            question[max(0, found.start() - 80) : found.start()]
        ):
            continue  # "which answer is B", "if the answer is yes"
        named = _LETTER_NEXT.match(question, found.end())
        place = "" if named is None else (named[1] or named[2]).upper()
        if named and (ord(place) - ord("A") == item.gold or found["sure"]):
            return _shown(question, found.start(), named.end())
        if gold and _stands(question, found.end(), gold):
            return _shown(question, found.start(), found.end() + len(gold))
    if gold and len(gold) > 1 and announcing:
        for found in _HINTED.finditer(question):
            sentence = re.split(r"[.?!\n]", question[found.start() : found.start() + 120])[
                0
            ].lower()
            held = [
                at for at, o in enumerate(item.options) if _within(o.strip(" .").lower(), sentence)
            ]
            if held == [item.gold]:
                return _shown(question, found.start(), found.start() + len(sentence))
    last = _LAST_MARK.search(question[-20:])
    if last and item.gold is not None and (last[1] or last[2]) == letter(item.gold):
        return _shown(question, max(0, len(question) - 30), len(question))
    return None


def _shown(question: str, start: int, end: int) -> str:
    return f"…{clipped(question[max(0, start - 20) : end])!r}"


def _stands(question: str, at: int, gold: str) -> bool:
    """Whether the gold's text follows, and a sentence or bracket ends with it."""
    after = re.match(r"(?:the |an? )?[\"'“‘*(\[]{0,2}", question[at : at + 12], re.IGNORECASE)
    for start in {at, at + (after.end() if after else 0)}:
        if question[start : start + len(gold)].lower() == gold:
            return bool(_ENDS_THERE.match(question, start + len(gold)))
    return False


def _within(text: str, sentence: str) -> bool:
    return len(text) > 1 and bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence))


def _marked(item: Item) -> str | None:
    """The one option that carries a mark, where it is the gold or the gold is not known."""
    if not _MARKS.search("\n".join(item.options)):
        return None
    marked = [at for at, option in enumerate(item.options) if _MARKED.search(option)]
    if not marked:
        marked = [at for at, option in enumerate(item.options) if _STARRED.fullmatch(option)]
        letters = ["".join(_WORD.findall(option)) for option in item.options]
        # Beside "*p" and "p", or "*box" and "#box", the star is part of what is asked.
        if len(marked) == 1 and (
            letters.count(letters[marked[0]]) > 1
            or any(o.strip()[:1] in "#.&@$!-+/<\\{[(" for o in item.options)
        ):
            return None
    if len(marked) != 1 or item.gold not in (None, marked[0]):
        return None
    return f"{quoted(item, marked)} is marked"


def lists_options(item: Item) -> str | None:
    """The question itself lists options by letter."""
    letters = [found.upper() for found in _LISTED.findall(item.question)]
    wanted = [letter(at) for at in range(min(3, len(item.options)))]
    held = [
        o for o in item.options if len(o.strip()) > 2 and o.strip().lower() in item.question.lower()
    ]
    if letters[: len(wanted)] != wanted or len(held) < len(item.options) - 1:
        return None
    return clipped(item.question[-80:], 80)


def repeated_in_question(item: Item) -> Sequence[int]:
    """The options whose whole text stands in the question, where not all do."""
    question = f" {' '.join(_WORD.findall(item.question.lower()))} "
    found = []
    for at, option in enumerate(item.options):
        words = _WORD.findall(option.lower())
        text = " ".join(words)
        if len(text) >= 4 and not text.isdigit() and f" {text} " in question:
            found.append(at)
    return found if len(found) < len(item.options) else []


def class_in_text(item: Item) -> Sequence[int]:
    """The classes whose name stands in the text."""
    words = _WORD.findall(f"{item.question} {item.text_b or ''}".lower())
    text = f" {' '.join(words)} "
    names = (" ".join(_WORD.findall(o.lower().replace("_", " "))) for o in item.options)
    return [
        at
        for at, name in enumerate(names)
        if len(name) >= 4 and name not in _PLAIN_CLASSES and f" {name} " in text
    ]


def no_gold(item: Item) -> str | None:
    """No right answer is known."""
    return "the gold is missing" if item.gold is None else None
