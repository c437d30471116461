"""Features of the cue search against scikit-learn and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from horsesense_extras.cue_tests.features import (
    MEASURES,
    NGRAMS,
    count_ngrams,
    gpt2,
    prepare_ngrams,
    readability,
)
from horsesense_extras.cue_tests.sweep import CLASSIFIERS, fit
from horsesense_extras.cue_tests.task import cues_of_options

TEXTS = [
    "The cat sat on the mat. Café au lait!",
    "the dog sat on a log, the cat did not",
    "",
    "cat",
    "A dog and a cat sat; the mat was café-brown",
    "on the mat the cat sat on the mat",
] * 3
Y = np.array([0, 1, 0, 1, 1, 0] * 3)
TRAIN = np.arange(12)


def vector(longest: int, weight: str, level: str = "word") -> object:
    return next(v for v in NGRAMS if (v.longest, v.weight, v.level) == (longest, weight, level))


@given(st.lists(st.text(alphabet="ab cé.'\n", max_size=30), min_size=2, max_size=12))
@settings(max_examples=60, deadline=None)
def test_counts_of_any_texts_equal_scikit_learns(texts: list[str]) -> None:
    counts = count_ngrams(texts, "word")
    theirs = CountVectorizer(ngram_range=(1, 2), strip_accents="unicode", min_df=2)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # no n-gram stands in two texts
        assert counts.one.shape[1] + counts.two.shape[1] == 0
        return
    found = set(counts.names)
    assert found == set(theirs.get_feature_names_out())
    assert counts.one.sum() + counts.two.sum() == expected.sum()


@pytest.mark.parametrize("weight", ["presence", "TF", "TFIDF"])
def test_vectors_take_columns_and_weights_from_the_training_rows(weight: str) -> None:
    counts = count_ngrams(TEXTS, "word")
    found = prepare_ngrams(counts, vector(2, weight), TRAIN, Y)  # type: ignore[arg-type]
    made = {"binary": True} if weight == "presence" else {}
    kind = TfidfVectorizer if weight == "TFIDF" else CountVectorizer
    theirs = kind(ngram_range=(1, 2), strip_accents="unicode", min_df=2, **made)
    theirs.fit([TEXTS[i] for i in TRAIN])
    expected = theirs.transform(TEXTS).toarray()
    order = [theirs.vocabulary_[counts.names[column]] for column in found.columns]
    np.testing.assert_allclose(found.x.toarray(), expected[:, order])
    assert len(order) == expected.shape[1]


@pytest.mark.parametrize(
    ("text", "ids"),
    [("Hello world", [15496, 995]), (" the  cat's", [262, 220, 3797, 338]), ("", [])],
)
def test_gpt2_ranks(text: str, ids: list[int]) -> None:
    assert gpt2().encode_ordinary(text) == ids
    assert gpt2().n_vocab == 50257


def test_token_ngrams_never_cross_texts() -> None:
    counts = count_ngrams(["a b", "b a", "a b", "b a"], "token")
    names = set(counts.names)
    assert names == {"a", " b", "b", " a", "a b", "b a"}


# One sentence of six words, one syllable each; Flesch 206.835 - 1.015 * 6 - 84.6 * 1 = 116.145.
# Tiles: the=6/3... summed per word below. Yule: "the" twice, 4 more: 10^4 (4 + 4 - 6) / 36.
EASY = "The cat sat on the mat."


def test_readability_of_a_worked_example() -> None:
    row = dict(zip(MEASURES, readability([EASY])[0], strict=True))
    assert row["Flesch reading ease"] == pytest.approx(116.145)
    assert row["Gunning fog"] == pytest.approx(2.4)
    assert row["SMOG"] == pytest.approx(3.1291)
    assert row["FORCAST"] == pytest.approx(5.0)
    assert row["mean Scrabble value"] == pytest.approx((6 + 5 + 3 + 2 + 6 + 5) / 6)
    assert row["number of words"] == 6
    assert row["mean sentence length"] == 6
    assert row["type-token ratio"] == pytest.approx(5 / 6)
    assert row["Yule's K"] == pytest.approx(1e4 * 2 / 36)


def test_cheap_cues_of_options() -> None:
    options = ["no", "the longest option of all", "mid one", "not a cat", "a dog"]
    questions = ["which?"] * 3 + ["a cat or not"] * 2
    table = cues_of_options(options, questions, np.array([0, 3, 5]))
    column = {name: table.x[:, i].tolist() for i, name in enumerate(table.names)}
    assert column["is the longest option"] == [0, 1, 0, 1, 0]
    assert column["is the shortest option"] == [1, 0, 0, 0, 1]
    assert column["rank of the option's length"] == [0, 1, 0.5, 1, 0]
    assert column["shares most words with the question"] == [0, 0, 0, 1, 0]
    assert column["is in position 1"] == [1, 0, 0, 1, 0]
    assert column["negation words"] == [1, 0, 0, 1, 0]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: c.name)
@pytest.mark.parametrize("n_labels", [2, 3, 4])
def test_classifiers_know_absent_labels(classifier: object, n_labels: int) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, min(n_labels, 3), 90)
    x = np.eye(max(n_labels, 2))[y] + rng.normal(0, 0.05, (90, max(n_labels, 2)))
    model = fit(classifier, x, y, n_labels)  # type: ignore[arg-type]
    assert np.mean(model.predict(x) == y) > 0.95
    if n_labels == 4:
        assert 3 not in model.predict(x)
