"""What an installation is made of: known weaknesses, licences and size.

    python scripts/supply.py [--audit PROGRAM] [--lock FILE]    of the Python that runs it

Licences and sizes are those of the installed distributions that the core needs; extras with
`--extra NAME`. `pip-audit` looks up the versions of the lock file, and needs the network: where it
cannot look up one of them, that is said and the exit code is 3, as for a core that is too large.
A known weakness is 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

MOST = 25, 450
"""Distributions and megabytes of the core."""
LOCK = Path(__file__).parent.parent / "core.lock"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audit", default="pip-audit", help="the program pip-audit")
    parser.add_argument("--lock", type=Path, default=LOCK)
    parser.add_argument(
        "--extra", action="append", default=[], help="extras that are looked at too"
    )
    given = parser.parse_args()
    found, missing = needed(given.extra)
    total = 0
    for name, one in sorted(found.items()):
        total += (size := size_of(one))
        print(f"{name:24} {one.version:14} {size / 1e6:6.1f} MB  {licence(one)}")
    unknown = [name for name, one in found.items() if licence(one) == UNKNOWN]
    print(f"{len(found)} distributions, {total / 1e6:.0f} MB; licence unknown: {unknown or 'none'}")
    if missing:
        print(f"Not installed, so nothing is known of these: {', '.join(missing)}")
    large = not given.extra and (len(found) > MOST[0] or total > MOST[1] * 1e6)
    if large:
        print("The core may have {} distributions and {} MB: take some out.".format(*MOST))
    return max(audit(given.audit, given.lock), 3 * bool(unknown or missing or large))


UNKNOWN = "unknown"


def needed(
    extras: Iterable[str] = (), root: str = "horsesense"
) -> tuple[dict[str, Distribution], list[str]]:
    """The distributions that `root` needs on this machine, by their names; and those missing."""
    found: dict[str, Distribution] = {}
    missing: set[str] = set()
    waiting, seen = [(root, frozenset(extras))], set[tuple[str, frozenset[str]]]()
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:  # extras may name each other in a circle
            continue
        seen.add((name, wanted))
        for text in distribution(name).requires or ():
            one = Requirement(text)
            key = canonicalize_name(one.name)
            marker = one.marker
            if marker and not any(marker.evaluate({"extra": e}) for e in (*wanted, "")):
                continue
            try:
                found[key] = distribution(key)
            except PackageNotFoundError:
                missing.add(key)
                continue
            waiting.append((key, frozenset(one.extras)))
    return found, sorted(missing)


def licence(one: Distribution) -> str:
    """As its metadata states it, in one line; "unknown" where they say nothing."""
    stated = one.metadata.get_all("Classifier") or []
    short = [text.rpartition(" :: ")[2] for text in stated if text.startswith("License :: ")]
    told = one.metadata.get("License-Expression") or "; ".join(short)
    line = (told or one.metadata.get("License") or "").strip().partition("\n")[0]
    return line if line and line.upper() != UNKNOWN.upper() else UNKNOWN


def size_of(one: Distribution) -> int:
    """Bytes of its files, as they lie on disk."""
    paths = (Path(str(one.locate_file(file))) for file in one.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


def audit(program: str, lock: Path) -> int:
    """What pip-audit knows of the versions of a lock file: 0, 1 or, where it cannot say, 3."""
    words = [program, "-r", str(lock), "--require-hashes", "--disable-pip", "--format", "json"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        told = json.loads(done.stdout)["dependencies"]
    except (OSError, ValueError, LookupError) as error:
        print(f"pip-audit did not run, so nothing is known of weaknesses: {error}")
        return 3
    weak = [f"{one['name']} {v['id']}" for one in told for v in one.get("vulns", ())]
    skipped = [one["name"] for one in told if "skip_reason" in one]
    print(f"pip-audit looked up {len(told) - len(skipped)} of {len(told)} versions.")
    if skipped:
        print(f"These could not be looked up: {', '.join(skipped)}")
    if len(told) > len(skipped):
        print(f"Known weaknesses of those looked up: {', '.join(weak) or 'none'}")
    return 1 if weak else 3 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
