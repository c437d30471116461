"""Replies that are records in another form than JSON, as the values that JSON would give them.

Plain YAML, the parameters of a tool call, and elements with a verdict as an attribute. What is not
plainly one of these is left to the other rules.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from horsesense.readers.text.names.likeness import stems

_FENCED = re.compile(r"\s*```ya?ml[ \t]*\n(.*?)\n?```\s*\Z", re.IGNORECASE | re.DOTALL)
_LINE = re.compile(
    r"(?P<indent> *)(?P<item>- +)?(?:(?P<key>[A-Za-z][\w ./()-]{0,40}"
    r"|\"[^\"\n]{1,60}\"):(?: +(?P<value>.*))?"
    r"|(?P<alone>\S.*))"
)
_NESTED = re.compile(r"\A- \w+:|\A\w+: *\n|\n\w+: *\n +")
_PARAMETER = re.compile(r"<parameter\s+name=\"([^\"<>\n]{1,60})\"\s*>([^<]{0,2000})</parameter>")
_CALL = re.compile(r"<tool_call>\s{0,9}(\{.{0,4000}?\})\s{0,9}</tool_call>", re.DOTALL)
_GIVES = re.compile(r"answer|submit|final|finish|respond|classif|select|choose|label")
_NO_WORD = re.compile(r"[\W_]+")
_IS_ANSWER = re.compile(r"answer|choice|verdict|label|classification|prediction", re.IGNORECASE)
_ASKS = re.compile(
    r"name=\"(?:\w+[_.-])?(?:search|query|look\w*|check|calc\w*|get|fetch|browse|find|retrieve|open"
    r"|read|python|run|execute)"
)
"""A call that asks for something and answers nothing."""
_CLOSED = re.compile(r"</(?:invoke|function_calls|tool_call|parameter)>\s*\Z")
_ELEMENT = re.compile(r"<\w+((?:\s+[\w-]+=\"[^\"<>\n]{0,80}\"){2,4})\s*/?>")
_ATTRIBUTE = re.compile(r"([\w-]+)=\"([^\"]*)\"")
_NAMES: Final = ("id", "label", "name", "letter", "key", "option")
_MOST: Final = 20_000
_LINES: Final = 80
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None}


def records(source: str, question: str = "") -> list[Any]:
    """The values that a reply consists of, or ends with; none where it is no record."""
    if len(source) > _MOST:
        return []
    if "<parameter" in source:
        found = {name: value.strip() for name, value in _PARAMETER.findall(source)}
        asks = _ASKS.search(source.lower()) or not _CLOSED.search(source)
        return [] if asks else [found]
    if "<tool_call>" in source:
        return _call(source, question)
    if '="' in source and (verdicts := _elements(source)):
        return [verdicts]
    fenced = _FENCED.match(source)
    text = fenced[1] if fenced else source.strip()
    # Lines that are headed ("Answer: B", "Explanation: ...") are running text all the same.
    if ":" not in text or not (fenced or (_may_nest(text) and _NESTED.search(text))):
        return []
    value = _yaml(text)
    return [value] if isinstance(value, dict) else []


def _may_nest(text: str) -> bool:
    """Whether there is a second line, or an item of a list."""
    return "\n" in text or text.startswith("- ")


def only_calls(source: str) -> bool:
    """Whether a reply is calls of tools and nothing else."""
    return "<tool_call>" in source and not _CALL.sub("", source).strip()


def _call(source: str, question: str) -> list[Any]:
    """The arguments of the last call, where it gives an answer: by its name, by what its argument
    is called, or as it does what the question asks ("route_request")."""
    calls = _CALL.findall(source)
    try:
        value = json.loads(calls[-1]) if calls else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(value, dict) or not isinstance(value.get("arguments"), dict):
        return []
    name = f'"{value.get("name")}"'.lower()
    given = value["arguments"]
    does = {*stems(_NO_WORD.sub(" ", name))} & {*stems(question.lower())}
    if not (_GIVES.search(name) or (does and not _ASKS.search(f"name={name}"))):
        # What a tool of any other name is given is its input.
        alone = len(calls) == 1 and _CLOSED.search(source) and not _ASKS.search(f"name={name}")
        given = {key: one for key, one in given.items() if alone and _IS_ANSWER.search(key)}
    return [given] if given else []


def _elements(source: str) -> dict[str, str] | None:
    """The verdicts that elements give in an attribute, by the name in another."""
    found: dict[str, str] = {}
    for m in _ELEMENT.finditer(source):
        fields = dict(_ATTRIBUTE.findall(m[1]))
        name = next((fields.pop(key) for key in _NAMES if key in fields), None)
        if name is None or name in found or len(fields) != 1:
            return None
        found[name] = next(iter(fields.values()))
    return found if len(found) > 1 else None


def _yaml(text: str) -> Any:
    """A mapping of scalars, of lists and of mappings, one level deep or two; None for what is not
    so plain."""
    top: dict[str, Any] = {}
    inner: Any = None
    under = ""
    block = False
    lines = text.split("\n")
    if len(lines) > _LINES:
        return None
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#") or line.strip() == "---":
            continue
        m = _LINE.fullmatch(line.rstrip())
        if block and line.startswith(" "):
            continue
        if m is None:
            return None
        deep, item, key, value = len(m["indent"]), m["item"], m["key"], m["value"]
        block = (value or "").strip() in ("|", ">", "|-", ">-")
        if deep == 0 and key and (not item or not under):
            if item and key.strip('"') in top:
                return None
            under = "" if item else key.strip('"')
            inner = None
            top[key.strip('"')] = _scalar(value)
        elif not under:
            return None
        elif item and key:
            inner = {key.strip('"'): _scalar(value)}
            top[under] = [*(top[under] if isinstance(top[under], list) else []), inner]
        elif item:
            top[under] = [*(top[under] if isinstance(top[under], list) else []), m["alone"]]
        elif key:
            if inner is None:
                inner = top[under] = {}
            inner[key.strip('"')] = _scalar(value)
        else:
            return None
    return top


def _scalar(value: str | None) -> Any:
    """The value of a field."""
    said = re.sub(r"\s+#.*", "", value or "").strip()
    if said.lower() in _WORDS:
        return _WORDS[said.lower()]
    if said.startswith("[") and said.endswith("]"):
        return [one.strip().strip("\"'") for one in said[1:-1].split(",")]
    return said.strip("\"'") if said else {}
