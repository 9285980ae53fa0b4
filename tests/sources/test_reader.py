import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from released import SECRET, census, census_text, delimited, plain

from microleak.errors import TableError
from microleak.sources.archive import Member, members
from microleak.sources.reader import Sizes, chunks

SMALL = Sizes(block_bytes=1 << 12, chunk_records=2)


def member_of(data):
    return Member("in.csv", "in.csv", len(data), lambda: io.BytesIO(data))


def records(data, attributes, definition=None, sizes=SMALL):
    read = chunks(member_of(data), definition or delimited(), attributes, sizes)
    return [tuple(row.values()) for chunk in read for row in chunk.to_pylist()]


def refused(words, data, definition=None, attributes=("a",)):
    with pytest.raises(TableError, match=words) as error:
        records(data, attributes, definition)
    assert SECRET not in str(error.value)
    assert error.value.__suppress_context__


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
    data = "|".join(definition.names.values()) + "\n" + "|".join("1" * 20) + "\n"
    (chunk,) = chunks(member_of(data.encode()), definition, ["CO_ENTIDADE"])
    assert chunk.column_names == ["CO_ENTIDADE"]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (f"1,2\n{SECRET}\n", "line 3 has 1 values, 2 expected"),
        (f"1,2\n{SECRET},1,2\n", "line 3 has 3 values, 2 expected"),
        (f"1,2\n3,4\n{SECRET}", "line 4 has 1 values, 2 expected"),
        (f'"1\n1",2\n{SECRET}\n', "line 4 has 1 values, 2 expected"),
        (f"1,2\n{SECRET},\0\n", "line 3 has a zero byte"),
        (f"1,2\n\n{SECRET},2\n", "line 3 has a blank line"),
        (f'1,2\n{SECRET},"5\n', "line 3 has a quotation mark that is never closed"),
        (f'1,2\n{SECRET},5" x\n', "line 3 has a quotation mark inside a value"),
        (
            f"1,2\n{SECRET},\udcff\n",
            "line 3 has a byte that is not utf-8. Correct encoding under options in",
        ),
    ],
)
def test_a_faulty_line_is_named_without_its_content(rows, words):
    refused(f"^in.csv: {words}", b"a,b\n" + rows.encode(errors="surrogateescape"))


@pytest.mark.parametrize("n_before", [0, 1000])
@pytest.mark.parametrize(
    ("found", "becomes", "words"),
    [
        (b"|x\n", b"\n", "has 20 values, 21 expected"),
        (b"|x\n", b"|x|x\n", "has 22 values, 21 expected"),
        (b"|1|x\n", b"", "has 19 values, 21 expected"),
        (b"|x\n", b"|\0\n", "has a zero byte"),
        (b"|x\n", b"|x\n\n", "has a blank line"),
    ],
)
def test_a_faulty_line_of_the_census_is_named(n_before, found, becomes, words):
    last = census_text({"ID_TURMA": SECRET}).split(b"\n", 1)[1]
    data = census_text(*[{}] * n_before) + last.replace(found, becomes)
    line = n_before + 2 + ("blank" in words)
    refused(rf"^in\.csv: line {line} {words}", data, census(), ["TP_SEXO"])


def test_a_row_longer_than_what_is_parsed_at_once_is_refused():
    data = b"a\n" + SECRET.encode() * 9000 + b"\n1\n"
    refused("a row is longer than 4096 bytes", data)


def test_a_member_of_a_file_is_named_by_the_file(tmp_path):
    path = plain(tmp_path / "survey.csv", b"a,b\n1\n")
    with pytest.raises(TableError, match=r"^survey\.csv: line 2 "):
        list(chunks(next(members(path, "")), delimited(), ["a"]))


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
    read = records(data, names, delimited(delimiter=delimiter), Sizes(n_block, n_chunk))
    assert read == rows


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
def test_line_ends_in_quoted_values_survive_blocks_of_any_size(
    rows, end, has_mark, n_block
):
    text = "".join(line + end for line in ["a,b", *map(quoted, rows)])
    data = b"\xef\xbb\xbf" * has_mark + text.encode()
    read = records(data, ["a", "b"], delimited(missing=[]), Sizes(n_block, 1000))
    assert read == rows


def test_a_return_and_its_feed_stay_together_wherever_a_block_ends():
    for n_before in range(40, 100):
        value = "x" * n_before + "\r\ny"
        data = ("a,b\n" + "1,2\n" * 20 + f'"{value}",1\n2,3\n').encode()
        read = records(data, ["a"], sizes=Sizes(150, 1000))
        assert read[20:] == [(value,), ("2",)]


def test_a_row_is_read_up_to_the_bytes_parsed_at_once_and_refused_from_twice_as_many():
    sizes = Sizes(block_bytes=64, chunk_records=10)
    for n_before in range(70):
        lines = b"a\n" + b"1\n" * n_before
        assert records(lines + b"x" * 63 + b"\n", ["a"], sizes=sizes)[-1] == ("x" * 63,)
        with pytest.raises(TableError, match="a row is longer than 64 bytes"):
            records(lines + b"x" * 128 + b"\n1\n", ["a"], sizes=sizes)


PLAIN_VALUES = st.none() | st.text(
    st.characters(codec="latin-1", exclude_characters="\0|\r\n"), min_size=1, max_size=6
)


# Text that grows in UTF-8, so that a block of 4,096 bytes ends within a row.
GROWING = [(None, None)] * 26 + [(None, "0" + "\x80" * n) for n in (2, 1, 3, 2, 2)] * 2


@given(st.lists(st.tuples(PLAIN_VALUES, PLAIN_VALUES), min_size=1), st.integers(1, 9))
@example(GROWING, 1)
def test_any_unquoted_table_of_latin_1_comes_back_exactly(rows, n_chunk):
    attributes = ["ID_TURMA", "TP_SEXO"]
    told = [dict(zip(attributes, [v or "" for v in row], strict=True)) for row in rows]
    data = census_text(*told)
    assert records(data, attributes, census(), Sizes(4096, n_chunk)) == rows
