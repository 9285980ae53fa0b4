import pyarrow as pa
import pytest

from microleak.sources.definitions.yearly import NO_CODE, recoded
from tests.sources.released import census, higher

HIGHER_CODES = [
    ("TP_SEXO", {"0": "2", "1": "1"}),
    ("TP_COR_RACA", {"0": "0", "5": "5", "6": "9"}),
    ("IN_DEFICIENCIA", {"0": "0", "1": "1", "2": "9"}),
    ("TP_ESCOLA_CONCLUSAO_ENS_MEDIO", {"0": "2", "1": "1", "2": "9"}),
]


def values(definition, attribute, *old):
    chunk = pa.table({attribute: pa.array(old, pa.string())})
    return recoded(chunk, definition.recodes).column(attribute).to_pylist()


@pytest.mark.parametrize("release", ["2013", "2014", "2015", "2016"])
@pytest.mark.parametrize(("attribute", "codes"), HIGHER_CODES)
def test_old_codes_of_higher_education_become_the_newest(release, attribute, codes):
    assert values(higher(release), attribute, *codes) == list(codes.values())


@pytest.mark.parametrize("release", ["2010", "2011", "2012"])
def test_the_oldest_releases_have_the_same_codes_but_no_high_school(release):
    assert values(higher(release), "TP_SEXO", "0", "1") == ["2", "1"]
    assert set(higher(release).recodes) == {"TP_SEXO", "TP_COR_RACA", "IN_DEFICIENCIA"}


@pytest.mark.parametrize("release", ["2017", "2018", "2019"])
def test_the_newest_codes_stay(release):
    assert higher(release).recodes == {}


@pytest.mark.parametrize("release", [str(year) for year in range(2007, 2014)])
def test_letters_and_numbers_of_the_first_school_censuses_mean_the_same(release):
    assert values(census(release), "TP_SEXO", "M", "F", "1", "2") == ["1", "2"] * 2
    assert "TP_SEXO" not in census("2014").recodes


def test_a_missing_value_and_one_that_is_not_listed_stay():
    assert values(higher("2016"), "TP_SEXO", None, "x", "0") == [None, "x", "2"]


def test_a_value_that_is_what_another_becomes_is_no_code():
    assert values(higher("2016"), "TP_SEXO", "2", "0") == [NO_CODE, "2"]
    assert values(higher("2016"), "TP_COR_RACA", "9") == [NO_CODE]


def test_other_columns_and_their_order_stay():
    columns = {"b": ["0"], "TP_SEXO": ["0"], "a": ["0"]}
    table = recoded(pa.table(columns), higher("2016").recodes)
    assert table.to_pydict() == {**columns, "TP_SEXO": ["2"]}


def test_a_table_without_records_stays_empty():
    assert values(higher("2016"), "TP_SEXO") == []
