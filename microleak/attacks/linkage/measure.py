"""Links without an identifier, bucket by bucket, and what is learned by them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.linkage.blocks import CODE, WORD, Bucket
from microleak.attacks.linkage.definitions.quality import (
    BOUNDS,
    LIKELY,
    N_BINS,
    Quality,
    are_links,
    overlap_by_sizes,
    together,
)
from microleak.attacks.linkage.kernels.pairs import tally_chances, tally_pairs
from microleak.attacks.linkage.known import (
    LINKED,
    alone_on,
    guessed_alone,
    linked_in_groups,
    linked_on,
    put_alone,
    put_linked,
)
from microleak.attacks.linkage.linked import Linked
from microleak.attacks.linkage.section import ESTIMATED, Linkage
from microleak.attacks.linkage.transitions import Arrivals
from microleak.attacks.linkage.words import Both, both_of
from microleak.base.arrays import BitWords, Floats, Integers
from microleak.base.machine import Resources
from microleak.definitions.exact import kind_sums
from microleak.kernels.spilled_rows import Shelf
from microleak.records.alike import Word
from microleak.records.chunks import Given
from microleak.records.memory import Memory, full_disk_said
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of


def sizes_unlike(bucket: Bucket, arrivals: Arrivals) -> Floats:
    """Return what `overlap_by_sizes` takes of the blocks of a bucket."""
    n, m = (each.astype(np.float64) for each in bucket.blocks.sizes)
    new = arrivals.a_block + arrivals.a_record * n
    stays = arrivals.overlap * (1 - arrivals.overlap)
    variance = n * stays + new
    off = (m - n * arrivals.overlap - new) ** 2 - variance
    of_off = n * stays * (1 - 6 * stays) + new + 2 * variance**2
    return np.array([off.sum(), of_off.sum(), n.sum()])


def changed_in_links(
    bucket: Bucket, chances: Floats, scope: Integers, drifting: Word
) -> Integers:
    """Return in how many links each two attributes changed, or one beside itself."""
    pair = np.flatnonzero(chances > float(LIKELY))
    block, row, other = bucket.rows_of(pair)
    is_link = are_links(chances[pair], scope[block])
    rows = bucket.drifting
    before = drifting.codes(rows.focal[row[is_link]])
    after = drifting.codes(rows.auxiliary[other[is_link]])
    changed = (before != after).astype(np.int64)
    both: Integers = changed @ changed.T
    return both


TABLES = tables_of("microleak.attacks.linkage")

EXACT, BELIEVED = "exact", "believed"
SCOPES = (EXACT, BELIEVED)
"""Blocks whose chances are exact, and those that are left to belief propagation."""


@dataclass(frozen=True)
class Tally:
    """What is counted of the blocks of a bucket, of either scope."""

    # Focal and auxiliary records of the blocks, and focal persons whom both releases
    # identify, shape (2,)
    n_focal: Integers
    n_auxiliary: Integers
    n_true: Integers
    # Pairs of records by the bin of their chance, the sums of these chances, and pairs
    # of one person, shape (2, 10)
    n_pairs: Integers
    expected: Floats
    n_pairs_true: Integers
    # Pairs above one half, and those that are certain, shape (2, 2)
    called: Integers
    called_true: Integers
    # As `sizes_unlike` and `changed_in_links` have them
    unlike: Floats
    changed: Integers
    # Records guessed right by links, of each attack, and without them, by the focal
    # QIDs and by those of both releases, shape (2, n_attacks)
    linked: Floats
    alone: Integers

    def __add__(self, other: "Tally") -> "Tally":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        added = [one + another for one, another in pairs]
        return Tally(**dict(zip(vars(self), added, strict=True)))


def linkage_tables(
    focal: Given, auxiliary: Given, analysis: Linkage, resources: Resources
) -> dict[str, pd.DataFrame]:
    memory = Memory(resources, f"analysis {analysis.name!r}")
    with full_disk_said(memory.where, resources.scratch):
        both, memory = both_of(focal, auxiliary, analysis, memory)
        new_shelf = memory.new_shelf()
        n_threads = memory.resources.threads
        panel = np.zeros(both.focal.chunks.n_rows, dtype=np.uint64)
        linked = Linked(both, analysis, new_shelf, n_threads, panel)
        n_attacks = 1 + len(analysis.sensitive)
        elsewhere = None
        if not both.are_apart:
            alone = new_shelf([WORD, WORD, *(CODE for _ in analysis.sensitive)])
            elsewhere = [new_shelf(LINKED) for _ in range(n_attacks)], alone
        counting = _Counting(linked, both.drifting, panel, n_attacks, elsewhere)
        tally = counting.tallied(n_threads)
    n_both = both.focal.chunks.n_rows, both.auxiliary.chunks.n_rows
    rows = {
        "linkage": _linkage(tally, linked, n_both, analysis),
        "linkage_bins": _bins(tally, analysis),
        "linked_success": _success(tally, both, analysis),
    }
    return {name: as_table(TABLES[name], of_table) for name, of_table in rows.items()}


@dataclass(frozen=True)
class _Counting:
    """How blocks are counted, and where what is known in several of them is put."""

    linked: Linked
    drifting: Word
    panel: BitWords
    n_attacks: int
    elsewhere: tuple[Sequence[Shelf], Shelf] | None

    def tally(self, bucket: Bucket) -> Tally:
        blocks = bucket.blocks
        n_focal, n_auxiliary = blocks.sizes
        chances, is_exact = self.linked.chances(bucket)
        scope = (~is_exact).astype(np.int64)
        if self.elsewhere is None:
            linked = linked_in_groups(bucket, chances, self.n_attacks)
            alone = guessed_alone(bucket, self.panel)
        else:
            shelves, shelf = self.elsewhere
            put_linked(bucket, chances, self.linked.buckets, shelves)
            put_alone(bucket, self.panel, self.linked.buckets, shelf)
            linked = np.zeros(self.n_attacks)
            alone = np.zeros((2, self.n_attacks), dtype=np.int64)
        is_known = bucket.focal.person >= 0
        n_true = np.bincount(bucket.focal.block[is_known], minlength=len(scope))
        return Tally(
            n_focal=_by_scope(scope, n_focal),
            n_auxiliary=_by_scope(scope, n_auxiliary),
            n_true=_by_scope(scope, n_true),
            linked=linked,
            alone=alone,
            unlike=sizes_unlike(bucket, self.linked.learnt[1]),
            changed=changed_in_links(bucket, chances, scope, self.drifting),
            **_of_pairs(bucket, chances, scope),
        )

    def tallied(self, n_threads: int) -> Tally:
        found = reduce(add, self.linked.of_each(self.tally))
        if self.elsewhere is None:
            return found
        shelves, shelf = self.elsewhere
        numbers = range(len(self.linked.buckets))
        with ThreadPoolExecutor(n_threads) as pool:
            linked = [
                sum(pool.map(partial(linked_on, each, attack=attack), numbers))
                for attack, each in enumerate(shelves)
            ]
            alone = np.sum(list(pool.map(partial(alone_on, shelf), numbers)), axis=0)
        return replace(found, linked=np.array(linked), alone=alone)


def _by_scope(scope: Integers, numbers: Integers) -> Integers:
    return kind_sums(scope, numbers, len(SCOPES))


def _of_pairs(bucket: Bucket, chances: Floats, scope: Integers) -> dict[str, Any]:
    n_pairs, expected, called = tally_pairs(bucket.blocks, chances, scope, BOUNDS)
    block, pair = bucket.person_pairs
    n_true, _, called_true = tally_chances(chances[pair], scope[block], BOUNDS)
    return {
        "n_pairs": n_pairs,
        "expected": expected,
        "n_pairs_true": n_true,
        "called": called,
        "called_true": called_true,
    }


def _who(analysis: Linkage) -> dict[str, str]:
    return {
        "analysis": analysis.name,
        "table": analysis.table,
        "focal": analysis.focal,
        "auxiliary": analysis.linked,
    }


def _linkage(
    tally: Tally, linked: Linked, n_both: tuple[int, int], analysis: Linkage
) -> Iterator[dict[str, Any]]:
    parents = "|".join(f"{name}={each}" for name, each in linked.shares.parents.items())
    overlap, by_sizes = linked.learnt[1].overlap, None
    if analysis.transition == ESTIMATED:
        by_sizes = overlap_by_sizes(tally.unlike, overlap)
    n_links = int(tally.called[:, 0].sum())
    changed, share = together(n_links, tally.changed, linked.shares.drifting_parents)
    for scope, places in (("all", [0, 1]), (EXACT, [0]), (BELIEVED, [1])):
        n_focal = int(tally.n_focal[places].sum())
        if scope != "all" and n_focal in (0, int(tally.n_focal.sum())):
            continue
        n_links, n_certain = tally.called[places].sum(axis=0).tolist()
        n_auxiliary = int(tally.n_auxiliary[places].sum())
        yield {
            **_who(analysis),
            "stable": "|".join(analysis.stable),
            "drifting": "|".join(analysis.drifting),
            "recoded": "|".join(n for n in analysis.common if n in analysis.recoded),
            "transition": analysis.transition,
            "scope": scope,
            "overlap": overlap,
            "n_focal": n_focal,
            "n_auxiliary": n_both[1] if scope == "all" else n_auxiliary,
            "n_candidates": int(tally.n_pairs[places].sum()),
            "expected_links": float(tally.expected[places].sum()),
            "n_links": n_links,
            "n_certain": n_certain,
            "share_exact": float(
                Fraction(int(tally.n_focal[places[:1]].sum()), n_focal)
            )
            if scope == "all"
            else float(scope == EXACT),
            **_truth(tally, places, analysis),
            "parents": parents,
            "excess_agreement": linked.excess_agreement,
            "excess_attribute": linked.excess_attribute,
            "overlap_otherwise": linked.overlap_otherwise,
            "overlap_by_sizes": by_sizes,
            "changed_together": "|".join(analysis.drifting[i] for i in changed),
            "excess_changes": float(share),
        }


def _truth(tally: Tally, places: list[int], analysis: Linkage) -> dict[str, Any]:
    names = ("n_true", "n_right", "precision", "recall", "f1")
    if analysis.person_id is None:
        return dict.fromkeys(names)
    n_right = int(tally.called_true[places, 0].sum())
    n_true = int(tally.n_true[places].sum())
    quality = Quality(int(tally.called[places, 0].sum()), n_true, n_right)
    return {name: getattr(quality, name) for name in names}


def _bins(tally: Tally, analysis: Linkage) -> Iterator[dict[str, Any]]:
    for place in range(N_BINS):
        n_pairs = int(tally.n_pairs[:, place].sum())
        expected = float(tally.expected[:, place].sum())
        n_true = int(tally.n_pairs_true[:, place].sum())
        is_known = analysis.person_id is not None
        yield {
            **_who(analysis),
            "from_chance": place / N_BINS,
            "n_candidates": n_pairs,
            "expected_links": expected,
            "n_right": n_true if is_known else None,
            "mean_chance": expected / n_pairs if n_pairs else None,
            "share_right": n_true / n_pairs if n_pairs and is_known else None,
        }


def _success(tally: Tally, both: Both, analysis: Linkage) -> Iterator[dict[str, Any]]:
    n_records = both.focal.chunks.n_rows
    for attack, sensitive in enumerate(("", *analysis.sensitive)):
        alone, of_panel = (
            float(Fraction(int(n), n_records)) for n in tally.alone[:, attack]
        )
        # A sum of chances, which rounding must not take beyond what there is.
        expected = min(1.0, float(tally.linked[attack] / n_records))
        identified = None if both.partner is None else of_panel
        # No guess by links is worse than without them, or better than by who is who.
        most_linked = 1.0 if identified is None else identified
        linked = min(max(expected, alone), most_linked)
        most = int(both.focal.counts[sensitive].max()) if sensitive else 1
        yield {
            **_who(analysis),
            "qids": "|".join(analysis.qids),
            "n_qids": len(analysis.qids),
            "sensitive": sensitive,
            "n_records": n_records,
            "prior_prob": float(Fraction(most, n_records)),
            "posterior_prob_single": alone,
            "posterior_prob_linked": linked,
            "posterior_prob_identified": identified,
            "posterior_prob_expected": expected,
            "added_by_links": linked - alone,
            "added_by_identifier": None if identified is None else identified - linked,
        }
