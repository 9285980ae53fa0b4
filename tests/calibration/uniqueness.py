"""Estimated uniques of all twins at several sets of QIDs, and what is true.

The log-linear model of single cells (docs/results.md, table uniqueness) beside the
Poisson-gamma model, which knows sizes of blocks alone.

python -m tests.calibration.uniqueness prints docs/validation/uniqueness.csv, and how
often the spread of single samples that the package states holds; it takes half an hour.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from microleak.attacks.anonymity.definitions.cells import Cells, cells_of
from microleak.attacks.anonymity.definitions.k_anonymity import BlockSizes, sizes_of
from microleak.attacks.anonymity.definitions.log_linear import (
    SPREAD,
    chance_below,
    mean_unsampled,
)
from microleak.attacks.anonymity.definitions.population_uniqueness import poisson_gamma
from microleak.base.paths import ROOT
from microleak.definitions.profile import BlockIds
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from papers.twins import write_higher_education_census, write_pense, write_school_census
from papers.twins.outpatient.release import write_outpatient
from tests.papers.twins.outpatient_files import records_of, valid

SHARES = (0.1, 0.01)
N_DRAWS, FEW = 200, 5
SEED = 2021
OUTPATIENT = ["PA_SEXO", "PA_RACACOR", "PA_IDADE", "PA_MUNPCN", "PA_CODUNI"]
MODELS = ["log_linear", "poisson_gamma"]

SCHOOL, HIGHER, PENSE, LINES = "school", "higher education", "PeNSE", "outpatient"
ADULT = "Adult"
ADULT_FILE = ROOT.parent / "shared/data/adult_arx.csv"
BIRTH = ["NU_DIA_NASCIMENTO", "NU_MES_NASCIMENTO", "NU_ANO_NASCIMENTO"]
SETS = {
    SCHOOL: [
        ["TP_SEXO", "NU_MES", "NU_ANO", "CO_MUNICIPIO_END"],
        ["TP_SEXO", "NU_MES", "NU_ANO", "CO_MUNICIPIO_END", "TP_COR_RACA"],
        ["TP_SEXO", "NU_DIA", "NU_MES", "NU_ANO", "CO_MUNICIPIO_END"],
        ["TP_SEXO", "NU_ANO", "TP_COR_RACA", "TP_ETAPA_ENSINO", "CO_MUNICIPIO_NASC"],
        ["TP_SEXO", "NU_ANO", "TP_COR_RACA", "CO_ENTIDADE"],
    ],
    HIGHER: [
        [BIRTH[2], "TP_SEXO", "TP_COR_RACA", "CO_CURSO"],
        [*BIRTH[1:], "TP_SEXO", "CO_MUNICIPIO_NASCIMENTO"],
        [*BIRTH, "TP_SEXO", "TP_COR_RACA", "CO_CURSO"],
    ],
    PENSE: [
        ["VB01001", "VB01002", "VB01004", "VB01005", "MUNICIPIO_CAP"],
        ["VB01001", "VB01002", "VB01003", "VB01004", "VB01005", "MUNICIPIO_CAP"],
    ],
    LINES: [OUTPATIENT[:4], OUTPATIENT],
}
"""Sets of QIDs of each twin."""
NOT_QID = "salary-class"  # Of Adult, a real file

_TWINS = {
    SCHOOL: ("inep_school_census", write_school_census, 2018),
    HIGHER: ("inep_higher_education_census", write_higher_education_census, 2018),
    PENSE: ("ibge_pense", write_pense, 2015),
}
SIZES = {SCHOOL: 1000, HIGHER: 700, PENSE: 60_000, LINES: 200_000}


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


def outpatient(n_records: int, seed: int) -> pd.DataFrame:
    """Return lines of a synthetic release of Roraima's outpatient data of 2023."""
    with tempfile.TemporaryDirectory() as folder:
        write_outpatient(Path(folder) / "RR", "RR", 2023, n_records, seed)
        return valid(records_of(Path(folder) / "RR", OUTPATIENT))


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


def twin(name: str, size: int) -> pd.DataFrame:
    """Return the records of a twin, all QIDs of its sets as texts."""
    if name == LINES:
        return outpatient(size, SEED)
    source, write, year = _TWINS[name]
    columns = sorted({qid for qids in SETS[name] for qid in qids})
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        write(folder / "raw.zip", year, size, SEED)
        release = ReadRelease(folder / "raw.zip", tuple(columns), is_synthetic=True)
        definition = source_definition(source, str(year), {})
        ingest(release, definition, folder / "t.parquet", folder / "t.json")
        return pq.read_table(folder / "t.parquet", columns=columns).to_pandas()


def cells_in(records: pd.DataFrame, n_population: int) -> Cells:
    """Return the cells of a simple random sample."""
    texts = records.astype(object).where(records.notna(), "")
    codes = [pd.factorize(texts[name], sort=True)[0] for name in texts]
    weight = np.full(len(records), n_population, dtype=np.int64)
    return cells_of(codes, weight, len(records))


def compared(
    records: pd.DataFrame, qids: Sequence[str], share: float, n_draws: int = FEW
) -> pd.DataFrame:
    """Compare what both models say of some samples with what is true, a row each."""
    blocks = blocks_of(records, qids)
    is_unique = np.bincount(blocks)[blocks] == 1
    rng = np.random.default_rng(SEED)
    return pd.DataFrame(
        _compared(records[[*qids]], blocks, is_unique, drawn(len(blocks), share, rng))
        for _ in range(n_draws)
    )


def _compared(
    records: pd.DataFrame,
    blocks: np.ndarray,
    is_unique: np.ndarray,
    is_sampled: np.ndarray,
) -> dict[str, float]:
    cells = cells_in(records[is_sampled], len(records))
    sizes = sizes_of(blocks[is_sampled])
    return {
        "n_alone": sizes.count(1),
        "n_both": int((is_unique & is_sampled).sum()),
        "log_linear": float(chance_below(1, mean_unsampled(cells))[cells.n == 1].sum()),
        "poisson_gamma": estimated(sizes, len(records)),
    }


def least_error(blocks: np.ndarray, share: float) -> float:
    """Return the least standard error of any unbiased estimate of those alone in both.

    It is of someone who counts how many blocks of the sample have how many records, and
    who knows of the population how many blocks there are of each size above one: the
    error of weighted least squares, and of any estimate at most as good.
    """
    sizes, n_blocks = np.unique(np.bincount(blocks), return_counts=True)
    seen = np.arange(1, sizes.max() + 1)
    chances = np.array([[_binomial(k, n, share) for k in seen] for n in sizes])
    of_all = n_blocks @ chances
    kept = of_all > 1e-9 * of_all.sum()
    each = (chances * n_blocks[:, np.newaxis])[:, kept]
    spread = np.diag(of_all[kept]) - each.T @ chances[:, kept]
    alone = chances[sizes == 1, :][0, kept]
    return float(share / np.sqrt(alone @ np.linalg.solve(spread, alone)))


def _binomial(k: int, n: int, share: float) -> float:
    return comb(int(n), int(k)) * share ** int(k) * (1 - share) ** max(int(n - k), 0)


def populations() -> Iterator[tuple[str, pd.DataFrame, Sequence[str]]]:
    """Yield the populations and sets of QIDs that samples are drawn of."""
    for name, sets in SETS.items():
        records = twin(name, SIZES[name])
        yield from ((name, records, qids) for qids in sets)
    if ADULT_FILE.exists():
        adult = pd.read_csv(ADULT_FILE, sep=";", dtype=str)
        yield ADULT, adult, [name for name in adult if name != NOT_QID]


def main() -> None:
    """Print truth over estimate of single samples, and how often spreads hold."""
    ends = [f"{model} {end}" for model in MODELS for end in ("5%", "50%", "95%")]
    heads = ["population", "QIDs", "sampled", "alone", "alone in both"]
    print(";".join([*heads, *ends]))
    found_of: dict[float, list[pd.Series]] = {share: [] for share in SHARES}
    for name, records, qids in populations():
        for share in SHARES:
            found = compared(records, qids, share, N_DRAWS)
            mean = found.mean()
            counts = [f"{mean[each]:,.0f}" for each in ("n_alone", "n_both")]
            ratios = found[MODELS].rdiv(found["n_both"], axis=0)
            parts = ratios.quantile([0.05, 0.5, 0.95])
            told = [times(part) for model in MODELS for part in parts[model]]
            line = [name, ", ".join(qids), f"{share:.0%}", *counts, *told]
            print(";".join(line), flush=True)
            if name != LINES:
                found_of[share].append(ratios["log_linear"])
    for share, every in found_of.items():
        spread = SPREAD[Fraction(str(share))]
        _tell_held("the spread", share, [each.between(*spread) for each in every])
        others = [_widest([*every[:i], *every[i + 1 :]]) for i in range(len(every))]
        within = [each.between(*ends) for each, ends in zip(every, others, strict=True)]
        _tell_held("that of all others", share, within)


def _widest(every: Sequence[pd.Series]) -> tuple[float, float]:
    """Return between what 90 % of the samples of each population are."""
    return min(e.quantile(0.05) for e in every), max(e.quantile(0.95) for e in every)


def _tell_held(what: str, share: float, held: Sequence[pd.Series]) -> None:
    parts = [each.mean() for each in held]
    each = " ".join(f"{part:.0%}" for part in parts)
    mean = sum(parts) / len(parts)
    print(f"{share:.0%}: {what} holds in {mean:.1%} ({each})", file=sys.stderr)


if __name__ == "__main__":
    main()
