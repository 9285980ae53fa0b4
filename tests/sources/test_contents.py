"""Lines that are no records or names of columns, and files that look a bit like it."""

import random

import pytest

from microleak.base.errors import TableError
from microleak.sources.files.archive import members
from microleak.sources.files.header import header
from microleak.sources.files.inspection import NOTHING, KnownFile
from microleak.sources.formats.reader import chunks
from tests.sources.released import delimited, plain

PEOPLE = """7,25,M,Recife
8,31,F,Olinda
9,47,F,Recife
12,52,M,Recife
13,25,M,Olinda
21,38,F,Olinda
23,61,F,Recife
24,19,M,Recife
"""
NAMES = "id,age,sex,town\n"


def read(tmp_path, text, known=NOTHING, attributes=None, **options):
    data = text if isinstance(text, bytes) else text.encode()
    (member,) = members(plain(tmp_path / "in.csv", data), "")
    definition = delimited(**options)
    names = header(member, definition, attributes or [], known)
    wanted = attributes or list(dict.fromkeys(names))
    found = [*chunks(member, definition, wanted, known=known)]
    return sum(len(each) for each in found)


def refused(tmp_path, words, text, **options):
    with pytest.raises(TableError, match=words) as error:
        read(tmp_path, text, **options)
    assert "Recife" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        PEOPLE,
        "6,18,M,Recife\n" + PEOPLE,
        PEOPLE.replace(",", ";"),
        "M,Recife\nF,Olinda\nF,Recife\nM,Olinda\nM,Recife\n",
        "Ana,F,yes\nRui,M,no\nEva,F,no\nIvo,M,yes\nLia,F,no\n",
        "00000000191,B,21\n12345600001,B,21\n12345600002,A,33\n12345600003,A,41\n",
        "1987-02-01,3\n1999-12-31,2\n1950-06-30,3\n2001-01-01,1\n",
        "7,1.5,M\n8,2.5,F\n9,1.5,F\n10,4.0,M\n",
        "3550308,2018,M\n3304557,2018,F\n3550308,2017,F\n3106200,2016,M\n",
        ",25,M,Recife\n" + PEOPLE,
        "NA,NA,M,Recife\n" + PEOPLE,
        "Natal\nRecife\nNatal\nOlinda\nRecife\nNatal\n",
        "0,1,1\n1,1,0\n0,0,0\n1,0,1\n1,1,1\n",
        "M,M,F\nF,M,F\nM,F,M\nF,F,M\nM,M,M\n",
        "João,Parda,SP\nAna,Branca,SP\nEva,Branca,RJ\nRui,Parda,RJ\nIvo,Parda,SP\n",
    ],
)
def test_a_file_without_a_header_is_refused(tmp_path, text):
    delimiter = ";" if ";" in text else ","
    refused(tmp_path, "line 1: this line looks like a rec", text, delimiter=delimiter)


def test_a_file_without_a_header_is_refused_if_a_study_names_its_columns(tmp_path):
    refused(tmp_path, "looks like a record", PEOPLE, attributes=["25", "M"])


def test_a_study_that_says_how_many_rows_there_are_knows_its_header(tmp_path):
    assert read(tmp_path, PEOPLE, KnownFile(n_rows=True)) == 7
    assert read(tmp_path, NAMES + PEOPLE + "Total,8,,\n", KnownFile(n_rows=True)) == 9


def test_names_that_look_a_bit_like_data_are_names(tmp_path, text):
    assert read(tmp_path, text) == text.count("\n") - 1


TITLED = "id,age,sex,town\n" + PEOPLE


@pytest.mark.parametrize("attributes", [None, ["age", "town"]])
def test_titles_above_the_header_are_refused(tmp_path, title, line, attributes):
    words = f"line 1: the names of the columns seem to be in line {line}, below a title"
    refused(tmp_path, words, title + TITLED, attributes=attributes)


def test_lines_that_explain_the_columns_are_refused(tmp_path, lines, first, last):
    several = f"lines {first} to {last}, below the header, have questions"
    words = several if last > first else f"line {first}, below the header, has"
    refused(tmp_path, words, NAMES + lines + PEOPLE)


def test_questions_of_a_survey_without_numbers_are_refused(tmp_path):
    rows = "".join(f"{a},{b}\n" for a in ("yes", "no") for b in "abab")
    text = "q1,q2\nDo you smoke?,Which one?\n" + rows
    refused(tmp_path, "in.csv: line 2, below the header, has questions", text)


@pytest.mark.parametrize("is_last", [False, True])
def test_a_person_who_is_unlike_others_is_a_person(tmp_path, row, is_last):
    text = NAMES + (PEOPLE + row if is_last else row + PEOPLE)
    if row == ",,,\n" and is_last:
        pytest.skip("a line of nothing at the end is refused")
    assert read(tmp_path, text) == 9


def test_totals_and_notes_at_the_end_are_refused(tmp_path, lines, n):
    end = 9 + lines.count("\n") - n + 1
    words = f"line {end} looks like a total, a note or an empty line. If it is one, del"
    refused(tmp_path, words, NAMES + PEOPLE + lines)


@pytest.mark.parametrize("size", [3_000, 300_000])
def test_a_total_is_found_at_the_end_of_a_long_file(tmp_path, size):
    rng = random.Random(1)
    rows = "".join(f"{i},{rng.randint(1, 99)},M,Recife\n" for i in range(size // 30))
    refused(tmp_path, "looks like a total, a note", NAMES + rows + "Total: 9,,,\n")
    assert read(tmp_path, NAMES + rows) == size // 30


@pytest.mark.parametrize(
    "text",
    [
        "plan,n\nTotal,1\nPartial,2\nPartial,3\nBasic,5\nTotal,4\n",
        "name,town\nAna,Recife\nRui,Olinda\nEva,Natal\nIvo,Belém\nTotonho,Natal\n",
        "town,age\nRecife,3\nOlinda,4\nNatal,5\nBelém,9\nFonte Boa,7\n",
        "town,age,sex\nRecife,3,M\nOlinda,4,F\nNatal,5,M\nBelém,9,F\nNotaresco,,\n",
        *(
            "school,age,sex\nA,3,M\nB,4,F\nC,5,M\nD,9,F\n" + last
            for last in ("Fonte Nova,,\n", "Fonte Grande,,\n", "Source Hill,,\n")
        ),
        "id,a,b\n1,2,3\n2,,\n3,4,5\n4,,\n5,6,7\n8,,\n",
        "id,age\n1,3\n2,4\n3,5\n4,9\nN12,7\n",
        "id,age,x\n1,3,a\n2,4,b\n3,5,c\n4,9,d\n5,,\n",
        "status\nall\nnone\nall\nnone\nTotal\n",
        "id,sum\n1,3\n2,4\n3,5\n4,9\n5,12\n",
        "a,b\nx,\n,y\n,\nx,y\n,\n",
    ],
)
def test_last_lines_that_look_a_bit_like_totals_are_records(tmp_path, text):
    assert read(tmp_path, text) == text.count("\n") - 1


COUNTED = "sex,town,age\n" + "".join(
    f"{sex},{town},{age}\n"
    for sex, town, age in zip("FM" * 10, "abbac" * 4, range(14, 34), strict=True)
)


@pytest.mark.parametrize(
    "line",
    [
        *(",,470", "*,,", "20,,", "Mean,,23.5", "Média,,24.5", "Count,20,20"),
        *("End of file,,", "--,--,--", "TOTAL,,470", "Total geral,Total,493"),
        *(",470,", "***,***,***", "Soma,,470", "(20 rows affected),,", "n,20,20"),
    ],
)
def test_figures_of_columns_at_the_end_are_refused(tmp_path, line):
    refused(
        tmp_path,
        "line 22 looks like a total",
        f"{COUNTED}{line}\n".replace(",470,", ",,470"),
    )


@pytest.mark.parametrize(
    "line",
    [
        *(",,46", "F,,", "F,d,", "*,b,20", "F,--,--", "Media,b,20", "n,a,20", ",a,"),
        *("X,Total,20", "-,b,33"),
    ],
)
def test_a_person_of_whom_little_is_known_is_a_person(tmp_path, line):
    assert read(tmp_path, f"{COUNTED}{line}\n") == 21


@pytest.mark.parametrize("line", ["Fonte: IBGE", "20 rows", "(20 rows affected)"])
def test_a_note_of_one_cell_is_no_cut_row(tmp_path, line):
    refused(tmp_path, "line 22 is a note, not a record", f"{COUNTED}{line}\n")
    refused(tmp_path, "line 22 has 2 values", f"{COUNTED}{line},x\n")
    refused(tmp_path, "line 22 has 1 values", f"{COUNTED}Recife\n")


def test_a_study_that_says_how_many_rows_there_are_may_repeat_its_header(tmp_path):
    text = "male,female\nmale,female\n"
    refused(tmp_path, "line 2 repeats the header.*n_rows", text)
    assert read(tmp_path, text, KnownFile(n_rows=True)) == 1


@pytest.mark.parametrize(
    "text", ["id,Red,Blue\n1,Red,\n2,,Blue\nid,Red,Blue\n", "a,b\na,1\n2,3\na,b\n"]
)
def test_a_header_with_a_name_that_no_record_has_is_there_once_more(tmp_path, text):
    refused(tmp_path, "line 4 repeats the header", text)


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"])
def test_a_mark_of_a_joined_file_is_refused(tmp_path, mark):
    data = "sex,town\nF,São\n".encode("cp1252") + mark + b"M,b\nF,c\n"
    refused(tmp_path, "line 3 has a byte order mark", data, encoding="cp1252")


@pytest.mark.parametrize("kind", ["real,inteiro", "text,date"])
def test_words_of_types_that_other_rows_have_too_are_records(tmp_path, kind):
    text = "currency,kind\n" + 10 * f"{kind}\neuro,meia\n{kind}\n"
    assert read(tmp_path, text) == 30
