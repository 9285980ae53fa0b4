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
from microleak.step import people
from microleak.study.load import load_study
from microleak.study.pages import write_page
from microleak.study.publish import _protected_analyses, publish_study, published_names
from microleak.study.tables import result_tables as specs
from microleak.study_file.model import Release, Study, Table
from microleak.study_file.noise import NoiseSection
from microleak.tables.files import write_table
from microleak.tables.rows import as_table
from tests.attacks.collective.state_study import PROC, TABLE, blank_figures, tables_of

VALUES = tuple(specs()["values"].names)

RELEASES = ("RR-2023",)


def study_for(audience, key=""):
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
        noise=NoiseSection(epsilon="1/2", key=key, block_sizes=False) if key else None,
        shared={"scenarios": (), "splits": {}},
    )


@pytest.fixture
def written(tmp_path):
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
        removed = specs()["removed"]
        write_table(tmp_path / "measures/removed.csv", as_table(removed, []), removed)
        write_text(tmp_path / people(TABLE, "RR-2023"), "records")
        (tmp_path / "key").write_bytes(bytes(range(32)))
        for path, svg in blank_figures(tables, ["en"]).items():
            write_text(tmp_path / "figures" / path, svg)
        key = str(tmp_path / "key") if audience == "public" else ""
        publish_study(study_for(audience, key), tmp_path)
        shutil.rmtree(tmp_path / "measures")
        figures = [tmp_path / "figures" / name for name in tables.collective]
        write_page(tmp_path, figures)
        return tmp_path / "report"

    return write


def test_single_values_are_told_to_the_office(written):
    report = written("internal")
    pages = [path.read_text("utf-8") for path in report.glob("*.html")]
    assert (report / "data/lines-RR-2023-values.csv").exists()
    assert any("with the value “07” of “procedure”" in page for page in pages)


def test_a_public_report_is_its_page_and_its_tables(written):
    """Neither states, groups, importance and removed rows (H1), nor a hash (C4)."""
    report = written("public")
    files = {path.relative_to(report).as_posix(): path for path in report.rglob("*.*")}
    assert set(files) == {
        "index.html",
        "data/lines-RR-2023-noisy_counts.csv",
        "data/metadata.json",
        "data/privacy_losses.csv",
        "data/releases.csv",
    }
    for path in files.values():
        text = path.read_text("utf-8")
        assert re.search("[0-9a-fA-F]{40}", text) is None
        assert "00ff" not in text
        assert "0304" not in text
        assert "“07”" not in text
    page = files["index.html"].read_text("utf-8")
    warned = page.index("Table sia_pa has no identifier of persons: below")
    assert warned < page.index("-counts:lines-RR-2023")


def test_the_pages_say_what_a_group_is_and_that_lines_are_counted(written):
    page = (written("internal") / "lines-RR-2023.html").read_text("utf-8")
    assert "by 2 values or prefixes of the attribute procedure" in page
    assert "names no identifier of persons for table sia_pa" in page
    assert "0304" not in page


def test_what_is_published_for_the_public_is_what_its_report_shows(written):
    published = written("public").parent / "published"
    found = {path.relative_to(published).as_posix() for path in published.rglob("*.*")}
    names = ("releases", "privacy_losses", "noisy_counts/lines-RR-2023")
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
    names = published_names(study)
    assert {"states", "ingest", "worst/lines-RR-2023"} <= {*names}
    assert "success/lines-RR-2023" not in names
    assert "entropy/lines-RR-2023" not in names
    for family, rows in (("groups", tables_of(RELEASES).groups),):
        for name, table in rows.items():
            path = tmp_path / "again.csv"
            write_table(path, table, specs()[family])
            copied = published / f"{family}/{name}.csv"
            assert copied.read_bytes() == path.read_bytes()


def test_analyses_of_protected_releases_are_told_with_what_these_are_of(
    monkeypatch,
):
    monkeypatch.chdir(ROOT)
    study = load_study(ROOT / "config/examples/delimited-demo.yaml")
    assert _protected_analyses(study) == {
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
            _protected_analyses(replace(study, analyses=every)).get("collective", {})
            == found
        )
