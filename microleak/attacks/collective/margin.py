"""Of how many persons a sensitive value may be any, for who knows all QIDs."""

import pandas as pd

from microleak.disclosure.rounding import counts_of, percent, step_of


def margin(inference: pd.DataFrame) -> int:
    """Return how many records may have any sensitive value with the page as it is.

    A changed value changes the most frequent value's count, and the right guesses of
    each set of QIDs, by 1 at most. So with so many changed in any way every published
    share stays, and no other set becomes the worst of its size. Whoever knows the QIDs
    of everybody, and the page, can exclude no values of so many persons.

    Parameters
    ----------
    inference
        Collective measures of one sensitive attribute, a row for each set of QIDs in
        the study's order, of 1,000 records or more. It is not changed.

    Returns
    -------
    int
        0 if a count is the last that rounds to its share: then nothing is proved.
    """
    n = int(inference["n_records"].iloc[0])
    step = step_of(n)
    assert step is not None
    prior = int((inference["prior_prob"] * n).round().iloc[0])
    found = [_to_edges(prior, n, step)]
    shares = percent(inference["n_modal"], n, step)
    for n_qids, rows in inference.groupby("n_qids"):
        worst = shares[rows.index].idxmax()
        least, most = counts_of(int(shares[worst]), n, step)
        for place, count in rows["n_modal"].items():
            if place == worst or n_qids == 1:
                found.append(_to_edges(int(count), n, step))
            if place != worst:
                beyond = least - 1 if place < worst else most
                found.append(beyond - int(count) if beyond < n else n)
    return min(found)


def _to_edges(count: int, n: int, step: int) -> int:
    """Return by how much a count may change and round to the same share."""
    share = int(percent(pd.Series([count]), n, step)[0])
    least, most = counts_of(share, n, step)
    return min(count - least if least else n, most - count if most < n else n)
