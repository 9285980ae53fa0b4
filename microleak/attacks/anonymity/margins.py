"""Published counts of a population by some attributes, in a CSV file."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pydantic.dataclasses import dataclass as validated

from microleak.base.errors import StudyError
from microleak.study_file.published import COUNT, MISSING, Form, cells_of, read_rows
from microleak.study_file.totals import written_totals


@validated(frozen=True)
class Margin:
    """Persons of a population by some attributes: values and `counts` of each cell."""

    # A missing value is the empty text. `sums` are attributes and values whose counts
    # are the sums of all others', so that they are totals unless the sample has them,
    # and what to say.

    path: str
    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    sums: tuple[tuple[str, str, str], ...] = ()

    @cached_property
    def persons(self) -> Mapping[tuple[str, ...], int]:
        return dict(zip(self.values, self.counts, strict=True))


def read_margin(path: Path, qids: Sequence[str], where: str) -> Margin:
    """Return the published counts of a file: a header of QIDs and `count`, and lines.

    No message has the content of a cell.
    """
    form = Form({COUNT: r"\d{1,15}"}, attributes=qids)
    rows = read_rows(path, form, where)
    cells = cells_of(rows, f"{where}: {path}")
    counted = [row.counted(str(path)) for row in rows]
    sums = []
    for found in written_totals([counted], ()):
        said = (
            f"{where}: {found.said} add lines with * as {found.name} that count "
            "everybody."
        )
        if found.by_words:
            raise StudyError(said)
        sums.append((found.name, _known(found.value), said))
    values = tuple(tuple(map(_known, row.values.values())) for row in cells)
    counts = tuple(int(row.numbers[COUNT]) for row in cells)
    return Margin(str(path), tuple(cells[0].values), values, counts, tuple(sums))


def _known(text: str) -> str:
    """Return a value as the records have it."""
    return "" if text == MISSING else text
