"""Synthetic releases as archives: named as their source names them, same bytes."""

import zipfile

import pytest

from microleak.base.errors import StudyError
from microleak.sources.steps.synthesise import synthesise


def test_outpatient_data_are_a_zip_of_months_with_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        synthesise(tmp_path / name, "datasus_sia_pa", "RR-2023", 1_200, 7)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    names = zipfile.ZipFile(tmp_path / "a").namelist()
    assert [name for name in names if name.endswith(".dbf")] == [
        f"PARR23{month:02}.dbf" for month in range(1, 13)
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_census_is_named_by_its_year(tmp_path):
    with pytest.raises(StudyError, match="named by its year, not 'spring'"):
        synthesise(tmp_path / "a", "inep_school_census", "spring", 27, 7)


def test_a_source_without_a_twin_is_refused(tmp_path):
    with pytest.raises(StudyError, match="delimited has no synthetic twin; these have"):
        synthesise(tmp_path / "a", "delimited", "2018", 27, 7)
