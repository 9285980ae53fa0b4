"""Two releases of people who do not exist, of whom it is known how they change."""

import numpy as np
import pandas as pd

OVERLAP, STAY = 0.85, (0.9, 0.8)
N_VALUES = (50, 8)


def shares(n):
    """The shares of n values, the first the most frequent."""
    each = 1 / np.arange(1, n + 1)
    return each / each.sum()


def twins(n, n_births, seed=1):
    """Two releases: who stays, with a birth, two facts that drift, and an illness."""
    rng = np.random.default_rng(seed)
    birth = rng.integers(0, n_births, 2 * n)
    stays = np.flatnonzero(rng.random(n) < OVERLAP)
    later = np.concatenate([stays, np.arange(n, n + int(n * (1 - OVERLAP)))])
    first, second = {}, {}
    for place, (k, stay) in enumerate(zip(N_VALUES, STAY, strict=True)):
        before = rng.choice(k, 2 * n, p=shares(k))
        drawn = rng.choice(k, 2 * n, p=shares(k))
        first[f"d{place}"] = before[:n]
        after = np.where(rng.random(2 * n) < stay, before, drawn)
        second[f"d{place}"] = after[later]
    known = {"id": np.arange(n), "birth": birth[:n], "sex": birth[:n] % 2}
    ill = rng.integers(0, 3, n)
    focal = pd.DataFrame({**known, **first, "ill": ill})
    known = {"id": later, "birth": birth[later], "sex": birth[later] % 2}
    auxiliary = pd.DataFrame({**known, **second})
    return focal, auxiliary
