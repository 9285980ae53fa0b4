"""Months read before are taken from that table: the bytes are a full reading's."""

import random

import pytest

from microleak.base.errors import ArchiveError
from microleak.base.files import sha256_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.formats.reader import ReadSizes
from microleak.sources.steps import ingest as step
from microleak.sources.steps.ingest import Earlier, ReadRelease, ingest
from tests.sources.dbc_files import month_table, packed, written

RORAIMA = source_definition("datasus_sia_pa", "RR-2026", {})
ATTRIBUTES = ("PA_IDADE", "PA_SEXO", "PA_PROC_ID")
SIZES = ReadSizes(chunk_records=3)
VALUES = {
    "PA_IDADE": ["000", "041", "999", ""],
    "PA_SEXO": ["F", "M", "0", ""],
    "PA_PROC_ID": ["0301010072", "0301010048"],
}


def month(number, seed=0, n_records=10, part=""):
    """A month's file in which records are missing, outside or deleted."""
    draw = random.Random(f"{seed} {number} {part}")
    own = {"PA_MVM": f"2026{number:02}"}
    rows = [
        own | {n: draw.choice(v) for n, v in VALUES.items()} for _ in range(n_records)
    ]
    return {f"PARR26{number:02}{part}.dbc": packed(month_table(*rows))}


def nothing_valid(number):
    rows = [{"PA_MVM": f"2026{number:02}", "PA_SEXO": "0"}] * 4
    return {f"PARR26{number:02}.dbc": packed(month_table(*rows))}


def months(*numbers, **how):
    return {name: data for n in numbers for name, data in month(n, **how).items()}


class Made:
    """A reading of files in a folder of its own."""

    def __init__(self, tmp_path, name, files, earlier=()):
        folder = written(tmp_path / name / "RR", files)
        self.table, self.receipt = folder.parent / "t.parquet", folder.parent / "t.json"
        release = ReadRelease(folder, ATTRIBUTES)
        given = [each.as_earlier for each in earlier]
        ingest(release, RORAIMA, self.table, self.receipt, SIZES, given)

    @property
    def files(self):
        return self.table, self.receipt

    @property
    def as_earlier(self):
        return Earlier(*self.files, *map(sha256_of, self.files))

    @property
    def bytes(self):
        return self.table.read_bytes(), self.receipt.read_bytes()


@pytest.fixture
def read(monkeypatch):
    """Names of the files whose records were unpacked."""
    names = []

    plainly = step.unpacked

    def noted(member, definition):
        names.append(member.name)
        return plainly(member, definition)

    monkeypatch.setattr(step, "unpacked", noted)
    return names


YEARS = {
    "a month more": (months(1, 2, 3), months(1, 2, 3, 4), ["PARR2604.dbc"]),
    "the last month replaced": (
        months(1, 2, 3),
        months(1, 2) | month(3, seed=1),
        ["PARR2603.dbc"],
    ),
    "a month in the middle replaced": (
        months(1, 2, 3),
        months(1, 3) | month(2, seed=1),
        ["PARR2602.dbc"],
    ),
    "a month fewer": (months(1, 2, 3), months(1, 2), []),
    "a month in parts": (
        months(1, 2),
        months(1) | month(2, part="a") | month(2, part="b"),
        ["PARR2602a.dbc", "PARR2602b.dbc"],
    ),
    "a month without a valid record": (
        months(1, 3) | nothing_valid(2),
        months(1, 3, 4) | nothing_valid(2),
        ["PARR2604.dbc"],
    ),
    "first months without a valid record": (
        months(3) | nothing_valid(1) | nothing_valid(2),
        months(2, 3) | nothing_valid(1),
        ["PARR2602.dbc"],
    ),
    "no month in common": (
        months(1, 2),
        months(1, 2, seed=1),
        ["PARR2601.dbc", "PARR2602.dbc"],
    ),
}


@pytest.mark.parametrize("what", YEARS)
def test_only_what_is_new_is_read_and_the_bytes_are_those_of_a_full_reading(
    tmp_path, read, what
):
    before, files, new = YEARS[what]
    first = Made(tmp_path, "first", before)
    read.clear()
    again = Made(tmp_path, "again", files, [first])
    assert read == new
    assert again.bytes == Made(tmp_path, "full", files).bytes


def test_months_may_come_in_any_order_and_from_several_results(tmp_path, read):
    whole = Made(tmp_path, "full", months(1, 2, 3, 4))
    one = Made(tmp_path, "one", months(1, 2, 3) | month(2, seed=1))
    two = Made(tmp_path, "two", months(1, 2))
    read.clear()
    again = Made(tmp_path, "again", months(1, 2, 3, 4), [one, two])
    assert read == ["PARR2604.dbc"]
    assert again.bytes == whole.bytes


def test_what_was_taken_is_taken_again_from_there(tmp_path, read):
    first = Made(tmp_path, "first", months(1))
    second = Made(tmp_path, "second", months(1, 2), [first])
    read.clear()
    third = Made(tmp_path, "third", months(1, 2, 3), [second])
    assert read == ["PARR2603.dbc"]
    assert third.bytes == Made(tmp_path, "full", months(1, 2, 3)).bytes


@pytest.mark.parametrize("which", [0, 1])
def test_a_result_that_is_not_as_it_was_written_is_not_used(tmp_path, read, which):
    first = Made(tmp_path, "first", months(1, 2))
    earlier = first.as_earlier
    first.files[which].write_bytes(b"damaged")
    read.clear()
    release = ReadRelease(written(tmp_path / "RR", months(1, 2)), ATTRIBUTES)
    ingest(
        release, RORAIMA, tmp_path / "t.parquet", tmp_path / "t.json", SIZES, [earlier]
    )
    assert read == ["PARR2601.dbc", "PARR2602.dbc"]


def cut(number):
    return {name: data[:-4] for name, data in month(number).items()}


def of_another_state(number):
    row = {"PA_MVM": f"2026{number:02}", "PA_UFMUN": "120010"}
    table = month_table(row, more=[("PA_UFMUN", 6)])
    return {f"PARR26{number:02}.dbc": packed(table)}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (cut(3), r"^RR: PARR2603\.dbc cannot be unpacked: it is cut"),
        (of_another_state(3), r"^RR: PARR2603\.dbc has records of AC .*, RR expected"),
        (month(4), r"^RR: RR-2026 has no file of month 03\. Fetch it"),
        (
            {"PARR2603.dbc": month(2)["PARR2602.dbc"]},
            "PARR2602.dbc and PARR2603.dbc are the same file twice",
        ),
    ],
)
def test_a_month_that_cannot_be_added_is_refused_in_one_line_and_leaves_nothing(
    tmp_path, files, words
):
    first = Made(tmp_path, "first", months(1, 2))
    with pytest.raises(ArchiveError, match=words) as error:
        Made(tmp_path, "again", months(1, 2) | files, [first])
    assert "\n" not in str(error.value)
    assert [path.name for path in (tmp_path / "again").iterdir()] == ["RR"]


def test_a_month_under_the_name_of_another_is_not_taken(tmp_path):
    first = Made(tmp_path, "first", months(1, 2))
    renamed = {"PARR2601.dbc": month(2)["PARR2602.dbc"]}
    with pytest.raises(ArchiveError, match=r"PARR2601\.dbc"):
        Made(tmp_path, "again", renamed, [first])
