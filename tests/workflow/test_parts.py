"""An analysis whose blocks are counted in several jobs has the results of one job."""

import pytest

from microleak.base.errors import StudyError
from microleak.study.load import load_study
from tests.workflow.workshop import copied, made_in

pytestmark = pytest.mark.usefixtures("plain_pages")

STUDY = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {1: {archive: first.csv}, 2: {archive: second.csv}}
groups:
  unwell: {attribute: ill, values: ["y*"]}
analyses:
  collective:
    - name: linked
      table: people
      focal: 1
      auxiliary: [2]
      qids: [age, sex]
      sensitive: [ill]
      groups: [unwell]
report: {languages: [en]}
"""
APART = STUDY.replace(
    "      groups: [unwell]\n", "      groups: [unwell]\n      parts: 3\n"
)
HEADER = "id,age,sex,ill\n"
FIRST = "1,25,F,no\n2,25,F,yes\n3,25,M,yes\n4,,M,no\n5,49,,no\n6,60,M,no\n"
SECOND = "1,26,F,no\n2,27,F,yes\n3,26,M,yes\n4,30,M,no\n5,50,,no\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    files = {"first.csv": HEADER + FIRST, "second.csv": HEADER + SECOND}
    return made_in(tmp_path_factory.mktemp("whole"), STUDY, files)


@pytest.fixture
def made(whole, tmp_path, monkeypatch):
    return copied(whole, tmp_path, STUDY, monkeypatch)


def results(workshop):
    """Profiles and what is measured and shown of them, without the parts."""
    kept = ("profiles/linked/1.parquet", "profiles/linked/1+2.parquet")
    return {
        path: found
        for path, found in workshop.bytes().items()
        if path in kept or path.startswith(("measures/", "published/", "figures/"))
    }


def test_parts_change_no_result_and_only_what_they_are_is_made_again(made):
    before = results(made)
    assert len([path for path in before if path.startswith("profiles/")]) == 2
    made.file.write_text(APART, "utf-8")
    done = made.run()
    assert done.count("profile_part") == 2 * 3 and done.count("profile") == 2
    assert not {"measure", "groups", "entropy", "draw"} & set(done)
    assert results(made) == before
    assert made.run() == []


def test_fewer_parts_leave_none_of_those_before(made):
    made.file.write_text(APART, "utf-8")
    made.run()
    made.change("parts: 3", "parts: 2")
    made.run()
    parts = sorted(path for path in made.bytes() if path.startswith("profiles/"))
    assert parts == [
        *(f"profiles/linked/{n}" for n in ("1+2.parquet", "1+2/1.parquet")),
        *(f"profiles/linked/{n}" for n in ("1+2/2.parquet", "1.parquet")),
        *(f"profiles/linked/{n}" for n in ("1/1.parquet", "1/2.parquet")),
    ]


def test_a_part_that_is_lost_is_made_again_alone(made):
    made.file.write_text(APART, "utf-8")
    made.run()
    before = made.bytes()
    (made.results / "profiles/linked/1+2/2.parquet").unlink()
    done = made.run()
    assert done.count("profile_part") == 1
    assert made.bytes() == before


@pytest.mark.parametrize("wrong", ["0", "1001", "two", "1.5"])
def test_numbers_of_parts_that_cannot_be_are_refused(tmp_path, wrong):
    file = tmp_path / "people.yaml"
    file.write_text(APART.replace("parts: 3", f"parts: {wrong}"), "utf-8")
    with pytest.raises(StudyError, match="parts"):
        load_study(file)
