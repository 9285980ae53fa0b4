"""The page on published tables: its steps run, and find what it says."""

import subprocess
import sys

import pandas as pd
import pytest

from microleak.base.paths import CONFIG, ROOT
from tests.commands import microleak
from tests.docs.pages import blocks, text
from tests.docs.test_commands import commands

PAGE = "docs/published-tables.md"


def test_the_program_of_the_page_makes_its_table_long(tmp_path):
    (program,), (shown,) = blocks(PAGE, "python"), blocks(PAGE, "text")
    command = [sys.executable, "-c", program]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    made = (tmp_path / "sex-by-age.csv").read_text("utf-8")
    assert sorted(made.splitlines()) == sorted(shown.splitlines())
    assert shown == (CONFIG / "examples/delimited-demo/sex-by-age.csv").read_text()


@pytest.mark.workflow
def test_the_steps_of_the_page_find_what_it_says(tmp_path):
    for name in ("config", "tests"):
        tmp_path.joinpath(name).symlink_to(ROOT / name)
    (study,) = blocks(PAGE, "yaml")
    tmp_path.joinpath("tables.yaml").write_text(study, "utf-8")
    run = commands(PAGE, "microleak")[0][1:]
    done = microleak(*run, folder=tmp_path)
    assert done.returncode == 0, done.output
    assert (tmp_path / "results/tables/report/index.html").is_file()

    measures = tmp_path / "results/tables/measures"
    block = pd.read_csv(measures / "table_rebuilding/block.csv").iloc[0]
    proved = f"{block['n_records_proved']} of {block['n_records']} records"
    assert f"prove all {proved}" in text(PAGE)
    cells = pd.read_csv(measures / "rebuilt_cells/block.csv").set_index("cell")
    assert cells["n_needed"].min() > 1
    assert [*cells.index[cells["n_needed"] == 3]] == ["age=old|race=black|sex=F"]
    ages = pd.read_csv(measures / "query_answers/ages.csv").iloc[0]
    assert ages["n_values_proved"] == ages["n_records"]
    assert f"the age of each of the {ages['n_records']} persons" in text(PAGE)

    checkers = commands(PAGE, "python")
    assert len(checkers) == 2
    for words in checkers:
        command = [sys.executable, *words[1:]]
        said = subprocess.run(
            command,
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert said.stdout == "All claims are proved.\n"
