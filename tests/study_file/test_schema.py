"""The schema describes every key, and its file is made from the sections."""

from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.base.files import UNFINISHED
from microleak.base.paths import CONFIG, SCHEMA
from microleak.study.load import check_content, load_study, study_schema
from microleak.study_file.schema import keys_below, schema_file

NO_STUDY = ("config.yaml", "country.yaml", "schema.yaml")
STUDIES = sorted(
    path
    for glob in ("*", "examples/*", "papers/*")
    for path in CONFIG.glob(f"{glob}.yaml")
)


def test_every_key_is_described():
    missing = [
        key for key, part in keys_below(study_schema()) if not part.get("description")
    ]
    assert missing == []


def test_the_file_of_the_schema_is_made_from_the_sections():
    assert SCHEMA.read_text(encoding="utf-8") == schema_file(study_schema()), (
        "run make docs"
    )


@pytest.mark.parametrize(
    "path", [p for p in STUDIES if p.name not in NO_STUDY], ids=lambda p: p.stem
)
def test_every_study_in_the_repository_fits_the_schema(path):
    assert load_study(path).name == path.stem


def test_a_fault_in_a_list_ends_with_what_was_expected(family, part, words):
    whole = {
        "mechanism": {"table": "people", "focal": 2015, "epsilons": ["1"]},
        "reconstruction": {"entries": [5], "queries": [5], "errors": [1]},
    }
    analysis = {"name": "one", **whole[family], **part}
    study = {"study": "demo", "seed": 7, "analyses": {family: [analysis]}}
    with pytest.raises(StudyError) as refused:
        check_content(study, Path("demo.yaml"))
    assert str(refused.value).endswith(words)


PLACES = {
    "qid_sets": {"x": []},
    "groups": {"g": {"attribute": "a", "values": [1]}},
    "report": {"languages": ["pt", "fr"]},
    "analyses": {
        "collective": [{"name": "one", "table": "t", "focal": 1, "qids": ["a", "a"]}]
    },
}


def test_a_fault_is_told_with_its_place_and_what_was_expected_there(key, words):
    assert said_of({key: PLACES[key]}).startswith(f"demo.yaml: {words}")


def test_a_fault_in_an_analysis_is_told_by_its_name(change, words):
    analysis = {"name": "one", "table": "t", "focal": 1, "qids": ["a"], **change}
    assert words in said_of({"analyses": {"collective": [analysis]}})


@pytest.mark.parametrize("content", ["age,sex,race", None, ["age"]])
def test_what_is_no_study_file_at_all_is_told_so(content):
    with pytest.raises(StudyError, match=r"demo\.yaml: this is not a study file"):
        check_content(content, Path("demo.yaml"))


def test_what_a_target_repeats_is_not_shown():
    target = {"name": "ana", "table": "t", "focal": 1, "known": {"a": "1"}}
    said = said_of({"analyses": {"targets": [target | {"further": ["k", "k"]}]}})
    assert "further has its 2nd entry twice" in said


def said_of(part):
    with pytest.raises(StudyError) as refused:
        check_content(
            {"study": "demo", "seed": 7, "analyses": {}, **part}, Path("demo.yaml")
        )
    return str(refused.value)


def test_a_name_of_100_characters_makes_no_file_name_that_is_too_long():
    """An analysis of many releases has its own name and that of a release."""
    one = f"{'a' * 100}-{'b' * 100}"
    names = [f"{UNFINISHED}{one}.parquet.{'x' * 8}", f"{one}-distribution.csv"]
    assert max(map(len, names)) <= 255
    study = {"study": "a" * 100, "seed": 7, "analyses": {}}
    check_content(study, Path("demo.yaml"))
