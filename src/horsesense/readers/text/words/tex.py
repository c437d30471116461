"""LaTeX in plain signs of the same length: "\\frac{1}{2}" as "1/2" and spaces."""

from __future__ import annotations

import re

_GROUP = r"\{((?:[^{}\n]|\{[^{}\n]{0,40}\}){0,80})\}"
_SHOWN = re.compile(
    r"\\(?:text(?:bf|it|rm|tt|sf|normal)?|math(?:rm|bf|it|sf|tt|cal|bb)|operatorname|emph|mbox|ensuremath)"
    rf" ?{_GROUP}"
)
_FRACTION = re.compile(rf"\\[dtc]?frac ?(?:{_GROUP} ?{_GROUP}|(\d)(\d))")
_ROOT = re.compile(rf"\\sqrt ?(?:{_GROUP}|(\d))")
_SPACE = re.compile(
    r"\\(?:[,;:! ]|quad\b|qquad\b|left\b|right\b|displaystyle\b|big+[lr]?\b|\[|\]|\(|\))"
)
_SIGNS = {
    **{"times": "×", "cdot": "·", "pi": "π", "infty": "∞", "leq": "≤", "le": "≤", "geq": "≥"},
    **{"ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "pm": "±", "to": "→", "rightarrow": "→"},
    **{"Rightarrow": "→", "implies": "→", "in": "∈", "cup": "∪", "cap": "∩"},
    **{"circ": "°", "log": "log", "ln": "ln", "sin": "sin", "cos": "cos", "tan": "tan"},
    **{"Theta": "Θ", "theta": "θ", "alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ"},
    **{"mu": "μ", "omega": "ω", "Omega": "Ω", "Delta": "Δ", "delta": "δ", "sum": "Σ", "div": "÷"},
    **{"land": "∧", "lor": "∨", "neg": "¬", "cdots": "...", "ldots": "...", "dots": "..."},
}
_SIGN = re.compile(
    rf"\\({'|'.join(sorted(_SIGNS, key=len, reverse=True))})(?![a-z])", re.IGNORECASE
)
_LOWER = {name.lower(): sign for name, sign in _SIGNS.items()} | _SIGNS
_SIMPLE = re.compile(r"[-+]?\w+(?:\.\d+)?")
_NESTED = 4


def plain_tex(text: str) -> str:
    """A text of the same length without the commands of LaTeX that only show what stands there.

    >>> plain_tex(r"x = \\tfrac12 \\times \\text{ 3 K}")
    'x = 1/2     ×        3 K '
    """
    if "\\" not in text:
        return text
    text = _SHOWN.sub(lambda m: _fill(f" {m[1]}", m), text)
    for _ in range(_NESTED):
        changed = _FRACTION.sub(_fraction, text)
        changed = _ROOT.sub(lambda m: _fill(f"√({m[1] or m[2]})", m), changed)
        if changed == text:
            break
        text = changed
    text = _SIGN.sub(lambda m: _fill(_LOWER.get(m[1], ""), m), text)
    return _SPACE.sub(lambda m: " " * len(m[0]), text)


def _fraction(m: re.Match[str]) -> str:
    """A fraction in one line, with brackets around what is more than a word or a number."""
    above, below = (m[1], m[2]) if m[3] is None else (m[3], m[4])
    parts = [one if _SIMPLE.fullmatch(one.strip()) else f"({one})" for one in (above, below)]
    return _fill("/".join(parts), m)


def _fill(said: str, m: re.Match[str]) -> str:
    """What a command shows, and spaces up to its length; what would be longer stays as it is."""
    return said.ljust(len(m[0])) if len(said) <= len(m[0]) else m[0]
