"""Finding out of every node of a lattice whether it keeps to a target."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.analysis import Search
from microleak.attacks.smallest_protection.definitions.nodes import (
    Flags,
    coarser,
    finer,
    maximal,
    not_dominated,
)
from microleak.attacks.smallest_protection.definitions.own_record import (
    Counts,
    Whole,
    least_of_finer,
    most_of_coarser,
    own_record,
)
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.kernels.kinds import choices_of
from microleak.kernels.left_out import left_out
from microleak.kernels.risks import Risks, risks
from microleak.kernels.walk import Work
from microleak.records.lattice import Lattice
from microleak.records.memory import Memory

ALL_TOLD = 2_000
"""Nodes up to which the table has all of them."""

EVERY = 30_000
"""Nodes of a lattice up to which each is counted, so that the frontier is whole."""

LEFT_ABOVE, FEW = 12, 300
"""Of so many nodes in question one may lose more than those that are counted next, or
two, four and so on while all of them hold; few are all counted."""

AT_FIRST = 64
"""Nodes of which is counted at first what the own record adds; then twice as many."""

Integers = NDArray[np.int64]


@dataclass
class Known:
    """What is known of the nodes over some QIDs, all others on their last level.

    Bounds are monotone, but for that of what the own record adds; without one, every
    node is `within` it.

    Attributes
    ----------
    places
        The QIDs, as places among those of the lattice.
    keeps, breaks
        Nodes known to keep to all monotone bounds, and to break one of them.
    counted
        Those of them that were counted.
    within, beyond
        Nodes of which it follows that the own record adds little enough, as at all
        coarser ones; or too much, as at all finer ones.
    little, much
        Those of which it was counted, and follows of no other node.
    """

    places: tuple[int, ...]
    keeps: Flags
    breaks: Flags
    counted: Flags
    within: Flags
    beyond: Flags
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


def _nothing(lattice: Lattice, places: tuple[int, ...], is_within: bool) -> Known:
    shape = tuple(lattice.shape[q] for q in places)
    keeps, breaks, counted, beyond, little, much = (
        np.zeros(shape, dtype=np.bool_) for _ in range(6)
    )
    within = np.full(shape, is_within)
    return Known(places, keeps, breaks, counted, within, beyond, little, much)


class Decisions:
    """A search under way.

    Attributes
    ----------
    known
        What is known by each set of QIDs that the adversary may know.
    loss
        What each node loses, by the lattice's shape.
    """

    def __init__(
        self,
        lattice: Lattice,
        analysis: Search,
        loss: NDArray[np.float64],
        memory: Memory,
    ) -> None:
        self.lattice = lattice
        self.loss = loss
        self.n_records = lattice.records.n_records
        self._target = analysis.target
        self.known = [
            _nothing(lattice, places, self._target.own_record is None)
            for places in analysis.known
        ]
        self._memory = memory
        self._numbers = np.empty(0, dtype=np.int64)
        self._risks: list[NDArray[Any]] = []
        self._n_above = 1
        self._left_out: dict[int, list[Counts]] = {}

    def decide(self) -> None:
        """Find out of every node whether it keeps to the target.

        Of what the own record adds this is not found out of nodes that lose more than
        the answer, unless a table shows them.

        Raises
        ------
        TableError
            If no node does.
        """
        self._check_reached()
        self._decide_monotone()
        if self._target.own_record is not None:
            self._decide_own()

    def numbers(self, known: Known, nodes: Flags) -> Integers:
        """Return the lattice's numbers of some nodes over some QIDs."""
        levels = [np.full(nodes.sum(), n - 1) for n in self.lattice.shape]
        for q, level in zip(known.places, np.nonzero(nodes), strict=True):
            levels[q] = level
        return np.ravel_multi_index(tuple(levels), self.lattice.shape)

    def risks(self, nodes: Integers) -> Risks:
        """Return the risks of some nodes, given by numbers; in their order.

        None is counted twice.
        """
        new = np.setdiff1d(nodes, self._numbers)
        if len(new):
            sets = self.lattice.sets(new)
            wanted, place = np.unique(sets, return_inverse=True)
            records = self.lattice.records
            with progress("counting nodes", records.n_records * len(wanted)) as advance:
                found = risks(records, wanted, self._work(advance))
            self._keep(new, [column[place] for column in vars(found).values()])
        place = np.searchsorted(self._numbers, nodes)
        return Risks(*(column[place] for column in self._risks))

    def _keep(self, nodes: Integers, found: list[NDArray[Any]]) -> None:
        """Keep what was counted of nodes, in the order of all their numbers."""
        numbers = np.concatenate([self._numbers, nodes])
        order = np.argsort(numbers)
        before = self._risks or [column[:0] for column in found]
        self._numbers = numbers[order]
        self._risks = [
            np.concatenate(pair)[order] for pair in zip(before, found, strict=True)
        ]

    def own_records(self, nodes: Integers) -> list[list[Fraction]]:
        """Return what the own record adds at some nodes, to each sensitive attribute.

        Of none without a bound of it.
        """
        if self._target.own_record is None:
            return [[] for _ in nodes]
        return [
            [own_record(*pair) for pair in zip(self._whole, counts, strict=True)]
            for counts in self._others(nodes)
        ]

    def _others(self, nodes: Integers) -> list[list[Counts]]:
        """Return what is counted of others at some nodes, each counted once."""
        asked = [node for node in set(nodes.tolist()) if node not in self._left_out]
        if asked:
            sets = self.lattice.sets(np.array(asked))
            wanted, place = np.unique(sets, return_inverse=True)
            records = self.lattice.records
            n_walked = records.n_records * len(wanted) * len(records.sensitive)
            with progress("counting nodes", n_walked) as advance:
                work = self._work(advance)
                each = [
                    list(left_out(records, s, wanted, work))
                    for s in range(len(records.sensitive))
                ]
            for node, at in zip(asked, place.tolist(), strict=True):
                self._left_out[node] = [found[at] for found in each]
        return [self._left_out[node] for node in nodes.tolist()]

    def _work(self, advance: Any) -> Work:
        return self._memory.work(self.lattice.records, advance)

    def _decide_monotone(self) -> None:
        """Find out which nodes keep to the monotone bounds, in rounds.

        Nodes of all sets of QIDs are counted in one walk. One that keeps to the bounds
        decides all coarser ones, and one that does not all finer ones.
        """
        while asked := self._undecided():
            numbers = [self.numbers(*pair) for pair in asked]
            distinct, place = np.unique(np.concatenate(numbers), return_inverse=True)
            found = self.risks(distinct)
            ends = np.cumsum([len(each) for each in numbers])[:-1]
            keeps = np.split(self._keeps(found)[place], ends)
            within = np.split(self._is_within(found)[place], ends)
            for (known, nodes), here, own in zip(asked, keeps, within, strict=True):
                known.counted |= nodes
                known.keeps |= coarser(_at(nodes, here))
                known.breaks |= finer(_at(nodes, ~here))
                known.within |= coarser(_at(nodes, own))
            have_held = all(here.all() for here in keeps)
            self._n_above = min(2 * self._n_above, LEFT_ABOVE // 2) if have_held else 1

    def _undecided(self) -> list[tuple[Known, Flags]]:
        """Return nodes that are to be counted, of each set of QIDs, if there are any.

        Of a small lattice all. Of a larger one those that are told and the coarsest,
        and then, of those in question that lose no more than one that holds, the
        coarsest below some loss: where one of them holds, what loses more does not
        matter any more, and where all fail, nothing below has to be counted. Few nodes
        are left above it, as coarse ones have few rows.
        """
        if sum(each.keeps.size for each in self.known) <= EVERY:
            return [(each, each.unknown) for each in self.known if each.unknown.any()]
        is_open = self._in_question(self._told) & ~self._by_all("keeps")
        lost = np.sort(self.loss[is_open])
        is_all = len(lost) <= FEW
        if not len(self._numbers):
            is_all = True
            is_open &= self._told
            is_open.flat[-1] = True
        elif not is_all:
            is_open &= self.loss <= lost[-1 - self._n_above * len(lost) // LEFT_ABOVE]
        asked = []
        for known in self.known:
            nodes = known.unknown & np.any(is_open, self._others_of(known))
            asked.append((known, nodes if is_all else maximal(nodes)))
        return [(known, nodes) for known, nodes in asked if nodes.any()]

    def _in_question(self, told: Flags) -> Flags:
        """Return what may hold, and is told or loses no more than a node that does."""
        least = self.loss[self.kept].min(initial=np.inf)
        found: Flags = (self.loss <= least) | told
        return found & self._by_all("may_hold")

    def _others_of(self, known: Known) -> tuple[int, ...]:
        """Return the places of the other QIDs."""
        return tuple({*range(self.loss.ndim)} - {*known.places})

    def _keeps(self, found: Risks) -> NDArray[np.bool_]:
        """Say of each node whether it keeps to all bounds that are monotone."""
        target, n = self._target, self.n_records

        def most(share: str | None) -> int:
            """Return the most records that a share allows; all without one."""
            return n if share is None else int(Fraction(share) * n)

        is_kept = found.smallest >= (target.k or 1)
        is_kept &= found.n_alone <= most(target.alone)
        is_kept &= found.n_blocks <= most(target.reidentified)
        is_kept &= (found.n_certain <= most(target.certain)).all(axis=1)
        is_kept &= (found.n_modal <= most(target.inferred)).all(axis=1)
        is_kept &= (found.least_distinct >= (target.l or 1)).all(axis=1)
        return is_kept

    def _is_within(self, found: Risks) -> NDArray[np.bool_]:
        """Say of each node whether the own record adds little at all coarser ones."""
        if self._target.own_record is None:
            return np.ones(len(found.n_modal), dtype=np.bool_)
        bound = Fraction(self._target.own_record)
        return np.array(
            [
                all(
                    most_of_coarser(whole, n_right) <= bound
                    for whole, n_right in zip(self._whole, of_node, strict=True)
                )
                for of_node in found.n_modal.tolist()
            ]
        )

    @cached_property
    def _whole(self) -> list[Whole]:
        return [
            Whole(self.n_records, max(counts), choices_of(counts))
            for counts in (v.counts.tolist() for v in self.lattice.records.sensitive)
        ]

    def _decide_own(self) -> None:
        """Count what the own record adds, where no bound tells and it matters.

        Nodes that lose least are counted first. One that loses more than one that holds
        cannot be the answer.
        """
        n_at_once = AT_FIRST
        while asked := self._asked(n_at_once):
            nodes = np.unique(np.concatenate([self.numbers(*pair) for pair in asked]))
            self._others(nodes)
            for known, flags in asked:
                self._note_own(known, flags)
            n_at_once *= 2

    def _note_own(self, known: Known, nodes: Flags) -> None:
        """Note what was counted of others at some nodes."""
        bound = Fraction(self._target.own_record or 0)
        counted = self._others(self.numbers(known, nodes))
        pairs = [list(zip(self._whole, counts, strict=True)) for counts in counted]
        is_little = [all(own_record(*p) <= bound for p in each) for each in pairs]
        is_beyond = [any(least_of_finer(*p) > bound for p in each) for each in pairs]
        known.counted |= nodes
        known.little |= _at(nodes, np.array(is_little))
        known.much |= _at(nodes, ~np.array(is_little))
        known.beyond |= finer(_at(nodes, np.array(is_beyond)))

    def _asked(self, n_at_once: int) -> list[tuple[Known, Flags]]:
        """Return nodes that are to be counted, of each set of QIDs, if there are any.

        These are projections of nodes that may hold and lose no more than the least
        that is known to hold, or that a table shows.
        """
        wanted = self._in_question(self.shown) & ~self.kept
        found = []
        for known in self.known:
            axes = self._others_of(known)
            is_open = np.any(wanted, axes) & known.keeps & ~(known.holds | known.fails)
            if is_open.any():
                cost = np.min(np.where(wanted, self.loss, np.inf), axes)[is_open]
                most = np.partition(cost, min(n_at_once, len(cost)) - 1)
                is_first = cost <= most[min(n_at_once, len(cost)) - 1]
                found.append((known, _at(is_open, is_first)))
        return found

    @cached_property
    def _told(self) -> Flags:
        """Nodes that a table shows whatever is found: of few nodes all.

        Of more the release and single changes.
        """
        shape = self.lattice.shape
        if self.lattice.n_nodes <= ALL_TOLD:
            return np.ones(shape, dtype=np.bool_)
        found = np.zeros(shape, dtype=np.bool_)
        for axis in range(len(shape)):
            found[tuple(slice(None) if q == axis else 0 for q in range(len(shape)))] = 1
        return found

    @cached_property
    def shown(self) -> Flags:
        """Nodes that a table shows whatever they lose: these and the frontier."""
        found = self._told.copy()
        found.flat[self.frontier] = True
        return found

    @cached_property
    def frontier(self) -> Integers:
        """Nodes with fewer alone than any of no more loss that was counted.

        None of several sets.
        """
        if len(self.known) > 1:
            return np.empty(0, dtype=np.int64)
        counted = np.union1d(self._numbers, np.flatnonzero(self._told))
        best = not_dominated(self.risks(counted).n_alone, self.loss.flat[counted])
        return counted[best]

    def _by_all(self, name: str) -> Flags:
        """Return the nodes that are flagged by each of the sets of QIDs."""
        kept = np.ones(self.lattice.shape, dtype=np.bool_)
        for known in self.known:
            shape = [1] * kept.ndim
            for q in known.places:
                shape[q] = kept.shape[q]
            kept &= getattr(known, name).reshape(shape)
        return kept

    @property
    def kept(self) -> Flags:
        """Nodes known to keep to the target by each of the sets of QIDs."""
        return self._by_all("holds")

    def _check_reached(self) -> None:
        """Refuse bounds that are not kept to even without any QID, as one block.

        All nodes are finer.
        """
        n, target = self.n_records, self._target
        sensitive = [values.counts for values in self.lattice.records.sensitive]
        n_distinct = [int(np.count_nonzero(counts)) for counts in sensitive]
        least = {"k": n, "l": min(n_distinct, default=n)}
        most = {
            "alone": int(n == 1),
            "reidentified": 1,
            "certain": n * (1 in n_distinct),
            "inferred": max((int(counts.max()) for counts in sensitive), default=0),
        }
        missed = [
            f"{name} at least {bound} (without any QID it is {best:,})"
            for name, best in least.items()
            if (bound := getattr(target, name)) is not None and best < bound
        ]
        missed += [
            f"{name} at most {bound} (without any QID it is {n_best / n:.6g})"
            for name, n_best in most.items()
            if (bound := getattr(target, name)) is not None
            and n_best > Fraction(bound) * n
        ]
        if missed:
            raise TableError(
                f"{self._memory.where}: no combination of levels keeps to target. It "
                f"cannot reach {', '.join(missed)}. Correct this in target."
            )


def _at(nodes: Flags, values: NDArray[np.bool_]) -> Flags:
    """Return flags at some nodes, False elsewhere."""
    found = np.zeros_like(nodes)
    found[nodes] = values
    return found
