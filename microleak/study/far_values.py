"""Which sensitive values are farthest from a table's, and marks that find them.

Both distances of t-closeness (`microleak.attacks.distances`) are convex in a block's
shares: no block is farther than a *pure* one, of only one value, of the farthest of
its values would be. So a pure block of the farthest value of all decides t, and if
there is one of another value, only blocks with a value that is farther still can
be farther. Walking the records with such values marked says which pure blocks there
are (decision 8).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.kinds import sums
from microleak.attacks.profile import BlockProfile, Counts
from microleak.kernels.records import Codes, Records, Values

T_EQUAL, T_ORDERED = "t_equal", "t_ordered"

MARKED_RECORDS = (1, 1_000, 100_000)
"""Records that the farthest values are to have together, to be marked together."""


@dataclass(frozen=True)
class Domain:
    """Values of a sensitive attribute in the whole table.

    Attributes
    ----------
    counts
        Records of each value, from 1, by its code.
    has_order
        Whether codes are in an order of the values that means something.
    """

    counts: Counts
    has_order: bool

    @property
    def n_records(self) -> int:
        """Records of the table."""
        return int(self.counts.sum())

    @cached_property
    def distances(self) -> dict[str, Counts]:
        """Distance of a pure block of each value, times its `scale`."""
        found = {T_EQUAL: self.n_records - self.counts}
        return found | ({T_ORDERED: self._moved} if self.has_order else {})

    def scale(self, distance: str) -> int:
        """Return by what the distances of pure blocks are to be divided, from 1."""
        n_steps = max(1, len(self.counts) - 1) if distance == T_ORDERED else 1
        return self.n_records * n_steps

    @property
    def _moved(self) -> Counts:
        """Records that are to be moved past each rank to have one value only."""
        up_to = np.cumsum(self.counts)[:-1]
        above = np.cumsum(self.n_records - up_to)
        below = np.append(0, np.cumsum(up_to))
        moved: Counts = below + above[-1:].sum() - np.append(0, above)
        return moved


@dataclass(frozen=True)
class Mark:
    """Values of one sensitive attribute that are marked together.

    Attributes
    ----------
    sensitive
        Position of the attribute in the analysis.
    is_member
        Whether a value is one of them, by its code.
    """

    sensitive: int
    is_member: NDArray[np.bool_]

    def has_pure_block(self, profile: BlockProfile) -> bool:
        """Say whether some block has only one value, one of those that are marked.

        Of several values together it is known of blocks of one record only.
        """
        is_pure = profile.modal_count == profile.block_size
        if self.is_member.sum() > 1:
            is_pure &= profile.block_size == 1
        return bool(is_pure.any())


Marked = tuple[Mark, BlockProfile]
"""A mark, and the profile of its members."""


def marks_of(domains: Sequence[Domain]) -> list[Mark]:
    """Return what to mark of each sensitive attribute, in their order.

    Of an attribute with two values the first, so that the marks tell all of it; of
    others, by each distance, the farthest values that have some numbers of records.
    """
    return [
        Mark(i, np.array(is_member))
        for i, domain in enumerate(domains)
        for is_member in dict.fromkeys(_marked(domain))
    ]


def _marked(domain: Domain) -> Iterator[tuple[bool, ...]]:
    if len(domain.counts) == 2:
        yield True, False
        return
    for far in domain.distances.values():
        for threshold in _thresholds(far, domain.counts):
            yield tuple((far >= threshold).tolist())


def _thresholds(far: Counts, counts: Counts) -> list[int]:
    """Return how far values are at least that are marked together, descending.

    Values that are as far are in a mark together; one of all values says nothing.
    """
    each, kind = np.unique(-far, return_inverse=True)
    n_records = np.cumsum(sums(kind, counts, len(each)))
    places = np.unique(np.searchsorted(n_records, MARKED_RECORDS))
    return [-int(far) for far in each[places[places < len(each) - 1]]]


def marked_in(
    profiles: Mapping[int, BlockProfile], marks: Sequence[Mark]
) -> list[Marked]:
    """Return each mark with its profile, from those of a subset; marks come last."""
    first = len(profiles) - len(marks)
    return [(mark, profiles[first + i]) for i, mark in enumerate(marks)]


def with_marks(records: Records, marks: Sequence[Mark]) -> Records:
    """Return records with marked attributes after the sensitive ones."""
    n_given = len(records.qids) + len(records.sensitive)

    def source(name: int) -> int:
        """Return the number of the attribute whose codes an attribute is made of."""
        if name < n_given:
            return name
        return len(records.qids) + marks[name - n_given].sensitive

    def recoded(name: int, found: Codes) -> Codes:
        """Return of marks whether each record is a member, of others their codes."""
        if name < n_given:
            return found
        return marks[name - n_given].is_member.astype(np.uint8)[found]

    def chunk(i: int, names: Sequence[int]) -> list[Codes]:
        """Return the codes of the attributes wanted in the i-th chunk."""
        sources = list(dict.fromkeys(map(source, names)))
        found = dict(zip(sources, records.chunk(i, sources), strict=True))
        return [recoded(name, found[source(name)]) for name in names]

    marked = [_values(mark, records.sensitive[mark.sensitive]) for mark in marks]
    return replace(records, sensitive=[*records.sensitive, *marked], chunk=chunk)


def _values(mark: Mark, values: Values) -> Values:
    n_members = values.counts[mark.is_member].sum()
    counts = np.array([values.counts.sum() - n_members, n_members])
    return Values(counts, is_marked=True)
