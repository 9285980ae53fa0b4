"""All collective measures of a table in memory, for notebooks."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from microleak.errors import StudyError, TableError
from microleak.kernels.walk import walk
from microleak.study.coding import coded
from microleak.study.measures import attacks, measured
from microleak.study.profile_file import profiles_of
from microleak.study.subsets import subsets_of


def assess(
    frame: Any,
    qids: Sequence[str],
    sensitive: Sequence[str] = (),
    subsets: Any = "all",
    n_threads: int = 1,
) -> pd.DataFrame:
    """Measure re-identification and attribute inference for subsets of QIDs.

    Parameters
    ----------
    frame
        One record a person: a pandas or Polars DataFrame or an Arrow table. It
        is not changed. Null and NaN are one value, equal to itself.
    qids
        Quasi-identifiers, columns of the frame.
    sensitive
        Sensitive attributes, columns of the frame and no QIDs.
    subsets
        `"all"`, `"full"` or `{"sizes": [1, 2]}`.
    n_threads
        Threads to use; results do not depend on it.

    Returns
    -------
    DataFrame
        One row a subset and attack, re-identification (with an empty
        `sensitive`) first, subsets by size and then in the order of `qids`;
        the columns of `measures/collective` from `qids` on.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, is named twice, has no equality, or if the
        frame has no records.

    Examples
    --------
    >>> people = {"age": [25, 25, None, None, 60], "ill": ["y", "n", "y", "y", "n"]}
    >>> result = assess(pd.DataFrame(people), qids=["age"], sensitive=["ill"])
    >>> result[["sensitive", "n_blocks", "n_certain", "posterior_prob"]]
      sensitive  n_blocks  n_certain  posterior_prob
    0                   3          1             0.6
    1       ill         3          3             0.8
    """
    _check_names(qids, sensitive)
    table = _table(frame, [*qids, *sensitive])
    if not len(table):
        raise TableError("The frame has no records, so no attack has a success.")
    wanted = subsets_of(len(qids), subsets, "assess")
    histograms = walk(
        [coded(table[name], name) for name in qids],
        [coded(table[name], name) for name in sensitive],
        [0, *wanted],
        n_threads,
    )
    profiles = {subset: profiles_of(histograms[subset]) for subset in (0, *wanted)}
    rows = [measured(attack, qids) for attack in attacks(profiles, sensitive)]
    order = {"": 0} | {name: i + 1 for i, name in enumerate(sensitive)}
    rows.sort(key=lambda row: order[row["sensitive"]])
    return pd.DataFrame(rows)


def _check_names(qids: Sequence[str], sensitive: Sequence[str]) -> None:
    if not qids:
        raise StudyError("assess needs at least one QID in qids.")
    names = [*qids, *sensitive]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise StudyError(f"assess: {twice[0]} is named twice among qids and sensitive.")


def _table(frame: Any, names: list[str]) -> pa.Table:
    columns = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
    for name in names:
        if columns.count(name) != 1:
            found = "no column" if name not in columns else "several columns"
            raise TableError(
                f"The frame has {found} {name}. "
                f"It has: {', '.join(map(str, columns))}. Correct qids or sensitive."
            )
    part = frame.select(names) if isinstance(frame, pa.Table) else frame[names]
    try:
        return pa.table(part)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise TableError(
            "A column of the frame mixes types, so its values cannot be compared. "
            "Convert it to text."
        ) from None
