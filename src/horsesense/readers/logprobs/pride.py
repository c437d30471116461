"""PriDe as a reader: the first token's choice without the model's label bias.

The prior for the labels is estimated on some items, of which the answers under a balanced set of
orders are known, and taken out of all other answers (Zheng et al. 2024; specification, section
6). The estimation items themselves are read by their mean over the orders, as published; their
readings are marked, so that every number exists with and without them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import floor, isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from horsesense.errors import UsageError
from horsesense.files import read_whole
from horsesense.models.messages import Response
from horsesense.probes.base import LETTERS, Setting
from horsesense.readers.logprobs.first_token import log_sum, scored
from horsesense.readers.logprobs.orders import (
    LabelWeights,
    Observed,
    balanced,
    lettered,
    weights_of,
)
from horsesense.readers.reading import Reading
from horsesense.readers.version import Rules
from horsesense.rng import fingerprint
from horsesense.stats import pride
from horsesense.stats.words import plural, some_of
from horsesense.trials.trial import Trial, Variant

RULES: Final = Rules(version="3", source="a0d95c424f89")

FITTED_ON: Final = "estimation_item"
"""Rule of the readings of items that the prior was estimated on."""
_EXAMPLES = 5
_AS_PUBLISHED = frozenset(("original", "repeat", "order", "option_swap"))
"""Probes that leave question and options alone, so that the mean over the orders answers them."""


_NO_LABELS: Final = (
    "PriDe could not be fitted: these items are answered by the names of their classes. It takes a "
    "preference out of the log-probabilities of letters, and no letters were shown."
)


@dataclass
class PrideReader:
    """The first token's choice with the prior for the labels taken out (PriDe).

    It needs log-probabilities of all labels and the probe `order` in a balanced design.

    `estimation` is "cyclic" or "full" (which orders the prior is estimated from), `alpha` the
    share of items it is estimated on, `least` how many are wanted where that share is fewer (0 as
    published; never more than half of the items), `mean` how the priors of items become one
    ("geometric", or "arithmetic" as published, which noise draws towards 1/k), `per` "global",
    "subject" (each subject by itself: a prior of its own, from items drawn among its own) or
    "shrunken" (a prior for each subject, drawn towards the global one), `draw` the number of the
    drawn estimation set, `draws` how many sets are scored to see how much the draw matters.
    `source` names another run directory whose prior is taken instead; then no item is used for
    estimation.
    """

    estimation: str = "cyclic"
    alpha: float = 0.05
    least: int = 0
    mean: pride.Mean = "geometric"
    per: str = "global"
    draw: int = 0
    draws: int = 5
    source: str = ""
    _priors: dict[tuple[int, str | None], pride.Floats] = field(
        default_factory=dict, init=False, repr=False
    )
    _own: dict[str, pride.Floats] = field(default_factory=dict, init=False, repr=False)
    _subject: dict[str, str | None] = field(default_factory=dict, init=False, repr=False)
    _report: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    fits_on = frozenset(("original", "order"))
    reads_scores = True

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("estimation", self.estimation, ("cyclic", "full")),
            ("mean", self.mean, ("geometric", "arithmetic")),
            ("per", self.per, ("global", "subject", "shrunken")),
        ):
            if value not in allowed:
                raise UsageError(
                    f"reader pride: {name} cannot be {value!r}.",
                    hint=f"Allowed: {', '.join(allowed)}.",
                )
        if not 0 < self.alpha <= 1 or self.draws < 1 or self.least < 0:
            raise UsageError(
                "reader pride: alpha lies above 0 and up to 1, draws from 1, least from 0."
            )

    @property
    def name(self) -> str:
        changed = [
            f"{name}={getattr(self, name)}"
            for name in ("estimation", "alpha", "least", "mean", "per", "draw", "source")
            if getattr(self, name) != getattr(PrideReader, name)
        ]
        return f"pride({', '.join(changed)})" if changed else "pride"

    @property
    def version(self) -> str:
        """Says what it was fitted on: design, share, items and their priors."""
        if "undefined_reason" in self._report or not self._report:
            return f"{RULES.version},not fitted"
        priors = {f"{k}/{s}": p.tolist() for (k, s), p in self._priors.items()}
        on = fingerprint([sorted(self._own), priors])
        where = f"source={self.source}," if self.source else ""
        design = f"{self.estimation},alpha={self.alpha:g},{self.mean},{self.per}"
        return f"{RULES.version},{where}{design},on={len(self._own)}@{on}"

    # -- fitting ---------------------------------------------------------------------------

    def fit(self, answered: Iterable[tuple[Trial, Response]], setting: Setting) -> None:
        """Estimate the prior; where that cannot be done, nothing is read and `report` says why."""
        self._priors, self._own, self._report = {}, {}, {}
        self._subject = {item.id: item.subject for item in setting.items}
        if self.source:
            self._take(Path(self.source))
            return
        found, published, left_out = self._collect(answered)
        by_count: dict[int, list[str]] = defaultdict(list)
        for item_id, observed in found.items():
            by_count[observed.weights.shape[1]].append(item_id)
        fits = [
            self._fit_count(k, ids, found, published, setting, left_out)
            for k, ids in sorted(by_count.items())
        ]
        self._report = {
            "estimation": self.estimation,
            "alpha": self.alpha,
            "mean": self.mean,
            "per": self.per,
            "items": len(found),
            "fits": [fit for fit in fits if fit],
            "excluded": [
                {"reason": reason, "items": len(ids), "examples": ids[:_EXAMPLES]}
                for reason, ids in left_out.items()
            ],
        }
        if not self._priors:
            unlabelled = setting.items.kind == "label"
            why = _NO_LABELS if unlabelled else self._why_not(found, left_out)
            self._report["undefined_reason"] = why

    def _collect(
        self, answered: Iterable[tuple[Trial, Response]]
    ) -> tuple[dict[str, Observed], dict[str, tuple[Variant, LabelWeights]], dict[str, list[str]]]:
        """Items with every order of the design, what was published, and who is left out why."""
        orders: dict[str, list[LabelWeights | None]] = defaultdict(list)
        published: dict[str, tuple[Variant, LabelWeights]] = {}
        for trial, response in answered:
            if not lettered(trial):
                continue
            shown = weights_of(trial, response)
            if trial.probe == "original" and shown is not None:
                published[trial.variant.item_id] = (trial.variant, shown)
            elif trial.probe == "order" and trial.condition.get("design", "").startswith(
                self.estimation
            ):
                orders[trial.variant.item_id].append(shown)
        found: dict[str, Observed] = {}
        left_out: dict[str, list[str]] = defaultdict(list)
        for item_id, trials in orders.items():
            complete = [shown for shown in trials if shown is not None]
            if len(complete) < len(trials):
                left_out["the log-probability of a label is missing"].append(item_id)
            elif not balanced([shown.origin for shown in complete]):
                left_out["not every order of the design was answered"].append(item_id)
            else:
                found[item_id] = Observed(
                    np.array([shown.origin for shown in complete], dtype=np.float64),
                    np.array([shown.weights for shown in complete]),
                )
        return found, published, left_out

    def _fit_count(
        self,
        k: int,
        ids: Sequence[str],
        found: Mapping[str, Observed],
        published: Mapping[str, tuple[Variant, LabelWeights]],
        setting: Setting,
        left_out: dict[str, list[str]],
    ) -> dict[str, Any] | None:
        """The prior of items with `k` options; None, and a reason, where they are too few."""
        chosen = self._draw(ids, setting, self.draw)
        if len(chosen) < pride.FEWEST and self.per != "subject":
            drawn = f"with {plural(k, 'option')} are drawn to fit it on (alpha {self.alpha:g})"
            few = some_of(len(chosen), len(ids), "item", drawn)
            reason = f"{few}; a prior needs at least {pride.FEWEST}"
            left_out[reason].extend(ids)
            return None
        priors = np.stack([pride.item_prior(found[i].weights) for i in chosen])
        estimate = pride.estimate_prior(priors, self.mean)
        if self.per != "subject":
            self._priors[k, None] = estimate.prior
        for item_id in chosen:
            observed = found[item_id]
            self._own[item_id] = pride.by_content(observed.weights, observed.orders)
        low, high = estimate.interval()
        fit = {
            "options": k,
            "estimation_items": len(chosen),
            "of": len(ids),
            "prior": [
                {"label": label, "value": float(value), "low": float(lo), "high": float(hi)}
                for label, value, lo, hi in zip(LETTERS, estimate.prior, low, high, strict=False)
            ],
            "prompts_per_item": pride.cost(
                len(chosen) / len(ids), found[chosen[0]].weights.shape[0]
            ),
            "draws": self._draws(ids, found, published, setting),
        }
        if self.per != "global":
            fit["subjects"] = self._by_subject(k, chosen, priors)
        return fit

    def _draw(self, ids: Sequence[str], setting: Setting, draw: int) -> list[str]:
        """floor(alpha n) items, at least one: those with the lowest numbers of their own dice.

        `least` of them where alpha gives fewer, as long as half of the items are held out. With
        per=subject so many of each subject.
        """
        if self.per != "subject":
            return self._draw_of(ids, setting, draw)
        by_subject: dict[str, list[str]] = defaultdict(list)
        for item_id in ids:
            by_subject[str(self._subject.get(item_id))].append(item_id)
        parts = (self._draw_of(part, setting, draw) for part in by_subject.values())
        return sorted(item_id for part in parts for item_id in part)

    def _draw_of(self, ids: Sequence[str], setting: Setting, draw: int) -> list[str]:
        known = setting.items.by_id
        dice = {i: setting.dice(known[i], "pride", draw).uniform() for i in ids}
        size = max(1, floor(self.alpha * len(ids)), min(self.least, len(ids) // 2))
        return sorted(sorted(ids, key=dice.__getitem__)[:size])

    def _by_subject(self, k: int, chosen: Sequence[str], priors: pride.Floats) -> dict[str, Any]:
        """Priors of the subjects: each by itself, or drawn towards the global one."""
        each = [str(self._subject.get(i)) for i in chosen]
        names, group, counts = np.unique(each, return_inverse=True, return_counts=True)
        subjects = names.tolist()
        if self.per == "subject":
            parts = [priors[group == n] for n in range(len(subjects))]
            found, weight = np.stack([pride.pooled(part, self.mean) for part in parts]), 0.0
        else:
            found, weight = pride.shrunken(priors, group.tolist(), self.mean)
        self._priors |= {(k, s): prior for s, prior in zip(subjects, found, strict=True)}
        return {
            "number": len(subjects),
            "fewest_items": int(counts.min()),
            "weight_of_global": _number(weight),
            "priors": dict(zip(subjects, found.tolist(), strict=True)),
            "items": dict(zip(subjects, counts.tolist(), strict=True)),
        }

    def _draws(
        self,
        ids: Sequence[str],
        found: Mapping[str, Observed],
        published: Mapping[str, tuple[Variant, LabelWeights]],
        setting: Setting,
    ) -> list[dict[str, Any]]:
        """Accuracy and spread of recalls with other draws of the estimation items."""
        known = [i for i in ids if i in published and published[i][0].gold_at is not None]
        if not known:
            return []
        sets = []
        for draw in range(self.draws):
            chosen = set(self._draw(ids, setting, draw))
            sets.append(np.flatnonzero([i in chosen for i in known]))
        if not all(map(len, sets)):
            return []
        subjects = [str(self._subject.get(i)) for i in known]
        results = pride.repeated(
            np.stack([found[i].weights for i in known]),
            np.stack([found[i].orders for i in known]),
            np.array([published[i][1].weights for i in known]),
            np.array([published[i][0].gold_at for i in known]),
            sets,
            self.mean,
            np.unique(subjects, return_inverse=True)[1] if self.per == "subject" else None,
        )
        return [
            {name: v.tolist() if name == "prior" else _number(v) for name, v in asdict(one).items()}
            for one in results
        ]

    def _why_not(self, found: Mapping[str, Observed], left_out: Mapping[str, list[str]]) -> str:
        if left_out:
            each = (f"{why} ({plural(len(ids), 'item')})" for why, ids in left_out.items())
            reasons = "; ".join(each)
            enough = any(len(ids) >= 2 * pride.FEWEST for ids in left_out.values()) and found
            more = f" Ask more items, or fit on more of them: pride(least={pride.FEWEST})."
            return f"PriDe could not be fitted: {reasons}.{more if enough else ''}"
        return (
            "PriDe could not be fitted: it needs the log-probabilities of all labels under "
            f"several orders of a question (probe order, design {self.estimation}); with one order "
            "per question, a label bias cannot be told from the answer."
        )

    def _take(self, source: Path) -> None:
        """The prior of another run."""
        path = source / "estimates.json"
        try:
            fits = orjson.loads(read_whole(path)).get("fits", {})
        except (OSError, orjson.JSONDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise UsageError(
                f"reader pride: source {source} is not a finished run ({path.name}: {why}).",
                hint="Name the run directory of an audit that fitted a prior.",
            ) from None
        fitted = next((f for n, f in fits.items() if n.startswith("pride") and f.get("fits")), None)
        if fitted is None:
            raise UsageError(
                f"reader pride: the run in {source} fitted no prior.",
                hint="Run it with --readers first_token,text,pride and the probe order.",
            )
        for fit in fitted["fits"]:
            prior = np.array([entry["value"] for entry in fit["prior"]])
            self._priors[int(fit["options"]), None] = prior
        self._report = {**fitted, "source": str(source)}

    def report(self) -> dict[str, Any]:
        """What was fitted on what, the prior with its intervals, and how much draws differ."""
        return self._report

    # -- reading ---------------------------------------------------------------------------

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        if not lettered(trial):
            return ()
        variant = trial.variant
        prior = self._prior(variant)
        shown = weights_of(trial, response)
        if prior is None or shown is None:
            return ()
        own = self._own.get(variant.item_id)
        if own is not None and trial.probe in _AS_PUBLISHED:
            weights = own[list(variant.origin)]
        else:
            weights = pride.debiased(shown.weights, prior)
        mass = log_sum(next(scored(trial, response)))
        rule = "prior_removed" if own is None else FITTED_ON
        best = int(weights.argmax())
        if (weights == weights[best]).sum() > 1:
            return (Reading("ambiguous", rule=rule, confidence=0.0, score=mass),)
        sure = min(1.0, float(weights[best]))
        return (Reading("answer", (best,), rule, None, sure, mass),)

    def _prior(self, variant: Variant) -> pride.Floats | None:
        k = len(variant.labels)
        subject = str(self._subject.get(variant.item_id))
        own = self._priors.get((k, subject)) if self.per == "subject" else None
        return self._priors.get((k, None)) if own is None else own


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
