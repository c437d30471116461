"""How every page is made: templates with autoescape, and every value visible on its way there."""

from __future__ import annotations

import contextlib
import sys
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path

import jinja2
from jinja2 import ChoiceLoader, Environment, FileSystemBytecodeCache, PackageLoader
from jinja2.bccache import Bucket
from markupsafe import Markup

from horsesense.report import text
from horsesense.stats import words
from horsesense.version import __version__


class Compiled(FileSystemBytecodeCache):
    """Templates as they are compiled, kept where Python keeps this module, if it may write there:
    to compile them takes as long as to render all of a small report."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


def environment(*packages: str) -> Environment:
    """The templates of this folder and of packages, with the style sheet and `plural`.

    A page adds its filters.
    """
    kept = Compiled(
        str(Path(cache_from_source(__file__)).parent), f"%s.{__version__}-{jinja2.__version__}"
    )
    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in ("horsesense.report", *packages)]),
        autoescape=True,
        finalize=text.finalize,
        bytecode_cache=None if sys.dont_write_bytecode else kept,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (files("horsesense.report") / "style.css").read_text(encoding="utf-8")
    made.globals["style"] = Markup(style)
    made.filters["plural"] = words.plural
    return made
