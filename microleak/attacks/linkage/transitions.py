"""How values change between two releases, and how many persons are in both."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.linkage.blocks import Bucket, Drifting
from microleak.attacks.linkage.kernels.matching import exact_chances, sums_of
from microleak.attacks.linkage.kernels.pairs import (
    LEAST,
    factors_of,
    links_of,
    multiply_if_both,
    multiply_if_same,
    streams,
    sum_if_both,
    sum_if_same,
)
from microleak.attacks.linkage.together import CountedPairs, added_counts
from microleak.attacks.linkage.words import Both, read_words
from microleak.base.arrays import BitWords, Codes, Floats, Integers
from microleak.base.progress import Advance, progress
from microleak.records.alike import Word

PAIRS_TO_LEARN = 1 << 22
"""Pairs of rows from whose blocks the transition is estimated; those of small blocks,
which take longer and tell more, count as `_OF_SMALL`."""

_SMALL, _OF_SMALL = 8, 8

_STATES_TO_LEARN = 1 << 8
_MOST_ROUNDS, _ROUNDS_TO_FIT, _STILL = 50, 1000, 1e-5

FIRST_STAY = (0.1, 0.9)
"""Where the estimation begins: values that stay where their parent's has changed, and
elsewhere."""

FIRST_ARRIVALS = (0.5, 0.25, 0.5)
"""Where it begins for persons and newcomers."""

OTHER_ARRIVALS = (0.05, 0.25, 0.5)
"""Where it begins a second time, to see whether it ends where it did."""

_MOSTLY = 0.99
"""Share of the blocks of a size that have exact chances from which these are used."""


@dataclass(frozen=True)
class Arrivals:
    """Who is in both releases, and who is new: pi, alpha and beta of the model."""

    overlap: float
    a_block: float
    a_record: float

    def scales(self, n_focal: Integers) -> Floats:
        """Return what a ratio is multiplied by, pi / ((1 - pi) (alpha + beta n))."""
        new = np.maximum(self.a_block + self.a_record * n_focal, LEAST)
        scales: Floats = self.overlap / (max(1 - self.overlap, LEAST) * new)
        return scales

    @classmethod
    def fitted(cls, overlap: float, n_focal: Integers, new: Floats) -> "Arrivals":
        """Return what fits newcomers of blocks best, as two Poisson streams."""
        sizes, place = np.unique(n_focal, return_inverse=True)
        n_blocks = np.bincount(place)
        of_size = np.bincount(place, new)
        a_block, a_record = streams(n_blocks, sizes, of_size, _ROUNDS_TO_FIT)
        return cls(overlap, a_block, a_record)


@dataclass(frozen=True)
class Staying:
    """Values stay, or are drawn anew as strangers have them."""

    word: Word  # The drifting attributes as a number
    parents: Mapping[int, tuple[int, ...]]
    stay: Floats

    @property
    def is_used(self) -> NDArray[np.bool_]:
        """Which of the chances there are: without such a parent there is one."""
        is_used = np.ones(self.stay.shape, dtype=np.bool_)
        is_used[0] = [place in self.parents for place in range(len(self.stay[0]))]
        return is_used

    def ratios(self, rows: Drifting, overlap: float) -> Floats:
        """Return the product of stay [same] + (1 - stay) share, over others' share."""
        codes = self._codes(rows)
        ratios = np.ones(int(rows.blocks.first_pair[-1]))
        each_row = zip(rows.shares, rows.of_one, strict=True)
        for place, (shares, of_one) in enumerate(each_row):
            stay, of_partner = self.stay[:, [place]], overlap * of_one
            drawn = (1 - stay) * shares
            same, other = (
                each
                * np.maximum(1 - of_partner, LEAST)
                / np.maximum(shares - of_partner * each, LEAST)
                for each in (stay + drawn, drawn)
            )
            if place in self.parents:
                both = codes[place], self._of_parents(place, codes)
                multiply_if_both(rows.blocks, both, (same, other), ratios)
            else:
                multiply_if_same(rows.blocks, codes[place], (same[1], other[1]), ratios)
        return ratios

    def renewed(self, rows: Drifting, links: Floats) -> tuple[Floats, Floats]:
        """Return what fits expected links best, and how many each chance is of."""
        codes = self._codes(rows)
        n_links, n_kept = np.zeros(self.stay.shape), np.zeros(self.stay.shape)
        n_links[1] = links.sum()
        for place, shares in enumerate(rows.shares):
            stay = self.stay[:, [place]]
            kept = stay / np.maximum(stay + (1 - stay) * shares, LEAST)
            if place in self.parents:
                parent = self._of_parents(place, codes)
                every = np.ones_like(shares)
                n_same = sum_if_same(rows.blocks, parent, every, links)
                n_links[:, place] = n_links[1, place] - n_same, n_same
                both = codes[place], parent
                n_kept[:, place] = sum_if_both(rows.blocks, both, kept, links)
            else:
                each = codes[place], kept[1], links
                n_kept[1, place] = sum_if_same(rows.blocks, *each)
        n_links = np.maximum(n_links, 0)
        found = np.minimum(n_kept / np.maximum(n_links, LEAST), 1)
        return np.where(n_links > 0, found, self.stay), n_links

    def _codes(self, rows: Drifting) -> list[tuple[Codes, Codes]]:
        each = self.word.codes(rows.focal), self.word.codes(rows.auxiliary)
        return list(zip(*each, strict=True))

    def _of_parents(
        self, place: int, codes: Sequence[tuple[Codes, Codes]]
    ) -> tuple[BitWords, BitWords]:
        """Return what an attribute's parents have together, of either rows."""
        parents = self.parents[place]
        word = self.word.only(parents)
        focal, auxiliary = (
            word.packed([codes[parent][side] for parent in parents]) for side in (0, 1)
        )
        return focal, auxiliary


@dataclass(frozen=True)
class CountedChanges:
    """Values change as those of persons whom both releases identify."""

    word: Word
    # Of each attribute where the values begin that follow each focal one, these values,
    # sorted, and how likely they are
    firsts: Sequence[Integers]
    values: Sequence[NDArray[np.uint32]]
    chances: Sequence[Floats]

    def ratios(self, rows: Drifting, overlap: float) -> Floats:
        """Return the product of the counted chances over shares."""
        focal, auxiliary = self.word.codes(rows.focal), self.word.codes(rows.auxiliary)
        ratios = np.ones(int(rows.blocks.first_pair[-1]))
        each = zip(self.firsts, self.values, self.chances, strict=True)
        for place, known in enumerate(each):
            codes = focal[place], auxiliary[place]
            others = rows.shares[place], overlap * rows.of_one[place]
            ratios *= factors_of(rows.blocks, codes, known, others)
        return ratios


Learnt = tuple[Staying | CountedChanges, Arrivals]

Run = Callable[[Callable[..., Any], Iterable[Any]], Iterator[Any]]
"""Yields what a function returns of each, as `map` does."""


@dataclass(frozen=True)
class Believed:
    """What EM believes: a transition, and arrivals."""

    staying: Staying
    arrivals: Arrivals

    @property
    def numbers(self) -> Floats:
        """What is renewed, as one array."""
        staying = self.staying
        return np.array([*staying.stay[staying.is_used], *vars(self.arrivals).values()])

    def with_numbers(self, numbers: Floats) -> "Believed":
        """Return the same of other numbers."""
        *found, overlap, a_block, a_record = numbers.tolist()
        stay = self.staying.stay.copy()
        stay[self.staying.is_used] = found
        arrivals = Arrivals(overlap, a_block, a_record)
        return Believed(replace(self.staying, stay=stay), arrivals)


def estimated(
    both: Both,
    buckets: Sequence[Bucket],
    parents: Mapping[int, tuple[int, ...]],
    n_threads: int,
) -> Learnt:
    """Return the transition and arrivals that fit some blocks best, by EM.

    Two rounds tell the direction of a longer step (SQUAREM, Varadhan and Roland 2008),
    which is taken where it leads to numbers that can be.
    """
    learning = [*_learning(buckets)]
    believed = _begun(both, parents, FIRST_ARRIVALS)
    with (
        progress("learning how values change", 2 * _MOST_ROUNDS) as advance,
        ThreadPoolExecutor(n_threads) as pool,
    ):
        if len(learning) > 1:
            # One bucket tells nearly where the rounds over all of them end.
            believed = _fitted(believed, learning[:1], pool.map, advance)
        believed = _fitted(believed, learning, pool.map, advance)
    return believed.staying, believed.arrivals


def overlap_otherwise(
    both: Both, buckets: Sequence[Bucket], parents: Mapping[int, tuple[int, ...]]
) -> float:
    """Return the overlap that the first of some buckets has from `OTHER_ARRIVALS` on.

    Where nothing in the data tells persons of both releases from newcomers, it is not
    the overlap that is estimated.
    """
    believed = _begun(both, parents, OTHER_ARRIVALS)
    with progress("learning how values change", 2 * _MOST_ROUNDS) as advance:
        found = _fitted(believed, [*islice(_learning(buckets), 1)], map, advance)
    return found.arrivals.overlap


def _learning(buckets: Sequence[Bucket]) -> Iterator[Drifting]:
    learning = (b.drifting.where(kept) for b, kept in _to_learn(buckets))
    return (rows for rows in learning if len(rows.focal))


def _begun(
    both: Both, parents: Mapping[int, tuple[int, ...]], arrivals: tuple[float, ...]
) -> Believed:
    stay = np.tile(np.array(FIRST_STAY)[:, None], len(both.drifting.names))
    return Believed(Staying(both.drifting, parents, stay), Arrivals(*arrivals))


def _fitted(
    believed: Believed, learning: Sequence[Drifting], run: Run, advance: Advance
) -> Believed:
    """Return what is believed after rounds that hardly change it any more."""
    for n_rounds in range(_MOST_ROUNDS):
        once = _renewed(believed, learning, run)
        twice = _renewed(once, learning, run)
        advance(1)
        before, believed = twice, _stepped(believed, once, twice)
        if np.abs(twice.numbers - once.numbers).max() < _STILL:
            advance(_MOST_ROUNDS - n_rounds - 1)
            break
    return before


def _stepped(start: Believed, once: Believed, twice: Believed) -> Believed:
    change = once.numbers - start.numbers
    bend = twice.numbers - once.numbers - change
    length = np.linalg.norm(bend)
    if not length:
        return twice
    step = max(float(np.linalg.norm(change) / length), 1.0)
    found = start.numbers + 2 * step * change + step**2 * bend
    n_shares = len(found) - 2
    can_be = (found[:n_shares] < 1).all() and (found > 0).all()
    return start.with_numbers(found) if can_be else twice


def _to_learn(buckets: Sequence[Bucket]) -> list[tuple[Bucket, NDArray[np.bool_]]]:
    """Return which blocks of buckets are learnt from: all up to a number of records."""
    # How many there are in the auxiliary release does not decide which are taken.
    n_focal = [bucket.blocks.sizes[0] for bucket in buckets]
    n_pairs = [np.diff(bucket.blocks.first_pair) for bucket in buckets]
    of_size = np.bincount(np.concatenate(n_focal), np.concatenate(n_pairs))
    of_size[: _SMALL + 1] *= _OF_SMALL
    most = int(np.searchsorted(np.cumsum(of_size), PAIRS_TO_LEARN, side="right"))
    most = max(most - 1, int(np.concatenate(n_focal).min()))
    return [(b, n <= most) for b, n in zip(buckets, n_focal, strict=True)]


def _chances_to_learn(rows: Drifting, believed: Believed) -> Floats:
    """Return exact chances, or in large blocks those of each pair by itself.

    There each auxiliary record is of a focal one, whoever it is, with the same chance:
    a composite likelihood, which is right on average over all blocks of so many focal
    records, in a tenth of the time of belief. It is taken for all blocks of a size
    unless nearly all have exact chances: which have them depends on newcomers, too.
    """
    blocks = rows.blocks
    n_focal, n_auxiliary = blocks.sizes
    ratios = believed.staying.ratios(rows, believed.arrivals.overlap)
    scales = believed.arrivals.scales(n_focal)
    chances, is_exact = exact_chances(blocks, ratios, scales, _STATES_TO_LEARN)
    n_exact, n_blocks = np.bincount(n_focal, is_exact), np.bincount(n_focal)
    is_exact &= (n_exact >= _MOSTLY * n_blocks)[n_focal]
    prior = np.minimum(believed.arrivals.overlap / np.maximum(n_auxiliary, 1), 1)
    n_pairs = np.diff(blocks.first_pair)
    odds = ratios * np.repeat(prior / np.maximum(1 - prior, LEAST), n_pairs)
    return np.where(np.repeat(is_exact, n_pairs), chances, odds / (1 + odds))


def _renewed(believed: Believed, learning: Sequence[Drifting], run: Run) -> Believed:
    staying = believed.staying

    def of_rows(rows: Drifting) -> tuple[Floats, Floats, float, Integers, Floats]:
        n_focal, n_auxiliary = rows.blocks.sizes
        links = links_of(rows.blocks, _chances_to_learn(rows, believed))
        new = n_auxiliary - sums_of(links, rows.blocks.first_pair)
        return *staying.renewed(rows, links), float(links.sum()), n_focal, new

    stays, weights, n_links, sizes, new = zip(*run(of_rows, learning), strict=True)
    weight = np.sum(weights, axis=0)
    stay = np.sum(np.multiply(stays, weights), axis=0) / np.maximum(weight, LEAST)
    stay = np.where(weight > 0, stay, staying.stay)
    n_focal = np.concatenate(sizes)
    overlap = min(sum(n_links) / float(n_focal.sum()), 1.0)
    left = np.maximum(np.concatenate(new), 0)
    arrivals = Arrivals.fitted(overlap, n_focal, left)
    return Believed(replace(staying, stay=stay), arrivals)


def counted(both: Both, buckets: Sequence[Bucket]) -> Learnt:
    """Return the transition and arrivals of persons whom both releases identify."""
    n_linked, pairs = _pairs_of_persons(both)
    firsts, values, chances = [], [], []
    for (keys, counts), n_codes in zip(pairs, both.drifting.n_codes, strict=True):
        before, after = np.divmod(keys, n_codes)
        n_before = np.bincount(before, counts, minlength=n_codes)
        firsts.append(np.searchsorted(before, np.arange(n_codes + 1)))
        values.append(after.astype(np.uint32))
        chances.append(counts / n_before[before])
    overlap = n_linked / both.focal.chunks.n_rows
    arrivals = Arrivals.fitted(overlap, *_newcomers(buckets))
    return CountedChanges(both.drifting, firsts, values, chances), arrivals


def _newcomers(buckets: Sequence[Bucket]) -> tuple[Integers, Floats]:
    sizes, new = [], []
    for bucket in buckets:
        n_focal, n_auxiliary = bucket.blocks.sizes
        block, _ = bucket.person_pairs
        linked = np.bincount(block, minlength=len(n_focal))
        sizes.append(n_focal)
        new.append((n_auxiliary - linked).astype(np.float64))
    return np.concatenate(sizes), np.concatenate(new)


def _pairs_of_persons(both: Both) -> tuple[int, list[CountedPairs]]:
    assert both.partner is not None
    n = both.focal.chunks.n_rows
    stable, drifting = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    _note_partners(both, stable, drifting)
    is_known = np.zeros(n, dtype=np.bool_)
    is_known[both.partner[both.partner >= 0]] = True
    n_codes = both.drifting.n_codes
    found: list[CountedPairs] = [(np.empty(0, np.int64),) * 2 for _ in n_codes]
    n_before = n_linked = 0
    for words, _ in read_words(both, "focal", ()):
        rows = slice(n_before, n_before + len(words[0]))
        n_before += len(words[0])
        kept = is_known[rows] & (words[0] == stable[rows])
        n_linked += int(kept.sum())
        mine = both.drifting.codes(words[1][kept]).astype(np.int64)
        theirs = both.drifting.codes(drifting[rows][kept]).astype(np.int64)
        for place, n_values in enumerate(n_codes):
            keys = mine[place] * n_values + theirs[place]
            pairs = np.unique(keys, return_counts=True)
            found[place] = added_counts(found[place], pairs)
    return n_linked, found


def _note_partners(both: Both, stable: BitWords, drifting: BitWords) -> None:
    assert both.partner is not None
    n_before = 0
    for words, _ in read_words(both, "auxiliary", ()):
        rows = both.partner[n_before : n_before + len(words[0])]
        n_before += len(rows)
        stable[rows[rows >= 0]] = words[0][rows >= 0]
        drifting[rows[rows >= 0]] = words[1][rows >= 0]
