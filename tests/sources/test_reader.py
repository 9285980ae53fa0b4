import io
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from microleak.base.errors import TableError
from microleak.sources.files.archive import Member, members
from microleak.sources.files.inspection import NOTHING, KnownFile
from microleak.sources.formats import reader
from microleak.sources.formats.reader import ReadSizes, chunks
from tests.sources.released import SECRET, census, census_text, delimited, plain

SMALL = ReadSizes(block_bytes=1 << 12, chunk_records=2)


def member_of(data):
    return Member("in.csv", "in.csv", len(data), lambda: io.BytesIO(data))


def records(data, attributes, definition=None, sizes=SMALL, known=NOTHING):
    read = chunks(
        member_of(data), definition or delimited(), attributes, sizes, known=known
    )
    return [tuple(row.values()) for chunk in read for row in chunk.to_pylist()]


def refused(words, data, definition=None, attributes=("a",)):
    with pytest.raises(TableError, match=words) as error:
        records(data, attributes, definition)
    assert SECRET not in str(error.value)
    assert error.value.__suppress_context__


COUNTED = KnownFile(n_rows=True)


def test_values_stay_the_text_they_are(tmp_path):
    data = b"a,b\n007,1.0\nTrue, x \n"
    assert records(data, ["b", "a"]) == [("1.0", "007"), (" x ", "True")]


def test_chunks_hold_the_records_asked_for_and_the_last_the_rest():
    read = chunks(member_of(b"a\n1\n2\n3\n4\n5\n"), delimited(), ["a"], SMALL)
    assert [chunk.num_rows for chunk in read] == [2, 2, 1]


def test_texts_that_stand_for_a_missing_value_become_null_quoted_or_not():
    definition = delimited(missing=["NA", "-1"])
    data = b'a,b\nNA,"NA"\n-1,\n'
    assert records(data, ["a", "b"], definition) == [(None, None), (None, "")]


def test_a_blank_line_is_a_missing_value_where_there_is_one_column():
    assert records(b"a\n\nx\n", ["a"]) == [(None,), ("x",)]


def test_a_quotation_mark_is_text_in_the_census():
    data = census_text({"ID_TURMA": '"'})
    assert records(data, ["ID_TURMA"], census()) == [('"',)]


def test_the_names_of_a_release_become_the_newest():
    definition = census("2014")
    data = "|".join(definition.names.values()) + "\n" + "|".join("1" * 21) + "\n"
    (chunk,) = chunks(member_of(data.encode()), definition, ["CO_ENTIDADE"])
    assert chunk.column_names == ["CO_ENTIDADE"]


def test_a_faulty_line_is_named_without_its_content(rows, words):
    refused(f"^in.csv: {words}", b"a,b\n" + rows.encode("latin-1"))


VALUES = st.none() | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6
)
TABLES = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.tuples(*[VALUES] * n), min_size=1, max_size=12)
)


def field(value):
    if value is None or not set(value) & set(',;|\t\r\n"'):
        return value or ""
    return '"' + value.replace('"', '""') + '"'


@given(
    TABLES,
    st.sampled_from(",;|\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 13),
    st.integers(300, 900),
)
def test_any_table_of_text_comes_back_exactly(rows, delimiter, end, n_chunk, n_block):
    names = [f"c{place}" for place in range(len(rows[0]))]
    lines = [delimiter.join(names), *(delimiter.join(map(field, row)) for row in rows)]
    data = "".join(line + end for line in lines).encode()
    definition, sizes = delimited(delimiter=delimiter), ReadSizes(n_block, n_chunk)
    assert records(data, names, definition, sizes, COUNTED) == rows


LINE_ENDS = st.lists(
    st.sampled_from(["\r", "\n", "\r\n", '"', ",", "é", "x", "\ufeff"]), max_size=8
).map("".join)


def quoted(row):
    return ",".join('"' + value.replace('"', '""') + '"' for value in row)


@given(
    st.lists(st.tuples(LINE_ENDS, LINE_ENDS), min_size=1, max_size=40),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.integers(100, 200),
)
def test_line_ends_in_quoted_values_survive_any_blocks(rows, end, has_mark, n_block):
    text = "".join(line + end for line in ["a,b", *map(quoted, rows)])
    data = b"\xef\xbb\xbf" * has_mark + text.encode()
    definition, sizes = delimited(missing=[]), ReadSizes(n_block, 1000)
    assert records(data, ["a", "b"], definition, sizes, COUNTED) == rows


def test_a_row_is_read_up_to_the_bytes_parsed_at_once_and_refused_from_twice_as_many():
    sizes = ReadSizes(block_bytes=64, chunk_records=10)
    for n_before in range(70):
        lines = b"a\n" + b"1\n" * n_before
        assert records(lines + b"x" * 63 + b"\n", ["a"], sizes=sizes)[-1] == ("x" * 63,)
        with pytest.raises(TableError, match="a row is longer than 64 bytes"):
            records(lines + b"x" * 128 + b"\n1\n", ["a"], sizes=sizes)


PLAIN_VALUES = st.none() | st.text(
    # Without capitals that, before some others, would be a letter in UTF-8.
    st.characters(codec="latin-1", exclude_characters="\0|\r\nÃÄÅ"),
    min_size=1,
    max_size=6,
)


# Text that grows in UTF-8, so that a block of 4,096 bytes ends within a row.
GROWING = [(None, None)] * 26 + [(None, "0" + "\x80" * n) for n in (2, 1, 3, 2, 2)] * 2


@given(st.lists(st.tuples(PLAIN_VALUES, PLAIN_VALUES), min_size=1), st.integers(1, 9))
@example(GROWING, 1)
def test_any_unquoted_table_of_latin_1_comes_back_exactly(rows, n_chunk):
    attributes = ["ID_TURMA", "TP_SEXO"]
    told = [dict(zip(attributes, [v or "" for v in row], strict=True)) for row in rows]
    data = census_text(*told)
    assert records(data, attributes, census(), ReadSizes(4096, n_chunk)) == rows


WIDE = ReadSizes(block_bytes=1 << 16, chunk_records=100)


@pytest.mark.parametrize("known", [KnownFile(sha256=True), KnownFile(n_rows=True)])
def test_a_last_line_without_an_end_is_read_where_the_study_vouches_for_it(known):
    assert records(b"a,b\n1,2\n3,4", ["b"], known=known) == [("2",), ("4",)]


def test_a_last_line_of_the_census_needs_an_end_too():
    refused("line 2 has no line end", census_text({})[:-1], census(), ["TP_SEXO"])


LATIN = delimited(encoding="latin-1")
PERSONS = b"id,age,sex,ill\n1,2,f,no\n%b\n3,4,m,no\n"
REPEATED = [
    *(
        (b'a,b,c\nx,"1\n1",z\n' + head + b"\nx,2,z\n", delimited(), wanted, 4)
        for head in (b"a,b,c", b'"a",b,"c"', b"\xef\xbb\xbfa,b,c")
        for wanted in (["a"], ["b"], ["c", "a"])
    ),
    *(
        (PERSONS % head, delimited(), wanted, 3)
        for head in (b"ID,AGE,SEX,ILL", b" id, age , sex,ill", b'"Ill",id,age,SEX')
        for wanted in (["id", "age", "sex", "ill"], ["ill"])
    ),
    ("código,nível\n1,2\nCÓDIGO,NÍVEL\n3,4\n".encode("latin-1"), LATIN, ["código"], 3),
    (b"a,b\n1,2\n\xef\xbb\xbfa,b\n3,4\n", LATIN, ["a", "b"], 3),
    *(
        (b"a,NA,b\n1,2,3\na,NA,b\n4,5,6\n", delimited(missing=["", "NA"]), wanted, 3)
        for wanted in (["NA", "b"], ["NA"], ["b"])
    ),
    (census_text({}) + census_text({}), census(), ["TP_SEXO"], 3),
]
"""Texts with a header among the rows, also in other letters or another order."""


@pytest.mark.parametrize(("data", "definition", "wanted", "line"), REPEATED)
def test_a_header_among_the_rows_is_refused_by_its_line(data, definition, wanted, line):
    refused(f"line {line} repeats the header", data, definition, wanted)


def test_a_row_with_one_name_twice_is_no_header():
    data = b"a,b\n1,2\nB,b\n3,4\n"
    assert records(data, ["a"]) == [("1",), ("B",), ("3",)]


def test_a_row_with_some_of_the_names_as_values_is_a_row():
    rows = [("a", "b")] * 3
    data = b"a,b,c\n" + b"a,b,3\n" * 3
    assert records(data, ["a", "b"], sizes=ReadSizes(64, 1)) == rows


SWALLOWING = [
    b'1,"x,2\n3,y,4\n5,z",6\n',
    b'1,"x,2\n3,y",4\n',
    b'1,"x""z\r\n3,""4,y",5\n',
    b'"1,x,2\n3",y,4\n',
    b'1,x,"2\n3,y,4"\n',
]


@pytest.mark.parametrize("rows", SWALLOWING)
@pytest.mark.parametrize("n_before", [0, 1, 50])
def test_a_value_that_may_have_swallowed_rows_is_refused_with_its_line(rows, n_before):
    before = b'"1\n1",2,"3,"\n' * n_before
    words = f"line {2 + 2 * n_before} has a quoted value with a line end and as many d"
    refused(words, b"a,b,c\n" + before + rows, attributes=["a"])
    assert records(b"a,b,c\n" + before + rows, ["a"], known=COUNTED)


@pytest.mark.parametrize("value", ["x\ny", "x\n,y", "x,y,z", "\n"])
def test_a_value_with_a_line_end_and_few_delimiters_is_a_value(value):
    data = f'a,b,c\n1,"{value}","{value}"\n,"{value}",2\n'.encode()
    assert records(data, ["b"], sizes=WIDE) == [(value,)] * 2


def test_a_hash_does_not_vouch_for_a_value_that_may_have_swallowed_rows():
    data = b'a,b\n1,"x\n3,y"\n'
    with pytest.raises(TableError, match="give n_rows under releases in the study"):
        records(data, ["a"], known=KnownFile(sha256=True))


@pytest.mark.parametrize(
    ("text", "n_tables"),
    [
        (b"a,b\n" + b"1,x\n" * 200_000 + b"1,\0\n", None),
        (b"a,b\n" + b"1,x\n" * 200_000 + b"1\n", None),
        (b"a,b\n" + b"1,x\n" * 200_000 + b"1,x", None),
        (b"a,b\n1,\xff\n" + b"1,x\n" * 200_000, None),
        (b"a,b\n" + b"1,x\n" * 200_000 + b'1,"', None),
        (b"a,b\n" + b"1,x\n" * 200_000 + b"1,x\n\n1,x\n", None),
        (b"a,b\n" + b"1,x\n" * 200_000 + b"a,b\n", None),
        (b"a,b\n" + b"1,x\n" * 200_000, 1),
        (b"a,b\n" + b"1,x\n" * 200_000, 3),
        (b"a,b\n" + b"1,x\n" * 200_000, 0),
    ],
)
def test_threads_of_a_reader_hold_nothing_after(tmp_path, monkeypatch, text, n_tables):
    made = []

    class Lent(reader._Lent):
        """Told of, to be asked afterwards."""

        def __init__(self, text):
            super().__init__(text)
            made.append(self)

    monkeypatch.setattr(reader, "_Lent", Lent)
    (member,) = members(plain(tmp_path / "a.csv", text), r".+\.csv")
    found = reader.chunks(member, delimited(), ["a"], ReadSizes(1 << 12, 1 << 10))
    if n_tables is None:
        with pytest.raises(TableError):
            list(found)
    elif n_tables:
        assert len([*islice(found, n_tables)]) == n_tables
        found.close()
    else:
        assert sum(len(table) for table in found) == 200_000
    assert {each.n_lent for each in made} <= {0}
