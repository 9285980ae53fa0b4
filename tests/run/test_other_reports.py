"""What a run says last of a public report: of others beside it, of small releases."""

import json

import pytest

from microleak.base.language import speaking
from microleak.run.display import display
from microleak.run.ended import say_how_it_ended, warn_of_replaced
from microleak.study.listing import CERTIFICATE
from microleak.study.neighbours import other_public_reports
from microleak.study.public_report import proved_tables


def study(
    results, name, audience="public", archive="a.csv", sha256="00ff", table="people"
):
    """A study that has read an archive, and has a report."""
    files = {
        "report/data/metadata.json": {"audience": audience},
        f"tables/{table}/1.json": {"archive": archive, "sha256": sha256},
    }
    for path, content in files.items():
        file = results / name / path
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(content))
    (results / name / "report/index.html").touch()
    return results / name


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ({}, ["other"]),
        ({"sha256": "ff00", "table": "town"}, ["other"]),
        ({"archive": "b.csv", "table": "town"}, ["other"]),
        ({"archive": "b.csv", "sha256": "ff00"}, ["other"]),
        ({"archive": "b.csv", "sha256": "ff00", "table": "town"}, []),
        ({"audience": "internal"}, []),
    ],
)
def test_a_public_report_of_the_same_archive_is_found(tmp_path, other, found):
    mine = study(tmp_path, "mine")
    study(tmp_path, "other", **other)
    assert other_public_reports(mine) == found


def test_folders_called_as_their_releases_are_no_archive_of_one_name(tmp_path):
    mine = study(tmp_path, "mine", archive="1")
    study(tmp_path, "other", archive="1", sha256="ff00", table="town")
    assert other_public_reports(mine) == []


def test_an_internal_study_has_nothing_to_fear_beside_it(tmp_path):
    study(tmp_path, "other")
    assert other_public_reports(study(tmp_path, "mine", audience="internal")) == []


def test_a_report_with_noise_was_held_against_all_of_them(tmp_path):
    mine = study(tmp_path, "mine")
    study(tmp_path, "other")
    (mine / "report/data/privacy_losses.csv").touch()
    assert other_public_reports(mine) == []


def test_what_is_damaged_or_no_study_is_passed_over(tmp_path):
    mine = study(tmp_path, "mine")
    (tmp_path / "a file").touch()
    damaged = study(tmp_path, "damaged")
    (damaged / "tables/people/1.json").write_text("{")
    (study(tmp_path, "cut") / "report/data/metadata.json").write_text("[")
    assert other_public_reports(mine) == []


def test_a_run_warns_of_it(tmp_path, capsys):
    mine = study(tmp_path, "mine")
    study(tmp_path, "other")
    with display(tmp_path, mine, is_verbose=False) as shown:
        say_how_it_ended(mine, 0, tmp_path / "mine.yaml", shown)
    said = capsys.readouterr().err
    assert f"warning: public reports of the same data in {tmp_path}: other." in said
    assert "Publish only one, this or another" in said
    beside = f"--public {mine} --beside {tmp_path / 'other'} --more PERSONS, which"
    assert f"To prove both: microleak verify {beside}" in said


def test_a_run_says_which_was_proved_together(tmp_path, capsys, monkeypatch):
    mine = study(tmp_path, "mine")
    for name in ("other", "proved", "corrected"):
        study(tmp_path, name)
    monkeypatch.setattr(
        "microleak.run.ended.reports_of_other_records",
        lambda _: {tmp_path / "corrected": {("people", "1"): 1}},
    )
    monkeypatch.setattr(
        "microleak.run.ended.reports_of_same_records",
        lambda _: [tmp_path / "proved"],
    )
    with display(tmp_path, mine, is_verbose=False) as shown:
        say_how_it_ended(mine, 0, tmp_path / "mine.yaml", shown)
    said = capsys.readouterr().err
    assert f"public reports of the same records in {tmp_path}: proved." in said
    assert "The later of two was proved together with the other, unless" in said
    assert f"of other records of the same data in {tmp_path}: corrected." in said
    assert "If values were corrected, nothing is proved of both: if one is" in said
    assert f"warning: public reports of the same data in {tmp_path}: other." in said


@pytest.mark.parametrize(
    ("table", "is_proved", "is_told"),
    [
        ("n\n1\n", True, False),
        ("n\n2\n", True, True),
        ("n\n2\n", False, False),
        (None, True, True),
    ],
    ids=["same", "other", "other that was not proved", "removed"],
)
def test_a_run_warns_that_a_proved_report_was_replaced(
    tmp_path, capsys, table, is_proved, is_told
):
    mine = study(tmp_path, "mine")
    file = mine / "report/data/town-blocks.csv"
    file.write_text("n\n1\n")
    if is_proved:
        (mine / CERTIFICATE).parent.mkdir()
        (mine / CERTIFICATE).touch()
    earlier = proved_tables(mine)
    (mine / "report/index.html").write_text("another version")
    file.unlink() if table is None else file.write_text(table)
    with display(tmp_path, mine, is_verbose=False) as shown:
        warn_of_replaced(mine, earlier, shown)
    said = capsys.readouterr().err
    begins = f"warning: the public report that {mine} had before this run is replaced"
    assert (begins in said) == is_told


@pytest.fixture
def small(tmp_path):
    """A public study of three releases, of which one has enough records."""
    mine = study(tmp_path, "mine")
    lines = "people,1,,false\npeople,2,1000,false\npeople,3,,true\n"
    (mine / "report/data/releases.csv").write_text(
        f"table,release,n_records,synthetic\n{lines}"
    )
    return mine


def ended(results, folder):
    with display(folder, results, is_verbose=False) as shown:
        say_how_it_ended(results, 0, folder / "mine.yaml", shown)


def test_a_run_says_of_which_releases_the_page_has_no_number(small, tmp_path, capsys):
    ended(small, tmp_path)
    *_, said = capsys.readouterr().err.splitlines()
    assert "shows nothing of people 1, people 3: it needs at least 1,000 rec" in said
    assert f"audience: internal under report in {tmp_path / 'mine.yaml'}" in said


def test_and_so_in_portuguese(small, tmp_path, capsys):
    with speaking("pt"):
        ended(small, tmp_path)
    assert "pelo menos 1.000 registros por divulgação" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("metadata.json", '{"audience": "internal"}'),
        ("privacy_losses.csv", ""),
        ("releases.csv", "table,release,n_records,synthetic\npeople,2,1000,false\n"),
        ("releases.csv", "damaged"),
    ],
)
def test_it_says_so_of_no_other_report(small, tmp_path, capsys, file, content):
    (small / "report/data" / file).write_text(content)
    ended(small, tmp_path)
    assert "shows nothing" not in capsys.readouterr().err
