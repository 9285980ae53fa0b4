"""No name of an attribute becomes a formula, a command or an element."""

import csv
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from zipfile import ZipFile

import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.utils.escape import unescape

from microleak.base.errors import StudyError
from microleak.base.xml_text import xml_text
from microleak.exports.export import FORMATS, export
from microleak.exports.text import MAX_NAME, guarded, is_too_long, sheet_names, tex
from tests.attacks.collective import state_study
from tests.exports.exporting import HOSTILE, removed_report
from tests.report.made import write_report

COMMANDS = re.compile(
    r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar"
    r"|allowbreak)\{\}"
    r"|\\symbol\{34\}|\\texttt\{U\+[0-9A-F]{4,6}\}|\\[{}$&#%_]|\{[][*]\}|\{\}"
)
"""All that may stand in a text beside plain characters."""

FORMULA = tuple("=+-@\t\r\n")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    export(removed_report(folder, HOSTILE), folder, list(FORMATS))
    return folder


def test_json_and_parquet_give_the_names_back(exported):
    told = json.loads((exported / "json/removed.json").read_text("utf-8"))
    table = pq.read_table(exported / "parquet/removed.parquet")
    assert [row["attribute"] for row in told["data"]] == [*HOSTILE]
    assert table["attribute"].to_pylist() == [*HOSTILE]


def test_a_sheet_has_the_names_as_text_that_editing_does_not_make_a_formula(exported):
    sheet = openpyxl.load_workbook(exported / "xlsx/demo.xlsx")["removed"]
    cells = [cell for (cell,) in sheet["C2:C100"] if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "inlineStr"}
    shown = [unescape(cell.value) for cell in cells]
    assert shown == [xml_text(name) for name in HOSTILE]
    for cell in cells:
        assert cell.quotePrefix or not cell.value.strip().startswith(FORMULA)
    n_rows, shares = ([row[c].value for row in sheet["A2:F100"]] for c in (4, 5))
    assert n_rows[:2] == [1, 2]
    assert shares[0] == pytest.approx(-1 / 3, rel=1e-15)


def test_a_sheet_has_no_element_of_a_name(exported):
    with ZipFile(exported / "xlsx/demo.xlsx") as book:
        (sheet,) = [n for n in book.namelist() if n.endswith("sheet3.xml")]
        text = book.read(sheet).decode()
    assert not re.search("<script|<f>|<r><t>x</t></r>", text)


def test_a_csv_for_spreadsheets_has_no_text_like_a_formula(exported):
    path = exported / "csv/removed.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    for row, name in zip(rows, HOSTILE, strict=True):
        shown = row["attribute"]
        assert not shown.lstrip().startswith(FORMULA)
        assert shown.removeprefix("'") == name or shown == name
    assert path.read_bytes().count(b"\r") == sum(name.count("\r") for name in HOSTILE)
    assert rows[0]["share_of_read"] == repr(-1 / 3).replace(".", ",")


def test_latex_has_a_line_a_row_and_no_command_of_a_name(exported):
    text = (exported / "latex/removed.tex").read_text("utf-8")
    body = text[text.index("\\endfoot\n") + 9 : text.index(r"\end{longtable}")]
    for line, name in zip(body.splitlines(), HOSTILE, strict=True):
        assert line.startswith(f"{tex(name)} & ")


DOCUMENT = r"""\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage{array,booktabs,longtable}
\usepackage[landscape,margin=2cm]{geometry}
\begin{document}\input{removed}\end{document}
"""


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="there is no pdflatex (in Debian texlive-latex-recommended)",
)
def test_latex_makes_a_document_of_the_names(exported, tmp_path):
    (tmp_path / "all.tex").write_text(DOCUMENT, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        env={**os.environ, "TEXINPUTS": f"{exported / 'latex'}:"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode("latin-1")
    assert (tmp_path / "all.pdf").is_file()


@given(st.text())
def test_latex_is_left_without_what_it_takes_for_commands(text):
    rest = COMMANDS.sub("", tex(text))
    assert not re.search(r'[\\{}$&#%_~^<>|"\[\]*]', rest)
    assert all(character.isprintable() for character in rest)


@given(st.text(), st.text())
def test_guarded_texts_stay_apart_and_begin_like_no_formula(one, other):
    assert (guarded(one) == guarded(other)) == (one == other)
    assert not guarded(one).lstrip().startswith(FORMULA)


@given(st.lists(st.text("aAbB-_", min_size=1, max_size=40), unique=True))
def test_sheets_have_names_of_31_characters_that_differ_in_more_than_capitals(tables):
    names = sheet_names(tables)
    assert list(names) == tables
    assert all(0 < len(name) <= MAX_NAME for name in names.values())
    assert len({name.lower() for name in names.values()}) == len(tables)


@given(st.lists(st.text("ab", min_size=1, max_size=40), unique=True, min_size=1))
def test_a_sheet_keeps_its_name_whatever_tables_come_or_go(tables):
    assert sheet_names(tables)[tables[0]] == sheet_names(tables[:1])[tables[0]]


class Page(HTMLParser):
    """A page's elements, the names of their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.found, self.text = set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found |= {tag, *(name for name, _ in attrs)}

    def handle_data(self, data):
        self.text += data


def test_no_name_of_an_attribute_becomes_an_element_of_the_page(tmp_path, monkeypatch):
    names = {
        "AGE": '"><hostile onclick="x()">',
        "UNIT": "=1 </td></script><hostile>\u202e",
        "PROC": "<hostile>'&lt;" + "x" * 150,
    }
    for name, attribute in names.items():
        monkeypatch.setattr(state_study, name, attribute)
    monkeypatch.setattr(state_study, "BOTH", f"{names['AGE']}|{names['UNIT']}")
    tables = state_study.tables_of(("RR-2023",))
    figures = state_study.blank_figures(tables, ["en"])
    study = state_study.study_of(tables)
    write_report(tmp_path, study, tables, figures, ["en"])
    page = Page((tmp_path / "index.html").read_text("utf-8"))
    assert page.found & {"hostile", "onclick", "onclick=", "x()"} == set()
    for name in names.values():
        assert name in page.text


def test_what_does_not_fit_a_workbook_is_refused_with_another_format(
    tmp_path, monkeypatch, limit, names, said
):
    monkeypatch.setattr(f"microleak.{limit}", 0)
    study = removed_report(tmp_path, names)
    with pytest.raises(StudyError, match=f"{said}.*Give another --format") as raised:
        export(study, tmp_path, ["xlsx"])
    assert "secret" not in str(raised.value)
    assert not (tmp_path / "xlsx").exists()


def test_a_cell_holds_32767_units_of_which_a_rare_character_takes_two():
    assert [is_too_long("x" * n) for n in (32_767, 32_768)] == [False, True]
    assert [is_too_long("😀" * n) for n in (16_383, 16_384)] == [False, True]
