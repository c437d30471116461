"""How every page is made: templates with autoescape, and every value visible on its way there."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.resources import files
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from horsesense.report import text
from horsesense.stats import words
from horsesense.version import __version__

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment
    from jinja2.bccache import Bucket


def environment(*packages: str, **filters: Any) -> Environment:
    """The templates of this folder and of packages, with style sheet, `plural` and `filters`."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in ("horsesense.report", *packages)]),
        autoescape=True,
        finalize=text.finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_compiled(),
    )
    style = (files("horsesense.report") / "style.css").read_text(encoding="utf-8")
    made.globals["style"] = Markup(style)
    made.filters |= {"plural": words.plural, **filters}
    return made


def _compiled() -> BytecodeCache:
    """Keeps compiled templates beside what Python compiled of this module, if it keeps that."""
    from jinja2 import FileSystemBytecodeCache

    class Kept(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            with suppress(OSError):  # they are compiled again, as modules would be
                if not sys.dont_write_bytecode:
                    super().dump_bytecode(bucket)

    folder = Path(cache_from_source(__file__)).parent
    return Kept(str(folder), f"{__version__}-%s.template")
