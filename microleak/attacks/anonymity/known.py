"""What published counts of the population say of the blocks of a sample."""

from collections.abc import Iterator, Sequence

import numpy as np

from microleak.attacks.anonymity.definitions.cells import Cells, cells_of
from microleak.attacks.anonymity.section import Anonymity, Margin
from microleak.base.arrays import Integers, QidMask
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.overlap import Overlap
from microleak.records.chunks import Given
from microleak.records.coding import codes_of, texts_of
from microleak.records.memory import Memory, counted_values
from microleak.records.subsets import names_of

Coded = tuple[Integers, Integers]
"""Codes of cells by the QIDs, shape (n_cells, n_qids), and what is counted of each."""


def known_overlaps(
    people: Given, analysis: Anonymity, resources: Resources
) -> Iterator[tuple[QidMask, Overlap]]:
    """Yield each subset that one margin crosses, with its blocks in the population."""
    names = {subset: names_of(subset, analysis.qids) for subset in analysis.subsets}
    covering = {subset: analysis.covering(each) for subset, each in names.items()}
    wanted = {subset: margin for subset, margin in covering.items() if margin}
    if not wanted:
        return
    sample, values = sampled_cells(people, analysis, resources)
    coded = {}
    with progress("measuring what margins say", len(wanted)) as advance:
        for subset, margin in wanted.items():
            if margin.path not in coded:
                coded[margin.path] = _coded(margin, values, analysis)
            places = [*map(analysis.qids.index, names[subset])]
            within = [*map(margin.names.index, names[subset])]
            codes, persons = coded[margin.path]
            of_all = codes[:, within], persons
            both = _met(of_all, (sample.codes[:, places], sample.n))
            _check(both, margin, analysis)
            yield subset, both
            advance(1)


def sampled_cells(
    people: Given, analysis: Anonymity, resources: Resources
) -> tuple[Cells, Sequence[Sequence[str | None]]]:
    """Return the blocks of all QIDs, and the values that their codes stand for."""
    memory = Memory(resources, f"analysis {analysis.name!r}")
    names = analysis.qids
    chunks, memory = memory.chunks(people, len(names))
    known = counted_values(chunks, names, memory)
    tables = (chunks.read(i, names) for i in range(chunks.n_chunks))
    parts = [[codes_of(table[n], known[n]) for n in names] for table in tables]
    columns = [np.concatenate(each) for each in zip(*parts, strict=True)]
    ones = np.ones(chunks.n_rows, dtype=np.int64)
    return cells_of(columns, ones, 1), [texts_of(known[n].values) for n in names]


def _coded(
    margin: Margin, values: Sequence[Sequence[str | None]], analysis: Anonymity
) -> Coded:
    """Return a margin by the codes of the sample, further ones of values it lacks."""
    for name, value, said in margin.sums:
        if value not in {text or "" for text in values[analysis.qids.index(name)]}:
            raise TableError(said)
    columns = []
    for name, told in zip(margin.names, zip(*margin.values, strict=True), strict=True):
        own = values[analysis.qids.index(name)]
        code = {text or "": number for number, text in enumerate(own)}
        columns.append([code.setdefault(text, len(code)) for text in told])
    codes = np.array(columns, dtype=np.int64).T.reshape(-1, len(margin.names))
    return codes, np.array(margin.counts, dtype=np.int64)


def _met(population: Coded, sample: Coded) -> Overlap:
    """Return the blocks that cells of both have, by the codes of some QIDs."""
    codes = np.concatenate([population[0], sample[0]])
    number = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        both = number * (int(column.max()) + 1) + column
        number = np.unique(both, return_inverse=True)[1]
    n, d = np.zeros((2, int(number.max()) + 1), dtype=np.int64)
    n_told = len(population[0])
    np.add.at(n, number[:n_told], population[1])
    np.add.at(d, number[n_told:], sample[1])
    (n, d), n_blocks = np.unique(np.stack([n, d]), axis=1, return_counts=True)
    return Overlap(n, d, n_blocks).where((n > 0) | (d > 0))


def _check(both: Overlap, margin: Margin, analysis: Anonymity) -> None:
    """Refuse a sample that is not of the population, as coded."""
    of_sample = both.of_sample
    for is_wrong, said in (
        (
            of_sample.n == 0,
            "nobody of the population has the values that they have there, compared as "
            "text, so that 1.0 is not 1",
        ),
        (
            of_sample.n < of_sample.d,
            "the population has fewer persons there than there are records",
        ),
    ):
        if is_wrong.any():
            n = of_sample.where(is_wrong).n_sample
            raise TableError(
                f"analysis {analysis.name!r}: {margin.path}: {n:,} records of the "
                f"sample are in cells of {', '.join(margin.names)} of which {said}. "
                "Correct the file, or recode these values."
            )
