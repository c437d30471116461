"""Items of a report: which are shown, and what was chosen in each form."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from horsesense.inference.store import Store
from horsesense.report.examples import choose, exchanged, pieces, trials_of
from horsesense.report.item_view import ItemView, quoted, view_of
from horsesense.report.reasons import reasons_of
from horsesense.report.score_bar import score_bar
from horsesense.runs.results import Results
from pages import MODELS

spans = st.none() | st.tuples(st.integers(0, 1100), st.integers(0, 1100))


@given(st.integers(0, 1000), st.integers(10, 300), spans)
def test_nothing_is_cut_uncounted(n: int, limit: int, span: tuple[int, int] | None) -> None:
    text = "".join(chr(65 + i % 26) for i in range(n))
    found = pieces(text, limit, span)
    assert sum(len(p.text) + p.cut for p in found) == len(text)
    marked = "".join(p.text for p in found if p.marked)
    start, end = span or (0, 0)
    assert marked == text[start:end][:limit]
    assert sum(len(p.text) for p in found) <= 4 * limit


class TestChoice:
    def test_evidence_first_then_a_sample(self, runs: dict[str, Results]) -> None:
        choice = choose(runs["talker"], 30)
        assert len(set(choice.ids)) == 30
        assert all(choice.reasons[i] for i in choice.ids[:8])
        assert set(choice.evidence.holds) <= {reason.name for reason in reasons_of(runs["talker"])}
        assert choice.total == 40

    def test_nothing_happens_to_an_oracle_but_its_lucky_guesses(
        self, runs: dict[str, Results]
    ) -> None:
        choice = choose(runs["oracle"], 40)
        assert set(choice.evidence.holds) == {"right without the question"}
        assert any(not choice.reasons[i] for i in choice.ids)
        assert set(choice.evidence.part.values()) == {"every_form"}

    def test_counts_are_those_of_the_measures(self, runs: dict[str, Results]) -> None:
        held = choose(runs["position?k=1"], 5).evidence.holds
        assert len(held["same place in every order"]) == 40
        refused = choose(runs["refuse"], 5).evidence.holds
        assert len(refused["no option chosen"]) == 40
        assert "same place in every order" not in refused

    def test_items_stand_in_the_parts_that_are_counted(self, runs: dict[str, Results]) -> None:
        for run in (runs[model] for model in MODELS):
            bar, part = score_bar(run), choose(run, 1).evidence.part
            for segment in bar.segments:
                assert segment.count == sum(name == segment.name for name in part.values())

    def test_every_reason_has_an_example(self, runs: dict[str, Results]) -> None:
        choice = choose(runs["ranker"], 8)
        shown = {reason for reasons in choice.reasons.values() for reason in reasons}
        assert shown == set(choice.evidence.holds)


def view_of_item(run: Results, item_id: str, store: Store) -> ItemView:
    [(_, trials)] = trials_of(run, [item_id], store)
    return view_of(run.items.by_id[item_id], trials, run.reader, partial(exchanged, store=store))


class TestItem:
    def test_a_model_that_follows_the_place_is_scattered_over_the_columns(
        self, runs: dict[str, Results]
    ) -> None:
        run = runs["position?k=1"]
        with run.directory.store() as store:
            view = view_of_item(run, "q2", store)
        orders = [form for form in view.forms if form.asked.probe == "order"]
        columns = {next(i for i, cell in enumerate(f.cells) if cell) for f in orders}
        assert len(columns) > 1
        assert {cell for f in orders for cell in f.cells if cell} == {"B"}
        unfolded = [form for form in view.forms if form.unfolded]
        assert len(unfolded) == 1
        told = [line for message in unfolded[0].prompt for line in message.lines]
        assert any(line.text.startswith("⋮") for line in told)
        # The options stand whole, whether they moved or not.
        for option in view.item.options:
            assert any(option in line.text for line in told)

    def test_what_was_chosen_is_told_in_words(self, runs: dict[str, Results]) -> None:
        run = runs["oracle"]
        with run.directory.store() as store:
            view = view_of_item(run, "q2", store)
        assert view.forms[0].answer == quoted(view.item.options[2]) == "“answer 2.2”"
        assert view.tally[0][2]
        assert view.changed == sum(not form.plain for form in view.forms[1:])
