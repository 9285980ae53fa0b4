"""Packing of coded records into one integer a record, however many QIDs.

QIDs lie in a key from the most identifying one (highest bits) to the least, by
their entropy, then the sensitive attributes, so that sorting keys sorts records
by attribute after attribute. Where 64 bits are too few, the rear attributes are
replaced by the rank of their combination, which keeps order and equality, and
a second level of keys, one for each rank, holds them; and so on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microleak.kernels.blocks import Fields, Keys

Codes = NDArray[np.integer]
"""Code of each record's value, shape (n_records,), from 0 up; missing has one."""

KEY_BITS = 64

SENSITIVE_BITS = 32
"""Bits that sensitive attributes may take of a key; more are walked in turns."""

_NO_KEYS: Keys = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True)
class Attribute:
    """Codes of one attribute and how many codes there are."""

    codes: Codes
    n_values: int

    @property
    def n_bits(self) -> int:
        """Bits that hold every code; none for an attribute with one value."""
        return (max(self.n_values, 1) - 1).bit_length()

    @property
    def entropy(self) -> float:
        """Shannon entropy of the values in bits; 0 if all records are equal.

        It decides where the walk begins, which changes its speed and no result.
        """
        counts = np.bincount(self.codes)
        shares = counts[counts > 0] / len(self.codes)
        return float(-shares @ np.log2(shares))


@dataclass(frozen=True)
class BitField:
    """Where a QID lies in the keys of its level."""

    qid: int
    shift: int
    mask: int


@dataclass(frozen=True)
class Level:
    """Bit fields of one level of keys, highest bits first.

    `rank_mask` selects the rank that stands for the attributes of the next
    level, whose keys by rank are `next_keys`; on the last level there are none.
    """

    fields: tuple[BitField, ...]
    rank_mask: int
    next_keys: Keys


@dataclass(frozen=True)
class Packed:
    """Keys of all records, their levels from first to last, sensitive fields."""

    keys: Keys
    levels: tuple[Level, ...]
    fields: Fields

    @cached_property
    def sensitive_bits(self) -> int:
        """Mask of all sensitive attributes in the keys of the last level."""
        shifts, masks, _ = self.fields
        return sum(int(m) << int(s) for s, m in zip(shifts, masks, strict=True))

    def is_last(self, level: int) -> bool:
        """Whether the keys of a level hold sensitive values, not a rank."""
        return level + 1 == len(self.levels)

    def descend(self, level: int, keys: Keys) -> Keys:
        """Return the next level's keys of rows whose QIDs above are decided."""
        above = self.levels[level]
        return np.take(above.next_keys, keys & np.uint64(above.rank_mask))


def sensitive_groups(sensitive: Sequence[Attribute]) -> list[list[Attribute]]:
    """Cut a list of sensitive attributes into runs that fit a key together."""
    groups: list[list[Attribute]] = []
    room = 0
    for attribute in sensitive:
        room -= attribute.n_bits
        if room < 0 or not groups:
            groups.append([])
            room = SENSITIVE_BITS - attribute.n_bits
        groups[-1].append(attribute)
    return groups


def pack(qids: Mapping[int, Attribute], sensitive: Sequence[Attribute]) -> Packed:
    """Return one key a record, for the QIDs (by number) and sensitive attributes.

    The sensitive attributes are one group, at least one. QIDs that are equal in
    all records get no field. All attributes have the same number of records.
    Time O(n) a QID, and O(n log n) a further level.
    """
    ascending = sorted((a.entropy, q) for q, a in qids.items() if a.n_bits)
    keys, n_bits, fields = _pack_sensitive(sensitive)
    levels: list[Level] = []
    row: list[BitField] = []
    rank_mask, next_keys = 0, _NO_KEYS
    for _, q in ascending:
        if n_bits + qids[q].n_bits > KEY_BITS:
            levels.append(Level(tuple(reversed(row)), rank_mask, next_keys))
            next_keys, ranks = np.unique(keys, return_inverse=True)
            keys = ranks.astype(np.uint64)
            n_bits = (len(next_keys) - 1).bit_length()
            rank_mask, row = (1 << n_bits) - 1, []
        row.append(BitField(q, n_bits, ((1 << qids[q].n_bits) - 1) << n_bits))
        keys |= qids[q].codes.astype(np.uint64) << np.uint64(n_bits)
        n_bits += qids[q].n_bits
    levels.append(Level(tuple(reversed(row)), rank_mask, next_keys))
    return Packed(keys, tuple(reversed(levels)), fields)


def _pack_sensitive(sensitive: Sequence[Attribute]) -> tuple[Keys, int, Fields]:
    keys = np.zeros(len(sensitive[0].codes), dtype=np.uint64)
    shifts, masks = [], []
    n_bits = 0
    for attribute in sensitive:
        shifts.append(n_bits)
        masks.append((1 << attribute.n_bits) - 1)
        keys |= attribute.codes.astype(np.uint64) << np.uint64(n_bits)
        n_bits += attribute.n_bits
    fields = Fields(
        np.array(shifts, dtype=np.uint64),
        np.array(masks, dtype=np.uint64),
        max(attribute.n_values for attribute in sensitive),
    )
    return keys, n_bits, fields
