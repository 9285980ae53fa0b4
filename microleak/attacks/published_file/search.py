"""What each set of facts finds of some people in a published file."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.published_file.blocks import (
    Covered,
    KnownAttribute,
    ValueEntries,
    entries_of,
)
from microleak.attacks.published_file.kernels import score_guesses, score_others
from microleak.base.arrays import Integers, QidMask
from microleak.base.progress import Advance
from microleak.definitions.exact import sum_of_ratios
from microleak.kernels.divided import Numbers
from microleak.records.subsets import SubsetTree, most_identifying_first, with_qid

Flags = NDArray[np.bool_]


class Guessed(NamedTuple):
    """A sensitive attribute, its values by rank, and which of these are near others."""

    people: Numbers
    published: Numbers  # -1 where a cell is suppressed
    within: tuple[Integers, Integers]  # The lowest and the highest rank near each
    n_ranks: int


@dataclass(frozen=True)
class KnownPeople:
    """People of whom facts are known: the originals, or a control."""

    attributes: Sequence[KnownAttribute]
    guessed: Sequence[Guessed]
    n: int
    n_published: int
    own: Integers | None = None
    """Attributes, as a bit mask, in which the published record that was made of a
    person's covers it; none where nobody knows which one was."""
    is_published: bool = True  # Whether the file was made of them


class Guesses(NamedTuple):
    """How often a guess at a sensitive attribute is right."""

    n_claims: int
    n_claims_right: int
    n_right: Fraction
    # Guesses from all others' records, and claims that hold which these do not make;
    # of the originals alone
    n_right_by_others: Fraction
    n_beyond_others: int


class SetFound(NamedTuple):
    """What one set of facts finds."""

    n_alone: int
    n_singled_out: int
    # People whom exactly one published record covers, by how many that one covers
    n_covered: Integers
    one_candidate: Integers
    # People by their number of candidates, from 0
    n_candidates: Integers
    n_people: Integers
    n_rightly_one: int | None
    guesses: Sequence[Guesses]

    @property
    def n_with_candidate(self) -> int:
        return int(self.n_people[self.n_candidates > 0].sum())


def look_at(
    people: KnownPeople,
    subsets: Collection[QidMask],
    n_threads: int,
    look: Callable[[QidMask, Covered], None],
) -> None:
    """Look at each set of facts, several at once; those of a thread one by one."""
    order = most_identifying_first([each.n_values for each in people.attributes])
    whole = Covered.by_nothing(people.attributes, people.n, people.n_published)

    def visit(subset: QidMask, covered: Covered) -> Covered:
        look(subset, covered)
        return covered

    tree = SubsetTree(order, visit)
    with ThreadPoolExecutor(n_threads) as pool:
        tasks, left = [], {*subsets}
        for place in order:
            wanted = with_qid(left, place)
            left -= wanted
            if wanted:
                first = whole.split(place)
                tasks.append(pool.submit(tree.descend, first, 1 << place, wanted))
        for task in tasks:
            task.result()


def found_by(
    people: KnownPeople,
    subsets: Collection[QidMask],
    n_threads: int,
    advance: Advance,
) -> tuple[dict[QidMask, SetFound], Integers]:
    """Return what each set finds, and people by the fewest facts that single them out.

    Those whom no set singles out are not among these.
    """
    knowing_nothing = [_knowing_nothing(each) for each in people.guessed]
    found: dict[QidMask, SetFound] = {}
    never = len(people.attributes) + 1
    fewest = np.full(people.n, never, dtype=np.int8)
    lock = Lock()

    def look(subset: QidMask, covered: Covered) -> None:
        rows = covered.singled_out
        of_set = _found(people, subset, covered, knowing_nothing)
        with lock:
            found[subset] = of_set
            fewest[rows] = np.minimum(fewest[rows], subset.bit_count())
        advance(people.n)

    look_at(people, subsets, n_threads, look)
    return found, np.bincount(fewest, minlength=never)[:never]


def candidates_by(
    people: KnownPeople, subsets: Collection[QidMask], n_threads: int
) -> dict[QidMask, Integers]:
    found: dict[QidMask, Integers] = {}

    def look(subset: QidMask, covered: Covered) -> None:
        found[subset] = covered.candidates

    look_at(people, subsets, n_threads, look)
    return found


class Copies(NamedTuple):
    """Of each person whether a record has or covers it, and whether it is alone."""

    exact: Flags
    all_but_one: Flags  # Of all attributes, or of all but one
    rare: Flags


def copies_of(people: KnownPeople, n_threads: int) -> Copies:
    """Return who has a published record that agrees in all that is known, or nearly."""
    places = range(len(people.attributes))
    every = (1 << len(places)) - 1
    found = Copies(*np.zeros((3, people.n), dtype=np.bool_))
    lock = Lock()

    def look(subset: QidMask, covered: Covered) -> None:
        is_covered = covered.candidates > 0
        with lock:
            found.all_but_one[:] |= is_covered
        if subset == every:
            found.exact[:] = is_covered
            found.rare[covered.alone] = True

    subsets = {every, *(every & ~(1 << place) for place in places)} - {0}
    look_at(people, subsets, n_threads, look)
    return found


def _found(
    people: KnownPeople,
    subset: QidMask,
    covered: Covered,
    knowing_nothing: Sequence[tuple[tuple[Integers, Integers], ...]],
) -> SetFound:
    rightly = None
    if people.own is not None:
        is_own = people.own & subset == subset
        rightly = int(np.count_nonzero((covered.candidates == 1) & is_own))
    return SetFound(
        len(covered.alone),
        len(covered.singled_out),
        *_occurring(covered.by_covered()),
        *_occurring(covered.by_candidates()),
        rightly,
        [
            _guesses(people, covered, guessed, of_none)
            for guessed, of_none in zip(people.guessed, knowing_nothing, strict=True)
        ],
    )


def _occurring(n: Integers) -> tuple[Integers, Integers]:
    """Return the numbers that occur, ascending, and how many have each."""
    each = np.flatnonzero(n)
    return each, n[each]


def _knowing_nothing(guessed: Guessed) -> tuple[tuple[Integers, Integers], ...]:
    """Return how many best guesses are right, of how many, by rank.

    From the whole published file, and from all other people.
    """
    n_ranks = guessed.n_ranks
    every = np.arange(n_ranks)
    in_one = np.zeros_like
    file = entries_of(in_one(guessed.published), guessed.published, n_ranks)
    n_published = np.array([len(guessed.published)])
    asked = (in_one(every), every)
    of_file = score_guesses(file.arranged(1), n_published, guessed.within, asked)[:2]
    own = entries_of(in_one(guessed.people), guessed.people, n_ranks)
    found = score_others(own.arranged(1), guessed.within)[:2]
    of_others = np.zeros((2, n_ranks), dtype=np.int64)
    of_others[:, own.ranks] = found
    return of_file, (of_others[0], of_others[1])


def _guesses(
    people: KnownPeople,
    covered: Covered,
    guessed: Guessed,
    knowing_nothing: tuple[tuple[Integers, Integers], ...],
) -> Guesses:
    of_file, of_others = knowing_nothing
    ranks, n_ranks = guessed.people, guessed.n_ranks
    # Of a pair the one record is all that is known; whoever is alone has no others.
    rows, theirs = covered.pairs
    guess, true = guessed.published[theirs], ranks[rows]
    low, high = guessed.within
    is_told = guess >= 0
    n_right = int(
        np.count_nonzero(is_told & (low[true] <= guess) & (guess <= high[true]))
    )
    others = covered.others
    own = entries_of(covered.own[others], ranks[others], n_ranks)
    place, entries, n_candidates = covered.guessed(guessed.published, n_ranks)
    asked = (place[own.blocks], own.ranks)
    right, best, is_claim = score_guesses(
        entries.arranged(len(n_candidates)), n_candidates, guessed.within, asked
    )
    holds = is_claim & (right == best)
    # Those of whom nothing is told are guessed as if no fact were known.
    lost = np.bincount(ranks, minlength=n_ranks)
    lost -= np.bincount(true[is_told], minlength=n_ranks)
    lost -= np.bincount(own.ranks[best > 0], own.n[best > 0], n_ranks).astype(np.int64)
    found = Guesses(
        n_claims=int(np.count_nonzero(is_told)) + int(own.n[is_claim].sum()),
        n_claims_right=n_right + int(own.n[holds].sum()),
        n_right=n_right + _expected(own.n, right, best) + _expected(lost, *of_file),
        n_right_by_others=Fraction(0),
        n_beyond_others=0,
    )
    if not people.is_published:
        return found
    is_shared = own.blocks < covered.n_shared
    shared = ValueEntries(*(each[is_shared] for each in own))
    right, best, agree = score_others(shared.arranged(covered.n_shared), guessed.within)
    is_taught = np.zeros_like(holds)
    is_taught[is_shared] = agree & (right == best)
    alone = np.bincount(ranks[covered.alone], minlength=n_ranks)
    return found._replace(
        n_right_by_others=_expected(shared.n, right, best)
        + _expected(alone, *of_others),
        n_beyond_others=n_right + int(own.n[holds & ~is_taught].sum()),
    )


def _expected(n: Integers, right: Integers, best: Integers) -> Fraction:
    """Return how many guesses are right on average, each of the best alike likely."""
    is_right = right > 0
    return sum_of_ratios((n * right)[is_right], best[is_right])
