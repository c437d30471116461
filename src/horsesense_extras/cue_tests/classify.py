"""The paper's three linear classifiers, fitted to sparse or dense columns.

scikit-learn does the fitting. Several labels are one multinomial model with an L2 penalty and one
model per label with an L1 penalty, as in the paper.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MANY_LABELS: Final = 30
"""Above this number of labels only the first classifier is tried: one-per-label models and
multinomial ones cost the number of labels times as much and choose no differently."""


@dataclass(frozen=True)
class Classifier:
    """A logistic regression: its penalty ("L2" or "L1") and inverse strength C."""

    penalty: str
    c: float

    @property
    def name(self) -> str:
        return f"{self.penalty} C={self.c:g}"


CLASSIFIERS: Final = (Classifier("L2", 1.0), Classifier("L1", 1.0), Classifier("L1", 0.1))
"""In the order in which ties are resolved (specification, section 1)."""


@dataclass(frozen=True)
class Fitted:
    """Weights of a linear model.

    Attributes:
        weights: (labels, columns); for two labels the rows are opposite.
        intercepts: (labels,); -inf for labels that the training items do not have.
    """

    weights: Floats
    intercepts: Floats

    def scores(self, x: Any) -> Floats:
        """Score of each label for each row, (rows, labels)."""
        return np.asarray(x @ self.weights.T) + self.intercepts

    def predict(self, x: Any) -> Ints:
        best: Ints = np.argmax(self.scores(x), axis=1)
        return best


def fit(
    classifier: Classifier,
    x: Any,
    y: Ints,
    n_labels: int,
    *,
    faithful: bool = False,
) -> Fitted:
    """Fit one classifier.

    Args:
        classifier: penalty and strength.
        x: sparse (csr) or dense rows, float64.
        y: label numbers, 0 to n_labels - 1.
        n_labels: how many labels the task has, present in `y` or not.
        faithful: stop the L2 fit after 100 iterations, as in the paper.
    """
    from sklearn import config_context

    present = np.unique(y)
    weights = np.zeros((n_labels, x.shape[1]))
    intercepts = np.full(n_labels, -np.inf)
    if len(present) < 2 or x.shape[1] == 0:
        intercepts[present] = np.log(np.bincount(y, minlength=n_labels)[present])
        return Fitted(weights, intercepts)
    model = _model(classifier, len(present), faithful)
    # Checking types and finiteness again costs more than many of these fits.
    cheap = config_context(skip_parameter_validation=True, assume_finite=True)
    with cheap, warnings.catch_warnings():
        # Not converging is part of the published method; the default's limit is far off.
        warnings.simplefilter("ignore")
        model.fit(x, y)
    parts = getattr(model, "estimators_", [model])
    coefficients = np.concatenate([part.coef_ for part in parts])
    offsets = np.concatenate([part.intercept_ for part in parts])
    if len(present) == 2:
        coefficients = np.concatenate([-coefficients, coefficients])
        offsets = np.concatenate([-offsets, offsets])
    weights[present] = coefficients
    intercepts[present] = offsets
    return Fitted(weights, intercepts)


def _model(classifier: Classifier, labels: int, faithful: bool) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    if classifier.penalty == "L2":
        return LogisticRegression(C=classifier.c, max_iter=100 if faithful else 1000)
    one = LogisticRegression(l1_ratio=1.0, C=classifier.c, solver="liblinear", random_state=0)
    return one if labels == 2 else OneVsRestClassifier(one)
