"""The shape of the code: imports point one way, the surface is small, nothing heavy at import."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import horsesense
from horsesense.readers.version import DECIDING

SOURCE = Path(horsesense.__file__).parent

LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(layer.split())
    for layer in (
        "errors ids registry phrases",
        "specs stats",
        "items evidence",
        "datasets orders tasks bundles",
        "trials exchange readings progress parquet",
        "probes suites",
        "prompts",
        "backends",
        "store storefile",
        "limits",
        "runner",
        "settings planning",
        "readers",
        "table decisions overlay reviews",
        "measures",
        "estimates annotate published",
        "cues build training",
        "preparing findings study restate",
        "report",
        "catalogue plan_report api testing",
    )
)
"""A module imports from its own layer or from earlier ones."""


def modules() -> list[tuple[str, Path]]:
    """(dotted name without the package, file) of every module."""
    return [
        (".".join(path.relative_to(SOURCE).with_suffix("").parts), path)
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "__init__.py" or path.parent != SOURCE
    ]


def imported(path: Path) -> set[str]:
    """Modules of this package that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("horsesense."):
            module = (node.module or "").removeprefix("horsesense.")
            found |= {_module(module, alias.name) for alias in node.names}
    return found


def _module(package: str, name: str) -> str:
    """What `from package import name` loads: a submodule where there is one."""
    inner = SOURCE.joinpath(*package.split("."), name)
    return f"{package}.{name}" if inner.is_dir() or inner.with_suffix(".py").exists() else package


def layer_of(name: str) -> int | None:
    top = name.split(".")[0]
    return next((place for place, layer in enumerate(LAYERS) if top in layer), None)


@pytest.mark.parametrize(("name", "path"), modules(), ids=[name for name, _ in modules()])
def test_imports_point_one_way(name: str, path: Path) -> None:
    if name.split(".")[0].startswith("cli") or name == "__main__":
        return  # the command line may use everything; nothing may use it (below)
    own = layer_of(name)
    assert own is not None, f"{name} stands in no layer"
    for other in imported(path):
        assert not other.startswith("cli"), f"{name} imports the command line"
        layer = layer_of(other)
        assert layer is not None, f"{other} stands in no layer"
        assert layer <= own, f"{name} imports {other}, which stands above it"


def test_no_cycles_between_modules() -> None:
    graph = {name.removesuffix(".__init__"): imported(path) for name, path in modules()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail, name])
        if name in done:
            return
        for other in graph.get(name, ()):
            visit(other, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def test_what_readings_depend_on_is_in_their_version() -> None:
    """A module that readers begin to use either decides readings, or is named here."""
    plain = "backends errors exchange ids limits probes progress readings registry runner specs"
    plain += " store trials"
    decide = {place.removesuffix(".py").replace("/", ".") for place in DECIDING}
    for name, path in modules():
        if name.split(".")[0] == "readers":
            for other in imported(path):
                known = other in decide or other.split(".")[0] in {*plain.split(), "readers"}
                assert known or name == "readers.recorded", f"{name} imports {other}"


def test_a_changed_rule_changes_the_version(tmp_path: Path) -> None:
    """Of the copy of a package, because the source of this one stays as it is."""
    shutil.copytree(SOURCE, tmp_path / "horsesense", ignore=shutil.ignore_patterns("__pycache__"))
    specs = ("text", "first_token", "pride", "judge:http:m@http://127.0.0.1:9/v1")
    code = "from horsesense.readers import make_reader\n"
    code += f"print(*[make_reader(s).version for s in {specs}])"
    changed = ("lines.py", "index_json.py", "text/cues.py", "../stats/pride.py")

    seen = [python(code, tmp_path)]
    for name in changed:
        path = tmp_path / "horsesense" / "readers" / name
        path.write_text(path.read_text(encoding="utf-8") + "_ANOTHER = 1\n", encoding="utf-8")
        seen.append(python(code, tmp_path))
    of_each = zip(*(versions.split(" ", len(specs) - 1) for versions in seen), strict=True)
    assert [len(set(versions)) for versions in of_each] == [len(seen)] * len(specs)


def test_measures_know_no_model_and_probes_know_no_prompt() -> None:
    for name, path in modules():
        if name.startswith("measures"):
            assert not {m for m in imported(path) if m.startswith(("backends", "prompts", "store"))}
        if name.startswith("probes"):
            assert not {m for m in imported(path) if m.startswith(("prompts", "backends"))}


def python(code: str, folder: Path | None = None) -> str:
    """Output of a fresh interpreter, which finds modules in `folder` first."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["horsesense", "horsesense.cli", "horsesense.runs.study"])
def test_importing_loads_no_torch(module: str) -> None:
    code = (
        f"import sys, {module}; print([m for m in ('torch', 'transformers') if m in sys.modules])"
    )
    assert python(code) == "[]"


def test_importing_the_package_loads_next_to_nothing() -> None:
    heavy = ("numpy", "polars", "scipy", "pydantic", "aiohttp", "typer")
    code = f"import sys, horsesense; print([m for m in {heavy} if m in sys.modules])"
    assert python(code) == "[]"


def test_the_public_surface() -> None:
    for name in horsesense.__all__:
        assert getattr(horsesense, name) is not None
        assert name.startswith("__") or getattr(horsesense, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = horsesense.nothing
    assert set(dir(horsesense)) == set(horsesense.__all__)


@pytest.mark.parametrize("path", [p for _, p in modules()], ids=[n for n, _ in modules()])
def test_modules_say_what_they_are_for_and_stay_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), f"{path.name} has no docstring"
    assert text.count("\n") <= 450, f"{path.name} has more than 450 lines"


FORBIDDEN = ("pickle", "eval(", "exec(", "trust_remote_code=True", "shell=True", "yaml.load(")


@pytest.mark.parametrize("path", [p for _, p in modules()], ids=[n for n, _ in modules()])
def test_nothing_that_would_run_foreign_code(path: Path) -> None:
    calls = {
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call | ast.Import | ast.ImportFrom)
    }
    for call in calls:
        words = call.replace("model.eval()", "").replace(".eval()", "")
        assert not any(word in words for word in FORBIDDEN if word in words.split("'")[0]), call
