"""Totals in count tables that are written as if they were values."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, gcd
from typing import Final

from microleak.base.total_words import reads_like_total

COUNT: Final = "count"  # The column of counts
TOTALS = ("", "*")  # Texts that stand for all values of an attribute

RARE = 50  # Ways to divide persons among values, one of which is no chance
_BY_WORDS = "that reads like a total"
_BY_SUMS = (
    "whose count is the sum of the other values' counts wherever it stands, as that of "
    "a total is"
)


@dataclass(slots=True)  # frozen, hundreds of thousands would take twice as long
class CountRow:
    """A row of a count table: where it is, values or `TOTALS`, and a count or None."""

    file: str
    line: int
    values: Mapping[str, str]
    count: int | None

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True)
class Written:
    """A value that is a total, by its words or else by its sums, and what to say."""

    name: str
    value: str
    by_words: bool
    said: str


def written_totals(
    tables: Sequence[Sequence[CountRow]], meant: Collection[str]
) -> Iterator[Written]:
    """Yield the values that are totals, each with its first row."""
    # A value that reads like a total is one, and so is one whose count is the sum of
    # the others' everywhere, if that is hardly chance. It is none if a row of `TOTALS`
    # is the sum of all values, it among them. Attributes that are `meant` are left out.
    for name in sorted({n for rows in tables for n in rows[0].values} - {*meant}):
        sums = _ValueSums()
        for rows in tables:
            if name in rows[0].values:
                sums.add(rows, name)
        first: dict[str, CountRow] = {}
        for row in (row for rows in tables if name in rows[0].values for row in rows):
            first.setdefault(row.values[name], row)
        for value, row in first.items():
            if value in TOTALS or value in sums.counted:
                continue
            by_words = not value.strip(" *") or reads_like_total(value)
            if by_words or sums.tell(value):
                yield Written(
                    name,
                    value,
                    by_words,
                    f"{row.place}, has a value of {name} "
                    f"{_BY_WORDS if by_words else _BY_SUMS}. Write * in its place or, "
                    "if it is no total,",
                )


@dataclass(frozen=True)
class _ValueSums:
    """Values of an attribute by what their counts are to those of the others."""

    # `equal` has the groups in which one is the sum of the others: the counts that are
    # not 0, divided by what divides them all, as rounded ones tell less. Somewhere,
    # those `published` are what is written as the total, too, those `counted` are a
    # part of it, and `other` are not the sum of the others.
    equal: dict[str, set[tuple[tuple[str, int], ...]]] = field(default_factory=dict)
    published: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    other: set[str] = field(default_factory=set)

    def tell(self, value: str) -> bool:
        """Whether a value is the sum of the others everywhere, hardly by chance."""
        # Sums of one other alone say nothing. Two groups of different counts are no
        # chance, and neither is one of so many persons that a value has half of them in
        # fewer than one of `RARE` ways to divide them.
        groups = self.equal.get(value, set())
        if value in self.other or max(map(len, groups), default=0) < 3:
            return False
        if value in self.published or len(groups) > 1:
            return True
        (counts,) = groups
        k, half = len(counts), dict(counts)[value]
        n_ways = k * comb(half + k - 2, k - 2)
        return RARE * n_ways < comb(2 * half + k - 1, k - 1)

    def add(self, rows: Sequence[CountRow], name: str) -> None:
        """Add what a table says; groups with a suppressed count say nothing."""
        groups: dict[tuple[str, ...], dict[str, int | None]] = {}
        others = [other for other in rows[0].values if other != name]
        for row in rows:
            of_group = tuple([row.values[other] or "*" for other in others])
            group = groups.setdefault(of_group, {})
            group[row.values[name] or "*"] = row.count
        for group in groups.values():
            self._add_group(group)

    def _add_group(self, group: Mapping[str, int | None]) -> None:
        total = group.get("*")
        counts = {v: n for v, n in group.items() if v != "*" and n is not None}
        if len(counts) < len(group) - ("*" in group):
            return
        every = sum(counts.values())
        is_half = total is None or 2 * total == every
        halves = [v for v, n in counts.items() if is_half and 2 * n == every]
        self.other.update(counts.keys() - halves)
        some = {v: n for v, n in counts.items() if n}
        if total == every:
            self.counted.update(some)
        for value in halves if every else ():
            unit = gcd(*some.values())
            group_of = tuple((v, n // unit) for v, n in sorted(some.items()))
            self.equal.setdefault(value, set()).add(group_of)
            if total is not None:
                self.published.add(value)
