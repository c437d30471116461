"""The stated version of each reader: no rule changes without it, and nothing else changes it."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import horsesense
from each import each
from horsesense.readers.model_based.make import MODEL_READERS
from horsesense.readers.registry import READERS, make_reader
from horsesense.readers.version import Rules
from rules import deciding, source_hash

SOURCE = Path(horsesense.__file__).parents[1]
MODULES = {
    **{name: kind.__module__ for name, kind in READERS.own.items()},
    **{name: scheme.module for name, scheme in MODEL_READERS.items()},
}
"""Reader -> its module."""


def stated(reader: str) -> Rules:
    rules = import_module(MODULES[reader]).RULES
    assert isinstance(rules, Rules)
    return rules


@each("reader", MODULES)
def test_no_rule_changes_without_its_version(reader: str) -> None:
    found = source_hash(MODULES[reader], SOURCE)
    assert stated(reader).source == found, (
        f"Code that decides the readings of {reader!r} has changed. In {MODULES[reader]}, raise "
        f"RULES.version if any reading could now be another (not of a new reader), and record"
        f" source={found!r}."
    )


@each("reader", READERS.own)
def test_the_stated_version_is_the_readers(reader: str) -> None:
    assert make_reader(reader).version.split(",")[0] == stated(reader).version


DECIDES = {
    "readers/formats/lines.py": {"text", "cascade"},
    "readers/formats/index_json.py": {"text", "cascade"},
    "readers/text/words.py": {"text", "judge", "trained", "cascade"},
    "items/none_options.py": {"text", "cascade"},
    "readers/logprobs/first_token.py": {"first_token", "option_text", "pride"},
    "stats/pride.py": {"pride"},
    "readers/model_based/cases.py": {"judge", "trained", "cascade"},
    "readers/model_based/judge.py": {"judge", "cascade"},
    "../horsesense_extras/readers/trained/scorers.py": {"trained"},
    "inference/runner.py": set(),
}


def test_a_changed_rule_is_found_where_it_decides_and_a_comment_nowhere(tmp_path: Path) -> None:
    """Of the copy of a package, because the source of this one stays as it is."""
    ignore = shutil.ignore_patterns("__pycache__", "report", "cue_tests")
    root = Path(shutil.copytree(SOURCE, tmp_path / "src", ignore=ignore))
    texts = {root / "horsesense" / changed: readers for changed, readers in DECIDES.items()}
    before = hashes(root)
    for path in texts:
        with path.open("a", encoding="utf-8") as file:
            file.write('\n# A comment.\n"""And a docstring."""\n')
    assert hashes(root) == before
    for path, readers in texts.items():
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n_ANOTHER = 1\n", encoding="utf-8")
        found = {name for name, found in hashes(root).items() if found != before[name]}
        assert found == readers, path
        path.write_text(text, encoding="utf-8")


def hashes(root: Path) -> dict[str, str]:
    return {reader: source_hash(module, root) for reader, module in MODULES.items()}


def test_all_that_replies_are_read_with_is_hashed() -> None:
    """Each module of these folders, so that nothing decides unseen behind an import."""
    found = set(deciding(MODULES["text"], SOURCE))
    readers = SOURCE / "horsesense" / "readers"
    for folder in ("text", "formats"):
        names = {path.stem for path in (readers / folder).glob("*.py")} - {"__init__"}
        assert {f"horsesense.readers.{folder}.{name}" for name in names} <= found
