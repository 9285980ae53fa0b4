import re

import pytest

from microleak.errors import StudyError
from microleak.figures.numbers import LOCALES
from microleak.report.texts import texts_of, voice


def placeholders(texts, path=""):
    """Every text of a file by its path, with the placeholders in it."""
    if isinstance(texts, dict):
        found = {}
        for key, value in texts.items():
            found |= placeholders(value, f"{path}/{key}")
        return found
    return {path: set(re.findall(r"\{(\w+)\}", str(texts)))}


def lower(names):
    """Placeholders, with those that only start a sentence as any other."""
    return {path: {name.lower() for name in found} for path, found in names.items()}


def test_portuguese_and_english_have_the_same_keys_and_placeholders():
    portuguese, english = (placeholders(texts_of(name)) for name in ("pt", "en"))
    assert lower(portuguese) == lower(english)


def test_definitions_and_limits_stand_in_the_same_order():
    for section in ("definitions", "limits"):
        assert list(texts_of("pt")[section]) == list(texts_of("en")[section])


@pytest.mark.parametrize("language", LOCALES)
def test_no_text_is_empty(language):
    assert "" not in str(texts_of(language)).split("'")[::2]
    assert all(texts_of(language)["attributes"].values())


def test_a_language_without_texts_is_refused_with_those_there_are():
    with pytest.raises(StudyError, match=r"language fr\. It has: pt, en\..*languages"):
        voice("fr", is_published=False)


def test_a_list_of_names_is_joined_as_the_language_does():
    assert voice("en", False).listing(["a", "b", "c"]) == "a, b and c"
    assert voice("pt", False).listing(["a", "b"]) == "a e b"
    assert voice("en", False).listing(["a"]) == "a"


def test_an_attribute_without_a_plain_name_keeps_its_official_one():
    english = voice("en", False)
    assert english.attribute("NU_DIA") == "day of birth"
    assert english.attribute("V0404") == "V0404"


def test_a_plain_name_is_followed_by_the_official_one_where_they_differ():
    english = voice("en", False)
    assert english.explained("PA_IDADE") == "age (PA_IDADE)"
    assert english.explained("V0404") == "V0404"
    assert english.explained("age") == "age"
