"""The records of two releases in buckets, and what their links were learnt to be."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.linkage.blocks import (
    CODE,
    ROW,
    WORD,
    Bucket,
    Drifting,
    bucket_of,
    is_new,
    put_releases,
)
from microleak.attacks.linkage.definitions.quality import BY_CHANCE
from microleak.attacks.linkage.kernels.matching import pair_chances
from microleak.attacks.linkage.kernels.pairs import LEAST
from microleak.attacks.linkage.section import IDENTIFIERS, Linkage
from microleak.attacks.linkage.shares import Shares, shares_of, with_pairs
from microleak.attacks.linkage.together import together_of
from microleak.attacks.linkage.transitions import (
    PAIRS_TO_LEARN,
    Learnt,
    counted,
    estimated,
    overlap_otherwise,
)
from microleak.attacks.linkage.words import Both
from microleak.base.arrays import BitWords, Floats, Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.kernels.spilled_rows import Buckets, NewShelf

FEWEST = 6
"""Others who agree that an excess takes at least; a pair of people has two of them."""

HARMLESS = 1e-4
"""Others who agree unexpectedly, a record, that are not looked into."""


def refined(
    both: Both, bucket: Bucket, shares: Shares, transition: str
) -> tuple[Shares, str, float]:
    """Try pairs of parents of attributes in which people of a block agree too often.

    Return shares, the attributes of the largest excess that is left, and this excess.
    """
    names = both.drifting.names
    untried = set(range(len(names)))
    while True:
        excess = excess_of(bucket.drifting, shares)
        places = untried.intersection(chain.from_iterable(excess))
        if not places:
            break
        shares = with_pairs(both, shares, sorted(places), transition)
        bucket = bucket.with_shares(shares)
        untried -= places
    most = max(excess, key=lambda each: float(f"{excess[each]:.9g}"), default=())
    return shares, "|".join(names[place] for place in most), excess.get(most, 0.0)


def excess_of(rows: Drifting, shares: Shares) -> dict[tuple[int, ...], float]:
    """Return the excess agreement by the places of the attributes that it is in.

    In each, in all but one together (nobody's parent), and in all, beyond chance.
    """
    word, n_records = shares.drifting, rows.blocks.n_auxiliary
    codes = word.codes(rows.auxiliary)
    of_others = np.maximum(rows.shares - rows.of_one, 0) / np.maximum(
        1 - rows.of_one, LEAST
    )
    block = rows.block
    n_others = float(n_records @ (np.bincount(block, n_records)[block] - 1))

    def together(places: Sequence[int]) -> BitWords:
        if not places:
            return np.zeros_like(rows.auxiliary)
        return word.only(places).packed([codes[place] for place in places])

    found: dict[tuple[int, ...], float] = {}
    for places, parents in _asked(len(codes), shares.drifting_parents).items():
        group = _numbered(block, together(parents))
        share: Floats = of_others[[*places]].prod(axis=0)
        if more := _more(n_records, group, together(places), share):
            found[places] = more / n_others
    return found


def _asked(
    n: int, parents: Mapping[int, tuple[int, ...]]
) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Return in which attributes agreement is counted, and among whom alike in what."""
    every = tuple(range(n))
    needed = {*chain.from_iterable(parents.values())}
    but_one = (tuple(p for p in every if p != one) for one in {*every} - needed)
    each = {(place,): parents.get(place, ()) for place in every}
    return each | {places: () for places in (*but_one, every) if len(places) > 1}


def _more(n_records: Integers, group: Integers, own: BitWords, share: Floats) -> float:
    """Return how many others of their groups agree beyond their share and chance."""
    n_group, n_alike = (
        np.bincount(kind, n_records)[kind] for kind in (group, _numbered(group, own))
    )
    n_likely = (n_group - 1) * share
    found = float((n_records * (n_alike - 1 - n_likely)).sum())
    mean = np.bincount(group, n_records * n_likely)[group] / n_group
    # Of a pair who agree or not, for both, and of how common the others' values are.
    variance = 2 * n_likely * (1 - share) + (n_likely - mean) ** 2
    error = float((n_records * variance).sum()) ** 0.5
    n_harmless = HARMLESS * float(n_records.sum())
    is_so = found > max(BY_CHANCE * error, n_harmless) and round(found) >= FEWEST
    return found if is_so else 0.0


def _numbered(first: Integers, second: BitWords) -> Integers:
    """Return numbers of rows, from 0, by their values in two columns."""
    order = np.lexsort((second, first))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.cumsum(is_new(first[order], second[order])) - 1
    return found


FoundType = TypeVar("FoundType")

MOST_WEIGHED = 1 << 27
"""Pairs of rows that differ, of the blocks of a bucket."""


class Linked:
    """The records of two releases in buckets, and what the links were learnt to be.

    A `panel` gets the QIDs that the auxiliary release has of each person, by focal row.
    """

    def __init__(
        self,
        both: Both,
        analysis: Linkage,
        new_shelf: NewShelf,
        n_threads: int,
        panel: BitWords | None = None,
    ) -> None:
        self._analysis = analysis
        self._n_threads = n_threads
        self._n_in_group = both.n_in_group
        n_rows = both.focal.chunks.n_rows + both.auxiliary.chunks.n_rows
        self.buckets = Buckets.of(n_rows)
        record: list[np.dtype[Any]] = [WORD, WORD, WORD, ROW]
        codes = [CODE for _ in analysis.sensitive]
        self._shelves = [new_shelf([*record, *codes]), new_shelf(record)]
        together = together_of(both, analysis.transition)
        with progress("sorting records into blocks", n_rows) as advance:
            put_releases(
                *(both, analysis.sensitive, self.buckets, self._shelves, n_threads),
                (together, panel),
            )
            advance(n_rows)
        self.shares = shares_of(both, together)
        self._first: dict[int, Bucket] = {}
        n_first = self._take_first()
        single, first = self.shares, self._first[0]
        self.shares, self.excess_attribute, self.excess_agreement = refined(
            both, first, single, analysis.transition
        )
        if self.shares is not single:
            shares = self.shares
            self._first = {n: b.with_shares(shares) for n, b in self._first.items()}
        buckets = [self._first[number] for number in range(n_first)]
        self.learnt: Learnt
        self.overlap_otherwise: float | None = None
        if analysis.transition == IDENTIFIERS:
            self.learnt = counted(both, buckets)
        else:
            parents = self.shares.drifting_parents
            self.learnt = estimated(both, buckets, parents, n_threads)
            self.overlap_otherwise = overlap_otherwise(both, buckets, parents)

    def _take_first(self) -> int:
        n_pairs = n_first = 0
        with ThreadPoolExecutor(self._n_threads) as pool:
            for begin in range(0, len(self.buckets), self._n_threads):
                end = min(begin + self._n_threads, len(self.buckets))
                # All threads take: a few buckets may be more than are learnt from.
                taken = pool.map(self._taken, range(begin, end))
                self._first |= dict(zip(range(begin, end), taken, strict=True))
                for number in range(begin, end):
                    n_first += 1
                    n_pairs += int(self._first[number].blocks.first_pair[-1])
                    if n_pairs >= PAIRS_TO_LEARN:
                        return n_first
        return n_first

    def _taken(self, number: int) -> Bucket:
        bucket = bucket_of(self._shelves, number, self._n_in_group, self.shares)
        if int(bucket.blocks.first_pair[-1]) > MOST_WEIGHED:
            raise TableError(
                f"analysis {self._analysis.name!r}: records that agree in "
                f"{', '.join(self._analysis.stable)} are "
                f"{bucket.blocks.first_pair[-1]:,} pairs, more than the "
                f"{MOST_WEIGHED:,} that are weighed at once. Add attributes to "
                "stable, or remove some from drifting, in the study file."
            )
        return bucket

    def of_each(self, count: Callable[[Bucket], FoundType]) -> Iterator[FoundType]:
        """Yield what is counted of each bucket, in order; it can be called once."""

        def of_number(number: int) -> FoundType:
            bucket = self._first.pop(number, None)
            return count(self._taken(number) if bucket is None else bucket)

        with (
            progress("linking records", len(self.buckets)) as advance,
            ThreadPoolExecutor(self._n_threads) as pool,
        ):
            for found in pool.map(of_number, range(len(self.buckets))):
                advance(1)
                yield found

    def chances(self, bucket: Bucket) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the chance of each pair of rows, and which blocks' are exact."""
        transition, arrivals = self.learnt
        ratios = transition.ratios(bucket.drifting, arrivals.overlap)
        return pair_chances(
            bucket.blocks, ratios, arrivals.scales(bucket.blocks.sizes[0])
        )
