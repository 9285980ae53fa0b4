"""Places of labels where they hide neither each other nor what they name."""

from collections.abc import Iterator, Sequence

import numpy as np

_RADIUS = 3.0
_SWEEPS = 4
_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_RINGS = (1.0, 2.0)


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Move places on a line apart, each as little as possible (least squares).

    Parameters
    ----------
    places
        In rising order.
    gap
        Least distance of two neighbours.

    Returns
    -------
    list of float
        The new places, in the same order.

    Examples
    --------
    >>> spread([1.0, 5.0, 5.0], 2.0)
    [1.0, 4.0, 6.0]
    """
    # Without the gaps, it is the nearest sequence that never falls: runs that
    # would fall are replaced by their mean.
    runs: list[list[float]] = []
    for number, place in enumerate(places):
        runs.append([place - number * gap])
        while len(runs) > 1 and _mean(runs[-2]) > _mean(runs[-1]):
            runs[-2:] = [runs[-2] + runs[-1]]
    level = [_mean(run) for run in runs for _ in run]
    return [value + number * gap for number, value in enumerate(level)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def beside(
    points: np.ndarray, label: tuple[float, float], area: tuple[float, float]
) -> np.ndarray:
    """Choose where the label of each point stands.

    Each label takes in turn the place around its point at which it overlaps least
    with the points and other labels, the first of several as good; a few times
    over, as others move too.

    Parameters
    ----------
    points
        Places in typographic points, shape (n, 2), from the lower left corner.
    label
        Width and height of a label.
    area
        Width and height within which labels should be.

    Returns
    -------
    numpy.ndarray
        From each point to its label's centre, shape (n, 2).
    """
    offsets = np.array(list(_offsets(label)))
    chosen = np.zeros(len(points), dtype=int)
    for _ in range(_SWEEPS):
        for at, point in enumerate(points):
            centres = point + offsets
            others = np.delete(points + offsets[chosen], at, axis=0)
            cost = (
                _overlap(centres, others, label, label)
                + _overlap(centres, points, label, (2 * _RADIUS, 2 * _RADIUS))
                + _outside(centres, label, area)
            )
            chosen[at] = int(np.argmin(np.round(cost, 6)))
    return np.asarray(offsets[chosen])


def _offsets(label: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Yield where a label may stand around a point, the best place first."""
    for ring in _RINGS:
        for right, up in _AROUND:
            across = 0.5 * label[0] + _RADIUS
            along = 0.5 * label[1] + _RADIUS
            yield ring * right * across, ring * up * along


def _overlap(
    centres: np.ndarray,
    others: np.ndarray,
    size: tuple[float, float],
    other_size: tuple[float, float],
) -> np.ndarray:
    """Return the area that each box shares with all others together."""
    reach = (np.array(size) + np.array(other_size)) / 2
    apart = np.abs(centres[:, None, :] - others[None, :, :])
    shared = np.clip(reach - apart, 0, np.minimum(size, other_size))
    return np.asarray(shared.prod(axis=2).sum(axis=1))


def _outside(
    centres: np.ndarray, size: tuple[float, float], area: tuple[float, float]
) -> np.ndarray:
    """Return how far each box reaches over the edges, in the unit of an area."""
    half = np.array(size) / 2
    over = np.clip(half - centres, 0, None) + np.clip(centres + half - area, 0, None)
    return np.asarray(over.sum(axis=1) * max(size))
