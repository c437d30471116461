"""A booklet as a page: one file that works without a network, and runs no script but its own.

What is shown of an item is text and nothing else; a policy in the page names the one script and
the one style sheet by their hashes, so that nothing that an item could bring is run or loaded.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from horsesense.report.pages import environment
from horsesense_extras.build.booklets import Shown


@cache
def _own(name: str) -> str:
    return (files("horsesense_extras") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def booklet_page(code: str, questions: Sequence[Shown]) -> str:
    """The page of one booklet, from its code and its questions."""
    style, script = _own("booklet.css"), _own("booklet.js")
    return (
        environment("horsesense_extras")
        .get_template("booklet.html.j2")
        .render(
            code=code,
            questions=questions,
            booklet_style=Markup(style),
            script=Markup(script),
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )
