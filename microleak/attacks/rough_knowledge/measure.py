"""Attacks by what is known roughly, from one record a person to the table."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.rough_knowledge.definitions import RoughSuccess
from microleak.attacks.rough_knowledge.section import RoughKnowledge
from microleak.base.arrays import Integers, QidMask
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums, largest_by
from microleak.records.chunks import Given
from microleak.records.memory import Memory
from microleak.records.rough import RoughlyKnown, RoughRecords, places_of, rough_records
from microleak.records.subsets import names_of, which
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.rough_knowledge")


def rough_table(
    people: Given, analysis: RoughKnowledge, resources: Resources
) -> pd.DataFrame:
    # Rows are in the order of the attacks (re-identification first) and of the subsets.
    memory = Memory(resources, f"analysis {analysis.name!r}")
    names = (*analysis.qids, *analysis.sensitive)
    chunks, memory = memory.chunks(people, len(names))
    records = rough_records(
        chunks, analysis.qids, analysis.sensitive, analysis.roughly, memory
    )
    found: dict[tuple[int, QidMask], RoughSuccess] = {}
    with progress("weighing what is known", len(analysis.subsets)) as advance:
        for subset in analysis.subsets:
            successes = _successes(records.known_by(subset))
            for attack, success in enumerate(successes):
                found[attack, subset] = success
            advance(1)
    return as_table(
        TABLES["rough_knowledge"], _rows(found, records.n_records, analysis)
    )


def _successes(records: RoughRecords) -> Iterator[RoughSuccess]:
    """Yield the success of re-identification, and of each inference."""
    n = records.n_records
    n_attacks = 1 + len(records.rows.others)
    weighed = np.zeros((n_attacks, 4), dtype=np.int64)
    for known in records.known():
        for attack in range(n_attacks):
            weighed[attack] += _weighed(records, attack, known)
    place, n_blocks = places_of(records.rows.qids)
    for attack in range(n_attacks):
        certain, right, claimed, claimed_right = (
            Fraction(int(each), n * records.denominator) for each in weighed[attack]
        )
        is_certain, _ = _certain(records, place, n_blocks, attack)
        n_certain = int(records.rows.n_records[is_certain[place]].sum())
        n_right = _n_right(records, place, n_blocks, attack)
        yield RoughSuccess(
            prior_prob=_prior(records, attack),
            posterior_det=certain,
            posterior_prob=right,
            posterior_det_exact=Fraction(n_certain, n),
            posterior_prob_exact=Fraction(n_right, n),
            claimed=claimed,
            claimed_right=claimed_right,
        )


def _prior(records: RoughRecords, attack: int) -> Fraction:
    if not attack:
        return Fraction(1, records.n_records)
    codes = records.rows.others[attack - 1]
    counts = kind_sums(codes, records.rows.n_records, int(codes.max()) + 1)
    return Fraction(int(counts.max()), records.n_records)


def _n_right(records: RoughRecords, place: Integers, n_blocks: int, attack: int) -> int:
    """Return the records that are guessed right where all QIDs are known exactly."""
    if not attack:
        return n_blocks
    both, n = places_of([place, records.rows.others[attack - 1]])
    counts = kind_sums(both, records.rows.n_records, n)
    block = np.zeros(n, dtype=np.int64)
    block[both] = place
    return int(largest_by(block, counts, n_blocks).sum())


def _certain(
    records: RoughRecords, place: Integers, n_blocks: int, attack: int
) -> tuple[NDArray[np.bool_], Integers]:
    """Return the blocks that the adversary is certain of, and the values."""
    # For re-identification the value is the row.
    rows = records.rows
    value = np.zeros(n_blocks, dtype=np.int64)
    if not attack:
        value[place] = np.arange(len(place))
        return kind_sums(place, rows.n_records, n_blocks) == 1, value
    codes = rows.others[attack - 1]
    value[place] = codes
    is_certain = np.zeros(n_blocks, dtype=np.bool_)
    is_certain[place] = True
    is_certain[place[codes != value[place]]] = False
    return is_certain, value


def _claims(
    records: RoughRecords, known: RoughlyKnown, attack: int
) -> tuple[NDArray[np.bool_], Integers]:
    """Return the things known that give certainty, and of which value."""
    is_claimed = np.zeros(len(known.row), dtype=np.bool_)
    claimed = np.zeros(len(known.row), dtype=np.int64)
    for each in records.at_face_value(known):
        is_certain, value = _certain(records, each.block, each.n_blocks, attack)
        is_claimed[each.asked] = is_certain[each.found]
        claimed[each.asked] = value[each.found]
    return is_claimed, claimed


def _weighed(records: RoughRecords, attack: int, known: RoughlyKnown) -> Integers:
    """Return the weights of certain, right, claimed, and claimed rightly."""
    y, n = known.y, known.n
    of_row = records.rows.n_records[known.row]
    by_records = known.weights * of_row
    is_claimed, claimed = _claims(records, known, attack)
    if attack:
        codes = records.rows.others[attack - 1][known.row]
        both, n_both = places_of([y, codes])
        of = np.zeros(n_both, dtype=np.int64)
        of[both] = y
        n_values = np.bincount(of, minlength=n)
        right = largest_by(of, kind_sums(both, by_records, n_both), n).sum()
        is_certain = n_values[y] == 1
        is_right = is_claimed & (claimed == codes)
    else:
        right = largest_by(y, known.weights, n).sum()
        is_certain = kind_sums(y, of_row, n)[y] == 1
        is_right = is_claimed & (claimed == known.row)
    parts = (is_certain, is_claimed, is_right)
    certain, claims, rightly = (int(by_records[each].sum()) for each in parts)
    return np.array([certain, int(right), claims, rightly], dtype=np.int64)


def _rows(
    found: Mapping[tuple[int, QidMask], RoughSuccess],
    n_records: int,
    analysis: RoughKnowledge,
) -> Iterator[dict[str, Any]]:
    for attack, sensitive in enumerate(("", *analysis.sensitive)):
        for subset in analysis.subsets:
            names = names_of(subset, analysis.qids)
            success = found[attack, subset]
            shares = (*vars(success), "claims_that_hold")
            exact = {name: getattr(success, name) for name in shares}
            yield {
                **which(analysis, names),
                "roughly": "|".join(n for n in names if n in analysis.roughly),
                "sensitive": sensitive,
                "n_records": n_records,
                **{n: None if x is None else float(x) for n, x in exact.items()},
            }
