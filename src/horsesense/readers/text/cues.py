"""The wordings that announce, confirm or take back a choice."""

from __future__ import annotations

import re

# "answer" in the languages that replies come in; each may be followed by a link and a target.
ANSWER_NOUN = re.compile(
    r"\b(?:answers?|options?|choices?|choose|alternative|selection|response|solution|conclusion|pick"
    r"|antwort|lösung|auswahl|respuesta|opción|réponse|risposta|resposta|opção|alternativa|antwoord"
    r"|svar|svaret|vastaus|odpowiedź|odpověď|válasz|cevap|yanıt|jawaban|đáp án|ответ|вариант|відповідь"
    r"|απάντηση)\b|答案|答え|解答|正解|选项|選項|정답|답변|답|الإجابة|الجواب|תשובה|उत्तर|คำตอบ"
)
LINK = re.compile(
    r"\b(?:(?:would|should|must|could|might|will|can only|has to|have to|may) (?:\w+ly )?be"
    r"|(?:seems|appears) to be|is|are|was|were|ist|lautet|wäre|es|sería|est|serait|é|seria|sarebbe|är|er|to be|becomes?|remains)\b"
    r"|[:=]|->|→|⇒|是|为|為|は|は:|은|는|هو|هي|-(?=\s)|(?<=')s\b"
)
SENTENCE_END = re.compile(r"[.?!](?=\s|$)|\n\s*\n|;")
FILLER = re.compile(
    r"(?:[\s\"'(\[{<:=>,#-]|->|→|\\text\b|\\textbf\b|\\mathrm\b|\\mathbf\b|\\\(|\\\["
    r"|\b(?:most likely|likely|probably|clearly|definitely|certainly|therefore|thus|indeed|actually|simply|still|in fact|best"
    r"|to be|given by|represented by|described by|found in|as follows|now|only|surely|either|the (?:following|letter|option|choice|answer)|following"
    r"|(?:multiple )?choice|option|letter|answer|alternative|number|statement labell?ed|labell?ed|opción|option|réponse|antwort|buchstabe|letra|lettre|opção|la|el|der|die|das|选项|選項"
    r"|the correct (?:answer|option|choice)|the|is)(?=[\W])){0,12}"
)
NOT = re.compile(r"\W{0,3}(?:definitely |clearly |actually |in fact |simply )?(?:not|isn'?t|never|nicht|no es|pas)\b\W*")
BUT = re.compile(r"[^.;\n]{0,120}?\b(?:but(?: rather| instead)?|rather|instead,?|it'?s|it is|sondern|sino|mais|是)\b:?\s*")

CHOOSE = re.compile(
    r"\b(?:i|we|let's|let me)(?: (?:would|will|shall|must|have to|am going to|'d|am)|'ll|'d|'m)?"
    r"(?: (?:therefore|thus|then|also|still|probably|likely|personally|definitely|rather|have|going|to|like|say|that|lean(?:ing)?))*"
    r" (?:choos(?:e|ing)|chose|select(?:ed|ing)?|pick(?:ed|ing)?|go(?:ing)? (?:with|for)|went with|opt(?:ed|ing)? for|answer|guess|vote for|settle on|towards?"
    r"|respond with|mark|conclude|believe|think|say|agree with)\b(?: (?:that|is|it is|it's|it would be|the answer is))*"
    r"|\b(?:my|the|final|best) (?:guess|choice|pick|vote|bet) (?:is|would be|goes to)\b"
    r"|\b(?:ich (?:wähle|nehme)|elijo|escojo|je choisis|scelgo|escolho)\b|我选择?"
)
WEAK = re.compile(
    r"\b(?:it is|it's|it must be|it would be|this is|that is|that's|that would be|must be|should be|so|therefore|thus|hence|ergo|which is|namely"
    r"|leaves(?: us with)?|leaving|corresponds to|matches|is represented by|described (?:in|by)|points to|i mean(?:t)?|es ist|also|即|所以选?|因此选?|故选|选)\b,?:?(?: with)?"
)
RIGHT = re.compile(
    r"[\"')\].,:;]*\s*\b(?:is|are|was|would be|should be|must be|seems(?: to be)?|appears to be|looks|ist|es|est)"
    r"(?: (?:the|clearly|definitely|indeed|also|therefore|thus|likely|probably|most likely|a|my|our|only|actually|in fact|die|la|le|der))*"
    r" (?:(?:single|one|only|final|most|more|best|correct|right|appropriate|accurate|suitable|likely|valid|true|logical|plausible|reasonable|chosen|intended|better|strongest|closest|richtige?|correcta?|bonne) ?)+"
    r"(?:answer|option|choice|one|response|alternative|statement|antwort|respuesta|réponse|explanation|description|match|fit|definition)?\b"
    r"|\s+it is\b(?=\W*$)"
)
WRONG = re.compile(
    r"[\"')\].,:;]*\s*\b(?:is|are|was|would be|can be|seems|could be|cannot be|can't be|isn't|aren't|wouldn't be)\b"
    r"[^.;\n]{0,25}?\b(?:not|n't|incorrect|wrong|false|ruled out|eliminated|excluded|inaccurate|irrelevant|invalid|unlikely|correct|right)\b"
    r"|[\"')\].,:;]*\s*(?:does not|doesn't|cannot|can't|isn't|do not|is not)\b"
)
TAKEN_BACK = re.compile(
    r"\b(?:wait|hold on|hmm|scratch that|on second thought|let me (?:re|think|correct|double|check)\w*"
    r"|i made (?:a|an) (?:mistake|error)|my mistake|correction|i misread|i meant?|no,|actually,|actually|sorry,|oops|nein,)"
)
BEFORE_NOT = re.compile(
    r"(?:\b(?:not|n't|never|neither|nor|than|except|excluding|eliminate|eliminates|eliminating|rule out|rules out|ruling out|exclude|reject|incorrect|wrong|unlike|instead of|against|if|why|versus|whether|discard|dismiss)"
    r"(?: (?:options?|choices?|answers?|it is|it's|the|was|were|is))*\W*)$"
)
HYPOTHETICAL = re.compile(r"\b(?:if|unless|suppose|assuming|had|were it|one might|some might|you might|might think|could argue|tempting|tempted|at first|initially|first thought|someone)\b")
NEGATED_CUE = re.compile(r"\b(?:not|n't|incorrect|wrong|isn't|cannot|can't|never|neither|nor|no|other|another|each|every|any|false|falsche|worst)\b[^.;:\n]{0,20}$")
EXPLAINS = re.compile(r"\b(?:explanation|reasoning|rationale|note|justification|analysis|because)\b")
