"""Beliefs in a value that was swapped together with QIDs, or within their values.

What moves together stays together, and so does what pairs are alike in: the release
shows how many records of each cell, by the QIDs that were swapped with the sensitive
attribute or in which pairs are alike, have which value. Within a cell, values are taken
not to depend on anything else beforehand. So the target had value y of its cell c with
chance n(c, y) / n(c), and a record with its QIDs t that is published with z has by now

- its own value; or
- that of another record, of cell d: v with chance n(d, v) / n(d), without its own one
  if that is of the same cell.

Which of these, and with which chance, `ways_of` tells. By Bayes the belief in y is,
over all records j of the release,

    B(y) = sum of P(y, z(j), v(j) | t) / P(z(j), v(j)), divided by the sum over all y.

Where QIDs are swapped within values of the sensitive attribute instead, each row has
its value beforehand by the same chances, and keeps it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from microleak.attacks.known_protection import chances
from microleak.attacks.known_protection.releases import Releases
from microleak.base.arrays import Floats, Integers
from microleak.definitions.exact import repeated_places, values_at
from microleak.protection.methods import DataColumn, blocks_and_sizes
from microleak.study_file.protections import Recipe, StepSection


@dataclass(frozen=True)
class _Cells:
    """Published values of the sensitive attribute in each cell."""

    of_row: Integers  # Cell of each row of true QIDs
    size: Integers  # Records of each cell
    # Of each cell: from where on, which values, how many records have them
    starts: Integers
    values: Integers
    n: Integers

    def entries(self, cells: Integers) -> tuple[Integers, Integers, Floats]:
        """Return places of cells, and each value that is there with its share."""
        own, entry = repeated_places(np.diff(self.starts)[cells], self.starts[cells])
        return own, self.values[entry], self.n[entry] / self.size[cells[own]]


def beliefs_in(
    releases: Releases, qids: Sequence[str], name: str, step: StepSection
) -> tuple[Integers, Integers, Floats]:
    """Return true QIDs t, published values v of an attribute, and beliefs in them."""
    names = [n for n in qids if n in releases.after]
    rows = releases.rows((*qids, name), but=name)
    linked = [n for n in names if n in {*(step.swap or ()), *step.within}]
    cells = _cells(releases, rows, linked, name)
    t, sizes = blocks_and_sizes([rows.columns[n].codes for n in qids])
    n_of_t = chances.weights_by(t, rows.expected, len(sizes))
    weigh = _moved if name in (step.swap or ()) else _kept
    of_t, v, weight = weigh(releases, (names, name), rows, cells, t)
    both, where = np.unique(of_t * (v.max() + 1) + v, return_inverse=True)
    found = chances.weights_by(where, weight, len(both))
    of_t, v = both // (v.max() + 1), both % (v.max() + 1)
    return of_t, v, found / chances.weights_by(of_t, found, len(n_of_t))[of_t]


def _cells(
    releases: Releases, rows: chances.Ways, linked: Sequence[str], name: str
) -> _Cells:
    of_record, of_row = releases.numbered(
        linked, chances.face_value(rows, releases.analysis.recipe)
    )
    column = releases.after[name]
    width = len(column.values)
    key, n = np.unique(of_record * width + column.codes, return_counts=True)
    n_cells = 1 + int(max(of_record.max(), of_row.max()))
    size = np.bincount(of_record, minlength=n_cells)
    releases.check_possible(int(rows.n_records[size[of_row] == 0].sum()))
    starts = np.searchsorted(key // width, np.arange(n_cells + 1))
    return _Cells(of_row, size, starts, key % width, n)


def _but(recipe: Recipe, name: str) -> Recipe:
    """Return a recipe whose steps change an attribute by a swap alone."""
    steps = []
    for step in recipe.steps:
        how = getattr(step, step.method)
        if isinstance(how, Mapping):
            how = {n: each for n, each in how.items() if n != name}
        steps.append(step.model_copy(update={step.method: how}))
    return replace(recipe, steps=tuple(steps))


class _Ratios:
    """Of pairs z and v: n times how many are published, by how many are expected."""

    def __init__(
        self,
        releases: Releases,
        published: tuple[Integers, Integers],
        possible: tuple[Integers, Integers, Floats],
    ) -> None:
        z, v, weight = possible
        self._width = 1 + int(max(published[1].max(), v.max()))
        self._keys, where = np.unique(self._key(z, v), return_inverse=True)
        expected = chances.weights_by(where, weight, len(self._keys))
        found, n = np.unique(self._key(*published), return_counts=True)
        is_made = np.isin(found, self._keys)
        releases.check_possible(int(n[~is_made].sum()))
        self._ratios = np.zeros(len(self._keys))
        at = np.searchsorted(self._keys, found)
        self._ratios[at] = releases.n_records * n / expected[at]

    def _key(self, z: Integers, v: Integers) -> Integers:
        return z * self._width + v

    def of(self, z: Integers, v: Integers) -> Floats:
        """Return the ratio of each pair, 0 of one that is impossible."""
        return values_at(self._key(z, v), self._keys, self._ratios)


def _moved(
    releases: Releases,
    what: tuple[Sequence[str], str],
    rows: chances.Ways,
    cells: _Cells,
    t: Integers,
) -> tuple[Integers, Integers, Floats]:
    """Return t, v and weights where the attribute itself is swapped."""
    # The column of the attribute has the cell that a record's value comes from.
    names, name = what
    n_cells = len(cells.size)
    marks = tuple(str(each) for each in range(2 * n_cells))
    columns = {**rows.columns, name: DataColumn(marks, cells.of_row)}
    recipe = _but(releases.analysis.recipe, name)
    every = chances.ways_of(replace(rows, columns=columns), recipe, releases.room, name)
    ways = chances.merged(every, (*names, name))
    published, z = releases.numbered(names, ways)
    is_other, donor = np.divmod(ways.columns[name].codes.astype(np.int64), n_cells)
    cell = cells.of_row[ways.row]

    pair, where = np.unique(z * n_cells + donor, return_inverse=True)
    expected = chances.weights_by(where, ways.expected, len(pair))
    releases.room.check(int(np.diff(cells.starts)[pair % n_cells].sum()))
    own, v, share = cells.entries(pair % n_cells)
    z_of = pair // n_cells
    records = published, releases.after[name].codes.astype(np.int64)
    ratios = _Ratios(releases, records, (z_of[own], v, expected[own] * share))
    mean = chances.weights_by(own, share * ratios.of(z_of[own], v), len(pair))[where]

    # Of another record of the same cell: all of the cell's values but the own one.
    is_same = is_other & (donor == cell)
    n_others = np.maximum(cells.size[donor] - is_same, 1)
    from_cell = ways.expected * is_other * mean * cells.size[donor] / n_others
    own_value = ways.expected * np.where(is_same, -1 / n_others, 1 - is_other)
    at_all = np.unique(t, return_index=True)[1]
    own, v, share = cells.entries(cells.of_row[at_all])
    of_t = t[at_all][own]
    base = chances.weights_by(t[ways.row], from_cell, len(at_all))[of_t] * share
    has_own = np.flatnonzero(own_value)
    releases.room.check(int(np.diff(cells.starts)[cell[has_own]].sum()))
    way, v_own, share = cells.entries(cell[has_own])
    way = has_own[way]
    weight = own_value[way] * share * ratios.of(z[way], v_own)
    return (
        np.concatenate([of_t, t[ways.row[way]]]),
        np.concatenate([v, v_own]),
        np.concatenate([base, weight]),
    )


def _kept(
    releases: Releases,
    what: tuple[Sequence[str], str],
    rows: chances.Ways,
    cells: _Cells,
    t: Integers,
) -> tuple[Integers, Integers, Floats]:
    """Return t, v and weights where QIDs are swapped within the attribute's values."""
    names, name = what
    releases.room.check(int(np.diff(cells.starts)[cells.of_row].sum()))
    own, v, share = cells.entries(cells.of_row)
    columns = {n: DataColumn(c.values, c.codes[own]) for n, c in rows.columns.items()}
    columns[name] = DataColumn(releases.after[name].values, v)
    n_records = rows.n_records[own] * share
    each = chances.Ways(np.arange(len(own)), columns, np.ones(len(own)), n_records)
    recipe = _but(releases.analysis.recipe, name)
    ways = chances.merged(chances.ways_of(each, recipe, releases.room), names)
    published, z = releases.numbered(names, ways)
    records = published, releases.after[name].codes.astype(np.int64)
    v = v[ways.row]
    ratios = _Ratios(releases, records, (z, v, ways.expected))
    return t[own][ways.row], v, ways.expected * ratios.of(z, v)
