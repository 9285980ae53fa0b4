"""Tables that pyCANON and microleak measure: the same in any environment."""

from itertools import accumulate
from random import Random

QIDS = ("school", "year", "sex")
GRADES = tuple("01234")

TABLES = {"coarse": (400, 2), "mid": (400, 9), "fine": (150, 40)}
"""How many records and schools each table has."""

_GRADES_BELOW = tuple(accumulate((0.3, 0.4, 0.2, 0.06)))


def people(table: str) -> dict[str, list[str]]:
    """Return the columns of a table without missing values, as texts.

    Only `Random.random` is used, which Python promises to keep for a seed.
    """
    n_records, n_schools = TABLES[table]
    draw = Random(n_schools).random
    rows = [
        (
            str(int(draw() * n_schools)),
            str(int(draw() * 3)),
            str(int(draw() * 2)),
            _grade(draw()),
        )
        for _ in range(n_records)
    ]
    columns = (list(column) for column in zip(*rows, strict=True))
    return dict(zip((*QIDS, "grade"), columns, strict=True))


def _grade(chance: float) -> str:
    return GRADES[sum(chance >= below for below in _GRADES_BELOW)]
