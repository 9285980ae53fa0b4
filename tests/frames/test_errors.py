"""What is wrong is said in one sentence, in words of the function."""

import re
import shutil

import pandas as pd
import pyarrow as pa
import pytest

import microleak
from microleak.base.errors import (
    MicroleakError,
    StudyError,
    TableError,
    VerificationError,
)

PEOPLE = pd.DataFrame(
    {
        "id": [1, 2, 3, 4],
        "age": [25, 25, 60, None],
        "sex": ["F", "M", "M", "M"],
        "ill": ["yes", "no", "no", "no"],
    }
)
COUNT = {
    "epsilons": ["ln 3"],
    "sensitive": "ill",
    "useful": "ill",
    "predicate": {"equals": "yes"},
    "models": ["oblivious"],
}
REBUILD = {"queries": 20, "errors": 1, "attacks": ["linear"]}


def membership(**changed):
    given = {"population": PEOPLE, "sample": PEOPLE[:2], "qids": ["age"]} | changed
    return microleak.membership(**given)


def panel(**changed):
    given = {"focal": PEOPLE, "auxiliary": {"then": PEOPLE}, "person_id": "id"}
    return microleak.panel(**given | {"qids": ["age"]} | changed)


def anonymity(**changed):
    return microleak.anonymity(**{"frame": PEOPLE, "qids": ["age"]} | changed)


def target(**changed):
    return microleak.target(**{"frame": PEOPLE, "known": {"age": 25}} | changed)


def mechanism(**changed):
    return microleak.mechanism(**{"frame": PEOPLE} | COUNT | changed)


def reconstruct(**changed):
    return microleak.reconstruct(**{"database": [0, 1] * 5} | REBUILD | changed)


@pytest.mark.parametrize(
    ("function", "changed", "words"),
    [
        (panel, {"qids": ["agee"]}, "The focal frame has no column agee. Did you mean"),
        (panel, {"qids": ["age"], "sensitive": ["age"]}, "both a QID and sensitive"),
        (
            panel,
            {"qids": ["id"]},
            "id is named twice among qids and sensitive and pers",
        ),
        (panel, {"auxiliary": {}}, "give auxiliary, or use assess"),
        (panel, {"auxiliary": {"a|b": PEOPLE}}, r"texts without \| and \+"),
        (
            panel,
            {"auxiliary": {"then": PEOPLE[["id"]]}},
            "auxiliary frame then has no c",
        ),
        (panel, {"auxiliary": {"then": PEOPLE[:0]}}, "frame then has no records"),
        (
            panel,
            {"focal": pd.concat([PEOPLE, PEOPLE])},
            "in the focal frame id is that of another one in 4 records, .* Keep one",
        ),
        (
            panel,
            {"auxiliary": {"then": PEOPLE.assign(id=[1, 1, 2, None])}},
            "in the auxiliary frame then 1 record has no id",
        ),
        (
            panel,
            {"auxiliary": {"then": PEOPLE.assign(id=[5, 6, 7, 8])}},
            "no id is in both the focal frame and then",
        ),
        (panel, {"groups": {"g": {"attribute": "ill"}}}, "a list of its values"),
        (
            panel,
            {"groups": {"g": {"attribute": "age", "values": ["1"]}}},
            "panel: group 'g' has values of age, which is a QID",
        ),
        (
            panel,
            {"auxiliary": {"then": (PEOPLE, ["sex"])}},
            "panel: sex of the auxiliary release then is not among the QIDs",
        ),
        (target, {"known": {}}, "known has values by column"),
        (target, {"known": {"agee": 1}}, "has no column agee. Did you mean age"),
        (target, {"sensitive": ["age"]}, "age is named twice among known and sensit"),
        (target, {"frame": PEOPLE[:0]}, "target: the frame has no records"),
        (target, {"frame": {"age": [1]}}, "pandas or Polars frame or .*, not dict"),
        (membership, {"qids": []}, "membership needs at least one QID"),
        (membership, {"qids": "age"}, r'of names, as \["age"\]'),
        (membership, {"sample": PEOPLE[:0]}, "membership: the sample has no records"),
        (
            membership,
            {"sample": pd.concat([PEOPLE, PEOPLE])},
            "membership: of records the sample has 8, more than the 4 of the popul",
        ),
        (
            membership,
            {"filter": {"sex": ["X"]}},
            "the population has no record with the values of filter \\(sex\\)",
        ),
        (membership, {"not_found": "forget"}, "not_found is 'forget', not one of"),
        (
            membership,
            {"not_found": "refuse", "sample": PEOPLE.assign(age=1)},
            "no record of the population has, in 4 of its records",
        ),
        (
            membership,
            {"targets": {"somebody": {"sex": "F"}}},
            "of the target 'somebody' is known sex, which is not among qids",
        ),
        (membership, {"subsets": {"sizes": [2]}}, "there are only 1"),
        (membership, {"n_threads": 0}, "membership: n_threads is 0"),
        (anonymity, {"sensitive": ["age"]}, "age is both a QID and sensitive"),
        (
            anonymity,
            {"order": {"ill": ["no"]}},
            "order has ill, which is not sensitive",
        ),
        (
            anonymity,
            {"sensitive": ["ill"], "order": {"ill": ["no", "maybe"]}},
            "ill has a value that is not in its order, in 1 of the records",
        ),
        (anonymity, {"entity": "age"}, "age is both the entity and a QID"),
        (
            anonymity,
            {"population": PEOPLE, "n_population": 9},
            "both population and n_population are given",
        ),
        (anonymity, {"n_population": 3}, "is 3, less than the 4 records of the frame"),
        (anonymity, {"subsets": "alll"}, 'subsets is "all", "full" or'),
        (
            anonymity,
            {"entity": "id", "rows": PEOPLE.assign(id=[1, 2, None, None])},
            "is missing in 2 of the rows",
        ),
        (mechanism, {"models": None}, "mechanism lacks models. Give either"),
        (mechanism, {"attributes": ["age"]}, "has both attributes and sensitive"),
        (
            mechanism,
            {"sensitive": None, "useful": None},
            "give either sensitive, useful",
        ),
        (mechanism, {"epsilons": ["lnn 3"]}, "the 1st of epsilons: .*lnn 3"),
        (mechanism, {"epsilons": "ln 3"}, "epsilons and attributes are lists"),
        (mechanism, {"models": ["loud"]}, "models: .*|models is .*not one of"),
        (
            mechanism,
            {"predicate": {"equals": "maybe"}},
            "is that of no record of the fr",
        ),
        (mechanism, {"predicate": {"is": "yes"}}, "predicate has no key 'is'"),
        (
            mechanism,
            {"filter": {"sex": ["X"]}},
            "1st value of filter of sex is that of",
        ),
        (mechanism, {"samples": {"number": 2, "size": 9}}, "mechanism: .* 4 records|9"),
        (reconstruct, {"database": [0, 0]}, "every entry would be 0"),
        (reconstruct, {"database": [0, 2]}, "something else than 0 and 1"),
        (reconstruct, {"database": [0, None]}, "is missing for 1 person"),
        (reconstruct, {"database": object()}, "database is a column of truth values"),
        (reconstruct, {"attacks": ["linearr"]}, "not one of"),
        (reconstruct, {"attacks": None}, "reconstruct has neither attacks nor points"),
        (reconstruct, {"queries": "n*m"}, "n\\*m"),
        (reconstruct, {"entries": [11]}, "has 10 persons, and entries has 11"),
        (reconstruct, {"database": 0.5}, "reconstruct.* lacks entries"),
    ],
)
def test_it_is_said_in_words_of_the_function(function, changed, words):
    with pytest.raises(MicroleakError, match=words) as error:
        function(**changed)
    said = str(error.value)
    assert "study file" not in said
    assert "given frame" not in said
    assert "analysis" not in said
    assert "\n" not in said


MANY = [f"q{number}" for number in range(63)]
WIDE = pd.DataFrame({name: [1, 2, 2] for name in (*MANY, "ill")})
COARSE = [{"drop": ["ill"]}]


@pytest.mark.parametrize(
    "call",
    [
        lambda: microleak.assess(WIDE, MANY, subsets="full"),
        lambda: microleak.anonymity(WIDE, MANY, subsets="full"),
        lambda: microleak.membership(WIDE, WIDE, MANY, subsets="full"),
        lambda: microleak.g_leakage(WIDE, MANY, "ill", tries=1, subsets="full"),
        lambda: microleak.risk_groups(WIDE, MANY, ["ill"], subsets="full"),
        lambda: microleak.rough_knowledge(WIDE, MANY, {"q1": {"within": 1}}),
        lambda: microleak.known_protection(WIDE, WIDE, COARSE, MANY),
    ],
)
def test_no_more_qids_are_taken_than_a_study_may_have(call):
    with pytest.raises(StudyError, match="63 QIDs are more than the 62 that an"):
        call()


def test_what_is_to_be_corrected_is_an_argument():
    with pytest.raises(TableError, match="records the frame has 8, more than") as error:
        anonymity(frame=pd.concat([PEOPLE, PEOPLE]), population=PEOPLE)
    assert str(error.value).endswith("Correct population or frame.")


def test_an_argument_that_there_is_not_is_refused_by_the_function():
    with pytest.raises(TypeError, match=r"anonymity\(\) got an unexpected .*'sample'"):
        anonymity(sample=PEOPLE)
    with pytest.raises(TypeError, match=r"anonymity\(\) missing a required .*'qids'"):
        microleak.anonymity(PEOPLE)


def test_results_that_are_none_are_refused_with_the_nearest(tmp_path):
    (tmp_path / "town").mkdir()
    with pytest.raises(
        StudyError, match=r"no folder .*towm of results\. Did you mean town"
    ):
        microleak.open_results(tmp_path / "towm")
    with pytest.raises(
        StudyError, match="town is no result of a study: it has neither"
    ):
        microleak.open_results(str(tmp_path / "town"))


@pytest.mark.workflow
def test_a_study_that_is_not_finished_is_refused(demo, tmp_path):
    shutil.copytree(demo / "records", tmp_path / "demo/records")
    with pytest.raises(VerificationError, match=r"has no manifest\.json"):
        microleak.open_results(tmp_path / "demo")


@pytest.mark.workflow
def test_a_table_that_there_is_not_is_named_with_the_nearest(demo):
    opened = microleak.open_results(demo)
    with pytest.raises(StudyError, match=re.escape("Did you mean worst/town-2023?")):
        opened["wurst/town-2023"]
    assert "wurst/town-2023" not in opened


def test_a_result_names_its_tables_where_another_is_asked_for():
    found = microleak.assess(pa.table({"x": [1, 1]}), ["x"])
    with pytest.raises(StudyError, match=r"no table 'worse'\. Did you mean 'worst'"):
        found.to_pandas("worse")


def test_a_column_that_is_there_is_not_suggested_in_its_own_place():
    twice = pd.DataFrame([[1, 2]], columns=["age", "age"])
    with pytest.raises(TableError, match=r"has several columns age\. It has: age, age"):
        microleak.assess(twice, ["age"])
    numbered = pd.DataFrame([[1, 2]], columns=[2014, "age"])
    with pytest.raises(TableError, match="a column 2014 whose name is no text"):
        microleak.assess(numbered, ["2014"])
