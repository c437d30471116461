"""The code that decides a reader's readings, and its hash: what `RULES.source` is held to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

_ROOMS = ("errors", "inference", "models", "plugins", "probes", "progress", "rng", "side", "trials")
PLAIN = frozenset((*_ROOMS, "readers.base", "readers.registry", "readers.version"))
"""Rooms and modules that say what is asked and how it is kept: no reading depends on how."""


def deciding(module: str, root: Path) -> dict[str, Path]:
    """Modules of ours below `root` that a reader's module depends on, itself included, by name."""
    found: dict[str, Path] = {}
    left = [module]
    while left:
        name = left.pop()
        within = name.partition(".")[2]
        if name in found or {within, within.split(".")[0]} & PLAIN:
            continue
        found[name] = _file(name, root)
        left += _imported(found[name], root)
    return found


def source_hash(module: str, root: Path) -> str:
    """Short hash of all code, and of all weights, that a reader's readings depend on.

    Comments, docstrings, layout, the places of modules and the recorded hashes themselves are
    left out. The same for every version of Python.
    """
    files = deciding(module, root).values()
    learnt = {data for path in files for data in path.parent.glob("weights.json")}
    dumps = sorted(_dumped(path.read_text(encoding="utf-8")) for path in files)
    dumps += sorted(path.read_text(encoding="utf-8") for path in learnt)
    return blake2b("\n".join(dumps).encode(), digest_size=6).hexdigest()


def _file(module: str, root: Path) -> Path:
    path = root.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(path: Path, root: Path) -> Iterator[str]:
    """Modules of ours that a file imports, anywhere in it."""
    for package, name in _names(path.read_text(encoding="utf-8")):
        inner = f"{package}.{name}"
        yield inner if _file(inner, root).exists() else package


@cache
def _names(text: str) -> list[tuple[str, str]]:
    """(module, name) of what a source imports from our packages."""
    return [
        (node.module or "", alias.name)
        for node in filter(_own, ast.walk(ast.parse(text)))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


@cache
def _dumped(text: str) -> str:
    """A source as it is hashed."""
    return _dump(_bare(ast.parse(text)))


def _own(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("horsesense")


def _bare(tree: ast.AST) -> ast.AST:
    """Without texts that are statements, imports of this package, and `RULES`."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                setattr(node, name, [one for one in statements if not _silent(one)])
    return tree


def _silent(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    if isinstance(node, ast.AnnAssign | ast.Assign):
        names = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [ast.unparse(name) for name in names] == ["RULES"]
    return _own(node)


def _dump(value: object) -> str:
    """A tree as a text; what is empty is left out, since Python's versions differ in it."""
    if isinstance(value, ast.AST):
        fields = ((name, getattr(value, name, None)) for name in value._fields if name != "ctx")
        inner = ",".join(
            f"{name}={_dump(field)}" for name, field in fields if field not in (None, [])
        )
        return f"{type(value).__name__}({inner})"
    if isinstance(value, list):
        return f"[{','.join(map(_dump, value))}]"
    return repr(value)
