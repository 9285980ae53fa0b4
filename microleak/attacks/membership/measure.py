"""What a sample gives away about who is in it, and whether one person is, as tables."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.membership.definitions.membership import (
    CollectiveMembership,
    TargetMembership,
    collective_membership,
    membership,
    presence_in_population,
    presence_in_sample,
    sample_uniques,
)
from microleak.base.arrays import QidMask
from microleak.base.progress import Advance, progress
from microleak.definitions.exact import kind_sums
from microleak.definitions.overlap import Overlap, overlap
from microleak.definitions.profile import SuccessDistribution, success_bin
from microleak.records.chunks import Given
from microleak.records.compared import Compared, TablePart, both_of
from microleak.records.profile_file import read_profiles
from microleak.records.rough import Rough, Weighing
from microleak.records.subsets import names_of
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.membership")

_COUNTS = TABLES["membership"].saying("count")
_SHARES = TABLES["membership"].saying("share")


@dataclass(frozen=True)
class MembershipTables:
    """The tables of one analysis (docs/results.md describes their columns)."""

    membership: pd.DataFrame
    presence: pd.DataFrame
    uniques: pd.DataFrame


@dataclass(frozen=True)
class SubsetMeasured:
    """One subset: its blocks, and what they give away."""

    subset: QidMask
    both: Overlap
    found: CollectiveMembership


def membership_tables(profile: Path, compared: Compared) -> MembershipTables:
    """Return the success of the collective membership attack with each QID subset."""
    place = {subset: i for i, subset in enumerate(compared.subsets)}
    rows: dict[int, dict[str, Any]] = {}
    worst: dict[int, SubsetMeasured] = {}
    with progress("measuring membership", len(place)) as advance:
        for measured in _measured(profile, place):
            rows[place[measured.subset]] = _row(measured, compared)
            size = measured.subset.bit_count()
            worst[size] = max(
                worst.get(size, measured),
                measured,
                key=lambda each: (each.found.posterior_person, -place[each.subset]),
            )
            advance(1)
    shown = [worst[size] for size in sorted(worst)]
    return MembershipTables(
        TABLES["membership"].frame(rows[i] for i in range(len(rows))),
        TABLES["presence"].frame(_presence(shown, compared)),
        TABLES["uniques"].frame(_uniques(shown, compared)),
    )


def _measured(profile: Path, wanted: Iterable[QidMask]) -> Iterator[SubsetMeasured]:
    for subset, profiles in read_profiles(profile):
        if subset in wanted:
            both = overlap(profiles[0])
            yield SubsetMeasured(subset, both, collective_membership(both))


def _which(subset: QidMask, compared: Compared) -> dict[str, Any]:
    names = names_of(subset, compared.qids)
    return {**who(compared), "qids": "|".join(names), "n_qids": len(names)}


def who(compared: Compared) -> dict[str, str]:
    """Return the columns that say which sample and population are compared."""
    return {
        "analysis": compared.name,
        "population": compared.population.table,
        "population_release": compared.population.release,
        "sample": compared.sample.table,
        "sample_release": compared.sample.release,
    }


def _row(measured: SubsetMeasured, compared: Compared) -> dict[str, Any]:
    found = measured.found
    return {
        **_which(measured.subset, compared),
        **{name: getattr(found, name) for name in _COUNTS},
        **{name: float(getattr(found, name)) for name in _SHARES},
    }


def _presence(
    shown: Iterable[SubsetMeasured], compared: Compared
) -> Iterator[dict[str, Any]]:
    """Yield the persons of the sample, and of the population, in each bin of d/n."""
    for measured in shown:
        which = _which(measured.subset, compared)
        for persons_of, exact in (
            ("sample", presence_in_sample(measured.both)),
            ("population", presence_in_population(measured.both)),
        ):
            for number, n_records in _binned(exact).items():
                yield {
                    **which,
                    "persons_of": persons_of,
                    "bin": number,
                    "n_records": n_records,
                }


def _binned(exact: SuccessDistribution) -> Mapping[int, int]:
    """Return the persons of each bin that has some, ascending."""
    bins = success_bin(exact.numerator, exact.denominator)
    n_records = kind_sums(bins, exact.n_records, 101)
    return {number: int(n_records[number]) for number in np.unique(bins).tolist()}


def _uniques(
    shown: Iterable[SubsetMeasured], compared: Compared
) -> Iterator[dict[str, Any]]:
    """Yield how many sample uniques there are by the population's records they fit."""
    for measured in shown:
        blocks = sample_uniques(measured.both)
        which = _which(measured.subset, compared)
        order = np.argsort(blocks.n)
        pairs = zip(
            blocks.n[order].tolist(), blocks.n_blocks[order].tolist(), strict=True
        )
        for n_fitting, n_unique in pairs:
            yield {**which, "n_fitting": n_fitting, "n_sample_unique": n_unique}


RATIOS = (
    "prior",
    "posterior_printed",
    "degradation_printed",
    "posterior",
    "degradation",
    "bayes_prior",
    "bayes_posterior",
    "bayes_degradation",
)
COUNTS = ("n_population", "n_sample", "n", "d")


def attack_member(
    population: Given,
    sample: Given,
    compared: Compared,
    target: str,
    known: Mapping[str, str | None],
    roughly: Mapping[str, Rough],
) -> pd.DataFrame:
    """Attack one target, of whom the adversary asks whether the sample has them."""
    both = both_of(population, sample, compared)
    rough = {name: how for name, how in roughly.items() if name in known}
    weigh = Weighing(known, rough, both.n_rows, f"analysis {compared.name!r}")
    with progress("counting matches", both.n_rows) as advance:
        n, all_n = _matches(both.population, weigh, advance)
        d, all_d = _matches(both.sample, weigh, advance)
    found = membership(all_n, all_d, both.population.n_rows, both.sample.n_rows)
    row = {
        "target": target,
        **who(compared),
        "known": "|".join(known),
        "n_known": len(known),
        "roughly": "|".join(name for name in known if name in rough),
        "outcome": found.outcome,
        **dict(
            zip(COUNTS, (both.population.n_rows, both.sample.n_rows, n, d), strict=True)
        ),
        **{name: _ratio(found, name) for name in RATIOS},
    }
    return TABLES["member"].frame([row])


def _matches(part: TablePart, weigh: Weighing, advance: Advance) -> tuple[int, int]:
    """Count the records that may be meant, and add up their weights."""
    n = whole = 0
    for place in range(len(part.kept)):
        weights = weigh.records(pa.table(part.read(place, weigh.columns)))
        n += int((weights > 0).sum())
        whole += int(weights.sum())
        advance(len(weights))
    return n, whole


def _ratio(found: TargetMembership, name: str) -> float | None:
    exact: Fraction | None = getattr(found, name)
    return None if exact is None else float(exact)
