"""Who is alone by one attribute, from one record a person to the table."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.toy.section import Toy
from microleak.base.machine import Resources
from microleak.records.chunks import Given
from microleak.records.memory import Memory, counted_values
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.toy")


def share_alone(sizes: NDArray[np.int64]) -> Fraction:
    """Return the share of records whose value no other has, of each value's records.

    >>> share_alone(np.array([2, 1, 1]))
    Fraction(1, 2)
    """
    return Fraction(int((sizes == 1).sum()), int(sizes.sum()))


def measured(
    people: Given, analysis: Toy, resources: Resources
) -> Mapping[str, pd.DataFrame]:
    """Return the tables of an analysis by their names."""
    memory = Memory(resources, f"analysis {analysis.name!r}")
    chunks, memory = memory.chunks(people, 1)
    sizes = counted_values(chunks, (analysis.attribute,), memory)[
        analysis.attribute
    ].counts
    row = {
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
        "qids": analysis.attribute,
        "n_records": int(sizes.sum()),
        "n_values": len(sizes),
        "share_alone": float(share_alone(sizes)),
    }
    return {"toy": as_table(TABLES["toy"], [row])}
