"""What is known of nodes while a search is under way."""

from dataclasses import dataclass

import numpy as np

from microleak.attacks.smallest_protection.definitions.nodes import Flags


@dataclass
class KnownNodes:
    """What is known of the nodes over some QIDs, all others on their last level.

    Bounds are monotone, but for that of what the own record adds; without one, every
    node is `within` it.
    """

    places: tuple[int, ...]  # The QIDs, as places among those of the lattice
    # Nodes known to keep to all monotone bounds, and to break one of them
    keeps: Flags
    breaks: Flags
    counted: Flags  # Those of them that were counted
    # Nodes of which it follows that the own record adds little enough, as at all
    # coarser ones
    within: Flags
    beyond: Flags
    # Those of which it was counted, and follows of no other node
    little: Flags
    much: Flags

    @property
    def unknown(self) -> Flags:
        """Nodes of which it is not known whether they keep to the monotone bounds."""
        return ~(self.keeps | self.breaks)

    @property
    def holds(self) -> Flags:
        """Nodes known to keep to the target."""
        return self.keeps & (self.within | self.little)

    @property
    def fails(self) -> Flags:
        """Nodes known not to."""
        return self.breaks | self.beyond | self.much

    @property
    def may_hold(self) -> Flags:
        """Nodes not known not to."""
        return ~self.fails

    @property
    def reasons(self) -> dict[str, Flags]:
        """Nodes by why they are decided, as table `cuts` calls it."""
        of_coarser, of_finer = self.keeps & self.within, self.breaks | self.beyond
        little, much = self.keeps & self.little, self.much & ~of_finer
        return {
            "held": of_coarser & self.counted,
            "coarser": of_coarser & ~self.counted,
            "held_itself": little & ~of_coarser,
            "failed": of_finer & self.counted,
            "finer": of_finer & ~self.counted,
            "failed_itself": much,
            "dearer": ~(self.holds | self.fails),
        }


def nothing_known(
    shape: tuple[int, ...], places: tuple[int, ...], is_within: bool
) -> KnownNodes:
    """Return what is known at first of nodes over some QIDs of a lattice's shape.

    `is_within` says whether what the own record adds has no bound.
    """
    shape = tuple(shape[q] for q in places)
    keeps, breaks, counted, beyond, little, much = (
        np.zeros(shape, dtype=np.bool_) for _ in range(6)
    )
    within = np.full(shape, is_within)
    return KnownNodes(places, keeps, breaks, counted, within, beyond, little, much)


def flags_at(nodes: Flags, values: Flags) -> Flags:
    """Return flags at some nodes, in their order, False elsewhere.

    >>> flags_at(np.array([True, False, True]), np.array([False, True])).tolist()
    [False, False, True]
    """
    found = np.zeros_like(nodes)
    found[nodes] = values
    return found
