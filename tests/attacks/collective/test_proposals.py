"""Without QIDs, assess finds the sets of columns that identify most."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.attacks.collective import frames
from microleak.attacks.collective.frames import (
    N_PROPOSED,
    ProposedColumn,
    attributes_of,
    tried,
)
from microleak.base.errors import StudyError, TableError

VALUES = st.sampled_from([None, "a", "b", "c", "d"])
TABLES = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.tuples(*[VALUES] * n), min_size=1, max_size=12)
)


def plain(rows):
    """The best sets of each size, by trying and counting all of them."""
    columns = {f"c{i}": values for i, values in enumerate(zip(*rows, strict=True))}
    n_records = len(rows)
    names = [n for n, v in columns.items() if 1 < len({*v}) < n_records]
    found = []
    for size in (1, 2, 3):
        counted = []
        for chosen in combinations(names, size):
            blocks = Counter(zip(*(columns[name] for name in chosen), strict=True))
            n_alone = sum(n == 1 for n in blocks.values())
            counted.append(("|".join(chosen), n_alone, len(blocks)))
        counted.sort(key=lambda each: (-each[1], -each[2]))
        found += counted[:N_PROPOSED]
    return found


@given(TABLES)
def test_the_sets_proposed_are_those_found_by_trying_all(rows):
    names = [f"c{i}" for i in range(len(rows[0]))]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    expected = plain(rows)
    if not expected:
        with pytest.raises(StudyError, match="no set to propose"):
            microleak.assess(frame)
        return
    found = microleak.assess(frame).proposed
    columns = ["qids", "n_certain", "n_blocks"]
    assert list(found[columns].itertuples(index=False, name=None)) == expected


def test_of_a_sensitive_attribute_the_sets_are_those_that_tell_most():
    frame = pd.DataFrame(
        {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [1, 1, 1, 2], "ill": list("yynn")}
    )
    found = microleak.assess(frame, sensitive=["ill"], subsets={"sizes": [1]})
    told = found.proposed[found.proposed["sensitive"] == "ill"]
    assert told["qids"].tolist() == ["a", "c", "b"]
    assert told["n_certain"].tolist() == [4, 1, 0]


def test_what_is_left_out_is_said():
    frame = pa.table(
        {
            "id": [1, 2, 3, 4],
            "country": ["BR"] * 4,
            "nobody": pa.nulls(4),
            "age": [25, 25, None, 60],
            "list": [[1], [1], [2], [2]],
            "ill": ["y", "n", "y", "y"],
        }
    )
    found = microleak.assess(frame, sensitive=["ill"]).attributes
    assert dict(zip(found["attribute"], found["role"], strict=True)) == {
        **{"id": "identifier", "country": "constant", "nobody": "constant"},
        **{"age": "qid", "list": "no equality"},
    }
    age = found.set_index("attribute").loc["age"]
    assert (age["n_distinct"], age["n_alone"]) == (3, 2)


@pytest.mark.parametrize(
    ("frame", "error", "words"),
    [
        ({"id": [1, 2]}, StudyError, "every column is constant or has a value of its"),
        ({"id": [1, 1]}, StudyError, "Give the columns to look at, qids"),
        ({"id": []}, TableError, "the frame has no records"),
        ({"x": [[1], [2]]}, TableError, "Column x has values of type list"),
    ],
)
def test_a_frame_without_a_set_to_propose_is_refused(frame, error, words):
    with pytest.raises(error, match=words):
        microleak.assess(pa.table(frame))


def test_columns_are_named_and_each_once_before_they_are_looked_at():
    with pytest.raises(StudyError, match="names in columns are text"):
        microleak.assess(pd.DataFrame([[1, 2], [1, 3]]))
    twice = pd.DataFrame([[1, 2], [1, 3]], columns=["a", "a"])
    with pytest.raises(StudyError, match="a is named twice among columns"):
        microleak.assess(twice)
    with pytest.raises(StudyError, match="Give qids, or sizes of sets"):
        microleak.assess(twice, subsets="full")


def test_of_many_columns_those_with_most_records_alone_are_tried(monkeypatch):
    monkeypatch.setattr(frames, "MOST_SETS", 7)  # of three columns
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "two": rng.integers(0, 2, 40),
            "many": rng.integers(0, 60, 40),
            "more": rng.integers(0, 90, 40),
            "ten": rng.integers(0, 10, 40),
        }
    )
    found = microleak.assess(frame)
    roles = found.attributes.set_index("attribute")["role"]
    assert roles.to_dict() == {
        **{"two": "not tried", "many": "qid", "more": "qid", "ten": "qid"}
    }
    assert set(found.collective["qids"]) == {
        *("many", "more", "ten", "many|more", "many|ten", "more|ten", "many|more|ten")
    }


@pytest.mark.parametrize(
    ("n_records", "n_columns"), [(10, 49), (100_000, 39), (1_000_000, 18)]
)
def test_columns_are_as_many_as_their_sets_can_be_counted(n_records, n_columns):
    many = [ProposedColumn(f"c{i}", n_records, 5, 3) for i in range(60)]
    assert tried(many, (1, 2, 3)) == tuple(f"c{i}" for i in range(n_columns))


def test_dates_are_tried_however_few_share_one():
    """Days of birth of 400 people; eight digits that are no date are a number."""
    day = pd.date_range("1950-01-01", periods=400, freq="53D")
    people = pd.DataFrame(
        {
            "born": day.strftime("%d/%m/%Y"),
            "since": day.strftime("%Y%m%d"),
            "number": [f"20{n:06}" for n in range(400)],
            "sex": ["f", "m"] * 200,
        }
    )
    table = pa.Table.from_pandas(people, preserve_index=False)
    assert {each.name: each.role for each in attributes_of(table)} == {
        **{"born": "qid", "since": "qid"},
        **{"number": "identifier", "sex": "qid"},
    }
