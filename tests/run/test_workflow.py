"""What a run keeps beside its results while it works."""

from pathlib import Path

import pytest

from microleak.cli import main
from microleak.run.workflow import STUDY_OF_RUN
from tests.workflow.conftest import CSV_STUDY, PEOPLE


@pytest.mark.parametrize("is_link", [True, False])
def test_what_is_in_the_place_of_the_study_files_copy_is_named(
    tmp_path, monkeypatch, capsys, is_link
):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("people.yaml").write_text(CSV_STUDY, encoding="utf-8")
    Path("elsewhere").mkdir()
    STUDY_OF_RUN.parent.mkdir()
    if is_link:
        STUDY_OF_RUN.symlink_to(tmp_path / "elsewhere")
    else:
        STUDY_OF_RUN.write_text("")
    assert main(["run", "people.yaml"]) == 1
    assert f"{STUDY_OF_RUN} is a link or a file" in capsys.readouterr().err
    assert Path("elsewhere").is_dir()
