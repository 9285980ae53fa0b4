"""What commands read: one CSV or a finished study, and what is known of a person."""

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from typing import Any

import pyarrow as pa

import microleak
from microleak.base.errors import (
    MicroleakError,
    StudyError,
    TableError,
    check_known,
    did_you_mean,
    ordinal,
)
from microleak.base.language import nth_place, number_text
from microleak.base.progress import progress, tell_user
from microleak.base.strict_csv import check_exists, read_csv
from microleak.cli.commands import check_folder_is_there
from microleak.sources.definitions.definition import SourceDefinition, source_definition
from microleak.sources.files.archive import archive_setting, released_files
from microleak.sources.files.contents import line_of_names, rows_of
from microleak.sources.files.header import (
    attribute_or_archive,
    check_delimiter,
    delimiter_setting,
    header,
)
from microleak.sources.files.inspection import encoding_setting, or_counted
from microleak.sources.files.member import Member
from microleak.sources.files.tables import sheet_setting
from microleak.sources.formats.reader import chunks
from microleak.sources.steps.intermediate import receipt, schema_of
from microleak.sources.steps.odd_values import tell_of
from microleak.sources.steps.persons import seeming_person
from microleak.study_file.totals import COUNT

KnownValues = dict[str, str | None]  # Known values by attribute; None is a missing one


def pieces_explained() -> str:
    return _(
        "A value that holds ,NAME= is cut there: give it in a file, --known @FILE."
    )


def known_values(*given: str) -> KnownValues:
    """Return what is known by name; an empty value is a missing one.

    A value is everything after the first `=` up to the next `,NAME=`. Text that
    begins with `@` is a file, in UTF-8, with one `NAME=value` a line, where a
    value is all the rest of the line; empty lines are skipped. `-` is such lines on
    the standard input.

    >>> known_values("town=Rio, RJ,street=", "age=07")
    {'town': 'Rio, RJ', 'street': None, 'age': '07'}
    """
    known: KnownValues = {}
    for where, part in (part for text in given for part in _named_parts(text)):
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise StudyError(f"{where} is not of the form NAME=VALUE.")
        if name in known:
            raise StudyError(f"{where} has the name of an earlier one. Remove one.")
        known[name] = value or None
    if not known:
        raise StudyError("--known gives no value. Give one, as NAME=VALUE.")
    return known


def _named_parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield parts of the form `NAME=value`, each after where it stands."""
    if text == "-":
        yield from _lines_of_file("the standard input", sys.stdin.buffer.read)
    elif text.startswith("@"):
        yield from _lines_of_file(text[1:], Path(text[1:]).read_bytes)
    else:
        for i, part in enumerate(re.split(",(?=[^,=]+=)", text), 1):
            yield f"--known: the {ordinal(i)} part", part


def _lines_of_file(name: str, read: Callable[[], bytes]) -> Iterator[tuple[str, str]]:
    try:
        lines = read().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except OSError as error:
        raise StudyError(
            f"--known: {name} cannot be read: {error.strerror}. Correct the path."
        ) from None
    except UnicodeDecodeError as error:
        raise StudyError(
            f"--known: {name} is not UTF-8 at byte {error.start}. Save it as UTF-8."
        ) from None
    for i, line in enumerate(lines, 1):
        if line:
            yield f"--known: line {i} of {name}", line


def refuse_bare_names(given: Iterable[str], columns: Iterable[str]) -> None:
    """Refuse values with the name of a column, without `=`, after a comma."""
    # What a file or the standard input gives is a value as it stands.
    columns = set(columns)
    for text in given:
        if text == "-" or text.startswith("@"):
            continue
        for where, part in _named_parts(text):
            pieces = part.partition("=")[2].split(",")[1:]
            if not columns.isdisjoint(piece.strip() for piece in pieces):
                place = where.replace("the ", "the value of the ", 1)
                raise StudyError(
                    f"{place} has the name of a column after a comma, without =. Give "
                    "it as NAME=VALUE (NAME= for a missing value) or, if it is of the "
                    "value, in a file: --known @FILE."
                )


_DELIMITERS = (",", ";", "\t", "|")
# Columns by the option that names them, as `--qids`
ColumnsByOption = Mapping[str, Iterable[str]]

_OPTIONS = (
    ("delimiter under options in the study file", "--delimiter"),
    ("encoding under options in the study file", "--encoding"),
    ("options in the study file", "--delimiter or --encoding"),
    ("Rename the frame's columns", "Rename the columns in the file"),
    ("for example, subsets: {sizes: [1, 2]}", "for example, --sizes 1,2"),
    ("subsets.sizes", "--sizes"),
)
"""What a study's settings are called at the command line."""


def read_columns(
    file: Path, wanted: ColumnsByOption, options: argparse.Namespace
) -> pa.Table:
    """Read columns of a file into memory: no copy of its records stays on a disk."""
    person = options.person_id
    if person:
        wanted = {**wanted, "--person-id": [person]}
    columns = list(dict.fromkeys(name for part in wanted.values() for name in part))
    used = [name for of, part in wanted.items() if of != "FILE" for name in part]
    with in_words_of_options():
        definition = _delimited_definition(file, options)
        n_bytes = sum(member.n_bytes for member in released_files(file, definition))
        with progress("reading", n_bytes) as advance:
            table = pa.concat_tables(
                chunk
                for member in released_files(file, definition)
                for chunk in chunks(
                    _with_columns(member, definition, wanted),
                    definition,
                    columns,
                    advance=advance,
                )
            )
    for name in columns:
        if name != person:
            tell_of(name, table[name])
    if person:
        _refuse_repeated(table[person], person, file)
    elif seeming := seeming_person(file, definition, used):
        once = _(
            "In a study with person_id each person counts once (docs/own-file.md)."
        )
        tell_user(f"{seeming} {once}")
    return table


def counted_by(
    options: argparse.Namespace, table: pa.Table
) -> tuple[Any, Sequence[str]]:
    """Return what published counts say of the QIDs, or of all that they have."""
    qids, path = options.qids, options.population
    if qids is None:
        check_exists(path, "--population")
        qids = [name for name in read_csv(path, str(path)).header if name != COUNT]
        for name in qids:
            if name not in table.column_names:
                said = _("{file}: line 1 has {name}, which is no column of {of}.")
                said = said.format(file=path, name=name, of=options.file)
                raise StudyError(f"{said}{did_you_mean(name, table.column_names)}")
    found = microleak.anonymity(table, qids, margins=[str(path)], subsets="full")
    return found, qids


def columns_of(file: Path, options: argparse.Namespace) -> list[str]:
    with in_words_of_options():
        definition = _delimited_definition(file, options)
        with closing(released_files(file, definition)) as found:
            return header(next(found), definition, [])


def with_columns(
    options: argparse.Namespace, columns: Collection[str]
) -> argparse.Namespace:
    """Return options whose names that no column has are without blanks around them."""
    named = {
        key: tuple(name if name in columns else name.strip() for name in names)
        for key in ("qids", "sensitive", "further")
        if (names := getattr(options, key, None))
    }
    return argparse.Namespace(**vars(options) | named)


def _csv_form(file: Path, options: argparse.Namespace) -> dict[str, str]:
    definition = source_definition("delimited", file.name, {"sheet": options.sheet})
    with closing(released_files(file, definition)) as found:
        member = next(found)
        with member.open() as stream:
            head = stream.read(1 << 20)
    if "delimiter" in member.written:
        return {}
    return {
        "delimiter": _guessed_delimiter(head.decode("latin-1")),
        "encoding": _guessed_encoding(head),
    }


def _guessed_delimiter(text: str) -> str:
    """Return what the first line has most of or, if it is a title, the header."""
    first = text.partition("\n")[0]
    if not any(each in first for each in _DELIMITERS):
        for each in _DELIMITERS:
            definition = source_definition("delimited", "", {"delimiter": each})
            if line_of_names(rows_of(text, definition)):
                return each
    return max(_DELIMITERS, key=first.count)


def _guessed_encoding(head: bytes) -> str:
    whole = head[: head.rfind(b"\n") + 1] or head
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            whole.decode(encoding)
            return encoding
    return "latin-1"


def csv_form_given(file: Path, options: argparse.Namespace) -> dict[str, str]:
    """Return delimiter and encoding: those given, others as the file seems to be."""
    given = {key: getattr(options, key) for key in ("delimiter", "encoding", "sheet")}
    is_known = options.delimiter and options.encoding
    found = {} if is_known else _csv_form(file, options)
    return found | {key: value for key, value in given.items() if value}


def _delimited_definition(file: Path, options: argparse.Namespace) -> SourceDefinition:
    how = {**csv_form_given(file, options), "missing": ["", *options.missing]}
    return source_definition("delimited", file.name, how)


def _refuse_repeated(column: pa.ChunkedArray, person: str, file: Path) -> None:
    """Refuse a person with several records, one of them kept by a study, or none."""
    if column.null_count:
        said = _(
            "{file}: {n} records have no {person}. Correct the file, --person-id or "
            "--missing."
        )
        raise TableError(
            said, file=file, n=number_text(column.null_count), person=person
        )
    n_more = len(column) - len(column.unique())
    if n_more:
        said = ngettext(
            "{file}: in {n} record {person} is that of another one, but a person "
            "counts once. Write a study with person_id, which keeps one record of each "
            "(docs/own-file.md), or correct --person-id.",
            "{file}: in {n} records {person} is that of another one, but a person "
            "counts once. Write a study with person_id, which keeps one record of each "
            "(docs/own-file.md), or correct --person-id.",
            n_more,
        )
        raise TableError(said, file=file, n=number_text(n_more), person=person)


def _with_columns(
    member: Member, definition: SourceDefinition, wanted: ColumnsByOption
) -> Member:
    """Return a member; refuse one that lacks a column of an option."""
    there = header(member, definition, [])
    for option, part in wanted.items():
        for i, name in enumerate(part, 1):
            if name not in there:
                _refuse_missing(member, definition, wanted, option, i)
    return member


def _refuse_missing(
    member: Member,
    definition: SourceDefinition,
    wanted: ColumnsByOption,
    option: str,
    i: int,
) -> None:
    """Refuse the i-th column of an option; one of `--known` is not shown."""
    if option == "--known":
        check_delimiter(member, definition, [*wanted[option]])
        said = _(
            "{where}: the header, split at {delimiter}, has no column of the {nth} "
            "name of --known. Correct it, or --delimiter. {pieces}"
        )
        raise TableError(
            said,
            where=member.where,
            delimiter=repr(definition.delimiter),
            nth=nth_place(i),
            pieces=pieces_explained(),
        )
    named = [name for key, part in wanted.items() if key != "--known" for name in part]
    try:
        header(member, definition, named)
    except TableError as error:
        either = _("{option} or --delimiter").format(option=option)
        said = str(error).replace(attribute_or_archive(), either)
        raise TableError(said) from None


@contextmanager
def in_words_of_options() -> Iterator[None]:
    """Name the options of the command where an error names settings of a study."""
    try:
        yield
    except MicroleakError as error:
        said = str(error)
        spoken = (
            (delimiter_setting(), "--delimiter"),
            (sheet_setting(), "--sheet"),
            (encoding_setting(), "--encoding"),
            (archive_setting(), _("FILE")),
            (or_counted(), ""),
        )
        for setting, option in (*spoken, *_OPTIONS):
            said = said.replace(setting, option)
        error.args = (said,)
        raise


@dataclass(frozen=True)
class Finished:
    """A table's folder and records of a focal release, and of those linked to it."""

    folder: Path
    table: str
    focal: str
    files: Mapping[str, Path]

    def by_release(self, known: KnownValues) -> dict[str, KnownValues]:
        """Return known values by release, from `NAME` and `RELEASE.NAME`."""
        places = self.places()
        found: dict[str, KnownValues] = {}
        for i, (name, value) in enumerate(known.items(), 1):
            if name not in places:
                said = _(
                    "--known: {table} {focal} of {folder} has no attribute of the "
                    "{nth} name.{like} {pieces} There is what the study's analyses and "
                    "targets need."
                )
                raise StudyError(
                    said,
                    table=self.table,
                    focal=self.focal,
                    folder=self.folder,
                    nth=nth_place(i),
                    like=did_you_mean(name, places),
                    pieces=pieces_explained(),
                )
            release, attribute = places[name]
            values = found.setdefault(release, {})
            if attribute in values:
                raise StudyError(f"--known gives {attribute} of {release} twice.")
            values[attribute] = value
        return found

    def check_has(self, release: str, attributes: Iterable[str], option: str) -> None:
        read = self._attributes(release)
        edit = _(
            " The study read of it {read}; others have to be in an analysis or target."
        ).format(read=", ".join(read))
        said = _("{option}: {table} {release} of {folder} has no attribute").format(
            option=option, table=self.table, release=release, folder=self.folder
        )
        for name in attributes:
            check_known(name, read, said, edit)

    def places(self) -> dict[str, tuple[str, str]]:
        """Return release and attribute by `RELEASE.NAME` and, of the focal, `NAME`."""
        releases = [*(r for r in self.files if r != self.focal), self.focal]
        named = {
            f"{release}.{attribute}": (release, attribute)
            for release in releases
            for attribute in self._attributes(release)
        }
        return named | {a: (self.focal, a) for a in self._attributes(self.focal)}

    def _attributes(self, release: str) -> list[str]:
        path = self.files[self.focal].parent / f"{self.focal}.json"
        person_id = receipt(path)["person_id"]
        columns = schema_of(self.files[release]).names
        return [name.partition("|")[0] for name in columns if name != person_id]


def finished_study(folder: Path, table: str, focal: str) -> Finished:
    check_folder_is_there(folder)
    tables = [path.name for path in sorted(folder.glob("people/*"))]
    if not tables:
        raise StudyError(
            f"{folder} has no people/: it is no result of a study that ran. Give "
            "results/STUDY, or a CSV without --table and --focal."
        )
    check_known(
        table, tables, _("--table: {folder} has no table").format(folder=folder)
    )
    releases = _by_release(folder / "people" / table)
    said = _("--focal: {table} of {folder} has no release")
    check_known(focal, releases, said.format(table=table, folder=folder))
    linked = _by_release(folder / "panels" / table / focal)
    return Finished(folder, table, focal, {focal: releases[focal]} | linked)


def _by_release(folder: Path) -> dict[str, Path]:
    files = sorted(folder.glob("*.parquet"))
    return {path.name.removesuffix(".parquet"): path for path in files}
