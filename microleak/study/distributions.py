"""How sensitive values are distributed in the blocks of each QID subset.

Entropy and recursive l-diversity and t-closeness need all values of a block, of which
a block profile tells three numbers. Mostly these decide: of two values the marks
tell all, a block with one value has no diversity, and a pure block of the farthest
value is farther than all. What is left open is grouped again (`value_groups`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from microleak.attacks.distances import t_equal, t_ordered
from microleak.attacks.diversity import entropy_l, recursive_c
from microleak.attacks.exact import largest
from microleak.attacks.profile import BlockProfile, Counts
from microleak.attacks.value_counts import ValueCounts
from microleak.study.far_values import T_EQUAL, T_ORDERED, Domain, Marked

ENTROPY, RECURSIVE_2, RECURSIVE_3 = "l_entropy", "recursive_c_2", "recursive_c_3"

DIVERSITIES = (ENTROPY, RECURSIVE_2, RECURSIVE_3)

DISTANCES = {T_EQUAL: t_equal, T_ORDERED: t_ordered}

Measures = dict[str, Fraction | float | None]
"""Measures by the names of their columns; None where there is none, as no c will do."""


@dataclass(frozen=True)
class Decided:
    """What the profiles of a subset say of one sensitive attribute.

    Attributes
    ----------
    measures
        Those that are decided.
    reached
        How far some block is known to be, by each distance that is not decided, in
        the units of `Domain.distances`; -1 if no block has one value only. So it is
        of all distances if a diversity is not decided, and says nothing then.
    """

    measures: Measures
    reached: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_final(self) -> bool:
        """Whether nothing is left open."""
        return not self.reached


def decided(profile: BlockProfile, domain: Domain, marked: Sequence[Marked]) -> Decided:
    """Return what the profiles of a subset say of a sensitive attribute.

    Parameters
    ----------
    profile
        Of the attribute.
    domain
        Its values.
    marked
        Its marks (`microleak.study.far_values.marks_of`) and their profiles.
    """
    if len(domain.counts) == 2:
        ((_, members),) = marked
        return Decided(_of_two_values(members, domain))
    found = _diversity(profile)
    reached = _reached(profile, domain, marked)
    for name, at in domain.distances.items():
        if reached[name] == at.max():
            found[name] = Fraction(reached.pop(name), domain.scale(name))
    return Decided(found, reached)


def measured(counts: ValueCounts, names: Sequence[str]) -> Measures:
    """Return measures of blocks whose values are counted, by their names."""
    definitions = {
        ENTROPY: entropy_l,
        RECURSIVE_2: lambda counts: recursive_c(counts, 2),
        RECURSIVE_3: lambda counts: recursive_c(counts, 3),
        **DISTANCES,
    }
    return {name: definitions[name](counts) for name in names}


def _of_two_values(members: BlockProfile, domain: Domain) -> Measures:
    """Return all measures from the blocks' records with one of two values."""
    once = _two_values(members, np.ones_like(members.n_blocks))
    # Of equal blocks, which only the table's shares depend on, one has them all.
    every = _two_values(members, members.n_blocks)
    found = measured(once, DIVERSITIES)
    return found | measured(every, list(domain.distances))


def _two_values(members: BlockProfile, times: Counts) -> ValueCounts:
    """Count both values in one block of each kind, as often as `times` says."""
    first, all_records = members.modal_count * times, members.block_size * times
    both = np.concatenate([first, all_records - first])
    kinds = np.arange(len(times))
    block, value = np.tile(kinds, 2), np.repeat([0, 1], len(kinds))
    occurs = both > 0
    return ValueCounts(block[occurs], value[occurs], both[occurs])


def _diversity(profile: BlockProfile) -> Measures:
    """Return what follows from the least number of values of a block."""
    least = int(profile.n_distinct.min())
    if least == 1:
        return {ENTROPY: 1.0, RECURSIVE_2: None, RECURSIVE_3: None}
    rest = profile.block_size - profile.modal_count
    found: Measures = {RECURSIVE_2: largest((profile.modal_count, rest))}
    return found | ({RECURSIVE_3: None} if least == 2 else {})


def _reached(
    profile: BlockProfile, domain: Domain, marked: Sequence[Marked]
) -> dict[str, int]:
    """Return how far the farthest block is, at least, by each distance."""
    has_pure = bool((profile.n_distinct == 1).any())
    reached = {
        name: int(at.min()) if has_pure else -1 for name, at in domain.distances.items()
    }
    for mark, blocks in marked:
        if mark.has_pure_block(blocks):
            for name, at in domain.distances.items():
                reached[name] = max(reached[name], int(at[mark.is_member].min()))
    return reached
