"""Parts of templates: what is put where marks stood is what the engine would have made."""

from __future__ import annotations

import random
from typing import Any

import pytest
from jinja2 import TemplateError

from horsesense.errors import UsageError
from horsesense.prompts.part import _JINJA, Part

SOURCES = (
    "Question: {{ q }}\n{% for a, b in pairs %}{{ a }}. {{ b }}\n{% endfor %}",
    "{% if q %}{{ q }}\n{% endif %}{{ n }}% {{ q }}",
    "{% if not q or words %}x{{ words }}{% endif %}",
    "{% for c in q %}{{ c }} {% endfor %}",
    "{% for a, b in pairs %}{{ a }}{{ b|upper }}{% endfor %}",
    "{% for a, b in pairs if a %}{{ b }}{% endfor %}",
    "{% for a, b in pairs %}{{ loop.index }}{{ a }}{% endfor %}",
    "{% for row in pairs %}{% for c in row %}{{ c }},{% endfor %};{% endfor %}",
    "{% for row in pairs %}{% for c in row %}{{ c|length }},{% endfor %};{% endfor %}",
    "{% for a, b in words %}{{ a }}{{ b }}|{% endfor %}",
    "{% filter upper %}{{ q }}{% endfilter %}",
    "{% set copy = q %}{{ copy|length }}",
    "{{ pairs }}{{ q ~ words }}",
)
TEXTS = ("", "a", "ab", " x ", "%s", "%", "{{ q }}", "\0", "\0a:0\0", "line\nline\n", "None")


def fields(seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    text = lambda: draw.choice(TEXTS)  # noqa: E731
    return {
        "q": text(),
        "n": draw.choice([None, 1, True, text()]),
        "words": draw.choice([["ab", "cd"], [text() for _ in range(draw.randrange(3))], text()]),
        "pairs": [(draw.choice("AB"), text()) for _ in range(draw.randrange(4))],
    }


def outcome(render: Any, given: dict[str, Any]) -> str:
    try:
        return str(render(given)).strip()
    except (TemplateError, ValueError, UsageError):
        return "an error"


@pytest.mark.parametrize("source", SOURCES)
def test_a_part_is_what_the_engine_makes_of_it(source: str) -> None:
    part, whole = Part(source), _JINJA.from_string(source)
    for seed in range(150):
        given = fields(seed)
        assert outcome(part.render, given) == outcome(whole.render, given)


def test_texts_that_are_passed_on_are_not_rendered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Part(
        "{% if context %}{{ context }}\n{% endif %}{{ q }}\n"
        "{% for o in options %}{{ o }}{% endfor %}"
    )
    first = {"context": None, "q": "one", "options": ["a", "b"]}
    assert part.render(first) == "one\nab"
    monkeypatch.setattr(part, "_template", None)
    assert part.render({"context": None, "q": "two", "options": ["c", "d"]}) == "two\ncd"
    with pytest.raises(AttributeError):  # another shape
        part.render({"context": "before", "q": "two", "options": ["c", "d"]})


def test_what_a_template_looks_into_is_rendered_again_when_it_changes() -> None:
    part = Part('{% if lines == "anchored" %}numbers{% else %}plain{% endif %} {{ q }}')
    assert part.render({"lines": "anchored", "q": "x"}) == "numbers x"
    assert part.render({"lines": "plain", "q": "y"}) == "plain y"


def test_a_template_that_cannot_be_filled_is_told() -> None:
    with pytest.raises(UsageError, match="template cannot be filled: 'q' is undefined"):
        Part("{{ q }}").render({})
