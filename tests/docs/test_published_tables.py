"""The pages on published tables: their steps run, and find what they say."""

import subprocess
import sys

import pandas as pd
import pytest

from microleak.base.paths import CONFIG, ROOT
from microleak.study_file.published import Form, read_rows
from tests.commands import microleak
from tests.docs.pages import blocks, prose, spans, text
from tests.docs.test_commands import commands
from tests.examples import long

ENGLISH, PORTUGUESE = "docs/published-tables.md", "docs/published-tables.pt.md"
FOUND = {
    ENGLISH: (
        "prove all {proved} of {records} records",
        "the age of each of the {persons} persons",
    ),
    PORTUGUESE: (
        "provam {proved} de {records} registros",
        "a idade de cada uma das {persons} pessoas",
    ),
}
"""What each page says that tables prove, and that other statistics prove."""


def test_both_pages_have_the_same_files_commands_and_settings():
    for language in ("", "python", "text", "yaml"):
        assert blocks(ENGLISH, language) == blocks(PORTUGUESE, language)
    assert set(spans(prose(ENGLISH))) == set(spans(prose(PORTUGUESE)))


@pytest.mark.parametrize("page", FOUND)
def test_the_programs_of_the_page_make_its_tables_long(page, tmp_path):
    program, of_printed = blocks(page, "python")
    shown, printed = blocks(page, "text")
    (tmp_path / "sinopse.csv").write_text(printed, encoding="latin-1")
    for each in (program, of_printed):
        command = [sys.executable, "-c", each]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    form = Form({"count": r"\d+"}, ["X"], "Município")
    read = read_rows(tmp_path / "etapa-sexo.csv", form, "")
    counts = {
        (row.values["Etapa"], row.values["Sexo"]): row.numbers.get("count")
        for row in read
    }
    assert len(counts) == 12
    assert counts["Creche", "*"] == "1210" and counts["*", "*"] == "1219"
    assert counts["EJA", "Feminino"] == "0"
    assert counts["Ensino médio", "Feminino"] is None
    made = (tmp_path / "sex-by-age.csv").read_text("utf-8")
    assert sorted(made.splitlines()) == sorted(shown.splitlines())
    assert shown == (CONFIG / "examples/delimited-demo/sex-by-age.csv").read_text()


@pytest.mark.workflow
@pytest.mark.parametrize("page", [ENGLISH, *long(PORTUGUESE)])
def test_the_steps_of_the_page_find_what_it_says(page, tmp_path):
    for name in ("config", "scripts", "tests"):
        tmp_path.joinpath(name).symlink_to(ROOT / name)
    (study,) = blocks(page, "yaml")
    tmp_path.joinpath("tables.yaml").write_text(study, "utf-8")
    run = commands(page, "microleak")[0][1:]
    done = microleak(*run, folder=tmp_path)
    assert done.returncode == 0, done.output
    assert (tmp_path / "results/tables/report/index.html").is_file()

    measures = tmp_path / "results/tables/measures"
    block = pd.read_csv(measures / "table_rebuilding/block.csv").iloc[0]
    by_tables, by_answers = FOUND[page]
    proved, records = block["n_records_proved"], block["n_records"]
    assert by_tables.format(proved=proved, records=records) in text(page)
    cells = pd.read_csv(measures / "rebuilt_cells/block.csv").set_index("cell")
    assert cells["n_needed"].min() > 1
    held = cells[cells["least"] > 0]
    is_of_all = held["n_needed"] == 3
    assert [*held.index[is_of_all]] == ["age=old|race=black|sex=F"]
    ages = pd.read_csv(measures / "query_answers/ages.csv").iloc[0]
    assert ages["n_values_proved"] == ages["n_records"]
    assert by_answers.format(persons=ages["n_records"]) in text(page)

    checkers = commands(page, "python")
    rows = "All rows are those of the files.\n"
    ends = (" claims hold.\n", " claims hold.\n", rows, rows)
    for words, end in zip(checkers, ends, strict=True):
        command = [sys.executable, *words[1:]]
        said = subprocess.run(
            command,
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert said.stdout.endswith(end)
