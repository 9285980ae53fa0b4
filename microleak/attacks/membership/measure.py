"""What a sample gives away about who is in it, and whether one person is, as tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.membership.definitions import membership as defined
from microleak.base.arrays import QidMask
from microleak.base.progress import Advance, progress
from microleak.definitions.exact import kind_sums
from microleak.definitions.overlap import Overlap, overlap
from microleak.definitions.profile import success_bin
from microleak.records.chunks import Given
from microleak.records.compared import (
    MARK,
    SAMPLED,
    BothChunks,
    Compared,
    TablePart,
    both_of,
)
from microleak.records.profile_file import read_profiles
from microleak.records.rough import Rough, Weighing
from microleak.records.subsets import names_of
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

_POPULATION, _SAMPLE = "population|", "sample|"


def of_population(attribute: str) -> str:
    """Return the name of an attribute as the population alone has it."""
    return _POPULATION + attribute


def of_sample(attribute: str) -> str:
    """Return the name of an attribute as the sample alone has it, in its own codes."""
    return _SAMPLE + attribute


class SidedChunks:
    """The records of a population, and then of its sample, with columns of one alone.

    These have the names of `of_population` and `of_sample`, and are missing in the
    records of the other.
    """

    def __init__(self, both: BothChunks) -> None:
        self._both = both
        self.n_rows = both.n_rows
        self.n_chunks = both.n_chunks
        self.most_rows = both.most_rows

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        own = [name for name in names if "|" not in name]
        found = self._both.read(chunk, [*own, SAMPLED])
        part, place = self._both.part_of(chunk)
        side = _SAMPLE if part.mark == MARK.values[0] else _POPULATION
        columns = {name: found[name] for name in found.column_names}
        for name in names:
            if name.startswith(side):
                columns[name] = part.own(place, name.removeprefix(side))
            elif name not in columns:
                codes = pa.nulls(len(found), pa.int32())
                texts = pa.array([""], pa.string())
                missing = pa.DictionaryArray.from_arrays(codes, texts)
                columns[name] = pa.chunked_array([missing])
        return pa.table({name: columns[name] for name in names})


TABLES = tables_of("microleak.attacks.membership")
_COUNTS = TABLES["membership"].saying("count")
_SHARES = TABLES["membership"].saying("share")


@dataclass(frozen=True)
class SubsetMeasured:
    """One subset: its blocks, and what they give away."""

    subset: QidMask
    both: Overlap
    found: defined.CollectiveMembership


def membership_tables(profile: Path, compared: Compared) -> dict[str, pd.DataFrame]:
    place = {subset: i for i, subset in enumerate(compared.subsets)}
    rows: dict[int, dict[str, Any]] = {}
    worst: dict[int, SubsetMeasured] = {}
    with progress("measuring membership", len(place)) as advance:
        for subset, profiles in read_profiles(profile):
            if subset not in place:
                continue
            both = overlap(profiles[0])
            found = defined.collective_membership(both)
            measured = SubsetMeasured(subset, both, found)
            rows[place[subset]] = {
                **_which(subset, compared),
                **{name: getattr(found, name) for name in _COUNTS},
                **{name: float(getattr(found, name)) for name in _SHARES},
            }
            size = subset.bit_count()
            worst[size] = max(
                worst.get(size, measured),
                measured,
                key=lambda each: (each.found.posterior_person, -place[each.subset]),
            )
            advance(1)
    shown = [worst[size] for size in sorted(worst)]
    tables = {
        "membership": (rows[i] for i in range(len(rows))),
        "presence": _presence(shown, compared),
        "uniques": _uniques(shown, compared),
    }
    return {name: as_table(TABLES[name], of_table) for name, of_table in tables.items()}


def _which(subset: QidMask, compared: Compared) -> dict[str, Any]:
    return compared_by(compared, names_of(subset, compared.qids))


def compared_by(
    compared: Compared, names: Sequence[str], n_both: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Return the columns that say what is compared, by which QIDs, and how many."""
    n_records = zip(COUNTS, n_both, strict=False)
    qids = {"qids": "|".join(names), "n_qids": len(names)}
    return {**who(compared), **qids, **dict(n_records)}


def who(compared: Compared) -> dict[str, str]:
    """Return the columns that say which sample and population are compared."""
    return {
        "analysis": compared.name,
        "population": compared.population.table,
        "population_release": compared.population.release,
        "sample": compared.sample.table,
        "sample_release": compared.sample.release,
    }


def _presence(
    shown: Iterable[SubsetMeasured], compared: Compared
) -> Iterator[dict[str, Any]]:
    """Yield the persons of the sample, and of the population, in each bin of d/n."""
    for measured in shown:
        which = _which(measured.subset, compared)
        for persons_of, exact in (
            ("sample", defined.presence_in_sample(measured.both)),
            ("population", defined.presence_in_population(measured.both)),
        ):
            bins = success_bin(exact.numerator, exact.denominator)
            n_records = kind_sums(bins, exact.n_records, 101)
            for number in np.unique(bins).tolist():
                of_bin = {"bin": number, "n_records": int(n_records[number])}
                yield {**which, "persons_of": persons_of, **of_bin}


def _uniques(
    shown: Iterable[SubsetMeasured], compared: Compared
) -> Iterator[dict[str, Any]]:
    """Yield how many sample uniques there are by the population's records they fit."""
    for measured in shown:
        blocks = defined.sample_uniques(measured.both)
        which = _which(measured.subset, compared)
        order = np.argsort(blocks.n)
        pairs = zip(
            blocks.n[order].tolist(), blocks.n_blocks[order].tolist(), strict=True
        )
        for n_fitting, n_unique in pairs:
            yield {**which, "n_fitting": n_fitting, "n_sample_unique": n_unique}


RATIOS = (
    *("prior", "posterior_printed", "degradation_printed"),
    *("posterior", "degradation"),
    *("bayes_prior", "bayes_posterior", "bayes_degradation"),
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
    both = both_of(population, sample, compared)
    rough = {name: how for name, how in roughly.items() if name in known}
    weigh = Weighing(known, rough, both.n_rows, f"analysis {compared.name!r}")
    with progress("counting matches", both.n_rows) as advance:
        n, all_n = _matches(both.population, weigh, advance)
        d, all_d = _matches(both.sample, weigh, advance)
    n_both = both.population.n_rows, both.sample.n_rows
    found = defined.membership(all_n, all_d, *n_both)
    exact = {name: getattr(found, name) for name in RATIOS}
    row = {
        "target": target,
        **who(compared),
        "known": "|".join(known),
        "n_known": len(known),
        "roughly": "|".join(name for name in known if name in rough),
        "outcome": found.outcome,
        **dict(zip(COUNTS, (*n_both, n, d), strict=True)),
        **{name: None if x is None else float(x) for name, x in exact.items()},
    }
    return as_table(TABLES["member"], [row])


def _matches(part: TablePart, weigh: Weighing, advance: Advance) -> tuple[int, int]:
    """Count the records that may be meant, and add up their weights."""
    n = whole = 0
    for place in range(len(part.kept)):
        weights = weigh.records(pa.table(part.read(place, weigh.columns)))
        n += int((weights > 0).sum())
        whole += int(weights.sum())
        advance(len(weights))
    return n, whole
