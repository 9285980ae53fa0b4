"""How individual success is distributed over the records (Nunes, Fig. 4.6, 4.10)."""

from dataclasses import dataclass

import numpy as np

from microleak.definitions.profile import BlockProfile, Counts

EXACTLY_ONE = 100
"""The bin of the records whose success is certain."""


@dataclass(frozen=True)
class SuccessDistribution:
    """Records by their individual probabilistic success, ascending.

    The success of a record is `numerator / denominator`, in lowest terms: the
    modal count over the size of its block (for re-identification 1 over the
    size). `n_records` have it.
    """

    numerator: Counts
    denominator: Counts
    n_records: Counts


def success_distribution(profile: BlockProfile) -> SuccessDistribution:
    """Return the exact number of records at each value of individual success.

    Examples
    --------
    One block of 4 with 2 alike, one of 2 with 1 of each value, one of 1.

    >>> import numpy as np
    >>> blocks = BlockProfile(*np.array([[4, 2, 1], [2, 1, 1], [2, 2, 1], [1, 1, 1]]))
    >>> success_distribution(blocks)  # doctest: +NORMALIZE_WHITESPACE
    SuccessDistribution(numerator=array([1, 1]), denominator=array([2, 1]),
                        n_records=array([6, 1]))
    """
    n_records = profile.block_size * profile.n_blocks
    return distribution(profile.modal_count, profile.block_size, n_records)


def distribution(
    numerator: Counts, denominator: Counts, n_records: Counts
) -> SuccessDistribution:
    """Return the exact number of records at each of some chances.

    Parameters
    ----------
    numerator, denominator
        Of the chance of each kind of block, in any terms and order; the
        denominator from 1.
    n_records
        Records that have it.

    Examples
    --------
    >>> halves = np.array([2, 1]), np.array([4, 2])
    >>> distribution(*halves, np.array([4, 2]))  # doctest: +NORMALIZE_WHITESPACE
    SuccessDistribution(numerator=array([1]), denominator=array([2]),
                        n_records=array([6]))
    """
    common = np.gcd(numerator, denominator)
    numerator, denominator = numerator // common, denominator // common
    order = np.lexsort((numerator, numerator / denominator))
    numerator, denominator = numerator[order], denominator[order]
    is_new = (np.diff(numerator) != 0) | (np.diff(denominator) != 0)
    first = np.flatnonzero(np.append(True, is_new))
    return SuccessDistribution(
        numerator[first], denominator[first], np.add.reduceat(n_records[order], first)
    )


def success_bin(numerator: Counts, denominator: Counts) -> Counts:
    """Return the bin of individual success, of 101.

    Bin b from 0 to 99 holds success in [b/100, (b+1)/100), bin 100 success of
    exactly 1. The bin is found by integer division, so that a success of
    29/100 is in bin 29.

    >>> success_bin(np.array([29, 1, 2]), np.array([100, 3, 2]))
    array([ 29,  33, 100])
    """
    return EXACTLY_ONE * numerator // denominator
