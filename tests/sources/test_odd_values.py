"""What is told of values and of columns, and of what innocent ones nothing is."""

import numpy as np
import pyarrow as pa
import pytest

from microleak.base.machine import Resources
from microleak.base.progress import told_by
from microleak.base.total_words import begins_a_note, reads_like_total
from microleak.sources.steps.deduplicate import Choice, deduplicate
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.sources.steps.odd_values import tell_values
from microleak.sources.steps.persons import seeming_person
from tests.sources.released import SECRET, delimited, plain, zipped


def told_of(column):
    told = []
    counted = pa.array(column, pa.string()).value_counts()
    with told_by(told.append):
        counts = counted.field("counts").to_numpy(zero_copy_only=False)
        tell_values("town", counted.field("values"), lambda: counts)
    assert not any("Recife" in said for said in told)
    return told


@pytest.mark.parametrize(
    ("column", "said"),
    [
        *((["Recife", f"Re{c}cife"], "control characters") for c in "\a\b\x0b\x1b\x7f"),
        *((["Recife", f"x{c}"], "control characters") for c in "\x85\x9f\ufffe\uffff"),
        (["S\ufffdo", "São"], "1 value with a replacement character"),
        (["SÃ£o", "São"], "UTF-8 read in another"),
        (["GoiÃ¢nia", "x"], "UTF-8 read in another"),
        (["MarÃ\xadlia", "x"], "UTF-8 read in another"),
        (["ConceiÃ§Ã£o", "x"], "UTF-8 read in another"),
        (["Ãšnica", "x"], "UTF-8 read in another"),
        (["donâ€™t", "x"], "UTF-8 read in another"),
        (["Ã‰vora", "x"], "UTF-8 read in another"),
        (["Å¡koda", "x"], "UTF-8 read in another"),
        (["FranÃ§a", "x"], "UTF-8 read in another"),
        (["5 ï»¿", "x"], "UTF-8 read in another"),
        *(
            (["Recife", odd], "1 value equal to another but for spaces")
            for odd in (
                *(" Recife", "Recife ", "Recife\t", "Recife\xa0", "\ufeffRecife"),
                *("Rec\u200bife", "Rec\xadife", "Recife\u2009", "\u200eRecife"),
                "Recife\r",
            )
        ),
        (["São José", "São  José"], "equal to another but for spaces"),
        (["São", "Sa\u0303o"], "equal to another but for spaces"),
        (["Recife ", "Recife  "], "2 values equal to another but for"),
        *(
            (
                ["M", "F", "M", "F", total],
                "1 value reads like a total, and its rows count",
            )
            for total in (
                *("Total", "TOTAL:", "Subtotal", "Brasil", "[Ambos os sexos]"),
                *("Total geral", "Both sexes", "all", "Todas as idades", "TODOS"),
                *("Sub-total", "Conjunto", "total de pessoas", "Sum"),
            )
        ),
    ],
)
def test_values_that_may_not_be_what_they_seem_are_told(column, said):
    (told,) = told_of(column)
    assert said in told
    assert told.startswith(("town has ", "town: "))


@pytest.mark.parametrize(
    "column",
    [
        ["SÃO PAULO", "MANHÃ", "IRMÃ", "ÃO", "Âncora", "Äpfel", "Ångström"],
        ["São José", "sao jose", "SÃO JOSÉ", "Sao Jose"],
        [" Recife", " Olinda", "Natal "],
        ["Total", "Parcial", "Parcial"],
        ["Total"] * 9 + ["Parcial", "Nenhuma"],
        ["Brasil"] * 90 + ["Angola"] * 3 + ["Itália"],
        ["Brasil", "Angola", "Itália", "Chile"],
        ["Totonho", "Brasiléia", "Somália", "Alla", "Geraldo"] * 3,
        ["1", "2", "3", None],
        ["no", "yes", "yes", "both", "both", "both"],
        ["x\ny", "x y", None],
        [None],
    ],
)
def test_nothing_is_told_of_innocent_values(column):
    assert told_of(column) == [] or "x\ny" in column


def test_a_value_reads_like_a_total_by_its_words(text, is_total):
    assert reads_like_total(text) == is_total


def test_a_line_begins_a_note_by_its_words(text, is_note):
    assert begins_a_note(text) == is_note


def told_by_draw(tmp_path, persons):
    """What is told when one record a person is drawn of rows with these identifiers."""
    rng = np.random.default_rng(1)
    table = pa.table(
        {"cpf": persons, "age": [f"{n}" for n in rng.integers(9, 99, len(persons))]}
    )
    pa.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=150)
    told = []
    resources = Resources(2, 1000, tmp_path / "scratch")
    paths = (tmp_path / name for name in ("t.parquet", "p.parquet", "p.json"))
    with told_by(told.append):
        deduplicate(*paths, Choice("cpf", None, 1), resources)
    assert not any(SECRET in said for said in told)
    return told


ORDINARY = [f"{12345600000 + i}" for i in range(300)]


def test_an_identifier_that_is_a_placeholder_is_told(tmp_path, odd, n):
    (told,) = told_by_draw(tmp_path, [*ORDINARY, *[odd] * n])
    assert f"cpf has what looks like a placeholder in {n} of {300 + n} rows" in told
    assert "missing under options" in told


def test_identifiers_of_which_a_spreadsheet_dropped_digits_are_told(tmp_path):
    (told,) = told_by_draw(tmp_path, [*ORDINARY, *["2.00000E+10"] * 5])
    assert "cpf has identifiers as 2.0E+10, of which a spreadsheet dropped" in told


def test_two_placeholders_are_told_together(tmp_path):
    odd = ["00000000000"] * 30 + ["99999999999"] * 20
    (told,) = told_by_draw(tmp_path, [*ORDINARY, *odd])
    assert "cpf has what look like placeholders in 50 of 350 rows" in told


@pytest.mark.parametrize(
    "persons",
    [
        ORDINARY,
        ORDINARY * 3,
        [*ORDINARY, *ORDINARY[:20] * 4, *ORDINARY[:3] * 9],
        [*ORDINARY, *ORDINARY[:1] * 8],
        [str(i) for i in range(1200) for _ in range(3)],
        [str(i) for i in range(300) for _ in range(1 + (i % 7))],
        ["0", "1", "2", "3"],
        ["1111", "1111", "1112", "1113", "1113"],
        [*ORDINARY, "0"],
        [*ORDINARY, "NA"],
        ["A", "A", "B", "B", "B"],
    ],
)
def test_nothing_is_told_of_persons_with_several_records(tmp_path, persons):
    assert told_by_draw(tmp_path, persons) == []


@pytest.mark.parametrize("odd", ["Total", "TOTAL GERAL", "Subtotal", "Todos os alunos"])
@pytest.mark.parametrize("n", [1, 2])
def test_an_identifier_that_reads_like_a_total_is_told(tmp_path, odd, n):
    """Wherever its row is: among sorted identifiers it is one of many."""
    odds = [f"{odd} {'i' * i}".strip() for i in range(n)]
    told = told_by_draw(tmp_path, [*ORDINARY[:200], *odds, *ORDINARY[200:]])
    (said,) = [each for each in told if "total" in each]
    assert said.startswith(f"cpf: {n} value")
    assert "delete those rows" in said


def test_an_identifier_that_is_a_name_is_no_total(tmp_path):
    names = [f"Total{n}Motors x{n}" for n in range(5)] + ["Geralda", "Toti", "Sumaia"]
    assert told_by_draw(tmp_path, [*ORDINARY, *names]) == []


def rows(n_persons, n_records, name="NR_CPF"):
    records = (f"{i % n_persons:05d},{i % 3}\n" for i in range(n_records))
    return (f"{name},sex\n" + "".join(records)).encode()


def seeming(tmp_path, data, used=("sex",), **options):
    path = plain(tmp_path / "in.csv", data)
    return seeming_person(path, delimited(**options), used)


def test_a_column_named_as_persons_are_is_asked_for_where_values_repeat(tmp_path):
    said = "NR_CPF has 1,000 values in 2,500 records: does it identify people?"
    assert seeming(tmp_path, rows(1000, 2500)) == said


@pytest.mark.parametrize(
    ("n_persons", "n_records", "name"),
    [(1000, 1000, "id"), (3, 100, "id"), (50, 100, "town"), (50, 100, "idade")],
)
def test_what_names_records_or_groups_is_not(tmp_path, n_persons, n_records, name):
    assert seeming(tmp_path, rows(n_persons, n_records, name)) is None


def test_missing_values_are_of_no_person(tmp_path):
    data = b"id,sex\n" + b"".join(b"%d,1\n,2\n" % i for i in range(50))
    assert seeming(tmp_path, data) is None


def test_a_column_that_is_known_or_there_twice_is_not(tmp_path):
    assert seeming(tmp_path, rows(50, 100), used=["NR_CPF"]) is None
    assert seeming(tmp_path, b"id,id,sex\n1,1,1\n1,1,2\n2,2,1\n") is None


def test_nothing_is_asked_where_the_study_names_persons(tmp_path):
    assert seeming(tmp_path, rows(50, 100), person_id="NR_CPF") is None


def test_the_column_with_most_values_is_meant(tmp_path):
    pairs = (f"{i // 3},{i // 2}\n" for i in range(100))
    data = ("id_home,id_person\n" + "".join(pairs)).encode()
    assert seeming(tmp_path, data).startswith("id_person has 50 values in 100 records")


def test_persons_of_one_file_who_are_in_another_have_several_records(tmp_path):
    header, *lines = rows(60, 60).splitlines(keepends=True)
    waves = {"a.csv": rows(60, 60), "b.csv": header + b"".join(reversed(lines))}
    path = zipped(tmp_path / "in.zip", waves)
    said = "NR_CPF has 60 values in 120 records: does it identify people?"
    assert seeming_person(path, delimited(), ["sex"]) == said


def test_reading_a_release_tells_it_and_changes_nothing_of_the_table(tmp_path):
    told = []
    written = []
    for n_persons in (60, 120):
        archive = plain(tmp_path / "in.csv", rows(n_persons, 120))
        table = tmp_path / "out.parquet"
        with told_by(told.append):
            release = ReadRelease(archive, ("sex",))
            ingest(release, delimited(), table, tmp_path / "out.json")
        written.append(table.read_bytes())
    assert written[0] == written[1]
    assert told == [
        "NR_CPF has 60 values in 120 records: does it identify people? With person_id "
        "under options in the study file each person counts once (docs/own-file.md)."
    ]
