"""What a release of a source is read by, and its codes as those of the newest."""

import csv
import re

import pyarrow as pa
import pytest

from microleak.base.errors import StudyError
from microleak.base.paths import CONFIG
from microleak.sources.definitions.definition import Domain, source_definition
from microleak.sources.definitions.options import is_pattern
from microleak.sources.definitions.yearly import NO_CODE, recoded
from tests.sources.released import census, delimited, higher

DEFINITIONS = [
    *(census(str(year)) for year in range(2007, 2021)),
    *(higher(str(year)) for year in range(2010, 2020)),
]
WITH_LAYOUT = [definition for definition in DEFINITIONS if definition.layout]


def named(definition):
    return f"{definition.source} {definition.release}"


def test_newest_names_map_to_the_names_of_the_release(release, person, school):
    definition = census(release)
    assert definition.official("ID_ALUNO") == person
    assert definition.official("CO_ENTIDADE") == school


def test_domains_are_those_of_the_release():
    assert census("2017").domains["ID_ALUNO"] == Domain("[0-9]{12}", "12 digits")
    assert re.fullmatch(census("2014").domains["TP_ETAPA_ENSINO"].pattern, "43")
    assert not re.fullmatch(census("2015").domains["TP_ETAPA_ENSINO"].pattern, "43")


@pytest.mark.parametrize("definition", DEFINITIONS, ids=named)
def test_every_released_attribute_of_a_census_has_a_domain(definition):
    assert set(definition.domains) == set(definition.names)
    for domain in definition.domains.values():
        assert is_pattern(domain.pattern)


@pytest.mark.parametrize("definition", DEFINITIONS, ids=named)
def test_recoded_attributes_are_released_and_their_domain_has_new_codes(
    definition,
):
    for attribute, codes in definition.recodes.items():
        pattern = definition.domains[attribute].pattern
        assert all(re.fullmatch(pattern, code) for code in codes.values())
        assert not re.fullmatch(pattern, NO_CODE)


def test_the_releases_with_fields_at_fixed_places_are_known():
    assert [named(definition) for definition in WITH_LAYOUT] == [
        *(f"inep_school_census {year}" for year in (2007, 2008, 2009, 2013)),
        *(f"inep_higher_education_census {year}" for year in (2010, 2011, 2012)),
    ]


@pytest.mark.parametrize("definition", WITH_LAYOUT, ids=named)
def test_a_layout_has_a_place_of_its_own_for_every_attribute(definition):
    fields = definition.layout.fields
    assert sorted(fields) == sorted(definition.names.values())
    places = sorted(fields.values())
    ends = [0, *(end for _, end in places)]
    starts = [*(start for start, _ in places), definition.layout.n_bytes]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    assert all(start < end for start, end in places)


@pytest.mark.parametrize(
    ("definition", "other", "is_linked"),
    [
        (census("2014"), "2017", True),
        (census("2017"), "2007", True),
        (census("2017"), "2018", False),
        (census("2018"), "2017", False),
        (census("2018"), "2019", False),
        (census("2018"), "2018", True),
        (higher("2010"), "2017", True),
        (higher("2018"), "2017", False),
        (higher("2018"), "2019", False),
        (higher("2017"), "2016b", False),
        (delimited(), "2016", True),
        (delimited(), "wave-2", True),
    ],
)
def test_releases_are_linked_if_persons_keep_identifiers(definition, other, is_linked):
    assert definition.links(other) is is_linked


def test_members_at_fixed_places_are_known_by_their_names():
    assert census("2007").is_fixed_width("ts_matricula_SP.TXT")
    assert higher("2010").is_fixed_width("ALUNO.txt")
    assert not higher("2013").is_fixed_width("DM_ALUNO.CSV")
    assert not delimited().is_fixed_width("a.txt")


@pytest.mark.parametrize("release", ["2008", "2009"])
def test_higher_education_begins_with_2010(release):
    with pytest.raises(StudyError, match=f"no release {release}; there are 2010"):
        higher(release)


@pytest.mark.parametrize("path", sorted(CONFIG.glob("*/*.csv")), ids=lambda p: p.name)
def test_every_row_of_a_configuration_file_has_a_value_a_column(path):
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert [row[0] for row in rows if len(row) != len(header)] == []


@pytest.mark.parametrize(
    "name",
    ["MATRICULA_CO.CSV", "matricula_nordeste.csv", "microdados_ed_basica_2018.csv"],
)
def test_members_of_the_school_census_match_whatever_their_case(name):
    assert re.fullmatch(census().members, name, re.IGNORECASE)


def test_an_unknown_release_names_the_known_ones_and_the_column_to_add():
    with pytest.raises(
        StudyError, match=r"2007.*2020.*add a column 2021 to config/nam"
    ):
        census("2021")


def test_an_unknown_source_names_the_nearest():
    with pytest.raises(StudyError, match="Did you mean inep_school_census"):
        source_definition("inep_scool_census", "2018", {})


def test_delimited_text_is_read_as_the_options_say():
    definition = delimited(
        delimiter=";",
        encoding="ISO-8859-1",
        person_id="P",
        missing=["", "NA", 99],
        domains={"sex": "[12]"},
    )
    assert (definition.delimiter, definition.encoding) == (";", "latin-1")
    assert definition.identifiers == ("P",)
    assert definition.missing == ("", "NA", "99")
    assert definition.domains == {"sex": Domain("[12]", "a value matching [12]")}


@pytest.mark.parametrize("tab", ["\t", r"\t", "tab"])
def test_a_tabulator_can_be_given_by_its_name(tab):
    assert source_definition("delimited", "1", {"delimiter": tab}).delimiter == "\t"


def test_an_option_that_cannot_be_is_named(options, words):
    with pytest.raises(StudyError, match=words):
        delimited(**options)


def test_a_source_without_options_takes_none():
    with pytest.raises(StudyError, match="delimiter is not known; there are: none"):
        source_definition("inep_school_census", "2018", {"delimiter": ";"})


def test_a_release_is_of_the_state_and_year_of_its_name():
    roraima = source_definition("datasus_sia_pa", "RR-2023", {})
    assert (roraima.state, roraima.year) == ("RR", "2023")


@pytest.mark.parametrize("definition", [census("2018"), delimited()], ids=named)
def test_a_release_of_a_source_without_states_is_of_the_year_it_is_named(
    definition,
):
    assert (definition.state, definition.year) == (None, definition.release)


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
