"""A column that seems to name persons, where a release is said to have none."""

import re
from collections.abc import Collection
from gettext import gettext as _
from itertools import islice
from pathlib import Path
from unicodedata import combining, normalize

import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.language import number_text
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.files.archive import released_files
from microleak.sources.files.header import header
from microleak.sources.files.inspection import NOTHING, KnownFile
from microleak.sources.formats.reader import chunks
from microleak.sources.steps.odd_values import most_frequent, tell_placeholders

_WORDS = {
    *("id", "uuid", "cpf", "nis", "cns", "ssn", "matricula", "prontuario"),
    *("person", "pessoa", "individual", "individuo", "participant", "participante"),
    *("respondent", "respondente", "patient", "paciente", "student", "aluno"),
}
"""Of which a name of such a column has one, without accents."""

_N_CHUNKS = 4
MOST_RECORDS_A_VALUE = 10
"""More records than this share a value of what names a class, a school or a town."""


def seeming_person(
    archive: Path,
    definition: SourceDefinition,
    used: Collection[str],
    known: KnownFile = NOTHING,
) -> str | None:
    """Ask whether a column names persons, of whom some have several records."""
    # Looked at are columns whose names say so, in the first million records. Of
    # several, that with most values is meant, and its placeholders are told. None where
    # there is no such column, or a source names its persons itself.
    if definition.person_id or definition.names or definition.is_dbf:
        return None
    names = _names(archive, definition, used, known)
    if not names:
        return None
    read = (
        chunk
        for member in released_files(archive, definition)
        for chunk in chunks(member, definition, names, known=known)
    )
    table = pa.concat_tables(islice(read, _N_CHUNKS))
    counts = {name: _n_values(table[name]) for name in names}
    seeming = {name: n_values for name, (n_values, is_so) in counts.items() if is_so}
    if not seeming:
        return None
    name = max(seeming, key=lambda each: seeming[each])
    most = most_frequent(table[name].drop_null())
    tell_placeholders(name, most, len(table), seeming[name])
    return _("{name} has {n} values in {m} records: does it identify people?").format(
        name=name, n=number_text(seeming[name]), m=number_text(len(table))
    )


def _n_values(column: pa.ChunkedArray) -> tuple[int, bool]:
    n_values = len(pc.unique(pc.drop_null(column)))
    n_records = len(column) - column.null_count
    is_repeated = n_values < n_records
    return n_values, is_repeated and n_records <= n_values * MOST_RECORDS_A_VALUE


def is_named_so(name: str) -> bool:
    """Say whether a column's name has a word by which persons are told apart.

    >>> [is_named_so(name) for name in ("NR_CPF", "personId", "matrícula", "idade")]
    [True, True, True, False]
    """
    plain = "".join(c for c in normalize("NFKD", name) if not combining(c))
    words = re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", plain)
    return not _WORDS.isdisjoint(word.lower() for word in words)


def _names(
    archive: Path, definition: SourceDefinition, used: Collection[str], known: KnownFile
) -> list[str]:
    found = [
        header(member, definition, [], known)
        for member in released_files(archive, definition)
    ]
    return [
        name
        for name in found[0]
        if name not in used
        and is_named_so(name)
        and all(each.count(name) == 1 for each in found)
    ]
