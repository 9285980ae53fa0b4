"""What is known roughly: its study file, laws, part of the page and figure."""

from fractions import Fraction

import pandas as pd
import pytest

import microleak
from microleak.base.errors import MicroleakError, StudyError, TableError
from microleak.records import rough
from microleak.records.rough import channel_of
from microleak.study_file.rough import RoughSection, read_confusion
from tests.attacks.rough_knowledge.shown_rows import ROUGH
from tests.report.made import part_of_rows
from tests.study_file import given

CONFUSION = "true,a,b,\na,1/2,.5,0\n,0.25,0,0.75\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race.csv").write_text(CONFUSION, encoding="utf-8")
    return tmp_path


def study(folder, more):
    more = f"focal: 1, qids: [age, race], {more}"
    found = given.study(folder, "rough_knowledge", more)
    return found.analyses["rough_knowledge"]["one"]


def test_a_file_says_what_values_are_taken_for(folder):
    analysis = study(folder, "roughly: {race: {confusion: race.csv, unknown: 1/3}}")
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert analysis.roughly["race"].matrix.exact == {
        "a": {"a": half, "b": half},
        None: {"a": quarter, None: 3 * quarter},
    }


def test_an_analysis_that_cannot_be_is_refused(folder, more, said):
    with pytest.raises(StudyError, match=said):
        study(folder, more)


def test_targets_and_samples_know_roughly_what_they_know(folder):
    """Only what is known of a target, or a QID of the sample, is known roughly."""
    people = given.PEOPLE.replace("OPTIONS", "{person_id: id}").partition("FURTHER")[0]
    text = people + (
        """qid_sets: {both: [age, race]}
analyses:
  targets:
    - name: one
      table: people
      focal: 1
      known: {age: "25", race: a}
      roughly: {race: {confusion: race.csv}, ROUGH: {within: 2}}
  membership:
    - name: who
      population: {table: people, release: 1}
      sample: {table: people, release: 2}
      qids: [age, race]
      roughly: {TOLD: {unknown: "1/2"}}
"""
    )

    def load(rough, told):
        told_of = text.replace("ROUGH", rough).replace("TOLD", told)
        return given.loaded(folder, told_of).analyses

    found = load("age", "age")
    of_target = found["targets"]["one"].roughly
    assert of_target["age"].within == 2
    assert of_target["race"].matrix.exact[None][None] == Fraction(3, 4)
    assert found["membership"]["who"].roughly["age"].unknown == "1/2"
    with pytest.raises(StudyError, match="roughly has ages, which is not among known"):
        load("ages", "age")
    with pytest.raises(StudyError, match="'who': roughly has sex, which is not"):
        load("age", "sex")


def test_a_target_known_within_a_range_is_refused_where_values_are_no_numbers():
    people = pd.DataFrame({"age": ["25", "secret"]})
    with pytest.raises(MicroleakError, match="age is known within a range") as error:
        microleak.target(people, {"age": "25"}, roughly={"age": {"within": 1}})
    assert "secret" not in str(error.value)


def test_a_confusion_of_a_value_that_no_record_has_is_refused():
    people = pd.DataFrame({"race": [*"aabb"]})
    of_nobody = {"c": {"a": "1"}, None: {"a": "1"}}
    with pytest.raises(TableError) as error:
        microleak.rough_knowledge(people, ["race"], {"race": {"confusion": of_nobody}})
    assert str(error.value) == (
        "rough_knowledge: confusion of race has 'c', which no record has in race. "
        "Correct it there, or leave it out; a value that may be absent needs a domain "
        "of race (domains, under options)."
    )


def test_a_faulty_file_is_refused_by_its_line_without_its_content(folder, text, said):
    path = folder / "faulty.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=said) as error:
        read_confusion(path, "one")
    assert "secret" not in str(error.value)


def test_numbers_near_another_are_those_of_others_whatever_their_zeros():
    channel = channel_of(["09", None, "10"], RoughSection(within=1), "one")
    # 8, 9 and 10 of the first; itself of the missing one; 9, 10 and 11 of the last.
    assert channel.known.tolist() == [3, 0, 2, 1, 0, 2, 4]
    assert channel.weights.tolist() == [1, 1, 1, 3, 1, 1, 1]
    assert (channel.denominator, channel.unknown) == (3, 5)


def test_values_that_are_taken_for_one_another_are_weighed_together(monkeypatch):
    monkeypatch.setattr(rough, "ROWS_AT_ONCE", 1)
    people = pd.DataFrame({"race": [*"aabbb"]})
    same = {"race": {"confusion": {"a": {"c": 1}, "b": {"c": 1}}}}
    for roughly in (same, {"race": {"unknown": "1"}}):
        row = microleak.rough_knowledge(people, ["race"], roughly).rough_knowledge
        assert row["posterior_prob"].tolist() == [0.2]
        assert row["posterior_det"].tolist() == [0]


NO_CHANCES = "the chances of a value of race are no numbers"


@pytest.mark.parametrize(
    ("roughly", "said"),
    [
        ({"race": 1}, "roughly is a mapping"),
        ([("race", {})], "roughly is a mapping"),
        ({"race": {"confusion": {"a": "b"}}}, "roughly is a mapping"),
        ({"race": {"confusion": {"a": {"a": 1}}, "within": 1}}, "has both within and"),
        ({"race": {"confusion": {"a": {"1": "1/2", 1: "1/2"}}}}, "same text"),
        ({"race": {"within": 1}}, "has values that are no whole numbers"),
        ({"race": {"confusion": {"a": {"a": "0.9"}}}}, NO_CHANCES),
        ({"race": {"confusion": {"a": {"a": "x"}}}}, NO_CHANCES),
        ({"race": {"confusion": {"a": {"a": 2, "b": -1}}}}, NO_CHANCES),
    ],
)
def test_what_is_no_way_to_know_is_refused(roughly, said):
    people = pd.DataFrame({"race": ["a", "b", "1"]})
    with pytest.raises(MicroleakError, match=said):
        microleak.rough_knowledge(people, ["race"], roughly)


def test_more_ways_than_can_be_weighed_are_refused(monkeypatch):
    people = pd.DataFrame({"age": [25, 60]})
    with pytest.raises(MicroleakError, match="known within 1,000,000, more than"):
        microleak.rough_knowledge(people, ["age"], {"age": {"within": 1_000_000}})
    monkeypatch.setattr(rough.RoomForRows, "n_rows", 5)
    with pytest.raises(MicroleakError, match="6 combinations of what may be known"):
        microleak.rough_knowledge(people, ["age"], {"age": {"within": 1}})


def test_chances_of_too_many_digits_are_refused():
    people = pd.DataFrame({"age": [25, 60], "sex": ["F", "M"]})
    prime = {"F": {"F": f"1/{2**31 - 1}", "M": f"{2**31 - 2}/{2**31 - 1}"}}
    ways = {"sex": {"confusion": prime}, "age": {"unknown": f"1/{2**31}"}}
    with pytest.raises(MicroleakError, match="have too many digits together"):
        microleak.rough_knowledge(people, ["age", "sex"], ways)


def test_the_part_tells_success_roughly_and_exactly_and_how_many_claims_hold():
    told, svg = part_of_rows("rough_knowledge", ROUGH, "en")
    assert told.heading == (
        "With two facts (known only roughly: “AGE”), the best guess re-identifies "
        "40.00% of the records; with all of them known exactly, 80.00%"
    )
    first, claims, second = told.body[0].texts
    assert first.startswith("Re-identification: the adversary is certain, and right")
    assert "claims to be certain about 50.00%, and 50.00% of these claims" in claims
    assert "35.00%" in second
    (grid,) = told.grids
    assert [cells[-1] for cells in grid.rows] == ["50.00%", ""]
    assert "ILL: 1.00% without any facts, 70.00% with facts known roughly" in svg
    in_portuguese, _ = part_of_rows("rough_knowledge", ROUGH, "pt")
    assert "(aproximadas: “AGE”)" in in_portuguese.heading
