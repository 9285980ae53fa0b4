import csv
import re

import pytest
from released import census, delimited

from microleak.errors import StudyError
from microleak.paths import CONFIG
from microleak.sources.definition import Domain, source_definition
from microleak.sources.patterns import is_pattern

RELEASES = [str(year) for year in range(2014, 2021)]


@pytest.mark.parametrize(
    ("release", "person", "school"),
    [
        ("2014", "FK_COD_ALUNO", "PK_COD_ENTIDADE"),
        ("2017", "CO_PESSOA_FISICA", "CO_ENTIDADE"),
        ("2018", "ID_ALUNO", "CO_ENTIDADE"),
    ],
)
def test_newest_names_map_to_the_names_of_the_release(release, person, school):
    definition = census(release)
    assert definition.official("ID_ALUNO") == person
    assert definition.official("CO_ENTIDADE") == school


def test_an_attribute_that_was_not_released_has_no_name():
    assert "NU_DIA" in census("2018").names
    assert "NU_DIA" not in census("2019").names
    assert census("2019").unreleased == ("NU_DIA",)


def test_domains_are_those_of_the_release():
    assert census("2017").domains["ID_ALUNO"] == Domain("[0-9]{12}", "12 digits")
    assert re.fullmatch(census("2014").domains["TP_ETAPA_ENSINO"].pattern, "43")
    assert not re.fullmatch(census("2015").domains["TP_ETAPA_ENSINO"].pattern, "43")


@pytest.mark.parametrize("release", RELEASES)
def test_every_released_attribute_of_the_school_census_has_a_domain(release):
    definition = census(release)
    assert set(definition.domains) == set(definition.names)
    for domain in definition.domains.values():
        assert is_pattern(domain.pattern)


@pytest.mark.parametrize("path", sorted(CONFIG.glob("*/*.csv")), ids=lambda p: p.name)
def test_every_row_of_a_configuration_file_has_a_value_a_column(path):
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert [row[0] for row in rows if len(row) != len(header)] == []


def test_the_school_census_is_read_as_inep_writes_it():
    definition = census()
    assert definition.delimiter == "|"
    assert definition.quote is None
    assert definition.encoding == "latin-1"
    assert definition.missing == ("",)
    assert definition.identifiers == ("ID_ALUNO", "ID_MATRICULA")


@pytest.mark.parametrize(
    "name",
    ["MATRICULA_CO.CSV", "matricula_nordeste.csv", "microdados_ed_basica_2018.csv"],
)
def test_members_of_the_school_census_match_whatever_their_case(name):
    assert re.fullmatch(census().members, name, re.IGNORECASE)


def test_an_unknown_release_names_the_known_ones_and_the_column_to_add():
    with pytest.raises(
        StudyError, match=r"2014.*2020.*add a column 2021 to config/nam"
    ):
        census("2021")


def test_an_unknown_source_names_the_nearest():
    with pytest.raises(StudyError, match="Did you mean inep_school_census"):
        source_definition("inep_scool_census", "2018", {})


def test_delimited_text_has_defaults():
    definition = delimited()
    assert (definition.delimiter, definition.encoding) == (",", "utf-8")
    assert (definition.quote, definition.missing) == ('"', ("",))
    assert definition.identifiers == ()
    assert definition.official("any name") == "any name"


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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimeter": ";"}, "Did you mean delimiter"),
        ({"delimiter": ";;"}, "delimiter must be one ASCII character"),
        ({"delimiter": '"'}, "delimiter must be one ASCII character"),
        ({"encoding": "utf-16"}, "encoding utf-16 cannot be read; use one of utf-8"),
        ({"encoding": "none"}, "encoding none cannot be read"),
        ({"missing": [True]}, "missing must be a list of texts"),
        ({"missing": "NA"}, "missing must be a list of texts"),
        ({"person_id": 7}, "person_id must be the name of an attribute"),
        (
            {"domains": {"a": "("}},
            r"the pattern of a is \(, which is not a regular exp",
        ),
        ({"domains": {"a": 1}}, "the pattern of a is 1, which is not a regular exp"),
        ({"domains": {"a": "(?x)1 1 # c"}}, r"a is \(\?x\)1 1 # c, which is not a reg"),
        ({"domains": {"a": "1++"}}, r"the pattern of a is 1\+\+, which is not"),
        ({"domains": {"a": "(?=1)1"}}, r"the pattern of a is \(\?=1\)1, which is not"),
        ({"domains": {"a": "1)|(?:2"}}, r"the pattern of a is 1\)\|\(\?:2, which is"),
        ({"domains": {"a": r"\Q1"}}, r"the pattern of a is \\Q1, which is"),
        ({"domains": ["a"]}, "domains must give a pattern for each attribute"),
    ],
)
def test_an_option_that_cannot_be_is_named(options, words):
    with pytest.raises(StudyError, match=words):
        delimited(**options)


def test_a_source_without_options_takes_none():
    with pytest.raises(StudyError, match="delimiter is not known; there are: none"):
        source_definition("inep_school_census", "2018", {"delimiter": ";"})
