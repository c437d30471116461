"""EquInfer from LaTeX: what is found, why the rest is dropped, and what the items are."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import call
from each import each
from horsesense.items.item import Item, ItemSet
from horsesense.items.load import load_items
from horsesense.probes.base import Setting
from horsesense.probes.context_length import GAP
from horsesense.probes.registry import parse_probe
from horsesense.prompts import Prompter
from horsesense.rng import Dice
from horsesense.testing.faults import FaultServer
from horsesense_extras.build.equinfer import construct, equations, sources
from horsesense_extras.build.equinfer.build import CONTROL, EMPTY, PROSE, RIGHT, completed, refused
from horsesense_extras.build.equinfer.edits import wrong_options
from horsesense_extras.build.equinfer.notation import canonical, cleaned, spaced, tokens
from horsesense_extras.people.spreadsheet import read_table, write_table

pytest.importorskip("pylatexenc", reason="needs pylatexenc (extra latex)")

WORDS = " ".join(f"The {n}th sentence says a little of what the model does." for n in range(12))
RIGHT_SIDES = [
    r"\frac{a_i + b}{c^2} \log p(x_i \mid \theta)",
    r"\sum_{i=1}^{N} w_i x_i - \lambda y",
    r"\max_k \left( u_k^\top v + b \right)",
    r"1 - \frac{f_m}{N+1}",
]


def document(*displays: str, preamble: str = "") -> str:
    parts = [f"{WORDS} {n} times.\n\n{display}\n\n" for n, display in enumerate(displays)]
    whole = "".join(parts) + WORDS
    return (
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{whole}\n\\end{{document}}\n"
    )


def equation(left: str, right: str) -> str:
    return (
        f"\\begin{{equation}}\\label{{eq:{left}}}\n  {left} = {right}, % noted\n\\end{{equation}}"
    )


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Three papers: one of four equations, one that another file holds, one without any."""
    root = tmp_path / "papers"
    for name in ("first", "second", "third"):
        (root / name).mkdir(parents=True)
    sides = zip("yzuv", RIGHT_SIDES, strict=True)
    (root / "first" / "main.tex").write_text(document(*(equation(*pair) for pair in sides)))
    aliases = r"\newcommand{\be}{\begin{equation}}\def\ee{\end{equation}}\let\eps\epsilon"
    (root / "second" / "paper.tex").write_text(document(r"\input{sec/method}", preamble=aliases))
    (root / "second" / "sec").mkdir()
    (root / "second" / "sec" / "method.tex").write_text(r"\be q = \eps r + \alpha_j s \ee")
    (root / "third" / "main.tex").write_text(document("No equation."))
    return root


def reasons(text: str) -> list[str | None]:
    return [fate.reason for fate in equations.find(text, "p", "main.tex")]


def gathered(path: Path) -> dict[str, Any]:
    return construct.gather([path]).as_json()


# Sources


def test_inputs_are_merged_and_nothing_outside_the_paper_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("SECRET")
    paper = tmp_path / "paper"
    paper.mkdir()
    asked = r"\input{a} \input b \include{none} \input{../secret} \import{./}{a} \input{main}"
    (paper / "main.tex").write_text(document(asked))
    (paper / "a.tex").write_text("A-TEXT % gone\n")
    (paper / "b.tex").write_text(r"B-TEXT \input{/etc/passwd}")
    (paper / "linked.tex").symlink_to(tmp_path / "secret.tex")
    [found] = sources.read_papers([paper])
    assert found.refused == {"linked.tex": sources.LINK}
    assert sources.roots(sources.stripped(found)) == ["main.tex"]
    merged = sources.flatten(sources.stripped(found), "main.tex")
    assert merged.text.count("A-TEXT") == 2
    assert "B-TEXT" in merged.text
    assert "SECRET" not in merged.text
    assert "gone" not in merged.text
    assert merged.not_found == {
        sources.MISSING: ["none"],
        sources.OUTSIDE: ["/etc/passwd", "../secret"],
        sources.CIRCLE: ["main"],
    }


def test_archives_and_single_files_are_papers_too(tmp_path: Path) -> None:
    content = document(equation("y", RIGHT_SIDES[0])).encode()
    with tarfile.open(tmp_path / "one.tar.gz", "w:gz") as archive:
        for name in ("main.tex", "../../evil.tex"):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link.tex")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as packed:
        packed.writestr("tex/main.tex", content)
    (tmp_path / "2402.01349.gz").write_bytes(gzip.compress(content))
    (tmp_path / "broken.tar.gz").write_bytes(gzip.compress(content)[:60])
    found = {paper.name: paper for paper in sources.read_papers([tmp_path])}
    assert list(found["one"].files) == ["main.tex", "evil.tex"]
    assert found["one"].refused == {"link.tex": sources.LINK}
    assert list(found["two"].files) == ["tex/main.tex"]
    assert list(found["2402.01349"].files) == ["2402.01349.tex"]
    assert not found["broken"].files
    assert not (tmp_path.parent / "evil.tex").exists()


# Macros


@each(
    ("text", "becomes"),
    [
        (r"\newcommand{\vx}{\mathbf{x}}\vx+\vx y", r"\mathbf{x}+\mathbf{x} y"),
        (r"\newcommand\n[2][k]{#1/#2}\n{a}\n[b]c", "k/ab/c"),
        (r"\def\f#1#2{(#1|#2)}\f ab\f{\f cd}e", "(a|b)((c|d)|e)"),
        (r"\DeclareMathOperator*{\am}{arg\,max}\am_x", r"\operatorname*{arg\,max}_x"),
        (r"\let\to\rightarrow\renewcommand{\a}{1}\renewcommand{\a}{2}\to\a", r"\rightarrow2"),
        (r"\newcommand{\model}{GPT\xspace}\model is", "GPT is"),
        (r"\def\a{\a x}\a", r"\a x"),  # not within itself
        (r"\newcommand{\a}{\ifx b\fi}\a", r"\a"),  # not simple
        (r"\newcommand{\frac}{no}\frac{a}{b}", r"\frac{a}{b}"),
        (r"\newcommand{\a}", r"\newcommand{\a}"),
        (r"\newcommand{\a}{x}\a*y", "x*y"),
    ],
)
def test_simple_macros_are_expanded(text: str, becomes: str) -> None:
    assert equations.expand(text) == becomes


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"\\def\\{a}{{\\{b}\\{b}}}" for a, b in zip("abcdefghijklmnopqrstuvwxy",
                                                          "bcdefghijklmnopqrstuvwxyz", strict=True))
        + r"\def\z{zzzzzzzz}\a",
        r"\def\d#1{#1#1}" + r"\d{" * 60 + "x" + "}" * 60,
    ],
)  # fmt: skip
def test_endless_macros_are_given_up(text: str) -> None:
    with pytest.raises(equations.EndlessError):
        equations.expand(text)


# Equations


@each(
    ("text", "reason"),
    [
        (r"\[ y = a x + b \]", None),
        (r"$$ y = a x + b $$", None),
        (r"\begin{align*} y &= a x + b, \nonumber \end{align*}", None),
        (r"\begin{IEEEeqnarray}{rCl} y & = & a x + b \end{IEEEeqnarray}", None),
        (r"\begin{align} y &= a x \\ z &= b \end{align}", equations.ROWS),
        (r"\[ y = \begin{cases} 1 \\ 0 \end{cases} \]", equations.NESTED),
        (r"\[ y = \myown{x} + b \]", equations.OWN),
        (r"\[ y < a x + b \]", equations.NO_EQUALS),
        (r"\begin{equation} y = a x + b \end {equation}", None),
        (r"\[ y = a x + b \tag{\ref{eq:{a}}} \]", None),
        (r"\begin{empheq}[box=\fbox]{align} y = a x + b \end{empheq}", equations.NOT_READ),
        (r"$a$ costs \$5, so $c$ \[ y = a x + b \]", None),
        (r"\[ f(x = 1) < 3 \]", equations.NO_EQUALS),
        (r"\[ y = x \]", equations.SHORT),
        (r"\[ y = " + "a + " * 200 + r" b \]", equations.LONG),
        (r"\[ y = \frac{a}{b \]", equations.NOT_CLOSED),
        (r"\begin{equation} y = x + 1", equations.NOT_CLOSED),
        (r"\[ y = " + "{" * 500 + "x" + "}" * 500 + r"\]", equations.NOT_CLOSED),
    ],
)
def test_every_equation_is_found_with_its_reason(text: str, reason: str | None) -> None:
    assert reasons(f"Before. {text} after.") == [reason]


def test_what_is_switched_off_goes() -> None:
    text = r"a \iffalse b \iff c \fi d \ifx e \else f \fi \iffalsey g \iffalse h"
    assert sources.without_comments(text) == r"a  d \ifx e \else f \fi \iffalsey g \iffalse h"


SAME = [
    (r"\cos(-x)+c", r"\cos(x)+c"),
    (r"\cos^{2}\left(-a b\right)", r"\cos^2(b a)"),
    ("1^{n}a", "a"),
    ("|-x|+y", "|x|+y"),
    ("(-x)^{10}", "(x)^{10}"),
    (r"a+b", r"b+a."),
    (r"\mathbf{W}x", r"x\bm W"),
    (r"\left(a\right) \cdot b", r"b(a)"),
    (r"\sum_{i=1}^N x_i", r"\sum\limits_{j = 1}^{N} x_j"),
    (r"(a-b)^2", r"(b-a)^2"),
    (r"\cos(w_i, w_j)", r"\cos(w_j,w_i)"),
    (r"\dfrac{a}{b}", r"\frac{a}{b}"),
    (r"x^{2}", "x^2"),
    (r"\mathbb{1}[b = a]", r"\mathbb 1[a=b]"),
    (r"x \equiv y = z", "z = x = y"),
    ("a<b", "b>a"),
    (r"\mathbb{I}(a \le b < c)", r"\mathbb{I}[c > b \ge a]"),
    (r"\max\{a, b\}", r"\max(b,a)"),
    (r"\mathrm{d}(a,b)", r"\mathrm d(b,a)"),
    ("-(a-b)", "b-a"),
    ("c-(a-(b-[d+e]))", "b-a-d-e+c"),
]
OTHER = [
    (r"\sin(-x)", r"\sin(x)"), (r"\cos(-x+y)", r"\cos(x+y)"), ("{-x}^3", "x^3"), ("1", "0"),
    ("a^{-x}", "a^x"), ("1-a", "a"), (r"\mathbf{1}^n a", "a"), ("{-x}+y", "x+y"), ("1/n", "n"),
    (r"a-b", "b-a"), (r"\frac{a}{b}", r"\frac{b}{a}"), ("x_i", "x_j"), ("x^2", "x^3"),
    (r"\sum_i x_i", r"\sum_i x_j"), (r"\exp(-x)", r"\exp(x)"), ("a+b", "a"), ("a<b", "b<a"),
    ("p(x|y)", "p(|x|y)"), ("|a|-b", "|b|-a"), (r"\log\frac{p}{q}", r"\log\frac{q}{p}"),
    ("-|a|", "|a|"), (r"\sum_{i<j} a_i", r"\sum_{j<i} a_i"), ("(-y)^3", "(y)^3"),
    (r"u^\top v", "u v"), ("a/b", "b/a"), ("c-(a-b)", "c-a-b"), ("f(a-b)c", "f(a)-bc"),
    (r"a \le b", r"b \le a"), ("x_{(a+b)}-c", "x_a+b-c"), (r"\log a/b", r"\log b/a"),
    (r"a \in b", r"b \in a"), (r"\int f(x) g(y) dx", r"\int f(x) g(y) dy"),
    ("(a-b)c", "a-bc"),
]  # fmt: skip


@each(("one", "other"), SAME)
def test_equations_that_say_the_same_are_one(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@each(("one", "other"), OTHER)
def test_equations_that_differ_are_two(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.thorough
@given(st.text(alphabet="ab\\{}[]()$_^=+-&%#,.| \nfrc", max_size=60))
def test_no_text_breaks_a_stage(text: str) -> None:
    canonical(text)
    assert cleaned(cleaned(text)) == cleaned(text)
    spaced(text)
    completed(text, "y")
    wrong_options(text, Dice(0, "x", "edits"))
    assert "".join(tokens(text)) == text
    list(equations.find(equations.expand(f"\\[ {text} \\]"), "p", "d"))


# Wrong options


@each("right", RIGHT_SIDES)
def test_edits_make_a_square_of_four_different_equations(right: str) -> None:
    squares = [wrong_options(right, Dice(seed, "q", "edits")) for seed in range(20)]
    assert squares == [wrong_options(right, Dice(seed, "q", "edits")) for seed in range(20)]
    assert len({tuple(made[0]) for made in squares if made}) > 5
    for made in squares:
        assert len({canonical(option) for option in (right, *made[0])}) == 4
        assert all(equations.unfit(option) is None for option in made[0])


@each("right", [r"\cos(-x)+c", r"|-x|+y", r"\|-x\|^2 - b", r"1^{n}a + b"])
def test_no_edit_says_the_same(right: str) -> None:
    same_value = {spaced(text) for text in (r"\cos(x)+c", r"|x|+y", r"\|x\|^2 - b", "1a + b")}
    made = [wrong_options(right, Dice(seed, "q", "edits")) for seed in range(25)]
    assert any(made)
    assert not same_value & {option for found in made if found for option in found[0]}


@each(
    ("reply", "right"),
    [
        ("a x + b", "a x + b"),
        ("$y = a x + b$.", "a x + b"),
        ("The right side is:\n```latex\na x + b\n```\nbecause ...", "a x + b"),
        ("Right side: \\frac{a}{b}\nThis follows from ...", r"\frac{a}{b}"),
        ("**Answer:** x+y", "x+y"),
        ("The answer is y = a x", "a x"),
        ("\\begin{equation} y := c \\end{equation}", "c"),
        ("", ""),
    ],
)
def test_what_a_generator_writes_is_unwrapped(reply: str, right: str) -> None:
    assert completed(reply, "y") == right


@each(
    ("right", "reason"),
    [
        ("", EMPTY),
        ("The paper most likely has it", PROSE),
        *((said, PROSE) for said in ("I do not know", "Yes", "No flaws", "see above", "** x+y")),
        ("a x + b where a is slope", PROSE),
        (r"a \\\\ b", equations.ROWS),
        ("\x00\x1b[31m x", CONTROL),
        (r"\exp xy + a b \log z", None),
        (r"\frac{a}{b", equations.UNBALANCED),
        (r"\left( x + y", equations.UNBALANCED),
        (r"\text{I do not know}", PROSE),
        (r"\mine{x}", equations.OWN),
        ("(" * 40 + "x" + ")" * 40, equations.NESTED),
        (r"\text{if all is well then} x + \mathrm{softmax}(y)", None),
    ],
)
def test_what_is_no_right_side_is_refused(right: str, reason: str | None) -> None:
    assert refused(right) == reason


# From sources to items


def test_items_are_made_without_a_model(papers: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    done = call("build", "equinfer", papers, "--out", out, "--json", code=0)
    found = done.json["funnel"]
    assert found["counts"] == {
        "papers": 3, "papers_kept": 2, "equations": 5, "usable": 5, "drawn": 4,
        "with_wrong_options": 4, "before_review": 4,
    }  # fmt: skip
    assert found["dropped"] == {"draw": {construct.NOT_DRAWN: 1}}
    items = load_items(out)
    assert {item.cluster for item in items} == {"first", "second"}
    for item in items:
        assert len({canonical(option) for option in item.options}) == 4
        assert (item.context or "").count(GAP) == 1
        assert item.options[item.gold] not in (item.context or "")
    second = items.by_id["second:1"]
    assert second.options[second.gold or 0] == r"q = \epsilon r + \alpha_js"
    every = (tmp_path / "set.jsonl.answers" / "equations.jsonl").read_text().splitlines()
    assert len(every) == 5
    assert all(line["kept"] == (line["reason"] is None) for line in map(json.loads, every))
    before = out.read_bytes()
    call("build", "equinfer", papers, "--out", out, code=0)
    assert out.read_bytes() == before
    short = tmp_path / "short.jsonl"
    call("build", "equinfer", papers, "--out", short, "--context-words", "0")
    bare = load_items(short)
    assert [i.options for i in bare] == [i.options for i in items]
    assert {i.context for i in bare} == {None}


def test_the_prompt_of_the_paper_shows_the_two_parts_of_the_context() -> None:
    item = Item("a", f"Which? {GAP}", ("x", "y"), 0, context=f"Before it. {GAP} After it.")
    items = ItemSet("equinfer", "choice", (item,))
    for spec, own in (("gold_absent", False), ("gold_absent(asking=own)", True)):
        probe = parse_probe(spec)
        texts = [
            Prompter("completion").request(trial).text or ""
            for trial in probe.trials(item, Setting(items))
        ]
        apart = [f"before {GAP}:\n\nBefore it.\n\n" in text for text in texts]
        assert apart == [not own] * len(texts)
        assert all(f"after {GAP}:\n\nAfter it.\n\n" in text for text in texts) != own


def replies(prompt: str) -> str:
    """A generator that writes the right side of y first, and a judge who finds minus signs."""
    if "Proposed equation: " in prompt:
        return "Yes" if "- 9" in prompt.rpartition("Proposed equation: ")[2] else "No"
    before = prompt.partition("suggested before:\n")[2].partition("\n\n")[0].splitlines()
    if "Left side: q" in prompt:
        return f"{len(before)} z - 9"
    if "Left side: y" in prompt and not before:
        return f"$$y = {RIGHT_SIDES[0]}$$"
    return ("9 a", "9 - 9", "k + 9", "m")[len(before)]


def test_a_set_without_items_says_what_to_do(tmp_path: Path) -> None:
    paper = tmp_path / "bare.tex"
    paper.write_text("Words, and no equation.")
    done = call("build", "equinfer", paper, "--out", tmp_path / "set.jsonl", code=2)
    assert "No item is left" in done.stderr
    assert "equations.jsonl" in done.stderr


def test_a_model_writes_wrong_options_and_a_judge_looks(papers: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    with FaultServer(answer=replies) as server:
        spec = f"http:m@{server.url}"
        words = ["build", "equinfer", str(papers), "--out", str(out), "--per-paper", "9"]
        words += ["--model", spec, "--judge", spec, "--json"]
        cut = call(*words, "--budget", "requests=6").json
        assert cut["stopped"] == "budget"
        done = call(*words, code=0)
        found = done.json["funnel"]
        sent = {prompt: n for prompt, n in server.sent.items() if GAP in prompt}
        again = call(*words).json
        assert {prompt: n for prompt, n in server.sent.items() if GAP in prompt} == sent
    assert (again["answered"], again["funnel"]) == (0, found)
    assert found["suggestions_refused"][RIGHT] >= 1
    assert (
        found["counts"]["before_review"]
        + sum(sum(kinds.values()) for kinds in found["dropped"].values())
        == found["counts"]["equations"]
    )
    assert found["dropped"]["judge"] == {"the judge found a flaw in every wrong option": 1}
    items = load_items(out)
    assert "second:1" not in items.by_id
    shown = next(p for p in sent if "Left side: z" in p and "suggested before" not in p)
    assert RIGHT_SIDES[1] not in shown
    assert shown.count(GAP) == 2  # in the task and in the excerpt


def test_people_review_and_the_rest_stays(papers: Path, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    call("build", "equinfer", papers, "--out", out)
    written = Path(call("annotate", out, "--json").json["file"])
    rows = [row for _, row in read_table(written, ["answer"], "")]
    assert len(rows) == 12
    for number, row in enumerate(rows):
        row["answer"] = "" if number == 11 else "right" if number == 0 else "wrong"
    filled = tmp_path / "filled.csv"

    def annotated() -> subprocess.CompletedProcess[str]:
        write_table(filled, list(rows[0]), [list(row.values()) for row in rows])
        return call("annotate", out, "--take", filled, "--json")

    assert json.loads(annotated().stdout)["items"] == 2
    funnel = json.loads((tmp_path / "set.jsonl.answers" / "funnel.json").read_text())
    assert funnel["dropped"]["review"] == {"a wrong option is right too": 1, "not reviewed": 1}
    kept = load_items(tmp_path / "set.reviewed.jsonl")
    assert [i.id for i in kept] == [i.id for i in load_items(out)][1:3]
    rows[0]["answer"] = "perhaps"
    assert "Allowed: wrong, right, unclear" in annotated().stderr


@pytest.mark.shared
def test_real_papers(shared: Path) -> None:
    folder = shared / "data" / "latex_papers"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    found = gathered(folder)
    assert found["counts"]["papers"] == 12
    assert found["counts"]["equations"] == 82
    assert found["counts"]["drawn"] >= 20
    assert not found["papers_dropped"]
