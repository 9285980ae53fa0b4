"""What of histograms of blocks may be published.

The rules are those of `microleak.study.disclosure`, which calls this function.
"""

import numpy as np
import pandas as pd

from microleak.attacks.value_histogram import LOWER_BOUNDS
from microleak.columns import CLASSES
from microleak.study.classes import K_MAP
from microleak.study.published_cumulative import (
    in_classes,
    listed,
    shown_below,
    steps,
)
from microleak.study.rounding import cover, shares, shown

_HISTOGRAM = [*CLASSES[: CLASSES.index("lower")]]
_MEASURED = [*CLASSES[CLASSES.index("upper") :]]


def publish_classes(table: pd.DataFrame) -> pd.DataFrame:
    """Return histograms by records, as differences of published cumulative counts.

    All classes are listed from the first to the last that has a block, at least
    those below 10. The last is open: its `upper` is suppressed.
    """
    groups = table.groupby(_HISTOGRAM, dropna=False, sort=False)
    parts = [_histogram(part) for _, part in groups]
    public = pd.concat([table.iloc[:0], *parts], ignore_index=True)
    covered = cover(public, public[_MEASURED].isna())
    return covered.assign(upper=covered["upper"].astype("Int64"))


def _histogram(part: pd.DataFrame) -> pd.DataFrame:
    is_k_map = part["model"].iloc[0] == K_MAP
    first = 0 if is_k_map else 1
    classes = in_classes(part["lower"], part["n_records"])[first:]
    n_records = shown(pd.Series([classes.sum()] * len(classes)))
    below = shown_below(pd.Series(classes.cumsum()), n_records)
    below.iloc[-1] = n_records.iloc[-1]
    # The population, which the table does not name, may bound what is small.
    is_clear = not is_k_map or below.notna().all()
    counts = steps(below).where(np.full(len(classes), is_clear))
    bounds = LOWER_BOUNDS[first : first + len(classes) + 1]
    columns = {
        "lower": bounds[:-1],
        "upper": pd.Series([*(b - 1 for b in bounds[1:-1]), pd.NA], dtype="Int64"),
        "n_blocks": pd.NA,
        "n_records": counts,
        "share_of_blocks": float("nan"),
        "share_of_records": shares(counts, n_records),
    }
    return listed(part, columns, len(classes))
