"""Totals in count tables that are written as if they were values."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from microleak.base.total_words import reads_like_total

TOTALS = ("", "*")
"""Texts that stand for all values of an attribute."""


@dataclass(frozen=True)
class Counted:
    """A row of a count table.

    Attributes
    ----------
    place
        Its file and line, for messages.
    values
        Value of each attribute, or one of `TOTALS`.
    count
        None if it is suppressed.
    """

    place: str
    values: Mapping[str, str]
    count: int | None


def written_totals(
    tables: Sequence[Sequence[Counted]], meant: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the attribute of each value that is a total, and what to say of it.

    A value that reads like a total is one, and so is one whose count is the sum of the
    others' everywhere. It is none if a row of `TOTALS` is the sum of all values, it
    among them. Attributes that are `meant` are left out.
    """
    for name in sorted({n for rows in tables for n in rows[0].values} - {*meant}):
        sums = _Sums(set(), set(), set())
        for rows in tables:
            if name in rows[0].values:
                sums.add(rows, name)
        for row in (row for rows in tables for row in rows if name in row.values):
            value = row.values[name]
            if value in TOTALS or value in sums.counted:
                continue
            why = ""
            if not value.strip(" *") or reads_like_total(value):
                why = "that reads like a total"
            elif value in sums.equal - sums.other:
                why = (
                    "whose count is the sum of all others wherever it is, like a total"
                )
            if why:
                yield (
                    name,
                    f"{row.place}, has a value of {name} {why}. Write * in its place "
                    "or, if it is no total,",
                )


@dataclass(frozen=True)
class _Sums:
    """Values of an attribute by what their counts are to those of the others.

    Attributes
    ----------
    equal
        Somewhere the sum of the others, of which two or more have persons.
    other
        Somewhere not the sum of the others.
    counted
        Somewhere a part of what is written as the total.
    """

    equal: set[str]
    other: set[str]
    counted: set[str]

    def add(self, rows: Sequence[Counted], name: str) -> None:
        """Add what a table says; groups with a suppressed count say nothing."""
        groups: dict[tuple[str, ...], dict[str, int | None]] = {}
        for row in rows:
            others = (t for n, t in sorted(row.values.items()) if n != name)
            group = groups.setdefault(tuple("*" if t == "" else t for t in others), {})
            group[row.values[name] or "*"] = row.count
        for group in groups.values():
            self._add_group(group)

    def _add_group(self, group: Mapping[str, int | None]) -> None:
        total = group.get("*")
        counts = {v: n for v, n in group.items() if v != "*" and n is not None}
        if len(counts) < len(group.keys() - {"*"}):
            return
        every, n_some = sum(counts.values()), sum(n > 0 for n in counts.values())
        for value, n in counts.items():
            if 2 * n != every or (total is not None and total != n):
                self.other.add(value)
            elif n > 0 and n_some > 2:
                self.equal.add(value)
            if n > 0 and total == every:
                self.counted.add(value)
