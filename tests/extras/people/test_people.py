"""A test for people, from items to booklets, from what comes back to a run beside models."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest

import horsesense as hs
from browsing import browser
from command_line import annotate, call
from horsesense.cli.schemas import OUTPUTS
from horsesense.errors import UsageError
from horsesense.runs.settings import Settings
from horsesense.trials.trial import none_phrase
from horsesense_extras.build.booklets import Shown, booklet_page, build_test, speaks_of_none
from horsesense_extras.people.runs import HumanTest, Question, take
from horsesense_extras.people.spreadsheet import code_of
from payloads import PAYLOADS
from spreadsheets import rows_in, save
from studies import items_file, jsonl

N = 16


def stories(path: Path, n: int = N) -> Path:
    """Items of stories with four questions each."""
    items_file(path, n)
    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    told = [
        row | {"cluster": f"s{i // 4}", "context": f"Story {i // 4}."} for i, row in enumerate(rows)
    ]
    return jsonl(path, told)


def right(question: Question) -> str:
    """What somebody says who knows everything."""
    variant = question.trial.variant
    if variant.gold_at is None:  # in the words that the question offers, where it offers any
        return none_phrase(question.trial) or "none of these"
    return variant.labels[variant.gold_at]


def fill(
    test: HumanTest, number: int, path: Path, answer: Callable[[Question], str] = right,
    person: str = "",
) -> Path:  # fmt: skip
    """The file of a filled booklet."""
    rows = [
        (code_of(test.id, number), person, str(n), answer(question))
        for n, question in enumerate(test.booklets[number - 1], 1)
    ]
    return table(path, rows)


def table(path: Path, rows: Iterable[Iterable[str]], separator: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerows([("booklet", "person", "number", "answer"), *rows])
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A test of 16 items for 8 people."""
    items = stories(tmp_path / "stories.jsonl")
    done = call("build", "test", items, "--out", tmp_path / "test", "--people", "8",
                "--format", "html,csv", code=0)  # fmt: skip
    assert "every item is seen in every form by 2 people" in done.stdout
    return tmp_path / "test"


# -- who sees what -------------------------------------------------------------------------------


def built(tmp_path: Path, people: int | None = None, questions: int | None = None, **more: Any):
    items = stories(tmp_path / "stories.jsonl")
    values = {"probes": ("gold_absent",), "model": "people:us", "readers": ("text",)} | more
    return build_test(Settings.of(items=str(items), **values), people, questions)


def test_nobody_sees_an_item_twice_and_forms_and_orders_are_balanced(tmp_path: Path) -> None:
    test = built(tmp_path, 12).test
    seen: Counter[tuple[str, str]] = Counter()
    orders: dict[tuple[str, str], set[tuple[int, ...]]] = {}
    for person, booklet in enumerate(test.booklets):
        names = [q.trial.variant.item_id for q in booklet]
        assert len(names) == len(set(names)) == N
        forms = Counter(str(q.trial.condition) for q in booklet)
        assert set(forms.values()) == {N // 4}
        golds = Counter(q.trial.variant.gold_at for q in booklet
                        if q.trial.condition["prompt"] == "with_gold")  # fmt: skip
        if person < 4:  # later there is less to choose from: the other orders come first
            assert max(golds.values()) <= 2
        told = [speaks_of_none(q.trial) for q in booklet]
        assert told == sorted(told)
        of_story = {q.trial.variant.item_id: str(q.trial.condition) for q in booklet}
        for first in range(0, N, 4):  # the questions of a story stand in four forms
            assert len({of_story[f"q{i}"] for i in range(first, first + 4)}) == 4
        for q in booklet:
            key = q.trial.variant.item_id, str(q.trial.condition)
            seen[key] += 1
            orders.setdefault(key, set()).add(q.trial.variant.origin)
    assert len(seen) == 4 * N
    assert set(seen.values()) == {3}
    assert all(len(found) == 3 for found in orders.values())
    again = built(tmp_path, 12).test
    assert [[q.request for q in b] for b in again.booklets] == [
        [q.request for q in b] for b in test.booklets
    ]


# -- what comes back -----------------------------------------------------------------------------


def test_people_become_a_run_beside_models(folder: Path, tmp_path: Path) -> None:
    test = HumanTest.load(folder)

    def wrong_without_hint(q: Question) -> str:
        return "A" if q.trial.condition["prompt"] == "no_hint" else right(q)

    files = [fill(test, n, tmp_path / f"{n}.csv", right if n > 2 else wrong_without_hint)
             for n in range(1, 9)]  # fmt: skip
    take(folder, files[:1])
    assert len(hs.open(folder / "run").trials) == N
    done = call("annotate", folder, *(w for f in files[1:] for w in ("--take", str(f))), "--json")
    OUTPUTS["annotate-test"].model_validate_json(done.stdout, strict=True)
    told = done.json
    assert (told["booklets"], told["answers"], told["missing"]) == ([*range(1, 9)], 8 * N, {})
    run = hs.open(folder / "run")
    assert run.directory.known.kind == "people"
    value = {
        e.group: (e.value, e.n, e.interval)
        for e in run.results.all("accuracy_without_gold", "gold_absent")
    }
    assert value["hint_option"][:2] == (1.0, N)
    assert value["no_hint"][0] == pytest.approx(0.75)
    omni = run.estimate("omni_accuracy", "gold_absent")
    assert omni.value == pytest.approx((1 + (1 + 1 + 0.75) / 3) / 2)
    assert omni.interval == "Clopper-Pearson (4 items x 8 people)"
    assert omni.low < omni.value < omni.high
    by_person = {row["condition"]: row for row in run.findings["people"]["by_person"]}
    shares = [by_person[c] for c in sorted(by_person) if "prompt=no_hint" in c]
    assert [(r["people"], r["mean"], r["least"], r["most"]) for r in shares] == [(8, 0.75, 0, 1)]
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "What did people answer?" in page
    assert "Right answers of single people" in page
    assert "8 of 8 booklets came back" in page

    items = str(tmp_path / "stories.jsonl")
    call("audit", items, "-m", "sim:oracle", "--probes", "gold_absent", "--out",
                 tmp_path / "model", code=0)  # fmt: skip
    compared = call("compare", folder / "run", tmp_path / "model", "--json", code=0)
    found = compared.json
    (main, *_) = [d for d in found["differences"] if "without a hint" in d["view"]]
    assert abs(main["value"]) == pytest.approx(0.25)
    assert main["clusters"] == 4
    assert main["note"] or main["low"] < main["value"] < main["high"]
    with_gold = found["standings"][0]
    assert (with_gold["model"], with_gold["value"], with_gold["n"]) == ("people:people", 1.0, N)
    twice = call("compare", f"a={folder / 'run'}", f"b={folder / 'run'}")
    assert "both answered by people" in twice.stderr


def test_words_of_ones_own_are_read_and_go_to_reviewers(folder: Path, tmp_path: Path) -> None:
    test = HumanTest.load(folder)

    def said(q: Question) -> str:
        return "=1+1, maybe" if q.trial.condition["prompt"] == "no_hint" else right(q)

    call("annotate", folder, "--take", fill(test, 1, tmp_path / "1.csv", said))
    kept = (folder / "answers" / "booklet-01.csv").read_text(encoding="utf-8-sig")
    assert '"\'=1+1, maybe"' in kept
    run = folder / "run"
    store = hs.open(run).directory.store()
    with store:
        texts = [store.get([key])[key].text for key in hs.open(run).trials["key"].unique()]
    assert texts.count("=1+1, maybe") == N // 4
    out = call("annotate", run)
    assert "4 replies that no rule could judge" in out.stdout
    review = run / "review.csv"
    save([row | {"answer": "none_declared"} for row in rows_in(review)], review)
    annotate(run, "--take", str(review))
    # Another booklet makes the run anew; what was reviewed stays reviewed, files stay there.
    take(folder, [fill(test, 2, tmp_path / "2.csv")])
    assert len(rows_in(review)) == 4
    found = hs.open(run).measure()
    (e,) = [e for e in found.all("accuracy", "gold_absent") if e.condition["prompt"] == "no_hint"]
    assert (e.value, e.n) == (1.0, 2 * N // 4)


# -- what comes back damaged ---------------------------------------------------------------------


def taken(folder: Path, *files: Path) -> str:
    """What is wrong with files, or "" where they were taken."""
    try:
        take(folder, files)
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_semicolons_encodings_and_further_columns_are_no_fault(
    folder: Path, tmp_path: Path, encoding: str
) -> None:
    code = code_of(HumanTest.load(folder).id, 1)
    rows = ["booklet;notes;number;answer"]
    rows += [f"{code};é;{n};{' b) ' if n == 2 else 'a'}" for n in range(1, N)]
    path = tmp_path / "saved.csv"
    path.write_bytes("\r\n".join([*rows, ";;;"]).encode(encoding))
    found = take(folder, [path])
    assert found.notes == ["saved.csv: not used: the columns notes"]
    assert found.returned[0].missing == (N,)
    assert [*found.returned[0].answers.values()] == ["A", "B", *["A"] * (N - 3)]


def test_faults_say_what_where_and_what_is_allowed(folder: Path, tmp_path: Path) -> None:
    test = HumanTest.load(folder)
    mine, other = code_of(test.id, 1), code_of(test.id, 2)
    path = table(
        tmp_path / "damaged.csv",
        [
            (mine, "", "1", "F"),
            (mine, "", "99", "A"),
            (mine, "", "2", "A"),
            (mine, "", "2", "B"),
            (other, "", "3", "A"),
            (mine, "", "4", "x" * 3000),
            (mine, "", "one", "A"),
        ],
    )
    said = taken(folder, path)
    assert f"{path}: 6 faults" in said
    options = ", ".join(test.booklets[0][0].trial.variant.labels)
    assert f"line 2: question 1: 'F' was not offered; allowed: {options}, or an answer" in said
    assert f"line 3: booklet {mine} has no question '99'; allowed: 1 to {N}" in said
    assert "line 5: question 2 stands on line 4 too" in said
    assert f"line 6: booklet '{other}' in a file of booklet {mine}" in said
    assert "line 7: question 4: an answer of more than 2,000 characters" in said
    assert "line 8" in said
    assert not (folder / "run").exists()
    assert not (folder / "answers").exists()


# -- the page ------------------------------------------------------------------------------------


def hostile(tmp_path: Path) -> Path:
    rows = [
        {"id": str(i), "question": text, "options": [text, "b", "c", "=2+3"], "answer_index": 1,
         "context": text}
        for i, text in enumerate(PAYLOADS[::12])
    ]  # fmt: skip
    path = jsonl(tmp_path / "hostile.jsonl", rows)
    out = tmp_path / "hostile"
    call("build", "test", path, "--out", out, "--probes", "original", "--people",
                "1", "--format", "html,csv", code=0)  # fmt: skip
    return out


def test_a_booklet_shows_no_answer_and_loads_nothing(folder: Path) -> None:
    page = (folder / "booklets" / "booklet-01.html").read_text(encoding="utf-8")
    assert page == booklet_page_of(folder)
    for word in ("http:", "https:", "src=", "gold", "@import", "url("):
        assert word not in page
    assert "default-src 'none'; script-src 'sha256-" in page
    head = (folder / "booklets" / "booklet-01.csv").read_text(encoding="utf-8-sig").splitlines()[0]
    told = Shown(1, "Choose one. Reply with the letter, and nothing else.", "", "", (), "").told
    assert told == "Choose one."  # the page has buttons
    assert "gold" not in head
    assert "item" not in head


def booklet_page_of(folder: Path) -> str:
    from horsesense_extras.build.booklets import shown

    items = str(folder.parent / "stories.jsonl")
    found = build_test(
        Settings.of(items=items, model="people:people", probes=("gold_absent",), readers=("text",)),
        8,
        None,
    )
    return booklet_page(code_of(found.test.id, 1), shown(found, 1, found.test.items))


@pytest.mark.slow
def test_answers_are_given_by_keyboard_saved_and_taken(folder: Path, tmp_path: Path) -> None:
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 360, "height": 640})
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.goto((folder / "booklets" / "booklet-03.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.focus("#person")
        page.keyboard.type("=anna")
        page.keyboard.press("Tab")
        page.keyboard.press("b")
        assert page.locator("#q1 input[value=B]").is_checked()
        page.keyboard.press("ArrowUp")
        assert page.locator("#q1 input[value=A]").is_checked()
        page.focus("#w2")
        page.keyboard.type("-5, I think")
        page.reload()  # what was answered is still there
        assert "2 of 16 answered; open: 3, 4" in page.inner_text("#state")
        with page.expect_download() as coming:
            page.focus("#save")
            page.keyboard.press("Enter")
        saved = tmp_path / coming.value.suggested_filename
        coming.value.save_as(saved)
        assert page.input_value("#copy").strip() == saved.read_text("utf-8-sig").strip()
        assert faults == []
    text = saved.read_text(encoding="utf-8-sig")
    assert '"\'=anna"' in text
    assert '"\'-5, I think"' in text
    assert taken(folder, saved) == ""
    kept = list(csv.reader((folder / "answers" / "booklet-03.csv").open(encoding="utf-8-sig")))
    assert [row[2:] for row in kept[1:]] == [["1", "A"], ["2", "'-5, I think"]]


def test_hostile_items_are_no_formulas_of_a_spreadsheet(tmp_path: Path) -> None:
    out = hostile(tmp_path)
    rows = list(csv.reader((out / "booklets" / "booklet-01.csv").open(encoding="utf-8-sig")))
    assert not [c for row in rows for c in row if c.lstrip().startswith(("=", "+", "-", "@"))]


@pytest.mark.slow
def test_hostile_items_do_not_run_in_the_page(tmp_path: Path) -> None:
    out = hostile(tmp_path)
    with browser() as chromium:
        page = chromium.new_page()
        asked: list[str] = []
        page.on("dialog", lambda dialog: asked.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        address = (out / "booklets" / "booklet-01.html").as_uri()
        page.goto(address)
        page.wait_for_timeout(200)
        assert asked == [address]
        assert page.locator("fieldset").count() == len(PAYLOADS[::12])
