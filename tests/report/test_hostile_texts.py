"""Texts that attack a page reach it as texts: in a real browser, with its policy and without."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from horsesense.api import Run, audit
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import Failure, Response
from horsesense.report import item_report
from payloads import PAYLOADS

POLICY = re.compile(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>")
LOOK = """() => [...document.querySelectorAll('*')].flatMap(e => [
    ...(/^(script|iframe|object|embed|base|link|form|button|audio|video|marquee)$/i
        .test(e.tagName) ? [e.outerHTML.slice(0, 200)] : []),
    ...[...e.attributes].filter(a => /^on/i.test(a.name) ||
        /^(href|src|action|formaction|data|background|xlink:href)$/i.test(a.name)
        && /^\\s*(java|data:text|http:)/i.test(a.value)).map(a => e.tagName + ' ' + a.name)])"""
"""What no page of ours may hold: elements and attributes that act."""
STIR = """() => document.querySelectorAll('*').forEach(e =>
    ['mouseover', 'mouseenter', 'focus', 'click', 'toggle', 'animationstart'].forEach(
        name => e.dispatchEvent(new Event(name))))"""


class Hostile(HoldsNothing):
    """A model all of whose texts attack: its name, its replies, its errors and its notes."""

    batch_size = 8
    max_connections = 1
    name = f"model {PAYLOADS[2]}"
    identity = f"identity {PAYLOADS[4]}"

    def __init__(self) -> None:
        self.count = 0

    async def capabilities(self) -> Capabilities:
        return Capabilities(chat=True, notes=tuple(f"note {text}" for text in PAYLOADS[:40]))

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        return [self._one() for _ in batch]

    def _one(self) -> Response | Failure:
        self.count += 1
        text = PAYLOADS[self.count % len(PAYLOADS)]
        if self.count % 10 == 0:
            return Failure("server", f"error {text}", retryable=False)
        return Response(f"reply {text}", finish_reason="stop", served_by=f"by {text}")


def rows() -> list[dict[str, Any]]:
    """Items that show every payload in a question, an option, a subject and a context."""
    found = []
    for i in range(0, len(PAYLOADS), 4):
        four = [PAYLOADS[(i + j) % len(PAYLOADS)] for j in range(4)]
        found.append(
            {
                "id": f"id{i} {four[0]}",
                "question": f"question{i} {' '.join(four)}",
                "options": [f"option{i}.{j} {text}" for j, text in enumerate(four)],
                "answer_index": i % 4,
                "subject": f"subject {PAYLOADS[i % 8]}",
                "context": f"context{i} {four[1]}",
                "cluster": f"cluster {four[2]}",
            }
        )
    return found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """All pages of a run that holds nothing but attacks."""
    out = tmp_path_factory.mktemp("hostile") / "run <img src=x onerror=alert(1)>"
    run: Run = audit(
        rows(), Hostile(), out=out, probes="order(design=random(1))",
        report_items=len(PAYLOADS),
    )  # fmt: skip
    summary = out / "summary.html"
    summary.write_text(f"<!doctype html><body>{run._repr_html_()}</body>", encoding="utf-8")
    return [run.directory.layout.report, item_report(run.results, run.items.items[0].id), summary]


class Opened:
    """A page that was opened and stirred: what ran, what it asked for, what it holds."""

    def __init__(self, browser: Any, html: str, place: Path) -> None:
        path = place / "page.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(offline=True)
        page = context.new_page()
        self.ran: list[str] = []
        self.asked: list[str] = []
        self.acting: list[str] = []
        page.on("dialog", lambda dialog: (self.ran.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))
        try:
            page.goto(path.as_uri(), wait_until="domcontentloaded")
            self.acting += page.evaluate(LOOK)
            page.evaluate(STIR)
            page.wait_for_timeout(100)
        except Exception as error:  # noqa: BLE001 - the browser has no other name for it
            self.acting.append(f"left for another page: {error}")
        self.asked = [url for url in self.asked if not url.startswith(("file:", "data:image"))]
        context.close()


def without_policy(html: str) -> str:
    return POLICY.sub("", html)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [True, False], ids=["with policy", "without policy"])
def test_nothing_of_a_hostile_run_acts_in_a_browser(
    chromium: Any, pages: list[Path], tmp_path: Path, policy: bool
) -> None:
    for path in pages:
        html = path.read_text(encoding="utf-8")
        seen = Opened(chromium, html if policy else without_policy(html), tmp_path)
        assert (seen.ran, seen.asked, seen.acting) == ([], [], []), path.name


@pytest.mark.slow
def test_the_browser_would_have_noticed(chromium: Any, tmp_path: Path) -> None:
    """The same payloads, written into a page as they are, do act."""
    plain = [text for text in PAYLOADS if text.startswith("<")][:12]
    seen = [Opened(chromium, f"<!doctype html><body>{text}</body>", tmp_path) for text in plain]
    assert sum(bool(page.ran) for page in seen) >= 6
    assert sum(bool(page.asked) for page in seen) >= 2
    assert sum(bool(page.acting) for page in seen) >= 8
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    bodies = [f"<!doctype html>{policy}<body>{text}</body>" for text in plain]
    held = [Opened(chromium, body, tmp_path) for body in bodies]
    assert not any(page.ran for page in held), "a policy holds what is written by mistake"


def test_every_payload_reaches_the_report(pages: list[Path]) -> None:
    """Otherwise nothing was tried; they stand there escaped."""
    from html import unescape

    assert len(PAYLOADS) >= 300
    report = unescape(re.sub(r"<[^>]*>", "", pages[0].read_text(encoding="utf-8")))
    squeezed = " ".join(report.split())
    missing = [text for text in PAYLOADS if " ".join(_shown(text).split()) not in squeezed]
    assert len(missing) <= len(PAYLOADS) // 20, missing[:10]
    for field in ("question", "option", "subject", "reply", "model", "note"):
        assert re.search(rf"{field}\S* <", squeezed), field
    assert POLICY.search(pages[0].read_text(encoding="utf-8"))


def _shown(text: str) -> str:
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
