"""Tables as offices print them."""

import openpyxl
import pytest
from pydantic import ValidationError

from microleak.attacks.anonymity.section import read_margins
from microleak.attacks.membership.drawn import read_strata
from microleak.base.errors import StudyError
from microleak.count_tables.published import PublishedTable
from microleak.study_file.printed import Printed, PrintedFile, read_printed

SIDRA = """\
"Tabela 9514 - População residente, por sexo"
"Variável - População residente (Pessoas)"
"Município";"Ano x Sexo";"Ano x Sexo";"Ano x Sexo"
"";"2022";"2022";"2022"
"";"Total";"Homens";"Mulheres"
"Água Branca";"1.219";"609";"610"
"Belém";"3";"-";"3"
"Brasil";"1.222";"609";"613"
"Fonte: IBGE - Censo Demográfico"
"Legenda"
"-";"Zero absoluto, não resultante de arredondamento"
"""
LAYOUT = {
    "first": 6,
    "columns": ["town", {"sex": "*"}, {"sex": "1"}, {"sex": "2"}],
    "values": {"town": {"Brasil": "*", "Belém": "1501402"}},
    "thousands": ".",
    "nobody": ["-"],
}
CELLS = [
    ["Água Branca", "*", "1219"], ["Água Branca", "1", "609"],
    ["Água Branca", "2", "610"], ["1501402", "*", "3"], ["1501402", "1", "0"],
    ["1501402", "2", "3"], ["*", "*", "1222"], ["*", "1", "609"], ["*", "2", "613"],
]  # fmt: skip


@pytest.fixture
def sidra(tmp_path):
    path = tmp_path / "sidra.csv"
    path.write_text(SIDRA, "utf-8")
    return path


def layout(**others):
    return Printed(**LAYOUT | others)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("sign", [";", ",", "\t"])
def test_what_sidra_prints_is_read(tmp_path, encoding, sign):
    path = tmp_path / "sidra.csv"
    path.write_bytes(SIDRA.replace(";", sign).encode(encoding))
    found = read_printed(path, layout(), "margins")
    assert found.header == ["town", "sex", "count"]
    assert [cells for _, cells in found.lines] == CELLS


def test_a_workbook_is_read_by_its_sheet(tmp_path):
    book = openpyxl.Workbook()
    book.create_sheet("5.1").append(["Sinopse"])
    for row in (
        ["Código", "Etapa", "Total", "Não lida", "EJA"],
        [1501402, "x", 5, None, 2],
        ["Fonte: Inep"],
    ):
        book["5.1"].append(row)
    path = tmp_path / "sinopse.xlsx"
    book.save(path)
    columns = ["town", None, {"stage": "*"}, None, {"stage": "3"}]
    printed = Printed(first=3, columns=columns, sheet="5.1")
    found = read_printed(path, printed, "margins")
    assert found.lines == [(3, ["1501402", "*", "5"]), (3, ["1501402", "3", "2"])]
    with pytest.raises(Exception, match=r"sheets 'Sheet', '5\.1'\. Name one in sheet"):
        read_printed(path, Printed(first=3, columns=columns), "margins")


def test_margins_and_strata_have_what_a_plain_file_says(sidra, tmp_path):
    plain = tmp_path / "plain.csv"
    lines = [",".join(cells) for cells in (["town", "sex", "count"], *CELLS)]
    plain.write_text("\n".join(lines) + "\n", "utf-8")
    table = PublishedTable(file=str(sidra), printed=layout(), unlisted="zero")
    (printed,) = read_margins(table, ["town", "sex"], "margins")
    (given,) = read_margins(str(plain), ["town", "sex"], "margins")
    told = ("names", "values", "counts", "most", "is_whole")
    assert [getattr(printed, n) for n in told] == [getattr(given, n) for n in told]
    strata = ["town", "sex"]
    file = PrintedFile(file=str(sidra), printed=layout())
    assert read_strata(file, strata, "x") == read_strata(plain, strata, "x")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"Belém"', '""\n"Belém"', "line 8 looks like one of the table, which ended"),
        (
            '"Belém";',
            '"Belém";"";',
            "line 7 has 5 cells, but columns in the study file",
        ),
        ('"Água Branca";', "", "line 6, the first of the table, has not the 4 cells"),
        ('"Belém"', '""', "line 7 has no value of town. Write it in the file or"),
        ('"Brasil"', '"Total"', "has a text for town that no line has"),
    ],
)
def test_lines_that_are_not_as_the_layout_says_are_refused(sidra, old, new, said):
    sidra.write_text(SIDRA.replace(old, new, 1), "utf-8")
    with pytest.raises(StudyError, match=said):
        read_printed(sidra, layout(), "margins")


def test_values_of_no_column_and_damaged_workbooks_are_refused(tmp_path):
    with pytest.raises(ValidationError, match="has twon in values, which is not in"):
        layout(values={"twon": {"Brasil": "*"}})
    path = tmp_path / "cut.xlsx"
    path.write_bytes(b"PK\x03\x04" + bytes(26) + b"xl/workbook.xml")
    with pytest.raises(StudyError, match="it is damaged, or no workbook"):
        read_printed(path, layout(), "margins")


def test_thousands_that_are_not_told_are_no_whole_number(sidra):
    table = PublishedTable(file=str(sidra), printed=layout(thousands=""))
    with pytest.raises(StudyError, match="line 6: a whole number is expected as count"):
        [*read_margins(table, ["town", "sex"], "margins")]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["town"], "must have in columns either count, once, or values"),
        (["town", "count", "count"], "must have in columns either count, once"),
        (["town", "count", {"sex": "1"}], "must have in columns either count, once"),
        ([{"sex": "1"}, {"age": "1"}], "values of the same attributes in each column"),
        (["town", "town", "count"], "names an attribute twice in columns"),
    ],
)
def test_columns_that_say_no_table_are_refused(columns, said):
    with pytest.raises(ValidationError, match=said):
        Printed(first=1, columns=columns)
