"""Packing of coded records into few integers a record, however many QIDs.

QIDs lie in words from the most identifying one (first word, highest bits) to
the least, by their entropy, then the sensitive attributes, the marked ones last,
so that sorting by words sorts records by attribute after attribute. The last
word has 64 bits. Of the words before it each is shorter, so that in a part of
the table one *key* can hold a word and the rank of what the words behind it say:
rank keeps order and equality, and leads to the key of the next level. The marks
stand behind the rank, too, as members are counted on every level.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes
from microleak.kernels.blocks import Fields, Keys
from microleak.kernels.records import Values

LAST_BITS = 64

WORD_BITS, RANK_BITS = 32, 28
"""Bits of a word before the last, if the marks leave them, and of the rank of a row in
a bucket."""

SENSITIVE_BITS, MOST_MARKED = 32, 4
"""Bits that sensitive attributes may take of a key, and how many of these may be marks;
more attributes are walked in turns."""

KeyWord = NDArray[np.unsignedinteger]

_NO_KEYS: Keys = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True)
class BitField:
    """Where a QID lies in a word, or in the keys of a level."""

    qid: int
    shift: int
    mask: int

    def values(self, word: KeyWord) -> KeyWord:
        """Return the QID's codes in a word."""
        kind = word.dtype.type
        return (word & kind(self.mask)) >> kind(self.shift)


@dataclass(frozen=True)
class Layout:
    """Where attributes lie in words, first word and highest bits first."""

    words: tuple[tuple[BitField, ...], ...]
    sensitive: Fields
    sensitive_names: tuple[int, ...]

    @property
    def attributes(self) -> list[int]:
        """Attributes that have bits, QIDs by number, sensitive ones by name."""
        named = zip(self.sensitive_names, self.sensitive.masks, strict=True)
        return [*self.qids, *(name for name, mask in named if mask)]

    @property
    def sensitive_mask(self) -> int:
        """Mask of all sensitive attributes in the last word."""
        fields = zip(self.sensitive.shifts, self.sensitive.masks, strict=True)
        return sum(int(mask) << int(shift) for shift, mask in fields)

    @property
    def qids(self) -> tuple[int, ...]:
        """QIDs from the most identifying to the least."""
        return tuple(field.qid for word in self.words for field in word)

    @property
    def types(self) -> list[np.dtype[np.unsignedinteger]]:
        """Types of the words."""
        short = [np.dtype(np.uint32)] * (len(self.words) - 1)
        return [*short, np.dtype(np.uint64)]

    def only(self, qids: Iterable[int]) -> "Layout":
        """Return a layout with these QIDs, where they lie; empty words are left out."""
        kept = set(qids)
        words = [tuple(f for f in word if f.qid in kept) for word in self.words]
        full = [word for word in words[:-1] if word]
        return replace(self, words=(*full, words[-1]))


@dataclass(frozen=True)
class Level:
    """Bit fields of one level of keys, highest bits first.

    The lowest `bits_behind` hold the rank that stands for the words behind, whose
    keys by rank are `next_keys`, and the marks; on the last level there are none.
    """

    fields: tuple[BitField, ...]
    bits_behind: int
    next_keys: Keys

    @property
    def mask_behind(self) -> int:
        """Mask of the rank and the marks."""
        return (1 << self.bits_behind) - 1


@dataclass(frozen=True)
class Packed:
    """Keys of some rows, the levels they lead to, and the sensitive fields."""

    keys: Keys
    levels: tuple[Level, ...]
    fields: Fields
    sensitive_bits: int

    def is_last(self, level: int) -> bool:
        """Whether the keys of a level hold sensitive values, not a rank."""
        return level + 1 == len(self.levels)

    def descend(self, level: int, keys: Keys) -> Keys:
        """Return the next level's keys of rows whose QIDs above are decided."""
        above = self.levels[level]
        behind = keys & np.uint64(above.mask_behind)
        return np.take(above.next_keys, behind >> np.uint64(self.fields.n_marked))

    def words(self, keys: Keys) -> list[KeyWord]:
        """Return the words that some of the keys stand for."""
        words: list[KeyWord] = []
        for number, level in enumerate(self.levels[:-1]):
            words.append((keys >> np.uint64(level.bits_behind)).astype(np.uint32))
            keys = self.descend(number, keys)
        return [*words, keys]


def turns_of(sensitive: Sequence[Values]) -> list[range]:
    """Cut a list of sensitive attributes into runs that fit a key together."""
    starts, n_bits, n_marked = [0], 0, 0
    for i, values in enumerate(sensitive):
        n_bits += values.n_bits
        n_marked += values.n_bits * values.is_marked
        is_full = n_bits > SENSITIVE_BITS or n_marked > MOST_MARKED
        if is_full and i > starts[-1]:
            starts.append(i)
            n_bits, n_marked = values.n_bits, values.n_bits * values.is_marked
    return [range(*ends) for ends in pairwise([*starts, len(sensitive)])]


def layout_of(qids: Mapping[int, Values], sensitive: Mapping[int, Values]) -> Layout:
    """Return where QIDs and the sensitive attributes of a turn lie, each by name.

    QIDs that are equal in all records have no field.
    """
    fields = _sensitive_fields([*sensitive.values()])
    with_bits = [q for q, values in qids.items() if values.n_bits]
    words: list[list[BitField]] = [[]]
    n_bits, room = sum(v.n_bits for v in sensitive.values()), LAST_BITS
    for q in sorted(with_bits, key=lambda q: (qids[q].identifies, -q)):
        if n_bits + qids[q].n_bits > room:
            words.append([])
            n_bits, room = 0, min(WORD_BITS, LAST_BITS - RANK_BITS - fields.n_marked)
        mask = ((1 << qids[q].n_bits) - 1) << n_bits
        words[-1].append(BitField(q, n_bits, mask))
        n_bits += qids[q].n_bits
    return Layout(tuple(tuple(w[::-1]) for w in words[::-1]), fields, tuple(sensitive))


def _sensitive_fields(sensitive: Sequence[Values]) -> Fields:
    """Return where the sensitive attributes lie in the last word, the last lowest."""
    n_bits = [values.n_bits for values in sensitive]
    is_marked = [values.is_marked for values in sensitive]
    assert is_marked == sorted(is_marked)
    n_marked = sum(n for n, marked in zip(n_bits, is_marked, strict=True) if marked)
    return Fields(
        np.cumsum([0, *n_bits[:0:-1]])[::-1].astype(np.uint64),
        np.array([(1 << n) - 1 for n in n_bits], dtype=np.uint64),
        max(1 << n for n in n_bits),
        n_marked,
    )


def words_of(layout: Layout, codes: Mapping[int, Codes], n_rows: int) -> list[KeyWord]:
    """Return the words of records, from the codes of the `layout.attributes`."""
    words = []
    for fields, kind in zip(layout.words, layout.types, strict=True):
        word = np.zeros(n_rows, dtype=kind)
        for field in fields:
            word |= codes[field.qid].astype(kind) << kind.type(field.shift)
        words.append(word)
    for name, shift in zip(
        layout.sensitive_names, layout.sensitive.shifts, strict=True
    ):
        if name in codes:
            words[-1] |= codes[name].astype(np.uint64) << shift
    return words


def packed_keys(layout: Layout, words: Sequence[KeyWord]) -> Packed:
    """Return one key a row. Time O(n), and O(n log n) a word before the last."""
    keys = words[-1]
    n_marked = layout.sensitive.n_marked
    marks = keys & np.uint64((1 << n_marked) - 1)
    levels = [Level(layout.words[-1], 0, _NO_KEYS)]
    for fields, word in zip(layout.words[-2::-1], words[-2::-1], strict=True):
        next_keys, ranks = _ranked_keys(keys)
        n_bits = max(len(next_keys) - 1, 0).bit_length() + n_marked
        assert len(next_keys) <= 1 << RANK_BITS
        shifted = (BitField(f.qid, f.shift + n_bits, f.mask << n_bits) for f in fields)
        levels.append(Level(tuple(shifted), n_bits, next_keys))
        behind = ranks.astype(np.uint64) << np.uint64(n_marked) | marks
        keys = word.astype(np.uint64) << np.uint64(n_bits) | behind
    mask = layout.sensitive_mask
    return Packed(keys, tuple(levels[::-1]), layout.sensitive, mask)


def _ranked_keys(keys: Keys) -> tuple[Keys, NDArray[np.int64]]:
    """Return the different keys, ascending, and the place of each key among them."""
    order = keys.argsort()
    ascending = keys[order]
    is_new = np.diff(ascending, prepend=~ascending[:1]) != 0
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[order] = np.cumsum(is_new) - 1
    return ascending[is_new], ranks


def narrowed_words(
    layout: Layout, words: Sequence[KeyWord], target: Layout
) -> list[KeyWord]:
    """Return a copy of words with the QIDs of another layout, a part of theirs."""
    mask_of = {field.qid: field.mask for word in target.words for field in word}
    masks = [
        sum(mask_of.get(field.qid, 0) for field in fields) for fields in layout.words
    ]
    masks[-1] |= layout.sensitive_mask
    pairs = zip(words, masks, strict=True)
    *short, last = [word & word.dtype.type(mask) for word, mask in pairs]
    return [*(word for word, mask in zip(short, masks, strict=False) if mask), last]
