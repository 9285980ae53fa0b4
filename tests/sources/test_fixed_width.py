import dataclasses
import io

import pytest

from microleak.base.errors import TableError
from microleak.sources.definitions.yearly import FixedWidth
from microleak.sources.files.archive import Member
from microleak.sources.formats.fixed_width import MAX_LINE_BYTES
from microleak.sources.formats.reader import ReadSizes, chunks
from tests.sources.released import SECRET, census, fixed_width_file

LAYOUT = FixedWidth(6, {"TP_SEXO": (0, 1), "PK_COD_TURMA": (1, 4), "NU_DIA": (4, 6)})
WANTED = ["NU_DIA", "ID_TURMA"]
SMALL = ReadSizes(block_bytes=14, chunk_records=2)


def definition(layout=LAYOUT):
    return dataclasses.replace(census("2013"), layout=layout)


def records(data, wanted=WANTED, given=None):
    member = Member(
        "TS_MATRICULA_SP.TXT", "in.zip", len(data), lambda: io.BytesIO(data)
    )
    read = chunks(member, given or definition(), wanted, SMALL)
    return [tuple(row.values()) for chunk in read for row in chunk.to_pylist()]


def refused(words, text, given=None):
    data = text.encode("latin-1")
    with pytest.raises(TableError, match=rf"^in\.zip: {words}") as error:
        records(data, given=given)
    assert SECRET not in str(error.value)
    assert error.value.__suppress_context__ or not error.value.__context__


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"M 12 7\nF3  08\n", [("7", "12"), ("08", "3")]),
        (b"Ma b 7\n", [("7", "a b")]),
        (b"M     \nM  1 2\n", [(None, None), ("2", "1")]),
        (b"M 12 7  \nF3  08  \nF3  09  ", [("7", "12"), ("08", "3"), ("09", "3")]),
        (
            "éáé  7\nMçã\xa0 8\nFaé 09\n".encode("latin-1"),
            [("7", "áé"), ("8", "çã\xa0"), ("09", "aé")],
        ),
    ],
    ids=[
        "without blanks around",
        "blanks within",
        "missing",
        "longer lines",
        "letters",
    ],
)
def test_values_are_what_stands_at_their_places(data, found):
    assert records(data) == found


def test_texts_that_stand_for_a_missing_value_become_null():
    given = dataclasses.replace(definition(), missing=("", "."))
    assert records(b"M  . 2\n", given=given) == [("2", None)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("n_records", [1, 2, 3, 4, 5])
def test_the_last_line_need_not_end(end, n_records):
    lines = [f"M{n:3}{n:2}" for n in range(n_records)]
    expected = [(str(n), str(n)) for n in range(n_records)]
    assert records(end.join(lines).encode()) == expected
    assert records((end.join(lines) + end).encode()) == expected


def test_a_field_at_the_end_of_the_line_and_one_of_a_byte_are_read():
    data = fixed_width_file(census("2007"), {"TP_LOCALIZACAO": "2"}, end="\r\n")
    wanted = ["TP_LOCALIZACAO", "TP_DEPENDENCIA", "NU_ANO_CENSO"]
    assert records(data, wanted, census("2007")) == [("2", "2", "2007")]


def test_a_line_that_is_not_as_the_others_is_named_without_its_content(text, words):
    refused(words, text)


def test_a_member_without_line_ends_is_not_read_to_its_end():
    refused("line 1 has more than blanks after its 6 bytes", "x" * 2 * MAX_LINE_BYTES)


def test_a_release_whose_places_are_not_known_is_refused():
    words = "has fields at fixed places, which are not known for 2013.*config/layouts/"
    with pytest.raises(TableError, match=words):
        records(b"M 12 7\n", given=definition(layout=None))


def test_progress_is_told_by_bytes():
    data = b"M 12 7\n" * 9 + b"M 12 7"
    member = Member(
        "TS_MATRICULA_SP.TXT", "in.zip", len(data), lambda: io.BytesIO(data)
    )
    told = []
    list(chunks(member, definition(), WANTED, SMALL, told.append))
    assert sum(told) == len(data)
