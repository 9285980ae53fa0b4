"""The twin's survey of students' health before its School Census, and who was asked.

Both are read as a study reads them, the survey in the codes of the census.

python -m tests.calibration.surveyed SCHOOLS SEED prints the table of
docs/validation.md and draws its figure; 6,000 schools take half a minute.
"""

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from microleak.attacks.membership.definitions.membership import posterior
from microleak.base.machine import Resources
from microleak.base.paths import ROOT
from microleak.figures.svg import BLUE, GREY, Caption, canvas, plain_style, svg_text
from microleak.sources.definitions.crosswalk import crosswalk
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.deduplicate import Choice, deduplicate
from microleak.sources.steps.ingest import ReadRelease, ingest
from papers.twins import pense_persons, write_pense, write_school_census

CENSUS, SURVEY, YEAR = "inep_school_census", "ibge_pense", 2015
PLACE = "CO_MUNICIPIO"
WITHOUT_RACE = ["TP_SEXO", "NU_MES", "NU_ANO", PLACE]
QIDS = [*WITHOUT_RACE, "TP_COR_RACA"]
PERSON, RECORD, NUMBER = "ID_ALUNO", "ID_MATRICULA", "aluno"
# In the place of a missing value; no value is empty
MISSING = ""
# Claims are told apart by them: 0 and 1 alone, the others up to a bound
BOUNDS = (0.05, 0.1, 0.2, 0.5, 1.0)
FIGURE = ROOT / "docs" / "validation-membership.svg"
STYLES = ({"color": BLUE, "marker": "o"}, {"color": GREY, "marker": "s"})
CAPTION = Caption(
    "claims of presence and the truth",
    "Claims of presence in the survey, and who was really asked",
    "Share of persons who were asked over the share that the attack claims, one line "
    "with race and one without. The same numbers stand in the table.",
)


@dataclass(frozen=True)
class Surveyed:
    """QIDs in the codes of the census, by `ID_ALUNO`: of everybody, and as answered."""

    population: pd.DataFrame
    sample: pd.DataFrame

    @property
    def in_capitals(self) -> "Surveyed":
        """Students whose municipality the survey tells, and all of these places."""
        sample = self.sample[self.sample[PLACE] != MISSING]
        is_there = self.population[PLACE].isin(sample[PLACE])
        return replace(self, population=self.population[is_there], sample=sample)


@cache
def surveyed(schools: int, seed: int) -> Surveyed:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return Surveyed(_census(folder, schools, seed), _survey(folder, schools, seed))


def _census(folder: Path, schools: int, seed: int) -> pd.DataFrame:
    write_school_census(folder / "census.zip", YEAR, schools, seed)
    table = _ingested(folder / "census.zip", CENSUS, [PERSON, RECORD, *QIDS])
    people, receipt = folder / "people.parquet", folder / "people.json"
    resources = Resources(1, 2_000, folder)
    deduplicate(table, people, receipt, Choice(PERSON, RECORD, seed), resources)
    frame = pq.read_table(people, columns=[PERSON, *QIDS]).to_pandas()
    return frame.set_index(PERSON).fillna(MISSING)


def _survey(folder: Path, schools: int, seed: int) -> pd.DataFrame:
    write_pense(folder / "survey.zip", YEAR, schools, seed)
    walk = crosswalk(SURVEY, CENSUS)
    own = [walk.counterparts[qid].sample_attribute for qid in QIDS]
    table = pq.read_table(_ingested(folder / "survey.zip", SURVEY, [NUMBER, *own]))
    columns = {
        qid: walk.recoded(qid, table[name].cast(pa.string())).to_pandas()
        for qid, name in zip(QIDS, own, strict=True)
    }
    persons = pense_persons(YEAR, schools, seed).astype(str)
    asked = persons[table[NUMBER].to_numpy().astype(int) - 1]
    return pd.DataFrame(columns).fillna(MISSING).set_index(asked)


def _ingested(archive: Path, source: str, attributes: list[str]) -> Path:
    table = archive.with_suffix(".parquet")
    definition = source_definition(source, str(YEAR), {})
    release = ReadRelease(archive, tuple(attributes), is_synthetic=True)
    ingest(release, definition, table, archive.with_suffix(".json"))
    return table


def blocks_of(both: Surveyed, qids: list[str]) -> pd.DataFrame:
    """Blocks of the population: its `n` persons, `d` records of the sample, `asked`."""
    # The last is how many of the persons were really asked, which no release says.
    is_asked = both.population.index.isin(both.sample.index)
    groups = both.population.assign(is_asked=is_asked).groupby(qids)["is_asked"]
    blocks = groups.agg(n="size", asked="sum")
    d = both.sample.groupby(qids).size()
    return blocks.assign(d=d.reindex(blocks.index, fill_value=0))


def calibration(blocks: pd.DataFrame) -> pd.DataFrame:
    """How many persons have a claim in each bin, its mean, and how many are asked."""
    kinds = blocks.groupby(["n", "d"], as_index=False).agg(
        n_blocks=("n", "size"), asked=("asked", "sum")
    )
    chance = [posterior(int(n), int(d)) for n, d in zip(kinds.n, kinds.d, strict=True)]
    kinds["chance"] = [float(each) for each in chance]
    kinds["persons"] = kinds["n"] * kinds["n_blocks"]
    kinds["claims"] = kinds["chance"] * kinds["persons"]
    kinds["bin"] = [bin_of(each) for each in kinds["chance"]]
    sums = kinds.groupby("bin")[["persons", "claims", "asked"]].sum()
    found = sums.assign(
        claimed=sums["claims"] / sums["persons"], true=sums["asked"] / sums["persons"]
    )
    return found.sort_values("claimed")


def bin_of(chance: float) -> str:
    if chance in (0, 1):
        return f"{chance:g}"
    upper = next(bound for bound in BOUNDS if chance < bound)
    return f"below {upper:g}"


def lines(found: pd.DataFrame, label: str) -> list[str]:
    return [
        f"| {label} | {row.Index} | {row.persons:,} | {row.claimed:.4f} "
        f"| {row.true:.4f} |"
        for row in found.itertuples()
    ]


def figure(tables: Mapping[str, pd.DataFrame], caption: Caption) -> str:
    with plain_style():
        drawn, (axis,) = canvas(1, 1, 4.5)
        axis.plot([0, 1], [0, 1], color=GREY, lw=1, ls=":")
        for (label, found), style in zip(tables.items(), STYLES, strict=True):
            axis.plot(found["claimed"], found["true"], ms=5, **style)
            end = (found["claimed"].iloc[-1], found["true"].iloc[-1])
            axis.annotate(
                *(label, end, (-8, 4), "data", "offset points"),
                ha="right",
                color=style["color"],
            )
        axis.set_xlabel("claimed: share of the block that is in the sample, d/n")
        axis.set_ylabel("true: share that was asked")
        hold = tables["with race"]["true"].iloc[-1]
        axis.set_title(f"With race, {hold:.0%} of certain claims are true (synthetic)")
        return svg_text(drawn, caption)


def main(schools: int, seed: int) -> None:
    both = surveyed(schools, seed).in_capitals
    tables = {
        label: calibration(blocks_of(both, qids))
        for label, qids in (("with race", QIDS), ("without race", WITHOUT_RACE))
    }
    print("| QIDs | claim | persons | claimed | true |\n|---|---|---|---|---|")
    for label, found in tables.items():
        print("\n".join(lines(found, label)))
    FIGURE.write_text(figure(tables, CAPTION), encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
