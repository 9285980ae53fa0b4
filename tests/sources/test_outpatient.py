"""Outpatient data: a state's year of monthly files, and the records removed."""

import csv
import hashlib
import json
import re
from dataclasses import replace

import pandas as pd
import pyarrow.parquet as pq
import pytest

from microleak.base.errors import ArchiveError, StudyError, TableError
from microleak.base.paths import ROOT
from microleak.base.progress import told_by
from microleak.sources.definitions.definition import source_definition
from microleak.sources.definitions.options import is_pattern
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.assessing import assess
from tests.sources.dbc_files import (
    COLUMNS,
    VALID,
    dbf,
    month_table,
    packed,
    written,
    year_of_files,
)
from tests.sources.released import SECRET, delimited, zipped

SAMPLE = ROOT.parent / "shared" / "data" / "sia_pa_ac_2016_06_sample.csv"
QIDS = [
    *["PA_SEXO", "PA_RACACOR", "PA_IDADE", "PA_MUNPCN", "PA_CODUNI", "PA_MVM"],
    "PA_CMP",
]
SENSITIVE = "PA_PROC_ID"
JANUARY = "PARR2301.dbc"
NONE_REMOVED = [
    *[("PA_IDADE", "missing"), ("PA_IDADE", "outside")],
    *[("PA_MVM", "missing"), ("PA_MVM", "outside"), ("", "deleted")],
]


def sia(release="RR-2023"):
    return source_definition("datasus_sia_pa", release, {})


def ingested(tmp_path, archive, attributes=("PA_SEXO",), definition=None, **settings):
    out = tmp_path / "out"
    paths = out / "table.parquet", out / "receipt.json"
    wanted = ReadRelease(archive, tuple(attributes), **settings)
    ingest(wanted, definition or sia(), *paths)
    return pq.read_table(paths[0]), json.loads(paths[1].read_text("utf-8"))


def refused(tmp_path, archive, words, kind=ArchiveError, attributes=("PA_SEXO",)):
    with pytest.raises(kind, match=words) as error:
        ingested(tmp_path, archive, attributes)
    assert SECRET not in str(error.value)
    assert list((tmp_path / "out").rglob("*")) == []


def removed(receipt):
    return {(r["attribute"], r["reason"]): r["n_rows"] for r in receipt["removed"]}


def test_a_release_is_a_state_and_a_year():
    definition = sia("SP-2019")
    for name in ("PASP1901.dbc", "pasp1912d.DBC", "PASP1906.dbf"):
        assert re.fullmatch(definition.members, name, re.IGNORECASE)
    for name in ("PASP2001.dbc", "PARJ1901.dbc", "PASP1913.dbc", "PASP1901ab.dbc"):
        assert not re.fullmatch(definition.members, name, re.IGNORECASE)


@pytest.mark.parametrize(
    "name", ["RR", "2023", "XX-2023", "RR-2007", "rr-2023", "RR-23"]
)
def test_another_name_of_a_release_is_refused(name):
    with pytest.raises(StudyError, match=f"no release {name}; a release is a state an"):
        sia(name)


def test_rows_are_lines_of_procedure_that_nobody_is_followed_by():
    assert sia().identifiers == ()
    assert sia().links("RR-2023")
    assert not sia().links("RR-2022")
    assert not sia().links("2022")


def test_every_domain_is_a_pattern_and_has_the_valid_values():
    domains = sia().domains
    assert set(domains) == set(VALID) == {*QIDS, SENSITIVE}
    for name, domain in domains.items():
        assert is_pattern(domain.pattern)
        assert re.fullmatch(domain.pattern, VALID[name])


def test_domains_are_those_of_valid_records(attribute, valid, invalid):
    pattern = sia().domains[attribute].pattern
    assert [v for v in valid if not re.fullmatch(pattern, v)] == []
    assert [v for v in invalid if re.fullmatch(pattern, v)] == []


def test_twelve_months_are_read_in_their_order_and_sealed_by_file(tmp_path):
    files = year_of_files()
    folder = written(tmp_path / "RR", files | {"PAAC2301.dbc": b"another state"})
    table, receipt = ingested(tmp_path, folder, ["PA_IDADE", "PA_MVM"])
    months = [f"2023{month:02}" for month in range(1, 13) for _ in range(2)]
    assert table.column_names == ["PA_IDADE", "PA_MVM"]
    assert table["PA_MVM"].to_pylist() == months
    assert table["PA_IDADE"].to_pylist() == ["000", "001"] * 12
    assert receipt["members"] == [
        {
            **{"name": name, "n_rows": 2, "n_kept": 2},
            "removed": [
                {"attribute": attribute, "reason": reason, "n_rows": 0}
                for attribute, reason in NONE_REMOVED
            ],
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        for name, data in files.items()
    ]
    assert (receipt["n_read"], receipt["person_id"]) == (24, None)
    assert receipt["n_months"] == 12


@pytest.mark.parametrize("n_months", [1, 2, 11])
def test_a_year_may_end_before_december_which_is_told(tmp_path, n_months):
    files = dict([*year_of_files().items()][:n_months])
    said = []
    with told_by(said.append):
        table, receipt = ingested(tmp_path, written(tmp_path / "RR", files))
    assert (len(table), receipt["n_months"]) == (2 * n_months, n_months)
    assert said == [
        f"RR: RR-2023 ends with month {n_months:02}. If later months were published, "
        "fetch them."
    ]


def test_of_a_whole_year_nothing_is_told(tmp_path):
    said = []
    with told_by(said.append):
        ingested(tmp_path, written(tmp_path / "RR", year_of_files()))
    assert said == []


def test_a_zip_of_the_months_gives_the_table_of_their_folder(tmp_path):
    files = year_of_files()
    folder = written(tmp_path / "RR", files)
    archive = zipped(tmp_path / "RR.zip", {f"Dados/{n}": d for n, d in files.items()})
    first, _ = ingested(tmp_path, folder, QIDS)
    second, _ = ingested(tmp_path, archive, QIDS)
    assert first == second


def test_plain_and_packed_months_and_parts_mix(tmp_path):
    files = year_of_files()
    del files[JANUARY], files["PARR2302.dbc"]
    files["PARR2301.dbf"] = month_table({"PA_IDADE": "001"})
    for age, part in enumerate("abc", 2):
        record = {"PA_IDADE": f"{age:03}", "PA_MVM": "202302"}
        files[f"PARR2302{part}.dbc"] = packed(month_table(record))
    table, _ = ingested(tmp_path, written(tmp_path / "RR", files), ["PA_IDADE"])
    assert table["PA_IDADE"].to_pylist()[:4] == ["001", "002", "003", "004"]


def test_a_month_that_is_not_there_once_is_refused(tmp_path, without, also, words):
    files = {n: d for n, d in year_of_files().items() if n not in without}
    folder = written(tmp_path / "RR", files)
    (folder / "x").mkdir()
    for age, name in enumerate(also, 70):
        (folder / name).write_bytes(packed(month_table({"PA_IDADE": f"0{age}"})))
    refused(tmp_path, folder, words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines, None),
        (
            lambda lines: [line.upper() for line in lines],
            r"RR: PARR2301\.dbc is not in",
        ),
        (lambda lines: lines[1:], r"PARR2301\.dbc is not in SHA256SUMS"),
        (lambda lines: ["0" * 64 + lines[0][64:], *lines[1:]], "it was changed"),
        (lambda lines: [*lines, "word"], "SHA256SUMS, line 13: a hash, two blanks"),
        (lambda lines: [*lines, lines[0]], "SHA256SUMS, line 13: .* each file once"),
    ],
)
def test_files_are_checked_with_the_sums_beside_them(tmp_path, change, words):
    files = year_of_files()
    folder = written(tmp_path / "RR", files)
    lines = [f"{hashlib.sha256(d).hexdigest()}  {n}" for n, d in files.items()]
    (folder / "SHA256SUMS").write_text(
        "\n".join(change(lines)) + "\n", encoding="utf-8"
    )
    if words is None:
        assert ingested(tmp_path, folder)[0].num_rows == 24
    else:
        refused(tmp_path, folder, words)


RECORDS = [
    {},
    {"PA_SEXO": "0"},
    {"PA_SEXO": "", "PA_RACACOR": "99"},
    {"PA_RACACOR": "1M"},
    {"PA_RACACOR": ""},
    {"PA_IDADE": "999"},
    {"PA_MUNPCN": "140000"},
    {"PA_PROC_ID": SECRET},
]


def year_with(january):
    return year_of_files() | {JANUARY: packed(january)}


def test_invalid_records_are_removed_and_counted_by_attribute_and_reason(tmp_path):
    table_with = month_table(*RECORDS, more=[("PA_CIDPRI", 4)])
    deleted = table_with.replace(b" 2000001", b"*2000001", 1)
    files = {
        name: packed(month_table({"PA_MVM": f"2023{m:02}"}, more=[("PA_CIDPRI", 4)]))
        for m, name in enumerate(year_of_files(), 1)
    }
    folder = written(tmp_path / "RR", files | {JANUARY: packed(deleted)})
    attributes = ["PA_SEXO", "PA_RACACOR", "PA_IDADE", "PA_MUNPCN", "PA_PROC_ID"]
    table, receipt = ingested(tmp_path, folder, [*attributes, "PA_CIDPRI"])
    assert table.num_rows == receipt["n_kept"] == 11
    assert table["PA_CIDPRI"].null_count == 11, "a missing value without a domain stays"
    assert (receipt["n_read"], receipt["n_refused"], receipt["refused"]) == (19, 8, {})
    assert removed(receipt) == {
        ("PA_SEXO", "missing"): 1,
        ("PA_SEXO", "outside"): 1,
        ("PA_RACACOR", "missing"): 1,
        ("PA_RACACOR", "outside"): 2,
        ("PA_IDADE", "missing"): 0,
        ("PA_IDADE", "outside"): 1,
        ("PA_MUNPCN", "missing"): 0,
        ("PA_MUNPCN", "outside"): 1,
        ("PA_PROC_ID", "missing"): 0,
        ("PA_PROC_ID", "outside"): 1,
        ("", "deleted"): 1,
        ("", "any"): 8,
    }


def test_only_attributes_that_the_study_uses_are_looked_at(tmp_path):
    folder = written(tmp_path / "RR", year_with(month_table(*RECORDS)))
    table, receipt = ingested(tmp_path, folder, ["PA_IDADE"])
    assert table.num_rows == 8 + 22 - 1
    assert removed(receipt)["", "any"] == 1


def test_a_release_that_names_its_rows_counts_all_that_were_read(tmp_path):
    folder = written(tmp_path / "RR", year_with(month_table(*RECORDS)))
    table, _ = ingested(tmp_path, folder, ["PA_IDADE"], n_rows=30)
    assert table.num_rows == 29


def test_a_release_of_which_nothing_is_left_is_refused(tmp_path):
    files = {
        name: packed(month_table({"PA_RACACOR": "99", "PA_MVM": f"2023{month:02}"}))
        for month, name in enumerate(year_of_files(), 1)
    }
    folder = written(tmp_path / "RR", files)
    words = (
        "RR: all 12 records are removed, 12 of them for PA_RACACOR, which must be 01"
    )
    refused(tmp_path, folder, words, TableError, ["PA_IDADE", "PA_RACACOR"])


def test_a_year_with_fewer_or_more_columns_in_another_order_gives_the_same(tmp_path):
    def file(columns, age):
        own = {"PA_IDADE": f"{age:03}", "PA_MVM": f"2023{age + 1:02}"}
        values = VALID | own | {"X": "x", "PA_FNTORC": "1"}
        row = [values[name] for name, _ in columns]
        return packed(dbf(columns, [row]))

    forms = [COLUMNS, [("PA_FNTORC", 2), *COLUMNS[::-1]], [("X", 1), *COLUMNS[2:]]]
    files = {
        name: file(forms[place % 3], place)
        for place, name in enumerate(year_of_files())
    }
    folder = written(tmp_path / "RR", files)
    table, _ = ingested(tmp_path, folder, ["PA_SEXO", "PA_IDADE"])
    assert table["PA_IDADE"].to_pylist() == [f"{age:03}" for age in range(12)]
    words = r"^RR: PARR2303\.dbc has no column PA_CODUNI\."
    refused(tmp_path / "b", folder, words, TableError, ["PA_CODUNI"])


def test_a_column_that_the_last_month_lacks_is_named_first(tmp_path, monkeypatch):
    monkeypatch.setattr("microleak.kernels.explode.exploded_bytes", pytest.fail)
    december = packed(dbf(COLUMNS[:4], [[VALID[name] for name, _ in COLUMNS[:4]]]))
    folder = written(tmp_path / "RR", year_of_files() | {"PARR2312.dbc": december})
    words = r"^RR: PARR2312\.dbc has no column PA_SEXO\."
    refused(tmp_path, folder, words, TableError)


@pytest.fixture
def sample():
    if not SAMPLE.exists():
        pytest.skip("the sample of Acre is not here")
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_the_sample_of_acre_gives_the_numbers_of_its_csv(tmp_path, sample):
    names, *rows = sample
    widths = [max(1, *map(len, column)) for column in zip(*rows, strict=True)]
    columns = list(zip(names, widths, strict=True))
    files = {
        f"PAAC16{m + 1:02}.dbc": packed(dbf(columns, rows[m * 100 // 12 : _end(m)]))
        for m in range(12)
    }
    folder = written(tmp_path / "AC", files)
    attributes = [*QIDS, SENSITIVE]
    # All its records are of June.
    definition = replace(sia("AC-2016"), monthly=None)
    table, receipt = ingested(tmp_path / "dbc", folder, attributes, definition)
    patterns = {n: d.pattern for n, d in definition.domains.items()}
    text = delimited(domains=patterns)
    plain, counts = ingested(tmp_path / "csv", SAMPLE, attributes, text, max_refused=99)
    assert receipt["n_read"] == counts["n_read"] == 100
    assert 0 < receipt["n_kept"] == counts["n_kept"] < 100
    assert table.equals(plain)
    by_source = [
        assess(t.to_pandas(), qids=QIDS, sensitive=[SENSITIVE]) for t in (table, plain)
    ]
    pd.testing.assert_frame_equal(*by_source)


def _end(month):
    return (month + 1) * 100 // 12
