"""The twin's School Censuses at 1/100 of the schools, as a study sees them."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from microleak import assess
from microleak.resources import Resources
from microleak.sources.deduplicate import Choice, deduplicate
from microleak.sources.definition import source_definition
from microleak.sources.ingest import Release, ingest
from microleak.sources.twin import write_school_census

SCHOOLS = {"2014": 1887, "2018": 1837, "2019": 1824}
"""A hundredth of each year's schools; 2015 to 2017 are linked with 2014."""

PERSON = "ID_ALUNO"
SENSITIVE = ["IN_NECESSIDADE_ESPECIAL", "IN_TRANSPORTE_PUBLICO"]


class Twin:
    """Releases made with one seed, and what the attacks find in them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.people = cache(self._people)
        self.measures = cache(self._measures)

    def counts(self, year: str) -> dict[str, Any]:
        """Receipt of the choice of one record a student."""
        self.people(year)
        return json.loads((self.folder / f"{year}-people.json").read_text("utf-8"))

    def _people(self, year: str) -> pd.DataFrame:
        archive, table, chosen = (
            self.folder / name
            for name in (f"{year}.zip", f"{year}.parquet", f"{year}-people.parquet")
        )
        schools = SCHOOLS.get(year, SCHOOLS["2014"])
        write_school_census(archive, int(year), schools, self.seed)
        definition = source_definition("inep_school_census", year, {})
        release = Release(archive, tuple(definition.names), is_synthetic=True)
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
        frame = self.people(years[0])[[*qids, *SENSITIVE]]
        known = list(qids)
        for year in years[1:]:
            later = self.people(year)[list(qids)].add_suffix(f"_{year}")
            frame = frame.join(later)
            known.extend(later.columns)
        return assess(frame, known, SENSITIVE, subsets="full").set_index("sensitive")


@pytest.fixture(scope="session", params=[2021, 7], ids=lambda seed: f"seed-{seed}")
def twin(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Twin:
    """Releases of 2014 to 2019."""
    return Twin(tmp_path_factory.mktemp("calibration"), request.param)
