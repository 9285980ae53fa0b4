"""What of rebuilt databases may be published.

The rules are those of `microleak.study.disclosure`, which calls these functions.
Random databases describe nobody, and are shown as they are.
"""

from typing import Final

import pandas as pd

from microleak.columns import SUPPRESSED
from microleak.figures.reconstruction_rows import drawn_from

HIDDEN: Final = {
    "n_ones": "Int64",
    "prior": "float64",
    "seed": "Int64",
    "status": "str",
    "n_claimed": "Int64",
    "n_right": "Int64",
    "share_right": "float64",
    "is_exact": "str",
    "is_consistent": "str",
    "n_violated": "Int64",
    "is_proven": "str",
    "n_candidates": "Int64",
    "diameter": "Int64",
}
"""Columns that follow from persons' entries, or say how these were drawn, by type."""


def publish_reconstruction(table: pd.DataFrame) -> pd.DataFrame:
    """Return rebuilt databases, those of persons without a seed or a result.

    A database of persons follows from its seed and from two numbers of its release, so
    that each result, even a suppressed one, says something of these. Only what was
    asked is shown, and every row names the same columns as suppressed.
    """
    if all(drawn_from(database) is None for database in table["database"].unique()):
        return _as_it_is(table)
    cells = {
        name: pd.Series(None, table.index, dtype=kind) for name, kind in HIDDEN.items()
    }
    return table.assign(**cells, **{SUPPRESSED: "|".join(HIDDEN)})


def publish_bad_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return points counted before random databases, as they are."""
    return _as_it_is(table)


def _as_it_is(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{SUPPRESSED: ""})
