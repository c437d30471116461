"""Look at the Text's own recorded answers, replayed: what the paper reports without a model."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import pytest

from cells import cell_of
from horsesense.measures.registry import MEASURES
from horsesense.models.messages import Response
from horsesense.probes.base import LETTERS
from horsesense.readers.logprobs.first_token import FirstTokenReader
from horsesense.report import verdict_of, write_report
from horsesense.runs.settings import Settings
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from studies import run_study

pytestmark = pytest.mark.shared

# Mismatches of first token and label over 800 rows, and Table 9 (Wang et al. 2024), where the
# first of several letters was counted.
FILES = {
    "mistral-7b-instruct-v0.2_original": (
        99, {"A": 223, "B": 131, "C": 248, "D": 141, "X": 20, "NaN": 37}),
    "mistral-7b-instruct-v0.2_extra": (
        82, {"A": 156, "B": 96, "C": 134, "D": 78, "E": 87, "F": 118, "G": 106, "NaN": 25}),
    "llama2-7b_original": (
        414, {"A": 168, "B": 163, "C": 183, "D": 171, "Y": 99, "NaN": 16}),
    "llama2-7b_extra": (
        431, {"A": 126, "B": 152, "C": 151, "D": 122, "E": 102, "F": 73, "G": 58, "NaN": 16}),
}  # fmt: skip


def rows_of(shared, name):
    path = shared / "data" / "mcq_robustness_annotated" / f"{name}_options.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


@pytest.mark.parametrize("name", FILES)
def test_first_token_against_people(shared, name):
    mismatches, counts = FILES[name]
    rows = rows_of(shared, name)
    assert Counter("NaN" if row["label"] is None else row["label"][0] for row in rows) == counts
    reader, chosen, labelled, ties = FirstTokenReader(), [], [], 0
    for row in rows:
        labels = LETTERS[: len(row["options"])]
        shown = Variant(row["id"], "", tuple(row["options"]), labels, tuple(range(len(labels))), 0)
        reply = Response(row["response"], token_logprobs=(row["first_token_letter_scores"],))
        [found] = reader.read(Trial("original", PLAIN, 0, (shown,)), reply)
        position = labels.index(row["first_token_choice"])
        # Two labels with the very same score: the released choice is the first, ours is none.
        assert found.positions == (position,) or found.status == "ambiguous"
        ties += found.status == "ambiguous"
        chosen.append([position])
        one = row["label"] in labels if row["label"] else False
        labelled.append([labels.index(row["label"]) if one else None])
    assert ties <= 3
    gold = [0] * len(rows)
    cells = [cell_of(said, gold, k=len(labels)) for said in (chosen, labelled)]
    found = MEASURES.get("mismatch_rate").rows(cells[0].against(cells[1]))
    assert (found.rows[:, 0].sum(), found.n) == (mismatches, 800)


@pytest.mark.thorough
def test_the_scores_of_both_and_why_pride_is_missing(shared, tmp_path):
    """Llama-2: the first token has the bias, the text has not (as in the paper's Figure 2)."""
    items, answers = tmp_path / "items.jsonl", tmp_path / "answers.jsonl"
    rows = rows_of(shared, "llama2-7b_original")
    with items.open("w") as one, answers.open("w") as two:
        for row in rows:
            shown = {name: row[name] for name in ("id", "question", "options")}
            one.write(json.dumps({**shown, "answer_index": row["gold_index"]}) + "\n")
            scores = row["first_token_letter_scores"]
            said = {"id": row["id"], "response": row["response"], "letter_scores": scores}
            two.write(json.dumps(said) + "\n")
    settings = Settings.of(
        items=str(items),
        model=f"replay:{answers}",
        probes=(),
        readers=("first_token", "text", "pride"),
    )
    result = run_study(settings, tmp_path / "run")
    first, text = (result.estimate("rstd", reader=name) for name in ("first_token", "text"))
    assert first.value == pytest.approx(21.8, abs=0.1)
    assert text.high < first.low
    assert result.estimate("accuracy", reader="first_token").value == pytest.approx(275 / 800)
    assert result.estimate("score_gain", reader="text").low > 0
    why = result.findings["fits"]["pride"]["undefined_reason"]
    assert "one order per question" in why
    write_report(result.results, max_items=5)
    assert why in verdict_of(result.results)
    assert "cannot be told from the answer" in (tmp_path / "run" / "report.html").read_text()
