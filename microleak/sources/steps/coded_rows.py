"""The rows of a table of texts as whole numbers, which sort as the texts do.

Identifiers become words of their bytes. All other columns, whose values are fewer,
become codes that are packed into as few words as hold them.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.progress import Advance
from microleak.kernels.text_words import WORD_BYTES, Words, texts_of, words_of
from microleak.kernels.texts import Texts
from microleak.sources.steps.intermediate import metadata_of, parquet

WORD_BITS = 63
"""Bits of codes in a word, which stays positive."""

SAMPLED = 100
"""Of so many rows one tells how the rows of a table are spread."""


@dataclass(frozen=True)
class TextColumn:
    """A column whose texts become words.

    Attributes
    ----------
    n_words
        Words of each text.
    n_bytes
        Bytes of every text, or None where they are not all as long or some are
        missing: then a last word has the length, -1 for a missing text.
    """

    n_words: int
    n_bytes: int | None

    @property
    def n_columns(self) -> int:
        """Words of each text, with that of the length."""
        return self.n_words + (self.n_bytes is None)

    def words(self, column: pa.Array) -> list[Words]:
        """Return the words of texts, each an array; they sort as the texts do."""
        words = [*words_of(_texts(column), self.n_words)]
        if self.n_bytes is None:
            words.append(_lengths(column))
        return words

    def texts(self, words: Sequence[Words]) -> pa.Array:
        """Return the texts that have these words."""
        *words, last = words
        if self.n_bytes is None:
            lengths = last
        else:
            words.append(last)
            lengths = np.full(len(last), self.n_bytes, dtype=np.int64)
        return _array(texts_of(words, np.maximum(lengths, 0)), lengths < 0)


@dataclass(frozen=True)
class CodedColumn:
    """A column whose values become codes: 0 is missing, then they go by their bytes.

    Attributes
    ----------
    values
        Distinct values, ascending.
    code_of
        Codes of the dictionary of each row group, and of a missing value at the end.
    word, shift
        Where a row has the code: the number of the word, and of its lowest bit.
    """

    values: pa.Array
    code_of: Sequence[NDArray[np.int32]]
    word: int = 0
    shift: int = 0

    @property
    def n_bits(self) -> int:
        """Bits of a code."""
        return len(self.values).bit_length()

    def codes(self, column: pa.DictionaryArray, group: int) -> Words:
        """Return the codes of a row group's values, as they lie in the word."""
        code_of = self.code_of[group].astype(np.int64) << self.shift
        places = column.indices.cast(pa.int32()).fill_null(len(code_of) - 1)
        codes: Words = code_of[places.to_numpy()]
        return codes

    def texts(self, words: Sequence[Words]) -> pa.Array:
        """Return the values that rows with these words have."""
        codes = words[self.word] >> self.shift & ((1 << self.n_bits) - 1)
        return self.values.take(pa.array(codes - 1, mask=codes == 0))


@dataclass(frozen=True)
class CodedRows:
    """The rows of a Parquet file, row group by row group, as words.

    Attributes
    ----------
    path
        The file.
    texts, coded
        Columns by name, in the order in which rows are to be sorted.
    n_rows_of
        Rows of each row group.
    n_missing
        Rows without a value in each of `texts`.
    samples
        Some rows of each row group.
    """

    path: Path
    texts: Mapping[str, TextColumn]
    coded: Mapping[str, CodedColumn]
    n_rows_of: Sequence[int]
    n_missing: Mapping[str, int]
    samples: Sequence[Mapping[str, pa.Array]]

    @property
    def n_groups(self) -> int:
        """Row groups of the file."""
        return len(self.n_rows_of)

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return sum(self.n_rows_of)

    @property
    def n_code_words(self) -> int:
        """Words with the codes of a row."""
        return 1 + max((column.word for column in self.coded.values()), default=0)

    @property
    def n_words(self) -> int:
        """Words of a row."""
        n_texts = sum(column.n_columns for column in self.texts.values())
        return n_texts + self.n_code_words

    def words(self, group: int) -> list[Words]:
        """Return the words of the rows of a row group: texts, then codes."""
        return self._words(
            _columns(self.path, group, [*self.texts], [*self.coded]), group
        )

    def sample(self) -> list[Words]:
        """Return the words of some rows of each row group, of which there is one."""
        found = [self._words(rows, group) for group, rows in enumerate(self.samples)]
        return [np.concatenate(words) for words in zip(*found, strict=True)]

    def columns(self, words: Sequence[Words], names: Iterable[str]) -> list[pa.Array]:
        """Return the texts of some columns of rows that have these words."""
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

    def _words(self, rows: Mapping[str, pa.Array], group: int) -> list[Words]:
        words = [w for name, each in self.texts.items() for w in each.words(rows[name])]
        n_rows = len(next(iter(rows.values())))
        codes = [np.zeros(n_rows, dtype=np.int64) for _ in range(self.n_code_words)]
        for name, column in self.coded.items():
            codes[column.word] |= column.codes(rows[name], group)
        return [*words, *codes]


def coded_rows(
    path: Path,
    texts: Sequence[str],
    coded: Sequence[str],
    pool: Executor,
    advance: Advance,
) -> CodedRows:
    """Read all rows once, and return how they become words.

    Parameters
    ----------
    path
        Parquet file of text columns.
    texts
        Columns whose values differ in most rows.
    coded
        Columns that have few values, each of which is held in memory.
    advance
        Told the rows.
    """

    def survey(group: int) -> _Survey:
        found = _surveyed(_columns(path, group, texts, coded), texts)
        advance(found.n_rows)
        return found

    surveys = [*pool.map(survey, range(metadata_of(path).num_row_groups))]
    return CodedRows(
        path,
        {name: _text_column([s.lengths[name] for s in surveys]) for name in texts},
        _packed(
            {name: _coded_column([s.values[name] for s in surveys]) for name in coded}
        ),
        [s.n_rows for s in surveys],
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
    """What one row group has."""

    n_rows: int
    lengths: Mapping[str, _Lengths]
    values: Mapping[str, pa.Array]
    sample: Mapping[str, pa.Array]


def _surveyed(rows: Mapping[str, pa.Array], texts: Sequence[str]) -> _Survey:
    n_rows = len(next(iter(rows.values())))
    places = pa.array(np.arange(0, n_rows, SAMPLED))
    lengths = {}
    for name in texts:
        n_bytes = pc.min_max(pc.binary_length(rows[name])).as_py()
        lengths[name] = _Lengths(
            n_bytes["min"] or 0, n_bytes["max"] or 0, rows[name].null_count
        )
    values = {name: rows[name].dictionary for name in rows if name not in lengths}
    return _Survey(
        n_rows, lengths, values, {name: rows[name].take(places) for name in rows}
    )


def _columns(
    path: Path, group: int, texts: Sequence[str], coded: Sequence[str]
) -> dict[str, pa.Array]:
    """Return columns of a row group, the coded ones with one dictionary each."""
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


def _coded_column(dictionaries: Sequence[pa.Array]) -> CodedColumn:
    """Return the codes of values, from the dictionary of each row group."""
    every = pa.concat_arrays(
        [pa.nulls(0, pa.string()), *(d.cast(pa.string()) for d in dictionaries)]
    )
    found = every.dictionary_encode()
    order = pc.sort_indices(found.dictionary)
    code = np.empty(len(order), dtype=np.int32)
    code[order.to_numpy()] = np.arange(1, len(order) + 1)
    codes = code[found.indices.to_numpy()]
    ends = np.cumsum([len(each) for each in dictionaries])[:-1]
    code_of = [np.append(each, np.int32(0)) for each in np.split(codes, ends)]
    return CodedColumn(found.dictionary.take(order), code_of)


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


def _lengths(column: pa.Array) -> Words:
    lengths = pc.binary_length(column).fill_null(-1)
    return np.asarray(lengths, dtype=np.int64)


def _array(texts: Texts, is_missing: NDArray[np.bool_]) -> pa.Array:
    column = pa.StringArray.from_buffers(
        len(is_missing), pa.py_buffer(texts.first), pa.py_buffer(texts.data)
    )
    if not is_missing.any():
        return column
    return pc.if_else(pa.array(is_missing), pa.scalar(None, pa.string()), column)
