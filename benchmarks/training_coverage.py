"""How often the two intervals of `train choice` hold the truth, by number of seeds.

    python benchmarks/training_coverage.py

Differences of 60 items are drawn with a spread between items of 0.3, within them of 0.2, and
between trainings of 0, 0.03 or 0.1; the truth is no difference.
"""

from __future__ import annotations

import numpy as np

from horsesense_extras.training.comparison import intervals

ITEMS, STUDIES = 60, 1000


def main() -> None:
    rng = np.random.default_rng(0)
    cluster = np.arange(ITEMS)
    print("| seeds | sd between trainings | items: holds 0 | width | items and seeds | width |")
    print("|--:|--:|--:|--:|--:|--:|")
    for seeds in (2, 3, 5):
        for between in (0.0, 0.03, 0.1):
            held, wide = np.zeros(2), np.zeros(2)
            for _ in range(STUDIES):
                drawn = (
                    rng.normal(0, 0.3, (ITEMS, 1))
                    + rng.normal(0, between, (1, seeds))
                    + rng.normal(0, 0.2, (ITEMS, seeds))
                )
                for n, found in enumerate(intervals(drawn.clip(-1, 1), cluster, 0.95)):
                    assert found.low is not None
                    assert found.high is not None
                    held[n] += found.low <= 0 <= found.high
                    wide[n] += found.high - found.low
            rates, widths = held / STUDIES, wide / STUDIES
            told = [f"{rate:.1%} | {wide:.2f}" for rate, wide in zip(rates, widths, strict=True)]
            print(f"| {seeds} | {between} | {' | '.join(told)} |")


if __name__ == "__main__":
    main()
