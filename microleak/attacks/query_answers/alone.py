"""Persons who are alone in a group, or in what is left of one without others."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil, floor

from microleak.attacks.query_answers.published import Domains, PublishedGroup
from microleak.attacks.query_answers.section import QueryAnswers
from microleak.base.arrays import Integers
from microleak.study_file.published import VARIANCE
from microleak.tables.spec import cell_text

CellBits = int
"""Combinations of values: bit i is set for the one with number i."""

_Split = tuple[CellBits, tuple[CellBits, ...]]
"""A group, and its parts by the values of an attribute."""


class RowsContradictError(Exception):
    """No values fit some rows together, by their numbers."""

    def __init__(self, rows: Sequence[int]) -> None:
        super().__init__(rows)
        self.rows = rows


@dataclass(frozen=True)
class Total:
    """How many persons some combinations of values have, and their values' sum."""

    cells: CellBits  # The combinations
    n: int  # Persons
    # Least and largest sum, in units
    low: int
    high: int
    rows: Mapping[int, int]
    parts: tuple[CellBits, ...]

    def without(self, others: Sequence["Total"]) -> "Total":
        """Return what is left of a group without some of its parts."""
        cells = self.cells - sum(each.cells for each in others)
        return Total(
            cells,
            self.n - sum(each.n for each in others),
            self.low - sum(each.high for each in others),
            self.high - sum(each.low for each in others),
            _added(self.rows, *({r: -t for r, t in o.rows.items()} for o in others)),
            (self.cells, *(each.cells for each in others)),
        )


def _added(*several: Mapping[int, int]) -> dict[int, int]:
    found: Counter[int] = Counter()
    for each in several:
        found.update(each)
    return {row: times for row, times in sorted(found.items()) if times}


@dataclass(frozen=True)
class One:
    """A person who is alone in some combinations of values."""

    cell: str  # The group, or it and those that are left out of it
    value: int  # The person's value, in units
    rows: Mapping[int, int]


def alone(
    answers: Sequence[PublishedGroup],
    sizes: Integers,
    domains: Domains,
    analysis: QueryAnswers,
) -> Iterator[One]:
    """Yield persons who are alone in a group, or in a difference of groups.

    Each is another person: no two have a combination of values in common, and none has
    one that is certain to have persons, by `sizes`, among whom that one is.
    """
    ones = [each for each in checked(answers, domains, analysis) if each.n == 1]
    taken = sum(1 << cell for cell, n in enumerate(sizes.tolist()) if n)
    names = _names(tuple(domains.items()))
    for one in sorted(ones, key=lambda each: each.cells.bit_count()):
        if one.low == one.high and not one.cells & taken:
            taken |= one.cells
            text = names.get(one.cells)
            if text is None:
                text = " - ".join(names[each] or "*" for each in one.parts)
            yield One(text, one.low, one.rows)


def checked(
    answers: Sequence[PublishedGroup], domains: Domains, analysis: QueryAnswers
) -> list[Total]:
    """Return what rows say of groups and of differences of groups; raise as `alone`."""
    known, twice = _known(answers, analysis.scale)
    rests = _complete(known, tuple(map(len, domains.values())))
    every = [*known.values(), *rests, *_nested(known)]
    least, most = (n * analysis.scale for n in (analysis.least, analysis.most))
    for each in (*twice, *every):
        low, high = max(each.low, each.n * least), min(each.high, each.n * most)
        if each.n < 0 or low > high:
            raise RowsContradictError([*each.rows])
    return every


def _known(
    answers: Sequence[PublishedGroup], scale: int
) -> tuple[dict[CellBits, Total], list[Total]]:
    """Return what the narrowest rows say of groups, and of a group without itself."""
    known: dict[CellBits, Total] = {}
    twice = []
    for row, answer in enumerate(answers):
        total = _total(row, answer, scale)
        other = total and known.get(total.cells)
        if total and other:
            twice.append(total.without([other]))
        if total and (not other or total.high - total.low < other.high - other.low):
            known[total.cells] = total
    return known, twice


def _total(row: int, answer: PublishedGroup, scale: int) -> Total | None:
    n, most = answer.count
    if n > most:
        raise RowsContradictError([row])
    if n < most:
        return None
    times = {"sum": 1, "mean": n}
    if n == 1:
        times |= dict.fromkeys(answer.numbers.keys() - {VARIANCE}, 1)
    ranges = [
        (ceil(low * scale * times[name]), floor(high * scale * times[name]))
        for name, (low, high) in answer.numbers.items()
        if name in times
    ]
    if n == 0:
        ranges = [(0, 0)]
    if not ranges:
        return None
    low, high = max(each for each, _ in ranges), min(each for _, each in ranges)
    if low > high:
        raise RowsContradictError([row])
    cells = sum(1 << int(cell) for cell in answer.cells)
    return Total(cells, n, low, high, {row: 1}, (cells,))


def _complete(known: dict[CellBits, Total], sizes: tuple[int, ...]) -> list[Total]:
    """Add what groups and all of their parts tell of one another to what is known.

    Return what is left of groups without the known parts, where several are not.
    """
    splits, waiting = _splits(sizes), [*known]
    for cells in waiting:
        for whole, parts in splits.get(cells, ()):
            told = [known[each] for each in parts if each in known]
            if whole in known and len(told) == len(parts) - 1:
                new = known[whole].without(told)
            elif whole not in known and len(told) == len(parts):
                new = _together(whole, told)
            else:
                continue
            known[new.cells] = new
            waiting.append(new.cells)
    return [
        known[whole].without(told)
        for cells in known
        for whole, parts in splits.get(cells, ())
        if whole == cells
        and (told := [known[each] for each in parts if each in known])
        and len(told) < len(parts)
    ]


def _together(cells: CellBits, parts: Sequence[Total]) -> Total:
    return Total(
        cells,
        sum(each.n for each in parts),
        sum(each.low for each in parts),
        sum(each.high for each in parts),
        _added(*(each.rows for each in parts)),
        (cells,),
    )


def _nested(known: Mapping[CellBits, Total]) -> Iterator[Total]:
    """Yield what is left of a group without another one, which it has, but for one."""
    by_n: dict[int, list[Total]] = {}
    for each in known.values():
        by_n.setdefault(each.n, []).append(each)
    for each in known.values():
        for other in by_n.get(each.n - 1, ()) if each.n > 1 else ():
            if not other.cells & ~each.cells:
                yield each.without([other])


@cache
def _groups(sizes: tuple[int, ...]) -> dict[tuple[int | None, ...], CellBits]:
    grid = [*product(*map(range, sizes))]
    having = [
        [sum(1 << i for i, cell in enumerate(grid) if cell[a] == v) for v in range(n)]
        for a, n in enumerate(sizes)
    ]
    found = {}
    # An attribute with one value has the same groups with it and without.
    for codes in product(*((None, *range(n if n > 1 else 0)) for n in sizes)):
        cells = (1 << len(grid)) - 1
        for every, code in zip(having, codes, strict=True):
            cells &= -1 if code is None else every[code]
        found[codes] = cells
    return found


@cache
def _splits(sizes: tuple[int, ...]) -> dict[CellBits, list[_Split]]:
    """Return the splits that each group is part of, or the whole."""
    groups, found = _groups(sizes), dict[CellBits, list[_Split]]()
    for codes, cells in groups.items():
        for a, code in enumerate(codes):
            of = range(sizes[a])
            if code is None and len(of) > 1:
                parts = tuple(groups[*codes[:a], v, *codes[a + 1 :]] for v in of)
                for each in (cells, *parts):
                    found.setdefault(each, []).append((cells, parts))
    return found


@cache
def _names(
    domains: tuple[tuple[str, tuple[str | None, ...]], ...],
) -> dict[CellBits, str]:
    found = {}
    for codes, cells in _groups(tuple(len(values) for _, values in domains)).items():
        told = {
            name: values[code]
            for (name, values), code in zip(domains, codes, strict=True)
            if code is not None
        }
        found[cells] = cell_text(told)
    return found
