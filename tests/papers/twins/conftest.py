"""Small synthetic releases, written once and read as text."""

import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from microleak.sources.definitions.definition import source_definition
from papers.twins import write_higher_education_census, write_school_census

SCHOOLS = 60
COURSES = 120
SEED = 2021

Archive = Callable[[int], Path]
Census = Callable[[int], pd.DataFrame]


def read(path: Path, source: str, year: int) -> pd.DataFrame:
    """All records of a release, by the newest names; a missing value is empty."""
    with zipfile.ZipFile(path) as opened:
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
    names = source_definition(source, str(year), {}).names
    newest = {official: attribute for attribute, official in names.items()}
    return pd.concat(parts, ignore_index=True).rename(columns=newest)


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    folder = tmp_path_factory.mktemp("twin")

    @cache
    def written(year: int) -> Path:
        write_school_census(folder / f"{year}.zip", year, SCHOOLS, SEED)
        return folder / f"{year}.zip"

    return written


@pytest.fixture(scope="session")
def census(archive: Archive) -> Census:
    return cache(lambda year: read(archive(year), "inep_school_census", year))


@pytest.fixture(scope="session")
def higher_archive(tmp_path_factory) -> Archive:
    folder = tmp_path_factory.mktemp("higher")

    @cache
    def written(year):
        write_higher_education_census(folder / f"{year}.zip", year, COURSES, SEED)
        return folder / f"{year}.zip"

    return written


@pytest.fixture(scope="session")
def higher_census(higher_archive: Archive) -> Census:
    source = "inep_higher_education_census"
    return cache(lambda year: read(higher_archive(year), source, year))
