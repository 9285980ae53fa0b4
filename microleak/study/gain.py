"""What each further release that is linked adds to the adversary's success."""

import pandas as pd

from microleak.columns import GAIN, SUCCESSES


def gains(collective: pd.DataFrame) -> pd.DataFrame:
    """Return how much higher a posterior is than with one auxiliary release less.

    Parameters
    ----------
    collective
        Collective measures of one analysis, panels with more auxiliary releases
        after those with fewer. All panels have the records of the focal release.

    Returns
    -------
    pandas.DataFrame
        The same rows with the columns `GAIN`. `gain_det` and `gain_prob` are
        differences of exact counts, divided once by `n_records`; missing without
        auxiliary releases. They are never negative, as one more release can only
        divide blocks further.
    """
    earlier = collective.groupby(["sensitive", "qids"], sort=False)
    is_first = earlier.cumcount() == 0
    gained = {
        f"gain_{name}": _share(
            collective[count] - earlier[count].shift(1, fill_value=0), collective
        ).mask(is_first)
        for name, count in SUCCESSES.items()
    }
    return collective.assign(**gained)[[*GAIN]]


def _share(count: pd.Series, collective: pd.DataFrame) -> pd.Series:
    return (count / collective["n_records"]).astype("float64")
