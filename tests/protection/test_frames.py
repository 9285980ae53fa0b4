"""`microleak.protect`: a frame becomes what a study would make of it."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microleak
from microleak.base.errors import MicroleakError, StudyError
from microleak.protection.methods import column_of
from microleak.protection.protect import secret_of
from microleak.protection.steps import KeptRecords, protected_records
from microleak.study_file.protections import Recipe, StepSection
from microleak.study_file.yaml import read_yaml

FRAMES = {
    "pandas": lambda table: table.to_pandas(),
    "categories": lambda table: table.to_pandas().astype("category"),
    "polars": pl.from_arrow,
    "arrow": lambda table: table,
    "batch": lambda table: table.combine_chunks().to_batches()[0],
}
PEOPLE = pa.table(
    {
        "age": pa.array([21, 22, 33, None], pa.int32()),
        "ill": ["yes", "no", None, "no"],
        "pay": [1.5, 2.0, 3.0, 4.0],
    }
)
AGES = {"age": {"widths": [10]}}


def as_table(frame):
    """Return a frame as Arrow has it, without an index of pandas."""
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    if isinstance(frame, pl.DataFrame):
        return frame.to_arrow()
    return (
        pa.Table.from_batches([frame]) if isinstance(frame, pa.RecordBatch) else frame
    )


@pytest.mark.workflow
@pytest.mark.parametrize("kind", FRAMES)
def test_records_and_changes_are_those_of_such_a_study(kind, shop, monkeypatch):
    monkeypatch.chdir(shop)
    people = shop / "results/shop/people/shop"
    study = read_yaml(shop / "shop.yaml")
    frame = FRAMES[kind](pq.read_table(people / "2020.parquet"))
    for name, section in study["protections"].items():
        found = microleak.protect(
            frame,
            section["steps"],
            hierarchies=study["hierarchies"],
            seed=study["seed"],
            key=section.get("key"),
            name=name,
        )
        frame = found.records
        theirs = pq.read_table(people / f"{name}.parquet")
        ours = as_table(frame).select(theirs.column_names)
        assert ours.to_pydict() == theirs.to_pydict()
        rows = pq.ParquetFile(people / f"{name}.parquet").metadata.num_rows
        assert found.to_pandas()["n_after"].unique().tolist() == [rows]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_of_its_kind_comes_back_with_all_other_columns_as_they_were(kind):
    frame = FRAMES[kind](PEOPLE)
    steps = [{"generalise": {"age": 1}}, {"suppress": ["ill"], "k": 2}]
    found = microleak.protect(frame, steps, hierarchies=AGES)
    assert type(found.records) is type(frame)
    assert as_table(found.records).to_pydict() == {
        "age": ["20-29", "20-29", "30-39", None],
        "ill": [None, "no", None, "no"],
        "pay": [1.5, 2.0, 3.0, 4.0],
    }
    assert as_table(frame).to_pydict() == PEOPLE.to_pydict()
    ages = found.to_pandas().iloc[1]
    assert ages[["attribute", "n_changed", "n_values_after"]].tolist() == ["age", 3, 3]
    found = microleak.protect(frame, [{"drop": ["ill"]}, {"sample": "1/2"}], seed=3)
    left = as_table(found.records)
    assert left.column_names == ["age", "pay"]
    assert len(left) == 2
    assert set(left["pay"].to_pylist()) < {1.5, 2.0, 3.0, 4.0}
    assert found.to_pandas()["attribute"].tolist() == ["", "ill"]


def test_an_index_of_pandas_stays_with_its_records():
    frame = PEOPLE.to_pandas()
    frame.index = frame["pay"].map("paid {}".format)
    drawn = microleak.protect(
        frame, [{"swap": ["ill"], "rate": "1"}, {"sample": "3/4"}]
    )
    assert len(drawn.records) == 3
    assert drawn.records.index.tolist() == [f"paid {n}" for n in drawn.records["pay"]]


KEY = bytes(range(32))
NUMBERED = pd.DataFrame({"n": [*map(str, range(64))]})
SWAPPED = [{"swap": ["n"], "rate": "1"}]


def drawn(**how):
    return microleak.protect(NUMBERED, SWAPPED, **how)


def test_without_seed_and_key_each_call_draws_by_a_key_that_comes_back():
    one, other = drawn(), drawn()
    assert len(one.key) == 32
    assert not one.records.equals(other.records)
    assert not one.records.equals(drawn(seed=0).records)
    assert drawn(key=one.key).records.equals(one.records)
    assert one.key.hex() not in repr(one) + one._repr_html_()
    assert str(one.key) not in repr(one) + one._repr_html_()
    assert drawn(seed=1).key is drawn(key=KEY).key is None
    assert microleak.protect(NUMBERED, [{"round": {"n": 10}}]).key is None


def test_records_of_a_key_are_those_of_a_study_of_that_key(tmp_path):
    (tmp_path / "a.key").touch(0o600)
    (tmp_path / "a.key").write_bytes(KEY)
    before = {"n": column_of(NUMBERED["n"].tolist(), np.arange(64))}
    recipe = Recipe("town", 5, (StepSection(**SWAPPED[0]),), secret=secret_of(KEY))
    everyone = KeptRecords(before, np.ones(64, dtype=bool))
    study = protected_records(everyone, recipe).columns["n"]
    theirs = [study.values[code] for code in study.codes]
    for key in (KEY, tmp_path / "a.key", str(tmp_path / "a.key")):
        assert drawn(seed=5, key=key, name="town").records["n"].tolist() == theirs


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (b"short", "protect: key has 5 bytes, and a key has 32 or more. Make another"),
        ("no.key", "protect: there is no file no.key. Correct key. Make one"),
    ],
)
def test_what_is_no_key_is_refused_without_it(key, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MicroleakError) as error:
        drawn(key=key)
    assert words in str(error.value)
    assert "short" not in str(error.value)


def test_a_notebook_shows_what_changed_and_no_record():
    frame = PEOPLE.to_pandas().assign(name=["Zacarias", "Ana", "Rui", "Eva"])
    found = microleak.protect(frame, [{"swap": ["name"], "rate": "1"}])
    assert repr(found) == "<microleak Protected: changes (1 x 12)>"
    assert "Zacarias" not in found._repr_html_()
    assert found.columns()["column"].tolist() == list(found.changes)
    assert sorted(found.records["name"]) == ["Ana", "Eva", "Rui", "Zacarias"]


def test_what_is_wrong_with_steps_is_said_in_one_sentence(steps, words):
    with pytest.raises(MicroleakError) as error:
        microleak.protect(PEOPLE, steps, hierarchies=AGES)
    said = str(error.value)
    assert words in said
    assert "study file" not in said
    assert "\n" not in said


def test_a_value_without_a_line_in_a_hierarchy_is_said_of_its_step_unseen(tmp_path):
    file = tmp_path / "ills.csv"
    file.write_text("no;*\n", encoding="utf-8")
    said = "^protection 'protect', step 2: ill has .* not in its hierarchy, .*ills.csv"
    steps = [{"drop": ["pay"]}, {"generalise": {"ill": 1}}]
    with pytest.raises(MicroleakError, match=said) as error:
        microleak.protect(PEOPLE, steps, hierarchies={"ill": {"file": str(file)}})
    assert "yes" not in str(error.value)


SUPPRESS = {"suppress": ["age", "ill"], "k": 2}


def test_a_step_that_may_break_blocks_of_suppression_is_refused(first, step, said):
    with pytest.raises(MicroleakError) as error:
        microleak.protect(PEOPLE, [first, {"round": {"pay": 1}}, step])
    assert str(error.value) == (
        f"protect, step 3: {next(iter(step))} may leave blocks of fewer than the "
        f"k = {first['k']} records that step 1 suppresses cells for. {said}"
    )


@pytest.mark.parametrize(
    "step", [{"swap": ["age"], "rate": "1"}, {"suppress": ["age", "pay"], "k": 3}]
)
def test_blocks_by_what_is_dropped_since_need_not_hold(step):
    steps = [SUPPRESS, {"drop": ["ill"]}, step]
    blocks = microleak.protect(PEOPLE, steps).records.select(["age"]).to_pylist()
    assert min(Counter(str(row) for row in blocks).values()) >= 2


def test_what_leaves_the_blocks_of_suppression_may_follow_it(step):
    frame = PEOPLE.to_pandas()
    found = microleak.protect(frame, [SUPPRESS, step]).records
    sizes = found.groupby(["age", "ill"], dropna=False).size()
    assert sizes.min() >= 2


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (PEOPLE[:0], "protect: the frame has no records"),
        ([1], "protect takes a pandas or Polars frame or an Arrow table, not list"),
        (pl.from_arrow(PEOPLE).lazy(), "protect takes no lazy frame"),
    ],
)
def test_what_is_no_frame_of_records_is_refused(frame, words):
    with pytest.raises(MicroleakError, match=words):
        microleak.protect(frame, [{"sample": "1/2"}])


def test_what_is_no_seed_of_a_study_file_is_refused(seed, said):
    with pytest.raises(StudyError, match=said):
        microleak.protect(pd.DataFrame({"a": ["x"]}), [{"sample": "1/2"}], seed=seed)


def test_a_hierarchy_without_levels_has_one_on_which_all_are_alike():
    people, levels = pd.DataFrame({"a": ["x", "y"]}), {"a": {}}
    found = microleak.protect(people, [{"generalise": {"a": 1}}], hierarchies=levels)
    assert found.records["a"].tolist() == ["*", "*"]
    with pytest.raises(StudyError, match=r"no level 2; the last one .* is 1"):
        microleak.protect(people, [{"generalise": {"a": 2}}], hierarchies=levels)
