"""How often intervals of areas under ROC curves, calibration errors, kappas and means per prompt
hold the truth, from cells of readings on, through the measures themselves.

    python benchmarks/measure_coverage.py --studies 1000
    python benchmarks/measure_coverage.py --studies 1000 --measure ece

Items come in clusters of one size and of very different sizes; a share of the clusters is *whole*:
its items are copies of one (the same answer with the same confidence). Truths are in closed form,
or by quadrature over 400,000 quantiles. Bars: .93 from 30 clusters, .92 below; a cell is counted
against them only beyond its Monte-Carlo error, corrected over all cells.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri
from scipy.stats import binom, norm

from horsesense.measures.base import Measure
from horsesense.measures.cells import NO_OPTION, STATUS_CODE, Bundles, Cell, ChosenSets, Scores
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES
from horsesense.rng import seed_of
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Shape = tuple[tuple[int, int], ...]
EQUAL: tuple[Shape, ...] = (
    ((10, 1),),
    ((30, 1),),
    ((100, 1),),
    ((400, 1),),
    ((10, 4),),
    ((30, 4),),
)
UNEQUAL: tuple[Shape, ...] = (
    ((30, 1), (3, 40)),
    ((100, 1), (4, 100)),
    ((100, 1), (10, 30)),
    ((300, 1), (5, 20)),
)
"""How many clusters, of how many items."""


class Study(NamedTuple):
    """Cells of readings, and the cluster of each item."""

    cells: list[Cell]
    cluster: Ints


class Kind(NamedTuple):
    """A measure, with one truth of it: settings, what is simulated, and what is true."""

    measure: Measure
    says: str
    made: Callable[[np.random.Generator, Ints, npt.NDArray[np.bool_]], Study]
    truth: float


def copied(values: Floats, cluster: Ints, whole: npt.NDArray[np.bool_]) -> Floats:
    """Values of items, (items, ...), where whole clusters have that of their first item."""
    first = values[np.searchsorted(cluster, np.arange(cluster.max() + 1))][cluster]
    drawn: Floats = np.where(whole.reshape(-1, *[1] * (values.ndim - 1)), first, values)
    return drawn


def cell(position: npt.NDArray[np.integer], right: npt.NDArray[np.bool_], **other: object) -> Cell:
    """Valid answers, (items, trials)."""
    shape = position.shape
    given = {
        "probe": "original",
        "reader": "first_token",
        "item": np.arange(shape[0]),
        "k": np.full(shape[0], 4),
        "status": np.full(shape, STATUS_CODE["answer"], np.int8),
        "position": position.astype(np.int16),
        "option": np.where(position < 0, NO_OPTION, position).astype(np.int16),
        "gold_at": np.zeros(shape, np.int16),
        "correct": right.astype(np.int8),
    }
    return Cell(**{**given, **other})  # type: ignore[arg-type]


def confidences(shift: float, share: float = 0.7) -> Callable[..., Study]:
    """Right answers are surer by `shift` standard deviations."""

    def made(rng: np.random.Generator, cluster: Ints, whole: npt.NDArray[np.bool_]) -> Study:
        n = len(cluster)
        right = copied(rng.random(n), cluster, whole) < share
        sure = expit(shift * right + copied(rng.normal(size=n), cluster, whole))
        return scored(sure, right, cluster)

    return made


def scored(sure: Floats, right: npt.NDArray[np.bool_], cluster: Ints) -> Study:
    scores = Scores(confidence=sure[:, None], score=np.zeros((len(sure), 1)))
    return Study([cell(np.where(right, 0, 1)[:, None], right[:, None]).having(scores)], cluster)


def options(shift: float) -> Callable[..., Study]:
    """The right option has the larger probability of yes by `shift` standard deviations."""

    def made(rng: np.random.Generator, cluster: Ints, whole: npt.NDArray[np.bool_]) -> Study:
        latent = copied(rng.normal(size=(len(cluster), 4)), cluster, whole)
        latent[:, 0] += shift
        yes = expit(latent)
        shape = yes.shape
        one = cell(
            np.where(yes >= 0.5, 0, 1), np.ones(shape, dtype=bool), k=np.full(shape[0], 2),
            probe="option_confidence", condition=Condition(polarity="positive"),
            answer_format="yes_no", gold_at=np.tile([0, 1, 1, 1], (shape[0], 1)).astype(np.int16),
        )  # fmt: skip
        scores = Scores(confidence=np.maximum(yes, 1 - yes), score=np.zeros(shape))
        return Study([one.having(scores)], cluster)

    return made


def calibrated(slope: float, shift: float) -> Callable[..., Study]:
    """Confidence is logistic of z, being right logistic of `slope` z + `shift`; z ~ N(1, 1.2)."""

    def made(rng: np.random.Generator, cluster: Ints, whole: npt.NDArray[np.bool_]) -> Study:
        z = copied(rng.normal(1, 1.2, len(cluster)), cluster, whole)
        right = copied(rng.random(len(cluster)), cluster, whole) < expit(slope * z + shift)
        return scored(expit(z), right, cluster)

    return made


def calibration_error(slope: float, shift: float) -> float:
    """Over ten bins of equal mass."""
    z = 1 + 1.2 * ndtri((np.arange(400_000) + 0.5) / 400_000)
    gaps = expit(z) - expit(slope * z + shift)
    return float(np.abs(gaps.reshape(10, -1).mean(axis=1)).mean())


def readers(agree: float, prior: tuple[float, ...]) -> Callable[..., Study]:
    """Both choose by `prior`; the first token copies the text in a share `agree`."""

    def made(rng: np.random.Generator, cluster: Ints, whole: npt.NDArray[np.bool_]) -> Study:
        n, edges = len(cluster), np.cumsum(prior)[:-1]
        text, other = (
            np.searchsorted(edges, copied(rng.random(n), cluster, whole)) for _ in range(2)
        )
        token = np.where(copied(rng.random(n), cluster, whole) < agree, text, other)
        k = np.full(n, len(prior))
        return Study(
            [
                cell(text[:, None], (text == 0)[:, None], reader="text", k=k),
                cell(token[:, None], (token == 0)[:, None], by_scores=True, k=k),
            ],
            cluster,
        )

    return made


def labels(mean: float, size: int) -> Callable[..., Study]:
    """Poisson numbers of labels too many, in prompts of `size` problems, which differ in them."""

    def made(rng: np.random.Generator, cluster: Ints, whole: npt.NDArray[np.bool_]) -> Study:
        n = len(cluster)
        order, place = rng.permutation(n), np.arange(n)
        prompts = -(-n // size)
        more = rng.gamma(2, mean / size / 2, prompts)[place // size]
        more = more * copied(rng.gamma(2, 0.5, n), cluster, whole)[order]
        count = np.minimum(rng.poisson(more), 60)
        one = cell(np.full((n, 1), -1), np.zeros((n, 1), dtype=bool), answer_format="index_json")
        bundles = Bundles((place // size)[:, None], (place % size)[:, None], np.zeros((n, 1), int))
        chosen = (np.left_shift(1, count + 1) - 1)[:, None]
        return Study([one.having(bundles, ChosenSets(chosen, one.position))], cluster[order])

    return made


def kinds() -> Iterator[Kind]:
    for area in (0.6, 0.71, 0.85, 0.95):
        shift = sqrt(2) * float(norm.ppf(area))
        yield Kind(MEASURES.get("confidence_auroc"), f"{area:g}", confidences(shift), area)
    for area in (0.6, 0.85, 0.97):
        shift = sqrt(2) * float(norm.ppf(area))
        yield Kind(MEASURES.get("option_auroc"), f"{area:g}", options(shift), area)
    for slope, shift in ((1.0, 0.0), (0.5, 0.0), (1.0, -0.3), (1.0, -1.0)):
        truth = calibration_error(slope, shift)
        yield Kind(MEASURES.get("ece"), f"{truth:.3f}", calibrated(slope, shift), truth)
    for agree in (0.5, 0.9):
        for prior in ((0.5, 0.5), (0.25,) * 4, (0.7, 0.1, 0.1, 0.1), (0.1,) * 10):
            says = f"{agree:g} ({len(prior)} positions, {max(prior):g} at most)"
            yield Kind(MEASURES.get("mismatch_kappa"), says, readers(agree, prior), agree)
    for size in (5, 20):
        yield Kind(MEASURES.get("extra_labels"), f"2 (prompts of {size})", labels(2.0, size), 2.0)


class Outcome(NamedTuple):
    held: int
    known: int
    studies: int
    width: float


def simulated(kind: Kind, shape: Shape, share: float, studies: int) -> Outcome:
    rng = np.random.default_rng(seed_of(12, f"{kind.measure.name}{kind.says}{shape}{share}", "m"))
    sizes = np.repeat([size for _, size in shape], [n for n, _ in shape])
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    held = known = 0
    width = 0.0
    for _ in range(studies):
        whole = (rng.random(len(sizes)) < share)[cluster]
        study = kind.made(rng, cluster, whole)
        context = Context("d", "m", study.cluster, signature=lambda *_: None)  # type: ignore[arg-type,return-value]
        measure = kind.measure
        found = found_all(study.cells, [measure], context)
        e = next(one.estimate for one in found if one.estimate.measure == measure.name)
        if e.low is not None and e.high is not None:
            known += 1
            held += e.low - 1e-9 <= kind.truth <= e.high + 1e-9
            width += e.high - e.low
    return Outcome(held, known, studies, width / max(known, 1))


def settings() -> Iterator[tuple[Shape, float]]:
    """Shapes with the share of whole clusters."""
    for shape in (*EQUAL, *UNEQUAL):
        single = all(size == 1 for _, size in shape)
        for share in (0.0,) if single else (0.0, 0.3, 1.0):
            yield shape, share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--measure", default="")
    chosen = parser.parse_args()
    cells = [
        (kind, *where)
        for kind in kinds()
        if chosen.measure in ("", kind.measure.name)
        for where in settings()
    ]
    began, failed = time.monotonic(), 0
    print("| measure | truth | clusters | whole | covered | width | no interval | |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, shape, share in cells:
        o = simulated(kind, shape, share, chosen.studies)
        bar = 0.93 if sum(n for n, _ in shape) >= 30 else 0.92
        below = o.known > 0 and binom.cdf(o.held, o.known, bar) < 0.05 / len(cells)
        failed += below
        made = ", ".join(f"{n} of {size}" for n, size in shape)
        none = 1 - o.known / o.studies
        covered = f"{o.held / o.known:.3f}" if o.known else "–"
        print(
            f"| {kind.measure.name} | {kind.says} | {made} | {share:g} | {covered} | {o.width:.3f} "
            f"| {none:.3f} | {'below the bar' if below else ''} |",
            flush=True,
        )
    print(f"\n{failed} of {len(cells)} cells below the bar, {time.monotonic() - began:.0f} s.")


if __name__ == "__main__":
    main()
