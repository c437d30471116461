"""What is told before the first request is what is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest

import horsesense as hs
from command_line import call
from horsesense.models.registry import make_model
from horsesense.runs import outlook
from horsesense.runs.outlook import Outlook, items_of
from horsesense.runs.plan_text import NO_SMALLEST, OF_THESE
from horsesense.runs.settings import Settings
from horsesense.runs.shard import Shard
from horsesense.stats.paired import Paired
from horsesense.testing.faults import FaultServer
from studies import items_file


def asked(
    out: Path, *probes: str, limit: int = 12, shard: str | None = None
) -> tuple[Outlook, hs.Run]:
    """The sample, asked of the oracle; what was told before, and the run."""
    asks = {"items": "sample", "model": "sim:oracle", "probes": probes, "shard": shard}
    settings = Settings.of(**asks, limit=limit)
    run = hs.Run.start(out, settings)
    run.ask(make_model("sim:oracle"), tell=None)
    assert run.expected is not None
    return run.expected, run


@pytest.mark.parametrize(
    "probes", [("order", "repeat"), ("gold_absent",), ("batch(sizes=4,bundles=3)",)]
)
def test_small_sets_are_counted_whole(tmp_path: Path, probes: tuple[str, ...]) -> None:
    told, run = asked(tmp_path / "run", *probes)
    assert told.exact
    assert told.stored == 0
    assert told.prompts == run.trials["trial"].n_unique()
    assert told.requests == run.trials["key"].n_unique()
    again, _ = asked(tmp_path / "run", *probes)
    assert again.stored == again.requests == told.requests
    assert again.prompt_tokens == again.completion_tokens == 0


def test_bundles_are_no_forms(tmp_path: Path) -> None:
    """Each prompt with several items was counted as another form of its items."""
    told, _ = asked(tmp_path / "run", "batch(sizes=3/4,bundles=3)")
    assert "in 3 forms (original, batch)" in told.sentences()[-2]


def test_what_no_item_can_be_asked_under_is_told_before_asking(tmp_path: Path) -> None:
    """ "In 3 forms (original, batch, select_one, select_all)", of which two were none."""
    told, _ = asked(tmp_path / "run", "batch(sizes=3/4,bundles=3)", "select_one(sizes=3)")
    said = told.sentences()
    assert "No item can be asked under select_one." in said
    assert any("in 3 forms (original, batch): " in line for line in said)


@pytest.mark.parametrize("probes", [("order",), ("batch(sizes=4,bundles=3)",)])
def test_a_shard_tells_what_it_asks_itself(tmp_path: Path, probes: tuple[str, ...]) -> None:
    told, run = asked(tmp_path / "run", *probes, shard="1/3")
    assert told.items == len(Shard(1, 3).ids(run.items)) < 12
    assert told.prompts == run.trials["trial"].n_unique()
    assert told.sentences()[-2].startswith(f"{told.items} items of sample, shard 1/3, in ")


def test_the_pace_keeps_to_the_rate(tmp_path: Path) -> None:
    told, _ = asked(tmp_path / "run", "order")
    assert told.to_ask > 20
    assert "10 at a time, this takes 1 s." in told.pace(0.01, 10)
    limited = told.pace(0.01, 10, rate=told.to_ask / 90)
    assert "a second at most, this takes 1 min 30 s." in limited


def test_large_sets_are_estimated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "LOOKED_AT", 20)
    told, run = asked(tmp_path / "run", "order", limit=60)
    assert not told.exact
    assert told.prompts == pytest.approx(run.trials["trial"].n_unique(), rel=0.1)
    assert "about" in told.sentences()[0]


def test_what_is_estimated_is_no_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "At most 3,900 prompts, 3,784 different requests", of which there were 3,790."""
    monkeypatch.setattr(outlook, "LOOKED_AT", 5)
    items = str(items_file(tmp_path / "items.jsonl", 30))
    asks = {"items": items, "model": "sim:oracle", "probes": ("order",)}
    for until, most in ((None, ""), ("decided", "at most ")):
        run = hs.Run.start(tmp_path / f"{until}", Settings.of(**asks, until=until))
        run.ask(make_model("sim:oracle"), tell=None, limits=hs.Limits(requests=1))
        told = run.expected
        assert told is not None
        assert not told.exact
        prompts, requests = f"about {told.prompts:,} prompts", f"about {told.requests:,} different"
        asked = f": {most}{prompts}, {requests} requests"
        assert any(asked in line for line in told.sentences())
        assert "about" not in replace(told, exact=True).sentences()[0]


def test_no_more_answers_are_there_than_were_bought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "About 1,611 of them answered already", after a budget of 1,500."""
    monkeypatch.setattr(outlook, "LOOKED_AT", 5)
    items = str(items_file(tmp_path / "items.jsonl", 40))
    settings = Settings.of(items=items, model="sim:oracle", probes=("order",))

    def told(**limits: int) -> Outlook:
        run = hs.Run.start(tmp_path / "run", settings)
        run.ask(make_model("sim:oracle"), tell=None, limits=hs.Limits(**limits))
        assert run.expected is not None
        return run.expected

    first = told(requests=20)
    again = told(requests=21)
    assert again.stored == 20, "a fifth of the sample, of which each item stands for eight"
    assert again.requests == first.requests
    assert again.prompt_tokens / again.to_ask == pytest.approx(
        first.prompt_tokens / first.to_ask, rel=0.02
    )
    told()
    done = told()
    assert done.to_ask == done.prompt_tokens == done.completion_tokens == 0
    assert done.stored == done.requests


def test_it_is_told_before_a_server_is_asked_anything(tmp_path: Path) -> None:
    words = ["audit", "sample", "--limit", "4", "--probes", "order", "--price", "1,2"]
    with FaultServer() as server:
        before: list[int] = []
        settings = Settings.of(items="sample", model="http:m", probes=("order",), limit=4)
        hs.Run.start(tmp_path / "run", settings).ask(
            make_model(f"http:m@{server.url}"),
            limits=hs.Limits(prompt_price=1.0, completion_price=2.0),
            tell=lambda sentence: before.append(server.sent.total()),
        )
        assert before[:2] == [0, 0]
        done = call(*words, "-m", f"http:m@{server.url}", "--out", str(tmp_path / "told"))
        quiet = call(*words, "--json", "-m", f"http:m@{server.url}", "--out", str(tmp_path / "q"))
    assert "prompt tokens (characters / 4), at most" in done.stderr
    assert "at these prices" in done.stderr
    assert "A first reply took" in done.stderr
    assert "different requests" not in quiet.stderr


def test_who_sets_no_limit_to_much_is_told_how_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlook, "MANY_REQUESTS", 5)
    words = ["audit", "sample", "--limit", "4", "--probes", "order", "--out", str(tmp_path / "r")]
    with FaultServer() as server:
        words += ["-m", f"http:m@{server.url}"]
        assert "No limit is set: --budget" in call(*words).stderr
        assert "No limit is set" not in call(*words, "--budget", "requests=99").stderr


class TestPlanOfClusters:
    """What a plan says that items in clusters could show."""

    @pytest.fixture
    def said(self, tmp_path: Path) -> Callable[..., str]:
        def of(sizes: Sequence[int], *options: str) -> str:
            rows = [
                {"question": f"{c}.{i}?", "options": ["yes", "no"], "answer": 0, "cluster": f"c{c}"}
                for c, size in enumerate(sizes)
                for i in range(size)
            ]
            (tmp_path / "set.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
            words = "set.jsonl", "-m", "sim:oracle", "--probes", "labels", *options
            return call("plan", *words, cwd=tmp_path).stdout

        return of

    def test_no_change_is_seen_in_up_to_three_clusters(self, said: Callable[..., str]) -> None:
        """It was said to depend on what they share: such differences never have a p."""
        shared = "(copies, or a shared text or template)"
        three = f"the 15 items come in 3 clusters {shared}, and 4 are needed"
        assert f"no change of accuracy could be told from luck: {three}" in said([5, 5, 5])
        assert "cannot be said beforehand" in said([5, 5, 5, 5])

    def test_no_change_is_seen_where_a_large_cluster_holds_most(
        self, said: Callable[..., str]
    ) -> None:
        sizes = np.array([1.0] * 5 + [20.0])
        assert Paired.of(sizes, sizes).p() is None
        assert "a few large ones hold most of them" in said([1] * 5 + [20])

    def test_a_copy_among_many_items_leaves_the_change_that_would_be_seen(
        self, said: Callable[..., str]
    ) -> None:
        """One of 1,542 items made it "cannot be said beforehand"."""
        alone, copied = said([1] * 60), said([2] + [1] * 59)
        assert "would be seen" in alone
        assert "count together" not in alone
        assert "cannot be said" not in copied
        assert "count together, and all with a right answer as 59" in copied

    def test_what_is_decided_early_is_about_these_items(self, said: Callable[..., str]) -> None:
        assert OF_THESE in said([4] * 10, "--until", "decided")
        alone = said([1] * 40, "--until", "decided")
        assert OF_THESE not in alone
        assert "points would be seen" not in alone
        assert NO_SMALLEST in alone
        assert "4 are needed" in (few := said([5, 5, 5], "--until", "decided"))
        assert NO_SMALLEST not in few


def test_a_list_of_items_is_not_said_to_be_of_items() -> None:
    assert (items_of(12, "items"), items_of(1200, "mmlu")) == ("12 items", "1,200 items of mmlu")


@pytest.mark.parametrize("until", ["decided", "decided=all", "precision=0.03"])
def test_what_stopping_early_leaves_untold_is_said_before_asking(
    tmp_path: Path, until: str
) -> None:
    words = ("audit", str(items_file(tmp_path / "items.jsonl", 40)), "-m", "sim:oracle")
    done = call(*words, "--probes", "order", "--until", until, "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    [told] = [n for n, line in enumerate(lines) if line.startswith("With --until")]
    assert told < next(n for n, line in enumerate(lines) if line.startswith("To ask:"))
    assert ("better ask everything" in done.stderr) is (until == "decided")


def test_all_is_recommended_where_little_is_saved_alone(tmp_path: Path) -> None:
    for n, little in ((60, True), (4_000, False)):
        items = str(items_file(tmp_path / f"{n}.jsonl", n))
        done = call("plan", items, "-m", "sim:oracle", "--probes", "order", "--until", "decided")
        assert "With --until, a probe stops" in done.stdout
        assert ("better ask everything" in done.stdout) is little
