"""All collective measures of a table in memory, for notebooks."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from microleak.attacks.collective.measure import attacks, measured
from microleak.base.errors import StudyError, TableError
from microleak.kernels.walk import Work, walk
from microleak.records.chunks import TableChunks
from microleak.records.coding import coded
from microleak.records.frames import table_of
from microleak.records.profile_file import profiles_of
from microleak.records.subsets import subsets_of


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
        is not changed. Null, NaN and NaT are one value, equal to itself. Numbers are
        equal if they are so as numbers: 1, 1.0 and `Decimal("1.00")`, in one column;
        datetimes with time zones if they are the same instant, to the nanosecond;
        texts if all their characters are; categories as their values are. A column
        of objects has only one kind: truth values, numbers, text, bytes, dates,
        datetimes with a time zone or without, times without one, or durations.
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
        If a column does not exist, is named twice, has no equality or mixes kinds
        of values, or if the frame has no records.

    Examples
    --------
    >>> people = {"age": [25, 25, None, None, 60], "ill": ["y", "n", "y", "y", "n"]}
    >>> result = assess(pd.DataFrame(people), qids=["age"], sensitive=["ill"])
    >>> result[["sensitive", "n_blocks", "n_certain", "posterior_prob"]]
      sensitive  n_blocks  n_certain  posterior_prob
    0                   3          1             0.6
    1       ill         3          3             0.8
    """
    _check(qids, sensitive, subsets, n_threads)
    table = table_of(frame, [*qids, *sensitive])
    if not len(table):
        raise TableError("The frame has no records, so no attack has a success.")
    wanted = subsets_of(len(qids), subsets, "assess")
    records = coded(TableChunks(table), qids, sensitive, n_threads)
    found = dict(walk(records, [0, *wanted], Work(n_threads=n_threads)))
    profiles = {subset: profiles_of(found[subset]) for subset in (0, *wanted)}
    rows = [measured(attack, qids) for attack in attacks(profiles, sensitive)]
    order = {"": 0} | {name: i + 1 for i, name in enumerate(sensitive)}
    rows.sort(key=lambda row: order[row["sensitive"]])
    return pd.DataFrame(rows)


def _check(
    qids: Sequence[str], sensitive: Sequence[str], subsets: Any, n_threads: int
) -> None:
    if isinstance(qids, str) or isinstance(sensitive, str):
        raise StudyError('assess: qids and sensitive are lists of names, as ["age"].')
    if not qids:
        raise StudyError("assess needs at least one QID in qids.")
    both = [name for name in sensitive if name in qids]
    if both:
        raise StudyError(
            f"assess: {both[0]} is both a QID and sensitive. Remove it from one."
        )
    names = [*qids, *sensitive]
    for name in names:
        if not isinstance(name, str) or not name or "|" in name:
            raise StudyError(
                "assess: names in qids and sensitive are text without a |, which "
                "separates them in results. Rename the frame's columns."
            )
        if names.count(name) > 1:
            raise StudyError(f"assess: {name} is named twice among qids and sensitive.")
    if not _is_choice(subsets):
        raise StudyError(
            'assess: subsets is "all", "full" or {"sizes": […]} with sizes from 1 on.'
        )
    if n_threads < 1:
        raise StudyError(f"assess: n_threads is {n_threads}; it must be 1 or more.")


def _is_choice(subsets: Any) -> bool:
    if not isinstance(subsets, Mapping):
        return subsets in ("all", "full")
    sizes = subsets.get("sizes")
    return (
        set(subsets) == {"sizes"}
        and isinstance(sizes, Sequence)
        and len(sizes) > 0
        and all(isinstance(size, int) and size >= 1 for size in sizes)
    )
