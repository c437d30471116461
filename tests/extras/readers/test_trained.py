"""Readers with a trained model: data, splits, scores, tiny trainings of every kind, their use."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from command_line import call
from horsesense.errors import UsageError
from horsesense.inference.limits import UNLIMITED
from horsesense.models.messages import Response
from horsesense.rng import Dice
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from horsesense_extras.readers.trained import TrainedReader
from horsesense_extras.readers.trained.saved import Manifest, load_scorer
from horsesense_extras.readers.training.examples import f1_scores, load_examples, split
from horsesense_extras.readers.training.learners import RECIPES, recipe_for
from horsesense_extras.readers.training.reader import Plan, Trained, train_reader
from studies import jsonl

WORDS = ["red", "blue", "green", "black", "white", "gold", "grey", "pink", "brown", "amber"]


def annotated(n: int = 24) -> list[dict[str, Any]]:
    """Replies that name an option, refuse, or say that none is right."""
    rows = []
    for i in range(n):
        options = Dice(0, str(i), "test").sample(WORDS, 4)
        label = "ABCDXY"[i % 6]
        said = {"X": "none of them", "Y": "i refuse"}
        reply = said.get(label) or f"it is {options['ABCD'.index(label)]}"
        rows.append(
            {
                "question": f"Which colour is thing {i // 2}?",
                "options": options,
                "response": reply,
                "label": label,
                "model": f"m{i % 2}",
            }
        )
    return rows


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ...]:
    return (jsonl(tmp_path / "answers.jsonl", annotated()),)


def test_what_cannot_be_used_is_counted(tmp_path: Path) -> None:
    rows = annotated(4)
    rows[0]["label"] = None
    rows[1]["label"] = "AB"
    rows[2]["response"] = "  "
    pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet")
    for file in (jsonl(tmp_path / "a.jsonl", rows), tmp_path / "a.parquet"):
        found = load_examples([file])
    assert len(found.rows) == 1
    assert found.dropped == {"no label": 1, "several labels": 1, "empty response": 1}


@pytest.mark.parametrize("leave_out", [None, "m0", "m1"])
def test_no_question_is_on_both_sides(files: tuple[Path, ...], leave_out: str | None) -> None:
    rows = load_examples(files).rows
    parts = split(rows, test_share=0.4, leave_out=leave_out)
    assert not {r.question for r in parts.train} & {r.question for r in parts.test}
    if leave_out is not None:
        assert {r.model for r in parts.test} == {leave_out}
        assert leave_out not in {r.model for r in parts.train}
    assert split(rows[::-1], test_share=0.4, leave_out=leave_out).test[::-1] == parts.test


def test_macro_f1_is_that_of_the_specification(vectors: dict[str, Any]) -> None:
    v = vectors["macro_f1"]
    present, fixed, _ = f1_scores(v["gold"], v["pred"], "ABCDXYZ")
    assert present == pytest.approx(v["macro_f1_present"])
    assert fixed == pytest.approx(v["macro_f1_all7"])


def test_defaults_are_those_of_the_paper() -> None:
    t5, lora = RECIPES["seq2seq"], RECIPES["causal"]
    assert (t5.rate, t5.batch, t5.decay, t5.epochs) == (2e-5, 1, 0.01, 8)
    assert (lora.rank, lora.alpha, lora.dropout, lora.epochs, lora.batch) == (64, 16, 0.1, 8, 4)
    assert (lora.rate, lora.warmup, lora.decay, lora.clip) == (2e-4, 0.03, 0.001, 0.3)
    with pytest.raises(UsageError, match="kind of trained reader"):
        recipe_for("forest")
    with pytest.raises(UsageError, match="steps"):
        recipe_for("encoder", steps=0)
    for rate in (0.0, float("inf"), float("nan")):
        with pytest.raises(UsageError, match=f"rate is {rate}"):
            recipe_for("encoder", rate=rate)


def tokenizer(folder: Path) -> Any:
    """A tokeniser of words, as small as the tests need."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = {word for row in annotated() for word in row["response"].split()}
    letters = [*"ABCDEFGHVWXYZ", "References", "Answer", ":", ".", "i", "do", "not", "know"]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "</s>"]
    names = [*special, *letters, *sorted({*known, *WORDS} - set(letters))]
    words = Tokenizer(models.WordLevel({w: n for n, w in enumerate(names)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    made = PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        eos_token="</s>",
    )
    made.save_pretrained(folder)
    return made


def base(kind: str, folder: Path, width: int = 32) -> Path:
    """A tiny model with random weights; 4 bits need a width of 64."""
    import torch
    import transformers as hf

    vocab = len(tokenizer(folder))
    torch.manual_seed(0)
    size = {"vocab_size": vocab, "num_hidden_layers": 2, "num_attention_heads": 2}
    size |= {"hidden_size": width, "intermediate_size": 2 * width}
    model: Any
    if kind == "encoder":
        model = hf.BertModel(hf.BertConfig(**size))
    elif kind == "causal":
        config = hf.LlamaConfig(num_key_value_heads=2, initializer_range=0.3, **size)
        model = hf.LlamaForCausalLM(config)
    else:
        size = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
        size |= {"decoder_start_token_id": 0, "pad_token_id": 0}
        config = hf.T5Config(vocab_size=vocab, **size)
        model = hf.T5ForConditionalGeneration(config)
    model.save_pretrained(folder)
    return folder


def train(
    kind: str,
    tmp_path: Path,
    files: tuple[Path, ...],
    name: str = "out",
    *,
    quantised: bool = False,
) -> Trained:
    folder = tmp_path / "base"
    if not folder.exists():
        folder.mkdir()
        base(kind, folder, 64 if quantised else 32)
    rate = {"encoder": 5e-3, "seq2seq": 5e-3, "causal": 3e-2}[kind]
    recipe = recipe_for(
        kind,
        base=str(folder),
        steps=40,
        batch=8,
        rate=rate,
        rank=8,
        clip=1.0,
        dropout=0.0,
        frozen=0,
        quantised=quantised,
    )
    plan = Plan(kind, recipe, files, {}, test_share=0.3)  # type: ignore[arg-type]
    return train_reader(plan, tmp_path / name)


KINDS = ["encoder", "seq2seq", "causal"]


@pytest.mark.local
@pytest.mark.parametrize("kind", KINDS)
def test_training_learns_and_what_is_saved_reads_the_same(
    kind: str, tmp_path: Path, files: tuple[Path, ...]
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("peft")
    made = train(kind, tmp_path, files)
    assert sum(made.losses[-8:]) < 0.7 * sum(made.losses[:8])
    assert sum(score.n for score in made.results) == made.manifest.data["measured_on"]
    assert not [p for p in made.folder.iterdir() if p.suffix in {".bin", ".pt", ".pkl"}]
    cases = [row.case for row in load_examples(files).rows]
    first = load_scorer(made.folder, made.manifest).probabilities(cases)
    alone = [load_scorer(made.folder, made.manifest).probabilities([case])[0] for case in cases[:3]]
    for row, single in zip(first, alone, strict=False):
        assert sum(row) == pytest.approx(1)
        assert row == pytest.approx(single, abs=1e-4)


@pytest.mark.local
def test_a_trained_reader_reads_trials_and_leaves_the_rest(
    tmp_path: Path, files: tuple[Path, ...]
) -> None:
    pytest.importorskip("torch")
    reader = TrainedReader(str(train("encoder", tmp_path, files).folder))
    variant = Variant("i", "Q", ("red", "blue"), ("A", "B"), (0, 1), 0)
    one = Trial("original", PLAIN, 0, (variant,))
    several = Trial("bundle", PLAIN, 0, (variant, variant), answer_format="label_lines")
    rows = [(one, Response("it is blue")), (one, Response("  ")), (several, Response("A\nB"))]

    async def read() -> list[Any]:
        async with reader:
            await reader.prepare(rows, None, UNLIMITED)
            return [reader.read(*row) for row in rows]

    (said,), (empty,), nothing = asyncio.run(read())
    assert said.rule == "trained_encoder"
    assert 0 < said.confidence <= 1
    assert empty.status == "empty"
    assert nothing == ()


@pytest.mark.local
def test_the_commands_train_read_and_audit(tmp_path: Path, files: tuple[Path, ...]) -> None:
    pytest.importorskip("torch")
    folder, out = tmp_path / "base", str(tmp_path / "out")
    folder.mkdir()
    base("encoder", folder)
    run = ["train", "reader", str(files[0]), "--out", out, "--base", str(folder)]
    assert "trained on" in call(*run, "--steps", "2", "--test-share", "0.3").stdout
    call(*run, code=2)  # it is there already
    other = annotated(30)  # of which 24 are of the file that it was trained on
    elsewhere = str(jsonl(tmp_path / "other.jsonl", other))
    measure = "train", "reader", "--evaluate", elsewhere, "--out"
    [evaluated] = call(*measure, out, "--json").json["evaluated"]
    known = len((tmp_path / "out" / "questions.txt").read_text().split())
    assert evaluated["dropped"] == {"question trained on": 2 * known}
    assert sum(score["n"] for score in evaluated["results"]) == 30 - 2 * known
    assert "beyond --most" in call(*measure, out, "--most", "4").stdout
    assert len(Manifest.load(tmp_path / "out").evaluated) == 1  # the same file again
    call("train", "reader", "--out", out, code=2)
    assert "does not contain a trained reader" in call(*measure, tmp_path).stderr
    name = f"trained:{out}"
    lines = call("read", files[0], "--reader", name, "--json").stdout.splitlines()
    *rows, score = map(json.loads, lines)
    assert score["schema"].startswith("horsesense.read-score/")
    assert len(rows) == 24
    assert {row["rule"] for row in rows} == {"trained_encoder"}
    audit = ["audit", "sample", "--model", "sim:talker", "--probes", "original", "--limit", "4"]
    audit += ["--readers", f"text,{name}", "--out", str(tmp_path / "run")]
    call(*audit, code=0)
    found = json.loads((tmp_path / "run" / "estimates.json").read_text())
    assert name in {estimate["reader"] for estimate in found["estimates"]}
