"""Values that a source does not release, found among a chunk's distinct ones."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.options import matches

RecordMask = npt.NDArray[np.bool_]
"""Whether each record of a chunk is meant, shape (n_records,)."""


@dataclass(frozen=True)
class Check:
    """What an attribute's values must be."""

    pattern: str | None  # Pattern that whole values match, or None where any will do
    expected: str  # The same in words, for messages
    # Whether a missing value is refused too, as in identifiers, and in every
    # attribute where the source says so
    is_required: bool
    is_identifier: bool  # Whether hardly two values are equal


def checks(definition: SourceDefinition) -> dict[str, Check]:
    attributes = dict.fromkeys((*definition.identifiers, *definition.domains))
    return {name: _check(name, definition) for name in attributes}


def refused(chunk: pa.Table, checks: Mapping[str, Check]) -> dict[str, RecordMask]:
    """For each attribute with a refused value, the records that have one.

    Each distinct value is checked once. A missing value is refused in
    identifiers, and where the definition `removes`.

    >>> from microleak.sources.definitions.definition import source_definition
    >>> options = {"record_id": "id", "domains": {"age": "[0-9]+"}}
    >>> survey = source_definition("delimited", "2015", options)
    >>> chunk = pa.table({"id": ["a", "b", None], "age": [None, "x", "7"]})
    >>> {name: mask.tolist() for name, mask in refused(chunk, checks(survey)).items()}
    {'id': [False, False, True], 'age': [False, True, False]}
    """
    masks = {
        name: _refused(chunk.column(name), checks[name])
        for name in chunk.column_names
        if name in checks
    }
    return {name: mask for name, mask in masks.items() if mask is not None}


def _check(name: str, definition: SourceDefinition) -> Check:
    is_identifier = name in definition.identifiers
    is_required = is_identifier or definition.removes
    domain = definition.domains.get(name)
    expected = domain.expected if domain else "an identifier"
    return Check(
        pattern=domain.pattern if domain else None,
        expected=f"{expected}, never missing" if is_required else expected,
        is_required=is_required,
        is_identifier=is_identifier,
    )


def _refused(column: pa.ChunkedArray, check: Check) -> RecordMask | None:
    """Mark the records refused in one column, or give None if there are none."""
    # Of identifiers, finding distinct ones is in vain.
    values = column if check.is_identifier else pc.unique(column)
    failing = _failing(values, check.pattern) if check.pattern is not None else None
    if failing is None and not (check.is_required and column.null_count):
        return None
    mask = np.zeros(len(column), dtype=np.bool_)
    if failing is not None:
        mask |= pc.is_in(column, value_set=failing).to_numpy()
    if check.is_required:
        mask |= pc.is_null(column).to_numpy()
    return mask


def _failing(values: pa.Array | pa.ChunkedArray, pattern: str) -> pa.Array | None:
    """Return the values that do not match, or None if all do or are missing."""
    failing = values.filter(pc.invert(matches(values, pattern)))
    return pc.unique(failing) if len(failing) else None
