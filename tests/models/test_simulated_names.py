"""What simulated models are called in tables."""

from __future__ import annotations

from horsesense.models.registry import make_model


def test_a_parameter_that_is_left_empty_is_not_in_the_name() -> None:
    """ "sim:prior?know=0.6&prior=" stood over a report; the identity keeps every parameter."""
    model = make_model("sim:prior?know=0.6")
    assert model.name == "sim:prior?know=0.6"
    assert model.identity == "sim:prior?know=0.6&prior="
    assert make_model("sim:oracle").name == "sim:oracle"
