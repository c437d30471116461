"""What a gate writes for continuous integration: JUnit XML, and Markdown for a job's summary.

Names of models and items come from files that others wrote: nothing in them may become markup.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from horsesense.comparison.gates.gate import Check, Verdict

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|<>@~&$])")


def junit(verdict: Verdict, name: str) -> bytes:
    """A test suite with one case a check, for whatever shows test results."""
    kinds = [_kind(verdict, check) for check in verdict.checks]
    suite = ElementTree.Element(
        "testsuite",
        name=_legal(f"horsesense gate {name}"),
        tests=str(len(verdict.checks)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
    )
    for check, kind in zip(verdict.checks, kinds, strict=True):
        _case(check, kind, suite)
    if verdict.notes:
        ElementTree.SubElement(suite, "system-out").text = _legal("\n".join(verdict.notes))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    found: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return found


def _case(check: Check, kind: str, suite: ElementTree.Element) -> None:
    of = "regression" if "change" in check.values else "requirement"
    attributes = {"classname": f"horsesense.{of}", "name": _legal(check.name)}
    case = ElementTree.SubElement(suite, "testcase", attributes)
    says = _legal(check.says)
    if kind in ("failure", "error"):
        ElementTree.SubElement(case, kind, message=says, type=check.state).text = says
    elif kind == "skipped":
        ElementTree.SubElement(case, kind, message=f"undecided: {says}")
    else:
        ElementTree.SubElement(case, kind).text = says


def _kind(verdict: Verdict, check: Check) -> str:
    """What a check is in JUnit: whatever makes the command fail is red there."""
    if verdict.fails(check):
        return "failure"
    doubt = "skipped" if verdict.on_doubt == "pass" else "error"
    return doubt if check.state == "undecided" else "system-out"


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)


def markdown(verdict: Verdict, name: str) -> str:
    """A heading, a sentence, a table of all checks and the notes."""
    lines = [
        f"### horsesense gate: {verdict.result}",
        "",
        f"{_plain(name)}: {_plain(verdict.in_numbers)}",
        "",
        "| | check | what was seen |",
        "|---|---|---|",
        *(_row(verdict, c) for c in sorted(verdict.checks, key=lambda c: not verdict.fails(c))),
        *([""] * bool(verdict.notes)),
        *(f"- {_plain(note)}" for note in verdict.notes),
    ]
    return "\n".join(lines) + "\n"


def _row(verdict: Verdict, check: Check) -> str:
    mark = "**failed**" if verdict.fails(check) else check.state
    return f"| {mark} | {_plain(check.name)} | {_plain(check.says)} |"


def _plain(text: str) -> str:
    """A text on one line, without any markup, link, mention or formula."""
    one = " ".join(_legal(text).split())
    # An address alone would become a link.
    return _MARKUP.sub(r"\\\1", one).replace("://", ":&#8203;//").replace("www.", "www&#46;")
