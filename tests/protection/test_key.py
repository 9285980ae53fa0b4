"""The key of a protection: what is drawn follows from it, and no record has it."""

import hashlib
import hmac
from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.protection.protect import Files, protect_people, recipe_of, secret_of
from microleak.protection.steps import Recipe, Records, protected
from microleak.study.jobs import PROTECT
from microleak.study.load import load_study
from microleak.study.steps import jobs_of
from tests.protection.test_methods import column

KEY = bytes(range(32))
STUDY = """\
study: people
seed: 1
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {"1": {archive: people.csv}}
protections:
  swapped:
    table: people
    release: "1"
    key: secret/people.key
    steps: [{swap: [sex], rate: "1"}]
analyses:
  collective: [{name: one, table: people, focal: swapped, qids: [sex]}]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/people.key").write_bytes(KEY)
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def settings(folder):
    study = load_study(folder / "study.yaml")
    return next(job.settings for job in jobs_of(study) if job.step is PROTECT)


def test_the_job_has_no_hash_of_the_key_and_draws_by_another_one(folder):
    given = settings(folder)
    found = hmac.digest(KEY, b"fingerprint", "sha256").hex()
    assert given["fingerprint"] == found
    assert given["files"] == {}
    for name in hashlib.algorithms_guaranteed:
        length = (64,) if name.startswith("shake") else ()
        assert hashlib.new(name, KEY).hexdigest(*length) not in str(given)
    assert KEY.hex() not in str(given)
    secret = recipe_of(given).secret
    assert secret == secret_of(KEY)
    assert secret not in str(given)


def test_a_key_that_changes_while_a_study_runs_is_refused(folder):
    given = settings(folder)
    (folder / "secret/people.key").write_bytes(KEY[::-1])
    files = Files(*map(Path, ("people", "receipt", "protected", "protected receipt")))
    with pytest.raises(StudyError, match=r"^secret/people\.key was changed while"):
        protect_people(files, given)


def test_another_key_draws_otherwise_and_reruns_the_job(folder):
    first = settings(folder)

    def drawn():
        recipe = recipe_of(settings(folder))
        codes = column([*map(str, range(50))])
        everyone = Records({"sex": codes}, codes.codes >= 0)
        return protected(everyone, recipe).columns["sex"].codes.tolist()

    one = drawn()
    assert drawn() == one
    (folder / "secret/people.key").write_bytes(KEY[::-1])
    assert drawn() != one
    assert settings(folder)["fingerprint"] != first["fingerprint"]


def test_without_a_key_draws_follow_from_the_seed_alone():
    assert Recipe("one", 1, ()).secret == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no file secret/people.key. Correct key, or make one: head -c"),
        (b"short", "has 5 bytes, and a key has 32 or more. Make another one"),
    ],
)
def test_what_is_no_key_is_refused(folder, content, said):
    path = folder / "secret/people.key"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StudyError, match=said):
        settings(folder)
