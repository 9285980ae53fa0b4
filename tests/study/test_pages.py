import json
import re
import shutil
from dataclasses import replace

import pytest

from microleak.attacks.collective.analysis import Collective
from microleak.base.files import write_text
from microleak.base.paths import ROOT
from microleak.families import NAMES
from microleak.records.coding import Group
from microleak.study.load import load_study
from microleak.study.publish import _of_protected, names_of, publish
from microleak.study.published import write_page
from microleak.study.tables import tables as specs
from microleak.study_file.model import Release, Study, Table
from microleak.tables.files import write_table
from tests.attacks.collective.state_study import PROC, TABLE, blank_figures, tables_of
from tests.collective_rows import write_success_rows

VALUES = tuple(specs()["values"].names)

RELEASES = ("RR-2023",)


def study_for(audience):
    """A study of one state, whose one analysis is part of one of many."""
    analysis = Collective(
        name="lines-RR-2023",
        table=TABLE,
        focal="RR-2023",
        qids=("PA_IDADE", "PA_CODUNI"),
        sensitive=(PROC,),
        wanted="all",
        groups=(Group("severe", PROC, ("0304*", "0703060080")),),
        part_of="lines",
    )
    release = Release("RR-2023", "RR", None, None, None, None)
    return Study(
        name="demo",
        seed=1,
        tables={TABLE: Table(TABLE, "datasus_sia_pa", {}, 0, {"RR-2023": release})},
        analyses={family: {} for family in NAMES}
        | {"collective": {analysis.name: analysis}},
        languages=("en",),
        audience=audience,
        shared={"scenarios": ()},
    )


PUBLISH = "microleak.attacks.collective.publish"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the report of a study from what is published of it and empty drawings."""

    def write(audience):
        tables = tables_of(RELEASES)
        families = ("collective", "worst", "distribution", "importance", "groups")
        for family in families:
            for name, rows in getattr(tables, family).items():
                path = tmp_path / f"measures/{family}/{name}.csv"
                write_table(path, rows, specs()[family])
        for name in ("ingest", "comparison", "states", "explained"):
            rows = getattr(tables, name)
            write_table(tmp_path / f"measures/{name}.csv", rows, specs()[name])
        for name, rows in tables.groups.items():
            values = rows.assign(sensitive=PROC, value="07", is_missing="false")
            path = tmp_path / f"measures/values/{name}.csv"
            write_table(path, values[[*VALUES]], specs()["values"])
        for name in tables.collective:
            entropy = specs()["entropy"]
            path = tmp_path / f"measures/entropy/{name}.csv"
            write_table(path, entropy.frame([]), entropy)
        removed = specs()["removed"]
        write_table(tmp_path / "measures/removed.csv", removed.frame([]), removed)
        write_sizes(tmp_path / "measures/success/lines-RR-2023.parquet")
        monkeypatch.setattr(f"{PUBLISH}.single_sizes", lambda *_: ())
        for path, svg in blank_figures(tables, ["en"]).items():
            write_text(tmp_path / "figures" / path, svg)
        publish(study_for(audience), tmp_path)
        shutil.rmtree(tmp_path / "measures")
        figures = [tmp_path / "figures" / name for name in tables.collective]
        write_page(tmp_path, figures)
        return tmp_path / "report"

    return write


def write_sizes(path):
    """Records by the size of their block, by age alone and with the health unit."""
    path.parent.mkdir(parents=True)
    rows = [("PA_IDADE", 1, 500, 20_000), ("PA_CODUNI", 1, 50, 20_000)]
    rows += [("PA_IDADE|PA_CODUNI", 2, 1, 9), ("PA_IDADE|PA_CODUNI", 2, 3, 19_991)]
    names = ["qids", "n_qids", "denominator", "n_records"]
    write_success_rows(path, [dict(zip(names, row, strict=True)) for row in rows])


@pytest.mark.parametrize(
    ("audience", "is_told"), [("internal", True), ("public", False)]
)
def test_single_values_are_told_to_the_office_and_never_to_the_public(
    written, audience, is_told
):
    report = written(audience)
    pages = [path.read_text("utf-8") for path in report.glob("*.html")]
    assert (report / "data/lines-RR-2023-values.csv").exists() == is_told
    assert any("with the value “07” of “procedure”" in page for page in pages) == (
        is_told
    )


def test_the_pages_say_what_a_group_is_and_that_lines_are_counted(written):
    page = (written("internal") / "lines-RR-2023.html").read_text("utf-8")
    assert "by 2 values or prefixes of the attribute procedure" in page
    assert "names no identifier of persons for table sia_pa" in page
    assert "0304" not in page


def test_a_public_report_is_its_page_and_its_tables(written):
    """Neither states, groups, importance and removed rows (H1), nor a hash (C4)."""
    report = written("public")
    files = {path.relative_to(report).as_posix(): path for path in report.rglob("*.*")}
    assert set(files) == {
        "index.html",
        "data/lines-RR-2023-blocks.csv",
        "data/lines-RR-2023-inference.csv",
        "data/metadata.json",
        "data/releases.csv",
    }
    for path in files.values():
        text = path.read_text("utf-8")
        assert re.search("[0-9a-fA-F]{40}", text) is None
        assert "00ff" not in text
        assert "0304" not in text


def test_a_public_page_says_what_it_promises_and_what_its_tables_show(written):
    page = (written("public") / "index.html").read_text("utf-8")
    assert "This report should be published once." in page
    assert page.count("<li>") == 6  # five of the promise, and what is guessed
    warned = page.index("names no identifier of persons for table sia_pa")
    assert warned < page.index('<section class="finding"')
    row = page[page.index('qids">age and health unit') :].split("</tr>")[0]
    assert re.findall(r'number">(.*?)<', row) == [
        *("2", "&lt;1%", "&gt;99%", "&lt;1%", "&lt;1%", "&lt;1%")
    ]


def test_what_is_published_for_the_public_is_what_its_report_shows(written):
    published = written("public").parent / "published"
    found = {path.relative_to(published).as_posix() for path in published.rglob("*.*")}
    names = ("releases", "drawn", "blocks/lines-RR-2023", "inference/lines-RR-2023")
    assert found == {"published.json", *(f"{name}.csv" for name in names)}
    told = json.loads((published / "published.json").read_text("utf-8"))
    assert told == {
        "study": "demo",
        "audience": "public",
        "languages": ["en"],
        "synthetic": False,
        "line_tables": [TABLE],
        "tables": [*names],
        "sources": {TABLE: "datasus_sia_pa"},
    }


def test_for_the_office_measures_are_published_as_they_are(written, tmp_path):
    study = study_for("internal")
    published = written("internal").parent / "published"
    names = names_of(study)
    assert {"states", "ingest", "worst/lines-RR-2023"} <= {*names}
    assert "success/lines-RR-2023" not in names
    assert "entropy/lines-RR-2023" not in names
    for family, rows in (("groups", tables_of(RELEASES).groups),):
        for name, table in rows.items():
            path = tmp_path / "again.csv"
            write_table(path, table, specs()[family])
            copied = published / f"{family}/{name}.csv"
            assert copied.read_bytes() == path.read_bytes()


def test_analyses_of_protected_releases_are_told_with_what_these_are_made_of(
    monkeypatch,
):
    monkeypatch.chdir(ROOT)
    study = load_study(ROOT / "config/examples/delimited-demo.yaml")
    assert _of_protected(study) == {
        "collective": {"town-coarse": ("town-coarse", "2023")}
    }
    table = study.tables["town"]
    protections = dict(table.protections)
    coarse = protections["town-coarse"]
    protections["coarser"] = coarse.model_copy(update={"release": "town-coarse"})
    twice = replace(table, protections=protections)
    known = study.analyses["collective"]
    (first,) = (a for a in known.values() if a.name == "town-coarse")
    again = replace(first, name="again", focal="coarser")
    study = replace(study, tables={**study.tables, "town": twice})
    for analyses, found in (
        ({"again": again}, {}),
        ({"a": first, "again": again}, {"again": ("coarser", "town-coarse")}),
    ):
        every = {"collective": analyses, "anonymity": {}}
        assert (
            _of_protected(replace(study, analyses=every)).get("collective", {}) == found
        )
