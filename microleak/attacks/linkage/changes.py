"""Counts that tell of people who change several things at once (joint_changes)."""

import numpy as np

from microleak.attacks.linkage.blocks import Bucket
from microleak.attacks.linkage.definitions.quality import LIKELY, are_links
from microleak.attacks.linkage.transitions import Arrivals
from microleak.base.arrays import Floats, Integers
from microleak.records.alike import Word


def sizes_unlike(bucket: Bucket, arrivals: Arrivals) -> Floats:
    """Return what squared differences of sizes are above those expected, and variance.

    The third number has the focal records.
    """
    n, m = (each.astype(np.float64) for each in bucket.blocks.sizes)
    new = arrivals.a_block + arrivals.a_record * n
    stays = arrivals.overlap * (1 - arrivals.overlap)
    variance = n * stays + new
    off = (m - n * arrivals.overlap - new) ** 2 - variance
    of_off = n * stays * (1 - 6 * stays) + new + 2 * variance**2
    return np.array([off.sum(), of_off.sum(), n.sum()])


def changed_in_links(
    bucket: Bucket, chances: Floats, scope: Integers, drifting: Word
) -> Integers:
    """Return in how many links each two attributes changed, or one beside itself."""
    pair = np.flatnonzero(chances > float(LIKELY))
    block, row, other = bucket.rows_of(pair)
    is_link = are_links(chances[pair], scope[block])
    rows = bucket.drifting
    before = drifting.codes(rows.focal[row[is_link]])
    after = drifting.codes(rows.auxiliary[other[is_link]])
    changed = (before != after).astype(np.int64)
    both: Integers = changed @ changed.T
    return both
