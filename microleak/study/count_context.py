"""The records of one count, by sensitive and useful value."""

import numpy as np

from microleak.attacks.attack_context import AttackContext
from microleak.errors import TableError
from microleak.study.contingency_file import Contingency
from microleak.study.mechanism_model import OBLIVIOUS, Count
from microleak.study.useful_values import useful_values

MOST_CELLS = 1 << 26
"""Most pairs of a sensitive and a useful value that one count is measured with."""

MOST_LOCAL = 1000
"""Most values of a useful attribute whose records each report a value."""


def context_of(contingency: Contingency, count: Count, where: str) -> AttackContext:
    """Return the records that count, by sensitive and useful value.

    Parameters
    ----------
    contingency
        Sensitive attribute first.
    count
        Whose order and predicate give the columns.
    where
        Beginning of messages.

    Raises
    ------
    TableError
        If the predicate is true of no record, values that need an order have none,
        or values are too many.
    """
    found = contingency.second_values.to_pylist()
    n_records = np.bincount(contingency.second, contingency.n_records, len(found))
    useful = useful_values(found, n_records.astype(np.int64).tolist(), count, where)
    shape = len(contingency.first_values), len(useful.values)
    _check_sizes(shape, count, where)
    counts = np.zeros(shape, dtype=np.int64)
    places = np.array(useful.places(found))
    counts[contingency.first, places[contingency.second]] = contingency.n_records
    context = AttackContext(counts, useful.counted_by(count.predicate))
    if not context.n_counted:
        raise TableError(
            f"{where}: no record has a value of {count.useful} that predicate "
            f"{count.predicate.kind} counts. Correct predicate, or filter, in the "
            "study file."
        )
    return context


def _check_sizes(shape: tuple[int, int], count: Count, where: str) -> None:
    """Refuse values that are too many."""
    n_sensitive, n_useful = shape
    if n_sensitive * n_useful > MOST_CELLS:
        raise TableError(
            f"{where}: {count.sensitive} has {n_sensitive:,} values and {count.useful} "
            f"{n_useful:,}, together more than {MOST_CELLS:,} pairs. Use attributes of "
            "fewer values."
        )
    if n_useful > MOST_LOCAL and set(count.models) != {OBLIVIOUS}:
        raise TableError(
            f"{where}: {count.useful} has {n_useful:,} values, more than the "
            f"{MOST_LOCAL:,} among which records can report one. Remove all models "
            f"but {OBLIVIOUS}."
        )
