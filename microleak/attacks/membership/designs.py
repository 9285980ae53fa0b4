"""What a sample gives away by how it was drawn, and what of answers, as tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.membership.definitions import designs as drawing
from microleak.attacks.membership.definitions.answers import Alike, answers, rounded_sum
from microleak.attacks.membership.drawn import CLUSTERS, POISSON, DesignSection
from microleak.attacks.membership.measure import (
    TABLES,
    SidedChunks,
    compared_by,
    of_population,
    of_sample,
)
from microleak.attacks.membership.section import Membership
from microleak.base.arrays import Integers, QidMask
from microleak.base.errors import TableError, count_of
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions import exact
from microleak.records.chunks import Given
from microleak.records.coding import coded_with, columns_of, texts_of
from microleak.records.compared import MARK, both_of
from microleak.records.memory import Memory
from microleak.records.memory import counted_values as values_of
from microleak.records.rough import RoomForRows, places_of, rows_of
from microleak.records.subsets import names_of
from microleak.study_file.totals import COUNT
from microleak.tables.rows import as_table

MOST_STEPS = 20_000_000_000
"""Products of 64 bits that the chances of one set of QIDs may need: a minute or two."""

ValueTexts = Sequence[str | None]


@dataclass(frozen=True)
class Sided:
    """Rows of records that differ, of a population and of its sample."""

    codes: Mapping[str, Integers]  # Codes by column
    texts: Mapping[str, ValueTexts]  # What each code of a column is
    # Whether a row is of the sample, and how many records it has
    is_sampled: NDArray[np.bool_]
    n_records: Integers

    def of(self, names: Sequence[str]) -> tuple[Integers, int]:
        """Return a number for the values of some columns by row, and how many."""
        if not names:
            return np.zeros(len(self.n_records), dtype=np.int64), 1
        return places_of([self.codes[name] for name in names])

    def counts(self, place: Integers, n: int) -> tuple[Integers, Integers]:
        """Return how many records of population and of sample are in each place."""
        both = (np.where(self.is_sampled == of, self.n_records, 0) for of in (0, 1))
        population, sample = (exact.kind_sums(place, each, n) for each in both)
        return population, sample


def sided_rows(
    population: Given, sample: Given, analysis: Membership, resources: Resources
) -> Sided:
    """Return the rows of both releases that differ in what an analysis needs."""
    hidden = (
        () if analysis.design is None else analysis.design.hidden_from(analysis.qids)
    )
    names = [*analysis.wide.qids, *map(of_population, hidden)]
    names += map(of_sample, analysis.sensitive)
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(names) + len(analysis.filter) + 1
    both = both_of(population, sample, analysis.wide, memory.rows_a_chunk(n_columns))
    memory = memory.for_chunks(n_columns * both.most_rows)
    chunks = SidedChunks(both)
    known = values_of(chunks, columns_of([*names, MARK]), memory)
    # Strata and clusters may be identifiers, which is told of QIDs alone.
    n_qids = len(analysis.qids)
    records = coded_with(chunks, known, names[:n_qids], [*names[n_qids:], MARK])
    rows = rows_of(records, n_qids, RoomForRows(memory, n_columns))
    *columns, mark = rows.columns
    codes = dict(zip(names, columns, strict=True))
    texts = {name: texts_of(known[name].values) for name in names}
    return Sided(codes, texts, mark == 1, rows.n_records)


@dataclass(frozen=True)
class DrawnRows:
    """How each row of the population was drawn."""

    # Numbers by row
    stratum: Integers
    unit: Integers
    strata: Sequence[drawing.Stratum]  # The strata by their numbers, without kinds
    told: Sequence[str]  # Columns that the sample has, too
    # Strata and clusters of the population
    n_strata: int
    n_clusters: int | None


UNIFORM = drawing.Stratum(0, 0, Fraction(1), False, ())
"""A stratum of which only is known that all persons are as likely drawn."""


def uniformly(rows: Sided) -> DrawnRows:
    """Return that all persons are as likely drawn."""
    nothing = np.zeros(len(rows.n_records), dtype=np.int64)
    return DrawnRows(nothing, nothing, [UNIFORM], (), 1, None)


def drawn_by(rows: Sided, analysis: Membership) -> DrawnRows:
    """Return how rows were drawn; without a design, all are as likely."""
    if analysis.design is None:
        return uniformly(rows)
    design, where = analysis.design, f"analysis {analysis.name!r}: design"
    told = design.told_with(analysis.qids)
    column = {n: n if n in told else of_population(n) for n in design.attributes}
    of_strata = [column[name] for name in design.strata]
    stratum, n_places = rows.of(of_strata)
    n_persons, n_sample = rows.counts(stratum, n_places)
    if {*design.strata} <= {*told}:
        _check_strata(n_persons, n_sample, where)
    unit, n_units, n_clusters = stratum, n_persons, None
    if design.stages == CLUSTERS:
        unit, _ = rows.of([*of_strata, *(column[name] for name in design.clusters)])
        pairs = np.stack([stratum, unit])[:, ~rows.is_sampled]
        n_units = np.bincount(np.unique(pairs, axis=1)[0], minlength=n_places)
        n_clusters = int(n_units.sum())
    names = _names(rows, of_strata, stratum, n_places)
    strata = _strata(design, names, n_units.tolist(), where)
    if design.stages == POISSON:
        number_of = {each: i for i, each in enumerate(dict.fromkeys(strata))}
        stratum = np.array([number_of[each] for each in strata])[stratum]
        unit, strata = stratum, [*number_of]
    n_strata = int((n_persons > 0).sum())
    return DrawnRows(stratum, unit, strata, told, n_strata, n_clusters)


def _check_strata(n_persons: Integers, n_sample: Integers, where: str) -> None:
    n_outside = int(n_sample[n_persons == 0].sum())
    if n_outside:
        raise TableError(
            f"{where}: the strata of {count_of(n_outside, 'record')} of the sample are "
            "none of the population. Correct strata, or their codes in one of the "
            "releases."
        )
    n_larger = int((n_sample > n_persons).sum())
    if n_larger:
        raise TableError(
            f"{where}: in {n_larger:,} of the strata the sample has more records than "
            "the population. Correct strata, or the releases."
        )


def _names(
    rows: Sided, columns: Sequence[str], stratum: Integers, n_strata: int
) -> list[tuple[str, ...]]:
    """Return the values of each stratum, the empty text for a missing one."""
    first = exact.first_places(stratum, n_strata)
    codes = [rows.codes[name][first].tolist() for name in columns]
    texts = [rows.texts[name] for name in columns]
    return [
        tuple(of[code] or "" for of, code in zip(texts, each, strict=True))
        for each in (zip(*codes, strict=True) if codes else [()])
    ]


def _strata(
    design: DesignSection,
    names: Sequence[tuple[str, ...]],
    n_units: Sequence[int],
    where: str,
) -> list[drawing.Stratum]:
    by_name: Mapping[tuple[str, ...], Fraction] = {}
    if design.drawn is not None:
        by_name = design.drawn.exact
        _check_named(
            by_name, {n for n, of in zip(names, n_units, strict=True) if of}, where
        )
    is_clustered = design.stages == CLUSTERS
    response = Fraction(design.response)
    chance = response * Fraction(design.within) if is_clustered else response
    is_number = design.drawn is not None and design.drawn.amount == COUNT
    found = []
    for name, n in zip(names, n_units, strict=True):
        share = by_name[name] if name in by_name else Fraction(design.fraction or 0)
        if is_number and share > n > 0:
            what = "clusters" if is_clustered else "persons"
            raise TableError(
                f"{where}: by_stratum draws {int(share):,} {what} of a stratum that "
                f"has {n:,}. Correct the file."
            )
        if design.stages == POISSON:
            each = Fraction(int(share), n or 1) if is_number else share
            found.append(drawing.Stratum(0, 0, each * response, False, ()))
            continue
        n_drawn = int(share) if is_number else floor(share * n + Fraction(1, 2))
        found.append(drawing.Stratum(n, n_drawn, chance, is_clustered, ()))
    return found


def _check_named(
    by_name: Mapping[tuple[str, ...], Fraction], names: set[tuple[str, ...]], where: str
) -> None:
    for n, said in (
        (len(names - {*by_name}), "of the population are not in its file"),
        (len({*by_name} - names), "of its file are not in the population"),
    ):
        if n:
            raise TableError(
                f"{where}: by_stratum: {n:,} of the strata {said}, as texts. Correct "
                "the file, or its codes."
            )


@dataclass(frozen=True)
class Present:
    """Kinds of persons of the population of whom the sample has somebody alike."""

    # Records alike in the population and in the sample, by cell
    n: Integers
    d: Integers
    # Of each kind: its cell, its stratum, and its persons
    cell: Integers
    stratum: Integers
    n_persons: Integers
    chances: Mapping[int, Fraction]

    @property
    def found(self) -> Integers:
        """Records of the sample, at most as many as the population has, by cell."""
        return np.minimum(self.d, self.n)

    def chance(self, kind: int) -> Fraction:
        """Return the chance of persons of a kind to be in the sample."""
        if kind in self.chances:
            return self.chances[kind]
        cell = self.cell[kind]
        return Fraction(int(self.found[cell]), int(self.n[cell]))


def present(
    rows: Sided, drawn: DrawnRows, cell: Integers, n_cells: int
) -> Present | None:
    """Return the kinds of persons of each cell, and their chances."""
    # None if these need too many steps.
    n, d = rows.counts(cell, n_cells)
    is_asked = ~rows.is_sampled & (d[cell] > 0)
    at, stratum = cell[is_asked], drawn.stratum[is_asked]
    unit, n_units = places_of([at, drawn.unit[is_asked]])
    n_alike = exact.kind_sums(unit, rows.n_records[is_asked], n_units)
    first = exact.first_places(unit, n_units)
    columns = np.stack([at[first], stratum[first], n_alike])
    kinds, n_of_kind = np.unique(columns, axis=1, return_counts=True)
    of_cell = np.bincount(kinds[0], minlength=n_cells)
    is_mixed = (of_cell > 1) & (d < n)
    places = np.flatnonzero(is_mixed[kinds[0]])
    chances = _mixed(drawn.strata, kinds[:, places], n_of_kind[places], d)
    if chances is None:
        return None
    by_place = dict(zip(places.tolist(), chances, strict=True))
    return Present(n, d, kinds[0], kinds[1], kinds[2] * n_of_kind, by_place)


def _mixed(
    strata: Sequence[drawing.Stratum], kinds: Integers, n_units: Integers, d: Integers
) -> list[Fraction] | None:
    """Return the chance of each kind; kinds are sorted by cell and then stratum."""
    asked: list[tuple[tuple[drawing.Stratum, ...], int]] = []
    cells, starts = np.unique(kinds[0], return_index=True)
    ends = [*starts.tolist(), kinds.shape[1]]
    for cell, (start, end) in zip(cells.tolist(), pairwise(ends), strict=True):
        by_stratum: dict[int, list[drawing.Kind]] = {}
        _, of_kinds, alike = kinds[:, start:end].tolist()
        for number, n_alike, times in zip(
            of_kinds, alike, n_units[start:end].tolist(), strict=True
        ):
            by_stratum.setdefault(number, []).append(drawing.Kind(n_alike, times))
        designed = tuple(
            replace(strata[number], kinds=tuple(several))
            for number, several in by_stratum.items()
        )
        asked.append((designed, int(d[cell])))
    distinct = dict.fromkeys(asked)
    if sum(drawing.n_steps(*each) for each in distinct) > MOST_STEPS:
        return None
    known = {each: drawing.presence(*each) for each in distinct}
    return [chance for each in asked for of in known[each] for chance in of]


def designs(
    population: Given, sample: Given, analysis: Membership, resources: Resources
) -> pd.DataFrame:
    """Return what the sample gives away by its design, as the table `designs`."""
    rows = sided_rows(population, sample, analysis, resources)
    drawn = drawn_by(rows, analysis)
    found = []
    with progress(
        "asking how the sample was drawn", len(analysis.compared.subsets)
    ) as advance:
        for subset in analysis.compared.subsets:
            found.append(_design_row(rows, drawn, subset, analysis))
            advance(1)
    return as_table(TABLES["designs"], found)


def _design_row(
    rows: Sided, drawn: DrawnRows, subset: QidMask, analysis: Membership
) -> dict[str, Any]:
    names = names_of(subset, analysis.qids)
    n_population, n_sample = _sizes(rows)
    uniform = uniformly(rows)
    plain = present(rows, uniform, *rows.of(names))
    assert plain is not None, "one kind needs no steps"
    told = tuple(dict.fromkeys((*names, *drawn.told)))
    designed = present(rows, drawn, *rows.of(told))
    row: dict[str, Any] = {
        **compared_by(analysis.compared, names, (n_population, n_sample)),
        "stages": analysis.design.stages if analysis.design else "",
        "n_strata": drawn.n_strata,
        "n_clusters": drawn.n_clusters,
        "prior": n_sample / n_population,
    }
    if designed is not None:
        row["prior_design"] = float(_prior(designed, drawn))
        for name, each in _chances(designed, rows).items():
            row[name] = float(each)
    for name, each in _chances(plain, rows).items():
        row[f"{name}_uniform"] = float(each)
    return row


def _sizes(rows: Sided) -> tuple[int, int]:
    n_population, n_sample = rows.counts(np.zeros_like(rows.n_records), 1)
    return int(n_population[0]), int(n_sample[0])


def _prior(found: Present, drawn: DrawnRows) -> Fraction:
    """Return the mean chance of the sample's persons before anything is seen."""
    expected = [Fraction(0) for _ in drawn.strata]
    n, f = found.n[found.cell], found.found[found.cell]
    # Of those that are not the only kind of their cell, all are there, or none.
    sure = found.n_persons * f // n
    sure[[*found.chances]] = 0
    for number, k in enumerate(
        exact.kind_sums(found.stratum, sure, len(expected)).tolist()
    ):
        expected[number] += k
    for i, chance in found.chances.items():
        k = int(found.n_persons[i])
        expected[int(found.stratum[i])] += rounded_sum([(k, chance)])
    whole = sum(expected, Fraction(0))
    pairs = zip(expected, drawn.strata, strict=True)
    before = sum((k * stratum.inclusion for k, stratum in pairs), Fraction(0))
    return before / whole if whole else Fraction(0)


def _chances(found: Present, rows: Sided) -> dict[str, Fraction]:
    """Return the mean chances of all persons, exactly of cells of one kind."""
    n_population, n_sample = _sizes(rows)
    is_one = found.n > 0
    is_one[found.cell[[*found.chances]]] = False
    n, f = found.n[is_one], found.found[is_one]
    others = [(int(found.n_persons[i]), each) for i, each in found.chances.items()]
    squares = exact.sum_of_ratios(f * f, n) + rounded_sum((k, p * p) for k, p in others)
    certain = int(f[f == n].sum()) + sum(k for k, p in others if p == 1)
    right = int(np.maximum(f, n - f).sum())
    right_of_others = rounded_sum((k, max(p, 1 - p)) for k, p in others)
    return {
        "posterior_person": squares / n_sample,
        "certain": Fraction(certain, n_sample),
        "bayes_posterior": (right + right_of_others) / n_population,
    }


def answers_given(
    population: Given, sample: Given, analysis: Membership, resources: Resources
) -> pd.DataFrame:
    """Return what is inferred of the answers of those found, as the table `answers`."""
    # Takes and raises what `designs` does, of an analysis with `sensitive`; it need not
    # have a design.
    rows = sided_rows(population, sample, analysis, resources)
    drawn = drawn_by(rows, analysis)
    found: list[dict[str, Any]] = []
    with progress("inferring answers", len(analysis.compared.subsets)) as advance:
        for subset in analysis.compared.subsets:
            found += _answer_rows(rows, drawn, subset, analysis)
            advance(1)
    return as_table(TABLES["answers"], found)


def _answer_rows(
    rows: Sided, drawn: DrawnRows, subset: QidMask, analysis: Membership
) -> Iterator[dict[str, Any]]:
    names = names_of(subset, analysis.qids)
    n_both = _sizes(rows)
    cell, n_cells = rows.of(tuple(dict.fromkeys((*names, *drawn.told))))
    known = present(rows, drawn, cell, n_cells)
    shares = TABLES["answers"].saying("share")
    for name in analysis.sensitive:
        value = rows.codes[of_sample(name)]
        modal = _modal(cell, value, rows, n_cells)
        (modal_of_all,) = _modal(np.zeros_like(cell), value, rows, 1).tolist()
        row = compared_by(analysis.compared, names, n_both) | {"sensitive": name}
        if known is not None:
            alike = Alike(
                known.n_persons,
                known.d[known.cell],
                modal[known.cell],
                [known.chance(i) for i in range(len(known.cell))],
            )
            inferred = answers(alike, n_both, modal_of_all, int(modal.sum()))
            row |= {each: float(getattr(inferred, each)) for each in shares}
        yield row


def _modal(place: Integers, value: Integers, rows: Sided, n: int) -> Integers:
    """Return how many records of the sample have the most frequent value, by place."""
    sampled = rows.is_sampled
    pair, n_pairs = places_of([place[sampled], value[sampled]])
    counts = exact.kind_sums(pair, rows.n_records[sampled], n_pairs)
    of_pair = place[sampled][exact.first_places(pair, n_pairs)]
    return exact.largest_by(of_pair, counts, n)
