import re
from dataclasses import replace

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from microleak import __version__
from microleak.base.errors import AuthorError, StudyError
from microleak.base.paths import ROOT
from microleak.figures.numbers import LOCALES, filled
from microleak.report.contents import Headline, Origin
from microleak.report.drawn import figure_name, file_name, of_attribute
from microleak.report.editions import glossary, not_measured, reproduction, seeded
from microleak.report.texts import span, speaker_of, texts_of, voice
from microleak.study.tables import result_tables as specs
from microleak.tables.rows import as_table
from tests.attacks.collective.explorable_study import tables_of
from tests.report.made import Told, report_pages

ENGLISH, PORTUGUESE = (voice(language) for language in ("en", "pt"))
BUILT_IN = [
    *("inep_school_census", "inep_higher_education_census"),
    *("datasus_sia_pa", "ibge_pense"),
]


def placeholders(texts, path=""):
    if isinstance(texts, dict):
        found = {}
        for key, value in texts.items():
            found |= placeholders(value, f"{path}/{key}")
        return found
    return {path: set(re.findall(r"\{(\w+(?::\w+)?)\}", str(texts)))}


def lower(names):
    """Placeholders, with those that only start a sentence as any other."""
    return {path: {name.lower() for name in found} for path, found in names.items()}


def test_portuguese_and_english_have_the_same_keys_and_placeholders():
    portuguese, english = (placeholders(texts_of(name)) for name in ("pt", "en"))
    assert lower(portuguese) == lower(english)
    for section in ("definitions", "limits"):  # in the same order, too
        assert list(texts_of("pt")[section]) == list(texts_of("en")[section])


@pytest.mark.parametrize("language", LOCALES)
def test_no_text_is_empty(language):
    assert "" not in str(texts_of(language)).split("'")[::2]
    for names in texts_of(language)["attributes"].values():
        assert all(names.values())


def test_a_language_without_texts_is_refused_with_those_there_are():
    with pytest.raises(StudyError, match=r"language fr\. It has: pt, en\..*languages"):
        voice("fr")


def test_a_list_of_names_is_joined_as_the_language_does():
    assert voice("en").listing(["a", "b", "c"]) == "a, b and c"
    assert voice("pt").listing(["a", "b"]) == "a e b"
    assert voice("en").listing(["a"]) == "a"
    assert voice("en").listing(["a", "b or c", "d"]) == "a, b or c, and d"
    assert voice("en").listing(["a or b", "c"]) == "a or b and c"
    assert voice("en").listing(["a and b", "c"]) == "a and b, and c"
    assert voice("pt").listing(["a", "b ou c", "d"]) == "a, b ou c e d"


def test_plain_names_are_of_the_columns_of_a_source():
    pense = voice("pt", ["ibge_pense"])
    assert pense.attribute("escola") == "escola (número)"
    assert pense.attribute("TP_SEXO") == "TP_SEXO"
    own = voice("en", ["delimited"])
    assert own.known(["nascimento", "sexo", "escola"]) == "nascimento, sexo and escola"
    date = ["NU_DIA", "NU_MES", "NU_ANO"]
    assert own.known(date) == "NU_DIA, NU_MES and NU_ANO"
    words = own.words(is_synthetic=False)
    assert words.attribute("escola") == "escola"
    assert speaker_of(words).attribute("escola") == "escola"


@pytest.mark.parametrize("language", LOCALES)
@pytest.mark.parametrize("source", ["delimited", *BUILT_IN])
def test_every_attribute_of_a_built_in_source_has_a_plain_name(source, language):
    known = set(texts_of(language)["attributes"].get(source, ()))
    folder = ROOT / "config"
    names = folder / f"names/{source}.csv"
    attributes = set(pd.read_csv(names)["attribute"]) if names.exists() else set()
    columns = yaml.safe_load((folder / f"sources/{source}.yaml").read_text("utf-8"))
    attributes |= set(columns.get("columns") or [])
    assert attributes - known == set()
    assert bool(attributes) == (source != "delimited")


def test_day_month_and_year_together_have_one_name(language, told):
    speaker = voice(language)
    assert speaker.known(["NU_DIA", "NU_MES", "NU_ANO", "CO_ENTIDADE"]) == told


def test_as_many_facts_as_attributes_are_known_of_a_date_too():
    names = ["NU_DIA", "NU_MES", "NU_ANO", "CO_ENTIDADE"]
    for language, *told in (
        ("en", "four facts", "4 attributes"),
        ("pt", "quatro informações", "4 atributos"),
    ):
        speaker = voice(language)
        assert [speaker.facts(names), speaker.number_known(names)] == told


def test_differences_have_their_unit_in_the_number_of_the_language(
    language, value, told
):
    assert voice(language).points("x", value) == told


def test_a_plain_name_is_followed_by_the_official_one_where_they_differ():
    english = voice("en")
    assert english.attribute("NU_DIA") == "day of the month of birth"
    assert english.attribute("V0404") == "V0404"
    assert english.explained("PA_IDADE") == "age (PA_IDADE)"
    assert english.explained("V0404") == "V0404"
    assert english.explained("age") == "age"


def said(speaker=ENGLISH, **values):
    shares = pd.Series(values, dtype="float64")
    return span(shares, lambda name: speaker.numbers.share(shares[name]), speaker)


def test_the_lowest_and_the_highest_are_named_and_of_equals_the_first():
    assert said(Bahia=0.5, Acre=0.01, Ceará=0.5) == "1.00% (Acre) to 50.00% (Bahia)"
    assert said(PORTUGUESE, Bahia=0.5, Acre=0.01) == "1,00% (Acre) a 50,00% (Bahia)"


def test_values_that_are_equal_stand_there_once(names, told):
    values = {name: None if name == "-" else 0.5 for name in names}
    assert said(**values) == f"50.00% ({told})"


def test_what_is_undefined_is_said_of_the_rest_and_nothing_where_all_is():
    assert said(Bahia=0.5, Acre=None) == "50.00% (Bahia; undefined for the rest)"
    assert said(Bahia=None, Acre=None) == ""


LONGEST_BESIDE = len(".unfinished-.12345678")
"""What a file's name has beside its own while it is written."""


@given(st.text(max_size=400))
def test_a_name_of_any_attribute_fits_in_a_file_system_beside_one_of_an_analysis(name):
    kind = of_attribute("population", name)
    path = figure_name("reconstruction", "a" * 100, kind, language="pt")
    assert len(path.encode()) + LONGEST_BESIDE <= 255
    assert "/" not in path


@given(st.text("aé%/-~", max_size=60), st.text("aé%/-~", max_size=60))
def test_no_two_attributes_have_one_name(first, other):
    several = {each for name in (first, other) for each in (name, file_name(name * 3))}
    assert len({file_name(each) for each in several}) == len(several)


def test_a_question_as_an_attribute_is_told_by_its_beginning():
    question = "Em quantos dias da última semana você comeu frutas? " * 3
    assert file_name(question).startswith("Em quantos dias da última semana você")
    assert len(file_name(question).encode()) == 100


TOPICS = frozenset(texts_of("en")["measurable"])


def test_words_stand_in_the_order_of_the_alphabet_whatever_their_accents():
    terms = [entry["term"] for entry in glossary(TOPICS, PORTUGUESE)]
    assert terms[:3] == ["Adversário", "Atributo", "Atributo sensível"]
    every = [entry["term"] for entry in glossary((), PORTUGUESE)]
    assert every.index("Épsilon (ε)") < every.index("Inferência de atributo")


@pytest.mark.parametrize("language", ["pt", "en"])
def test_every_word_is_explained_once_and_its_topic_one_that_can_be_measured(language):
    texts = texts_of(language)
    terms = [entry["term"] for entry in glossary((), voice(language))]
    others = [part["term"] for part in texts["definitions"].values()]
    assert len({*terms, *others}) == len(terms) + len(others)
    topics = {entry.get("topic") for entry in texts["glossary"].values()} - {None}
    assert topics <= set(texts["measurable"])


def test_a_word_of_another_topic_is_left_out():
    words = {entry["term"] for entry in glossary(TOPICS - {"anonymity"}, ENGLISH)}
    assert {"k-anonymity", "Adversary"} <= words
    assert "Mechanism" not in words


def test_what_a_study_does_not_have_is_said():
    (told,) = not_measured({"collective", "anonymity"}, ENGLISH)
    assert told.startswith("This study has not measured: releases linked person by")
    assert "anonymity" not in told
    assert "; reconstruction of databases" in told
    assert not_measured(TOPICS, ENGLISH) == []


def test_what_a_seed_undoes_is_said_of_the_protections_of_a_page(protected, said):
    nothing = [as_table(specs()[name], []) for name in ("ingest", "removed")]
    origin = Origin(*nothing, pd.DataFrame({"release": protected}), pd.DataFrame())
    study = Headline("town", seeded=["a", "c", "d"])
    limits = [*seeded(study, origin, ENGLISH)]
    assert [each[: len(said[0])] for each in limits] == said
    assert len([*seeded(study, origin, PORTUGUESE)]) == len(said)


def test_the_version_and_the_place_of_the_hashes_are_told():
    first, commands, second = reproduction(Headline("my-study", file="m.yaml"), ENGLISH)
    assert f"version {__version__}" in first
    assert commands == "microleak run path/to/m.yaml\nmicroleak verify results/my-study"
    assert "replace path/to by the folder of the study file" in first
    assert "manifest.json, in the folder results/my-study, holds" in second


@pytest.mark.parametrize(
    ("n_targets", "told"),
    [(1, "attacked 1 individual target "), (2, "attacked 2 individual targets ")],
)
def test_targets_are_counted_with_the_folder_of_their_tables(n_targets, told):
    tables = replace(tables_of(), collective={}, worst={}, distribution={})
    study = Told("my-study", n_targets=n_targets)
    page = report_pages(study, tables, {}, ["en"])["index.html"]
    assert told in page
    assert "results/my-study/confidential/targets" in page
    page = report_pages(Told("my-study"), tables, {}, ["en"])
    assert "confidential" not in page["index.html"]


@pytest.mark.parametrize("row", [{"illness": "hiv"}, pd.Series({"illness": "hiv"})])
def test_a_placeholder_that_nothing_fills_is_named_and_no_value_is(row):
    with pytest.raises(AuthorError, match=r"\{n_ill\}, and is given only who, illness"):
        filled("{n_ill}", voice("en"), row, {"who": "somebody"})


def test_a_phrase_that_texts_lack_is_named_with_the_nearest():
    said = "answer of texts.yaml has no fnd. Did you mean find?"
    with pytest.raises(AuthorError, match=re.escape(said)):
        voice("en").say("answer.fnd")
