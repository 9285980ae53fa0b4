"""Profiles counted in parts have the bytes of those counted at once."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.records.coding import Group, code_columns
from microleak.records.memory import Memory, coded_records, counted_values
from microleak.records.profile_file import add_profiles
from tests.examples import examples, long

QIDS = ("home", "school", "same")
GROUP = Group("unwell", "ill", ("0*", "b"), has_domain=True)
ANALYSIS = Collective("demo", "t", "1", QIDS, ("ill", "most"), "all", groups=(GROUP,))
LINKED = replace(ANALYSIS, auxiliary=("2",), fewer={"2": ("home",)})

FEW = st.sampled_from(["0", "1", "01", "", None])
MANY = st.one_of(st.none(), st.integers(0, 99).map(str))
ROW = st.fixed_dictionaries(
    {"home": MANY, "school": FEW, "ill": FEW, "most": MANY, "home|2": MANY}
)
PEOPLE = st.lists(ROW, min_size=1, max_size=30)


class Files:
    """Records in the files of two releases, and what is made of them."""

    def __init__(self, folder, rows):
        self.folder = Path(folder)
        table = pa.Table.from_pylist([{"same": "x", **row} for row in rows])
        table = table.cast(pa.schema([(n, pa.string()) for n in table.column_names]))
        self.write(table)

    def write(self, table):
        """Write the attributes of each release to its file."""
        for name, release in ("home|2", "2"), ("", "1"):
            own = [n for n in table.column_names if (n == "home|2") == bool(name)]
            self.release(release).unlink(missing_ok=True)
            pq.write_table(table.select(own), self.release(release), row_group_size=7)

    def release(self, name):
        return self.folder / f"{name}.parquet"

    def profile(self, analysis, name, part=None, threads=1):
        out = self.folder / name
        files = [self.release(release) for release in analysis.releases]
        resources = Resources(threads, 8_000, self.folder)
        profile_analysis(files, analysis, True, resources, out, part)
        return out

    def parts(self, analysis, n_parts, threads=1):
        return [
            self.profile(analysis, f"part-{n}", (n, n_parts), threads)
            for n in range(1, n_parts + 1)
        ]


def added(parts, analysis, out):
    n_attributes = len(analysis.sensitive) + len(analysis.groups)
    add_profiles(parts, [0, *analysis.subsets], n_attributes, True, out)
    return out


@given(PEOPLE, st.integers(1, 5), st.sampled_from([ANALYSIS, LINKED]))
@examples(60)
def test_parts_added_have_the_bytes_of_the_whole(rows, n_parts, analysis):
    with tempfile.TemporaryDirectory() as folder:
        files = Files(folder, rows)
        whole = files.profile(analysis, "whole")
        parts = files.parts(analysis, n_parts, threads=2)
        out = added(parts, analysis, files.folder / "added")
        assert out.read_bytes() == whole.read_bytes()


@given(PEOPLE, st.randoms(use_true_random=False))
@examples(30)
def test_a_part_is_the_same_wherever_the_records_stand(rows, random):
    with tempfile.TemporaryDirectory() as folder:
        first = [each.read_bytes() for each in Files(folder, rows).parts(LINKED, 3)]
        random.shuffle(rows)
        assert first == [e.read_bytes() for e in Files(folder, rows).parts(LINKED, 3)]


def people(n):
    return [
        {
            **{"home": str(i % 7), "school": str(i % 3), "ill": str(i % 2)},
            **{"most": None, "home|2": str(i % 5)},
        }
        for i in range(n)
    ]


def refused(parts, folder):
    """What is said of parts that are not of one profile, and that nothing is left."""
    with pytest.raises(TableError) as said:
        added(parts, ANALYSIS, folder / "added")
    assert not [path for path in folder.iterdir() if "added" in path.name]
    return str(said.value)


def again(deleted):
    return (
        f": the files are not parts of one profile. Delete {deleted} and run microleak "
        "resume with the study file, which runs rule profile_part again."
    )


def test_parts_of_different_records_are_refused(tmp_path):
    files, others = Files(tmp_path, people(90)), tmp_path / "others"
    others.mkdir()
    first = files.parts(ANALYSIS, 2)[0]
    second = Files(others, people(80)).parts(ANALYSIS, 2)[1]
    assert refused([first, second], tmp_path) == (
        f"The parts in {tmp_path} have 90 records for one subset of the QIDs and 83 "
        f"for another{again(f'the folder {tmp_path}')}"
    )


METADATA = {
    "values": (
        b'[["ill", "0"]]',
        "{} has profiles of other values of sensitive attributes than {}",
    ),
    "most_frequent": (
        b'["most"]',
        "{} has the most frequent value of other attributes than {}",
    ),
    "data": (b"released", "{} says otherwise than {} whether its data are synthetic"),
}


@pytest.mark.parametrize("key", METADATA)
def test_parts_whose_metadata_differ_are_refused(tmp_path, key):
    parts = Files(tmp_path, people(90)).parts(ANALYSIS, 3)
    other, said = METADATA[key]
    table = pq.read_table(parts[2])
    metadata = table.schema.metadata
    assert metadata[key.encode()] != other
    pq.write_table(
        table.replace_schema_metadata({**metadata, key.encode(): other}), parts[2]
    )
    expected = said.format(parts[2], parts[0]) + again("both")
    assert refused(parts, tmp_path) == expected


def lost(table):
    """A sensitive attribute is there, and lacks one of its kinds of blocks."""
    at = pc.index(table["sensitive"], 1).as_py()
    return pa.concat_tables([table.slice(0, at), table.slice(at + 1)])


CHANGES = {
    "more records for one sensitive attribute or value than for another": lost,
    "other sensitive attributes, groups or values than the analysis": lambda table: (
        table.filter(pc.not_equal(table["sensitive"], 2))
    ),
    "a subset of the QIDs that the analysis does not have": lambda table: (
        table.set_column(0, "subset", pc.add(table["subset"], 100))
    ),
}


@pytest.mark.parametrize("said", CHANGES)
def test_a_part_that_is_none_of_the_analysis_is_refused(tmp_path, said):
    parts = Files(tmp_path, people(90)).parts(ANALYSIS, 2)
    table = pq.read_table(parts[1])
    pq.write_table(CHANGES[said](table), parts[1])
    assert refused(parts, tmp_path) == f"{parts[1]} has {said}{again('it')}"


@pytest.mark.parametrize("subset", [0, 3, 7])
def test_parts_that_lack_a_subset_are_refused(tmp_path, subset):
    parts = Files(tmp_path, people(90)).parts(ANALYSIS, 2)
    for part in parts:
        table = pq.read_table(part)
        pq.write_table(table.filter(pc.not_equal(table["subset"], subset)), part)
    assert refused(parts, tmp_path) == (
        f"The parts in {tmp_path} have 7 of the 8 subsets of the QIDs"
        + again(f"the folder {tmp_path}")
    )


@pytest.mark.parametrize("most", [20, *long(0, 89)])
def test_numbers_of_64_bits_change_no_byte(tmp_path, monkeypatch, most):
    files = Files(tmp_path, people(90))
    before = files.profile(LINKED, "before").read_bytes()
    monkeypatch.setattr("microleak.kernels.walk.MOST_RECORDS", most)
    assert files.profile(LINKED, "whole").read_bytes() == before
    out = added(files.parts(LINKED, 3), LINKED, tmp_path / "added")
    assert out.read_bytes() == before


class Said:
    """One record in one chunk, of a table that says that it has others."""

    n_chunks = 1

    def __init__(self, n_rows):
        self.n_rows = n_rows

    def read(self, _, names):
        return pa.table({name: ["x"] for name in names})


READERS = {
    "counted": lambda chunks, memory: counted_values(chunks, ["home"], memory),
    "coded": lambda chunks, _: code_columns(chunks, ["home"], ["ill"]),
    "coded_records": lambda chunks, memory: coded_records(chunks, ["a"], [], memory),
}


@pytest.mark.parametrize("reader", READERS)
def test_other_analyses_refuse_more_records_than_32_bits_count(reader, tmp_path):
    memory = Memory(Resources(1, 8_000, tmp_path), "analysis 'demo'")
    assert READERS[reader](Said(2**31 - 1), memory)
    with pytest.raises(TableError) as refused:
        READERS[reader](Said(2**31), memory)
    assert str(refused.value) == (
        "The table has 2,147,483,648 records, more than the 2,147,483,647 that this "
        "kind of analysis can have. Cut it, for example by state."
    )


def test_collective_analyses_refuse_more_records_than_a_profile_has(
    tmp_path, monkeypatch
):
    chunks = Said(2**40)
    chunks.most_rows = 1
    given = f"{profile_analysis.__module__}.chunks_of"
    monkeypatch.setattr(given, lambda *_: chunks)
    with pytest.raises(TableError) as refused:
        resources = Resources(1, 8_000, tmp_path)
        profile_analysis([], ANALYSIS, True, resources, tmp_path / "profile")
    assert str(refused.value) == (
        "The table has 1,099,511,627,776 records, more than the 1,099,511,627,775 that "
        "this kind of analysis can have. Cut it, for example by state."
    )
    assert list(tmp_path.iterdir()) == []
