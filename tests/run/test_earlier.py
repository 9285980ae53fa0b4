"""A study of a year that has another month reads that month, and no other."""

import shutil
from pathlib import Path

import pytest

from microleak.base.flock import is_locked
from microleak.run.earlier import STORE_OF_RUN
from microleak.run.store import MARK, STORE, Store
from microleak.sources.steps import ingest as step
from tests.sources.dbc_files import month_table, packed, written, year_of_files
from tests.workflow.workshop import VISITS, Workshop, draw_plainly

TEXT = VISITS.replace("NAME", "visits").replace("QIDS", "PA_SEXO, PA_IDADE")
FILES = year_of_files()
DECEMBER = "PARR2312.dbc"


@pytest.fixture(autouse=True)
def read(tmp_path, monkeypatch):
    """Names of the files whose records were unpacked."""
    draw_plainly(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(STORE_OF_RUN, str(Path(STORE).absolute()))
    written(Path("sia"), {n: data for n, data in FILES.items() if n != DECEMBER})
    names, plainly = [], step.unpacked

    def noted(member, definition):
        names.append(member.name)
        return plainly(member, definition)

    monkeypatch.setattr(step, "unpacked", noted)
    return names


def added(read, text=TEXT, files=None, before=TEXT):
    """Make the study of eleven months, then with other files; return it."""
    workshop = Workshop(before, "visits.yaml", Store(STORE))
    workshop.run()
    read.clear()
    written(Path("sia"), files or {DECEMBER: FILES[DECEMBER]})
    workshop.file.write_text(text, encoding="utf-8")
    assert "ingest" in workshop.run()
    return workshop


def test_december_alone_is_read_and_all_bytes_are_those_of_a_full_run(
    read, monkeypatch
):
    workshop = added(read)
    assert read == [DECEMBER]
    made = workshop.bytes()
    shutil.rmtree(workshop.results)
    monkeypatch.delenv(STORE_OF_RUN)
    alone = Workshop(TEXT, "visits.yaml")
    alone.run()
    assert read[1:] == [*FILES]
    assert made == alone.bytes()


def test_a_month_that_was_replaced_is_read_alone(read):
    other = packed(month_table(*[{"PA_MVM": "202303", "PA_IDADE": "077"}] * 3))
    added(read, files={"PARR2303.dbc": other})
    assert read == ["PARR2303.dbc"]


def test_another_number_of_rows_does_not_count(read):
    of_eleven, of_twelve = (
        TEXT.replace("sia}", f"sia, n_rows: {n}}}") for n in (22, 24)
    )
    added(read, of_twelve, before=of_eleven)
    assert read == [DECEMBER]


@pytest.mark.parametrize(
    "text",
    [TEXT.replace("PA_SEXO", "PA_RACACOR"), TEXT.replace("sia}", "sia, n_rows: 24}")],
)
def test_what_is_read_otherwise_is_read_whole(read, text):
    added(read, text)
    assert read == [*FILES]


def test_the_months_are_told_beside_the_rows(read):
    workshop = added(read)
    measured = workshop.results / "measures" / "ingest.csv"
    assert "visits,RR-2023,12,24,0,24," in measured.read_text("utf-8")


def test_the_result_of_fewer_months_is_tidied_up_as_any_that_no_study_has(read):
    added(read)
    store = Store(STORE)
    assert len(store.entries("ingest")) == 2
    store.remove_unused()
    assert len(store.entries("ingest")) == 1


def test_a_store_that_is_tidied_up_is_not_used(read):
    workshop = Workshop(TEXT, "visits.yaml", Store(STORE))
    workshop.run()
    read.clear()
    written(Path("sia"), {DECEMBER: FILES[DECEMBER]})
    with (STORE / MARK).open("a") as lock:
        assert is_locked(lock)
        workshop.run()
    assert read == [*FILES]
