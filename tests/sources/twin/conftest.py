"""Small synthetic releases, written once and read as text."""

import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from microleak.sources.definition import source_definition
from microleak.sources.twin import write_school_census

SCHOOLS = 60
SEED = 2021

Census = Callable[[int], pd.DataFrame]


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Path of a year's archive of 60 schools."""
    folder = tmp_path_factory.mktemp("twin")

    @cache
    def written(year: int) -> Path:
        write_school_census(folder / f"{year}.zip", year, SCHOOLS, SEED)
        return folder / f"{year}.zip"

    return written


@pytest.fixture(scope="session")
def census(archive: Callable[[int], Path]) -> Census:
    """All records of a year, by the newest names; a missing value is empty."""

    @cache
    def read(year: int) -> pd.DataFrame:
        with zipfile.ZipFile(archive(year)) as opened:
            parts = [
                pd.read_csv(
                    opened.open(name),
                    sep="|",
                    dtype=str,
                    encoding="latin-1",
                    keep_default_na=False,
                    quoting=3,
                )
                for name in opened.namelist()
                if name.lower().endswith(".csv")
            ]
        names = source_definition("inep_school_census", str(year), {}).names
        newest = {official: attribute for attribute, official in names.items()}
        return pd.concat(parts, ignore_index=True).rename(columns=newest)

    return read
