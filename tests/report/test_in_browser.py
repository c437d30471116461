"""Pages in a real browser: filters work without a script, nothing is cut, everything has a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from horsesense.report import write_report
from horsesense.runs.settings import Settings
from studies import jsonl, run_study

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS = (1400, 768, 420)
SCHEMES = ("light", "dark")

OVERFLOWING = """() => {
  const wide = document.documentElement.clientWidth + 1
  const scrolls = e => e.closest('.scroll, pre, .vh')
  return [...document.querySelectorAll('body *')].filter(e => {
    if (scrolls(e) || !e.checkVisibility() || e.parentElement.closest('svg')) return false
    const box = e.getBoundingClientRect()
    return box.width > 0 && (box.right > wide || box.left < -1)
  }).map(e => e.outerHTML.slice(0, 120))
}"""
"""Elements that reach beyond the window, but for those in a part that scrolls by itself."""

NAMELESS = """() => {
  const name = e => (e.getAttribute('aria-label') || e.textContent || '').trim()
  const labelled = e => document.querySelector(`label[for="${e.id}"]`) || e.closest('label')
  return [
    ...[...document.querySelectorAll('svg:not([aria-hidden])')].filter(e => !name(e)),
    ...[...document.querySelectorAll('[role=img]')].filter(e => !e.getAttribute('aria-label')),
    ...[...document.querySelectorAll('input')].filter(e => !labelled(e) || !name(labelled(e))),
    ...[...document.querySelectorAll('a, summary, th[scope=col], h1, h2, h3')].filter(e => !name(e)
        && !e.querySelector('[aria-label]')),
    ...[...document.querySelectorAll('fieldset')].filter(e => !e.querySelector('legend')),
  ].map(e => e.outerHTML.slice(0, 160))
}"""
"""Figures and controls without an accessible name."""

FAINT = """() => {
  const parse = c => (c.match(/[0-9.]+/g) || []).map(Number)
  const light = ([r, g, b]) => {
    const f = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4
    return .2126 * f(r) + .7152 * f(g) + .0722 * f(b)
  }
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor)
      if (c.length === 3 || c[3] > .99) return c
    }
    return [255, 255, 255]
  }
  const found = new Map()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node; node = walker.nextNode();) {
    const e = node.parentElement
    if (!node.data.trim() || !e.checkVisibility() || e.closest('style, .vh')) continue
    const style = getComputedStyle(e)
    const ink = light(parse(e.closest('svg') ? style.fill : style.color))
    const paper = light(behind(e))
    const ratio = (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05)
    if (ratio < 4.5) found.set(`${e.tagName}.${e.className.baseVal ?? e.className}`,
      `${ratio.toFixed(2)} ${node.data.slice(0, 40)}`)
  }
  return [...found].map(pair => pair.join(': '))
}"""
"""Texts whose contrast with what is behind them is below 4.5."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Reports of two suites and of a run with --until; long texts and several subjects."""
    folder = tmp_path_factory.mktemp("items")
    rows = [
        {
            "id": f"q{i}",
            "question": f"Which of these is number {i}?" + " A long question." * (i % 7 * 8),
            "options": [f"answer {i}.{j}" + "unbroken" * (12 * (i == 3)) for j in range(4)],
            "answer_index": i % 4,
            "subject": f"subject {i % 3}",
        }
        for i in range(40)
    ]
    items = jsonl(folder / "made_up.jsonl", rows)
    models = {"basic": "sim:talker", "revas": "sim:prior?know=0.4&prior=0.7,0.1,0.1,0.1"}
    found = []
    for suite, model in models.items():
        settings = Settings.of(items=str(items), model=model, suite=suite)
        found.append(write_report(run_study(settings, folder / suite).results))
    settings = Settings.of(items=str(items), model="sim:prior?know=0.6", until="decided")
    return [*found, write_report(run_study(settings, folder / "until").results)]


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    opened = chromium.new_page()
    yield opened
    opened.close()


def shown(page: Page) -> int:
    count: Any = page.eval_on_selector_all(
        ".item", "items => items.filter(e => e.checkVisibility()).length"
    )
    return int(count)


def test_filters_leave_what_they_say(page: Page, reports: list[Path]) -> None:
    for path in reports:
        page.goto(path.as_uri())
        assert page.locator("script").count() == 0
        radios = page.locator("input[name=reason]")
        assert radios.count() > 2
        for place in range(radios.count()):
            radio = radios.nth(place)
            radio.check()
            told = radio.locator("xpath=..").locator("span").inner_text()
            assert shown(page) == int(told)
        page.locator("#reason-all").check()
        page.locator(".subjects > summary").click()
        page.locator("input[name=subject]").nth(1).check()
        assert 0 < shown(page) < page.locator(".item").count()


def test_two_clicks_from_a_finding_to_prompt_and_reply(page: Page, reports: list[Path]) -> None:
    page.goto(reports[0].as_uri())
    page.locator(".findings .found label").first.click()
    assert not page.locator("#reason-all").is_checked()
    assert shown(page) > 0
    page.locator(".item > summary >> visible=true").first.click()
    evidence = page.locator("details.form[open] .evidence >> visible=true").first
    assert "Reply" in evidence.inner_text()


def test_sorting_puts_the_most_changed_first(page: Page, reports: list[Path]) -> None:
    page.goto(reports[1].as_uri())
    page.locator("#sort-changed").check()
    tops = page.eval_on_selector_all(
        ".shelf:first-of-type .item",
        "items => items.map(e => [e.getBoundingClientRect().top,"
        " Number(e.style.getPropertyValue('--changed'))])",
    )
    in_order = [changed for _, changed in sorted(tops)]
    assert in_order == sorted(in_order)


def test_every_link_has_its_target(page: Page, reports: list[Path]) -> None:
    for path in reports:
        page.goto(path.as_uri())
        lost = page.evaluate(
            "() => [...document.querySelectorAll('a, label[for]')].map(e => e.getAttribute('for')"
            " || e.getAttribute('href').slice(1)).filter(id => !document.getElementById(id))"
        )
        assert lost == []


def test_no_name_of_a_part_runs_on_below_its_square(page: Page, reports: list[Path]) -> None:
    """ "Right in original, not in / all": at 400 pixels the last word stood there."""
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(reports[0].as_uri())
    lines = page.evaluate(
        "() => [...document.querySelectorAll('.key .swatch')].map(e => {"
        " const text = document.createRange(); text.setStartAfter(e);"
        " text.setEndAfter(e.parentElement.lastChild);"
        " const end = e.getBoundingClientRect().right;"
        " return [...text.getClientRects()].map(r => r.left - end) })"
    )
    assert max(map(len, lines)) > 1, "no name has two lines"
    assert min(left for name in lines for left in name) > 0


def test_a_page_is_short_and_what_is_folded_opens_by_key_and_in_print(
    page: Page, reports: list[Path]
) -> None:
    """A suite took 13,300 pixels, and a basic audit 10,000. Fonts of a machine move them by 5 %."""
    page.set_viewport_size({"width": 1200, "height": 900})
    for path, most in zip(reports, (5_500, 9_000, 8_000), strict=True):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollHeight") <= most
        shut = page.locator("details.fold:not([open])").first
        fold = page.locator(f"[id='{shut.get_attribute('id')}']")
        seen = "e => e.lastElementChild.checkVisibility({contentVisibilityAuto: true})"
        assert not fold.evaluate(seen)
        page.emulate_media(media="print")
        assert fold.evaluate(seen)
        page.emulate_media(media="screen")
        fold.locator("summary").first.press("Enter")
        assert fold.evaluate(seen)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_faint_or_nameless(
    page: Page, reports: list[Path], width: int, scheme: Any
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    for path in reports:
        page.goto(path.as_uri())
        page.locator(".item > summary").first.click()
        assert page.evaluate(OVERFLOWING) == []
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate(FAINT) == []
