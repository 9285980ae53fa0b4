"""The examples on plain CSV files: how they are made, and what they show."""

import csv
import subprocess
import sys

import pandas as pd
import pytest
import yaml

from microleak.base.paths import CONFIG, ROOT
from microleak.count_tables.published import PublishedTable
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.identity import is_marked
from microleak.study_file.published import Form, read_rows
from tests.assessing import assess
from tests.commands import microleak
from tests.docs.pages import blocks, text
from tests.docs.test_commands import commands
from tests.examples import long

EXAMPLE = CONFIG / "examples" / "delimited-demo"
RELEASES = ("survey-2023", "town-2022", "town-2023", "town-made")


def rows(name):
    with (EXAMPLE / name / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def test_the_program_beside_the_files_makes_their_bytes_again(tmp_path):
    command = [sys.executable, EXAMPLE / "make.py", tmp_path]
    subprocess.run(command, check=True, timeout=60)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted([*RELEASES, "people-2023.csv"])
    for made in tmp_path.rglob("*.*"):
        assert made.read_bytes() == (EXAMPLE / made.relative_to(tmp_path)).read_bytes()


@pytest.mark.parametrize("name", RELEASES)
def test_its_releases_are_known_to_be_synthetic(name):
    assert is_marked(EXAMPLE / name, source_definition("delimited", "2023", {}))


def test_the_page_tells_the_numbers_of_the_files():
    qids = ("sex", "birth_year", "district")
    known = [tuple(map(row.get, qids)) for row in rows("survey-2023")]
    n_alone = sum(known.count(values) == 1 for values in known)
    census = rows("town-2022")
    n_persons = len({row["person"] for row in census})
    page = text("docs/own-file.md")
    assert f"finds {n_alone} of the {len(known)} persons unique" in page
    assert f"here {len(census) - n_persons} of {len(census)} in 2022" in page
    assert f"of the {n_persons} persons of 2022" in page


def test_the_page_tells_what_assess_finds_in_the_survey():
    survey = pd.DataFrame(rows("survey-2023"))
    qids = ["sex", "birth_year", "district"]
    found = assess(survey, qids, ["smokes"], "full").set_index("sensitive")
    page = text("docs/own-file.md")
    assert f"finds {found['n_certain'][''].item()} of the {len(survey)} persons" in page
    assert found["n_certain"]["smokes"] == len(survey)
    assert f"certain whether each of the {len(survey)} smokes" in page


@pytest.mark.workflow
@pytest.mark.long
def test_the_page_tells_what_the_study_finds(tmp_path):
    tmp_path.joinpath("config").symlink_to(CONFIG)
    study = "config/examples/delimited-demo.yaml"
    assert microleak("run", study, folder=tmp_path).returncode == 0
    measures = tmp_path / "results" / "delimited-demo" / "measures"

    def last(table, panel=""):
        """Counts with all QIDs, of re-identification or a group."""
        found = pd.read_csv(measures / table, keep_default_na=False)
        if "auxiliary" in found:
            found = found[found["auxiliary"].astype(str) == panel]
        if "sensitive" in found:
            found = found[found["sensitive"] == ""]
        return found.iloc[-1]

    alone, linked = (last("collective/town-2022.csv", panel) for panel in ("", "2023"))
    ill = last("groups/town-2022.csv", "2023")
    asked = last("membership/asked.csv")
    page = text("docs/own-file.md")
    share = 100 * alone["n_certain"] / alone["n_records"]
    said = f"{alone['n_certain']} of the {alone['n_records']} persons of 2022 unique"
    assert f"make {said} ({share:.1f} %)" in page
    assert f"both years finds {linked['n_certain']}." in page
    said = f"{ill['n_certain']} of the {ill['n_members']} persons with a chronic ill"
    assert f"In the panel, {said}ness are known for certain" in page
    assert f"the {asked['n_sample']} who were asked" in page
    assert f"{asked['n_unique_both']} are unique in survey and town" in page
    assert asked["n_not_found"] == 2
    assert "two are not found" in page


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


@pytest.mark.parametrize("page", FOUND)
def test_what_the_page_says_of_a_printed_table_reads_it(page, tmp_path):
    shown, printed = blocks(page, "text")
    study = yaml.safe_load(blocks(page, "yaml")[0])
    ((given,),) = [each["tables"] for each in study["analyses"]["table_rebuilding"]]
    path = tmp_path / given["file"]
    path.write_text(printed, encoding="latin-1")
    table = PublishedTable(**given)
    form = Form({"count": r"\d+"}, table.suppressed, "Município", printed=table.printed)
    counts = {
        (row.values["Etapa"], row.values["Sexo"]): row.numbers.get("count")
        for row in read_rows(path, form, "")
    }
    assert len(counts) == 12
    assert counts["Creche", "*"] == "1210" and counts["*", "*"] == "1219"
    assert counts["EJA", "Feminino"] == "0"
    assert counts["Ensino médio", "Feminino"] is None
    assert shown == (CONFIG / "examples/delimited-demo/sex-by-age.csv").read_text()


@pytest.mark.workflow
@pytest.mark.parametrize("page", [ENGLISH, *long(PORTUGUESE)])
def test_the_steps_of_the_page_find_what_it_says(page, tmp_path):
    for name in ("config", "scripts", "tests"):
        tmp_path.joinpath(name).symlink_to(ROOT / name)
    _, study = blocks(page, "yaml")
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
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        )
        assert said.stdout.endswith(end)
