"""Which values of an attribute are counted, and the records that have them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.progress import Advance, tell_no_progress
from microleak.records.chunks import Chunks

MISSING = "(missing)"
r"""How a missing value is written.

In others a `\` stands before each `|` and `\`, and before this text if a value is
that: so values joined by `|` are never taken for others.
"""


def distinct_text(value: str | None) -> str:
    r"""Write a value so that it is no other one, nor several, nor a missing one.

    >>> print(distinct_text("1|2"), distinct_text(None), distinct_text("(missing)"))
    1\|2 (missing) \(missing)
    """
    if value is None:
        return MISSING
    if value == MISSING:
        return rf"\{value}"
    return re.sub(r"[|\\]", r"\\\g<0>", value)


def split_values(written: str) -> tuple[str | None, ...]:
    r"""Return the values that `distinct_text` wrote and `|` joins; None if missing.

    >>> split_values(r"1\|2|(missing)|\(missing)")
    ('1|2', None, '(missing)')
    """
    values = [""]
    for token in re.findall(r"\\.|[^\\]", written, flags=re.DOTALL):
        if token == "|":
            values.append("")
        else:
            values[-1] += token
    return tuple(map(_read_distinct, values))


def _read_distinct(written: str) -> str | None:
    if written == MISSING:
        return None
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)


EQUALS, IN, GREATER, BETWEEN = "equals", "in", "greater", "between"
ORDERED = (GREATER, BETWEEN)
"""Kinds of predicates that need an order of the values."""


@dataclass(frozen=True)
class Predicate:
    """Which useful values are counted."""

    kind: str  # `equals`, `in`, `greater` or `between`
    values: tuple[str | None, ...]  # What the study file gives

    @property
    def written_values(self) -> str:
        r"""The values as result tables have them, joined by `|`.

        >>> print(Predicate("in", ("1|2", None)).written_values)
        1\|2|(missing)
        """
        return "|".join(map(distinct_text, self.values))

    def __str__(self) -> str:
        """Write it, the same for no other predicate."""
        return f"{self.kind} {self.written_values}"


FilterValues = Mapping[str, tuple[str | None, ...]]
"""Values of attributes; None is a missing one."""


class KeptChunks:
    """The rows of a table that have, in each attribute of `keep`, one of its values."""

    def __init__(
        self, chunks: Chunks, keep: FilterValues, advance: Advance = tell_no_progress
    ) -> None:
        self._chunks = chunks
        self._kept: list[tuple[int, pa.BooleanArray]] = []
        for i in range(chunks.n_chunks):
            mask = kept_mask(chunks.read(i, list(keep)), keep)
            if mask.true_count:
                self._kept.append((i, mask))
            advance(len(mask))
        self.n_rows = sum(mask.true_count for _, mask in self._kept)
        self.n_chunks = len(self._kept)

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        number, mask = self._kept[chunk]
        return self._chunks.read(number, names).filter(mask)


def unseen_values(
    columns: Iterable[pa.ChunkedArray], values: Sequence[str | None]
) -> list[str]:
    """Return the values that no part of a column has, but a missing one."""
    sought = [value for value in values if value is not None]
    for column in columns:
        found = column.unique().cast(pa.string())
        is_seen = pc.is_in(pa.array(sought, pa.string()), value_set=found).to_pylist()
        sought = [v for v, seen in zip(sought, is_seen, strict=True) if not seen]
        if not sought:
            break
    return sought


def kept_mask(
    columns: pa.Table | Mapping[str, pa.ChunkedArray], keep: FilterValues
) -> pa.BooleanArray:
    each = [
        pc.is_in(columns[name], value_set=pa.array(values, pa.string()))
        for name, values in keep.items()
    ]
    return reduce(pc.and_, each).combine_chunks()
