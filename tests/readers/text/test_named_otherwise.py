"""Places in a list of the reply's own, fractions, counted labels, and several right answers."""

import pytest

from horsesense.readers.text import TextReader

METALS = ("iron", "copper", "silver", "zinc")
NUMBERS = ("14", "26", "28", "40")


def read(response, options=METALS, labels="ABCD", question="Which metal is it?"):
    return TextReader().read(
        response, options, tuple(labels)[: len(options)], question=question, finish_reason="stop"
    )


@pytest.mark.parametrize("place", ["last one I described", "first of them above"])
def test_a_place_in_a_list_of_the_replys_own_is_none_of_the_options(place):
    reading = read(f"Zinc, copper, iron and silver are metals. It's the {place}.")
    assert reading.rule != "named_by_place"


def test_a_fraction_behind_a_colon_begins_with_no_label():
    reading = read("Check with the result: 2/5 of 70 is 28.", NUMBERS, "1234", "How many?")
    assert reading.positions != (1,)


def test_a_label_that_is_counted_in_east_asian_scripts():
    assert read("したがって、正解は3番です。", labels="1234").positions == (2,)


def test_several_right_answers_are_no_choice():
    assert read("The correct answers are iron and zinc. Copper is no good.").status == "ambiguous"
    assert read("The correct answers are not iron and zinc.").rule != "two_stand"
