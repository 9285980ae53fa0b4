"""Anonymity models from the records of a release to their tables, and of entities."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.anonymity import entities as entity_tables
from microleak.attacks.anonymity.blocks import (
    SensitiveDomain,
    in_order,
    marks_of,
    profile_blocks,
)
from microleak.attacks.anonymity.definitions.k_anonymity import sizes_in
from microleak.attacks.anonymity.entities import profile_entities
from microleak.attacks.anonymity.measure import AnonymityFiles, anonymity_tables
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.errors import MicroleakError, StudyError, TableError
from microleak.base.machine import Resources
from microleak.records.coding import Dictionary
from microleak.records.overlap_profile import profile_overlap
from microleak.records.profile_file import read_profiles
from microleak.study.tables import result_tables as specs
from microleak.study_file.section import OneRelease
from microleak.tables.files import write_table

PEOPLE = pa.table(
    {
        "age": ["25", "25", "25", "49", "49", "49", "49", None],
        "sex": ["f", "f", "m", "f", "m", "m", "m", "m"],
        "grade": ["b", "b", "a", "a", "b", None, "a", "c"],
        "ill": ["no", "no", "no", "no", "yes", "no", "no", "yes"],
    }
)
POPULATION = pa.table(
    {
        "age": ["25"] * 5 + ["49"] * 5 + [None] + ["60"],
        "sex": list("fffmm") + list("fmmmm") + ["m", "f"],
    }
)
ANALYSIS = Anonymity(
    name="demo",
    table="people",
    focal="1",
    qids=("age", "sex"),
    sensitive=("grade", "ill"),
    order={"grade": ("a", "b", "c")},
)


def but(**more):
    return ANALYSIS.model_copy(update=more)


OF_POPULATION = but(population=OneRelease(table="everybody", release="1"))


@pytest.fixture
def measured(tmp_path):
    def measure(analysis=ANALYSIS, people=PEOPLE, threads=1):
        resources = Resources(threads, 8_000, tmp_path)
        files = AnonymityFiles(tmp_path / "people.parquet", tmp_path / "blocks.parquet")
        pq.write_table(people, files.people, row_group_size=3)
        profile_blocks(files.people, analysis, False, resources, files.blocks)
        if analysis.compared:
            pq.write_table(POPULATION, tmp_path / "population.parquet")
            files = replace(files, overlap=tmp_path / "overlap.parquet")
            both = tmp_path / "population.parquet", files.people
            profile_overlap(*both, analysis.compared, False, resources, files.overlap)
        return SimpleNamespace(**anonymity_tables(files, analysis, resources))

    return measure


def of(table, **which):
    """The only row of a table with these values."""
    for name, value in which.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_rows_are_of_the_blocks_and_then_of_each_sensitive_attribute(measured):
    table = measured().anonymity
    assert table[["sensitive", "qids"]].to_numpy().tolist() == [
        [sensitive, qids]
        for sensitive in ("", "grade", "ill")
        for qids in ("age", "sex", "age|sex")
    ]


def test_k_is_counted_as_each_tool_counts_it(measured):
    """Ages make blocks of 3, 4 and 1 records, a missing one being an age."""
    row = of(measured().anonymity, qids="age", sensitive="")
    assert (row["n_records"], row["n_blocks"], row["k_anonymity"]) == (8, 3, 1)
    below = [row[f"n_below_{k}"] for k in (2, 3, 5, 10)]
    unsafe = [row[f"n_unsafe_combinations_{k}"] for k in (2, 3, 5, 10)]
    assert (below, unsafe) == ([1, 1, 8, 8], [1, 2, 3, 3])
    assert row["share_below_2"] == 1 / 8


def test_diversity_and_closeness_are_those_counted_by_hand(measured):
    """Of three women two have b and one a; of five men two a and each other one."""
    row = of(measured().anonymity, qids="sex", sensitive="grade")
    assert row["l_distinct"] == 2
    assert row["l_entropy"] == pytest.approx(3 / 2 ** (2 / 3))
    assert row["recursive_c_2"] == 2
    assert np.isnan(row["recursive_c_3"])
    # The table has 1, 3, 3 and 1 of missing, a, b and c.
    assert row["t_equal"] == float(Fraction(2, 3) - Fraction(3, 8))
    women = Fraction(1, 8) + abs(Fraction(1, 3) - Fraction(4, 8)) + Fraction(1, 8)
    assert row["t_ordered"] == float(women / 3)


def test_a_missing_sensitive_value_comes_before_the_lowest_of_its_order(measured):
    """Alone, it is as far as the highest, of which there are as many records."""
    ages = pa.array(["1", "2", "2", "2"])
    people = pa.table({"age": ages, "sex": ages, "grade": [None, "a", "b", "c"]})
    analysis = but(sensitive=("grade",))
    row = of(measured(analysis, people).anonymity, qids="age", sensitive="grade")
    assert row["t_ordered"] == float(Fraction(3 + 2 + 1, 4 * 3))


def test_what_is_of_blocks_is_empty_for_attributes_and_the_other_way_round(measured):
    table = measured(but(n_population=20)).anonymity
    of_blocks = table[table["sensitive"] == ""]
    of_values = table[table["sensitive"] != ""]
    assert of_blocks[["l_distinct", "l_entropy", "t_equal"]].isna().all(axis=None)
    columns = ["k_anonymity", "share_below_2", "n_population", "posterior_unique"]
    assert of_values[columns].isna().all(axis=None)
    assert (of_values["n_records"] == 8).all()


def test_a_population_says_how_many_fit_and_who_is_surely_in_the_table(measured):
    """It has 3, 2, 1, 4 and 1 of the table's 2, 1, 1, 3 and 1; and a woman of 60."""
    row = of(measured(OF_POPULATION).anonymity, qids="age|sex", sensitive="")
    assert (row["n_population"], row["k_map"]) == (12, 1)
    assert [row[f"n_below_k_map_{k}"] for k in (2, 3, 5, 10)] == [2, 3, 8, 8]
    assert row["share_below_k_map_3"] == 3 / 8
    assert (row["delta_presence_min"], row["delta_presence_max"]) == (0, 1)
    assert (row["n_sample_unique"], row["n_unique_both"]) == (3, 2)


def test_of_a_sample_of_everybody_all_that_are_alone_are_unique(measured):
    """By sex no record is alone, so that nothing is estimated."""
    found = measured(but(n_population=8)).anonymity
    row = of(found, qids="age|sex", sensitive="")
    assert (row["posterior_unique"], row["posterior_match"]) == (1, 1)
    row = of(found, qids="sex", sensitive="")
    assert row[["posterior_unique", "posterior_match"]].isna().all()


def test_a_population_smaller_than_the_table_is_refused(measured):
    with pytest.raises(StudyError, match=r"n_population is 7, less than the 8 records"):
        measured(but(n_population=7))


def test_a_value_that_is_not_in_its_order_is_refused_and_not_shown(measured):
    analysis = but(order={"grade": ("b", "c")})
    said = "not in its order, in 3 of the records"
    with pytest.raises(TableError, match=said) as raised:
        measured(analysis)
    assert "order of the analysis in the study file" in str(raised.value)
    assert "'a'" not in str(raised.value)


def test_classes_are_of_the_subset_with_most_records_in_the_lowest_bucket(measured):
    """By age one record is alone, by sex none; of both sexes all values are shared."""
    table = measured().classes
    of_one = table[(table["model"] == "k-anonymity") & (table["n_qids"] == 1)]
    assert of_one["qids"].unique().tolist() == ["age"]
    assert of_one[["lower", "upper", "n_blocks", "n_records"]].to_numpy().tolist() == [
        [1, 1, 1, 1],
        [3, 4, 2, 7],
    ]
    assert of_one["share_of_records"].tolist() == [1 / 8, 7 / 8]


def test_of_subsets_with_equal_classes_the_first_of_the_study_file_is_shown(measured):
    people = pa.table({name: list("xxyy") for name in ("age", "sex", "grade", "ill")})
    analysis = but(qids=("sex", "age"), sensitive=())
    assert measured(analysis, people).classes["qids"].tolist() == ["sex", "sex|age"]


def test_records_that_the_population_lacks_have_a_class_of_their_own(measured):
    people = pa.concat_tables(
        [PEOPLE, PEOPLE.slice(0, 1).set_column(0, "age", [["7"]])]
    )
    table = measured(OF_POPULATION, people).classes
    lowest = table[(table["model"] == "k-map") & (table["lower"] == 0)]
    assert lowest["qids"].tolist() == ["age", "age|sex"]
    assert lowest["n_records"].tolist() == [1, 1]


def test_only_the_subsets_wanted_are_measured(measured):
    found = measured(but(wanted={"sizes": [2]}))
    assert found.anonymity["qids"].unique().tolist() == ["age|sex"]
    assert found.classes["n_qids"].unique().tolist() == [2]
    whole = measured().anonymity
    pd.testing.assert_frame_equal(
        found.anonymity, whole[whole["n_qids"] == 2].reset_index(drop=True)
    )


def test_order_of_records_and_threads_change_no_byte(measured, tmp_path):
    tables = {}
    for name, people, threads in (
        ("one", PEOPLE, 1),
        ("two", PEOPLE.take(np.arange(8)[::-1]), 2),
    ):
        found = measured(OF_POPULATION, people, threads)
        for kind, table in vars(found).items():
            write_table(tmp_path / f"{kind}.csv", table, specs()[kind])
        names = ("anonymity.csv", "classes.csv", "blocks.parquet")
        tables[name] = [(tmp_path / file).read_bytes() for file in names]
    assert tables["one"] == tables["two"]


def test_the_farthest_values_are_marked_by_their_numbers_of_records():
    """Ties are marked together; values that are all as far are not marked."""
    rare = SensitiveDomain(np.array([5_000, 2, 90_000, 2, 400_000, 700_000]), False)
    tied = SensitiveDomain(np.array([3, 3, 3]), False)
    found = [
        (mark.sensitive, mark.is_member.tolist()) for mark in marks_of([rare, tied])
    ]
    assert found == [
        (0, [False, True, False, True, False, False]),
        (0, [True, True, False, True, False, False]),
        (0, [True, True, True, True, True, False]),
    ]


def test_values_without_an_order_are_in_that_of_their_texts():
    known = Dictionary(pa.array(["b", None, "B", "10", "2"]), np.arange(5))
    found = in_order(known)
    assert found.values.to_pylist() == [None, "10", "2", "B", "b"]
    assert found.counts.tolist() == [1, 3, 4, 2, 0]


def test_profiles_have_marks_after_the_sensitive_attributes(measured, tmp_path):
    """Of grades the two rarest, by both distances; of two values the first."""
    measured()
    _, whole = next(read_profiles(tmp_path / "blocks.parquet"))
    assert [int(whole[i].modal_count[0]) for i in range(4)] == [3, 6, 2, 6]


OF_ENTITIES = Anonymity(
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

    def profile(table, analysis=OF_ENTITIES, memory_mib=8_000):
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


def test_users_with_the_same_codes_as_often_share_a_block(sizes):
    """Two and four of Google have the same codes, by their column and no other."""
    assert sizes(GOOGLE) == {0b01: {1: 2, 2: 1}, 0b10: {1: 2, 2: 1}, 0b11: {1: 2, 2: 1}}
    table = GOOGLE.append_column("CODE", pa.array([str(i) for i in range(8)]))
    assert sizes(table)[0b01] == {1: 2, 2: 1}


def test_entities_that_all_have_several_rows_are_compared(sizes):
    rows = [("1", "a"), ("2", None), ("1", None), ("2", "a"), ("3", "b"), ("3", "b")]
    assert sizes(users(*rows)) == {0b01: {1: 1, 2: 1}, 0b10: {3: 1}, 0b11: {1: 1, 2: 1}}


def test_rows_without_an_entity_are_refused_with_their_number(sizes):
    table = users(("1", "a"), (None, "b"), (None, "c"))
    said = "user, .*, is missing in 2 of the rows"
    with pytest.raises(TableError, match=said) as raised:
        sizes(table)
    assert "entity in the study file" in str(raised.value)


def test_more_rows_of_several_than_memory_holds_are_refused(sizes, monkeypatch):
    monkeypatch.setattr(entity_tables, "BYTES_A_ROW", 2**30)
    with pytest.raises(MicroleakError, match="7 rows are of a user with several") as e:
        sizes(GOOGLE, memory_mib=6_000)
    assert "takes about 7,168 MiB of memory, more than the 6,000 given" in str(e.value)


def test_measures_have_k_over_entities_beside_that_over_records(tmp_path):
    rows, blocks = tmp_path / "rows.parquet", tmp_path / "blocks.parquet"
    files = AnonymityFiles(rows, blocks, entities=tmp_path / "entities.parquet")
    pq.write_table(GOOGLE, rows)
    resources = Resources(1, 8_000, tmp_path)
    profile_blocks(rows, OF_ENTITIES, False, resources, blocks)
    profile_entities(rows, OF_ENTITIES, False, resources, files.entities)
    found = SimpleNamespace(**anonymity_tables(files, OF_ENTITIES, resources))
    row = found.anonymity.set_index("qids").loc["code"]
    assert (row["k_anonymity"], row["k_anonymity_entities"]) == (3, 1)
    assert (row["n_entities"], row["n_entity_blocks"]) == (4, 3)
    assert (row["n_entities_below_2"], row["share_entities_below_2"]) == (2, 0.5)
    classes = found.classes[found.classes["model"] == "k-anonymity of entities"]
    assert classes[["qids", "lower", "n_blocks"]].to_numpy().tolist() == [
        *(["code", 1, 2], ["code", 2, 1]),
        *(["code|sex", 1, 2], ["code|sex", 2, 1]),
    ]
