"""A sample's codes become the population's, each of them or none."""

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import StudyError, TableError
from microleak.base.paths import CONFIG
from microleak.sources.definitions.crosswalk import crosswalk, read_crosswalk
from microleak.sources.definitions.definition import source_definition
from tests.sources.released import SECRET

HEADER = "attribute,sample_attribute,sample_code,code\n"
CENSUS = crosswalk("ibge_pense", "inep_school_census")
QIDS = ["TP_SEXO", "TP_COR_RACA", "NU_MES", "NU_ANO", "CO_MUNICIPIO"]


def written(tmp_path, rows):
    path = tmp_path / "survey-census.csv"
    path.write_text(HEADER + rows, encoding="utf-8")
    return read_crosswalk(path)


def named(path):
    return path.stem


def texts(*chunks):
    return pa.chunked_array([list(chunk) for chunk in chunks], pa.string())


def recoded(walk, attribute, *values):
    return walk.recoded(attribute, texts(values)).to_pylist()


def test_pense_has_the_codes_of_the_school_census(attribute, values, expected):
    assert recoded(CENSUS, attribute, *values) == expected


def test_pense_has_the_five_qids_of_rodrigues():
    assert list(CENSUS.counterparts) == QIDS
    assert [each.sample_attribute for each in CENSUS.counterparts.values()] == [
        *("VB01001", "VB01002", "VB01004", "VB01005", "MUNICIPIO_CAP")
    ]


@pytest.mark.parametrize("path", sorted(CONFIG.glob("crosswalks/*.csv")), ids=named)
def test_every_crosswalk_has_codes_and_attributes_of_its_sources(path):
    sample, population = (
        source_definition(source, "2015", {}).domains for source in path.stem.split("-")
    )
    for attribute, own in read_crosswalk(path).counterparts.items():
        there, here = sample[own.sample_attribute], population[attribute]
        for sample_code, code in own.codes.items():
            assert sample_code is None or re.fullmatch(there.pattern, sample_code)
            assert code is None or re.fullmatch(here.pattern, code)


def test_a_missing_value_stays_missing():
    assert [recoded(CENSUS, attribute, None) for attribute in QIDS] == [[None]] * 5


def test_a_missing_value_can_have_a_code(tmp_path):
    walk = written(tmp_path, "race,R,,0\nrace,R,1,1\n")
    assert recoded(walk, "race", None, "1") == ["0", "1"]


def test_codes_without_a_row_stay_where_a_row_says_so(tmp_path):
    walk = written(tmp_path, "city,C,,\ncity,C,9,\ncity,C,a,b\n")
    assert recoded(walk, "city", "7", "9", "a", None) == ["7", None, "b", None]


def test_a_leading_zero_makes_another_code(tmp_path):
    with pytest.raises(TableError, match="M of the sample has distinct values, 1 in"):
        recoded(written(tmp_path, "month,M,3,3\n"), "month", "3", "03")


def test_codes_without_a_row_are_refused_and_not_shown():
    column = texts(["1", SECRET], [SECRET, "7"])
    with pytest.raises(TableError) as error:
        CENSUS.recoded("TP_COR_RACA", column)
    assert str(error.value) == (
        "VB01002 of the sample has distinct values, 2 in number, for which "
        "config/crosswalks/ibge_pense-inep_school_census.csv has no code of "
        "TP_COR_RACA. Add rows for them there, or correct the sample."
    )


@given(st.lists(st.lists(st.sampled_from(["1", "3", "4", "99", None]))))
def test_each_record_has_the_code_of_its_own_value(chunks):
    race = {"1": "1", "3": "4", "4": "3", "99": "0", None: None}
    expected = [race[value] for chunk in chunks for value in chunk]
    assert CENSUS.recoded("TP_COR_RACA", texts(*chunks)).to_pylist() == expected


def test_a_faulty_row_is_named_by_file_and_line(tmp_path, rows, words):
    with pytest.raises(
        StudyError, match=rf"config/crosswalks/survey-census.csv.*{words}"
    ):
        written(tmp_path, rows)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b"attribute;code\n", "line 1 has no comma, but a semicolon"),
        (b"\xff\n", "line 1 is not UTF-8 text. Save the file as UTF-8"),
        (b"a,b\nc,d\n", "the header .* expected in line 1"),
    ],
)
def test_a_file_that_is_no_crosswalk_is_refused(tmp_path, data, words):
    path = tmp_path / "survey-census.csv"
    path.write_bytes(data)
    with pytest.raises(StudyError, match=rf"survey-census\.csv.*{words}"):
        read_crosswalk(path)


def test_sources_without_a_crosswalk_are_refused():
    words = "no crosswalk from ibge_pense to delimited.*ibge_pense-delimited.csv"
    with pytest.raises(StudyError, match=words):
        crosswalk("ibge_pense", "delimited")
