"""How long 13,500 prompts with many problems take from plan to report, with a simulation.

Run it as `python benchmarks/multi_problem_speed.py`; the shared benchmark data is found by
HORSESENSE_SHARED. The prompts are counted as Wang et al. (2025) count theirs: 9,500 from SST-2,
CoLA, AGNews and SNLI, and 4,000 from WANLI and ANLI in the place of two sets that are not there.
The same machine renders the prompts alone in the same run, as a reference.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from horsesense.api import audit, plan
from horsesense.items.load import load_items
from horsesense.probes.base import Setting
from horsesense.probes.registry import parse_probes
from horsesense.prompts import Prompter, Want
from horsesense.runs.planner import Planner

SHARED = Path(os.environ.get("HORSESENSE_SHARED", "../shared")) / "data"
SETS = {
    "sst2/sst2_test_dev": ("test", None, 100),
    "cola/cola_dev": ("in_domain_dev,out_of_domain_dev", None, 100),
    "agnews/agnews_test_sample": (None, 1000, 100),
    "snli/snli_test_sample": (None, 1000, 100),
    "wanli/wanli": ("test", 1000, 80),
    "anli/anli": ("test", 1000, 80),
}
MODEL = "sim:clerk?know=0.85&forget=0.03&twice=0.02&style=9"
TASKS = ("batch", "select_one", "select_all")


def main() -> None:
    prompts = {"one by one": 0, "many": 0}
    seconds = dict.fromkeys(("render alone", "plan", "run, read, measure, report"), 0.0)
    for name, (split, limit, bundles) in SETS.items():
        file = SHARED / f"{name}.jsonl.gz"
        probes = tuple(f"{task}(bundles={bundles})" for task in TASKS)
        where = {"split": split, "limit": limit}
        started = time.perf_counter()
        items = load_items(file, **where)
        planner = Planner(items, parse_probes(probes), Setting(items), Prompter(want=Want()), MODEL)
        made = [planned.trial for planned in planner.plan(planner.probes)]
        seconds["render alone"] += time.perf_counter() - started
        prompts["many"] += sum(len(trial.variants) > 1 for trial in made)
        prompts["one by one"] += sum(len(trial.variants) == 1 for trial in made)
        started = time.perf_counter()
        plan(file, MODEL, probes=probes, **where)
        seconds["plan"] += time.perf_counter() - started
        with tempfile.TemporaryDirectory() as out:
            started = time.perf_counter()
            audit(file, MODEL, out=out, probes=probes, **where)
            seconds["run, read, measure, report"] += time.perf_counter() - started
    print(f"{prompts['many']:,} prompts with many problems, {prompts['one by one']:,} with one")
    for stage, spent in seconds.items():
        print(f"{stage:<28}{spent:7.1f} s{spent / seconds['render alone']:7.1f} x rendering")
    total = seconds["plan"] + seconds["run, read, measure, report"]
    print(f"{'plan to report':<28}{total:7.1f} s")
    print(f"{'processor, all of it':<28}{time.process_time():7.1f} s")


if __name__ == "__main__":
    main()
