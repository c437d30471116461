"""Which of the languages that the rules know a set of items is in, told by its little words."""

from __future__ import annotations

from collections import Counter
from typing import Final

from horsesense.expressions import expression
from horsesense.items.item import ItemSet

OTHER: Final = "another language"
_LITTLE: Final = {
    "English": "the of and is are was in to for which what that with by on from following how does"
    " who did this it about do can why where when most likely if not be has have at or you your",
    "German": "der die das und ist sind ein eine einen welche welcher welches wer nicht von zu mit"
    " den dem im auf für wie wird am oder",
    "French": "le la les des du est et un une quel quelle qui que dans pour sur au aux par pas il"
    " ce sont avec",
    "Spanish": "el la los las de del es y un una cuál qué en que por para con se son al no lo su",
    OTHER: "não é um uma do da dos os as em foi à il lo gli di che è una nel per non het een van"
    " niet zijn op aan och är en att som av på för vilken og er af hvad na jest są się nie do który"
    " je jsou se ve bir bu hangisi ne için yang dan di ke dari ini itu apa manakah là của và các"
    " một có trong ja ei mikä joka oli se että az és egy nem melyik hogy și este în care",
}
_WORDS: Final = {language: frozenset(words.split()) for language, words in _LITTLE.items()}
_WORD: Final = expression(r"[^\W\d_]{2,}")
_CHINESE: Final = expression("[一-鿿]")
_OTHER_SCRIPT: Final = expression("[Ͱ-῿぀-ヿ가-힣]")
READ, CHARACTERS = 300, 300
"""As much is read of a set and of each of its items."""
FEWEST_WORDS: Final = 30
SHARE: Final = 0.08
"""The share of little words from which a language is told; English questions have .3 to .5."""
SOME: Final = 0.005
"""The share of English ones from which a set with few little words (word lists) may be English."""


def language(items: ItemSet) -> str | None:
    """The language of a set, or `OTHER`; None where it cannot be told, as of few words."""
    read = items.items[:: max(1, len(items) // READ)]
    texts = {item.question[-CHARACTERS:]: None for item in read}
    if items.kind == "choice":
        texts |= {option[:CHARACTERS]: None for item in read for option in item.options}
    text = "\n".join(texts).lower()
    words = Counter(_WORD.findall(text))
    signs, others = len(_CHINESE.findall(text)), len(_OTHER_SCRIPT.findall(text))
    letters = sum(len(word) * n for word, n in words.items())
    if 2 * (signs + others) > letters > 0:
        return "Chinese" if signs > others else OTHER
    spoken = words.total()
    if spoken < FEWEST_WORDS:
        return None
    counts = {name: sum(words[word] for word in little) for name, little in _WORDS.items()}
    most = max(counts, key=counts.__getitem__)
    if counts[most] >= SHARE * spoken:
        return most
    return None if counts["English"] > SOME * spoken else OTHER
