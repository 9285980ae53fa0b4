"""How many entities share a block, from the rows of a table to the measures."""

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.anonymity import entities as entity_tables
from microleak.attacks.anonymity.blocks import profile_blocks
from microleak.attacks.anonymity.definitions.k_anonymity import sizes_in
from microleak.attacks.anonymity.entities import profile_entities
from microleak.attacks.anonymity.measure import AnonymityFiles, anonymity_tables
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.errors import MicroleakError, TableError
from microleak.base.machine import Resources
from microleak.records.profile_file import read_profiles

ANALYSIS = Anonymity(
    name="demo", table="users", focal="1", qids=("code", "sex"), entity="user"
)


def users(*rows):
    """A table of (user, code), all of one sex."""
    user, code = zip(*rows, strict=True)
    columns = {"user": user, "code": code, "sex": ["f"] * len(rows)}
    return pa.table({n: pa.array(c, pa.string()) for n, c in columns.items()})


GOOGLE = users(
    ("01", "42000"),
    *(("02", "17000"), ("02", "42000")),
    *(("03", "17000"), ("03", "42000"), ("03", "42000")),
    *(("04", "42000"), ("04", "17000")),
)


@pytest.fixture
def sizes(tmp_path):
    """Makes the number of blocks by their number of entities, for each subset."""

    def profile(table, analysis=ANALYSIS, memory_mib=8_000):
        path, out = tmp_path / "rows.parquet", tmp_path / "entities.parquet"
        pq.write_table(table, path)
        resources = Resources(2, memory_mib, tmp_path)
        profile_entities(path, analysis, False, resources, out)
        assert {file.name for file in tmp_path.iterdir()} == {path.name, out.name}
        found = {s: sizes_in(profiles[0]) for s, profiles in read_profiles(out)}
        return {
            subset: dict(zip(part.size.tolist(), part.n_blocks.tolist(), strict=True))
            for subset, part in found.items()
        }

    return profile


def test_users_two_and_four_of_google_have_the_same_codes(sizes):
    assert sizes(GOOGLE)[0b01] == {1: 2, 2: 1}


def test_entities_with_other_numbers_of_equal_rows_are_apart(sizes):
    assert sizes(GOOGLE)[0b10] == {1: 2, 2: 1}


def test_entities_that_all_have_several_rows_are_compared(sizes):
    rows = [("1", "a"), ("2", None), ("1", None), ("2", "a"), ("3", "b"), ("3", "b")]
    assert sizes(users(*rows)) == {0b01: {1: 1, 2: 1}, 0b10: {3: 1}, 0b11: {1: 1, 2: 1}}


def test_rows_without_an_entity_are_refused_with_their_number(sizes):
    table = users(("1", "a"), (None, "b"), (None, "c"))
    with pytest.raises(
        TableError, match=r"user, .*, is missing in 2 of the rows"
    ) as raised:
        sizes(table)
    assert "entity in the study file" in str(raised.value)


def test_more_rows_of_several_than_memory_holds_are_refused(sizes, monkeypatch):
    monkeypatch.setattr(entity_tables, "BYTES_A_ROW", 2**30)
    with pytest.raises(MicroleakError, match="7 rows are of a user with several") as e:
        sizes(GOOGLE, memory_mib=6_000)
    assert "takes about 7,168 MiB of memory, more than the 6,000 given" in str(e.value)


def test_a_column_that_differs_from_another_by_case_alone_is_itself(sizes):
    table = GOOGLE.append_column("CODE", pa.array([str(i) for i in range(8)]))
    assert sizes(table)[0b01] == {1: 2, 2: 1}


def test_measures_have_k_over_entities_beside_that_over_records(tmp_path):
    rows, blocks = tmp_path / "rows.parquet", tmp_path / "blocks.parquet"
    files = AnonymityFiles(rows, blocks, entities=tmp_path / "entities.parquet")
    pq.write_table(GOOGLE, rows)
    resources = Resources(1, 8_000, tmp_path)
    profile_blocks(rows, ANALYSIS, False, resources, blocks)
    profile_entities(rows, ANALYSIS, False, resources, files.entities)
    found = SimpleNamespace(**anonymity_tables(files, ANALYSIS, resources))
    row = found.anonymity.set_index("qids").loc["code"]
    assert (row["k_anonymity"], row["k_anonymity_entities"]) == (3, 1)
    assert (row["n_entities"], row["n_entity_blocks"]) == (4, 3)
    assert (row["n_entities_below_2"], row["share_entities_below_2"]) == (2, 0.5)
    classes = found.classes[found.classes["model"] == "k-anonymity of entities"]
    assert classes[["qids", "lower", "n_blocks"]].to_numpy().tolist() == [
        *(["code", 1, 2], ["code", 2, 1]),
        *(["code|sex", 1, 2], ["code|sex", 2, 1]),
    ]
