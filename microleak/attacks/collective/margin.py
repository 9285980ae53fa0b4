"""Of how many persons a sensitive value may be any, for who knows all QIDs."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from microleak.disclosure.rounding import counts_of, percent, step_of


class Edge(NamedTuple):
    """Where a count would change the page.

    Attributes
    ----------
    distance
        By how much the count may still change towards it.
    n_away
        Of how many persons it is sure that other values bring the count away from it,
        each by 1.
    """

    distance: int
    n_away: int


def margin(*inferences: pd.DataFrame, finest: int = 1) -> int:
    """Return how many persons may have any sensitive value with the page as it is.

    A changed value changes the most frequent value's count, and the right guesses of
    each set of QIDs, by 1 at most. So with as many changed in any way as the nearest
    edge is away every published share stays, and no other set becomes the worst of its
    size. The values need not be the true ones for that: where those of some persons
    bring one count away from its edge, and no other one to its own, any so many have
    any values beside them. Whoever knows the QIDs of everybody, and the page, can
    exclude no values of so many persons.

    Parameters
    ----------
    inferences
        Collective measures of one sensitive attribute, of each analysis that shows it:
        a row for each set of QIDs in the study's order, of 1,000 records or more. They
        are not changed.
    finest
        No step of a share is finer, in percent.

    Returns
    -------
    int
        0 if two counts are at their edges, or one is and cannot surely be brought away:
        then nothing is proved.
    """
    every = (edge for each in inferences for edge in edges(each, finest))
    nearest, second, *_ = sorted(every)
    n_moved = (second.distance - nearest.distance) // 2
    return nearest.distance + min(n_moved, nearest.n_away)


def edges(inference: pd.DataFrame, finest: int) -> Iterator[Edge]:
    """Yield the edges of all counts that the page shows, or that choose what it shows.

    A right guess more is one of somebody whose guess was wrong, who has the most
    frequent value of the block then. Fewer are those of a block with more right guesses
    than others: of all blocks at least half of what is right beyond all others, and
    beyond one of each block.
    """
    n = int(inference["n_records"].iloc[0])
    step = step_of(n, finest)
    assert step is not None
    prior = int((inference["prior_prob"] * n).round().iloc[0])
    share = int(percent(pd.Series([prior]), n, step)[0])
    least, most = counts_of(share, n, step)
    yield Edge(prior - least if least else n, n - prior)
    yield Edge(most - prior if most < n else n, max(0, (2 * prior - n) // 2))
    shares = percent(inference["n_modal"], n, step)
    for n_qids, rows in inference.groupby("n_qids"):
        worst = shares[rows.index].idxmax()
        least_of_worst, most_of_worst = counts_of(int(shares[worst]), n, step)
        for place, row in rows.iterrows():
            count, n_blocks = int(row["n_modal"]), int(row["n_blocks"])
            n_fewer = max(0, (2 * count - n - n_blocks) // 2)
            last = n
            if place == worst or n_qids == 1:
                least, last = counts_of(int(shares[place]), n, step)
                yield Edge(count - least if least else n, n - count)
            if place != worst:
                last = min(last, least_of_worst - 1 if place < worst else most_of_worst)
            yield Edge(last - count if last < n else n, n_fewer)
