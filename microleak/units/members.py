"""Facts of each record's unit, such as its household.

A list of members is one text: members in brackets, in the order of their texts, so that
two units have the same text exactly if they have the same members, each as often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.arrays import Codes, Integers, Mask
from microleak.base.errors import TableError, count_of
from microleak.base.files import write_text
from microleak.base.language import number_text
from microleak.base.progress import progress, tell_user
from microleak.records.chunks import Chunks, ParquetChunks
from microleak.records.coding import coded_column, texts_of
from microleak.records.subsets import joined_numbers
from microleak.sources.steps.intermediate import (
    metadata_together,
    receipt,
    receipt_text,
    schema_of,
    write_row_groups,
)
from microleak.study_file.units import FactSection, JoinedSection, UnitsSection

NOBODY = "none"  # A list without members, as others begin with a bracket
MOST_LISTED = 2**31 - 1  # Members in all lists of others
LISTS_AT_ONCE = 1 << 18
MOST_BYTES = 2**31 - 1  # Text of a column that is written at once


@dataclass(frozen=True)
class UnitFiles:
    """The records and their receipt, both to write, and what is joined."""

    people: Path
    receipt: Path
    told: Path
    told_receipt: Path
    joined: tuple[Path, ...]


@dataclass(frozen=True)
class UnitFact:
    """Values, and the number of the one that each record has."""

    values: pa.Array
    number: Integers

    def texts(self, begin: int = 0, end: int | None = None) -> pa.Array:
        """Return the values of some records."""
        number = pa.array(self.number[begin:end])
        n_bytes = pc.sum(pc.binary_length(self.values).take(number)).as_py() or 0
        if n_bytes > MOST_BYTES:
            raise TableError(
                f"Facts of units: lists of {len(number):,} records have "
                f"{n_bytes:,} characters, more than {MOST_BYTES:,}. List fewer "
                "attributes or members, or choose smaller units."
            )
        return self.values.take(number).cast(pa.string())


def tell_units(files: UnitFiles, settings: Mapping[str, Any], n_threads: int) -> None:
    """Write each record with what its unit tells, and the counts.

    A record without a unit is one by itself. All records keep their places.
    """
    section = UnitsSection(**settings["units"])
    chunks = ParquetChunks([files.people])
    told_before = receipt(files.receipt)
    with progress("finding units", None):
        units = Units(chunks, section.unit, n_threads)
        told = {name: units.told(fact) for name, fact in section.facts.items()}
        for path, joined in zip(files.joined, section.joined, strict=True):
            told |= units.joined(path, joined)
    wanted = {told_before["person_id"], *settings["attributes"]}
    before = schema_of(files.people).names
    if twice := [name for name in section.made if name in before]:
        raise TableError(
            f"Facts of units: the release has a column {twice[0]} of its own. Give "
            "what is known of units another name."
        )
    names = [name for name in (*before, *section.made) if name in wanted]
    metadata = metadata_together([*files.joined, files.people])
    schema = pa.schema([(name, pa.string()) for name in names], metadata)
    own = [name for name in names if name not in told]
    with progress("writing facts of units", chunks.n_rows) as advance:

        def batch(chunk: int, begin: int) -> pa.RecordBatch:
            n_rows = chunks.sizes[chunk]
            rows = chunks.read(chunk, own)
            columns = {name: rows[name].combine_chunks() for name in own}
            for name in {*names} & told.keys():
                columns[name] = told[name].texts(begin, begin + n_rows)
            advance(n_rows)
            arrays = [columns[name].cast(pa.string()) for name in names]
            return pa.record_batch(arrays, names=names)

        begins = np.cumsum([0, *chunks.sizes]).tolist()
        batches = (batch(i, begins[i]) for i in range(chunks.n_chunks))
        write_row_groups(files.told, batches, schema)
    counts = {
        "person_id": told_before["person_id"],
        "n_records": chunks.n_rows,
        "n_units": units.n,
        "n_without_unit": units.n_without,
    }
    write_text(files.told_receipt, receipt_text(counts))
    if section.unit != told_before["person_id"]:
        units.tell_odd(section)


class NumberedUnits(NamedTuple):
    """The number of each record's unit, and the units' names by their numbers."""

    number: Integers
    names: pa.Array  # Of those that have one, which come first
    n_without: int  # Records without a unit, each a unit by itself


def numbered_units(chunks: Chunks, unit: str, n_threads: int) -> NumberedUnits:
    """Return the number of each record's unit, those without a name last."""
    known, codes = coded_column(chunks, unit, n_threads)
    is_null = known.values.is_null().to_numpy(zero_copy_only=False)
    names = known.values.filter(pa.array(~is_null))
    is_without = is_null[codes]
    n_without = int(is_without.sum())
    number = (np.cumsum(~is_null) - 1)[codes]
    number[is_without] = len(names) + np.arange(n_without)
    return NumberedUnits(number, names, n_without)


class Units:
    """The units of records, and what they tell."""

    def __init__(self, chunks: Chunks, unit: str, n_threads: int = 1) -> None:
        self._chunks, self._n_threads = chunks, n_threads
        self._columns: dict[str, tuple[list[str | None], Codes]] = {}
        self.name = unit
        found = numbered_units(chunks, unit, n_threads)
        self.number, self._keys, self.n_without = found
        self.n = len(self._keys) + self.n_without

    def told(self, fact: FactSection) -> UnitFact:
        """Return what each record's unit tells of its members."""
        is_member = self._members(fact)
        if fact.of:
            members = self._coded_members(fact.of)
            lists = _Lists(self.number, self.n, members, is_member)
            return lists.of_others() if fact.others else lists.of_all()
        n_members = np.bincount(self.number[is_member], minlength=self.n)[self.number]
        if fact.others:
            n_members -= is_member
        if fact.whether:
            return UnitFact(pa.array(["no", "yes"]), (n_members > 0).astype(np.int64))
        texts = pa.array(range(int(n_members.max(initial=0)) + 1)).cast(pa.string())
        return UnitFact(texts, n_members)

    def joined(self, path: Path, section: JoinedSection) -> dict[str, UnitFact]:
        """Return what a file with one record a unit says of each record's unit."""
        columns = [section.unit, *section.attributes]
        chunks = ParquetChunks([path])
        schema = pa.schema([(name, pa.large_string()) for name in columns])
        parts = [chunks.read(i, columns).cast(schema) for i in range(chunks.n_chunks)]
        table = pa.concat_tables([schema.empty_table(), *parts])
        table = table.filter(pc.is_valid(table[section.unit]))
        keys = table[section.unit].combine_chunks()
        n_several = len(keys) - len(keys.unique())
        where = f"{section} joined to units"
        if n_several:
            raise TableError(
                f"{where}: {count_of(n_several, 'record')} too many, with the "
                f"{section.unit} of another one; a joined file needs one record for "
                "each unit. Correct unit there, or remove the file from joined."
            )
        if not len(self._keys):
            raise TableError(
                f"{where}: no record has a value of {self.name}. Correct unit."
            )
        row = pc.index_in(self._keys.cast(keys.type), value_set=keys)
        if row.null_count == len(row):
            raise TableError(
                f"{where}: no value of {self.name} is a {section.unit} of that file, "
                "so nothing can be joined. Check that both are written alike (as text, "
                "025 is not 25), or remove the file from joined."
            )
        if row.null_count:
            tell_user(
                f"{where}: {number_text(row.null_count)} of {number_text(len(row))} "
                f"units are not in it, and have missing values."
            )
        rows = pa.concat_arrays([row, pa.nulls(self.n_without, row.type)])
        every = {name: table[name].combine_chunks() for name in section.attributes}
        return {
            name: UnitFact(each.take(rows), self.number) for name, each in every.items()
        }

    def tell_odd(self, section: UnitsSection) -> None:
        """Tell what looks as if the attribute named no units."""
        if self.n_without:
            tell_user(
                f"Units by themselves, without a value of {section.unit}: "
                f"{number_text(self.n_without)} of {number_text(len(self.number))} "
                "records."
            )
        if self.n == len(self.number) > 1:
            tell_user(
                f"No two records have the same {section.unit}, so that nobody has "
                "others in the unit. Check unit in the study file."
            )

    def _members(self, fact: FactSection) -> Mask:
        is_member = np.ones(len(self.number), dtype=bool)
        for name, values in fact.where.items():
            texts, codes = self._column(name)
            absent = [value for value in values if value not in texts]
            named = ", ".join(map(repr, absent))
            if len(absent) == len(values):
                raise TableError(
                    f"Facts of units: no record has {named} in {name}, so that nobody "
                    "is such a member. Correct where, or remove it."
                )
            if absent:
                tell_user(f"Facts of units: no record has {named} in {name} (where).")
            is_member &= np.array([text in values for text in texts], dtype=bool)[codes]
        return is_member

    def _coded_members(self, names: Sequence[str]) -> "Members":
        columns = [self._column(name) for name in names]
        number, n_values = np.zeros(len(self.number), dtype=np.int64), 1
        for texts, codes in columns:
            number, n_values = joined_numbers(number, n_values, codes, len(texts))
        _, first, number = np.unique(number, return_index=True, return_inverse=True)
        each = [[texts[codes[row]] for texts, codes in columns] for row in first]
        named = [f"({','.join(map(_escaped, values))})" for values in each]
        order = sorted(range(len(named)), key=lambda i: named[i])
        rank = np.empty(len(named), dtype=np.int64)
        rank[order] = np.arange(len(named))
        return Members([named[i] for i in order], rank[number])

    def _column(self, name: str) -> tuple[list[str | None], Codes]:
        if name not in self._columns:
            known, codes = coded_column(self._chunks, name, self._n_threads)
            self._columns[name] = texts_of(known.values), codes
        return self._columns[name]


def _escaped(text: str | None) -> str:
    r"""Write a value, or that it is missing, so that no list is another one.

    >>> print(_escaped("a,b"), _escaped(None), _escaped("-"), _escaped("(x)"))
    a\,b - \- \(x\)
    """
    if text in (None, "-"):
        return "-" if text is None else r"\-"
    for mark in "\\,()":
        text = text.replace(mark, f"\\{mark}")
    return text


@dataclass(frozen=True)
class Members:
    """Distinct members, in the order of their texts, and the one each record is."""

    texts: Sequence[str]
    code: Integers


class _Lists:
    """Members of each unit, in order."""

    def __init__(
        self, unit: Integers, n_units: int, members: Members, is_member: Mask
    ) -> None:
        self._unit, self._members, self._is_member = unit, members, is_member
        self._n_texts = max(1, len(members.texts))
        self._keys = unit[is_member] * self._n_texts + members.code[is_member]
        self._keys.sort()
        n_each = np.bincount(unit[is_member], minlength=n_units)
        self._ends = np.concatenate([[0], np.cumsum(n_each)])

    def of_all(self) -> UnitFact:
        return UnitFact(self._of_units, self._unit)

    def of_others(self) -> UnitFact:
        """Return the list without the record itself, where it is in it."""
        # Records of equal lists that are the same member have the same others.
        encoded = self._of_units.dictionary_encode()
        list_number = encoded.indices.to_numpy(zero_copy_only=False)
        first = np.unique(list_number, return_index=True)[1]
        own = np.where(self._is_member, self._members.code, self._n_texts)
        pair = list_number[self._unit] * (self._n_texts + 1) + own
        pairs, number = np.unique(pair, return_inverse=True)
        unit, own = first[pairs // (self._n_texts + 1)], pairs % (self._n_texts + 1)
        begins, n_each = self._ends[unit], np.diff(self._ends)[unit]
        if (total := int(n_each.sum())) > MOST_LISTED:
            raise TableError(
                f"Lists of others have {total:,} members in all, more than "
                f"{MOST_LISTED:,}. Leave out others, or choose a smaller unit."
            )
        ends = np.cumsum(n_each)
        place = np.arange(total) + np.repeat(begins - (ends - n_each), n_each)
        is_kept = np.ones(total, dtype=bool)
        is_in = own < self._n_texts
        at = np.searchsorted(self._keys, unit[is_in] * self._n_texts + own[is_in])
        is_kept[at - begins[is_in] + (ends - n_each)[is_in]] = False
        codes = self._keys[place[is_kept]] % self._n_texts
        return UnitFact(self._joined(codes, np.cumsum(n_each - is_in)), number)

    @cached_property
    def _of_units(self) -> pa.Array:
        return self._joined(self._keys % self._n_texts, self._ends[1:])

    def _joined(self, codes: Integers, ends: Integers) -> pa.Array:
        texts = pa.array(self._members.texts, pa.string())
        found = [pa.array([], pa.large_string())]
        begin = 0
        for part in np.array_split(ends, len(ends) // LISTS_AT_ONCE + 1):
            end = int(part[-1]) if len(part) else begin
            offsets = pa.array(np.concatenate([[0], part - begin]), pa.int32())
            members = texts.take(pa.array(codes[begin:end]))
            lists = pc.binary_join(pa.ListArray.from_arrays(offsets, members), "")
            told = pc.if_else(pc.equal(lists, ""), NOBODY, lists)
            found.append(told.cast(pa.large_string()))
            begin = end
        return pa.concat_arrays(found)
