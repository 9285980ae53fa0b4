"""Turning columns of text or numbers into small integer codes, chunk by chunk."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.arrays import Codes
from microleak.base.errors import TableError
from microleak.base.progress import Advance, tell_no_progress, tell_user
from microleak.base.same_values import value_texts, widened_floats
from microleak.definitions.exact import kind_sums
from microleak.kernels.records import MOST_RECORDS, Records, Values
from microleak.records.chunks import Chunks


@dataclass(frozen=True)
class Group:
    """Values of an attribute: the adversary infers that a person has one of them."""

    name: str
    attribute: str
    values: tuple[str, ...]  # One that ends in `*` stands for all that begin so
    has_domain: bool = False  # A value may be possible and yet absent


@dataclass(frozen=True)
class SingleValue:
    """One value of a sensitive attribute: the adversary infers that a person has it."""

    attribute: str
    text: str | None  # None is a missing one


@dataclass(frozen=True)
class Classes:
    """Classes of an attribute's values, each a mark of its own."""

    attribute: str
    number_of: Mapping[str | None, int]  # The class of a value, a missing one as None
    others: int  # The class of values that it does not have
    n_classes: int


MOST_VALUES = 10
"""Distinct values of a sensitive attribute, a missing one among them, up to which
each is measured by itself."""

MOST_NAMED = 5
"""Values of a setting that a message names."""

MOST_WAITING = 1 << 29
"""What merging takes at which the values of a column's chunks are merged."""

BYTES_A_VALUE = 60
"""What a distinct value needs beside four copies, while it is merged or looked up."""


FEW_ROWS, UNIQUE = 100, 0.95
"""Distinct values a record from which a QID seems an identifier, and of how many
records at least."""

DATE = (
    "[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{2}/[0-9]{2}/[0-9]{4}|"
    "(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])"
)
"""How texts that are dates look."""

MERGED = 0.6
"""Share of the memory for a column's values that the merged ones may take."""


@dataclass(frozen=True)
class Dictionary:
    """Distinct values of a column, null among them, and the records of each."""

    values: pa.Array
    counts: NDArray[np.int64]


Wanted = str | Group | SingleValue | Classes
"""A sensitive attribute, or values of one that are marked."""


def code_columns(
    chunks: Chunks,
    qids: Sequence[str],
    sensitive: Sequence[Wanted],
    n_threads: int = 1,
    most_bytes: float = inf,
    advance: Advance = tell_no_progress,
) -> Records:
    check_size(chunks)
    names = columns_of([*qids, *sensitive])
    known = dictionaries_of(chunks, names, n_threads, most_bytes, advance)
    return coded_with(chunks, known, qids, sensitive)


def check_size(chunks: Chunks, most_records: int = MOST_RECORDS) -> None:
    if chunks.n_rows > most_records:
        raise TableError(
            f"The table has {chunks.n_rows:,} records, more than the {most_records:,} "
            "that this kind of analysis can have. Cut it, for example by state."
        )


def dictionaries_of(
    chunks: Chunks,
    names: Sequence[str],
    n_threads: int = 1,
    most_bytes: float = inf,
    advance: Advance = tell_no_progress,
) -> dict[str, Dictionary]:
    """Return the distinct values of columns; missing, null or NaN, is one of them.

    Memory is that of a chunk a thread, and of all distinct values.
    """

    def column(name: str) -> Dictionary:
        return dictionary_of(chunks, name, most_bytes, advance)

    with ThreadPoolExecutor(n_threads) as pool:
        return dict(zip(names, pool.map(column, names), strict=True))


def coded_with(
    chunks: Chunks,
    known: Mapping[str, Dictionary],
    qids: Sequence[str],
    sensitive: Sequence[Wanted],
) -> Records:
    """Return the codes of columns, one for each distinct value; missing has its own.

    Which code a value has depends on the order of records, no result does. Among
    `sensitive`, groups, values and classes come last. Each is a marked attribute, of
    which the members of the group, or the records with the value, have code 1, and
    those of a class its number.
    """
    _tell_identifiers(qids, known, chunks.n_rows)
    attributes = [_attribute_of(known, wanted) for wanted in (*qids, *sensitive)]

    def chunk(i: int, wanted: Sequence[int]) -> list[Codes]:
        columns = dict.fromkeys(attributes[n].column for n in wanted)
        table = chunks.read(i, list(columns))
        found = {name: codes_of(table[name], known[name]) for name in columns}
        return [attributes[n].recoded(found[attributes[n].column]) for n in wanted]

    values = [attribute.values for attribute in attributes]
    return Records(values[: len(qids)], values[len(qids) :], chunks.n_chunks, chunk)


def _tell_identifiers(
    qids: Sequence[str], known: Mapping[str, Dictionary], n_rows: int
) -> None:
    """Warn of QIDs that nearly identify by themselves, as numbers of persons do."""
    if n_rows < FEW_ROWS:
        return
    for name in qids:
        share = len(known[name].values) / n_rows
        if share >= UNIQUE and not are_dates(known[name].values):
            percent = "over 99 %" if share > 0.995 else f"{share:.0%}"
            said = "each record" if share == 1 else f"{percent} of the records"
            tell_user(
                f"{name} has a value of its own for {said}: an identifier, not a QID?"
            )


def are_dates(values: pa.Array) -> bool:
    texts = values.drop_null()
    is_text = pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)
    if not len(texts) or not is_text:
        return False
    return bool(pc.all(pc.match_substring_regex(texts, f"^({DATE})$")).as_py())


def columns_of(attributes: Sequence[Wanted]) -> list[str]:
    """Return the columns that attributes are, or values are of, each once, in order."""
    return list(
        dict.fromkeys(a if isinstance(a, str) else a.attribute for a in attributes)
    )


@dataclass(frozen=True)
class _Attribute:
    """A column's values as they are, or the mark of each."""

    column: str
    values: Values
    mark_of: Codes | None

    def recoded(self, found: Codes) -> Codes:
        return found if self.mark_of is None else self.mark_of[found]


def _attribute_of(known: Mapping[str, Dictionary], wanted: Wanted) -> _Attribute:
    if isinstance(wanted, str):
        return _Attribute(wanted, Values(known[wanted].counts), None)
    values, counts = known[wanted.attribute].values, known[wanted.attribute].counts
    n_marks = 2
    if isinstance(wanted, Classes):
        n_marks = wanted.n_classes
        of_value = (wanted.number_of.get(t, wanted.others) for t in texts_of(values))
        mark_of = np.fromiter(of_value, np.min_scalar_type(n_marks), len(values))
    elif isinstance(wanted, Group):
        mark_of = members_of_group(values, wanted).astype(np.uint8)
    else:
        mark_of = np.array([t == wanted.text for t in texts_of(values)], dtype=np.uint8)
    of_marks = Values(kind_sums(mark_of, counts, n_marks), is_marked=True)
    return _Attribute(wanted.attribute, of_marks, mark_of)


def members_of_group(values: pa.Array, group: Group) -> NDArray[np.bool_]:
    """Return which values are of a group; a missing one never is.

    A value of the group that ends in `*` means all that begin with what is
    before it. Values are text.

    >>> heart = Group("heart", "CID", ("I2*", "R000"))
    >>> members_of_group(pa.array(["I21", "I2", None, "R0001", "R000"]), heart).tolist()
    [True, True, False, False, True]
    """
    exact = [value for value in group.values if not value.endswith("*")]
    is_member = pc.is_in(values, pa.array(exact, values.type))
    for beginning in (value[:-1] for value in group.values if value.endswith("*")):
        is_member = pc.or_(is_member, pc.starts_with(values, beginning))
    found: NDArray[np.bool_] = is_member.fill_null(False).to_numpy(zero_copy_only=False)
    return found


def check_group(known: Mapping[str, Dictionary], group: Group, where: str) -> None:
    """Refuse a group with a value that no record has, unless it has a domain."""
    if group.has_domain:
        return
    values = known[group.attribute].values
    absent = [
        value
        for value in group.values
        if not members_of_group(
            values, Group(group.name, group.attribute, (value,))
        ).any()
    ]
    said = f"{where}: group {group.name!r}"
    refuse_absent(absent, group.attribute, said, "Correct it under groups")


def check_values(
    known: Dictionary, values: Iterable[str], attribute: str, said: str, remedy: str
) -> None:
    """Refuse values of a setting that no record has; an empty one may be absent."""
    given = pa.array([text for text in values if text], pa.string())
    is_there = pc.is_in(given, value_texts(known.values))
    absent = given.filter(pc.invert(is_there)).to_pylist()
    refuse_absent(absent, attribute, said, remedy)


def refuse_absent(
    absent: Sequence[str], attribute: str, said: str, remedy: str
) -> None:
    if absent:
        more = f" and {len(absent) - MOST_NAMED:,} more" * (len(absent) > MOST_NAMED)
        raise TableError(
            f"{said} has {', '.join(map(repr, absent[:MOST_NAMED]))}{more}, which no "
            f"record has in {attribute}. {remedy}, or leave it out; a value that may "
            f"be absent needs a domain of {attribute} (domains, under options)."
        )


def less_frequent(known: Mapping[str, Dictionary], attribute: str) -> list[SingleValue]:
    """Return all values of an attribute but the most frequent, if they are few."""
    values, counts = known[attribute].values, known[attribute].counts
    if len(values) > MOST_VALUES:
        return []
    counted = sorted(
        zip(texts_of(values), counts.tolist(), strict=True),
        key=lambda each: missing_first(each[0]),
    )
    most = max(counted, key=lambda each: each[1])
    return [SingleValue(attribute, each[0]) for each in counted if each is not most]


def most_frequent(known: Mapping[str, Dictionary], attribute: str) -> SingleValue:
    at = most_frequent_code(known[attribute])
    return SingleValue(attribute, texts_of(known[attribute].values[at : at + 1])[0])


def most_frequent_code(known: Dictionary) -> int:
    """Return the code that most records have, of several that of the first value."""
    order = codes_in_order(known)
    return int(order[known.counts[order].argmax()])


def codes_in_order(known: Dictionary) -> NDArray[np.intp]:
    """Return the codes of a column's values as these ascend, a missing one first.

    >>> known = Dictionary(pa.array(["b", None, "a"]), np.array([1, 1, 1]))
    >>> codes_in_order(known).tolist()
    [1, 2, 0]
    """
    order = pc.array_sort_indices(known.values, null_placement="at_start")
    return np.asarray(order, dtype=np.intp)


def missing_first(text: str | None) -> tuple[bool, str]:
    """Return by what texts are sorted with a missing one before all others."""
    return text is not None, text or ""


def texts_of(values: pa.Array) -> list[str | None]:
    found: list[str | None] = value_texts(values).to_pylist()
    return found


def dictionary_of(
    chunks: Chunks, name: str, most_bytes: float, advance: Advance
) -> Dictionary:
    known: list[Dictionary] = []
    merged, waiting = 0, 0
    for i in range(chunks.n_chunks):
        values, indices = encoded_column(chunks.read(i, [name]).column(0), name)
        more = _bytes_to_merge(values)
        if waiting > MOST_WAITING or (known and merged + waiting + more > most_bytes):
            known = [_merged_dictionary(known)]
            merged, waiting = _bytes_to_merge(known[0].values), 0
            _refuse_many(known[0].values, name, most_bytes)
        known.append(Dictionary(values, np.bincount(indices, minlength=len(values))))
        waiting += more
        advance(len(indices))
    whole = _merged_dictionary(known)
    _refuse_many(whole.values, name, most_bytes)
    return whole


def _bytes_to_merge(values: pa.Array) -> int:
    return int(4 * values.nbytes) + BYTES_A_VALUE * len(values)


def _refuse_many(values: pa.Array, name: str, most_bytes: float) -> None:
    if _bytes_to_merge(values) > MERGED * most_bytes:
        raise TableError(
            f"Column {name} has at least {len(values):,} distinct values, too many for "
            "the memory given. Remove it from the QIDs, as it nearly identifies each "
            "person by itself, or give the run more memory (--max-memory)."
        )


def _merged_dictionary(parts: Sequence[Dictionary]) -> Dictionary:
    values = pa.concat_arrays([part.values for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    both = values.dictionary_encode(null_encoding="encode")
    # Exact: a sum of floats that are whole and below 2**53.
    totals = np.bincount(both.indices, weights=counts, minlength=len(both.dictionary))
    is_used = totals > 0
    used = totals[is_used].astype(np.int64)
    return Dictionary(both.dictionary.filter(is_used), used)


def coded_column(
    chunks: Chunks, name: str, n_threads: int
) -> tuple[Dictionary, NDArray[np.int32]]:
    """Return a column's distinct values and the code of each row, read once."""

    def part(chunk: int) -> tuple[pa.Array, NDArray[np.int32]]:
        return encoded_column(chunks.read(chunk, [name]).column(0), name)

    with ThreadPoolExecutor(n_threads) as pool:
        parts = [*pool.map(part, range(chunks.n_chunks))]
    known = _merged_dictionary(
        [Dictionary(v, np.bincount(i, minlength=len(v))) for v, i in parts]
    )
    codes = np.empty(chunks.n_rows, dtype=np.int32)
    at = 0
    for values, indices in parts:
        codes[at : at + len(indices)] = _codes_in(known, values, indices)
        at += len(indices)
    return known, codes


def codes_of(column: pa.ChunkedArray, known: Dictionary) -> Codes:
    return _codes_in(known, *encoded_column(column, ""))


def _codes_in(known: Dictionary, values: pa.Array, indices: NDArray[np.int32]) -> Codes:
    code_of = pc.index_in(values, known.values, skip_nulls=False)
    kind = np.min_scalar_type(len(known.values))
    table: Codes = code_of.fill_null(0).to_numpy(zero_copy_only=False).astype(kind)
    return table[indices]


def encoded_column(
    column: pa.ChunkedArray, name: str
) -> tuple[pa.Array, NDArray[np.int32]]:
    """Return a column's normal values, some maybe twice, and which each row has."""
    try:
        if pa.types.is_dictionary(column.type):
            column = _wide_dictionary(column)
        else:
            column = column.dictionary_encode()
    except pa.ArrowNotImplementedError:
        raise TableError(
            f"Column {name} has values of type {column.type}, which have no "
            "equality. Convert it to text or numbers."
        ) from None
    both = column.unify_dictionaries().combine_chunks()
    values = both.dictionary
    missing = pa.nulls(1, values.type)
    indices = both.indices
    if indices.null_count:
        indices = indices.fill_null(len(values))
    each = indices.to_numpy(zero_copy_only=False)
    return _normal_values(pa.concat_arrays([values, missing])), each


def _wide_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of dictionaries as those that can become one."""
    kind = column.type.value_type
    pa.nulls(0, kind).dictionary_encode()  # Refuses what has no equality.
    if any(chunk.dictionary.null_count for chunk in column.chunks):
        return column.cast(kind).dictionary_encode()
    return column.cast(pa.dictionary(pa.int32(), kind))


def _normal_values(values: pa.Array) -> pa.Array:
    """Return values without NaN and negative zero, of a type that can be filtered."""
    if pa.types.is_string_view(values.type):
        return values.cast(pa.large_string())
    if pa.types.is_binary_view(values.type):
        return values.cast(pa.large_binary())
    return widened_floats(values) if pa.types.is_floating(values.type) else values
