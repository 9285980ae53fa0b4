"""Small synthetic releases of the papers' sources, written once and read as text."""

from functools import cache

import pytest

from papers.twins import write_higher_education_census
from tests.sources.twin.conftest import SEED, Archive, Census, archive, census, read

__all__ = ["archive", "census"]

COURSES = 120


@pytest.fixture(scope="session")
def higher_archive(tmp_path_factory) -> Archive:
    """Path of a year's Higher Education Census of 120 courses."""
    folder = tmp_path_factory.mktemp("higher")

    @cache
    def written(year):
        write_higher_education_census(folder / f"{year}.zip", year, COURSES, SEED)
        return folder / f"{year}.zip"

    return written


@pytest.fixture(scope="session")
def higher_census(higher_archive: Archive) -> Census:
    """All records of a year of the Higher Education Census, in that year's codes."""
    source = "inep_higher_education_census"
    return cache(lambda year: read(higher_archive(year), source, year))
