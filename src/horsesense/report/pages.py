"""How every page is made: templates with autoescape, and every value visible on its way there."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from horsesense.report import text
from horsesense.stats import words

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(*packages: str) -> Environment:
    """The templates of this folder and of packages, with the style sheet and `plural`.

    A page adds its filters.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in ("horsesense.report", *packages)]),
        autoescape=True,
        finalize=text.finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (files("horsesense.report") / "style.css").read_text(encoding="utf-8")
    made.globals["style"] = Markup(style)
    made.filters["plural"] = words.plural
    return made
