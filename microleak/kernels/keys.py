"""Packing of coded records into one integer a record, however many attributes.

Attributes lie in a key from the most identifying one (highest bits) to the
least, by their entropy, then the sensitive ones, so that sorting keys sorts records by
attribute after attribute. Where 64 bits are too few, the rear attributes are
replaced by the rank of their combination, which keeps order and equality, and
a second level of keys, one for each rank, holds them; and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microleak.kernels.blocks import Fields, Keys

Codes = NDArray[np.integer]
"""Code of each record's value, shape (n_records,), from 0 up; missing has one."""

KEY_BITS = 64

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
class Level:
    """Bit fields of one level of keys.

    `fields` lists (QID number, mask), highest bits first. `rank_mask` selects
    the rank that stands for the attributes of the next level (0 on the last),
    whose keys by rank are `next_keys`.
    """

    fields: tuple[tuple[int, int], ...]
    rank_mask: int
    next_keys: Keys


@dataclass(frozen=True)
class Packed:
    """Keys of all records, their levels from first to last, sensitive fields."""

    keys: Keys
    levels: tuple[Level, ...]
    fields: Fields


def pack(qids: Sequence[Attribute], sensitive: Sequence[Attribute]) -> Packed:
    """Return one key a record, for the QIDs and sensitive attributes given.

    There is at least one of each, all with the same number of records. Time
    O(n) a QID, and O(n log n) a further level.
    """
    order = sorted(range(len(qids)), key=lambda q: (qids[q].entropy, q))
    keys, n_bits, fields = _pack_sensitive(sensitive)
    levels: list[Level] = []
    row: list[tuple[int, int]] = []
    rank_mask, next_keys = 0, _NO_KEYS
    for q in order:
        if n_bits + qids[q].n_bits > KEY_BITS:
            levels.append(Level(tuple(reversed(row)), rank_mask, next_keys))
            next_keys, ranks = np.unique(keys, return_inverse=True)
            keys = ranks.astype(np.uint64)
            n_bits = (len(next_keys) - 1).bit_length()
            rank_mask, row = (1 << n_bits) - 1, []
        row.append((q, ((1 << qids[q].n_bits) - 1) << n_bits))
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
    if n_bits > KEY_BITS:
        message = f"sensitive attributes need {n_bits} bits of {KEY_BITS}"
        raise OverflowError(message)
    fields = Fields(
        np.array(shifts, dtype=np.uint64),
        np.array(masks, dtype=np.uint64),
        max(attribute.n_values for attribute in sensitive),
    )
    return keys, n_bits, fields
