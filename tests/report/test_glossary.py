"""Words explained, what was not measured, and how a page is made again."""

from dataclasses import replace

import pandas as pd
import pytest

from microleak import __version__
from microleak.report.contents import Headline, Origin
from microleak.report.editions import glossary, not_measured, reproduction, seeded
from microleak.report.texts import texts_of, voice
from microleak.study.tables import result_tables as specs
from tests.attacks.collective.explorable_study import tables_of
from tests.report.made import Told, report_pages

ENGLISH, PORTUGUESE = (voice(language) for language in ("en", "pt"))
TOPICS = frozenset(texts_of("en")["measurable"])


def test_words_stand_in_the_order_of_the_alphabet_whatever_their_accents():
    terms = [entry["term"] for entry in glossary(TOPICS, PORTUGUESE)]
    assert terms[:3] == ["Adversário", "Atributo", "Atributo sensível"]
    every = [entry["term"] for entry in glossary((), PORTUGUESE)]
    assert every.index("Épsilon (ε)") < every.index("Inferência de atributo")


@pytest.mark.parametrize("language", ["pt", "en"])
def test_every_word_is_explained_once(language):
    terms = [entry["term"] for entry in glossary((), voice(language))]
    others = [part["term"] for part in texts_of(language)["definitions"].values()]
    assert len({*terms, *others}) == len(terms) + len(others)


def test_a_word_of_another_topic_is_left_out():
    words = {entry["term"] for entry in glossary(TOPICS - {"anonymity"}, ENGLISH)}
    assert {"k-anonymity", "Adversary"} <= words
    assert "Mechanism" not in words


@pytest.mark.parametrize("language", ["pt", "en"])
def test_every_topic_of_a_word_is_one_that_can_be_measured(language):
    texts = texts_of(language)
    topics = {entry.get("topic") for entry in texts["glossary"].values()} - {None}
    assert topics <= set(texts["measurable"])


def test_what_a_study_does_not_have_is_said():
    (told,) = not_measured({"collective", "anonymity"}, ENGLISH)
    assert told.startswith("This study has not measured: releases linked person by")
    assert "anonymity" not in told
    assert "; reconstruction of databases" in told


def test_a_study_that_has_everything_lacks_nothing():
    assert not_measured(TOPICS, ENGLISH) == []


def test_what_a_seed_undoes_is_said_of_the_protections_of_a_page(protected, said):
    nothing = [specs()[name].frame([]) for name in ("ingest", "removed")]
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


def test_a_page_without_targets_says_nothing_of_them():
    tables = replace(tables_of(), collective={}, worst={}, distribution={})
    page = report_pages(Told("my-study"), tables, {}, ["en"])
    assert "confidential" not in page["index.html"]
