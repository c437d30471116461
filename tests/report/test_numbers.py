"""Numbers with the digits that they deserve, and texts with every sign to be seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.measures.base import Estimate
from horsesense.report.charts import side
from horsesense.report.text import ShownShare, interval_of, p_text, value_of, visible
from studies import estimate


@given(st.text())
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    if text.isprintable():
        assert visible(text) == text.replace("\r\n", "\n")


@each(
    ("reference", "comparisons", "expected"),
    [(0.5, 1, 0), (0.39, 1, 1), (0.61, 1, -1), (0.39, 20, 0), (0.3, 20, 1)],
)
def test_side_widens_for_the_strongest_of_several(
    reference: float, comparisons: int, expected: int
) -> None:
    assert side(estimate(0.5, 0.4, 0.6), reference, comparisons) == expected


@each(
    ("raw", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x00\x1b\x7f", "␀␛␡"),
        ("\x85\u2028", "⟨U+0085⟩⟨U+2028⟩"),
        ("\u202e\u2066\u200f", "⟨U+202E⟩⟨U+2066⟩⟨U+200F⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("naïve שלום 👩\u200d🔬", "naïve שלום 👩\u200d🔬"),
        ("a\r\nb\rc", "a\nb␍c"),
    ],
)
def test_visible(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@each(
    ("e", "value", "interval"),
    [
        (estimate(0.531, 0.51, 0.55), "53\u202f%", "[51, 55]"),
        (estimate(0.531, 0.526, 0.536), "53.1\u202f%", "[52.6, 53.6]"),
        (estimate(0.0, 0.0, 0.008), "0\u202f%", "[0.0, 0.8]"),
        (estimate(4.46, 3.8, 5.1, unit="points"), "4.5", "[3.8, 5.1]"),
        (estimate(-0.062, -0.078, -0.047, measure="accuracy_change"), "−6\u202fpts", "[−8, −5]"),
        (estimate(-0.001, -0.03, 0.02), "0\u202f%", "[−3, 2]"),
        (estimate(0.01, -0.03, 0.05, measure="accuracy_change"), "1\u202fpt", "[−3, 5]"),
        (estimate(-0.04, -0.09, 0.002, measure="accuracy_change"), "−4.0\u202fpts", "[−9.0, 0.2]"),
        (estimate(0.004, 0.002, 0.05, measure="accuracy_change"), "0.4\u202fpts", "[0.2, 5.0]"),
    ],
)
def test_numbers(e: Estimate, value: str, interval: str) -> None:
    assert (value_of(e), interval_of(e)) == (value, interval)


def test_p_values() -> None:
    assert [p_text(p) for p in (None, 1e-9, 0.0312, 1.0)] == ["", "< 0.0001", "0.031", "1"]


@each(
    ("share", "shown"),
    [
        (ShownShare(1.0, 0.995, 1.0), "100\u202f% [99.5, 100.0]"),
        (ShownShare(0.9998, 0.9996, 1.0), "99.98\u202f% [99.96, 100.00]"),
        (ShownShare(0.6, 0.44, 0.74), "60\u202f% [44, 74]"),
        (ShownShare(0.6, None, None), "60\u202f% "),
    ],
)
def test_an_interval_does_not_look_like_a_point(share: ShownShare, shown: str) -> None:
    assert f"{value_of(share)} {interval_of(share)}" == shown
