"""Finding out of every node of a lattice whether it keeps to a target."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from gettext import gettext as _
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.smallest_protection.definitions.nodes import (
    Flags,
    coarser,
    finer,
    maximal,
    not_dominated,
)
from microleak.attacks.smallest_protection.definitions.own_record import (
    Whole,
    least_of_finer,
    most_of_coarser,
    own_record,
)
from microleak.attacks.smallest_protection.kernels.left_out import left_out
from microleak.attacks.smallest_protection.kernels.risks import RiskRows, risks
from microleak.attacks.smallest_protection.lattice import Lattice
from microleak.attacks.smallest_protection.section import Search
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.kernels.kinds import choices_of
from microleak.kernels.walk import Work
from microleak.records.memory import Memory

LEFT_ABOVE, FEW = 12, 300
"""Of so many nodes in question one may lose more than those that are counted next, or
two, four and so on while all of them hold; few are all counted."""

AT_FIRST = 64
"""Nodes of which is counted at first what the own record adds; then twice as many."""

ALL_TOLD = 2_000  # Nodes up to which the table has all of them
EVERY = 30_000  # Nodes up to which each is counted, so that the frontier is whole
EVERY_OF_FEW, FEW_RECORDS = 200_000, 100_000  # The same of a release of so few records


def is_every_counted(n_nodes: int, n_records: int) -> bool:
    """Return whether all of so many nodes are counted, in a minute of a processor."""
    return n_nodes <= EVERY or (n_nodes <= EVERY_OF_FEW and n_records <= FEW_RECORDS)


def always_told(shape: tuple[int, ...]) -> Flags:
    """Return the nodes that are told whatever is found: of few nodes all."""
    # Of more the release and single changes.
    found = np.full(shape, np.prod(shape) <= ALL_TOLD)
    for axis in range(len(shape)):
        found[tuple(slice(None) if q == axis else 0 for q in range(len(shape)))] = True
    return found


class CountedNodes:
    """The numbers of nodes of a lattice that were asked for."""

    def __init__(self, lattice: Lattice, memory: Memory) -> None:
        self._lattice = lattice
        self._memory = memory
        self.nodes: Integers = np.empty(0, dtype=np.int64)
        self._risks: list[NDArray[Any]] = []
        self._others: dict[int, list[Integers]] = {}

    def risks(self, nodes: Integers) -> RiskRows:
        """Return the risks of some nodes, given by numbers; in their order."""
        new = np.setdiff1d(nodes, self.nodes)
        if len(new):
            sets = self._lattice.sets(new)
            wanted, place = np.unique(sets, return_inverse=True)
            records = self._lattice.records
            with progress("counting nodes", records.n_records * len(wanted)) as advance:
                found = risks(records, wanted, self._work(advance))
            self._keep(new, [column[place] for column in vars(found).values()])
        place = np.searchsorted(self.nodes, nodes)
        return RiskRows(*(column[place] for column in self._risks))

    def _keep(self, nodes: Integers, found: list[NDArray[Any]]) -> None:
        numbers = np.concatenate([self.nodes, nodes])
        order = np.argsort(numbers)
        before = self._risks or [column[:0] for column in found]
        self.nodes = numbers[order]
        self._risks = [
            np.concatenate(pair)[order] for pair in zip(before, found, strict=True)
        ]

    def others(self, nodes: Integers) -> list[list[tuple[Whole, Integers]]]:
        asked = [node for node in set(nodes.tolist()) if node not in self._others]
        if asked:
            sets = self._lattice.sets(np.array(asked))
            wanted, place = np.unique(sets, return_inverse=True)
            records = self._lattice.records
            n_walked = records.n_records * len(wanted) * len(records.sensitive)
            with progress("counting nodes", n_walked) as advance:
                work = self._work(advance)
                each = [
                    list(left_out(records, s, wanted, work))
                    for s in range(len(records.sensitive))
                ]
            for node, at in zip(asked, place.tolist(), strict=True):
                self._others[node] = [found[at] for found in each]
        return [
            list(zip(self.whole, self._others[node], strict=True))
            for node in nodes.tolist()
        ]

    def own_records(self, nodes: Integers) -> list[list[Fraction]]:
        return [[own_record(*pair) for pair in each] for each in self.others(nodes)]

    @cached_property
    def whole(self) -> Sequence[Whole]:
        """Each sensitive attribute in the whole table."""
        return [
            Whole(self._lattice.records.n_records, max(counts), choices_of(counts))
            for counts in (v.counts.tolist() for v in self._lattice.records.sensitive)
        ]

    def _work(self, advance: Any) -> Work:
        return self._memory.work(self._lattice.records, advance)


@dataclass
class KnownNodes:
    """What is known of the nodes over some QIDs, all others on their last level."""

    # A coarser node meets the bounds that a finer one meets. What the own record adds
    # goes up and down; where it has no bound, it adds little at every node.

    places: tuple[int, ...]  # The QIDs, as places among those of the lattice
    meets_bounds: Flags  # As do then all coarser nodes
    breaks_bounds: Flags  # As do then all finer nodes
    counted: Flags  # Nodes that were counted to know it
    adds_little_above: Flags  # The own record, at this and all coarser nodes
    adds_much_below: Flags  # At this and all finer nodes
    adds_little: Flags  # At this node, which tells nothing of others
    adds_much: Flags

    @property
    def unknown(self) -> Flags:
        """Nodes of which it is not known whether they keep to the monotone bounds."""
        return ~(self.meets_bounds | self.breaks_bounds)

    @property
    def holds(self) -> Flags:
        return self.meets_bounds & (self.adds_little_above | self.adds_little)

    @property
    def fails(self) -> Flags:
        return self.breaks_bounds | self.adds_much_below | self.adds_much

    @property
    def may_hold(self) -> Flags:
        """Nodes not known not to."""
        return ~self.fails

    @property
    def reasons(self) -> dict[str, Flags]:
        """Nodes by why they are decided, as table `cuts` calls it."""
        of_coarser = self.meets_bounds & self.adds_little_above
        of_finer = self.breaks_bounds | self.adds_much_below
        little, much = self.meets_bounds & self.adds_little, self.adds_much & ~of_finer
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
    """Return what is known at first of nodes over some QIDs of a lattice's shape."""
    # `is_within` says whether what the own record adds has no bound.
    shape = tuple(shape[q] for q in places)
    _, *names = (each.name for each in fields(KnownNodes))
    flags = {name: np.zeros(shape, dtype=np.bool_) for name in names}
    flags["adds_little_above"][...] = is_within
    return KnownNodes(places, **flags)


def flags_at(nodes: Flags, values: Flags) -> Flags:
    """Return flags at some nodes, in their order, False elsewhere.

    >>> flags_at(np.array([True, False, True]), np.array([False, True])).tolist()
    [False, False, True]
    """
    found = np.zeros_like(nodes)
    found[nodes] = values
    return found


class Decisions:
    """A search under way."""

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
            nothing_known(lattice.shape, places, self._target.own_record is None)
            for places in analysis.known
        ]
        self._where = memory.where
        self.counted = CountedNodes(lattice, memory)
        self._n_above = 1

    def decide(self) -> None:
        """Find out of every node whether it keeps to the target."""
        # Of what the own record adds this is not found out of nodes that lose more than
        # the answer, unless a table shows them.
        self._check_reached()
        # Which keep to the monotone bounds is found out in rounds, and in any case of
        # those that a table shows.
        while asked := self._nodes_to_count_next():
            have_held = self._count(asked)
            self._n_above = min(2 * self._n_above, LEFT_ABOVE // 2) if have_held else 1
        if self._by_all("meets_bounds").any():
            self._count(self._unknown(self.shown))
        if self._target.own_record is not None:
            self._decide_own()

    def numbers(self, known: KnownNodes, nodes: Flags) -> Integers:
        """Return the lattice's numbers of some nodes over some QIDs."""
        levels = [np.full(nodes.sum(), n - 1) for n in self.lattice.shape]
        for q, level in zip(known.places, np.nonzero(nodes), strict=True):
            levels[q] = level
        return np.ravel_multi_index(tuple(levels), self.lattice.shape)

    def own_records(self, nodes: Integers) -> list[list[Fraction]]:
        """Return what the own record adds at some nodes, to each sensitive attribute.

        Of none without a bound of it.
        """
        if self._target.own_record is None:
            return [[] for _ in nodes]
        return self.counted.own_records(nodes)

    def _unknown(self, nodes: Flags) -> list[tuple[KnownNodes, Flags]]:
        """Return what is not known of some nodes by each set of QIDs."""
        return [
            (known, known.unknown & np.any(nodes, self.others_of(known)))
            for known in self.known
        ]

    def _count(self, asked: list[tuple[KnownNodes, Flags]]) -> bool:
        """Count nodes over sets of QIDs, and return whether all of them hold."""
        # All are counted in one walk. One that keeps to the bounds decides all coarser
        # ones, and one that does not all finer ones.
        numbers = [self.numbers(*pair) for pair in asked]
        distinct, place = np.unique(np.concatenate(numbers), return_inverse=True)
        found = self.counted.risks(distinct)
        ends = np.cumsum([len(each) for each in numbers])[:-1]
        keeps = np.split(self._keeps(found)[place], ends)
        within = np.split(self._is_within(found)[place], ends)
        for (known, nodes), here, own in zip(asked, keeps, within, strict=True):
            known.counted |= nodes
            known.meets_bounds |= coarser(flags_at(nodes, here))
            known.breaks_bounds |= finer(flags_at(nodes, ~here))
            known.adds_little_above |= coarser(flags_at(nodes, own))
        return all(here.all() for here in keeps)

    def _nodes_to_count_next(self) -> list[tuple[KnownNodes, Flags]]:
        """Return nodes that are to be counted, of each set of QIDs, if there are any.

        Of a small lattice all. Of a larger one those that are told and the coarsest,
        and then, of those in question that lose no more than one that holds, the
        coarsest below some loss: where one of them holds, what loses more does not
        matter any more, and where all fail, nothing below has to be counted. Few nodes
        are left above it, as coarse ones have few rows.
        """
        n_nodes = sum(each.meets_bounds.size for each in self.known)
        if is_every_counted(n_nodes, self.n_records):
            return [(each, each.unknown) for each in self.known if each.unknown.any()]
        is_open = self._in_question(self._told) & ~self._by_all("meets_bounds")
        lost = np.sort(self.loss[is_open])
        is_all = len(lost) <= FEW
        if not len(self.counted.nodes):
            is_all = True
            is_open &= self._told
            is_open.flat[-1] = True
        elif not is_all:
            is_open &= self.loss <= lost[-1 - self._n_above * len(lost) // LEFT_ABOVE]
        asked = self._unknown(is_open)
        if not is_all:
            asked = [(known, maximal(nodes)) for known, nodes in asked]
        return [(known, nodes) for known, nodes in asked if nodes.any()]

    def _in_question(self, told: Flags) -> Flags:
        """Return what may hold, and is told or loses no more than a node that does."""
        least = self.loss[self.kept].min(initial=np.inf)
        found: Flags = (self.loss <= least) | told
        return found & self.may_hold

    def others_of(self, known: KnownNodes) -> tuple[int, ...]:
        """Return the places of all QIDs that are not known."""
        return tuple({*range(self.loss.ndim)} - {*known.places})

    def _keeps(self, found: RiskRows) -> NDArray[np.bool_]:
        """Return for each node whether it keeps to all bounds that are monotone."""
        target, n = self._target, self.n_records
        is_kept = found.smallest >= (target.k or 1)
        is_kept &= found.n_alone <= target.most("alone", n)
        is_kept &= found.n_blocks <= target.most("reidentified", n)
        is_kept &= (found.n_certain <= target.most("certain", n)).all(axis=1)
        is_kept &= (found.n_modal <= target.most("inferred", n)).all(axis=1)
        is_kept &= (found.least_distinct >= (target.l or 1)).all(axis=1)
        return is_kept

    def _is_within(self, found: RiskRows) -> NDArray[np.bool_]:
        """Return for each node whether the own record adds little at coarser ones."""
        if self._target.own_record is None:
            return np.ones(len(found.n_modal), dtype=np.bool_)
        bound = Fraction(self._target.own_record)
        return np.array(
            [
                all(
                    most_of_coarser(whole, n_right) <= bound
                    for whole, n_right in zip(self.counted.whole, of_node, strict=True)
                )
                for of_node in found.n_modal.tolist()
            ]
        )

    def _decide_own(self) -> None:
        """Count what the own record adds, where no bound tells and it matters."""
        # Nodes that lose least are counted first. One that loses more than one that
        # holds cannot be the answer.
        n_at_once = AT_FIRST
        while asked := self._cheapest_open_nodes(n_at_once):
            nodes = np.unique(np.concatenate([self.numbers(*pair) for pair in asked]))
            self.counted.others(nodes)
            for known, flags in asked:
                self._note_own(known, flags)
            n_at_once *= 2

    def _note_own(self, known: KnownNodes, nodes: Flags) -> None:
        bound = Fraction(self._target.own_record or 0)
        pairs = self.counted.others(self.numbers(known, nodes))
        is_little = [all(own_record(*p) <= bound for p in each) for each in pairs]
        is_beyond = [any(least_of_finer(*p) > bound for p in each) for each in pairs]
        known.counted |= nodes
        known.adds_little |= flags_at(nodes, np.array(is_little))
        known.adds_much |= flags_at(nodes, ~np.array(is_little))
        known.adds_much_below |= finer(flags_at(nodes, np.array(is_beyond)))

    def _cheapest_open_nodes(self, n_at_once: int) -> list[tuple[KnownNodes, Flags]]:
        """Return the cheapest nodes that are not decided, by set of QIDs, if any.

        They are projections of nodes that may meet the limit and lose no more than the
        least that is known to meet it, or that a table shows.
        """
        wanted = self._in_question(self.shown) & ~self.kept
        found = []
        for known in self.known:
            axes = self.others_of(known)
            is_open = (
                np.any(wanted, axes) & known.meets_bounds & ~(known.holds | known.fails)
            )
            if is_open.any():
                cost = np.min(np.where(wanted, self.loss, np.inf), axes)[is_open]
                most = np.partition(cost, min(n_at_once, len(cost)) - 1)
                is_first = cost <= most[min(n_at_once, len(cost)) - 1]
                found.append((known, flags_at(is_open, is_first)))
        return found

    @cached_property
    def _told(self) -> Flags:
        """Nodes that a table shows whatever is found."""
        return always_told(self.lattice.shape)

    @cached_property
    def frontier(self) -> Integers:
        """Nodes with fewer alone than any other that was counted of no more loss."""
        # All nodes are counted for it, or else it is that of those that are decided.
        nodes = np.arange(self.lattice.n_nodes)
        if not is_every_counted(self.lattice.n_nodes, self.n_records):
            is_known = self._by_all("meets_bounds") | ~self.may_hold
            nodes = np.union1d(self.counted.nodes, np.flatnonzero(self._told))
            nodes = nodes[is_known.flat[nodes]]
        n_alone = self.counted.risks(nodes).n_alone
        return nodes[not_dominated(n_alone, self.loss.flat[nodes])]

    @cached_property
    def shown(self) -> Flags:
        """Nodes that a table shows whatever they lose: these and the frontier."""
        found = self._told.copy()
        found.flat[self.frontier] = True
        return found

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

    @property
    def may_hold(self) -> Flags:
        """Nodes not known to break the target by one of the sets of QIDs."""
        return self._by_all("may_hold")

    def _check_reached(self) -> None:
        """Refuse bounds that are not kept to even without any QID, as one block."""
        # All nodes are finer.
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
            _("{name} at most {bound} (without any QID it is {best})").format(
                name=name, bound=bound, best=f"{n_best / n:.6g}"
            )
            for name, n_best in most.items()
            if (bound := getattr(target, name)) is not None
            and n_best > Fraction(bound) * n
        ]
        if missed:
            raise TableError(
                _(
                    "{where}: no combination of levels keeps to target. It cannot "
                    "reach {missed}. Correct this in target."
                ).format(where=self._where, missed=", ".join(missed))
            )
