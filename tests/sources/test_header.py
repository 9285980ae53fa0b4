import pytest

from microleak.base.errors import TableError
from microleak.sources.files import header as module
from microleak.sources.files.archive import members
from microleak.sources.files.header import header
from microleak.sources.formats.reader import chunks
from tests.sources.released import SECRET, census, census_text, delimited, plain

SEX = ["TP_SEXO"]


def columns(tmp_path, data, definition=None, attributes=("a",)):
    member = next(members(plain(tmp_path / "in.csv", data), ""))
    return header(member, definition or delimited(), attributes)


def refused(tmp_path, words, data, definition=None, attributes=("a",)):
    with pytest.raises(TableError, match=words) as error:
        columns(tmp_path, data, definition, attributes)
    assert str(error.value).startswith("in.csv: line ")
    assert SECRET not in str(error.value)


def test_columns_that_are_not_asked_for_are_allowed(tmp_path):
    assert columns(tmp_path, b"x,a,y\n1,2,3\n") == ["x", "a", "y"]


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_header_is_read_with_or_without_a_byte_order_mark(tmp_path, bom, end):
    assert columns(tmp_path, bom + b'"a",b' + end + b"1,2" + end) == ["a", "b"]


def test_names_are_decoded_as_the_text_is(tmp_path):
    latin = delimited(encoding="latin-1")
    data = "ação\n1\n".encode("latin-1")
    assert columns(tmp_path, data, latin, ["ação"]) == ["ação"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize("name", ["ação", "Município", "Œuvre", "cor/raça"])
def test_names_that_are_read_in_another_encoding_are_told(tmp_path, encoding, name):
    """The name that is most like it is a misread one, which nobody should copy."""
    words = f"line 1: the names of columns are in utf-8, and are read in {encoding}. "
    data = f"{name},b\n1,2\n".encode()
    definition = delimited(encoding=encoding)
    refused(tmp_path, f"{words}Correct encoding", data, definition, [name])


def test_a_name_that_is_asked_for_and_there_twice_is_refused_by_name(tmp_path):
    data = f"b,a,{SECRET},a\n1,2,3,4\n".encode()
    words = "line 1 has a as columns 2 and 4, either of which could be meant. Rename"
    refused(tmp_path, words, data)


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (b"Survey of 2023,,\na,b,c\n1,2,3\n", "2 and 3"),
        (b",,\na,b,c\n1,2,3\n", "1 and 2"),
        (b"a,,\n1,2,3\n", "2 and 3"),
        (b",b,\n1,2,3\n", "1 and 3"),
        (b'"Title, with comma",,\na,b,c\n', "2 and 3"),
    ],
)
def test_columns_without_a_name_are_told_as_such(tmp_path, data, places):
    (member,) = members(plain(tmp_path / "in.csv", data), "")
    words = f"line 1 has no names for columns {places}. If it is a title above"
    with pytest.raises(TableError, match=words):
        header(member, delimited(), ["", ""])


def test_a_name_that_nobody_asks_for_may_be_there_twice(tmp_path):
    data = b"x,a,x\n1,2,3\n"
    assert columns(tmp_path, data) == ["x", "a", "x"]
    (member,) = members(plain(tmp_path / "in.csv", data), "")
    (chunk,) = chunks(member, delimited(), ["a"])
    assert chunk.to_pylist() == [{"a": "2"}]


@pytest.mark.parametrize("line", [b"sep=;\r\n", b"SEP=;\n", b'"sep=;"\r\n', b"sep=;\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_a_line_for_excel_above_the_header_is_no_line_of_the_table(tmp_path, bom, line):
    end = b"\r" if line.endswith(b"\r") else b"\n"
    data = bom + line + end.join([b"a;b", b"1;2", b"3;4", b""])
    (member,) = members(plain(tmp_path / "in.csv", data), "")
    definition = delimited(delimiter=";")
    assert header(member, definition, ["b"]) == ["a", "b"]
    (chunk,) = chunks(member, definition, ["b"])
    assert chunk.to_pylist() == [{"b": "2"}, {"b": "4"}]


def test_a_line_for_excel_with_another_delimiter_is_refused(tmp_path):
    words = r"line 1 tells Excel that ';' stands between values, but ',' is expected\."
    refused(tmp_path, words, b"sep=;\na;b\n1;2\n")
    words = r"line 1 tells Excel that '' stands between values, but ',' is expected\."
    refused(tmp_path, words, b"sep=\na,b\n1,2\n")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (b"c;d\n1;2\n", "line 2 has no column a"),
        (b"a;b\n", "line 3: a record expected, but there is only a header"),
        (b"", "line 2: a header expected, but it is empty"),
        (b"a;a\n1;2\n", "line 2 has a as columns 1 and 2"),
        (b"a,b\n1,2\n", "line 2: values expected between ';', but ',' seems to"),
    ],
)
def test_a_fault_below_a_line_for_excel_is_told_by_its_own_line(tmp_path, rows, words):
    refused(tmp_path, words, b"sep=;\n" + rows, delimited(delimiter=";"))


def test_a_faulty_row_below_a_line_for_excel_is_told_by_its_line(tmp_path, row, words):
    data = f"sep=;\na;b\n1;2\n{row}".encode()
    (member,) = members(plain(tmp_path / "in.csv", data), "")
    with pytest.raises(TableError, match=words) as error:
        list(chunks(member, delimited(delimiter=";"), ["a", "b"]))
    assert SECRET not in str(error.value)


def test_a_missing_column_is_named_with_one_of_another_case(tmp_path):
    data = f"sexo,{SECRET}\n1,2\n".encode()
    words = r"no column SEXO\. Did you mean sexo\? Correct the attribute's name in the"
    refused(tmp_path, words, data, attributes=["SEXO"])


def test_a_missing_column_beside_others_is_named_with_the_one_most_like_it(tmp_path):
    data = f"id,gender,ocupation,{SECRET}\n1,2,3,4\n".encode()
    words = r"no column occupation, sex\. Did you mean ocupation\? Correct the attribu"
    refused(tmp_path, words, data, attributes=["id", "occupation", "sex"])


def test_a_name_that_is_only_like_the_one_asked_for_may_be_a_cell(tmp_path):
    data = f"{SECRET},1\n{SECRET},2\n".encode()
    words = "no column .*x. The line looks like data: .* above it. Correct"
    refused(tmp_path, words, data, attributes=[SECRET[:-1] + "x"])


@pytest.mark.parametrize("first", [f"F,{SECRET}", f"{SECRET},2019"])
def test_a_first_line_that_is_a_record_is_said_to_look_like_data(tmp_path, first):
    data = f"{first}\nM,x\nF,y\n".encode()
    words = "no column sex, town. The line looks like data: the names of the columns"
    refused(tmp_path, words, data, attributes=["sex", "town"])


def test_a_header_with_years_does_not_look_like_data(tmp_path):
    data = b"town,2019\nA,1\n"
    words = "line 1 has no column sex. Correct the attribute's name in the study file"
    refused(tmp_path, words, data, attributes=["town", "sex"])


def test_a_column_with_a_domain_must_be_there(tmp_path):
    definition = delimited(domains={"a": "1", "Sex": "[12]"})
    words = (
        r"no column Sex\. Did you mean sex\? Correct domains under options in the st"
    )
    refused(tmp_path, words, b"a,sex\n1,2\n", definition)
    refused(tmp_path, r"Sex\. Did you mean sexo\?", b"a,sexo\n1,2\n", definition)
    words = r"no column Sex\. Correct domains under options in the study file\."
    refused(tmp_path, words, b"a,ill\n1,2\n", definition)


@pytest.mark.parametrize(("used", "words"), [(b";", "';'"), (b"\t", r"'\\t'")])
def test_another_delimiter_is_named_with_the_expected_one(tmp_path, used, words):
    words = rf"between ',', but {words} seems to be used"
    refused(tmp_path, words, b"a,b\n1,2\n".replace(b",", used))
    refused(tmp_path, words, b'"a","b"\n1,2\n'.replace(b",", used))


CENSUS = census_text({})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (CENSUS.replace(b"|", b","), r"between '\|', but ',' seems"),
        (
            CENSUS.replace(b"|TP_SEXO|", b"|X|"),
            r"names of 2018 in config/names/inep_sch",
        ),
        (
            CENSUS.replace(b"|ID_ALUNO|", b"|X|"),
            r"no column ID_ALUNO, the person's identifier.*school-level file",
        ),
        (b"TP_SEXO|X\n1|2\n", r"no column ID_ALUNO, the person's identifier"),
        *(
            (
                b"NU_ANO_CENSO;CO_ENTIDADE;QT_MAT_BAS\n2018;1;2\n".replace(b";", used),
                r"QT_MAT_BAS: this is a school-level file .*INEP re-.*student file",
            )
            for used in (b"|", b";")
        ),
    ],
)
def test_what_a_file_is_that_is_none_of_the_census_is_told(tmp_path, data, words):
    refused(tmp_path, words, data, census(), SEX)


def test_another_delimiter_is_seen_where_the_expected_one_occurs_too(tmp_path):
    words = "but ';' seems to be used"
    refused(tmp_path, words, b"a;b;c,d\n1;2;3\n", attributes=["a", "b"])


def test_a_name_that_the_encoding_does_not_have_is_refused(tmp_path):
    data = SECRET.encode() + b",\xff\n1,2\n"
    refused(tmp_path, "line 1 cannot be read as utf-8 text", data)


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_HEADER_BYTES", 8)
    refused(tmp_path, "line 1 has no end within 8 bytes", SECRET.encode() * 2)


@pytest.mark.parametrize(
    ("blank", "line"),
    [
        *((b"\n", 1), (b"\n\n", 1), (b"\r\n", 1), (b"\r", 1), (b"  \n", 1)),
        *((b"\xef\xbb\xbf\n", 1), (b"\xef\xbb\xbf\r\n", 1), (b"sep=,\n\n", 2)),
    ],
)
@pytest.mark.parametrize("text", [b"a,b\n1,2\n", b"a\n1\n", b""])
@pytest.mark.parametrize("attributes", [(), ("a",)])
def test_a_blank_line_above_names_is_refused(tmp_path, blank, line, text, attributes):
    words = f"line {line} is blank, where the names of the columns are expected. Delete"
    refused(tmp_path, words, blank + text, attributes=attributes)


@pytest.mark.parametrize("sign", ["\x07", "\u200b", "\ufeff", "\u00ad", "\u2066"])
def test_a_name_with_a_sign_that_is_not_seen_is_refused(tmp_path, sign):
    data = f"b,a{sign}\n1,2\n".encode()
    words = "line 1: the name of column 2 has an invisible character"
    refused(tmp_path, words, data)
    for asked in ("b", f"a{sign}"):
        assert columns(tmp_path, data, attributes=(asked,))[0] == "b"


def test_letters_may_be_joined_in_a_name(tmp_path):
    data = "a\u200cb,c\n1,2\n".encode()
    assert columns(tmp_path, data, attributes=("a\u200cb",))


def test_a_question_with_several_answers_is_no_title(tmp_path):
    data = b"Which apply?,,\nResponse,A,B\nx,,\n"
    (member,) = members(plain(tmp_path / "in.csv", data), "")
    with pytest.raises(TableError, match="delete the line below"):
        header(member, delimited(), ["Which apply?", "", ""])
