"""The page of a paper: its template with tables of printed numbers and ours."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.markdown import duration, table
from benchmarks.reconstruction_page import Taken
from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT
from papers.comparison import Compared
from papers.facts import PAPER, TWIN

BENCHMARK: Final = ROOT / "docs" / "performance-reconstruction.json"
TEMPLATES: Final = Path(__file__).with_name("templates")
WITHIN: Final = (1, 3)
"""Points, or percent, within which numbers of a twin are counted."""


def page(paper: str, compared: Sequence[Compared]) -> str:
    """Return the page of a paper as Markdown.

    The template `templates/PAPER.md.j2` asks for `numbers("Table 4.4")`, a table of
    what is printed there and ours, `distances("Table 4.4")`, a sentence on it,
    `figure(file, what)`, a figure, `seconds(attack)`, the times of Nepomuceno's tables,
    and `summary()`, sentences on all numbers.

    Raises
    ------
    MicroleakError
        If the template leaves out what a place prints, or asks for one that prints
        nothing.
    """
    asked: set[str] = set()

    def numbers(where: str) -> str:
        asked.add(where)
        return numbers_table([each for each in compared if each.where == where])

    def distances(*where: str) -> str:
        return distances_of([each for each in compared if each.where in where])

    def figure(file: str, what: str) -> str:
        return f"![{what}]({paper}/{file.replace('/', '-')}.svg)"

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    text = environment.get_template(f"{paper}.md.j2").render(
        numbers=numbers,
        distances=distances,
        figure=figure,
        seconds=seconds,
        summary=lambda: summary(compared),
    )
    if asked != (places := {each.where for each in compared}):
        raise MicroleakError(
            f"papers/templates/{paper}.md.j2 and config/papers/{paper}.csv differ in: "
            f"{', '.join(sorted(asked ^ places))}. Correct one of them."
        )
    return text


def seconds(attack: str) -> str:
    """Return what an attack took in Nepomuceno's tables, and in our benchmark.

    The benchmark is that of docs/performance.md (`make bench-reconstruction`).
    """
    found = json.loads(BENCHMARK.read_text(encoding="utf-8"))
    taken = [Taken.of(each) for each in found["taken"]]
    rows = [
        [str(each.task.n), each.task.paper, duration(median(each.seconds))]
        for each in taken
        if each.task.attack == attack and each.task.paper
    ]
    return table(["n", "printed, in seconds", "ours"], rows)


def numbers_table(compared: Sequence[Compared]) -> str:
    """Return printed numbers and ours as a table, with their notes under it.

    A line has the values by which its row differs from others of the table.
    """
    labels = _labels(compared)
    notes = list(dict.fromkeys(each.note for each in compared if each.note))
    rows = [
        [
            label,
            f"`{each.column}`",
            each.printed + (f" [{notes.index(each.note) + 1}]" if each.note else ""),
            shown(each),
            difference(each),
        ]
        for label, each in zip(labels, compared, strict=True)
    ]
    text = table(["what", "measure", "printed", "ours", "difference"], rows)
    numbered = [f"[{i}] {note}" for i, note in enumerate(notes, 1)]
    return "\n\n".join([text, *numbered])


def _labels(compared: Sequence[Compared]) -> list[str]:
    """What tells the rows of a table apart, as far as their selections do."""
    selections = [
        {"": each.file.rpartition("/")[2]}
        | dict(part.split("=", 1) for part in each.row.split(";") if part)
        for each in compared
    ]
    names = list(dict.fromkeys(name for each in selections for name in each))
    varying = [n for n in names if len({each.get(n) for each in selections}) > 1]
    return [
        "; ".join(_words(name, each[name]) for name in varying if name in each)
        for each in selections
    ]


def _words(name: str, value: str) -> str:
    text = value.replace("|", ", ") or "none"
    return f"{name} {text}" if name not in {"", "qids", "qid", "state"} else text


def shown(each: Compared) -> str:
    """Write our number with as many digits as are printed.

    Examples
    --------
    >>> shown(Compared("", "", "", "", "5.88 %", "twin", "", "0.0651"))
    '6.51 %'
    >>> shown(Compared("", "", "", "", "2/3", "twin", "", "0.5"))
    '50.0000 %'
    """
    if each.measured in {"true", "false"}:
        return each.measured
    scale = 100 if each.is_share else 1
    digits = len(str(each.last_digit.denominator)) - 1 if each.last_digit else 6
    decimals = max(0, digits - (2 if each.is_share else 0))
    return f"{float(scale * each.ours):.{decimals}f}" + (" %" if each.is_share else "")


def difference(each: Compared) -> str:
    """Write how far our number is from the printed one.

    Points of a share, percent of another number.

    Examples
    --------
    >>> [
    ...     difference(Compared("", "", "", "", *given))
    ...     for given in [
    ...         ("5.88 %", "twin", "", "0.0651"),
    ...         ("2", "twin", "", "1.9"),
    ...         ("0.6667", "paper", "", "0.6666666666666666"),
    ...         ("true", "twin", "", "false"),
    ...     ]
    ... ]
    ['+0.63', '-5.0 %', 'none', 'differs']
    """
    if each.agrees and (each.data == PAPER or each.distance == 0):
        return "none"
    if each.measured in {"true", "false"}:
        return "differs"
    if each.is_share or each.value == 0:
        return f"{float(100 * each.distance):+.2f}"
    return f"{float(100 * each.distance / each.value):+.1f} %"


def distances_of(compared: Iterable[Compared]) -> str:
    """Return sentences on how near numbers of a twin are; those with a note are not."""
    known = [each for each in compared if each.data == TWIN and not each.note]
    within = (
        f"within {points}: {sum(each.off <= points for each in known)} of {len(known)}"
        for points in WITHIN
    )
    largest = max(float(each.off) for each in known)
    return (
        f"Distances from the printed numbers, in points of a share or percent of "
        f"another number, are {'; '.join(within)}. The largest is {largest:.2f}."
    )


def summary(compared: Sequence[Compared]) -> str:
    """Return sentences on all numbers of a paper."""
    own = [each for each in compared if each.data == PAPER]
    lines = []
    if own:
        agree, noted = sum(each.agrees for each in own), sum(bool(e.note) for e in own)
        errata = f", and {noted} that differ have a note" if noted else ""
        lines.append(
            f"Of {len(own)} numbers that follow from tables that the paper prints, "
            f"{agree} agree to the last digit{errata}."
        )
    twin = [each for each in compared if each.data == TWIN]
    if any(not each.note for each in twin):
        lines.append(
            f"The others are of synthetic data. {distances_of(twin)} Numbers with a "
            "note are not counted here."
        )
    return " ".join(lines)
