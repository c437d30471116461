"""A part of a prompt's template."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from horsesense.errors import UsageError

_JINJA: Final = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
)
_JINJA.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
_compiled: Final = lru_cache(64)(_JINJA.from_string)


class Part:
    """A part of a template; raises `jinja2.TemplateError` where its source is none."""

    def __init__(self, source: str) -> None:
        self._template: Template = _compiled(source)
        # A chain of mappings, which each rendering goes through twice: that took most of its time.
        self._template.globals = dict(self._template.globals)
        self._names = find_undeclared_variables(_JINJA.parse(source))
        self._given: list[object] = []
        self._text: str | None = None

    def render(self, fields: Mapping[str, Any]) -> str:
        """The text without white space at its ends; UsageError where it cannot be filled."""
        given = [fields.get(name, self) for name in self._names]  # itself where there is none
        if self._text is None or given != self._given:  # an instruction is often the last one
            try:
                self._given, self._text = given, self._template.render(fields).strip()
            except (TemplateError, TypeError, ValueError) as error:
                raise UsageError(f"A prompt template cannot be filled: {error}.") from None
        return self._text
