"""Pages as a browser would read them, and texts that attack them."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from horsesense.report.text import visible

MODELS = ("oracle", "uniform", "position?k=1", "ranker", "refuse", "talker")
"""Simulated models whose faults are known."""
UNPRINTABLE = "nul\x00 bell\x07 escape\x1b[31m over\u202eride isolate\u2066 zero\u200bwidth \x9b"
SCRIPT = "</script><script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"
BREAKS = "\"'--></pre></details></svg><svg onload=alert(3)><style>*{display:none}</style>"
NASTY = (SCRIPT, IMAGE, BREAKS, UNPRINTABLE, "{{ 7*7 }}{% raw %}", "&lt;b&gt;", "w" * 3000)
VOID = {"meta", "br", "hr", "wbr", "img", "input", "link"}


class Page(HTMLParser):
    """What a browser would make of a page: elements, attributes, text; tags must nest."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        text: list[str] = []
        self.handle_data = text.append  # type: ignore[method-assign]
        html = path.read_text(encoding="utf-8") if isinstance(path, Path) else path
        self.feed(html)
        self.close()
        self.text = "".join(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"


ELEMENTS = """
    html head meta title style body header main footer nav section h1 h2 h3 p ul ol li a b i span
    div bdi code pre mark details summary figure figcaption table caption thead tbody tr th td dl
    dt dd svg g path text line rect defs clippath circle tspan
    fieldset legend label input small s em
"""
ALLOWED = frozenset(ELEMENTS.split())


def check_harmless(page: Page) -> None:
    """Nothing runs, nothing is loaded, nothing unseen is left, and every element is closed."""
    assert set(page.tags) <= ALLOWED
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "xlink:href", "action", "srcdoc"}
        if name == "href":
            assert value.startswith("#")
    assert page.open == []
    assert visible(page.text) == page.text
    assert ("http-equiv", "Content-Security-Policy") in page.attributes
    policy = next(value for name, value in page.attributes if "default-src" in value)
    assert "default-src 'none'" in policy
    assert "script" not in policy
