"""A study file is read as written, and what is wrong in it is named."""

from pathlib import Path

import pytest

from microleak.errors import StudyError
from microleak.study.config import load_study
from microleak.study.paths import DEFAULT_STUDY

GOOD = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases:
      2018: {archive: people.csv}
qid_sets:
  few: [age, sex]
analyses:
  collective:
    - {name: one, table: people, focal: 2018, qids: few, sensitive: [illness]}
"""


@pytest.fixture
def study_file(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def changed(path: Path, old: str, new: str) -> Path:
    assert old in GOOD
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    return path


def test_the_default_study_asks_for_all_2047_subsets_of_its_11_qids():
    analysis = load_study(DEFAULT_STUDY).collective["school-2018"]
    assert len(analysis.qids) == 11
    assert len(set(analysis.subsets)) == 2047


def test_release_names_are_text_however_yaml_reads_them(study_file):
    text = GOOD.replace("2018", "02018").replace("[age, sex]", "[NO, 2018-01-01]")
    study_file.write_text(text, encoding="utf-8")
    study = load_study(study_file)
    assert list(study.tables["people"].releases) == ["02018"]
    assert study.collective["one"].focal == "02018"
    assert study.collective["one"].qids == ("NO", "2018-01-01")


def test_defaults_are_filled_in(study_file):
    study = load_study(study_file)
    assert (study.languages, study.audience) == (("pt", "en"), "internal")
    assert study.collective["one"].subsets == (1, 2, 3)
    assert not study.is_synthetic


def test_a_release_needs_only_the_attributes_of_its_analyses(study_file):
    study = load_study(study_file)
    assert study.attributes("people", "2018") == ("age", "sex", "illness")
    assert study.attributes("people", "2019") == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("seed: 7", "sead: 7", r"no key 'sead'; did you mean 'seed'\?"),
        ("    releases:", "    realeases:", r"did you mean 'releases'\?"),
        ("archive:", "archiv:", r"archiv"),
        ("study: demo\n", "", "lacks study: Name of the study"),
        ("seed: 7", "seed: seven", "seed is 'seven', not of type integer"),
        ("seed: 7", "seed: -1", "seed is -1, below 0"),
        ("study: demo", "study: ../demo", "study is '../demo', not of the form"),
        ("source: delimited", "source: excel", "not one of inep_school_census"),
        ("table: people", "table: peple", r"no table 'peple'. Did you mean 'people'\?"),
        ("focal: 2018", "focal: 2019", r"people has no release '2019'"),
        ("qids: few", "qids: fwe", r"no QID set 'fwe'. Did you mean 'few'\?"),
        ("[illness]", "[sex]", "sex is both a QID and sensitive"),
        (
            "[age, sex]",
            "[age, age]",
            "qid_sets.few is a list, with an entry given twice",
        ),
        ("seed: 7", "seed: 7\nseed: 8", "line 3: key 'seed' is given twice"),
        ("qids: few", "qids: few, subsets: some", "subsets"),
        ("qids: few", "qids: few, subsets: {sizes: [3]}", "only 2. Correct subsets"),
        ("qids: few", "qids: few, auxiliary: [2017]", "Panels are not available yet"),
        ("  collective:", "  targets: [{}]\n  collective:", "Not available yet"),
        ("{archive: people.csv}", "{}", "exactly one of archive, url and synthetic"),
        (
            "{archive: people.csv}",
            "{archive: a.csv, url: 'https://a.b/c'}",
            "exactly one of archive, url and synthetic",
        ),
        ("{archive: people.csv}", "{url: 'ftp://a/b'}", "url is 'ftp://a/b', not of"),
        ("tables:", "tables: [", "not YAML"),
    ],
)
def test_a_wrong_study_file_is_refused_in_words(study_file, old, new, words):
    path = changed(study_file, old, new)
    with pytest.raises(StudyError, match=words) as error:
        load_study(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_two_analyses_of_one_name_are_refused(study_file):
    line = GOOD.splitlines()[-1]
    study_file.write_text(f"{GOOD}{line}\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"two analyses named 'one'\. Rename one"):
        load_study(study_file)


def test_a_study_without_analyses_is_refused(study_file):
    text = GOOD.replace(GOOD.splitlines()[-1], "    []")
    study_file.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match="nothing to do"):
        load_study(study_file)


def test_25_qids_with_all_subsets_are_refused_with_their_number(study_file):
    many = ", ".join(f"q{i}" for i in range(25))
    with pytest.raises(StudyError, match=r"33,554,431 subsets.*Use fewer QIDs"):
        load_study(changed(study_file, "[age, sex]", f"[{many}]"))


def test_a_missing_study_file_is_named(tmp_path):
    with pytest.raises(StudyError, match=r"There is no study file .*none\.yaml"):
        load_study(tmp_path / "none.yaml")


def test_a_study_file_that_is_not_utf_8_is_refused_at_its_byte(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_bytes(b"study: caf\xe9\n")
    with pytest.raises(StudyError, match="not UTF-8 at byte 10"):
        load_study(path)
