"""Profiles counted in parts have the bytes of those counted at once."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.records.coding import Group, coded
from microleak.records.memory import Memory, coded_records, counted
from microleak.records.profile_file import add_profiles

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


@given(PEOPLE, st.integers(1, 5), st.sampled_from([ANALYSIS, LINKED]))
@settings(max_examples=60, deadline=None)
def test_parts_added_have_the_bytes_of_the_whole(rows, n_parts, analysis):
    with tempfile.TemporaryDirectory() as folder:
        files = Files(folder, rows)
        whole = files.profile(analysis, "whole")
        added = files.folder / "added"
        add_profiles(files.parts(analysis, n_parts, threads=2), True, added)
        assert added.read_bytes() == whole.read_bytes()


@given(PEOPLE, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_a_part_is_the_same_wherever_the_records_stand(rows, random):
    with tempfile.TemporaryDirectory() as folder:
        first = [each.read_bytes() for each in Files(folder, rows).parts(LINKED, 3)]
        random.shuffle(rows)
        assert first == [e.read_bytes() for e in Files(folder, rows).parts(LINKED, 3)]


def people(n):
    return [
        {
            "home": str(i % 7),
            "school": str(i % 3),
            "ill": str(i % 2),
            "most": None,
            "home|2": str(i % 5),
        }
        for i in range(n)
    ]


def test_each_part_has_some_of_the_blocks(tmp_path):
    parts = Files(tmp_path, people(90)).parts(ANALYSIS, 3)
    one = [pq.read_table(part) for part in parts]
    homes = [t.filter(pc.equal(t["subset"], 1)) for t in one]
    counts = [pc.sum(t.filter(pc.equal(t["sensitive"], 0))["n_blocks"]) for t in homes]
    assert [count.as_py() for count in counts] == [2, 3, 2]
    assert [0 in t["subset"].to_pylist() for t in one] == [True, False, False]


def test_parts_of_different_records_are_refused_and_nothing_is_written(tmp_path):
    files, others = Files(tmp_path, people(90)), tmp_path / "others"
    others.mkdir()
    first = files.parts(ANALYSIS, 2)[0]
    second = Files(others, people(80)).parts(ANALYSIS, 2)[1]
    with pytest.raises(TableError, match="are not parts of one profile") as refused:
        add_profiles([first, second], True, tmp_path / "added")
    assert str(refused.value).endswith(
        f"Delete the folder {tmp_path} and run microleak resume with the study file."
    )
    assert not [path for path in tmp_path.iterdir() if "added" in path.name]


@pytest.mark.parametrize("most", [0, 20, 89])
def test_numbers_of_64_bits_change_no_byte(tmp_path, monkeypatch, most):
    files = Files(tmp_path, people(90))
    before = files.profile(LINKED, "before").read_bytes()
    monkeypatch.setattr("microleak.kernels.walk.MOST_RECORDS", most)
    assert files.profile(LINKED, "whole").read_bytes() == before
    add_profiles(files.parts(LINKED, 3), True, tmp_path / "added")
    assert (tmp_path / "added").read_bytes() == before


class Said:
    """One record in one chunk, of a table that says that it has others."""

    n_chunks = 1

    def __init__(self, n_rows):
        self.n_rows = n_rows

    def read(self, _, names):
        return pa.table({name: ["x"] for name in names})


READERS = {
    "counted": lambda chunks, memory: counted(chunks, ["home"], memory),
    "coded": lambda chunks, _: coded(chunks, ["home"], ["ill"]),
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
