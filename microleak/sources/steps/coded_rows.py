"""The rows of a table of texts as whole numbers, which sort as the texts do.

Identifiers become words of their bytes. All other columns, whose values are fewer,
become codes that are packed into as few words as hold them; the values themselves
are held in memory.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.errors import MicroleakError, TableError
from microleak.base.machine import Resources
from microleak.base.progress import Advance
from microleak.kernels.texts import WORD_BYTES, Texts, TextWords, texts_of, words_of
from microleak.sources.steps.intermediate import metadata_of, parquet

WORD_BITS = 63  # Bits of codes in a word, which stays positive
# Of so many rows one, drawn at random, tells how the rows of a table are spread
SAMPLED = 100
# Most bytes of an identifier: each row has as many words as the longest one needs
MOST_BYTES = 256
VALUES = 0.25  # Share of the memory that the values of coded columns may take
MIB = 2**20


@dataclass(frozen=True)
class TextColumn:
    """A column whose texts become words."""

    n_words: int  # Words of each text
    # Bytes of every text, or None where they are not all as long or some are missing:
    # then a last word has the length, -1 for a missing text
    n_bytes: int | None

    @property
    def n_columns(self) -> int:
        """Words of each text, with that of the length."""
        return self.n_words + (self.n_bytes is None)

    def words(self, column: pa.Array) -> list[TextWords]:
        words = [*words_of(_texts(column), self.n_words)]
        if self.n_bytes is None:
            lengths = pc.binary_length(column).fill_null(-1)
            words.append(np.asarray(lengths, dtype=np.int64))
        return words

    def texts(self, words: Sequence[TextWords]) -> pa.Array:
        *words, last = words
        if self.n_bytes is None:
            lengths = last
        else:
            words.append(last)
            lengths = np.full(len(last), self.n_bytes, dtype=np.int64)
        return _array(texts_of(words, np.maximum(lengths, 0)), lengths < 0)


@dataclass(frozen=True)
class CodedColumn:
    """A column whose values become codes: 0 is missing, then they go by their bytes."""

    values: pa.Array  # Distinct values, ascending, as large strings
    code_of: Sequence[NDArray[np.int32]]
    # Where a row has the code: the number of the word, and of its lowest bit
    word: int = 0
    shift: int = 0

    @property
    def n_bits(self) -> int:
        return len(self.values).bit_length()

    @property
    def n_bytes(self) -> int:
        return int(self.values.nbytes) + sum(each.nbytes for each in self.code_of)

    def codes(self, indices: pa.Array, group: int) -> TextWords:
        """Return the codes, as they lie in the word, of places in a group's dictionary.

        A place is null where the value is missing.
        """
        code_of = self.code_of[group].astype(np.int64) << self.shift
        places = indices.cast(pa.int32()).fill_null(len(code_of) - 1)
        codes: TextWords = code_of[places.to_numpy()]
        return codes

    def texts(self, words: Sequence[TextWords]) -> pa.Array:
        codes = words[self.word] >> self.shift & ((1 << self.n_bits) - 1)
        values = self.values.take(pa.array(codes - 1, mask=codes == 0))
        return values.cast(pa.string())


@dataclass(frozen=True)
class CodedRows:
    """The rows of a Parquet file, row group by row group, as words."""

    path: Path  # The file
    # Columns by name, in the order in which rows are to be sorted
    texts: Mapping[str, TextColumn]
    coded: Mapping[str, CodedColumn]
    n_rows_of: Sequence[int]  # Rows of each row group
    n_missing: Mapping[str, int]  # Rows without a value in each of `texts`
    samples: Sequence[Mapping[str, pa.Array]]

    @property
    def n_rows(self) -> int:
        return sum(self.n_rows_of)

    @property
    def n_code_words(self) -> int:
        return 1 + max((column.word for column in self.coded.values()), default=0)

    @property
    def n_words(self) -> int:
        n_texts = sum(column.n_columns for column in self.texts.values())
        return n_texts + self.n_code_words

    @property
    def n_bytes(self) -> int:
        return sum(column.n_bytes for column in self.coded.values())

    def words(self, group: int) -> list[TextWords]:
        rows = _columns(self.path, group, [*self.texts], [*self.coded])
        indices = {name: rows[name].indices for name in self.coded}
        return self._words({**rows, **indices}, group, self.n_rows_of[group])

    def sample(self) -> list[TextWords]:
        """Return the words of some rows of each row group, of which there is one."""
        found = [
            self._words(rows, group, -(-self.n_rows_of[group] // SAMPLED))
            for group, rows in enumerate(self.samples)
        ]
        return [np.concatenate(words) for words in zip(*found, strict=True)]

    def columns(
        self, words: Sequence[TextWords], names: Iterable[str]
    ) -> list[pa.Array]:
        codes = words[self.n_words - self.n_code_words :]
        begins, begin = {}, 0
        for name, column in self.texts.items():
            begins[name] = begin
            begin += column.n_columns
        found = []
        for name in names:
            if name in self.coded:
                found.append(self.coded[name].texts(codes))
            else:
                column, begin = self.texts[name], begins[name]
                found.append(column.texts(words[begin : begin + column.n_columns]))
        return found

    def n_of_values(self, name: str) -> NDArray[np.int64]:
        """Count the rows with each value of a coded column; they are read again."""
        column = self.coded[name]
        found = np.zeros(len(column.values) + 1, dtype=np.int64)
        for group, code_of in enumerate(column.code_of):
            places = _columns(self.path, group, [], [name])[name].indices
            each = code_of[places.fill_null(len(code_of) - 1).to_numpy()]
            found += np.bincount(each, minlength=len(found))
        return found[1:]

    def _words(
        self, rows: Mapping[str, pa.Array], group: int, n_rows: int
    ) -> list[TextWords]:
        words = [w for name, each in self.texts.items() for w in each.words(rows[name])]
        codes = [np.zeros(n_rows, dtype=np.int64) for _ in range(self.n_code_words)]
        for name, column in self.coded.items():
            codes[column.word] |= column.codes(rows[name], group)
        return [*words, *codes]


def coded_rows(
    path: Path,
    texts: Sequence[str],
    coded: Sequence[str],
    resources: Resources,
    pool: Executor,
    advance: Advance,
) -> CodedRows:
    """Read all rows once, and return how they become words."""
    # The dictionaries of a row group are merged into the values of their columns as
    # soon as it is read. While this is done the values of one column lie there three
    # times.
    parts = metadata_of(path)
    n_groups = parts.num_row_groups
    n_rows_of = [parts.row_group(group).num_rows for group in range(n_groups)]
    merged, lock = {name: _Merged(n_groups) for name in coded}, Lock()

    def survey(group: int) -> _Survey:
        rows = _columns(path, group, texts, coded)
        for name, column in merged.items():
            with lock:
                column.add(rows[name].dictionary, group)
                _refuse_many(path, merged, resources.memory_mib)
        found = _surveyed(rows, texts, _sampled(n_rows_of[group], group))
        _refuse_long(path, found.lengths)
        advance(n_rows_of[group])
        return found

    surveys = [*pool.map(survey, range(n_groups))]
    return CodedRows(
        path,
        {name: _text_column([s.lengths[name] for s in surveys]) for name in texts},
        _packed({name: each.coded() for name, each in merged.items()}),
        n_rows_of,
        {name: sum(s.lengths[name].n_missing for s in surveys) for name in texts},
        [s.sample for s in surveys],
    )


@dataclass(frozen=True)
class _Lengths:
    """Least and most bytes of the texts of a column, and how many are missing."""

    least: int
    most: int
    n_missing: int


@dataclass(frozen=True)
class _Survey:
    lengths: Mapping[str, _Lengths]
    sample: Mapping[str, pa.Array]


def _surveyed(
    rows: Mapping[str, pa.Array], texts: Sequence[str], places: NDArray[np.int64]
) -> _Survey:
    lengths = {}
    for name in texts:
        n_bytes = pc.min_max(pc.binary_length(rows[name])).as_py()
        lengths[name] = _Lengths(
            n_bytes["min"] or 0, n_bytes["max"] or 0, rows[name].null_count
        )
    sample = {
        name: (column if name in lengths else column.indices).take(places)
        for name, column in rows.items()
    }
    return _Survey(lengths, sample)


def _refuse_long(path: Path, lengths: Mapping[str, _Lengths]) -> None:
    for name, each in lengths.items():
        if each.most > MOST_BYTES:
            raise TableError(
                f"{path}: {name} has a value of {each.most:,} bytes, where an "
                f"identifier has {MOST_BYTES} at most. Correct the release, or "
                "person_id and record_id of the table's source."
            )


def _sampled(n_rows: int, group: int) -> NDArray[np.int64]:
    """Return one place of each `SAMPLED`, the same whenever a row group is read."""
    # Places that are evenly apart would be of one kind of row where kinds take turns.
    begins = np.arange(0, n_rows, SAMPLED)
    drawn = np.random.default_rng(group).integers(SAMPLED, size=len(begins))
    places: NDArray[np.int64] = np.minimum(begins + drawn, n_rows - 1)
    return places


def _columns(
    path: Path, group: int, texts: Sequence[str], coded: Sequence[str]
) -> dict[str, pa.Array]:
    with parquet(path, coded) as file:
        rows = file.read_row_group(group, columns=[*texts, *coded], use_threads=False)
    rows = rows.unify_dictionaries()
    columns = {name: rows[name].combine_chunks() for name in (*texts, *coded)}
    return {
        name: column.cast(pa.string()) if name in texts else column
        for name, column in columns.items()
    }


def _text_column(lengths: Sequence[_Lengths]) -> TextColumn:
    least = min((each.least for each in lengths), default=0)
    most = max((each.most for each in lengths), default=0)
    is_even = least == most and not any(each.n_missing for each in lengths)
    return TextColumn(max(1, -(-most // WORD_BYTES)), most if is_even else None)


class _Merged:
    """The distinct values of a column, as row groups come in, in any order."""

    def __init__(self, n_groups: int) -> None:
        self.values = pa.array([], pa.large_string())
        self.places = [np.empty(0, dtype=np.int32) for _ in range(n_groups)]

    @property
    def n_bytes(self) -> int:
        return int(self.values.nbytes) + sum(each.nbytes for each in self.places)

    def add(self, dictionary: pa.Array, group: int) -> None:
        n_known = len(self.values)
        every = pa.concat_arrays([self.values, dictionary.cast(pa.large_string())])
        # The values that are known are distinct and come first: they keep their places.
        found = every.dictionary_encode()
        self.values = found.dictionary
        self.places[group] = found.indices.to_numpy()[n_known:].copy()

    def coded(self) -> CodedColumn:
        order = pc.sort_indices(self.values)
        code = np.empty(len(order), dtype=np.int32)
        code[order.to_numpy()] = np.arange(1, len(order) + 1)
        code_of = [np.append(code[each], np.int32(0)) for each in self.places]
        return CodedColumn(self.values.take(order), code_of)


def _refuse_many(path: Path, merged: Mapping[str, _Merged], memory_mib: int) -> None:
    """Refuse values of all coded columns that take more than their memory."""
    n_bytes = {name: each.n_bytes for name, each in merged.items()}
    n_most = int(VALUES * memory_mib * MIB)
    if sum(n_bytes.values()) <= n_most:
        return
    name = max(n_bytes, key=n_bytes.__getitem__)
    raise MicroleakError(
        f"{path}: the distinct values of its columns take more than the "
        f"{n_most // MIB:,} MiB that they may, and those of {name} the most: at least "
        f"{len(merged[name].values):,}. Give the rule deduplicate more memory than "
        f"{memory_mib} MiB (--max-memory), or do without {name} in the study file."
    )


def _packed(columns: Mapping[str, CodedColumn]) -> dict[str, CodedColumn]:
    """Return the columns with their places, from the highest bits of the first word."""
    placed = {}
    word, shift = 0, WORD_BITS
    for name, column in columns.items():
        if column.n_bits > shift:
            word, shift = word + 1, WORD_BITS
        shift -= column.n_bits
        placed[name] = replace(column, word=word, shift=shift)
    return placed


def _texts(column: pa.Array) -> Texts:
    _, first, data = column.buffers()
    if not len(column):
        return Texts(np.zeros(1, dtype=np.int32), np.empty(0, dtype=np.uint8))
    offsets = np.frombuffer(first, np.int32)[column.offset :][: len(column) + 1]
    return Texts(offsets, np.frombuffer(data or b"", np.uint8))


def _array(texts: Texts, is_missing: NDArray[np.bool_]) -> pa.Array:
    column = pa.StringArray.from_buffers(
        len(is_missing), pa.py_buffer(texts.first), pa.py_buffer(texts.data)
    )
    if not is_missing.any():
        return column
    return pc.if_else(pa.array(is_missing), pa.scalar(None, pa.string()), column)
