"""Columns of several releases, whose equal values meet (`same_values`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from warnings import warn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.errors import TableError
from microleak.base.language import number_text
from microleak.base.same_values import (
    DAYS,
    EXAMPLES,
    INSTANTS,
    NOTHING,
    NUMBERS,
    TEXT,
    TRUTH,
    WRITTEN,
    daytime_texts,
    instant_texts,
    kind_of,
)
from microleak.sources.steps.odd_values import n_zeros_apart

FEW = 10
"""What two releases have in common is few if it is less than one in this many."""

NEXT_TO_NOTHING = (
    "hardly any values in common, so hardly anybody is found in both. Check that both "
    "are written alike: as text, 025 is not 25."
)


@dataclass(frozen=True)
class ReleaseColumn:
    """A column of texts of one release, where it meets those of others."""

    whose: str
    type: pa.DataType
    values: pa.ChunkedArray

    @cached_property
    def counts(self) -> tuple[pa.StringArray, NDArray[np.int64]]:
        """The values that records have, but a missing one, and how many have each."""
        found = self.values.value_counts()
        found = found.filter(found.field(0).is_valid())
        return found.field(0).cast(pa.string()), found.field(1).to_numpy()

    @property
    def kind(self) -> str:
        return kind_of(self.type) if len(self.counts[0]) else NOTHING

    @property
    def are_integers(self) -> bool:
        """Whether values are integers by their type, or are all written so as text."""
        if self.kind == TEXT:
            return self.matches("-?[0-9]+", pc.all)
        of_scale_0 = pa.types.is_decimal(self.type) and self.type.scale == 0
        return of_scale_0 or bool(pa.types.is_integer(self.type))

    def matches(self, pattern: str, how_many: Any = pc.any) -> bool:
        found = pc.match_substring_regex(self.counts[0], f"^({pattern})$")
        return bool(how_many(found).as_py())

    def beside(self, kind: str) -> "ReleaseColumn":
        """Return text as it is beside values of a kind."""
        # Truth values and datetimes are as others write them, too: `True` is `true`.
        if self.kind != TEXT or kind not in (TRUTH, DAYS, INSTANTS):
            return self
        (chunk,) = self.values.dictionary_encode().unify_dictionaries().chunks
        texts = chunk.dictionary.cast(pa.string())
        if kind == TRUTH:
            is_one = pc.match_substring_regex(texts, f"^({WRITTEN[TRUTH]})$")
            texts = pc.if_else(is_one, pc.utf8_lower(texts), texts)
        else:
            texts = instant_texts(texts) if kind == INSTANTS else daytime_texts(texts)
        return replace(self, values=pa.chunked_array([texts.take(chunk.indices)]))

    def shared(self, other: "ReleaseColumn") -> tuple[int, int]:
        values, counts = self.counts
        is_shared = pc.is_in(values, other.counts[0]).to_numpy(zero_copy_only=False)
        return int(counts[is_shared].sum()), int(counts.sum())


def columns_that_meet(
    function: str, name: str, columns: Sequence[ReleaseColumn]
) -> list[ReleaseColumn]:
    """Return columns of releases such that equal values are equal texts in all."""
    kinds = {each.kind: each for each in columns if each.kind not in (TEXT, NOTHING)}
    if len(kinds) > 1:
        first, second, *_ = kinds.values()
        raise _incomparable_columns(
            function, name, (first, first.kind), (second, second.kind)
        )
    for kind, first in kinds.items():
        columns = [each.beside(kind) for each in columns]
        for each in columns:
            if each.kind == TEXT and not each.matches(WRITTEN[kind]):
                text = f"text, none of which is written as {EXAMPLES[kind]}"
                raise _incomparable_columns(function, name, (first, kind), (each, text))
    if NUMBERS in kinds:
        _refuse_fractions(function, name, columns)
    for each in columns[1:]:
        shares = columns[0].shared(each), each.shared(columns[0])
        if found := found_apart(shares, columns[0].counts[0], each.counts[0]):
            warn(
                f"{function}: {name} of {columns[0].whose} and {name} of {each.whose} "
                f"have {found}",
                RuntimeWarning,
                stacklevel=2,
            )
    return [*columns]


def _refuse_fractions(
    function: str, name: str, columns: Sequence[ReleaseColumn]
) -> None:
    measured = [each for each in columns if each.matches("-?[0-9]+[.]0*[1-9][0-9]*")]
    codes = [each for each in columns if each.kind != NOTHING and each.are_integers]
    if measured and codes:
        pair = (measured[0], "numbers with a fraction"), (codes[0], "integers")
        raise _incomparable_columns(function, name, *pair)


def _incomparable_columns(
    function: str,
    name: str,
    first: tuple[ReleaseColumn, str],
    second: tuple[ReleaseColumn, str],
) -> TableError:
    (one, has), (other, other_has) = first, second
    return TableError(
        f"{function}: {name} of {one.whose} has {has}, but {name} of {other.whose} has "
        f"{other_has}, so that they cannot be compared. Convert one of them."
    )


def found_apart(
    shares: Sequence[tuple[int, int]], one: pa.Array, other: pa.Array
) -> str:
    """Return what two releases have, if values of theirs that are one do not meet."""
    if are_few(*shares):
        return NEXT_TO_NOTHING
    if n := n_zeros_apart(one, other) + n_zeros_apart(other, one):
        return (
            f"{number_text(n)} values that differ in leading zeros alone, and do not "
            "meet: as text, 025 is not 25. Write both alike."
        )
    return ""


def are_few(*shares: tuple[int, int]) -> bool:
    """Whether what two releases have in common is next to nothing of either."""
    return all(n_met * FEW < n for n_met, n in shares)
