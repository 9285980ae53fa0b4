"""What a sample gives away about who is in it, to somebody who knows QIDs roughly."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from microleak.attacks.membership.definitions.rough_membership import (
    RoughMembership,
    sum_of_squares,
)
from microleak.attacks.membership.measure import TABLES, compared_by
from microleak.attacks.membership.section import Membership
from microleak.base.arrays import Integers, QidMask
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums
from microleak.records.chunks import Given
from microleak.records.compared import MARK, both_of
from microleak.records.memory import Memory
from microleak.records.rough import RoughRecords, places_of, rough_records
from microleak.records.subsets import names_of
from microleak.tables.rows import as_table


def rough_membership(
    population: Given, sample: Given, analysis: Membership, resources: Resources
) -> pd.DataFrame:
    """Return the success of the collective attack, as the table `rough_membership`."""
    compared = analysis.compared
    memory = Memory(resources, f"analysis {analysis.name!r}")
    n_columns = len(compared.attributes) + 1
    both = both_of(population, sample, compared, memory.rows_a_chunk(n_columns))
    memory = memory.for_chunks(n_columns * both.most_rows)
    records = rough_records(both, analysis.qids, [MARK], analysis.roughly, memory)
    found = []
    with progress("weighing what is known", len(compared.subsets)) as advance:
        for subset in compared.subsets:
            found.append((subset, _measured(records.known_by(subset))))
            advance(1)
    n_both = both.population.n_rows, both.sample.n_rows
    return as_table(TABLES["rough_membership"], _rows(found, n_both, analysis))


def _measured(records: RoughRecords) -> RoughMembership:
    n_records = records.rows.n_records
    is_sampled = records.rows.others[0] == 1
    of_both = np.where(is_sampled, [[0], [1]], [[1], [0]]) * n_records
    n_population, n_sample = of_both.sum(axis=1).tolist()
    n, d = _by(*places_of(records.rows.qids), of_both)
    place, _ = places_of(records.rows.qids)
    # Of the population's records with these values, those that the sample has.
    n_found = np.where(is_sampled, 0, np.minimum(n, d)[place])
    squares, sure, right, claimed, claimed_right = Fraction(0), 0, 0, 0, 0
    for known in records.known():
        weighed = of_both[:, known.row] * known.weights
        all_n, all_d = _by(known.y, known.n, weighed)
        each = _presence(all_n, all_d)
        squares, sure, right = squares + each[0], sure + each[1], right + each[2]
        is_claimed = np.zeros(len(known.row), dtype=np.bool_)
        for told in records.at_face_value(known):
            like_n, like_d = _by(told.block, told.n_blocks, of_both)
            is_present = (like_n > 0) & (like_d >= like_n)
            is_claimed[told.asked] = is_present[told.found]
        claimed += int(weighed[0][is_claimed].sum())
        claimed_right += int((n_found[known.row] * known.weights)[is_claimed].sum())
    exact_squares, exact_sure, exact_right = _presence(n, d)
    of_sample, of_population = (
        Fraction(1, number * records.denominator) for number in (n_sample, n_population)
    )
    return RoughMembership(
        prior=Fraction(n_sample, n_population),
        posterior_person=squares * of_sample,
        posterior_person_exact=exact_squares / n_sample,
        certain=sure * of_sample,
        certain_exact=Fraction(exact_sure, n_sample),
        bayes_prior=Fraction(max(n_sample, n_population - n_sample), n_population),
        bayes_posterior=right * of_population,
        bayes_posterior_exact=Fraction(exact_right, n_population),
        claimed=claimed * of_population,
        claimed_right=claimed_right * of_population,
    )


def _by(place: Integers, n_places: int, both: Integers) -> tuple[Integers, Integers]:
    """Return the sums of both tables' numbers by place."""
    n, d = (kind_sums(place, each, n_places) for each in both)
    return n, d


def _presence(n: Integers, d: Integers) -> tuple[Fraction, int, int]:
    """Return the sum of chances, and the weights of who is certain and told right."""
    found = np.minimum(n, d)
    is_certain = (n > 0) & (d >= n)
    right = int(np.maximum(found, n - found).sum())
    return sum_of_squares(found, n), int(found[is_certain].sum()), right


def _rows(
    found: list[tuple[QidMask, RoughMembership]],
    n_both: tuple[int, int],
    analysis: Membership,
) -> Iterator[dict[str, Any]]:
    shares = TABLES["rough_membership"].saying("share")
    for subset, measured in found:
        names = names_of(subset, analysis.qids)
        exact = {name: getattr(measured, name) for name in shares}
        yield {
            **compared_by(analysis.compared, names, n_both),
            "roughly": "|".join(name for name in names if name in analysis.roughly),
            **{n: None if x is None else float(x) for n, x in exact.items()},
        }
