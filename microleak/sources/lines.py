"""Which line of a member is at fault, found by a second, plain scan.

Only after the fast reader has failed, or a value was refused: the scan looks at
each line in turn. Lines end as they do for the fast reader, with a line feed, a
carriage return or both.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate, islice, takewhile

from microleak.sources.definition import SourceDefinition
from microleak.sources.inspection import BOM
from microleak.sources.member import Member


def line_of_offset(member: Member, offset: int) -> int:
    """Line, from 1, that holds the byte at `offset`."""
    with _lines(member) as lines:
        ends = accumulate(len(line) for line in lines)
        return 1 + sum(1 for _ in takewhile(lambda end: end <= offset, ends))


def line_of_record(member: Member, definition: SourceDefinition, record: int) -> int:
    """Line, from 1, where the record begins; records count from 0."""
    if definition.is_fixed_width(member.name):
        return record + 1
    if definition.quote is None:
        return record + 2
    with _lines(member) as lines:
        rows = _rows(lines, definition.quote)
        return next(islice((line for line, _ in rows), record + 1, None))


def uneven_row(
    member: Member, definition: SourceDefinition, n_columns: int
) -> tuple[int, int] | None:
    """Line and number of values of the first row that has not `n_columns`."""
    with _lines(member) as lines:
        for line, row in _rows(lines, definition.quote):
            n_values = _n_values(row, definition)
            if n_values != n_columns:
                return line, n_values
    return None


def repeated_header(member: Member, quote: str | None) -> int | None:
    """Line of the first row that is the header once more, if there is one."""
    mark = BOM.decode("latin-1")
    with _lines(member) as lines:
        rows = (
            (line, row.rstrip("\r\n").removeprefix(mark).replace(quote or "\n", ""))
            for line, row in _rows(lines, quote)
        )
        _, header = next(rows)
        return next((line for line, row in rows if row == header), None)


def _rows(lines: Iterator[str], quote: str | None) -> Iterator[tuple[int, str]]:
    """Line where each row begins, and its text, of which quoted values hold lines."""
    first, row = 1, ""
    for number, line in enumerate(lines, 1):
        row += line
        if quote is None or row.count(quote) % 2 == 0:
            yield first, row
            first, row = number + 1, ""


def _n_values(row: str, definition: SourceDefinition) -> int:
    outside = row.split(definition.quote)[::2] if definition.quote else [row]
    return sum(text.count(definition.delimiter) for text in outside) + 1


@contextmanager
def _lines(member: Member) -> Iterator[Iterator[str]]:
    """Lines with their ends; a character a byte, which suits every encoding."""
    with member.open() as raw:
        yield io.TextIOWrapper(raw, encoding="latin-1", newline="")
