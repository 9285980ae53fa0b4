"""Last lines of a delimited text that are no records, judged by those above them."""

import io
import re
from collections.abc import Sequence
from fractions import Fraction

from microleak.base.total_words import begins_a_note, is_missing, is_statistic
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.files.contents import (
    FEWEST,
    NUMBER,
    ComparedColumn,
    TextRow,
    columns_of,
    n_filled,
    rows_of,
)

MOST_AT_END = 3  # Lines at the end that may be no records

_PLAIN = re.compile(r"-?\d+([.,]\d+)?", re.ASCII)


def lines_at_end(tail: str, n_columns: int, definition: SourceDefinition) -> int:
    """Count the last lines that hold totals, notes or nothing.

    `tail` is the end of the text, whose first row may be cut or the header: it is left
    out, as is all where rows have not as many values as there are columns.
    """
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
