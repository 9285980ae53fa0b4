"""The page of a paper: its template with tables of printed numbers and ours."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.markdown import duration, table
from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT
from papers.comparison import Compared
from papers.facts import PAPER, TWIN

BENCHMARK: Final = ROOT / "docs" / "performance-reconstruction.json"
TEMPLATES: Final = Path(__file__).with_name("templates")
PLAIN: Final = {"", "analysis", "auxiliary", "model", "qids", "qid"}
"""Names that a value is understood without."""
WITHIN: Final = (1, 3)
"""Points, or percent, within which numbers of a twin are counted."""


def page(paper: str, compared: Sequence[Compared]) -> str:
    """Return the page of a paper as Markdown.

    The template `templates/PAPER.md.j2` asks for `numbers("Example 47", ...)`, a line
    for each number that is printed there, or `grid("Table 4.4")`, the table as the
    paper has it with ours in each cell, `distances("Table 4.4")`, a sentence on it,
    `figure(file, what)`, a figure, `seconds(attack)`, the times of Nepomuceno's tables,
    and `summary()`, sentences on all numbers.

    Raises
    ------
    MicroleakError
        If the template leaves out what a place prints, or asks for one that prints
        nothing.
    """
    asked: set[str] = set()

    def printed_at(*places: str) -> list[Compared]:
        asked.update(places)
        return [each for each in compared if each.where in places]

    def figure(file: str, what: str) -> str:
        return f"![{what}]({paper}/{file.replace('/', '-')}.svg)"

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    text = environment.get_template(f"{paper}.md.j2").render(
        numbers=lambda *places: numbers_table(printed_at(*places)),
        grid=lambda where: grid_table(printed_at(where)),
        distances=lambda where: distances_of(printed_at(where)),
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
    rows = [
        [str(task["n"]), task["paper"], duration(median(each["seconds"]))]
        for each in found["taken"]
        if (task := each["task"])["attack"] == attack and task["paper"]
    ]
    return table("n | printed, in seconds | ours", rows)


def numbers_table(compared: Sequence[Compared]) -> str:
    """Return printed numbers and ours as a table, with their notes under it.

    A line has the values by which its row differs from others of the table; columns in
    which every line has nothing to say are left out. Of numbers that follow from tables
    that the paper prints, only those have a line that differ or have a note.
    """
    lines = [
        (label, each)
        for label, each in zip(_labels(compared), compared, strict=True)
        if each.data != PAPER or each.note or not each.agrees
    ]
    n_agreed = len(compared) - len(lines)
    if not lines:
        said = "The number agrees" if n_agreed == 1 else f"All {n_agreed} numbers agree"
        return f"{said} to the last digit."
    notes = _notes(compared)
    rows = [
        [
            label,
            f"`{each.column}`",
            each.printed + _mark(each, notes),
            shown(each),
            difference(each),
        ]
        for label, each in lines
    ]
    heads = ["what", "measure", "printed", "ours", "difference"]
    told = [i for i in range(len(heads)) if {row[i] for row in rows} - {"", "none"}]
    text = table(
        " | ".join(heads[i] for i in told), ([row[i] for i in told] for row in rows)
    )
    parts = [text, *_numbered(notes)]
    if n_agreed:
        n_own = sum(each.data == PAPER for each in compared)
        parts.insert(0, f"{n_agreed} of {n_own} numbers agree to the last digit.")
    return "\n\n".join(parts)


def grid_table(compared: Sequence[Compared]) -> str:
    """Return the printed table with ours in each cell, and the notes under it.

    A line of it is what the first name of a row selects; a column is a measure and
    what else selects the row. A quotient of counts is shown in percent.
    """
    notes = _notes(compared)
    lines: dict[str, dict[str, str]] = {}
    selections = [_selection(each) for each in compared]
    varying = _varying([{n: s[n] for n in list(s)[1:]} for s in selections])
    for each, selected in zip(compared, selections, strict=True):
        first, *others = selected
        head = [f"`{each.column}`" + (", by count" if "/" in each.printed else "")]
        head += [_words(n, selected[n]) for n in others if n in varying]
        cell = f"{_in_percent(each)}→{shown(each)}".replace(" %", "")
        line = lines.setdefault(_words("", selected[first]), {})
        line[", ".join(head)] = cell + _mark(each, notes)
    heads = list(dict.fromkeys(head for line in lines.values() for head in line))
    rows = [[name, *(line.get(h, "") for h in heads)] for name, line in lines.items()]
    text = table(" | ".join(["printed→ours", *heads]), rows)
    return "\n\n".join([text, *_numbered(notes)])


def _in_percent(each: Compared) -> str:
    if "/" in each.printed:
        return f"{float(100 * each.value):.4f}"
    return each.printed


def _notes(compared: Sequence[Compared]) -> list[str]:
    return list(dict.fromkeys(each.note for each in compared if each.note))


def _mark(each: Compared, notes: list[str]) -> str:
    return f" [{notes.index(each.note) + 1}]" if each.note else ""


def _numbered(notes: list[str]) -> list[str]:
    return [f"[{i}] {note}" for i, note in enumerate(notes, 1)]


def _labels(compared: Sequence[Compared]) -> list[str]:
    """Return what tells the rows of a table apart."""
    selections = [
        {"": each.file.rpartition("/")[2]} | _selection(each) for each in compared
    ]
    varying = _varying(selections)
    return [
        "; ".join(_words(name, each[name]) for name in varying if name in each)
        for each in selections
    ]


def _selection(each: Compared) -> dict[str, str]:
    return dict(part.split("=", 1) for part in each.row.split(";") if part)


def _varying(selections: Sequence[dict[str, str]]) -> list[str]:
    """Return the names whose values differ among selections, in their order."""
    names = dict.fromkeys(name for each in selections for name in each)
    return [n for n in names if len({each.get(n) for each in selections}) > 1]


def _words(name: str, value: str) -> str:
    text = value.replace("|", ", ") or "none"
    return text if name in PLAIN else f"{name} {text}"


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
    """Return a sentence on how near numbers of a twin are, but those with a note."""
    known = [each for each in compared if each.data == TWIN and not each.note]
    near, all_near = (sum(each.off <= points for each in known) for points in WITHIN)
    largest = max(float(each.off) for each in known)
    return (
        f"{near} of {len(known)} numbers are within {WITHIN[0]} and {all_near} within "
        f"{WITHIN[1]}; the largest distance is {largest:.2f}."
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
            "The others are of synthetic data. Distances from the printed numbers are "
            f"points of a share, or percent of another number: {distances_of(twin)} "
            "Numbers with a note are not counted here."
        )
    return " ".join(lines)
