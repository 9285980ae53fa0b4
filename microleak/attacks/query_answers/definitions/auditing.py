"""Auditors that refuse queries, and what answers and refusals tell.

Someone who knows no value, but the auditor's rule, sees answers and refusals. A value
is disclosed if it is the same in every table that these allow (full disclosure). Tables
are all that values within bounds form, so that what each allows is known exactly.

- An auditor of *answers* refuses a query whose true answer, with the answers before,
  would disclose a value. It looks at the data, so that its refusals tell: tables that
  would have been answered are ruled out.
- A *simulatable* auditor refuses a query if an answer that the answers before allow
  would disclose one, or would in too many tables. Whoever asks could decide the same,
  so that refusals tell nothing (Kenthapadi, Mishra and Nissim 2005). Within bounds the
  least and the largest answer always disclose, so that it answers nothing unless some
  risk is tolerated. A value that the answers before disclose is no reason to refuse.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Auditor: TypeAlias = Literal["none", "answers", "simulatable"]
AUDITORS: Final[tuple[Auditor, ...]] = ("none", "answers", "simulatable")

PossibleTables: TypeAlias = NDArray[np.int64]
"""Values of the records of each table, shape (n_tables, n_records)."""


class Query(NamedTuple):
    """The `sum`, `max` or `min` of the values of some records."""

    kind: str
    records: tuple[int, ...]

    def answers(self, tables: PossibleTables) -> NDArray[np.int64]:
        """Return the answer of each table, shape (n_tables,)."""
        asked = tables[:, self.records]
        found: NDArray[np.int64] = getattr(asked, self.kind)(axis=1)
        return found


@dataclass(frozen=True)
class Session:
    """What came of queries.

    Attributes
    ----------
    n_refused
        Queries that were refused.
    by_answers
        Records whose value is disclosed by the answers, as if nothing else were known.
    by_all
        Records whose value is disclosed by answers and refusals.
    """

    n_refused: int
    by_answers: tuple[int, ...]
    by_all: tuple[int, ...]


def every_table(n_records: int, n_values: int) -> PossibleTables:
    """Return all tables of so many records with values from 0 to `n_values` - 1."""
    return np.indices((n_values,) * n_records).reshape(n_records, -1).T


def disclosing(tables: PossibleTables, answers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return of which tables the answer would disclose a value, shape (n_tables,).

    A value that is the same in all tables is known before, so that it does not count.

    >>> tables = every_table(2, 2)
    >>> disclosing(tables, tables.sum(axis=1)).tolist()
    [True, False, False, True]
    """
    n_answers, n_values = int(answers.max()) + 1, int(tables.max()) + 1
    found = np.zeros(n_answers, dtype=bool)
    for record in np.flatnonzero((tables != tables[0]).any(axis=0)):
        values = tables[:, record]
        pairs = np.bincount(answers * n_values + values, minlength=n_answers * n_values)
        found |= (pairs.reshape(n_answers, n_values) > 0).sum(axis=1) == 1
    return found[answers]


def known(tables: PossibleTables) -> tuple[int, ...]:
    """Return the records whose value is the same in all tables."""
    return tuple(np.flatnonzero((tables == tables[0]).all(axis=0)).tolist())


def session(
    truth: Sequence[int],
    queries: Sequence[Query],
    n_values: int,
    auditor: Auditor,
    tolerated_pct: int = 0,
) -> Session:
    """Return what queries tell of a table.

    Parameters
    ----------
    truth
        The value of each record, from 0 to `n_values` - 1.
    queries
        What is asked, one after the other.
    n_values
        How many values a record can have.
    auditor
        Who answers: all queries if `none`.
    tolerated_pct
        The simulatable auditor refuses if more percent of the tables would disclose.

    Examples
    --------
    Two persons have 0 or 1, and 0 both. The auditor of answers refuses their sum, which
    would be 0; so it is 0 or 2. Then it refuses their largest value, too, as it is 0: 2
    is ruled out, as a sum of 1 would have been answered.

    >>> asked = [Query("sum", (0, 1)), Query("max", (0, 1))]
    >>> session([0, 0], asked, 2, "answers")
    Session(n_refused=2, by_answers=(), by_all=(0, 1))
    >>> session([0, 0], asked, 2, "simulatable")
    Session(n_refused=2, by_answers=(), by_all=())
    """
    # What answers allow, and of these what refusals allow, too.
    tables = every_table(len(truth), n_values)
    is_left = np.ones(len(tables), dtype=bool)
    here = np.array([truth], dtype=np.int64)
    n_refused = 0
    for query in queries:
        answers = query.answers(tables)
        answer = query.answers(here)[0]
        would = disclosing(tables, answers) if auditor != "none" else is_left
        if auditor == "answers" and would[answers == answer][0]:
            is_left &= would
            n_refused += 1
        elif auditor == "simulatable" and (
            100 * int(would.sum()) > tolerated_pct * len(tables)
        ):
            n_refused += 1
        else:
            is_same = answers == answer
            tables, is_left = tables[is_same], is_left[is_same]
    return Session(n_refused, known(tables), known(tables[is_left]))
