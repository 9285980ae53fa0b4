"""What is wrong is said in one sentence, in words of the function."""

import re
import shutil

import pandas as pd
import pyarrow as pa
import pytest

import microleak
from microleak.base import errors
from microleak.base.errors import MicroleakError, StudyError, TableError
from microleak.records import call as calls

PEOPLE = pd.DataFrame(
    {
        "id": [1, 2, 3, 4],
        "age": [25, 25, 60, None],
        "sex": ["F", "M", "M", "M"],
        "ill": ["yes", "no", "no", "no"],
    }
)
COUNT = {"epsilons": ["ln 3"], "sensitive": "ill", "useful": "ill"}
COUNT |= {"predicate": {"equals": "yes"}, "models": ["oblivious"]}
USUAL = {
    "membership": {"population": PEOPLE, "sample": PEOPLE[:2], "qids": ["age"]},
    "panel": {
        **{"focal": PEOPLE, "auxiliary": {"then": PEOPLE}, "person_id": "id"},
        "qids": ["age"],
    },
    "anonymity": {"frame": PEOPLE, "qids": ["age"]},
    "target": {"frame": PEOPLE, "known": {"age": 25}},
    "mechanism": {"frame": PEOPLE, **COUNT},
    "reconstruct": {
        **{"database": [0, 1] * 5, "queries": 20, "errors": 1},
        "attacks": ["linear"],
    },
}


def call(function, **changed):
    return getattr(microleak, function)(**USUAL[function] | changed)


NAMED = {
    "@people": PEOPLE,
    "@nobody": PEOPLE[:0],
    "@twice": pd.concat([PEOPLE, PEOPLE]),
    "@ids": PEOPLE[["id"]],
    "@unlike": PEOPLE.assign(id=[1, 1, 2, None]),
    "@others": PEOPLE.assign(id=[5, 6, 7, 8]),
    "@children": PEOPLE.assign(age=1),
    "@lost": PEOPLE.assign(id=[1, 2, None, None]),
    "@thing": object(),
}


def given(value):
    """What a case gives, with frames for their names, and pairs of these and QIDs."""
    if isinstance(value, dict):
        return {name: given(each) for name, each in value.items()}
    if isinstance(value, list) and value[:1] == ["@people"]:
        return PEOPLE, value[1]
    return NAMED[value] if isinstance(value, str) and value in NAMED else value


def test_it_is_said_in_words_of_the_function(function, changed, words):
    with pytest.raises(MicroleakError, match=words) as error:
        call(function, **given(changed))
    said = str(error.value)
    for foreign in ("study file", "given frame", "analysis", "\n"):
        assert foreign not in said


@pytest.mark.parametrize(
    ("kind", "changed", "said"),
    [
        (ValueError, {"n_population": 3}, "anonymity: n_population is 3, less than"),
        (
            ValueError,
            {"frame": PEOPLE.assign(age=[1, "a", 2, 3])},
            "Column age has ",
        ),
        (
            KeyError,
            {"qids": ["agee"]},
            "The frame has no column agee. Did",
        ),
    ],
)
def test_errors_are_those_of_python_too(kind, changed, said):
    with pytest.raises(kind) as error:
        call("anonymity", **changed)
    assert str(error.value).startswith(said)


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
        call("anonymity", frame=NAMED["@twice"], population=PEOPLE)
    assert str(error.value).endswith("Correct population or frame.")


def test_an_argument_that_there_is_not_is_refused_by_the_function():
    with pytest.raises(TypeError, match=r"anonymity\(\) got an unexpected .*'sample'"):
        call("anonymity", sample=PEOPLE)
    with pytest.raises(TypeError, match=r"anonymity\(\) missing a required .*'qids'"):
        microleak.anonymity(PEOPLE)


def test_results_that_are_none_are_refused_with_the_nearest(tmp_path):
    (tmp_path / "town").mkdir()
    said = r"no folder .*towm of results\. Did you mean town"
    with pytest.raises(StudyError, match=said):
        microleak.open_results(tmp_path / "towm")
    with pytest.raises(StudyError, match="town is no result of a study: it has nei"):
        microleak.open_results(str(tmp_path / "town"))


@pytest.mark.workflow
def test_a_study_that_is_not_finished_is_refused(demo, tmp_path):
    shutil.copytree(demo / "records", tmp_path / "demo/records")
    with pytest.raises(errors.VerificationError, match=r"has no manifest\.json"):
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


def test_all_cores_are_used_unless_fewer_are_asked_for(monkeypatch):
    monkeypatch.setattr(calls, "cores_here", lambda: 3)
    for asked, used in ((None, 3), (1, 1)):
        with calls.room_to_work("assess", asked) as resources:
            assert resources.threads == used
