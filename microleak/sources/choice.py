"""Which of a person's records stays, as SQL: a keyed hash decides.

The queries speak of columns by position, `c0`, `c1` and so on, since DuckDB takes
`a` and `A` for one name. They need a view `records` with these columns.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

Columns: TypeAlias = dict[str, str]
"""Names of a table's columns, in its order, each with its name in the queries."""


@dataclass(frozen=True)
class Choice:
    """What names a person and a record, and the seed of the draw.

    `person_id` None: every row is a person. `record_id` None: a row's whole
    content names the record.
    """

    person_id: str | None
    record_id: str | None
    seed: int


def positions(names: Iterable[str]) -> Columns:
    """Columns of a table with these names."""
    return {name: f"c{i}" for i, name in enumerate(names)}


def several(person: str) -> str:
    """Query of the persons that have several rows, and of `n_rows`."""
    return (
        f"SELECT {person}, count(*) AS n_rows FROM records "
        f"GROUP BY {person} HAVING count(*) > 1"
    )


def chosen(columns: Columns, choice: Choice) -> str:
    """Query of one row of each person in the table `several`.

    Only these rows are hashed: they are few, and the others need no choice.
    """
    person = _person(columns, choice)
    everything = ", ".join(columns.values())
    return (
        f"SELECT {everything} FROM records SEMI JOIN several USING ({person}) "
        f"QUALIFY row_number() OVER (PARTITION BY {person} ORDER BY "
        f"{_key(columns, choice)}, {_missing_first(columns.values())}) = 1"
    )


def people(columns: Columns, choice: Choice) -> str:
    """Query of all persons in order, from `records`, `several` and `chosen`.

    Without `person_id` these are all rows, ordered by what is written of them.
    """
    kept = [column for name, column in columns.items() if name != choice.record_id]
    select = f"SELECT {', '.join(kept)} FROM"
    if choice.person_id is None:
        return f"{select} records ORDER BY {_missing_first(kept)}"
    person = _person(columns, choice)
    return (
        f"{select} records ANTI JOIN several USING ({person}) "
        f"UNION ALL {select} chosen ORDER BY {person}"
    )


def _person(columns: Columns, choice: Choice) -> str:
    assert choice.person_id is not None
    return columns[choice.person_id]


def _key(columns: Columns, choice: Choice) -> str:
    """Spell in SQL the key that the docstring of `deduplicate` specifies."""
    named = columns.values()
    record = named if choice.record_id is None else [columns[choice.record_id]]
    values = [_length_and_text(c) for c in (_person(columns, choice), *record)]
    return f"sha256('{choice.seed};' || {' || '.join(values)})"


def _length_and_text(column: str) -> str:
    return f"coalesce(strlen({column}) || ':' || {column}, '-')"


def _missing_first(columns: Iterable[str]) -> str:
    return ", ".join(f"{column} NULLS FIRST" for column in columns)
