"""What is so of the students of both censuses' twins, and of where they study."""

import re
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd
import pytest

from microleak.sources.definitions.definition import source_definition
from tests.examples import long

PERSON = "ID_ALUNO"


@dataclass(frozen=True)
class Kind:
    """A census: the columns that tests look at, and what its years must have."""

    source: str
    years: range
    record: str  # Column that identifies a record
    units: tuple[str, str]  # Columns of the smaller and the larger unit of study
    of_unit: tuple[str, ...]  # What a unit has one of
    lasting: tuple[str, ...]  # What stays with a person
    may_miss: frozenset[str]
    day: tuple[str, str, str]
    same_units: tuple[int, ...]  # Years that have the same ones
    stays: tuple[float, float]  # Shares that are there after a year
    sizes: dict[int, float]  # Students of a unit, by year
    skewed: tuple[float, float]  # Bounds of median and largest, in means
    second: dict[int, float]  # Records a student, by year

    @property
    def years_with_day(self):
        return [year for year in self.years if year < 2019]


SCHOOL = Kind(
    source="inep_school_census",
    years=range(2014, 2021),
    record="ID_MATRICULA",
    units=("CO_ENTIDADE", "CO_MUNICIPIO"),
    of_unit=("TP_DEPENDENCIA", "TP_LOCALIZACAO", "CO_MUNICIPIO"),
    lasting=("NU_DIA", "NU_MES", "NU_ANO", "TP_SEXO", "CO_MUNICIPIO_NASC"),
    may_miss=frozenset({"TP_ETAPA_ENSINO", "CO_MUNICIPIO_NASC"}),
    day=("NU_ANO", "NU_MES", "NU_DIA"),
    same_units=(2014, 2018, 2020),
    stays=(0.7, 0.95),
    sizes={2014: 262.25, 2017: 262.25, 2018: 262.25},
    skewed=(0.7, 4),
    second={2014: 1.1328, 2018: 1.0758},
)
HIGHER = Kind(
    source="inep_higher_education_census",
    years=range(2013, 2020),
    record="CO_ALUNO_CURSO",
    units=("CO_CURSO", "CO_IES"),
    of_unit=(
        *("CO_IES", "TP_CATEGORIA_ADMINISTRATIVA", "TP_ORGANIZACAO_ACADEMICA"),
        *("TP_TURNO", "TP_GRAU_ACADEMICO", "TP_MODALIDADE_ENSINO"),
    ),
    lasting=(
        *("NU_DIA_NASCIMENTO", "NU_MES_NASCIMENTO", "NU_ANO_NASCIMENTO"),
        *("TP_SEXO", "TP_NACIONALIDADE", "CO_PAIS_ORIGEM"),
    ),
    may_miss=frozenset(
        {"CO_UF_NASCIMENTO", "CO_MUNICIPIO_NASCIMENTO", "TP_TURNO"}
        | {"IN_FINANCIAMENTO_ESTUDANTIL"}
    ),
    day=("NU_ANO_NASCIMENTO", "NU_MES_NASCIMENTO", "NU_DIA_NASCIMENTO"),
    same_units=(2013, 2015, 2017),
    stays=(0.6, 0.85),
    sizes={2014: 294.40, 2018: 283.57, 2019: 272.11},
    skewed=(0.5, 10),
    second={2014: 1.1044, 2018: 1.1140, 2019: 1.1189},
)
KINDS = [pytest.param(kind, id=kind.source) for kind in (SCHOOL, HIGHER)]
each = pytest.mark.parametrize("kind", KINDS)
each_year = pytest.mark.parametrize(
    ("kind", "year"),
    [
        each
        for kind in (SCHOOL, HIGHER)
        for each in [
            (kind, kind.years[-1]),
            *long(*((kind, year) for year in kind.years[:-1])),
        ]
    ],
)


@pytest.fixture
def of_year(kind, census, higher_census):
    return census if kind is SCHOOL else higher_census


def people(records):
    """One record of each person: not that of a school's second one, without a stage."""
    if "TP_ETAPA_ENSINO" in records:
        records = records[records["TP_ETAPA_ENSINO"] != ""]
    if "TP_SITUACAO" in records:
        records = records[records["TP_SITUACAO"].isin(["2", "3"])]
    return records.drop_duplicates(PERSON)


@each_year
def test_values_are_in_their_domains_and_records_have_identifiers(kind, of_year, year):
    records = of_year(year)
    definition = source_definition(kind.source, str(year), {})
    for attribute in definition.names:
        pattern = re.compile(definition.domains[attribute].pattern)
        codes = definition.recodes.get(attribute, {})
        values = set(records[attribute].replace(codes)) - {""}
        assert all(pattern.fullmatch(value) for value in values), attribute
    missing = records.eq("").any()
    missing = set(missing[missing].index)
    assert missing <= kind.may_miss
    assert kind is SCHOOL or missing == kind.may_miss
    assert records[kind.record].is_unique


@each
def test_students_of_2014_are_still_there_in_2017(kind, of_year):
    first, *others = (set(of_year(year)[PERSON]) for year in range(2014, 2018))
    shares = [len(first & other) / len(first) for other in others]
    low, high = kind.stays
    assert low < shares[0] < high
    assert shares[0] > shares[1] > shares[2] > low / 4


@each
def test_what_stays_with_a_person_stays_over_the_years(kind, of_year):
    first, last = (
        of_year(year).drop_duplicates(PERSON).set_index(PERSON)[[*kind.lasting]]
        for year in (2014, 2016)
    )
    both = first.index.intersection(last.index)
    pd.testing.assert_frame_equal(first.loc[both], last.loc[both])


@each
def test_some_students_change_the_smaller_unit_and_fewer_the_larger(kind, of_year):
    both = people(of_year(2014)).merge(people(of_year(2015)), on=PERSON)
    moved = [(both[f"{name}_x"] != both[f"{name}_y"]).mean() for name in kind.units]
    assert 0.05 < moved[0] < 0.4
    assert 0.0 < moved[1] < moved[0]


@each
def test_nobody_can_be_linked_by_identifier_since_2018(kind, of_year):
    later = [set(of_year(year)[PERSON]) for year in range(2017, kind.years[-1] + 1)]
    assert not any(before & after for before, after in pairwise(later))


@each
def test_units_have_the_mean_size_of_the_year_and_are_skewed(kind, of_year):
    unit, _ = kind.units
    for year, size in kind.sizes.items():
        records = of_year(year)
        n_students, n_units = records[PERSON].nunique(), records[unit].nunique()
        assert n_students / n_units == pytest.approx(size, rel=0.01)
    sizes = of_year(2018).drop_duplicates(PERSON).groupby(unit).size()
    low, high = kind.skewed
    assert sizes.median() < low * sizes.mean()
    assert sizes.max() > high * sizes.mean()


@each
def test_a_unit_has_one_of_each_and_keeps_it_over_linked_years(kind, of_year):
    place = [kind.units[0], *kind.of_unit]
    units = [of_year(y)[place].drop_duplicates() for y in (2018, *kind.same_units)]
    assert all(each[kind.units[0]].is_unique for each in units)
    _, first, *others = (set(each.itertuples(index=False, name=None)) for each in units)
    assert all(first == other for other in others)


@each
def test_some_students_hold_a_second_record(kind, of_year):
    for year, ratio in kind.second.items():
        n_each = of_year(year).groupby(PERSON).size()
        assert n_each.mean() == pytest.approx(ratio, abs=0.01)
        assert n_each.max() == 2


@pytest.mark.parametrize(
    ("kind", "year"),
    [(kind, year) for kind in (SCHOOL, HIGHER) for year in kind.years_with_day],
)
def test_birthdays_are_days_of_the_calendar_at_the_age_of_the_year(kind, of_year, year):
    records = of_year(year)
    birth = records[[*kind.day]].set_axis(["year", "month", "day"], axis=1).astype(int)
    born = pd.to_datetime(birth, errors="raise")
    assert (records["NU_IDADE"].astype(int) == year - birth["year"]).all()
    if kind is HIGHER:
        assert (year - birth["year"]).between(16, 75).all()
    else:
        assert born.max() <= pd.Timestamp(year, 3, 31)
        assert born.min() >= pd.Timestamp(year - 107, 1, 1)
