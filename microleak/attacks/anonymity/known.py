"""What published counts of the population say of the blocks of a sample."""

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from microleak.attacks.anonymity.blocks import in_order
from microleak.attacks.anonymity.definitions import bounded
from microleak.attacks.anonymity.definitions.cells import Cells, cells_of, numbered
from microleak.attacks.anonymity.section import Anonymity, Margin
from microleak.base.arrays import Integers, QidMask
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums
from microleak.definitions.overlap import Overlap
from microleak.records.chunks import Given
from microleak.records.coding import Dictionary, codes_of, texts_of
from microleak.records.memory import Memory, counted_values

LeastAndMost = tuple[Overlap, Overlap]
"""Blocks of a subset with the fewest and with the most persons that they can have."""


def known_blocks(
    people: Given, analysis: Anonymity, resources: Resources
) -> Iterator[tuple[QidMask, LeastAndMost]]:
    """Yield each subset of which margins tell something, with its blocks.

    Where one margin crosses all of its QIDs both are the same, and have the blocks of
    which the sample has nobody, too.
    """
    if not analysis.published:
        return
    sample, values = sampled_cells(people, analysis, resources)
    tables = coded_margins(sample, values, analysis)
    with progress("measuring what margins say", len(analysis.subsets)) as advance:
        for subset in analysis.subsets:
            places = [p for p in range(len(analysis.qids)) if subset >> p & 1]
            within = [found for table in tables if (found := table.within(places))]
            own = bounded.CellCounts(
                tuple(range(len(places))),
                *bounded.summed(sample.codes[:, places], sample.n),
            )
            every = (t for t in within if t.places == own.places and t.is_exact)
            if whole := next(every, None):
                exact = _met(whole, own)
                yield subset, (exact, exact)
            elif within:
                yield subset, between(own, within, analysis)
            advance(1)


def coded_margins(
    sample: Cells, values: Sequence[Sequence[str | None]], analysis: Anonymity
) -> list[bounded.CellCounts]:
    """Return margins by the codes of the sample, which is of their population."""
    code = [{text or "": n for n, text in enumerate(told)} for told in values]
    published = analysis.published or ()
    tables = [_coded(margin, code, analysis) for margin in published]
    for table, margin in zip(tables, published, strict=True):
        codes, n = bounded.summed(sample.codes[:, table.places], sample.n)
        _check(bounded.persons_of(table, codes), n, margin, analysis)
    for pair in permutations(zip(tables, published, strict=True), 2):
        _check_alike(*pair, analysis)
    return tables


def between(
    own: bounded.CellCounts, tables: Sequence[bounded.CellCounts], analysis: Anonymity
) -> LeastAndMost:
    """Return sampled cells with the fewest and the most persons, one kind each."""
    try:
        bounds = bounded.population_bounds(own, tables)
    except bounded.CountsContradictError:
        files = " and ".join(dict.fromkeys(m.path for m in analysis.published or ()))
        raise TableError(
            f"analysis {analysis.name!r}: no population has the counts of {files} and "
            "the records of the sample. Correct a file, or recode its values."
        ) from None
    each = np.ones(len(own.counts), dtype=np.int64)
    least, most = (Overlap(n, own.counts, each) for n in bounds)
    return least, most


def sampled_cells(
    people: Given, analysis: Anonymity, resources: Resources
) -> tuple[Cells, Sequence[Sequence[str | None]]]:
    """Return the blocks of all QIDs, and the values that their codes stand for."""
    columns, known = coded_records(people, analysis.qids, analysis, resources)
    ones = np.ones(len(columns[0]), dtype=np.int64)
    return cells_of(columns, ones, 1), [texts_of(each.values) for each in known]


def coded_records(
    people: Given, names: Sequence[str], analysis: Anonymity, resources: Resources
) -> tuple[list[Integers], list[Dictionary]]:
    """Return the codes of each attribute's values, those of QIDs in their order."""
    memory = Memory(resources, f"analysis {analysis.name!r}")
    chunks, memory = memory.chunks(people, len(names))
    known = counted_values(chunks, names, memory)
    known |= {name: in_order(known[name]) for name in analysis.qids}
    tables = (chunks.read(i, names) for i in range(chunks.n_chunks))
    parts = [[codes_of(table[n], known[n]) for n in names] for table in tables]
    columns = [np.concatenate(each) for each in zip(*parts, strict=True)]
    return columns, [known[name] for name in names]


def _coded(
    margin: Margin, code: Sequence[dict[str, int]], analysis: Anonymity
) -> bounded.CellCounts:
    """Return a margin by codes of values, to which those that it has more are added."""
    for name, value, said in margin.sums:
        if value not in code[analysis.qids.index(name)]:
            raise TableError(said)
    columns = {}
    for name, told in zip(margin.names, zip(*margin.values, strict=True), strict=True):
        place = analysis.qids.index(name)
        of = code[place]
        columns[place] = [of.setdefault(text, len(of)) for text in told]
    places = tuple(sorted(columns))
    codes = np.array([columns[place] for place in places], dtype=np.int64).T
    counts = np.array(margin.counts, dtype=np.int64)
    most = counts if margin.most is None else np.array(margin.most, dtype=np.int64)
    high = None if margin.most is None else most
    every = bounded.CellCounts(places, codes, counts, high, margin.is_whole)
    order = np.lexsort(codes.T[::-1])
    is_told = (most > 0) | (not margin.is_whole)
    return every.of_rows(order[is_told[order]])


def _met(population: bounded.CellCounts, sample: bounded.CellCounts) -> Overlap:
    """Return the blocks that cells of both have."""
    number = numbered(np.concatenate([population.codes, sample.codes]))
    place = len(population.codes)
    n_cells = int(number.max()) + 1
    n = kind_sums(number[:place], population.counts, n_cells)
    d = kind_sums(number[place:], sample.counts, n_cells)
    (n, d), n_blocks = np.unique(np.stack([n, d]), axis=1, return_counts=True)
    return Overlap(n, d, n_blocks)


def _check_alike(
    exact: tuple[bounded.CellCounts, Margin],
    other: tuple[bounded.CellCounts, Margin],
    analysis: Anonymity,
) -> None:
    """Refuse a margin that contradicts an exact one with all of its cells."""
    (whole, _), (part, margin) = exact, other
    summed_up = whole.within(part.places) if whole.is_exact else None
    if summed_up is None or summed_up.codes.shape[1] < part.codes.shape[1]:
        return
    persons = bounded.persons_of(summed_up, part.codes)
    n = int(((persons < part.counts) | (persons > part.high)).sum())
    n += int((bounded.persons_of(part, summed_up.codes) == 0).sum())
    if n:
        files = " and ".join(each.path for _, each in (exact, other))
        raise TableError(
            f"analysis {analysis.name!r}: {files} have different numbers of persons in "
            f"{n:,} cells of {', '.join(margin.names)}. Correct one of them."
        )


def _check(persons: Integers, n: Integers, margin: Margin, analysis: Anonymity) -> None:
    """Refuse a sample that is not of the population, as coded."""
    for is_wrong, said in (
        (
            persons == 0,
            "nobody of the population has the values that they have there, compared as "
            "text, so that 1.0 is not 1",
        ),
        (
            persons < n,
            "the population has fewer persons there than there are records",
        ),
    ):
        if is_wrong.any():
            raise TableError(
                f"analysis {analysis.name!r}: {margin.path}: {n[is_wrong].sum():,} "
                f"records of the sample are in cells of {', '.join(margin.names)} of "
                f"which {said}. Correct the file, or recode these values."
            )
