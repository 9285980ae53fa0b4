"""Which numbers of blocks and of right guesses would tell few certain records.

Of a block of s records m have the most frequent value. It is certain if m is s, and
else m + 1 is at most s. So at least as many records are certain as the blocks and the
right guesses, the sum of m, exceed all records by. For re-identification m is 1. And
where there are ten right guesses or fewer, not all of nine records are certain unless
these are all. What is suppressed here depends on shown counts only.
"""

import pandas as pd

from microleak.study.rounding import SMALLEST_COUNT

_BEYOND = 30
"""If blocks and right guesses exceed the records by so many as shown, ten are certain.
"""


def tells_certain(counts: dict[str, pd.Series], blocks: pd.Series) -> pd.Series:
    """Say where the right guesses of a row would bound its suppressed certain records.

    Parameters
    ----------
    counts
        `n_records`, `n_certain` and `n_modal` as shown.
    blocks
        Blocks of the same subset, as shown.
    """
    modal = counts["n_modal"]
    # Also fewer than ten blocks may be nine of one record and one of all others.
    is_full = blocks.fillna(SMALLEST_COUNT) + modal >= counts["n_records"]
    is_told = is_full | (modal <= SMALLEST_COUNT)
    return counts["n_certain"].isna() & is_told.fillna(False).astype("bool")


def may_tell_certain(
    blocks: pd.Series, modal: pd.Series, n_records: pd.Series
) -> pd.Series:
    """Say where `tells_certain` may be so, of rows that do not say who is certain.

    Parameters
    ----------
    blocks, modal, n_records
        Blocks, right guesses and records of the same subset, as shown.
    """
    excess = blocks.fillna(SMALLEST_COUNT) + modal - n_records
    is_told = (excess >= 0) & (excess < _BEYOND) | (modal <= SMALLEST_COUNT)
    return is_told.fillna(False).astype("bool")


def tells_alone(blocks: pd.Series, n_records: pd.Series) -> pd.Series:
    """Say where blocks, as shown, may bound a suppressed number of records alone.

    Rows of a sensitive attribute, of groups and of membership do not say how many are
    alone. So this is so of all subsets of which re-identification may suppress the
    number of blocks.
    """
    return may_tell_certain(blocks, blocks, n_records)


def blocks_of(
    modal: pd.Series, is_inference: pd.Series, subset: list[pd.Series]
) -> pd.Series:
    """Return the blocks of each row's subset, from the row of its re-identification.

    Parameters
    ----------
    modal
        Right guesses of each row as shown; of re-identification one a block.
    is_inference
        Which rows are of a sensitive attribute.
    subset
        What rows of one subset have in common.
    """
    blocks = modal.mask(is_inference)
    return blocks.groupby(subset, dropna=False, sort=False).transform("first")
