"""The one table of language: word classes, and patterns of what a reply does besides choosing."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from horsesense.expressions import expression


def listed(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


_CLASSES: Final = {
    "answer": "answer answers answered solution response verdict judgment judgement classification"
    " category conclusion rating prediction output diagnosis respuesta antwort lösung réponse "
    "réponses risposta resposta odpowiedź ответ решение svar antwoord vastaus cevap jawaban 答 답 "
    "정답 उत्तर উত্তর பதில் คำตอบ جواب الإجابة الجواب ans",
    "option": "option options choice choices letter letters alternative alternatives"
    " statement label number candidate opción choix opzione opção вариант möglichkeit buchstabe "
    "lettre lettera letra 项 項 肢 번 选项 seçenek opsi alternativ",
    "pick": "choose chose chosen choosing pick picks picked picking select selects selected"
    " selecting vote mark marked submit submitting circle prefer settle settling go going goes "
    "went take taking lock stick lean leaning leans say guess bet commit wähle nehme elijo escojo "
    "elegiría choisis choisirais scelgo escolho выбираю 选 選 fill enter report",
    "right": "correct right true best accurate proper appropriate valid yes exact exactly holds"
    " supported entailed winner wins keep strongest better consistent ✓ ✔ ✅ ☑ richtig wahr stimmt"
    " korrekt correcta correcto correcte corretta corretto correta verdadero cierto vrai juste vero"
    " правильный правильно верный верно верна 正 确 確 对 맞 正确 doğru صحيح सही poprawna",
    "fits": "fits fit fitting matches match matching describes suits applies satisfies corresponds"
    " equals yields gives works supports suggests indicates points means makes defines explains"
    " reflects captures plausible possible likely entspricht passt corresponde",
    "wrong": "incorrect wrong false invalid inaccurate irrelevant unrelated untrue mistaken"
    " unlikely inconsistent contradicts contradicted implausible impossible distractor "
    "distractors trap unsupported worse weaker weak fails fail poor ✗ ✘ ❌ ✖ ☐ × falsch incorrecta "
    "incorrecto incorrecte sbagliato sbagliata errado faux неверно неправильно 错 誤 误 틀",
    "drop": "eliminate eliminates eliminated eliminating exclude excluded excluding excludes"
    " discard discarded reject rejected rejecting ruled rule rules out dismiss dismissed drop "
    "dropped crossed cross struck strike gone except avoid remove removed descarta descartada "
    "descarto ausgeschlossen scheidet écarte éliminer исключаем 排 除",
    "not": "not never neither nor without non no nicht kein keine ne pas не нет 不 没 非"
    " nem não isnt doesnt dont cannot hardly rather lacks lack less nothing ikke niet inte rarely",
    "none": "none nothing neither keine ninguna ninguno aucune aucun nessuna nessuno nenhuma"
    " никакой",
    "so": "so therefore thus hence consequently accordingly overall ultimately conclude concluding"
    " leaves leaving remains remaining remain left follows also daher entonces donc quindi portanto"
    " поэтому значит итак 所 因 따 deshalb luego ∴ therefore",
    "final": "final finally conclusion summary short settled definitely clearly end eventually"
    " decision locked fazit conclusión endgültig закл tl;dr bottom",
    "but": "but however although though whereas while instead yet despite unlike only aber"
    " pero mais ma mas но 但 jedoch",
    "turn": "wait actually hold hmm oops correction sorry scratch reconsider reconsidering mistake"
    " mistyped typo meant revise revised recheck rechecking second changed change switch switching"
    " redo again rethink correcting espera moment",
    "maybe": "maybe perhaps might could possibly probably seem seems appear appears may unsure"
    " uncertain tentatively suppose presumably arguably roughly vielleicht quizás peut talvez forse"
    " возможно",
    "lure": "tempting tempted tempt first initially initial thought glance look looks sounds"
    " confuse confused confusing confusion common commonly misconception often intuitive people "
    "students many someone popular myth classic mistaken superficially",
    "said": "said says claim claims friend user colleague others another book teacher wrote thinks"
    " think argue argues suggested key assistant model previous earlier everyone someone",
    "if": "if were would had should unless when whether question asked depends depending wenn si"
    " se если 如 若 suppose provided",
    "is": "is are be was were ist sind es è é это 是 는 은 이 sont est son este como as = : → ->"
    " would should must being",
    "i": "i i'd i'll i'm i've my me we we'd we'll let's ich je yo io eu я 我",
    "it": "it this that these those which it's that's both all",
    "and": "and or und oder y o et ou e и или 和 或 & / plus",
    "why": "because since as reason due denn weil porque car perché потому 因 given",
    "check": "consider considering check checking compare comparing let let's evaluate evaluating"
    " analyze analyse examine review option-by-option look looking go through",
    "sure": "certain certainly sure confident confidence undoubtedly obviously clear must course"
    " definitely surely",
    "close": "closest nearest close near approximately approx about roughly ≈ ~",
}
CLASS: Final[dict[str, str]] = {}
for _name, _members in _CLASSES.items():
    for _word in _members.split():
        CLASS.setdefault(_word, _name)

_PLACES: Final = (
    "first 1st former erste ersten première premier primera primeira prima primo первый первая",
    "second 2nd zweite zweiten deuxième segunda segundo seconda secondo второй вторая",
    "third 3rd dritte dritten troisième tercera terceira terza третий третья",
    "fourth 4th vierte vierten quatrième cuarta quarta четвёртый четвертый",
    "fifth 5th fünfte fünften cinquième quinta",
    "sixth 6th sechste sixième",
    "seventh 7th",
    "eighth 8th",
)
PLACE: Final = {word: i for i, words in enumerate(_PLACES) for word in words.split()} | {
    **dict.fromkeys(("last", "latter", "final", "bottom", "letzte", "letzten", "dernière"), -1),
    **{"top": 0, "последний": -1, "última": -1, "ultima": -1},
}
NUMBER: Final = {
    word: str(i)
    for i, word in enumerate(
        listed("zero _ two three four five six seven eight nine ten eleven twelve")
    )
    if word != "_"
}
STOP: Final = frozenset(
    listed(
        "the a an of to in and or is are be it its with for on by at as not no from that this"
        " was were has have had"
    )
)


class Sign:
    """Patterns that say one thing, each as "words → pattern" or as words alone, in small letters.

    A pattern is tried where one of its words is: most replies have none of them. Nor is a word
    looked for in a text without what many of them have.
    """

    def __init__(self, *rows: str) -> None:
        pairs = [(*row.split(" → "), row)[:2] for row in rows]
        self._rows = [(words.split("|"), expression(pattern)) for words, pattern in pairs]
        self._without = cache(self._rows_without)

    def _rows_without(self, *lacks: str) -> list[tuple[list[str], re.Pattern[str]]]:
        each = [([w for w in ws if not any(map(w.__contains__, lacks))], p) for ws, p in self._rows]
        return [row for row in each if row[0]]

    def within(self, low: str) -> list[re.Pattern[str]]:
        """The patterns that may be in a text in small letters."""
        rows = self._without(*[part for part in ("n't", "not", "no ") if part not in low])
        return [pattern for words, pattern in rows if any(map(low.__contains__, words))]

    def search(self, low: str) -> re.Match[str] | None:
        """The first match in a text in small letters."""
        return first_of(self.within(low), low)


def first_of(patterns: list[re.Pattern[str]], low: str, start: int = 0) -> re.Match[str] | None:
    """The first match of any pattern, from a place on."""
    found = filter(None, (pattern.search(low, start) for pattern in patterns))
    return min(found, key=lambda match: match.start(), default=None)


# What a reply does instead of choosing.
REFUSAL: Final = Sign(
    r"can't|cannot|can not|won't|will not|unable|not able|not going|not willing|not comfortable|"
    r"not in a|must decline|rather not|prefer not|shouldn't|not something → \b(?:can't|cannot|can "
    r"not|won't|will not|unable to|not able to|not (?:going|willing|comfortable|in a position) to|"
    r"not comfortable|must decline to|(?:would|'d) rather not|prefer not to|shouldn't|(?:it's|it "
    r"is|is) not something i) (?:\w+ ){0,3}?(?:help|assist|provid|answer|discuss|shar|choos|pick|"
    r"express|offer|giv|tak|comment|engag|fulfil|complet|comply|make|rank|rate|judg|infer|label|"
    r"tell|say|participat|continue|do|respond|recommend|guess|speculat|writ|support)",
    r"declin|refus|abstain|pass → \bi(?:'m| am| must| have to| respectfully| need to| will|'ll| "
    r"would)? (?:politely |respectfully )?(?:declin|refus|abstain|pass\b)",
    r"don't|do not → (?:don't|do not) (?:have|hold|take) (?:any )?(?:personal |my own |political )"
    r"*(?:opinion|view|position|preference|belief|stance|side|feeling)",
    r" a ai| an ai| a large lang| an large lang| a language mod| an language mod → \b(?:as|i'm|i "
    r"am|being) (?:just |only )?an? (?:ai|large language|language model)\b",
    r"against|outside|neutral → against (?:my|the) (?:guidelines|polic)|outside (?:of )?what i|"
    r"(?:stay|remain) neutral",
    r"t appropriate|be appropriate|for me|my place → (?:not|n't) (?:be )?(?:appropriate|right for "
    r"me|fair for me|my place)",
    r"leave|abstain|no personal → leave (?:this|that|it) (?:one )?(?:blank|to you|open)|\babstain|"
    r"no personal",
    r"lo siento|no puedo|je ne peux pas|não posso|non posso|не могу|无法|不能|できません|없습니다",
    r"kann ich → kann ich (?:leider )?nicht",
    r"sorry → \A\W*(?:i'm |i am )?sorry",
)
UNKNOWN: Final = Sign(
    r"don't |do not |didn't |doesn't  → (?:don't|do not|didn't|doesn't) (?:really |actually |"
    r"honestly )?(?:know|have (?:enough|sufficient))",
    r"no idea|no clue|not sure|unsure|idk|dunno|beats me|not certain|to guess|not familiar → "
    r"no idea|no clue|not "
    r"sure|unsure|\bidk\b|dunno|beats me|not certain|have to guess|not familiar",
    r"i can't|i cannot|i couldn't → i (?:can't|cannot|couldn't) (?:tell|say|recall|remember|"
    r"determine|decide)",
    r"stumped|haven't|my depth|my head|escapes me → i'm stumped|haven't (?:a|the) (?:clue|idea|"
    r"faintest)|out of my depth|over my head|escapes me",
    r"weiß|sé|non lo so|non so → weiß (?:ich |es )?(?:leider )?nicht|no (?:lo )?sé|non (?:lo )"
    r"?so\b",
    r"je ne sais|não sei|не знаю|不知道|わかりません|모르",
)
_NO_RIGHT: Final = (
    r"none → none (?:of|are|is|fits|applies|seem|matches|here|\W)|\A\W*none\b",
    r"no correct|no right|no valid|no suit|no such|no good|no true|no match|no option|no answer|"
    r"no choice → \bno (?:correct|right|valid|suitable|such|good|true|matching|option|answer|"
    r"choice)",
    r"not  → not (?:listed|among|in the list|one of|any of|on the list|an option|offered)",
    r"neither |nothing in → neither (?:of|option|on|here|in)|nothing in the (?:list|option|choice)",
    r"doesn't|does not → (?:doesn't|does not) match|(?:list|options|choices) (?:doesn't|does not) "
    r"(?:include|contain)",
    r"wrong|incorrect|false|invalid → \ball (?:of (?:the|these) |four |the |three |five )"
    r"?(?:options?|choices?|answers?)? ?(?:are|seem|is) (?:all )?(?:wrong|incorrect|false|invalid)",
    r"keine → keine(?:r|s)? (?:der|davon|von)",
    r"ninguna|aucune|nessuna|nenhuma|没有|premise|typo",
)
_UNTOLD: Final = (
    r"not  → not (?:given|there|here|present|available|provided|possible to)",
    r"impossible to|no way|no telling|nothing  → impossible to|no way (?:to|of)|no telling|nothing "
    r"(?:of|option|on|here|in)",
    r"can't be|cannot be|can not be|could not be|isn't possible|not enough|insufficient|not "
    r"stated|undetermin|indetermin → (?:can(?:'t|not)|can not|could not) be|isn't possible to|not "
    r"enough|insufficient|not stated|undetermin|indeterminate",
    r"doesn't|does not → (?:doesn't|does not) (?:say|give|tell|mention|contain|state|include)",
    r"attach|image|passage|picture|text|figure|table|document|included → (?:isn't|is not|aren't|"
    r"are not|no|missing|without|don't see|didn't come|nothing) (?:\w+ ){0,3}?(?:attached|"
    r"attachment|image|passage|picture|text|figure|table|document|included)",
)
NO_RIGHT: Final = Sign(
    *_NO_RIGHT,
    r"not  → not \w+ (?:among|(?:in|by|with) (?:the|your|these) (?:\w+ )?(?:option|choice|list))|"
    r"(?:answer|option|choice|one|solution) (?:is|was) not (?:given|there|here|present|provided)",
)
UNTOLD: Final = Sign(
    *_UNTOLD,
    r"please|you|need|missing → \b(?:please|you) (?:\w+ ){0,3}?(?:past(?:e|ing)|upload|share|send|"
    r"provide|include|post|give|describe|attach|add|copy|supply|type|tell)\b|need (?:to (?:know|see"
    r"|read)|the )|(?:is|are|be|seems) missing(?! from (?:the|your) (?:choi|opti|list))",
    r"can't |cannot |can not |cant  → can(?:'?t|not| not) (?:tell|say|know)\b",
)
"""What a reply misses, or asks for, that names no option and calls none wrong."""
NONE: Final = Sign(*_NO_RIGHT, *_UNTOLD)
SIGNS: Final = {"refusal": REFUSAL, "unknown": UNKNOWN, "none": NONE}
"""Status -> what says it in a reply that names no option."""

# Options that say what a status does.
_DECLINES: Final = Sign(
    r"refus|prefer not|declin|no opinion|no answer|no response|rather not|skip → refus|prefer not"
    r"|declin|no opinion|no (?:answer|response)|rather not|skip(?:ped)?\b"
)
_KNOWS_NOT: Final = Sign(
    r"know|sure|no opinion|unknown|no idea|can't|cannot|uncertain|undecided|dk → don'?t know"
    r"|do not know|not sure|unsure|no opinion|unknown|no idea|can(?:'t|not) (?:say|tell|be)"
    r"|uncertain|undecided|\bdk\b|cannot (?:choose|decide)"
)
_LACKS: Final = Sign(
    r"none|neither|no |not |can't|cannot|undetermin|insufficient|impossible to|unanswerable|other"
    r" → \bnone\b|neither|\bnot? (?:any|above|listed|given)|cannot|can't|undetermin|not enough"
    r"|insufficient|no (?:correct|right)|impossible to|not stated|unanswerable|\bother\b"
)
SAYS: Final = (("refusal", _DECLINES), ("unknown", _KNOWS_NOT), ("none", _LACKS))
"""(status, what an option that stands for it says), the first that fits."""

# Options and replies that say a status as a whole, in small letters.
SAYS_NONE: Final = expression(
    r"\W*(?:none[\s-]+of[\s-]+(?:the[\s-]+)?(?:above|these|them|those|others?|options?|answers?"
    r"|choices?)\b|no(?:ne)?[\s-]+(?:correct|right|valid)[\s-]+(?:answer|option|choice)\b"
    r"|(?:none|neither)[\s-]+(?:is|are)[\s-]+(?:correct|right)\b"
    r"|neither of (?:the (?:above|options)|these|them)\b)"
)
"""What `items.none_options` says of an option; this reader needs nothing but itself."""
REFUSED: Final = expression(
    r"\W*(?:(?:i )?(?:refused?|declined?)(?: to (?:answer|say|respond))?"
    r"|(?:i )?(?:would )?(?:prefer|rather|choose) not (?:to )?(?:say|answer|respond)"
    r"|(?P<both>no (?:answer|response)|skip(?:ped)?))\W*"
)
KNOWS_NOT: Final = expression(
    r"\W*(?:(?:i )?(?:do not|don'?t) (?:really )?know(?: the (?:correct )?answer)?"
    r"|dk|(?:i'?m |i am )?not sure|unsure|no idea|undecided"
    r"|(?P<both>(?:i have )?no opinion|(?:i )?(?:can ?not|can'?t) (?:choose|decide)))\W*"
)
UNDETERMINED: Final = expression(
    r"\W*(?:unknown|undetermined|(?:it )?(?:cannot|can not|can'?t) (?:be )?(?:answer|determine|"
    r"tell|say|know)\w*|(?:it is )?(?:not possible|impossible) to (?:determine|say|tell)|(?:there "
    r"is )?(?:not enough|insufficient|too little) info\w*|not answerable|unanswerable|not "
    r"(?:given|stated|mentioned|determinable)).{0,40}",
    re.DOTALL,
)
PARTS: Final = expression(r"[/|,;()\[\]]|\b(?:or|and)\b")
NOTE: Final = expression(
    r"[(\[]\W*(?:vol|volunteered(?: only)?|spontaneous|(?:do not|don'?t) read(?: out)?)\W*[)\]]"
)
"""What a questionnaire says to the interviewer of an option."""

ASKS_FOR_NOT: Final = expression(
    r"\b(?:except|exception|not|incorrect|false|least|odd one|doesn't|isn't|cannot|never|untrue|"
    r"wrong|nicht|kein|falsch|falsa?|sauf|excepto|pas|exceto|tranne|не)\b|NOT|EXCEPT|n't\b"
)

# What stands around a statement of an answer.
ANSWERS: Final = (
    *("answer", "option", "choice", "letter", "response", "solution"),
    *("choose", "pick", "select", "go with"),
)
"""Most statements of an answer have one of these words."""
DENIED: Final = expression(
    r"\W{0,9}(?:(?:is|are|was|would be|cannot be|can't be)\W{1,9})?(?:incorrect|wrong|false|invalid"
    r"|ruled out|eliminated|not (?:correct|right|true|valid|it\b|the ))"
    r"|\W{0,9}(?:is|are|was|would|can|could|does)(?: not|not|n't)\b",
    re.IGNORECASE,
)
ATTRIBUTED: Final = expression(
    r"\W{0,9}(?:(?:but|and|although|though|while|however),? )?(?:(?:many |some |most )?(?:people|"
    r"students|readers|experts)|some|many|most|others|someone|somebody|you|they|one)"
    r"(?: \w{1,9}){0,2}? (?:(?:would|might|may|could|will|can) (?:\w{1,9}ly )?)?(?:say|think|argue"
    r"|claim|choose|pick|guess|believe|answer|object|suggest)s?\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that says what others would answer."""
CHECKED: Final = expression(r"^(\W{0,9})\[([xX ])\](?= \S)", re.MULTILINE)
DENIES: Final = expression(
    r"(?:\bnot|n't)(?: (?:be|the|option|answer|choice|it))*[\s*_(\"']{1,4}\Z", re.IGNORECASE
)
"""What denies what is named right behind it."""
UNCERTAIN: Final = expression(
    r"\b(?:if|whether|unless|suppose|said|says?|claim\w*|think|thought|believe[sd]?|tempt\w*|"
    r"might|may|could|not|n't|never|why|because|initial\w*|first|seems?|expected|were|had|"
    r"incorrect|wrong|key|some|many|people|often|usually|someone|previous\w*|example|assum\w*|"
    r"would)\b|n't\b",
)
"""What in the sentence before a statement may make it none."""
TURNS: Final = expression(
    r"\b(?:wait|incorrect|correction|mistake|mistaken|therefore|thus|so,?|hence|actually|however"
    r"|obviously|sorry|apologi[sz]e|revis\w+|reconsider\w*|correct(?:ed|ing)|instead|no,|oops|error"
    r"|hold on|redo|edit|hmm+|but)\b",
)
TAKES_BACK: Final = expression(
    r"\b(?:wait|incorrect|correction|mistake|mistaken|actually|sorry|apologi[sz]e|revis\w+|oops"
    r"|reconsider\w*|correct(?:ed|ing)|instead|no,|error|hold on|redo|edit|hmm+|not correct)\b",
)
"""Of these words, those that take back even an answer given with its text."""
CLOSEST: Final = ("closest", "nearest", "most likely", "approximately")
REJECTS: Final = ("no", "n't", "wrong", "incorrect", "false", "rather", "instead", "over")
"""Words of which a reply has one that names an option and says that it is not meant."""
NO_OPTION: Final = expression(
    r"\bnone of the (?:\w+ )?(?:options|choices|answers)|\bnot (?:one of|among|listed|an option|"
    r"in the (?:\w+ )?(?:options|choices|list))|\bno (?:\w+ )?(?:option|choice)s? (?:is|are|"
    r"match\w*|equals?)\b|(?:does not|doesn't|do not|don't) match any",
    re.IGNORECASE,
)
SENTENCE: Final = expression(r"[.!?](?=\s)|\n")
OR_ELSE: Final = expression(r"\b\w\W{1,3}or(?: (?:maybe|perhaps|possibly|else))?\W*\Z")
"""A label behind which another option was to come."""
# What surrounds a reply and says nothing.
_THINKS: Final = (
    "think|thinking|thoughts?|reasoning|scratchpad|reflection|analysis|internal|reason"
    "|inner_monologue|antthinking|plan|seed:think"
)
THOUGHT: Final = expression(
    rf"<({_THINKS})>.*?</\1>|\[THINK\].*?\[/THINK\]|◁think▷.*?◁/think▷"
    r"|<\|begin_of_thought\|>.*?<\|end_of_thought\|>|<\|?channel\|?>\s*(?:analysis|commentary|"
    r"thought)\b.*?(?=<\|?channel\|?>\s*final|<\|start\||<channel\|>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
THINKS_ON: Final = expression(
    rf"<(?:{_THINKS})>(?![`\"']? (?:(?:is|was|means|marks) (?:an?|the) )?(?:tag|token|element))"
    r"|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|?channel\|?>\s*(?:analysis|thought)",
    re.IGNORECASE,
)
THOUGHT_ENDS: Final = expression(
    rf"</(?:{_THINKS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>", re.IGNORECASE
)
MARKUP: Final = expression(
    r"<\|?[a-z_]+\|>(?:final|assistant)?|</?s>|<\|channel\|>\s*final|\[/?(?:INST|ANS|answer)\]"
    r"|</?(?:b|i|u|p|br|strong|em|span|div|li|ul|ol|code|td|tr|table|h\d|html|body|mark|sub|sup)"
    r"(?: [^<>]*)?/?>|&nbsp;",
    re.IGNORECASE,
)
STRUCK: Final = expression(r"~~[^~\n]+~~|<(del|s|strike)>.*?</\1>", re.DOTALL | re.IGNORECASE)
BOX: Final = expression(
    r"\\f?boxed\s?(?:\{|\b)|\\fbox\{|####|<(?:\w{1,12}_)?(?:final)?(?:answer|choice|ans|option)>"
    r"|<\|begin_of_box\|>|\[\[(?=\w+\]\])",
    re.IGNORECASE,
)
FRACTION: Final = expression(r"\\[dt]?frac\s?\{([^{}]+)\}\s?\{([^{}]+)\}")
SIGN_OF: Final = {"\\times": "×", "\\cdot": "×", "\\pi": "π"}
TEX: Final = expression(
    r"\\(?:text(?:bf|it|rm)?|math(?:rm|bf|sf|it)|operatorname|displaystyle|left|right|emph|bm)\b\s?"
    r"|\\[()\[\],;! ]"
)
NEXT_QUESTION: Final = expression(
    r"\n\W{0,20}(?:(?:next |another |new )?(?:question|problem|exercise|aufgabe|frage|pregunta)"
    r"\W{0,9}(?:\d{1,4}\W{0,9})?[:.\n]|q\s?\d*\s?[:.]|human:|user:|\[inst\]?|inst\]?"
    r"|<\|(?:im_start|user|start_header)|the following (?:is|are) |following (?:is|are) "
    r"|-{3,20}\s{0,9}\n\W{0,9}(?:q|question)"
    r"|(?:input|instruction|passage|context|text|sentence|review|tweet)\W{0,3}:)"
)
"""In small letters: tried without regard to case it takes more than twice as long."""
RECORDS: Final = expression(r"\s{0,9}(?P<first>\{(?=[^{}]*\"answer\")[^{}]*+\})\s{0,9},?\s{0,9}\{")
OFFER: Final = expression(
    r"[.!?)\n*](?: |(?<=\n))(?P<offer>\W{0,9}(?:(?:would|do) you (?:like|want)|let me know"
    r"|if you(?:'d| would|'re| want| have| need)|shall i|i hope (?:this|that|it)|hope (?:this|that)"
    r"|feel free|(?:is there|do you have|was there) (?:anything|something|any)|want me to|happy to"
    r"|i'm glad to|i can (?:also|go)|good luck|please (?:note|let))[^\n]*\s*\Z)"
)
"""In small letters."""
HANGS: Final = expression(
    r"(?:[:,(\-–]|\b(?:is|are|the|a|an|of|to|and|or|with|option|answer|ist|es|be|that|for|by|in|but"
    r"|because|so|as|which))\W{0,3}\Z",
)
ANNOUNCES: Final = expression(
    r"(?:answer|choice|option|antwort|respuesta|réponse|risposta|conclusion|letter)\W*"
    r"(?:is|ist|es|est|è|:)?\W*\Z",
)
