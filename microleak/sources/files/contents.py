"""First and last lines of a delimited text, judged by the rows between them.

A header that is a record, titles above it, questions or types below it and totals or
notes at the end are lines like any others to a reader: each would be a person, or name
the columns by one. What cannot be told by other rows is taken for what it should be.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from gettext import gettext as _
from gettext import ngettext
from itertools import islice, pairwise

from microleak.base.errors import TableError
from microleak.base.total_words import begins_a_note, is_missing, is_statistic, is_type
from microleak.sources.definitions.definition import SourceDefinition

TextRow = list[str]
RowAndLine = tuple[int, TextRow]  # A row, and the line where it begins
# Rows that a header is compared with, and lines above and below it that may be no
# records
MOST_ROWS, MOST_TITLES, MOST_BELOW = 500, 20, 3
FEWEST = 3  # Rows without which nothing is told by them
NUMBER = re.compile(r"[-+]?\d[\d.,/:% -]*(T[\d:.]+Z?)?", re.ASCII)
_IMPORT_ID = '{"importid"'


@dataclass(frozen=True)
class ComparedColumn:
    """Values of a column in the rows that others are compared with."""

    values: Counter[str]
    n_rows: int

    @cached_property
    def n_filled(self) -> int:
        return self.values.total()

    @cached_property
    def is_numeric(self) -> bool:
        """Whether its values, of which there are some, have no letters."""
        return self.n_filled >= FEWEST and all(map(NUMBER.fullmatch, self.values))

    @property
    def is_of_texts(self) -> bool:
        """Whether it has several values, none of which is a number."""
        return len(self.values) > 1 and not any(map(NUMBER.fullmatch, self.values))

    @property
    def has_few(self) -> bool:
        """Whether its values are texts, most of which are there several times."""
        most = max(2, self.n_filled // 5)
        is_few = self.n_filled > FEWEST and len(self.values) <= most
        return is_few and not self.is_numeric


def columns_of(rows: Sequence[TextRow]) -> list[ComparedColumn]:
    return [
        ComparedColumn(Counter(c for c in cells if not is_missing(c)), len(rows))
        for cells in zip(*rows, strict=True)
    ]


def rows_of(
    text: str, definition: SourceDefinition, n_most: int = MOST_ROWS
) -> list[RowAndLine]:
    """Return the first rows of a text but blank ones and a last one that may be cut."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=definition.delimiter,
        quoting=csv.QUOTE_MINIMAL if definition.quote else csv.QUOTE_NONE,
    )
    found, first = [], 1
    with suppress(csv.Error):  # of which is told where the rows are read
        for row in islice(reader, n_most):
            found.append((first, row))
            first = reader.line_num + 1
    is_cut = len(found) < n_most and not text.endswith(("\n", "\r"))
    return [line for line in found[: len(found) - is_cut] if line[1]]


def line_of_names(lines: Sequence[RowAndLine]) -> int | None:
    """Return the line below titles that has the names of the columns; None without."""
    # A title is one value, or has fewer than the last row; so have no rows below names.
    length = len(lines[-1][1]) if lines else 0
    is_title = [n_filled(row) < 2 or len(row) < length for _, row in lines]
    place = (*is_title[: MOST_TITLES + 1], False).index(False)
    rows = [row for _, row in lines[place + 1 :]]
    if not place or len(rows) < FEWEST or any(len(row) != length for row in rows):
        return None
    line, names = lines[place]
    return line if len(names) == length and _is_header(names, rows) else None


def n_filled(row: TextRow) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _is_header(names: TextRow, rows: Sequence[TextRow]) -> bool:
    pairs = [*zip(names, columns_of(rows), strict=True)]
    if not all(names) or len(set(names)) < len(names):
        return False
    n_texts = sum(c.is_numeric and not NUMBER.fullmatch(n) for n, c in pairs)
    is_odd = n_texts > 0 or any(c.has_few for _, c in pairs)
    return is_odd and not any(_fits(name, column) for name, column in pairs)


def is_record(names: TextRow, rows: Sequence[TextRow]) -> bool:
    """Say whether a header is more like the rows below it than like names of columns.

    It is none if one of its names is a text above numbers. A number above numbers of as
    many digits, and a text that its own column has among others, are signs of a record,
    unless numbers are years, or count up, or other columns have the text too, as where
    options are ranked; a text that a column of few lacks is none.
    """
    # That a header is there once more is told where all rows are read.
    is_named = len({*names}) == len(names)
    below = [r for r in rows if not is_named or _plain_names(r) != _plain_names(names)]
    if len(names) == 1 and _is_frequent(names[0], rows):
        return True
    if len(below) < FEWEST:
        return False
    pairs = [*zip(names, columns_of(below), strict=True)]
    numbers = [(name, c) for name, c in pairs if c.is_numeric and not is_missing(name)]
    if any(_shape(name) not in _shapes(c, _shape) for name, c in numbers):
        return False
    n_signs = (
        0
        if _count_up([n for n, _ in numbers])
        else sum(_digits(name) in _shapes(c, _digits) for name, c in numbers)
    )
    texts = [(name, c) for name, c in pairs if not (c.is_numeric or is_missing(name))]
    n_having = Counter(value for _, c in pairs for value in c.values)
    n_signs += sum(
        name in c.values and c.is_of_texts and (n_having[name] == 1 or not is_named)
        for name, c in texts
    )
    return n_signs > sum(c.has_few and name not in c.values for name, c in texts)


def _is_frequent(name: str, rows: Sequence[TextRow]) -> bool:
    """Whether a text is there more than once, and in a fifth of the rows."""
    n_equal = rows.count([name])
    is_text = not (NUMBER.fullmatch(name) or is_missing(name))
    return is_text and n_equal > 1 and 5 * n_equal >= len(rows) >= FEWEST


def _plain_names(row: TextRow) -> set[str]:
    return {name.strip("\ufeffï»¿ ").casefold() for name in row}


_shape = partial(re.sub, r"\d+", "9")
_digits = partial(re.sub, r"\d", "9")


def _shapes(column: ComparedColumn, shape: Callable[[str], str]) -> set[str]:
    return {shape(value) for value in column.values}


def _count_up(names: Sequence[str]) -> bool:
    """Whether names are years, or numbers with the same step from each to the next."""
    if not all(re.fullmatch(r"\d{1,4}", name, re.ASCII) for name in names):
        return False
    numbers = [int(name) for name in names]
    steps = {after - before for before, after in pairwise(numbers)}
    is_years = all(1800 <= number <= 2200 for number in numbers)
    is_even = len(numbers) > 2 and len(steps) == 1
    return is_years or is_even or numbers in ([0, 1], [1, 2])


def n_odd_below(rows: Sequence[TextRow]) -> int:
    later = rows[MOST_BELOW:]
    told = [
        i
        for i, row in enumerate(rows[:MOST_BELOW], 1)
        if _explains_columns(row) and row not in later
    ]
    n_told = max(told, default=0)
    if len(later) < FEWEST:
        return n_told
    columns = columns_of(later)
    is_odd = [_is_unlike(row, columns) for row in rows[:MOST_BELOW]]
    return max(n_told, (*is_odd, False).index(False))


def _explains_columns(row: TextRow) -> bool:
    if any(cell.casefold().startswith(_IMPORT_ID) for cell in row):
        return True
    return len(row) > 1 and all(is_type(cell) for cell in row)


def _is_unlike(row: TextRow, columns: Sequence[ComparedColumn]) -> bool:
    """Whether no value of a row fits its column, and two or more are of another kind.

    So is a row in which each value is longer than all others of its column.
    """
    pairs = [(c, of) for c, of in zip(row, columns, strict=True) if not is_missing(c)]
    if any(_fits(cell, column) for cell, column in pairs):
        return False
    n_texts = sum(column.is_numeric for _, column in pairs)
    n_lacking = sum(
        column.n_filled == column.n_rows and not cell.strip()
        for cell, column in zip(row, columns, strict=True)
    )
    n_odd = n_texts + n_lacking + sum(column.has_few for _, column in pairs)
    is_longer = all(len(c) > max(map(len, of.values), default=0) for c, of in pairs)
    return (n_texts > 0 and n_odd > 1) or (len(pairs) > 1 and is_longer and n_odd > 1)


def _fits(cell: str, column: ComparedColumn) -> bool:
    if column.is_numeric:
        return NUMBER.fullmatch(cell) is not None
    return cell in column.values


def refuse_odd_header(member: str, where: str, lines: Sequence[RowAndLine]) -> None:
    refuse_record(where, lines)
    names = lines[0][1]
    below = [line for line in lines[1:] if len(line[1]) == len(names)]
    rows = [row for _, row in below]
    said = None
    if line := line_of_names(lines):
        said = titles_above(line)
    elif n_odd := n_odd_below(rows):
        where, said = member, _explaining(below[:n_odd])
    if said:
        raise TableError(f"{where}: {said}. {if_right()}")


def _explaining(lines: Sequence[RowAndLine]) -> str:
    return ngettext(
        "line {first}, below the header, has questions, types or units. Delete it",
        "lines {first} to {last}, below the header, have questions, types or units. "
        "Delete them",
        len(lines),
    ).format(first=lines[0][0], last=lines[-1][0])


def refuse_record(where: str, lines: Sequence[RowAndLine]) -> None:
    names = lines[0][1] if lines else []
    rows = [row for _, row in lines[1:] if len(row) == len(names)]
    if names and is_record(names, rows) and not line_of_names(lines):
        said = _(
            "this line looks like a record, as those below it do. Write the names of "
            "the columns in a line above it"
        )
        raise TableError(f"{where}: {said}. {if_right()}")


def titles_above(line: int) -> str:
    return _(
        "the names of the columns seem to be in line {line}, below a title. Delete the "
        "lines above it"
    ).format(line=line)


def if_right() -> str:
    return _(
        "If the file is right as it is, give the number of its records as n_rows, "
        "under releases in a study file."
    )


MOST_AT_END = 3  # Lines at the end that may be no records

_PLAIN = re.compile(r"-?\d+([.,]\d+)?", re.ASCII)


def lines_at_end(tail: str, n_columns: int, definition: SourceDefinition) -> int:
    """Count the last lines that hold totals, notes or nothing."""
    # `tail` is the end of the text, whose first row may be cut or the header: it is
    # left out, as is all where rows have not as many values as there are columns.
    *__, text = tail.partition("\n")
    whole = text if text.endswith(("\n", "\r")) else f"{text}\n"
    lines = rows_of(whole, definition, len(whole))
    rows = [row for _, row in lines]
    if any(len(row) != n_columns for row in rows):
        return 0
    n_odd = odd_at_end(rows)
    n_lines = sum(1 for __ in io.StringIO(text, newline=""))
    return n_lines + 1 - lines[-n_odd][0] if n_odd else 0


def odd_at_end(rows: Sequence[TextRow]) -> int:
    """Count the last rows that are totals, notes or empty, judged by those above them.

    A total or note begins with a word for it, and is a text among numbers or leaves
    half of the columns empty, as no other row does. So is a row of signs alone, and one
    with little but the sum of a column, or but one number among texts.
    """
    body = rows[:-MOST_AT_END]
    if len(body) < FEWEST:
        return 0
    columns = columns_of(body)
    most_empty = max(len(row) - n_filled(row) for row in body)
    is_odd = [
        _is_end(rows[-n], rows[:-n], columns, most_empty)
        for n in range(1, MOST_AT_END + 1)
    ]
    return (*is_odd, False).index(False)


def _is_end(
    row: TextRow,
    above: Sequence[TextRow],
    columns: Sequence[ComparedColumn],
    most_empty: int,
) -> bool:
    filled = [(cell, of) for cell, of in zip(row, columns, strict=True) if cell.strip()]
    n_empty = len(row) - len(filled)
    is_emptier = n_empty > most_empty and 2 * n_empty >= len(row)
    if not filled:
        return is_emptier and len(row) > 2 and 2 * most_empty <= len(row)
    if len(row) > 1 and not any(re.search(r"\w", cell) for cell, _ in filled):
        is_there = any(cell in other for cell, _ in filled for other in above)
        return not is_there and (is_emptier or not n_empty)
    first, column = filled[0]
    if is_emptier and _has_sum(row, above):
        return True
    if first in column.values or is_missing(first):
        return False
    if is_statistic(first) and (n_empty > most_empty or _has_figure(row, above)):
        return True
    is_number = NUMBER.fullmatch(first) is not None
    is_text = column.is_numeric and not is_number
    is_other = is_text or (column.is_of_texts and is_number)
    is_alone = is_other and len(filled) == 1 and len(row) > 2
    is_note = begins_a_note(first)
    return (is_emptier and (is_note or is_alone)) or (is_text and is_note)


def _has_figure(row: TextRow, above: Sequence[TextRow]) -> bool:
    """Whether a row has a number that is longer than all values above it, or a sum."""
    return _has_sum(row, above) or any(
        _PLAIN.fullmatch(cell) and len(cell) > max(map(len, values))
        for cell, values in zip(row, zip(*above, strict=True), strict=True)
    )


def _has_sum(row: TextRow, above: Sequence[TextRow]) -> bool:
    """Whether a number is the sum of three or more above it, and greater than each."""
    for cell, values in zip(row, zip(*above, strict=True), strict=True):
        numbers = [*map(_number, filter(_PLAIN.fullmatch, values))]
        is_told = _PLAIN.fullmatch(cell) and len(numbers) >= FEWEST
        if is_told and sum(numbers) == _number(cell) > max(numbers):
            return True
    return False


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", "."))
