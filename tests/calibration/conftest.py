"""The twins' releases at a small share of the country, as a study sees them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from microleak.base.machine import Resources
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.deduplicate import Choice, deduplicate
from microleak.sources.steps.ingest import ReadRelease, ingest
from papers.twins import write_higher_education_census, write_school_census
from tests.assessing import assess


@dataclass(frozen=True)
class Census:
    """What is made and what is attacked."""

    source: str
    write: Callable[[Path, int, int, int], int]  # Takes path, year, size, seed
    unit: str
    # Schools or courses by year; other years have those of 2014, with which they are
    # linked
    sizes: Mapping[str, int]
    sensitive: tuple[str, ...]


SCHOOL = Census(
    *("inep_school_census", write_school_census, "CO_ENTIDADE"),
    # A hundredth of each year's schools
    {"2014": 1887, "2018": 1837, "2019": 1824},
    ("IN_NECESSIDADE_ESPECIAL", "IN_TRANSPORTE_PUBLICO"),
)
HIGHER_EDUCATION = Census(
    *("inep_higher_education_census", write_higher_education_census, "CO_CURSO"),
    # A twentieth of each year's courses
    {"2014": 1660, "2018": 1906, "2019": 2028},
    ("IN_DEFICIENCIA", "IN_FINANCIAMENTO_ESTUDANTIL"),
)
CENSUSES = {"school": SCHOOL, "higher_education": HIGHER_EDUCATION}

PERSON = "ID_ALUNO"


class Twin:
    """Releases made with one seed, and what the attacks find in them."""

    def __init__(self, folder: Path, seed: int, census: Census) -> None:
        self.folder, self.seed, self.census = folder, seed, census
        self.people = cache(self._people)
        self.measures = cache(self._measures)

    def counts(self, year: str) -> dict[str, Any]:
        self.people(year)
        return json.loads((self.folder / f"{year}-people.json").read_text("utf-8"))

    def _people(self, year: str) -> pd.DataFrame:
        archive, table, chosen = (
            self.folder / name
            for name in (f"{year}.zip", f"{year}.parquet", f"{year}-people.parquet")
        )
        size = self.census.sizes.get(year, self.census.sizes["2014"])
        self.census.write(archive, int(year), size, self.seed)
        definition = source_definition(self.census.source, year, {})
        release = ReadRelease(archive, tuple(definition.names), is_synthetic=True)
        ingest(release, definition, table, self.folder / f"{year}.json")
        archive.unlink()
        choice = Choice(definition.person_id, definition.record_id, self.seed)
        receipt, resources = f"{year}-people.json", Resources(1, 1_000, self.folder)
        deduplicate(table, chosen, self.folder / receipt, choice, resources)
        table.unlink()
        codes = [name for name in pq.read_schema(chosen).names if name != PERSON]
        people = pq.read_table(chosen, read_dictionary=codes).to_pandas()
        return people.set_index(PERSON)

    def _measures(self, years: Sequence[str], qids: tuple[str, ...]) -> pd.DataFrame:
        """Success of all attacks with these QIDs of each year, by sensitive."""
        sensitive = list(self.census.sensitive)
        frame = self.people(years[0])[[*qids, *sensitive]]
        known = list(qids)
        for year in years[1:]:
            later = self.people(year)[list(qids)].add_suffix(f"_{year}")
            frame = frame.join(later)
            known.extend(later.columns)
        return assess(frame, known, sensitive, subsets="full").set_index("sensitive")


SEEDS = [2021, pytest.param(7, marks=pytest.mark.long)]
"""The seed of the documented tables, and one that nobody looked at for them."""


@pytest.fixture(scope="session")
def twin(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Twin:
    census, seed = request.param
    return Twin(tmp_path_factory.mktemp("calibration"), seed, CENSUSES[census])
