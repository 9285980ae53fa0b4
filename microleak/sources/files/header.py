"""A member's header, checked before its records are read."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _
from itertools import islice
from typing import Literal

from microleak.base.errors import ColumnsError, TableError, did_you_mean
from microleak.sources.definitions.definition import ROW, SourceDefinition
from microleak.sources.definitions.options import ENCODINGS
from microleak.sources.files import contents
from microleak.sources.files.foreign import HEAD_BYTES, refuse_foreign
from microleak.sources.files.inspection import (
    NOTHING,
    KnownFile,
    encoding_setting,
    lead,
)
from microleak.sources.files.member import Member

MAX_HEADER_BYTES = 1 << 20

_DELIMITERS = (",", ";", "|", "\t")
_ANSWERS = {"response", "open-ended response"}
_UNSEEN = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff]"
)
"""Of names: signs of control and without width, but for those that join letters."""
_N_COMPARED = 1000


def attribute_or_archive() -> str:
    return _("the attribute's name in the study file, or archive")


def delimiter_setting() -> str:
    return _("archive, or delimiter under options, in the study file")


def header(
    member: Member,
    definition: SourceDefinition,
    attributes: Sequence[str],
    known: KnownFile = NOTHING,
) -> list[str]:
    """Column names of a member that has records and the columns of `attributes`.

    Columns that are not asked for are allowed. A file that names its attributes
    itself must also have the columns that its definition gives a domain, and lines
    that look like what they are, unless it is known how many rows there are.

    A refusal names no column of the file but those asked for and the one most like one
    of them; only the same but for case where no other that is asked for is there, as a
    file without a header begins with a record.
    """
    definition = definition.of(member)
    head = _head(member, definition)
    columns, has_records = _columns(head, definition)
    wanted = [definition.official(name) for name in attributes if name != ROW]
    lines = [] if definition.names or known.n_rows else _lines(head, definition)
    _refuse_replacement(head, columns, definition)
    if not definition.names:
        _refuse_unseen(head, columns, wanted)
    if missing := [name for name in wanted if name not in columns]:
        _refuse_titles(head, wanted, lines)
        _refuse_delimiter(head, wanted, definition)
        _refuse_encoding(head, missing, columns, definition)
        is_header = len(missing) < len(wanted)
        hint = _hint(missing[0], columns, is_header)
        if not (hint or is_header) and _is_record(head, columns, definition):
            hint = _(
                " The line looks like data: the names of the columns must stand "
                "above it."
            )
        raise ColumnsError(_missing(missing, hint, _edit(definition), head), missing)
    _check_domains(columns, definition, head)
    if len({*columns}) < len(columns) and lines:
        contents.refuse_record(head.where, lines)
    _refuse_repeated(columns, wanted, head, lines)
    if lines:
        contents.refuse_odd_header(head.member, head.where, lines)
    if not has_records:
        said = _("{where}: a record expected, but there is only a header.")
        raise TableError(said, where=_line(member.where, head.line + 1))
    return columns


def check_delimiter(
    member: Member, definition: SourceDefinition, attributes: Sequence[str]
) -> None:
    """Refuse a header that another delimiter splits into more of the attributes."""
    definition = definition.of(member)
    wanted = [definition.official(name) for name in attributes if name != ROW]
    _refuse_delimiter(_head(member, definition), wanted, definition)


@dataclass(frozen=True)
class _Head:
    """Characters from the header on, a byte each, and its member and line, from 1."""

    text: str
    member: str
    line: int

    @property
    def where(self) -> str:
        return _line(self.member, self.line)


def _line(member: str, number: int) -> str:
    return _("{member}: line {number}").format(member=member, number=number)


def _head(member: Member, definition: SourceDefinition) -> _Head:
    with member.open() as file:
        data = file.read(MAX_HEADER_BYTES)
    refuse_foreign(data[:HEAD_BYTES], member.where)
    if len(data) == MAX_HEADER_BYTES and b"\n" not in data and b"\r" not in data:
        raise TableError(
            f"{member.where}: line 1 has no end within {MAX_HEADER_BYTES} bytes, so it "
            "is not a header of delimited text."
        )
    before = lead(data)
    if before.delimiter not in (None, definition.delimiter):
        raise TableError(
            f"{member.where}: line 1 tells Excel that {before.delimiter!r} stands "
            f"between values, but {definition.delimiter!r} is expected. Correct "
            "delimiter under options in the study file, or that line."
        )
    head = _Head(
        data[before.n_bytes :].decode("latin-1"), member.where, before.n_lines + 1
    )
    if not head.text:
        said = _("{where}: a header expected, but it is empty.")
        raise TableError(said, where=head.where)
    if re.match(r" *[\r\n]", head.text):
        said = _(
            "{where} is blank, where the names of the columns are expected. Delete all "
            "blank lines above them."
        )
        raise TableError(said, where=head.where)
    return head


def _columns(head: _Head, definition: SourceDefinition) -> tuple[list[str], bool]:
    lines = io.StringIO(head.text, newline="")
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if definition.quote else csv.QUOTE_NONE
    try:
        row = next(csv.reader(lines, delimiter=definition.delimiter, quoting=quoting))
        names = [name.encode("latin-1").decode(definition.encoding) for name in row]
    except (UnicodeDecodeError, csv.Error):
        said = _(
            "{where} cannot be read as {encoding} text. Correct the file, or "
            "{setting}, which may be {encodings}."
        )
        raise TableError(
            said,
            where=head.where,
            encoding=definition.encoding,
            setting=encoding_setting(),
            encodings=", ".join(ENCODINGS.values()),
        ) from None
    return names, bool(lines.read(1))


def _lines(head: _Head, definition: SourceDefinition) -> list[contents.RowAndLine]:
    data = head.text.encode("latin-1")
    text = data.decode(definition.encoding, "replace")
    return [(n + head.line - 1, row) for n, row in contents.rows_of(text, definition)]


def _refuse_titles(
    head: _Head, wanted: list[str], lines: list[contents.RowAndLine]
) -> None:
    for number, row in lines[1 : contents.MOST_TITLES]:
        if {*wanted} <= {*row}:
            raise TableError(f"{head.where}: {contents.titles_above(number)}.")
    if len(lines) > 1 and (line := contents.line_of_names(lines)):
        raise TableError(f"{head.where}: {contents.titles_above(line)}.")


def _refuse_replacement(
    head: _Head, columns: list[str], definition: SourceDefinition
) -> None:
    """Refuse a later kind of file, or one where the person's identifier is gone."""
    replaced = definition.replaced
    if replaced is None:
        return
    if any(
        replaced.column in _split(head.text, delimiter) for delimiter in _DELIMITERS
    ):
        raise TableError(
            f"{head.where} has the column {replaced.column}: this is {replaced.by}."
        )
    person = definition.official(definition.person_id or "")
    if len(columns) > 1 and person not in columns:
        raise TableError(
            f"{head.where} has no column {person}, the person's identifier. If this is "
            f"{replaced.by}; otherwise correct config/names/{definition.source}.csv."
        )


def _refuse_delimiter(
    head: _Head, wanted: list[str], definition: SourceDefinition
) -> None:
    expected = definition.delimiter
    split = {each: _split(head.text, each) for each in (*_DELIMITERS, expected)}
    n_found = {each: len({*wanted} & {*names}) for each, names in split.items()}
    seems = max(_DELIMITERS, key=lambda other: (n_found[other], len(split[other])))
    is_other = n_found[seems] > n_found[expected] or len(split[expected]) == 1
    if is_other and len(split[seems]) > 1:
        said = _(
            "{where}: values expected between {expected}, but {found} seems to be "
            "used. Correct {setting}."
        )
        raise TableError(
            said,
            where=head.where,
            expected=repr(expected),
            found=repr(seems),
            setting=delimiter_setting(),
        )


def _refuse_encoding(
    head: _Head, missing: list[str], columns: list[str], definition: SourceDefinition
) -> None:
    """Refuse a header of UTF-8 that is read in another encoding, in which it is odd."""
    for name in missing:
        read = name.encode().decode(definition.encoding, "replace")
        if read != name and read in columns:
            said = _(
                "{where}: the names of columns are in utf-8, and are read in "
                "{encoding}. Correct {setting}."
            )
            raise TableError(
                said,
                where=head.where,
                encoding=definition.encoding,
                setting=encoding_setting(),
            )


def _split(text: str, delimiter: str) -> list[str]:
    line = io.StringIO(text, newline=None).readline()
    return [name.strip('"') for name in line.rstrip("\n").split(delimiter)]


def _check_domains(
    columns: list[str], definition: SourceDefinition, head: _Head
) -> None:
    """Refuse a domain of a column that is not there: nothing would be checked."""
    if definition.names:
        return
    if missing := [name for name in definition.domains if name not in columns]:
        edit = _("Correct domains under options in the study file")
        hint = _hint(missing[0], columns, is_header=True)
        raise TableError(_missing(missing, hint, edit, head))


def _edit(definition: SourceDefinition) -> str:
    if definition.names:
        names = f"config/names/{definition.source}.csv"
        said = _("Correct the names of {release} in {file}, or archive")
        return said.format(release=definition.release, file=names)
    return _("Correct {setting}").format(setting=attribute_or_archive())


def _hint(missing: str, columns: list[str], is_header: bool) -> str:
    """Suggest the column most like the missing one."""
    # Where none of those asked for is there, the line may be a record: then it must be
    # the same but for case.
    is_same = [name for name in columns if name.casefold() == missing.casefold()]
    return did_you_mean(missing, columns if is_header else is_same)


def _is_record(head: _Head, columns: list[str], definition: SourceDefinition) -> bool:
    """Whether a first line has a number, or a value that a line below repeats."""
    if any(re.fullmatch(r"[+-]?[0-9]+([.,][0-9]+)?", name) for name in columns):
        return True
    lines = islice(io.StringIO(head.text, newline=None), _N_COMPARED)
    first, *rows = (line.rstrip("\n").split(definition.delimiter) for line in lines)
    pairs = (pair for row in rows for pair in zip(first, row, strict=False))
    return any(name and name == value for name, value in pairs)


def _missing(missing: list[str], hint: str, edit: str, head: _Head) -> str:
    said = _("{where} has no column {names}.")
    said = said.format(where=head.where, names=", ".join(missing))
    return f"{said}{hint} {edit}."


def _unnamed(columns: list[str], lines: list[contents.RowAndLine]) -> str:
    """Say what to do where columns have no name, by what stands below."""
    places = [place for place, name in enumerate(columns) if not name]
    rows = [row for __, row in lines[1:] if len(row) == len(columns)]
    if {cell.casefold() for row in rows[:1] for cell in row} & _ANSWERS:
        return _(
            "{where} has no names for columns {first} and {second}. They seem to be "
            "several answers to one question, and the line below says which. Name the "
            "columns in the file, and delete the line below."
        )
    if any(row[place] for row in rows for place in places):
        return _(
            "{where} has no names for columns {first} and {second}. If it is a title "
            "above the header, delete it. Otherwise name the columns in the file."
        )
    return _(
        "{where} has no names for columns {first} and {second}. Name them or, if they "
        "are empty, delete the delimiters at the end of each line."
    )


def _refuse_unseen(head: _Head, columns: list[str], wanted: list[str]) -> None:
    """Refuse a name that would be one that is asked for without signs nobody sees."""
    for i, name in enumerate(columns, 1):
        bare = _UNSEEN.sub("", name)
        if bare in wanted and bare not in columns:
            said = _(
                "{where}: the name of column {i} has an invisible character (a control "
                "character, or one without width). Rename it in the file."
            )
            raise TableError(said, where=head.where, i=i)


def _refuse_repeated(
    columns: list[str], wanted: list[str], head: _Head, lines: list[contents.RowAndLine]
) -> None:
    for name in wanted:
        places = [i for i, each in enumerate(columns, 1) if each == name]
        if len(places) < 2:
            continue
        said = _unnamed(columns, lines)
        if name:
            said = _(
                "{where} has {name} as columns {first} and {second}, either of which "
                "could be meant. Rename one of them in the file."
            )
        where, (first, second) = head.where, places[:2]
        raise TableError(said, where=where, name=name, first=first, second=second)
