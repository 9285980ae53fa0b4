import csv
import re

import pytest

from microleak.base.errors import StudyError
from microleak.base.paths import CONFIG
from microleak.sources.definitions.definition import Domain, source_definition
from microleak.sources.definitions.options import is_pattern
from microleak.sources.definitions.yearly import NO_CODE
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
def test_recoded_attributes_are_released_and_their_domain_has_the_newest_codes(
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
def test_releases_are_linked_if_a_person_keeps_the_identifier(
    definition, other, is_linked
):
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
def test_a_release_of_a_source_without_states_is_of_the_year_that_it_is_named(
    definition,
):
    assert (definition.state, definition.year) == (None, definition.release)
