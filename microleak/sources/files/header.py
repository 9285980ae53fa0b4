"""A member's header, checked before its records are read."""

import csv
import io
import re
from collections.abc import Iterator, Sequence

from microleak.base.errors import TableError, nearest
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.options import ENCODINGS
from microleak.sources.files.inspection import BOM
from microleak.sources.files.member import Member

MAX_HEADER_BYTES = 1 << 20

ATTRIBUTE_OR_ARCHIVE = "the attribute's name in the study file, or archive"
"""What may be wrong where a column is missing, as a study calls it."""

_FOR_EXCEL = re.compile(rb'"?sep=[^\r\n]{0,2}"?[\r\n]', re.IGNORECASE)
_DELIMITERS = (",", ";", "|", "\t")


def header(
    member: Member, definition: SourceDefinition, attributes: Sequence[str]
) -> list[str]:
    """Column names of a member that has records and the columns of `attributes`.

    Columns that are not asked for are allowed. A file that names its attributes
    itself must also have the columns that its definition gives a domain.

    Raises
    ------
    TableError
        If the member is empty or has no record, its delimiter is another, a
        column that is asked for is missing or there twice, line 1 is Excel's, or
        it is the kind of file that the source's definition says replaced this one.
        The message names no column of the file but those asked for and the one
        most like one of them; only the same but for case where no other that is
        asked for is there, as a file without a header begins with a record.
    """
    text = _head(member)
    columns, has_records = _columns(text, definition, member)
    wanted = [definition.official(attribute) for attribute in attributes]
    _refuse_replacement(text, columns, definition, member)
    if missing := [name for name in wanted if name not in columns]:
        _refuse_delimiter(text, wanted, definition, member)
        is_header = len(missing) < len(wanted)
        hint = _hint(missing[0], columns, is_header) or _record_hint(columns)
        raise TableError(_missing(missing, hint, _edit(definition), member))
    _check_domains(columns, definition, member)
    _refuse_repeated(columns, wanted, member)
    if not has_records:
        raise TableError(
            f"{member.where}: line 2: a record expected, but there is only a header."
        )
    return columns


def _head(member: Member) -> str:
    """First characters, a character a byte."""
    with member.open() as file:
        data = file.read(MAX_HEADER_BYTES)
    if len(data) == MAX_HEADER_BYTES and b"\n" not in data and b"\r" not in data:
        raise TableError(
            f"{member.where}: line 1 has no end within {MAX_HEADER_BYTES} bytes, so it "
            "is not a header of delimited text."
        )
    data = data.removeprefix(BOM)
    if not data:
        raise TableError(f"{member.where}: line 1: a header expected, but it is empty.")
    if _FOR_EXCEL.match(data):
        raise TableError(
            f"{member.where}: line 1 tells Excel the delimiter (sep=), so it is not "
            "the header. Delete line 1 of the file, and set delimiter under options in "
            "the study file."
        )
    return data.decode("latin-1")


def _columns(
    text: str, definition: SourceDefinition, member: Member
) -> tuple[list[str], bool]:
    """Column names, and whether anything follows them."""
    lines = io.StringIO(text, newline="")
    try:
        row = next(_reader(lines, definition))
        names = [name.encode("latin-1").decode(definition.encoding) for name in row]
    except (UnicodeDecodeError, csv.Error):
        raise TableError(
            f"{member.where}: line 1 cannot be read as {definition.encoding} text. "
            "Correct the file, or encoding under options in the study file, which may "
            f"be {', '.join(ENCODINGS.values())}."
        ) from None
    return names, bool(lines.read(1))


def _reader(lines: Iterator[str], definition: SourceDefinition) -> Iterator[list[str]]:
    if definition.quote is None:
        return csv.reader(lines, delimiter=definition.delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=definition.delimiter)


def _refuse_replacement(
    text: str, columns: list[str], definition: SourceDefinition, member: Member
) -> None:
    """Refuse a later kind of file, or one where the person's identifier is gone."""
    replaced = definition.replaced
    if replaced is None:
        return
    if any(replaced.column in _split(text, delimiter) for delimiter in _DELIMITERS):
        raise TableError(
            f"{member.where}: line 1 has the column {replaced.column}: this is "
            f"{replaced.by}."
        )
    person = definition.official(definition.person_id or "")
    if len(columns) > 1 and person not in columns:
        raise TableError(
            f"{member.where}: line 1 has no column {person}, the person's identifier. "
            f"If this is {replaced.by}; otherwise correct config/names/"
            f"{definition.source}.csv."
        )


def _refuse_delimiter(
    text: str, wanted: list[str], definition: SourceDefinition, member: Member
) -> None:
    def n_found(delimiter: str) -> int:
        """Count the wanted names that a delimiter would leave."""
        return len(set(wanted) & set(_split(text, delimiter)))

    def n_split(delimiter: str) -> int:
        """Count the names that a delimiter would leave."""
        return len(_split(text, delimiter))

    expected = definition.delimiter
    seems = max(_DELIMITERS, key=lambda other: (n_found(other), n_split(other)))
    is_other = n_found(seems) > n_found(expected) or n_split(expected) == 1
    if is_other and n_split(seems) > 1:
        raise TableError(
            f"{member.where}: line 1: values expected between {expected!r}, but "
            f"{seems!r} seems to be used. Correct archive, or delimiter under options, "
            "in the study file."
        )


def _split(text: str, delimiter: str) -> list[str]:
    line = io.StringIO(text, newline=None).readline()
    return [name.strip('"') for name in line.rstrip("\n").split(delimiter)]


def _check_domains(
    columns: list[str], definition: SourceDefinition, member: Member
) -> None:
    """Refuse a domain of a column that is not there: nothing would be checked."""
    if definition.names:
        return
    if missing := [name for name in definition.domains if name not in columns]:
        edit = "Correct domains under options in the study file"
        hint = _hint(missing[0], columns, is_header=True)
        raise TableError(_missing(missing, hint, edit, member))


def _edit(definition: SourceDefinition) -> str:
    if definition.names:
        return (
            f"Correct the names of {definition.release} in config/names/"
            f"{definition.source}.csv, or archive"
        )
    return f"Correct {ATTRIBUTE_OR_ARCHIVE}"


def _hint(missing: str, columns: list[str], is_header: bool) -> str:
    """Suggest the column most like the missing one.

    Where none of those asked for is there, the line may be a record: then it must be
    the same but for case.
    """
    is_same = [name for name in columns if name.casefold() == missing.casefold()]
    return nearest(missing, columns if is_header else is_same)


def _record_hint(columns: list[str]) -> str:
    """Say of a first line with a number that it looks like a record."""
    is_record = any(re.fullmatch(r"[+-]?[0-9]+([.,][0-9]+)?", name) for name in columns)
    said = " The line looks like data: the names of the columns are to stand above it."
    return said if is_record else ""


def _missing(missing: list[str], hint: str, edit: str, member: Member) -> str:
    return f"{member.where}: line 1 has no column {', '.join(missing)}.{hint} {edit}."


def _refuse_repeated(columns: list[str], wanted: list[str], member: Member) -> None:
    for name in wanted:
        if columns.count(name) > 1:
            first = columns.index(name)
            second = columns.index(name, first + 1)
            raise TableError(
                f"{member.where}: line 1 has {name} as columns {first + 1} and "
                f"{second + 1}, either of which could be meant. Rename one of them in "
                "the file."
            )
