"""The wordings that announce, confirm or take back a choice.

All patterns run on text in lower case, and none can look further than a fixed number of
characters from where it begins: the time to read a response grows with its length alone.
"""

from __future__ import annotations

import re

from horsesense.readers.text.words.wording import TURNS_BACK, Wording

# What an answer is called, in the languages that replies come in. The patterns have no boundary in
# front, because `re` only skips quickly to where a pattern that begins with a letter can match;
# and there are two, because most replies are ASCII and the second is slower.
# By first letters, so that few alternatives are tried at each place.
_ANSWER = (
    r"a(?:n(?:swers?|s|twort|twoord)|lternativ[ea]|uswahl)|option"
    r"|c(?:hoice|onclusion|orrect(?:(?:ed)?(?=\s{0,9}:)| one)|evap)|best one"
    r"|(?:diagnosis|expected|final|guess|key|rating|score|verdict|label|classification|category|class"
    r"|sentiment|assessment|prediction|decision|intent|topic|stance)(?=\s{0,9}:)|letter|pick"
    r"|r(?:es(?:ponse|ult|puesta|posta)|ight one|isposta|evised(?=\s{0,9}:))"
    r"|s(?:elect(?:ion|ed(?=\s{0,9}:))|olution|var|varet)|vastaus|jawaban"
)
ANSWER_ASCII = re.compile(rf"(?:{_ANSWER})\b")
ANSWER = re.compile(
    rf"(?:{_ANSWER}|lösung|opción|réponse|opção|odpowiedź|odpověď|válasz|yanıt|đáp án|ответ|вариант"
    r"|відповідь|απάντηση)\b"
    r"|答案|答え|解答|正解|选项|選項|정답|답변|답|الإجابة|الجواب|תשובה|उत्तर|सही|คําตอบ"
)
# What else is said of an option under one of these heads is no choice ("Score: B gets 3").
HEADS = frozenset(
    (
        *(
            "rating",
            "score",
            "verdict",
            "label",
            "classification",
            "category",
            "class",
            "sentiment",
        ),
        *("assessment", "prediction", "decision", "intent", "topic", "stance"),
    )
)
HEADED_ENDS = re.compile(r"\W{0,6}(?:\Z|\n|[.,;(✅✓✔|\[]|- |(?:because|since|as|with|out of|/)\b)")
PUTS = re.compile(
    r"\b(?:put|place|rate|score|give|label|classify|mark|tag)\b(?! you\b)[^.\n]{0,24}\Z"
)
"""Verbs of choosing behind which the same holds ("I would mark B as wrong")."""
# These also come right before a label without announcing it as the answer ("option B").
NAMED_ALONE = re.compile(r"(?:options?|choices?|alternative|opción|opção|вариант|选项|選項)\b")

_MAYBE = r"(?:would|should|must|could|might|may|will|can only|has to|have to|seems to|appears to)"
LINK = re.compile(
    rf"\b(?:{_MAYBE} (?:\w+ly )?be|is|are|was|were|to be|becomes?|remains"
    r"|ist|lautet|wäre|es|sería|est|serait|é|è|seria|sarebbe|är|er|là|to(?<=odpowiedź to))\b"
    r"|[:=]|->|→|⇒|是|为|為|は|은|는|คือ|היא|הוא|هو|هي|उत्तर\s|विकल्प\s|-(?=\s)|(?<=[a-z])'s\b|\n"
    r"|(?<=\bans)\."
)
MAIN_CLAUSE_END = re.compile(
    r"[.?!](?=\s|$)|;|\n\s*\n|, (?:which|that|who|because|since|as|but|so|where|while)\b"
)
TURNS = re.compile(
    r"\b(?:but|however|actually|wait|instead|although|though|in fact|on second thought|rather"
    r"|correction|sorry|hmm+)\b"
)
CONCLUDES = re.compile(
    r"\b(?:so|therefore|thus|hence|final|finally|overall|in conclusion|in the end|on balance"
    r"|all in all|all things considered|ultimately)\b"
)

_FILLING = (
    r"most likely|most probably|likely|probably|clearly|definitely|certainly|therefore|thus|indeed"
    r"|actually|simply|still|in fact|given by|represented by|described by|found in|as follows|now"
    r"|only|surely|either|the|following|correct|best|right|most (?!people|students|users"
    r"|of\b)\w+|choice|option|letter|answer"
    r"|alternative|number|label(?:l?ed)?|statement|is|be|opción|opção|réponse|antwort|buchstabe"
    r"|a letra|letra|lettre|la|el|der|die|das|选项|選項"
)
FILLER = re.compile(
    rf"(?:[\s\"'(\[{{<:=>,#|]|-(?!\d)|->|→|[✅✔☑✓•…★👉➡\ufe0f]|\\(?:text|textbf|textit|mathrm"
    rf"|mathbf|rm|bf)\b|\\[(\[]"
    rf"|(?:{_FILLING})(?=\W)){{0,24}}"
)
NOT = re.compile(r"\W{0,3}(?:\w+ly )?(?:in fact )?(?:not|never|nicht|pas)\b(?! only)\W*")
BUT = re.compile(
    r"[^.;\n]{0,120}?\b(?:but(?: rather| instead)?|rather|instead,?|it'?s|it is|sondern|sino"
    r"|mais)\b:?\s*"
)
OTHER_ANSWER = frozenset(
    [
        *("not", "never", "neither", "nor", "no", "isn't", "wasn't", "which", "what", "any"),
        *("other", "another", "each", "every", "incorrect", "wrong", "false", "worst", "falsche"),
        *("rejected", "excluded", "eliminated", "discarded", "dismissed", "least", "unlikely"),
        *("avoid", "avoided", "ruled", "distractor", "decoy", "invalid", "implausible", "trap"),
        *(
            "possible",
            "closest",
            "nearest",
            "previous",
            "initial",
            "frequent",
            "common",
            "popular",
            "usual",
        ),
        *("typical", "tempting", "naive", "obvious", "intuitive", "expected", "standard"),
        *("student's", "learner's", "candidate's", "pupil's", "user's", "examinee's", "child's"),
        *("respondent's", "participant's", "patient's", "his", "her", "their", "someone's"),
        *("suppose", "assume", "assuming", "if", "whether"),
    ]
)
NEAR_ANSWER = frozenset(("closest", "nearest", "which", "what", "any", "each", "every"))
"""Of these, those that may still tell the choice where nothing better does."""
# Where `CHOOSE` can begin; kept apart for the same reason.
CHOOSE_HEAD = re.compile(
    r"(?:i|we|let|if|lock(?:ing)?|choose|select|pick|my|the (?=guess|choice|pick|vote|bet)"
    r"|final|best|ich"
    r"|elijo"
    r"|escojo|je|scelgo|escolho|我)(?![a-z])"
)
# As `ANSWER`, without a boundary in front, for speed; nothing else ends so.
WOULD = re.compile(r"(?:would|could|might)(?<!\w\w{5})\b")
SUPPOSING = re.compile(
    r"\W*(?:then|so perhaps|perhaps|maybe)\W*\Z"
    r"|\W*(?:but |however,? |and )?(?:if|unless|had|suppose|assuming)"
    r" (?!(?:i|we|pressed|forced|pushed|required|asked)\b)"
)
_OWN_CONDITION = (
    r"(?!(?:i|we) (?:had|have|must|am|were|was|understand|understood|remember|recall|read|may|can"
    r"|could|should)\b|pressed|forced|pushed|required|asked)"
)
"""What is said against modesty, and is no condition: "if I had to guess"."""
CONDITION = re.compile(
    rf"[\s\"')\]*]{{0,4}},? [(\[]?(?:but |and |only |even ){{0,2}}(?:if|unless|provided(?: that)?"
    rf"|assuming|supposing|in case|as long as|had(?= (?:it|they)\b)"
    rf"|were(?= (?:it|they)\b)) {_OWN_CONDITION}"
)
"""Behind an answer: that it holds only if something else does."""
OTHERWISE = re.compile(
    r"\b(?:in which case|otherwise|or else|in that case|if not|if so|if they (?:do|don't|do not)"
    r"|if it (?:does|doesn't|does not|is|isn't|is not)|else)\b[\s,:]*"
    r"(?:(?:the )?(?:correct |right |best )?answer|it|that|this)?(?: (?:is|would be|must be))?\W*\Z"
)
"""In front of an answer: that it holds only if something else does."""
_HOW = (
    r"(?:still|probably|personally|definitely|therefore|thus|also|rather|really|absolutely|simply"
    r"|just|clearly)"
)
_GAP = (
    r"(?: (?!(?:what|who|how|why|runner|second|worst|least|weak\w*|others?|another|alternative"
    r"|clos\w+"
    r"|near\w*|wrong|drop|avoid|rul\w*|elimin\w*|reject\w*|leave|lure|trap|distractor|not|against|out"
    r"|students?|people|you|they|he|she|popular|last"
    r"|for (?:my|him|her|them|your?|another)|by)\b)[\w'’()-]+){0,14}?"
)
"""What may stand between "if I had to choose" and the choice, and speaks of no other one."""
_IT = r"(?:it|this|that|myself|them|him|her|mine|(?:this|the|that|your|my) \w+)"
CHOOSE = re.compile(
    r"\b(?:i|we|let'?s|let me)(?: (?:would|will|shall|must|have to|am|'d|can))?(?:'ll|'d|'m)?"
    r"(?: (?:therefore|thus|then|also|still|probably|likely|personally|definitely|have|going|to"
    r"|like|say|that|lean(?:ing)?)){0,5}"
    r" (?:choos(?:e|ing)|chose|select(?:ed|ing)?|pick(?:ed|ing)?|go(?:ing)? (?:with|for)|went with"
    r"|opt(?:ed|ing)? for|revert(?:ing)? to|return(?:ing)? to|(?:go|going) back to"
    r"|st(?:ick|ay)(?:ing)? with|come down on(?: the side of)?|plump for|side with"
    r"|switch(?:ing)? to"
    r"|change (?:it |that |my answer )?to|take|answer|guess|vote for|settle on"
    r"|towards?|respond with|mark|conclude"
    r"|suggest(?:ing)?|recommend|give you|believe|think|say|agree with"
    r"|(?:put|place|rate|score|give|label|classify|mark|tag) (?:it|this|that|myself|the \w+"
    r"|this \w+)"
    r"(?: (?:at|as|with|an?|solid|clear|strong)){0,3})\b"
    r"(?: (?:that|is|it is|it's|it would be|the (?:correct |best |right )?answer is)\b){0,3}"
    r"|(?:\A|(?<=[.!?\n,:] ))(?:choose|select|pick)\b"
    r"|\b(?:my|the|final|best) (?:guess|choice|pick|vote|bet) (?:is|would be|goes to)\b"
    rf"|\bi(?P<called>['’]d| would| will|['’]ll| am going to)(?: {_HOW}){{0,2}}"
    r" (?:label|classify|rate|put|call|describe"
    rf"|mark|score|place|tag|categori[sz]e|file|judge) {_IT}"
    r"(?: (?:down|squarely|firmly))?(?: (?:as|at|in|under|for))?(?: an?\b)?"
    rf"|\bif i(?:['’]m| am)? (?:\w+ )?(?:had|have|must|forced|pressed|pushed)"
    rf"(?: {_HOW}){{0,2}}(?: to)?"
    rf" (?:choose|pick|recommend|name|decide|come down|commit|guess|vote|answer)\b{_GAP}"
    r"(?:[,:–—-] ?(?:(?:it|that)(?:['’]s|['’]d be| is| would be)"
    r"|i(?:['’]d| would) (?:say|choose|pick"
    r"|go (?:with|for))(?: that)?|then)?)(?: an?\b)?"
    r"|\block(?:ing)? (?:it )?in\b(?: an?\b)?"
    r"|\b(?:ich (?:wähle|nehme)|elijo|escojo|je choisis|scelgo|escolho)\b|我选择?"
)
WEAK = re.compile(
    r"\b(?:it is|it's|it must be|it would be|this is|that is|that's|must be|should be|would be|is"
    r"|so|therefore|thus|hence|ergo|namely|in the end|on balance|all in all"
    r"|leaves(?: us| only)?(?: with)?|leaving"
    r"|corresponds to|matches"
    r"|represented by|described (?:in|by)|points to|i mean(?:t)?|going with|es ist"
    r"|(?<![(/] )(?<![(/])also)\b[,:]?"
    r"|即|所以选?|因此选?|故选|选|→|⇒|=>"
)
COMES_TO = re.compile(
    r"\b(?:returns?|prints?|outputs?|displays?|evaluates to|equals?|makes(?: it)?|comes (?:out )?to"
    r"|comes out (?:as|at)|amounts to|adds up to|yields?|gives(?: us)?|results in|we get|i get"
    r"|output(?: will be)?:|result:|has to be)\b[:,]?"
)
"""Says what comes out, where a reply ends with it."""
_NO_PRAISE = (
    r"popular|common|frequent|usual|typical|tempting|obvious|naive|intuitive|wrong|incorrect|bad"
    r"|poor"
    r"|false|invalid|trap|worst|previous|old|former|other|weak\w*|least|unlikely|expected|standard"
    r"|default|distractor|decoy"
)
_GOODNESS = (
    rf"(?:best(?!-)|correct|right|most (?!{_NO_PRAISE})\w+|chosen|intended|strongest|closest"
    rf"|richtige?|correcta?|bonne"
    r"|answer|choice|winner|antwort|respuesta|réponse)\b"
)
_PRAISE = (
    rf"(?:{_MAYBE} be|is|are|was|seems|appears|looks|remains|ist|es|est)\b"
    r"(?: (?:the|clearly|definitely|indeed|also|therefore|thus|likely|probably|actually|in fact|a"
    rf"|both|all|my|our|only|single|one|final|to be|die|la|le|der)\b){{0,4}} {_GOODNESS}"
    r"(?! ?(?:if|when|unless)\b)"
    rf"|(?:{_MAYBE} be|is) an? (?:good|great|better|strong|solid|fitting|suitable|sensible|safe"
    r"|valid|plausible|reasonable|excellent|perfect|fine|clear|logical|ideal|sound|nice|apt|viable"
    r"|accurate|appropriate|proper|true|likely|acceptable|correct|natural) (?:answer|choice)\b"
    rf"|(?:as|being|is,?) (?:the|my) (?:(?!{_NO_PRAISE})\w+ ){{0,2}}(?:answer|choice|option"
    rf"|argument)\b"
    r"|it is\s*[.!]?\s*$|correct\s*[.:!\n]"
)
# What stands behind praise that is not given, or not for this question.
PRAISE_TAKEN_BACK = re.compile(
    r"[^.;\n]{0,40}\b(?:but|yet|though|although|however|and)\b,?(?: it| this| that| which)?"
    r"(?: is| does| do| was|'s)?(?: \w+ly)?(?:n't| not| wrong| incorrect| irrelevant| false"
    r"| misses| fails)\b"
    r"|(?: answer| choice| option)? (?:about|to (?:another|a different"
    r"|the (?:wrong|previous|other))|of (?:beginners|many|most)"
    r"|(?:that |which )?(?:i|you|he|she|they|most|many|people) (?:\w+ )?\w+"
    r"|in [^.;\n]{0,30}\bonly)\b"
)
# The sign in front is there for speed: `re` skips quickly to the places where it occurs; so are the
# letters that praise can begin with.
PRAISE = re.compile(rf"[\s)\],\"'](?=[abcehilmrsw])(?:{_PRAISE})")
RIGHT = re.compile(rf"[\"')\].,:;]*\s*\b(?!are\b)(?:{_PRAISE})")
WRONG = re.compile(
    r"[ \t\"'()\].,:;]*(?:(?:this|it|that|which)(?: (?:option|answer|choice|one|statement))? )?"
    r"(?:(?:is|are|was|were|would be|can be|seems|could be|might be|also)\b"
    r"[^.;\n]{0,30}?\b(?:not|incorrect|wrong|false|ruled out|eliminated|excluded|inaccurate"
    r"|irrelevant|invalid|unlikely|less|too|neither)\b"
    r"|(?:does not|doesn't|cannot|can't|isn't|aren't|do not|don't|wouldn't|won't)\b"
    r"|[-(] ?(?:wrong|incorrect|false|no|nope)\b|incorrect\s*[.:!\n]|✗|❌|✘)"
)
BOTH_RIGHT = re.compile(
    r"[\"')\].,:;]*\s*\b(?:are|(?:could|can|may|might) be) (?:both |all )?(?:the )?"
    r"(?:correct|right)\b"
)
# Said of a whole option, not of something in its text.
NOT_THE_ANSWER = re.compile(
    r"[ \t\"')\].,:;]*(?:(?:is|was|are|would be|can be|seems|isn't|wasn't)(?: \w+){0,2}"
    r" ?\b(?:incorrect|wrong|ruled out|eliminated|(?:not|n't)(?: (?:the|a|an|my))?(?: \w+)?"
    r" ?(?:correct|right|best|answer))\b"
    r"|(?:isn't|wasn't) (?:the )?(?:correct|right|answer)\b"
    r"|[-(] ?(?:wrong|incorrect|false|no|nope)\b|✗|❌|✘)"
)
TURNED_DOWN = re.compile(
    r"(?:\b(?:not|never|neither|nor|than|except|excluding|eliminat\w+|rul\w+ out|exclude\w*"
    r"|avoid\w*|to (?:go|drop|leave|cross out)|reject\w*|incorrect|wrong|unlike|instead of"
    r"|against|why|versus|whether|discard|dismiss"
    r"|cannot select|between|if|none of|others"
    r"|(?<!no )(?<!without )(?<!beyond )(?<!any )doubt(?:s|ed|ful)?(?: that| if| whether)?"
    r"|(?:lure|trap|decoy|bait|distractor)(?: here)? (?:is|was)|unlikely to be"
    r"|(?:the )?(?:other|remaining|rest|incorrect|wrong)(?= options))|n't)"
    r"(?: \w+,? (?:and|or|nor)(?= ))?"
    r"(?: (?:select|choose|options?|choices?|answers?|it is|it's|the|a|an|was|were|is|be)){0,3}"
    r"[^\w\n.;,]*\Z"
)
# What stands before an option that is somebody else's, an example, or turned down.
NOT_MINE = re.compile(
    r"\b(?:some|many|others?|people|they|most|someone|somebody|might|may|could|can|you|such as|like"
    r"|example|instance|e\.g|includ\w*|rang\w+|between|not|never|nor|cannot|against|than|or)\b"
    r"|n't\b|\?"
)
TAKEN_BACK = Wording(
    TURNS_BACK,
    re.compile(
        r"\b(?:wait|hold on|hmm+|scratch that|on second thought|let me"
        r" (?:re\w+|correct|double|check)|i (?:made|have made) an? \w+|my mistake"
        r"|correction|i misread|i meant?|no,|no:|actually"
        r"|sorry|oops|nein,)\b"
    ),
)
# What may come before a bare letter that is a label.
LABEL_AFTER = re.compile(
    r"(?:\A|[.:;,!?\n(\[\"'>=-]|\b(?:options?|choices?|answers?|letters?|alternative|that|so|then"
    r"|therefore|thus|hence|think|believe|say|guess|pick|choose|select|and|but|or|because|making"
    r"|makes|as|with|only|both|actually|is|it's|opción|option|réponse|antwort))\s*\Z"
)
# The same of letters alone: "there are 2" names no option.
LETTER_AFTER = re.compile(
    r"\b(?:are|be|really|actually|probably|maybe|perhaps|down|on|for|mark|nor|neither|leaving"
    r"|leaves|clearly|definitely|dus|also|dann|donc"
    r"|entonces)\s*\Z"
)
IS = re.compile(r"[\"')\]]*\s*(?:is|are|was|were|because|since)\b")
# What may follow a label that was named without ado ("it is D rather than B").
IS_NOT_BUT = re.compile(r"\s*(?:because|since|as|not|rather|instead|due)\b")
OTHER_NUMBER = re.compile(r"\A\W*\d{1,2}\W*\Z")
OTHER_LABEL = re.compile(
    r"\A\W*(?:(?:option|choice|answer)\W{1,4})?(?P<alone>[a-z])(?:[.)\]:](?:\s|\Z)|\W*\Z)"
    r"|\b(?:answer|option|choice)(?: \w+){0,3}?(?: is| would be|:)\s*\(?(?P<said>[b-hj-z])"
    r"(?:[).]|\s*\Z| because\b|\n)"
)
# Between a label and its option's text: "E for ...", "E, which stands for ...".
STANDS_FOR = re.compile(r"[\"')\]]*,? (?:for|(?:which )?(?:stands for|means|is))\b")
SAYS_NONE = re.compile(r"\s*(?:none of (?:the above|these|them)|no correct answer)\b")
REMAINING = re.compile(r"\b(?:other|remaining|rest)\b")
