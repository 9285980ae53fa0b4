"""What came of a policy, as text, JSON, annotations of GitHub and JUnit."""

import json
from collections.abc import Iterator, Mapping, Sequence
from gettext import gettext as _
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from microleak.base.language import number_text
from microleak.policy.verdicts import BROKEN, UNMEASURED, BrokenRow, Verdict

_MOST_ROWS = 20
"""Rows that are said of a limit; the JSON has all."""


def said_of(verdict: Verdict) -> Iterator[str]:
    """Yield what a verdict says: its limit, and rows that break it."""
    limit = verdict.limit
    bound = limit.at_most or limit.at_least
    words = _("at most {bound}") if limit.is_upper else _("at least {bound}")
    worst = "" if verdict.worst is None else f"{verdict.worst:.6g}"
    asked = f"{limit.measure} {words.format(bound=bound)}"
    named = {
        "kept": _("kept"),
        "accepted": _("not kept, accepted"),
        "unmeasured": _("could not be measured"),
        "broken": _("BROKEN") if limit.severity == "error" else _("not kept (warning)"),
    }[verdict.status]
    said = f"{limit.name}: {named}: {asked}"
    if worst:
        said += _("; worst of {n} rows: {worst}").format(
            n=number_text(verdict.n_rows), worst=worst
        )
    yield said + (f" ({verdict.why})" if verdict.why else "")
    for row in verdict.broken[:_MOST_ROWS]:
        yield f"  {said_of_row(row)}"
    if len(verdict.broken) > _MOST_ROWS:
        more = number_text(len(verdict.broken) - _MOST_ROWS)
        yield _("  and {n} more").format(n=more)


def said_of_row(row: BrokenRow) -> str:
    of = ", ".join(f"{name} {text}" for name, text in row.of.items())
    where = f"{row.path}:{row.line}: " if row.path else ""  # A frame is no file
    return f"{where}{row.number:.6g} ({of})"


def annotations(
    verdicts: Sequence[Verdict], policy: Path, lines: Mapping[str, int]
) -> Iterator[str]:
    """Yield a workflow command of GitHub for each limit that is not kept."""
    for verdict in verdicts:
        if verdict.status not in (BROKEN, UNMEASURED):
            continue
        is_error = verdict.limit.severity == "error" or verdict.status == UNMEASURED
        kind = "error" if is_error else "warning"
        line = lines.get(verdict.limit.name, 1)
        text = "\n".join(said_of(verdict))
        for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
            text = text.replace(sign, code)
        yield f"::{kind} file={policy},line={line}::{text}"


def junit(verdicts: Sequence[Verdict], name: str) -> str:
    """Return a JUnit file with a test case a limit."""
    n_failed = sum(each.is_failed for each in verdicts)
    n_errors = sum(each.status == UNMEASURED for each in verdicts)
    suite = ET.Element(
        "testsuite",
        name=name,
        tests=str(len(verdicts)),
        failures=str(n_failed),
        errors=str(n_errors),
    )
    for verdict in verdicts:
        case = ET.SubElement(
            suite, "testcase", classname=verdict.limit.measure, name=verdict.limit.name
        )
        text = "\n".join(said_of(verdict))
        if verdict.status == UNMEASURED:
            ET.SubElement(case, "error", message=verdict.why).text = text
        elif verdict.is_failed:
            first = text.partition("\n")[0]
            ET.SubElement(case, "failure", message=first).text = text
        else:
            ET.SubElement(case, "system-out").text = text
    ET.indent(suite)
    return ET.tostring(suite, "unicode") + "\n"


def as_json(verdicts: Sequence[Verdict], known: Mapping[str, Any]) -> str:
    limits = [
        {
            "name": each.limit.name,
            "status": each.status,
            **each.limit.as_given(),
            "n_rows": each.n_rows,
            "worst": each.worst,
            "n_broken": len(each.broken),
            "broken": [
                {"file": row.path, "line": row.line, "number": row.number, **row.of}
                for row in each.broken
            ],
            "why": each.why,
        }
        for each in verdicts
    ]
    return json.dumps({**known, "limits": limits}, indent=1, ensure_ascii=False) + "\n"
