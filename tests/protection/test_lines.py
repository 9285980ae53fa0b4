"""Protected records as lines of fields at fixed places, and read again."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import MicroleakError, StudyError
from microleak.cli import main
from microleak.protection.export import write_records
from microleak.protection.lines import places_of
from microleak.sources.definitions import yearly
from microleak.sources.definitions.yearly import FixedWidth
from microleak.sources.files.archive import members
from microleak.sources.formats.reader import chunks
from tests.protection.test_export import in_order, people
from tests.sources.released import census, fixed_width_file, plain, zipped

LAYOUT = FixedWidth(9, {"TP_SEXO": (0, 1), "FK_COD_MUNICIPIO_DNASC": (4, 9)})
NAMES = ["CO_MUNICIPIO_NASC", "TP_SEXO"]


def office(**changes):
    return dataclasses.replace(census("2013"), layout=LAYOUT, **changes)


def released(folder, text="M...  123\r\nF...45678\r\n"):
    return zipped(folder / "raw.zip", {"TS_MATRICULA_SP.TXT": text.encode("latin-1")})


def written(folder, columns, archive=None, source=None):
    """Return the bytes of lines of columns, and where their fields are."""
    archive, source = archive or released(folder), source or office()
    to = folder / "out.txt"
    table = people(folder, columns)
    places = write_records(table, to, source, list(columns), archive)
    return to.read_bytes(), places


def read(folder, data, places, monkeypatch, names=NAMES):
    """Return records as microleak's own reader has them, by the layout's file."""
    (folder / "layouts").mkdir(exist_ok=True)
    file = folder / "layouts/inep_school_census.csv"
    file.write_text(places.text("2013"), encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(yearly, "CONFIG", folder)
        layout = yearly.layout("inep_school_census", "2013")
    assert layout == places.layout
    source = office()
    (member,) = members(plain(folder / "TS_MATRICULA_SP.TXT", data), source.members)
    found = chunks(member, dataclasses.replace(source, layout=layout), names)
    return [tuple(row.values()) for chunk in found for row in chunk.to_pylist()]


def test_fields_have_places_ends_and_blanks_as_the_office_has_them(tmp_path):
    columns = {"CO_MUNICIPIO_NASC": ["12", None, "12345"], "TP_SEXO": ["2", "1", None]}
    data, places = written(tmp_path, columns)
    assert data == b"1        \r\n2      12\r\n    12345\r\n"
    assert places.layout == LAYOUT
    assert places.wider == ()
    assert places.text("2013") == (
        "release,name,start,length\n"
        "2013,(line),1,9\n2013,TP_SEXO,1,1\n2013,FK_COD_MUNICIPIO_DNASC,5,5\n"
    )


def test_blanks_are_where_the_release_has_them(tmp_path, text, line):
    archive = released(tmp_path, text)
    data, places = written(tmp_path, {"CO_MUNICIPIO_NASC": ["12"]}, archive)
    assert data == line.encode()
    assert places.layout.n_bytes == 9


def test_an_attribute_without_a_field_is_refused_by_its_name(tmp_path):
    with pytest.raises(StudyError) as error:
        written(tmp_path, {"TP_SEXO": ["1"], "TP_COR_RACA": ["1"]})
    official = office().official("TP_COR_RACA")
    assert str(error.value) == (
        f"The lines of 2013 have no field for {official}, so its records cannot be "
        "written to a FILE that ends in .txt. Give -o the ending .csv."
    )


def test_a_label_wider_than_its_field_moves_those_after_it(tmp_path):
    columns = {"CO_MUNICIPIO_NASC": ["São", None], "TP_SEXO": ["any", None]}
    data, places = written(tmp_path, columns)
    assert data.decode("latin-1") == " " * 11 + "\r\nany     São\r\n"
    assert places.layout == FixedWidth(
        11, {"TP_SEXO": (0, 3), "FK_COD_MUNICIPIO_DNASC": (6, 11)}
    )
    assert places.wider == ("TP_SEXO",)


values = st.none() | st.text("aãÇ ÿ|\"';9", max_size=8).map(str.strip).filter(len)


@given(st.lists(st.tuples(values, values), min_size=1, max_size=9))
def test_what_is_written_is_read_again_as_the_same_people(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("file")
    columns = dict(zip(NAMES, zip(*rows, strict=True), strict=True))
    data, places = written(folder, columns)
    with pytest.MonkeyPatch.context() as patch:
        assert read(folder, data, places, patch) == in_order(rows)


def test_values_that_lines_cannot_hold_are_refused_unseen(value, words, tmp_path):
    with pytest.raises(MicroleakError, match=words) as error:
        written(tmp_path, {"CO_MUNICIPIO_NASC": [value]})
    assert not value or value not in str(error.value)


def test_a_release_of_delimited_text_has_no_fields_at_fixed_places(tmp_path):
    archive = zipped(tmp_path / "raw.zip", {"matricula_sul.csv": b"a|b\n1|2\n"})
    for source, given_archive in ((office(), archive), (census("2018"), archive)):
        with pytest.raises(StudyError, match=r"^201[38] has no fields at fixed"):
            places_of({}, source, given_archive)


STUDY = """study: lines
seed: 1
tables:
  pupils:
    source: inep_school_census
    releases: {2007: {archive: raw.zip}}
hierarchies:
  NU_ANO: {widths: [10]}
protections:
  coarse:
    table: pupils
    release: 2007
    steps:
      - {generalise: {NU_ANO: 1}}
      - {suppress: [NU_ANO, NU_MES], alone: "0.1"}
    attributes: [TP_SEXO]
analyses:
  collective:
    - {name: before, table: pupils, focal: 2007, qids: [NU_ANO, NU_MES]}
"""


@pytest.mark.workflow
def test_the_command_writes_lines_and_their_layout(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    source = census("2007")
    born = [("1999", "1"), ("1999", "1"), ("1999", "2"), ("2001", "3")]
    rows = [
        {"NU_ANO": year, "NU_MES": month, "ID_ALUNO": str(n).zfill(12)}
        for n, (year, month) in enumerate(born, 1)
    ]
    text = fixed_width_file(source, *rows, end="\r\n")
    zipped(tmp_path / "raw.zip", {"TS_MATRICULA_SP.TXT": text})
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    words = ["protect", "study.yaml", "--recipe", "coarse", "-o", "public.txt"]
    assert main(words) == 0
    said = capsys.readouterr().err
    year = source.official("NU_ANO")
    assert (
        "public.txt.layout.csv says where its fields are: publish it, too. Some labels "
        f"are wider than the fields of {year}: these were widened, and later fields "
        "moved."
    ) in said
    assert "coarse: cells made missing: 4, the fewest possible" in said
    lines = (tmp_path / "public.txt").read_bytes().split(b"\r\n")
    assert len(lines) == 5
    assert {len(line) for line in lines[:4]} == {source.layout.n_bytes + 5}
    main(words)
    assert "public.txt is here already" in capsys.readouterr().err
