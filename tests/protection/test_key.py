"""The key of a protection: what is drawn follows from it, and no record has it."""

import hashlib
import hmac
import os
from pathlib import Path

import pytest

from microleak.base.errors import StudyError
from microleak.base.progress import told_by
from microleak.cli import main
from microleak.protection.protect import Files, protect_people, recipe_of, secret_of
from microleak.protection.steps import KeptRecords, protected_records
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
    (tmp_path / "secret/people.key").touch(0o600)
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
        everyone = KeptRecords({"sex": codes}, codes.codes >= 0)
        return protected_records(everyone, recipe).columns["sex"].codes.tolist()

    one = drawn()
    assert drawn() == one
    (folder / "secret/people.key").write_bytes(KEY[::-1])
    assert drawn() != one
    assert settings(folder)["fingerprint"] != first["fingerprint"]


ROWS = "".join(f"{n},{n % 2}\n" for n in range(50))
REPEATS = r"protection 'swapped': the file of key, secret/people\.key, repeats itself"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((KEY, None), (KEY[:1] * 8 + KEY, None), (bytes(range(256)) * 16, None)),
        *((KEY.hex().encode(), None), (hashlib.sha256(KEY).digest(), None)),
        *((bytes(32), REPEATS), (b"k" * 64, REPEATS), (b"ab" * 16, REPEATS)),
        # A word that is cut, a line, few digits, half of a key twice.
        *(((b"correct horse " * 4)[:50], REPEATS), (b"a word\n" * 9, REPEATS)),
        *((b"01101011" * 5 + b"1", REPEATS), (bytes(range(16)) * 2, REPEATS)),
        *((b" " * 40, REPEATS), (b"password" * 4 + b"\r\n", REPEATS)),
        (b"\xff" * 100_000, REPEATS),  # longer than is looked at
        (ROWS.encode(), "is a text, and a key has bytes that nobody"),
        (b"short", "has 5 bytes, and a key has 32 or more. Remove it. Make one: micro"),
        (None, "there is no file secret/people.key. Correct key. Make one: microleak"),
    ],
)
def test_bytes_that_are_guessed_are_no_key(folder, content, said):
    path = folder / "secret/people.key"
    path.unlink() if content is None else path.write_bytes(content)
    if said:
        with pytest.raises(StudyError, match=said):
            settings(folder)
    else:
        assert settings(folder)["fingerprint"]


def test_a_new_key_is_its_owners_alone_and_never_in_the_place_of_a_file(folder):
    assert main(["key", "new.key"]) == 0
    assert main(["key", "other.key"]) == 0
    made = [(folder / name).read_bytes() for name in ("new.key", "other.key")]
    assert [len(key) for key in made] == [32, 32] and len({*made}) == 2
    assert (folder / "new.key").stat().st_mode & 0o777 == 0o600
    assert main(["key", "new.key"]) == 1
    assert (folder / "new.key").read_bytes() == made[0]


def test_where_a_new_key_cannot_be_is_said(folder, capsys, place, said):
    (folder / "results").mkdir()
    (folder / "people.csv").touch()
    assert main(["--lang", "en", "key", place]) == 1
    assert said in capsys.readouterr().err
    assert (folder / "people.csv").read_bytes() == b""


def test_a_key_below_the_results_is_refused(folder, name):
    """By whatever way and link it is named, and a link to one that is elsewhere."""
    inside, elsewhere = folder / "results/people", folder / "elsewhere"
    inside.mkdir(parents=True)
    elsewhere.mkdir()
    (inside / "people.key").touch(0o600)
    (inside / "people.key").write_bytes(KEY)
    (inside / "link.key").symlink_to(folder / "secret/people.key")
    (elsewhere / "people.key").symlink_to(inside / "people.key")
    (elsewhere / "of").symlink_to(folder / "results")
    text = STUDY.replace("secret/people.key", name.format(folder=folder))
    (folder / "study.yaml").write_text(text)
    inside = folder / "results/people/people.key"
    for _ in range(2):  # nor is it advised to make one there
        with pytest.raises(StudyError, match="below results/, of which a run removes"):
            settings(folder)
        inside.unlink(missing_ok=True)


@pytest.mark.parametrize(
    "mode", [0o600, 0o400, 0o700, 0o644, 0o640, 0o604, 0o660, 0o666, 0o777, 0o620]
)
def test_of_a_key_that_others_can_read_is_told(folder, mode):
    (folder / "secret/people.key").chmod(mode)
    told = []
    with told_by(told.append):
        assert settings(folder)["fingerprint"]
    if mode & 0o77:
        (said,) = told
        assert said.startswith("warning: other users can read secret/people.key")
        assert said.endswith(": chmod 600 secret/people.key")


NO_FILE = r"there is no file|control character"
ARCHIVE = "is also an archive or the study file"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        *((name, ARCHIVE) for name in ("people.csv", "link", "hard", "study.yaml")),
        *((name, NO_FILE) for name in ("secret", "secret/none.key", "/dev/urandom")),
        ("x\0y", NO_FILE),
    ],
)
def test_an_archive_or_what_is_no_file_is_no_key(folder, key, said):
    (folder / "people.csv").write_text("id,sex\n" + ROWS)
    (folder / "people.csv").chmod(0o600)
    (folder / "link").symlink_to("people.csv")
    os.link(folder / "people.csv", folder / "hard")
    (folder / "study.yaml").write_text(STUDY.replace("secret/people.key", key))
    with pytest.raises(StudyError, match=said):
        settings(folder)
