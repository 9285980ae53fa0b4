"""Rebuilding a binary column, or random databases, from noisy counts of subsets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.reconstruction.measure import reconstruction_tables
from microleak.attacks.reconstruction.section import Reconstruction
from microleak.base.errors import StudyError, TableError, count_of
from microleak.frames import Call, Found, Tables, on_frames
from microleak.records.call import RELEASE, TABLE

_ENTRY = "entry"
_LEAST_LEVELS = 3


def _svg(found: Any) -> str:
    n_levels = found.to_pandas("reconstruction")["error_bound"].nunique()
    return Found._svg(found) if n_levels >= _LEAST_LEVELS else ""


@on_frames(
    Reconstruction,
    "Reconstructed",
    positional=(),
    left_out=("attribute", "value"),
    shown=(
        *("attack", "n_entries", "n_queries", "error_bound", "noise", "status"),
        *("prior", "share_right", "is_exact"),
    ),
    _svg=_svg,
)
def reconstruct(
    call: Call,
    database: Any = None,
    *,
    queries: Any,
    errors: Any,
    entries: Sequence[int] | None = None,
    assumed_error: str | float | None = None,
    outliers: Sequence[float] | None = None,
    points: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Tables:
    """Rebuild a binary database from noisy counts of its subsets (Nepomuceno).

    Parameters
    ----------
    database
        Whether each person has what is secret: a column of truth values, or of 0 and 1,
        as `frame["illness"] == "asthma"`. Or a chance above 0 and below 1 with which
        each entry is 1; without it one half.
    queries, errors
        How many random subsets are counted, and how far each answer may be from the
        exact one: numbers, formulas of the number of entries n, as `"n*log2(n)**2"`
        and `"0.5*sqrt(n)"`, or lists of them.
    entries
        Numbers of entries; persons are drawn at random from a column. Without it all
        of the column.
    seed
        Number from which every random choice follows.

    Examples
    --------
    >>> people = pd.DataFrame({"ill": ["yes", "no", "no", "yes", "no", "no"] * 4})
    >>> found = reconstruct(
    ...     people["ill"] == "yes", queries=200, errors=1, attacks=["least_squares"]
    ... )
    >>> found.reconstruction[["n_entries", "n_ones", "share_right", "is_exact"]]
       n_entries  n_ones  share_right  is_exact
    0         24       8          1.0      True
    """
    people: pa.Table | None = None
    of: dict[str, Any] | None = None
    if isinstance(database, (int, float)) and not isinstance(database, bool):
        of = {"random": {"density": str(database)}}
    elif database is not None:
        people = _entries(database)
        drawn = {"attribute": _ENTRY, "equals": "1"}
        of = {"table": TABLE, "release": RELEASE, **drawn}
        entries = [len(people)] if entries is None else entries
    analysis = call.analysis(
        database=of,
        entries=entries,
        queries=_formulas(queries),
        errors=_formulas(errors),
        assumed_error=None if assumed_error is None else str(assumed_error),
        outliers=outliers and [str(each or 0) for each in outliers],
        points=points and {k: _share(k, v) for k, v in points.items()},
    )
    memory_mib = call.resources.memory_mib
    return reconstruction_tables(analysis, people, seed, memory_mib)


def _formulas(given: Any) -> list[str]:
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return [str(each) for each in ([given] if is_one else given)]


def _share(key: str, value: Any) -> Any:
    return str(value or 0) if key == "distance" else value


def _entries(database: Any) -> pa.Table:
    try:
        column = pd.Series(list(database), dtype=object)
    except TypeError:
        raise StudyError(
            "reconstruct: database is a column of truth values, as "
            'frame["illness"] == "asthma", or a chance.'
        ) from None
    if n_missing := int(column.isna().sum()):
        raise TableError(
            f"reconstruct: database is missing for {count_of(n_missing, 'person')}. "
            "Say whether they have what is secret, as fill_null(False) does."
        )
    if not column.isin([0, 1]).all():
        raise TableError("reconstruct: database has something else than 0 and 1.")
    texts = np.where(column.astype(bool), "1", "0")
    return pa.table({_ENTRY: pa.array(texts, pa.string())})
