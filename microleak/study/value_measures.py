"""Measures of sensitive values for every QID subset, from profiles and from records."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from microleak.attacks.kinds import sums
from microleak.attacks.value_counts import ValueCounts
from microleak.kernels.records import Records
from microleak.resources import Resources
from microleak.study.anonymity_profiling import domains_of
from microleak.study.chunks import ParquetChunks
from microleak.study.distributions import (
    DISTANCES,
    DIVERSITIES,
    ENTROPY,
    Decided,
    Measures,
    decided,
    measured,
)
from microleak.study.far_values import Domain, marked_in, marks_of
from microleak.study.memory import MIB, Memory
from microleak.study.profile_file import read_profiles
from microleak.study.samples import Anonymity
from microleak.study.sensitive_values import records_of
from microleak.study.subsets import Subset
from microleak.study.value_groups import ValueRows, visit_values

BYTES_A_ROW = 200
"""What a row needs while rows are merged, with a dozen QIDs."""

ROWS = 0.4
"""Share of the memory that rows may take."""


def measured_values(
    people: Path, blocks: Path, analysis: Anonymity, resources: Resources
) -> dict[tuple[str, Subset], Measures]:
    """Return all measures of each sensitive attribute, for every subset.

    Parameters
    ----------
    people
        Records of the focal release; QIDs and sensitive attributes are read.
    blocks
        Their profile (`microleak.study.anonymity_profiling`).
    analysis
        The analysis.
    resources
        Bounds, which change no measure.

    Raises
    ------
    TableError
        If a sensitive attribute has a value that is not in its order.
    MicroleakError
        If memory does not suffice.
    """
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    memory = Memory(resources, f"analysis {analysis.name!r}")
    chunks = ParquetChunks([people], memory.rows_a_chunk(n_columns))
    memory = memory.for_chunks(n_columns * chunks.most_rows)
    records = records_of(chunks, analysis, memory)
    domains = domains_of(records, analysis)
    found = _from_profiles(blocks, domains)
    most_rows = int(ROWS * resources.memory_mb * MIB / BYTES_A_ROW)
    return {
        (name, subset): measures
        for i, name in enumerate(analysis.sensitive)
        for subset, measures in completed(
            records, i, domains[i], found[i], most_rows
        ).items()
    }


def _from_profiles(
    blocks: Path, domains: Sequence[Domain]
) -> list[dict[Subset, Decided]]:
    """Return what is decided of each sensitive attribute, for each subset."""
    marks = marks_of(domains)
    found: list[dict[Subset, Decided]] = [{} for _ in domains]
    for subset, profiles in read_profiles(blocks):
        if subset:
            for i, domain in enumerate(domains):
                mine = [m for m in marked_in(profiles, marks) if m[0].sensitive == i]
                found[i][subset] = decided(profiles[i], domain, mine)
    return found


def completed(
    records: Records,
    sensitive: int,
    domain: Domain,
    known: Mapping[Subset, Decided],
    most_rows: int,
) -> dict[Subset, Measures]:
    """Return all measures of a sensitive attribute, for each subset.

    Records are read, and grouped, for those that are not decided.

    Parameters
    ----------
    records
        QIDs and sensitive attributes, their codes in the order of the values.
    sensitive, domain
        Position of the attribute, and its values.
    known
        What the profiles say, for each subset.
    most_rows
        Bound of rows held at once (`microleak.study.value_groups.visit_values`).
    """
    left = {subset: part for subset, part in known.items() if not part.is_final}
    found = {subset: _reached(part, domain) for subset, part in known.items()}

    def visit(subset: Subset, rows: ValueRows) -> ValueRows:
        """Measure a subset's blocks, and keep the worst of each measure."""
        rows = _with_far_blocks(rows, left[subset], domain)
        more = _measured(rows, left[subset], domain)
        found[subset] |= {
            name: _worse(name, found[subset].get(name, value), value)
            for name, value in more.items()
        }
        return rows

    visit_values(records, sensitive, left.keys(), visit, most_rows)
    return found


def _reached(part: Decided, domain: Domain) -> Measures:
    """Return what is decided, and how far some block is by the other distances."""
    reached = {
        name: Fraction(far, domain.scale(name)) for name, far in part.reached.items()
    }
    return part.measures | reached


def _with_far_blocks(rows: ValueRows, part: Decided, domain: Domain) -> ValueRows:
    """Leave out blocks without a value that is farther than some block is.

    None is left out where all blocks count, as no block has one value only.
    """
    is_far = np.zeros(len(domain.counts), dtype=bool)
    for name, reached in part.reached.items():
        is_far |= domain.distances[name] > reached
    return rows.where(rows.has_in_block(is_far[rows.value]))


def _measured(rows: ValueRows, part: Decided, domain: Domain) -> Measures:
    """Measure what is left open, of the blocks there are."""
    counts = rows.counts
    names = [name for name in DIVERSITIES if name not in part.measures]
    found = measured(counts, names)
    distances = [name for name in DISTANCES if name in part.reached]
    return found | measured(_with_rest(counts, domain), distances)


def _with_rest(counts: ValueCounts, domain: Domain) -> ValueCounts:
    """Add the records of all other blocks, as one block, so that the table is whole.

    It is no farther than the farthest of them, which is not farther than what is
    known, or visited with other rows.
    """
    rest = domain.counts - sums(counts.value, counts.count, len(domain.counts))
    values = np.flatnonzero(rest)
    number = counts.block.max(initial=0) + 1
    return ValueCounts(
        np.append(counts.block, np.full(len(values), number)),
        np.append(counts.value, values),
        np.append(counts.count, rest[values]),
    )


def _worse(
    name: str, one: Fraction | float | None, other: Fraction | float | None
) -> Fraction | float | None:
    assert one is not None
    assert other is not None
    return min(one, other) if name == ENTROPY else max(one, other)
