"""Estimated uniques of known populations, by sizes of blocks, and what is true.

Samples are drawn from twins without replacement, so that it is known which records
that are alone in the sample are alone in the population too.

python -m tests.calibration.estimators prints docs/validation/estimators.csv and takes
a minute.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from microleak.attacks.anonymity.definitions.k_anonymity import BlockSizes, sizes_of
from microleak.attacks.anonymity.definitions.population_uniqueness import poisson_gamma
from microleak.definitions.profile import BlockIds
from papers.twins.outpatient.release import write_outpatient
from tests.calibration.surveyed import QIDS, WITHOUT_RACE, surveyed
from tests.papers.twins.outpatient_files import records_of, valid

SHARES = (0.5, 0.1, 0.01)
N_DRAWS = 5
SEED = 2021
SCHOOLS, LINES = 1887, 200_000
OUTPATIENT = ["PA_SEXO", "PA_RACACOR", "PA_IDADE", "PA_MUNPCN", "PA_CODUNI"]


@dataclass(frozen=True)
class Compared:
    """Records that are alone in a sample, and those that are so in the population."""

    n_alone: int
    n_unique_both: int
    # From the sample and the population's size; missing where there is nothing to fit
    estimated: float


def compared(blocks: BlockIds, is_sampled: np.ndarray) -> Compared:
    """Compare estimates with what is true of one sample of a population's records."""
    n = np.bincount(blocks)
    d = np.bincount(blocks[is_sampled], minlength=len(n))
    return Compared(
        n_alone=int((d == 1).sum()),
        n_unique_both=int(((d == 1) & (n == 1)).sum()),
        estimated=estimated(sizes_of(blocks[is_sampled]), len(blocks)),
    )


def estimated(sizes: BlockSizes, n_population: int) -> float:
    found = poisson_gamma(sizes, n_population)
    return found.posterior_unique * sizes.count(1) if found else np.nan


def drawn(n_records: int, share: float, rng: np.random.Generator) -> np.ndarray:
    is_sampled = np.zeros(n_records, dtype=bool)
    is_sampled[rng.choice(n_records, round(share * n_records), replace=False)] = True
    return is_sampled


def blocks_of(records: pd.DataFrame, qids: Sequence[str]) -> BlockIds:
    """Number the blocks of records by some QIDs, a missing value being a value."""
    groups = records.groupby([*qids], dropna=False, sort=False, observed=True)
    return groups.ngroup().to_numpy()


def draws(blocks: BlockIds, share: float, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    found = [compared(blocks, drawn(len(blocks), share, rng)) for _ in range(N_DRAWS)]
    return table(found)


def table(found: Sequence[Compared]) -> pd.DataFrame:
    rows = [[one.n_alone, one.n_unique_both, one.estimated] for one in found]
    return pd.DataFrame(rows, columns=["n_alone", "n_both", "poisson_gamma"])


def populations() -> Iterator[tuple[str, BlockIds]]:
    students = surveyed(SCHOOLS, SEED).population
    yield "students by sex, birth and place", blocks_of(students, WITHOUT_RACE)
    yield "the same and race", blocks_of(students, QIDS)
    lines = blocks_of(outpatient(LINES, SEED), OUTPATIENT)
    yield "outpatient lines by sex, race, age, home and unit", lines


def outpatient(n_records: int, seed: int) -> pd.DataFrame:
    """Return lines of a synthetic release of Roraima's outpatient data of 2023."""
    with tempfile.TemporaryDirectory() as folder:
        write_outpatient(Path(folder) / "RR", "RR", 2023, n_records, seed)
        return valid(records_of(Path(folder) / "RR", OUTPATIENT))


def line(label: str, share: str, found: pd.DataFrame) -> str:
    mean = found.mean()
    counts = [f"{mean[name]:,.0f}" for name in ("n_alone", "n_both")]
    ratio = times(mean["poisson_gamma"] / mean["n_both"])
    return ";".join([label, share, *counts, ratio])


def times(ratio: float) -> str:
    """Write a ratio to hundredths, from 10 on with two digits; 0 below a thousandth.

    >>> times(0.0004), times(1.04), times(428.1), times(float("nan"))
    ('0', '1.04', '430', 'none')
    """
    if np.isnan(ratio):
        return "none"
    if ratio < 0.001:
        return "0"
    return f"{float(f'{ratio:.1e}'):,.0f}" if ratio >= 10 else f"{ratio:.2f}"


def main() -> None:
    print("population;sampled;alone;alone in both;poisson_gamma")
    for label, blocks in populations():
        for share in SHARES:
            print(line(label, f"{share:.0%}", draws(blocks, share, SEED)))
    print(line("students, by schools and classes", "survey", as_surveyed()))


def as_surveyed() -> pd.DataFrame:
    """Compare what the survey's own design draws: classes of schools, not persons."""
    both = surveyed(SCHOOLS, SEED).in_capitals
    is_asked = both.population.index.isin(both.sample.index)
    return table([compared(blocks_of(both.population, WITHOUT_RACE), is_asked)])


if __name__ == "__main__":
    main()
