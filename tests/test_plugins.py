"""Plug-ins of installed packages: found by entry points, refused by name, harmless when broken."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import field, make_dataclass
from pathlib import Path

import pytest

from horsesense import plugins
from horsesense.catalogue import catalogue
from horsesense.errors import UsageError
from horsesense.measures.registry import MEASURES
from horsesense.models.registry import SCHEMES, make_model
from horsesense.plugins import PluginError, PluginWarning, Registry, parse_spec
from horsesense.probes.registry import PROBES, parse_probe, parse_probes
from horsesense.readers.model_based.make import make_bulk_reader
from horsesense.readers.registry import READERS, make_reader

GOOD = """
from dataclasses import dataclass
from horsesense.extend import Probe, show

@dataclass(frozen=True)
class Backwards(Probe):
    name = "backwards"
    title = "Backwards"
    summary = "The options from last to first."
    expectation = "The answer follows its content."
    invariant = "same_answer"
    step: int = 1

    def trials(self, item, setting):
        yield self.trial(show(item, setting.items.kind))

class Order(Backwards):
    name = "order"

class Silent(Backwards):
    name = "silent"
    summary = ""
"""


class Site:
    """A folder of installed packages, on the path of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, package: str, points: str, **modules: str) -> None:
        """A package with its entry points (as in entry_points.txt) and modules."""
        info = self.folder / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(points)
        for name, source in modules.items():
            (self.folder / f"{name}.py").write_text(source)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    kept = plugins.installed, plugins.entry_points_of_all
    for each in kept:
        each.cache_clear()
    yield Site(tmp_path)
    for each in kept:
        each.cache_clear()
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_probe_of_another_package_is_known_by_its_name(site: Site) -> None:
    site.install("stable", "[horsesense.probes]\nbackwards = good_a:Backwards\n", good_a=GOOD)
    assert parse_probe("backwards(2)").signature == "backwards(step=2)"
    assert PROBES.names()[-1] == "backwards"
    assert "backwards" not in PROBES.own
    assert catalogue()["probes"]["backwards"].startswith("The options from last")
    with pytest.raises(UsageError, match="Did you mean 'backwards'"):
        parse_probe("backward")


def test_a_plugin_is_loaded_only_when_it_is_asked_for(site: Site) -> None:
    site.install("stable", "[horsesense.probes]\nbackwards = good_b:Backwards\n", good_b=GOOD)
    assert [probe.name for probe in parse_probes(["order"])] == ["original", "order"]
    assert "backwards" in PROBES.names()
    assert "good_b" not in sys.modules
    parse_probe("backwards")
    assert "good_b" in sys.modules


@pytest.mark.parametrize(
    ("point", "says"),
    [
        ("backwards = broken_a:Backwards", "ZeroDivisionError"),
        ("backwards = nowhere_at_all:Backwards", "ModuleNotFoundError"),
        ("backwards = good_c:Nothing", "AttributeError"),
        ("backwards = good_c:show", "not a class derived from Probe"),
        ("silent = good_c:Silent", "does not declare summary"),
        ("forwards = good_c:Backwards", "calls itself 'backwards'"),
    ],
)
def test_a_broken_plugin_is_an_error_that_names_its_package(
    site: Site, point: str, says: str
) -> None:
    site.install("shaky", f"[horsesense.probes]\n{point}\n", broken_a="1 / 0", good_c=GOOD)
    name = point.split(" ")[0]
    with pytest.raises(PluginError) as caught:
        parse_probe(name)
    assert "shaky 1.0" in str(caught.value)
    assert says in str(caught.value)
    assert name not in PROBES
    with pytest.warns(PluginWarning, match="shaky 1.0"):
        listed = [probe.name for probe in PROBES]
    assert listed == list(PROBES.own)


def test_a_broken_plugin_leaves_all_else_alone(site: Site) -> None:
    points = (
        "[horsesense.probes]\nb = broken_b\n[horsesense.measures]\nb = broken_b\n"
        "[horsesense.readers]\nb = broken_b\n[horsesense.models]\nb = broken_b\n"
    )
    site.install("shaky", points, broken_b="raise SystemError('no')")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_probe("order").name == "order"
        assert make_reader("text").name == "text"
        assert make_model("sim:oracle").name == "sim:oracle"
    with pytest.warns(PluginWarning, match="shaky 1.0"):
        assert [measure.name for measure in MEASURES] == list(MEASURES.own)


def test_a_name_that_is_ours_stays_ours_and_the_other_is_refused(site: Site) -> None:
    site.install("greedy", "[horsesense.probes]\norder = good_d:Order\n", good_d=GOOD)
    assert type(parse_probe("order")).__module__ == "horsesense.probes.order"
    with pytest.warns(PluginWarning, match=r"by horsesense and by greedy 1.0 \(good_d:Order\)"):
        assert list(PROBES) == list(PROBES.own.values())


def test_a_name_that_two_packages_claim_is_refused_with_both(site: Site) -> None:
    for package, module in (("first", "good_e"), ("second", "good_f")):
        point = f"[horsesense.probes]\nbackwards = {module}:Backwards\n"
        site.install(package, point, **{module: GOOD})
    with pytest.raises(PluginError, match=r"first 1.0 \(good_e.*and by second 1.0 \(good_f"):
        parse_probe("backwards")
    assert "backwards" not in PROBES


@pytest.mark.parametrize(
    ("spec", "guess"),
    [
        ("htp:gpt-4o", "http:gpt-4o"),
        ("gpt-4o", "http:gpt-4o"),
        ("smollm2", "hf:smollm2"),
        ("smi:oracle", "sim:oracle"),
        ("reply:a.jsonl", "replay:a.jsonl"),
        ("hhf:smollm2", "hf:smollm2"),
    ],
)
def test_a_mistyped_scheme_gets_a_suggestion(spec: str, guess: str) -> None:
    with pytest.raises(UsageError, match=f"Did you mean '{guess}'") as caught:
        make_model(spec)
    assert all(str(scheme) in str(caught.value.hint) for scheme in SCHEMES)


@pytest.mark.parametrize("spec", ["", ":", "http:", ":x", "qqqqq:x"])
def test_what_is_no_model_gets_the_forms_and_no_guess(spec: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_model(spec)
    assert "Did you mean" not in str(caught.value)
    assert "http:NAME[@URL], sim:PROFILE" in str(caught.value.hint)


def test_a_mistyped_reader_of_models_gets_a_suggestion() -> None:
    for make in (make_bulk_reader, make_reader):
        with pytest.raises(UsageError, match="Did you mean 'judge:http:m'") as caught:
            make("juge:http:m")
        assert (
            caught.value.hint
            == "Write text, judge:MODEL, cascade:judge=MODEL or trained:DIRECTORY."
        )


def test_every_own_plugin_says_in_a_sentence_what_it_is() -> None:
    for kind, entries in catalogue().items():
        for name, sentence in entries.items():
            assert len(sentence.split()) > 1, (kind, name)
    assert set(READERS.own) < set(catalogue()["readers"])


def test_parameters_of_simulated_models_are_listed_with_their_values() -> None:
    listed = catalogue()["models"]
    assert "?know=0.6 (a number from 0 to 1), prior=none (weights" in listed["sim:prior"]
    assert "under=labels (a name)" in listed["sim:slips"]
    assert "?" not in listed["sim:oracle"]


def test_the_readme_shows_the_forms_of_models() -> None:
    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}:" in text for name in SCHEMES.names())


def test_looking_for_plugins_costs_nothing_at_import() -> None:
    code = "import sys, horsesense.cli; print('importlib.metadata' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "False"


def test_parameters_are_typed_whether_annotations_are_evaluated_or_not() -> None:
    kinds: Registry[type] = Registry("thing")
    for field_type in (int, "int"):
        made = make_dataclass("Made", [("least", field_type, field(default=3))], frozen=True)
        kinds.add(f"made_{len(kinds.own)}", made)
    for name in kinds.own:
        assert parse_spec(f"{name}(least=5)", kinds).least == 5
        with pytest.raises(UsageError, match="must be a whole number, not 'x'"):
            parse_spec(f"{name}(least=x)", kinds)
