"""A run that can be shown without giving its items away: one file, texts as keyed hashes.

Every text of an item, and every name that could be looked up (ids, clusters, request keys), becomes
a BLAKE2b hash under a secret key of 32 random bytes. Short texts ("Yes", a year) can be guessed, so
a hash without a secret hides nothing; with the key unknown, guesses cannot be tried. Option texts
are hashed together with their item, so that equal options of different items cannot be counted.
Prompts and replies are left out. Readings and numbers stay whole.
"""

from __future__ import annotations

import re
import secrets
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import orjson
import polars as pl

from horsesense.errors import UsageError
from horsesense.files import empty_place, read_whole, write_whole
from horsesense.items.item import Item, ItemSet
from horsesense.kept import NAME as MANIFEST
from horsesense.probes.registry import parse_probe
from horsesense.runs.directory import RunDirectory, told_of
from horsesense.runs.layout import RunLayout, parts_of
from horsesense.runs.parts import sound, write_table
from horsesense.runs.record import ItemsRecord
from horsesense.runs.redacted import MARK
from horsesense.runs.results import Results
from horsesense.runs.settings import Settings

KEY_BYTES: Final = 32
KEPT_EXTRAS: Final = frozenset(
    ("kind", "person", "marked", "quality", "lines", "shows", "cot", "examples", "way")
)
"""What a prompt says besides the item, as far as it says nothing of the item."""
WHOLE_TRIALS: Final = frozenset(
    ("probe", "condition", "settings", "answer_format", "expects", "form", "labels")
)
"""Columns of trials with texts that are none of an item's."""
WHOLE_READINGS: Final = frozenset(("reader", "status", "rule"))
_RULE: Final = re.compile(r"[\w .:+()/-]{0,60}")


@dataclass(frozen=True)
class Redaction:
    """The hashes of one run.

    Attributes:
        key: the secret.
        items: the items whose texts are hidden.
    """

    key: bytes
    items: ItemSet

    def hashed(self, kind: str, *parts: str) -> str:
        """A hash of texts under the key; `kind` keeps texts of different kinds apart."""
        content = orjson.dumps([kind, *parts])
        return f"{kind}-{blake2b(content, key=self.key, digest_size=12).hexdigest()}"

    def id(self, item_id: str) -> str:
        return self.hashed("item", item_id)

    def option(self, item_id: str, text: str) -> str:
        """An option of an item; class names of the task stay."""
        return text if text in self.classes else self.hashed("text", item_id, text)

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of the task's classes, which are no item's; none where options are texts."""
        return frozenset(self.items.labels)

    def item(self, item: Item) -> Item:
        """An item with hashes for its texts; its subject and split stay."""

        def text(value: str | None) -> str | None:
            return None if value is None else self.hashed("text", item.id, value)

        return replace(
            item,
            id=self.id(item.id),
            question=self.hashed("text", item.id, item.question),
            options=tuple(self.option(item.id, option) for option in item.options),
            context=text(item.context),
            text_b=text(item.text_b),
            target=text(item.target),
            cluster=None if item.cluster is None else self.hashed("cluster", item.cluster),
            paraphrases=tuple(self.hashed("text", item.id, p) for p in item.paraphrases),
        )

    def set(self, items: ItemSet) -> ItemSet:
        """A set with hashes for its texts; notes on how it was read are left out."""
        return replace(
            items,
            items=tuple(map(self.item, items)),
            whole=(),
            flags={flag: frozenset(map(self.id, ids)) for flag, ids in items.flags.items()},
            source="",
            notes=(),
        )

    def settings(self, settings: Settings) -> Settings:
        """Settings without paths and addresses, and without texts that rows were chosen by."""
        bare = {
            name: None if value is None else Path(value).name
            for name in ("shots_from", "templates", "task")
            for value in [getattr(settings, name)]
        }
        items = Path(settings.items).name or settings.items
        chosen = {
            name: {field: self.hashed(name, field, text) for field, text in value.items()}
            for name, value in (("where", settings.where), ("map", settings.map))
        }
        probes = tuple(self.elsewhere(spec) for spec in settings.probes)
        against = settings.against and self.hashed("model", settings.against)
        named = {"items": items, "probes": probes, "against": against}
        return settings.model_copy(update={**named, **bare, **chosen})

    def elsewhere(self, spec: str) -> str:
        """A probe without the address of another server."""
        found = _against(spec)
        return spec.replace(found, self.hashed("model", found)) if found else spec

    def names(self, value: Any, renamed: Mapping[str, str]) -> Any:
        """A JSON value in which texts, and parts of signatures, have other names."""
        if isinstance(value, dict):
            return {self.names(k, renamed): self.names(v, renamed) for k, v in value.items()}
        if isinstance(value, list):
            return [self.names(one, renamed) for one in value]
        return renamed.get(value, value) if isinstance(value, str) else value

    def trials(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The table of trials without a text of an item."""

        def hidden(name: str, hide: Callable[[str, Any], Any]) -> pl.Series:
            cells = zip(frame["item_id"].to_list(), frame[name].to_list(), strict=True)
            return pl.Series(name, [hide(*cell) for cell in cells], dtype=frame.schema[name])

        def short(item: str, text: str) -> str:
            return text if len(text) <= 3 else self.option(item, text)

        made = [
            hidden("item_id", lambda item, _: self.id(item)),
            hidden("options", lambda item, shown: [self.option(item, text) for text in shown]),
            hidden("labels", lambda item, shown: [short(item, text) for text in shown]),
            hidden("extras", self._extras),
            hidden("key", lambda _, key: blake2b(key, key=self.key, digest_size=16).digest()),
        ]
        known = {column.name for column in made} | WHOLE_TRIALS
        return _without_texts(frame, known).with_columns(made).select(frame.columns)

    def _extras(self, item_id: str, text: str) -> str:
        if not text:
            return text
        told = orjson.loads(text)
        for name, value in told.items():
            if isinstance(value, str) and name not in KEPT_EXTRAS:
                told[name] = self.option(item_id, value)
        return orjson.dumps(told).decode()

    def readings(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The table of readings; a rule that is no name is hidden."""
        rules = [
            rule if _RULE.fullmatch(rule) else self.hashed("rule", rule)
            for rule in frame["rule"].to_list()
        ]
        kept = _without_texts(frame, set(WHOLE_READINGS))
        return kept.with_columns(pl.Series("rule", rules)).select(frame.columns)


def _without_texts(frame: pl.DataFrame, known: set[str]) -> pl.DataFrame:
    """The same with empty texts in all columns of texts that nobody has vouched for."""
    texts = (pl.String, pl.Binary, pl.List(pl.String))
    unknown = [n for n, kind in frame.schema.items() if kind in texts and n not in known]
    return frame.with_columns(pl.lit(None, dtype=frame.schema[n]).alias(n) for n in unknown)


def secret(path: Path | None) -> bytes:
    """The key in a file, which is made where there is none; a new one that nobody keeps without.

    UsageError for a file that holds no such key.
    """
    if path is None:
        return secrets.token_bytes(KEY_BYTES)
    if not path.exists():
        made = secrets.token_bytes(KEY_BYTES)
        write_whole(path, f"{made.hex()}\n")
        return made
    try:
        found = bytes.fromhex(read_whole(path, 1024).decode("ascii").strip())
    except (OSError, ValueError):
        found = b""
    if len(found) != KEY_BYTES:
        raise UsageError(
            f"{path} does not hold a key of {KEY_BYTES} bytes in hexadecimal.",
            hint="Name a file that is not there yet: a key is then made and kept in it.",
        )
    return found


def write_redacted(results: Results, out: Path, key: bytes) -> Path:
    """Write a run as one file that gives no item away.

    Raises StoreError where the run cannot be read or the file cannot be written.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _fill(results, RunLayout(root), Redaction(key, results.items))
        buffer = BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(root.rglob("*")):
                if path.is_file() and path.name != MANIFEST:
                    # No time of day: equal runs and keys make equal files.
                    entry = zipfile.ZipInfo(path.relative_to(root).as_posix())
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    packed.writestr(entry, path.read_bytes())
    write_whole(empty_place(out), buffer.getvalue())
    return out


def _fill(results: Results, layout: RunLayout, hidden: Redaction) -> None:
    """The files of the redacted run."""
    old = results.directory
    shots = None if old.shots is None else hidden.set(old.shots)
    items, settings = hidden.set(old.items), hidden.settings(old.settings)
    model = old.known.model.model_copy(
        update={"identity": hidden.hashed("model", old.known.model.identity)}
    )
    settings = settings.model_copy(update={"model": old.known.model.name})
    record = old.known.model_copy(
        update={
            "settings": settings,
            "items": ItemsRecord(name=items.name, fingerprint=items.fingerprint, count=len(items)),
            "model": model,
            "answers": 0,  # the copy holds none
            "last_answer": "",
        }
    )
    new = RunDirectory(layout, settings, items, shots, record)
    record.save(layout.record)
    new.save_items()
    renamed = {item.id: hidden.id(item.id) for item in old.items}
    plans = _tables(old, layout, hidden)
    told = hidden.names(old.settled().model_dump(mode="json"), renamed)
    told |= {"question": new.question(), "plan": plans}
    told["spent"] |= {"last_failure": None}
    write_whole(layout.asked, _fingerprints(told, old, new))
    findings = hidden.names(dict(results.findings), renamed)
    findings["study"] = settings.model_dump(mode="json", exclude_none=True)
    findings["dataset"] |= {"notes": []}
    findings["model"] |= {"identity": model.identity}
    findings["run"] |= {"last_failure": None}
    rows = [estimate.as_json() for estimate in results.estimates]
    write_whole(layout.estimates, _fingerprints({**findings, "estimates": rows}, old, new))
    write_whole(
        layout.root / MARK,
        orjson.dumps(
            {
                "redacted": 1,
                "hash": "BLAKE2b-96 under a secret key that is not in this file",
                "left out": ["prompts", "replies", "notes on the items"],
                "readable": ["class names", "subjects", "settings of the probes"],
            },
            option=orjson.OPT_INDENT_2,
        ),
    )


def _fingerprints(value: Any, old: RunDirectory, new: RunDirectory) -> bytes:
    """JSON with the fingerprints of the hashes: on those of the texts, guesses could be tried."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    for one, other in ((old.items, new.items), (old.shots, new.shots)):
        if one is not None and other is not None:
            text = text.replace(one.fingerprint.encode(), other.fingerprint.encode())
    for before, after in zip(old.settings.probes, new.settings.probes, strict=True):
        if found := _against(before):
            text = text.replace(found.encode(), _against(after).encode())
    return text


def _against(spec: str) -> str:
    """The other model that a probe asks; "" where it asks none."""
    made = parse_probe(spec) if spec.startswith("server(") else None  # a plug-in may be gone
    return str(getattr(made, "against", ""))


def _tables(old: RunDirectory, layout: RunLayout, hidden: Redaction) -> dict[str, str]:
    """Trials and readings, part by part; returns stage -> fingerprint of its trials."""
    plans = old.settled().plan
    named = {str(stage): hidden.hashed("plan", plan) for stage, plan in plans.items()}
    for stage in plans:
        for path in parts_of(old.layout.trials_of(stage)):
            frame = hidden.trials(pl.read_parquet(sound(path), glob=False))
            write_table(layout.trials_of(stage) / path.name, frame)
    for reader, version in old.known.readers.items():
        source, target = (each.readings_of(reader, version) for each in (old.layout, layout))
        told = told_of(source)
        kept = {name: told[name] for name in ("name", "version", "rows") if name in told}
        read = {stage: named[stage] for stage in told.get("plan", {}) if stage in named}
        write_whole(target / "reader.json", orjson.dumps({**kept, "plan": read}))
        for stage in read:
            for path in parts_of(source / f"stage-{stage}"):
                frame = hidden.readings(pl.read_parquet(sound(path), glob=False))
                write_table(target / f"stage-{stage}" / path.name, frame)
    return named
