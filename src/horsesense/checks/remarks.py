"""What options say of one another: "none of these", "both A and B", "the first two".

A remark is told by its words: all of them stand in a short vocabulary, whatever their order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from horsesense.expressions import expression

LONGEST: Final = 120
"""Characters of the longest option that is taken for a remark on the others."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NONE: Final = _words(
    "none neither nothing no not kein keine keiner keines nichts weder aucun aucune rien ninguno"
    " ninguna ningún nada"
)
_ALL: Final = _words(
    "all both any each every everything either alle alles beide tous toutes tout les todos todas"
    " todo ambos ambas"
)
_OTHERS: Final = _words(
    "above these those them option options answer answers choice choices alternative alternatives"
    " response responses statement statements other others following preceding foregoing previous"
    " given listed mentioned stated named here list one ones davon antwort antworten aussage"
    " aussagen genannten genannte genanntes obigen obige dieser diese diesen anderen möglichkeiten"
    " réponse réponses proposition propositions dessus précédentes elles ces anteriores"
    " anterior opciones opción respuestas respuesta estas estos otras mencionadas"
)
"""Words that mean the other options."""
_RIGHT: Final = _words(
    "correct right true valid suitable appropriate apply applies fit fits richtig korrekt"
    " zutreffend correcte correctes vraie vraies juste correcta correctas correcto verdaderas"
)
_WRONG: Final = _words("wrong false incorrect untrue falsch fausses falsas incorrectas")
_COUNT: Final = _words("two three four five 2 3 4 5 drei vier trois quatre tres cuatro")
_LITTLE: Final = _words(
    "of the a an is are was were in on from among single and be can der die das von sind ist hier"
    " einzige de des du la est sont ne n'est ci d'entre las los es son lo que ce qui précède"
)
_REMARK: Final = _NONE | _ALL | _OTHERS | _RIGHT | _WRONG | _COUNT | _LITTLE
_ABOVE: Final = expression(r"\b(all|any|both|none|neither)(?: of)?(?: the)? (?:above|below)\b")
_POINTING: Final = ("above", "these", "those", "them")
"""One word more may follow: "none of these diseases"."""
_CHINESE_NONE: Final = expression(
    r"[以上述这些其他前面的选项答案各说法几三四者全部都均皆]*(?:不是|不对|不正确|错误?|没有|非|无)"
    r"[正确的答案选项]*"
)
_CHINESE_ALL: Final = expression(
    r"[以上述这些前面的选项答案各说法几三四者所有]*[全部都均皆]+(?:是|对|正确|包括|符合)?"
)

_CONNECTING: Final = _words(
    "and or nor but not only both either neither all just except plus together alone with of the as"
    " well too is are correct right true wrong same converse reverse combination option options"
    " answer answers choice choices alternative alternatives statement statements none und oder"
    " sowohl als auch noch nur weder et ou ni seulement y o solo como & / +"
)
"""Words beside the letters of options that an option refers to."""
_ALONE: Final = _words(
    "only option answer choice alternative statement except not both converse reverse all none nur"
)
"""One of them makes a single letter a reference: "Only B", "The converse of B"."""
_SIGNS: Final = expression(r"[-–=<>_^*]")
"""Letters beside them are formulas."""
_NAMES: Final = frozenset("ABCDEFGHIJ")
_TOKEN: Final = expression(r"\([A-Ja-j]\)|[^\W_]+(?:['’][^\W_]+)?|[&/+]")
_MENTIONED: Final = expression(
    r"\b(?i:options?|answers?|choices?|statements?) ([A-J]|[1-9])(?:(?:,|,? (?:and|or|&)) "
    r"(?:[A-J]|[1-9]))*(?![\w'’])"
)
_PLACES: Final = _words("first last previous preceding former latter premiers primeras ersten")
_PLACED: Final = _PLACES | _COUNT | _OTHERS | _LITTLE | _RIGHT | _ALL | _words("none only together")


def tidy(option: str) -> str:
    """An option in lower case, with single spaces and without marks around it."""
    plain = option.replace("’", "'").replace("_", " ").replace("-", " ")
    return " ".join(plain.split()).strip(" .,;:!?\"'()[]*。，“”").lower()


def says_none(option: str) -> bool:
    """Whether an option says that none of the others is right.

    >>> says_none("Not one of these."), says_none("Neither of them live near the sea")
    (True, False)
    """
    return remark(option) == "none"


def says_all(option: str) -> bool:
    """Whether an option says that all, both or any of the others are right.

    >>> says_all("Every one of the above"), says_all("All of France"), says_all("以上都是")
    (True, False, True)
    """
    return remark(option) == "all"


@lru_cache(maxsize=1 << 16)
def remark(option: str) -> Literal["none", "all"] | None:
    """What an option says of all others, if it does."""
    plain = tidy(option[:LONGEST])
    if _CHINESE_NONE.fullmatch(plain):
        return "none"
    if plain[:1] in "以上述全都均皆这前所" and _CHINESE_ALL.fullmatch(plain):
        return "all" if plain else None
    if found := _ABOVE.search(plain):
        return "none" if found[1] in _NONE else "all"
    words = plain.replace(",", "").split()
    return _of_all(words) if words and words[0] in _NONE | _ALL else None


def _of_all(words: list[str]) -> Literal["none", "all"] | None:
    """What words that begin with "none", "all" or the like say of the other options."""
    said = set(words if len(words) < 3 or words[-2] not in _POINTING else words[:-1])
    others, right = bool(said & _OTHERS), bool(said & _RIGHT)
    if not said <= _REMARK:
        return None
    if words[0] == "no":
        return "none" if right or "of" in said else None
    if words[0] in _NONE:
        return "none" if others or (right and words[0] != "not") else None
    if said & _WRONG or (right and "not" in said):
        return "none"
    return "all" if others or right or (words[0] == "all" and said & _COUNT) else None


def letters_named(option: str) -> frozenset[str]:
    """The letters by which an option refers to others ("A but not B"); empty if to none."""
    if len(option) > LONGEST or _SIGNS.search(option):
        return frozenset()
    tokens = _TOKEN.findall(option)
    letters = {t.strip("()").upper() for t in tokens if t in _NAMES or t[0] == "("}
    others = {t.lower() for t in tokens if t not in _NAMES and t[0] != "("}
    if letters and others <= _CONNECTING and (len(letters) > 1 or others & _ALONE):
        return frozenset(letters)
    return frozenset(m[1] for m in _MENTIONED.finditer(option) if m[1].isalpha())


def places_named(option: str) -> bool:
    """Whether an option means others by number ("Options 1 and 2") or place ("The first two")."""
    if len(option) > LONGEST:
        return False
    words = set(tidy(option).replace(",", "").split())
    if found := _MENTIONED.search(option):
        return found[1].isdigit() and words - _CONNECTING <= set("123456789")
    return bool(words & _PLACES) and bool(words & (_COUNT | _OTHERS)) and words <= _PLACED
