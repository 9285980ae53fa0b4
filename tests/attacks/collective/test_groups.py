"""Groups of values from the records of an analysis to their table."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.definitions.group_inference import group_inference
from microleak.attacks.collective.measure import (
    group_table,
    measure_analysis,
    value_table,
)
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.definitions.profile import BlockProfile
from microleak.records.coding import Group
from tests.assessing import assess
from tests.watched import steps_watched

PEOPLE = pa.table(
    {
        "age": ["25", "25", "25", "49", "49", "49", "49", None],
        "sex": ["f", "f", "m", "f", "m", "m", "m", "m"],
        "illness": ["I21", "I219", "C50", "I21", "R0001", None, "J11", "C50"],
    }
)
LATER = pa.table({"age|2": ["26", "26", "26", "50", "51", "51", None, None]})

HEART = Group("heart", "illness", ("I2*", "R000"), has_domain=True)
RARE = Group("rare", "illness", ("Z99", "Y*"), has_domain=True)
CANCER = Group("cancer", "illness", ("C50",), has_domain=True)
ANALYSIS = Collective(
    "demo", "people", "1", ("age", "sex"), ("illness",), "all", groups=(HEART, CANCER)
)
LINKED = replace(ANALYSIS, auxiliary=("2",), fewer={"2": ("age",)})


@pytest.fixture
def profiled(tmp_path):
    def profile(analysis, people=PEOPLE, threads=1):
        for name, table in {"1": people, "2": LATER}.items():
            pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=3)
        files = []
        for part in analysis.prefixes:
            releases = [tmp_path / f"{name}.parquet" for name in part.releases]
            files.append(tmp_path / f"{part.name}-{part.panel}.parquet")
            resources = Resources(threads, 8_000, tmp_path)
            profile_analysis(releases, part, False, resources, files[-1])
        return files

    return profile


@pytest.fixture
def measured(profiled):
    def measure(analysis, **how):
        return group_table(profiled(analysis, **how), analysis)

    return measure


def of(table, **which):
    """The only row of a table with these values."""
    for name, value in which.items():
        table = table[table[name] == value]
    (_,) = table.index
    return table.iloc[0]


def test_rows_are_sorted_by_panel_group_and_then_the_study_file(measured):
    found = measured(LINKED)
    assert found[["auxiliary", "group", "qids"]].to_numpy().tolist() == [
        [auxiliary, group, qids]
        for auxiliary in ("", "2")
        for group in ("heart", "cancer")
        for qids in ("age", "sex", "age|sex")
    ]


def test_measures_are_those_counted_by_hand(measured):
    """The women of 25 have a disease of the heart; of the other members are 1 of 1
    woman of 49. R0001 does not begin with what is meant by R000."""
    row = of(measured(ANALYSIS), group="heart", qids="age|sex")
    assert (row["n_records"], row["n_blocks"], row["n_members"]) == (8, 5, 3)
    assert (row["n_certain"], row["n_likely"], row["n_above_90"]) == (3, 3, 3)
    row = of(measured(ANALYSIS), group="heart", qids="age")
    assert (row["n_certain"], row["n_likely"], row["n_above_90"]) == (0, 2, 0)
    assert row["prior_prob"] == 3 / 8
    assert row["posterior_det"] == 0
    assert row["posterior_prob"] == 19 / 36  # (2 * 2/3 + 1/4) / 3
    assert row["additive_leakage"] == 11 / 72
    assert row["multiplicative_leakage"] == 38 / 27


def test_an_auxiliary_release_may_make_certain(measured):
    found = measured(LINKED)
    assert of(found, group="heart", qids="age", auxiliary="")["n_certain"] == 0
    assert of(found, group="heart", qids="age", auxiliary="2")["n_certain"] == 1


def test_a_missing_value_belongs_to_no_group_not_even_of_all_values(measured):
    analysis = replace(ANALYSIS, groups=(Group("any", "illness", ("*",)),))
    assert of(measured(analysis), qids="age|sex")["n_members"] == 7


def test_values_that_no_record_has_are_refused_where_nothing_says_they_can_be(measured):
    analysis = replace(ANALYSIS, groups=(replace(RARE, has_domain=False),))
    with pytest.raises(TableError) as error:
        measured(analysis)
    assert str(error.value) == (
        "analysis 'demo': group 'rare' has 'Z99', 'Y*', which no record has in "
        "illness. Correct it under groups, or leave it out; a value that may be absent "
        "needs a domain of illness (domains, under options)."
    )


def test_shares_of_a_group_that_nobody_is_of_are_missing_in_the_file(measured):
    analysis = replace(ANALYSIS, groups=(RARE,))
    row = of(measured(analysis), qids="sex")
    assert (row["n_members"], row["n_certain"], row["prior_prob"]) == (0, 0, 0)
    shares = ["posterior_det", "posterior_prob"]
    assert row[[*shares, "additive_leakage", "multiplicative_leakage"]].isna().all()


def test_more_groups_than_are_walked_at_once_are_each_measured_alike(measured):
    groups = [
        replace(group, name=f"{group.name} {i}")
        for i in range(3)
        for group in (HEART, CANCER)
    ]
    found = measured(replace(ANALYSIS, groups=tuple(groups)))
    alone = measured(ANALYSIS)
    for group in groups:
        same = alone[alone["group"] == group.name.split()[0]].drop(columns="group")
        mine = found[found["group"] == group.name].drop(columns="group")
        assert mine.to_numpy().tolist() == same.to_numpy().tolist()


def test_other_measures_do_not_know_of_groups(profiled, tmp_path):
    """They are the same with them, also where position 0 is that of a group."""
    for sensitive in ((), ("illness",)):
        analysis = replace(ANALYSIS, sensitive=sensitive)
        found = measure_analysis(
            profiled(analysis), analysis, False, tmp_path / "success.parquet"
        ).collective
        direct = assess(PEOPLE, ["age", "sex"], sensitive)
        pd.testing.assert_frame_equal(found[direct.columns], direct)


def test_progress_is_of_the_columns_that_are_read_each_once(profiled):
    with steps_watched() as steps:
        group_table(profiled(ANALYSIS), ANALYSIS)
    done = {step: (total, sum(advances)) for step, total, advances in steps}
    assert done["counting values"] == (3 * 8, 3 * 8)
    assert done["measuring groups"] == (3, 3)


def values_of(profiled, people, **which):
    analysis = replace(ANALYSIS, groups=(), sensitive=tuple(which["sensitive"]))
    return value_table(profiled(analysis, people=people), analysis)


def test_each_value_but_the_most_frequent_is_measured_by_itself(profiled):
    found = values_of(profiled, PEOPLE, sensitive=["illness"])
    by_both = found[found["qids"] == "age|sex"]
    counts = by_both[["is_missing", "n_members", "n_certain"]].to_numpy().tolist()
    assert by_both["value"].fillna("").tolist() == ["", "I21", "I219", "J11", "R0001"]
    assert counts == [
        ["true", 1, 0],
        ["false", 2, 1],
        ["false", 1, 0],
        ["false", 1, 0],
        ["false", 1, 0],
    ]


def test_values_are_those_of_the_focal_release_in_every_panel(profiled):
    analysis = replace(LINKED, groups=(HEART,))
    found = value_table(profiled(analysis), analysis)
    alone, linked = (found[found["auxiliary"] == name] for name in ("", "2"))
    names = ["qids", "value", "n_members"]
    assert alone[names].to_numpy().tolist() == linked[names].to_numpy().tolist()
    assert (linked["n_certain"].to_numpy() >= alone["n_certain"].to_numpy()).all()


@pytest.mark.parametrize(("n_values", "n_measured"), [(2, 1), (10, 9), (11, 1)])
def test_values_are_measured_up_to_ten_of_an_attribute_the_missing_one_counted(
    profiled, n_values, n_measured
):
    values = [None, *(str(i) for i in range(1, n_values))]
    n = len(values) + 1
    people = pa.table({"age": ["1"] * n, "sex": ["f"] * n, "illness": [*values, "1"]})
    found = values_of(profiled, people, sensitive=["illness"])
    assert len(found) == n_measured * 3
    assert "1" not in set(found["value"])


def test_of_equally_frequent_values_the_first_as_text_is_left_out(profiled):
    people = pa.table({"age": ["1"] * 4, "sex": ["f"] * 4, "illness": list("baba")})
    for rows in (people, people.take([1, 0, 3, 2])):
        found = values_of(profiled, rows, sensitive=["illness"])
        assert set(found["value"]) == {"b"}


def blocks(*kinds):
    """Profile of a group, from (block size, members, number of blocks)."""
    size, members, n_blocks = np.array(kinds, dtype=np.int64).T
    n_distinct = 1 + ((members > 0) & (members < size))
    return BlockProfile(size, members, n_distinct, n_blocks, 0 * size)


@pytest.mark.parametrize(
    ("members", "n_likely", "n_above"),
    [(9, 0, 0), (10, 0, 0), (11, 11, 0), (18, 18, 0), (19, 19, 19), (20, 20, 20)],
)
def test_members_are_likely_above_half_and_above_90_percent_of_their_block(
    members, n_likely, n_above
):
    found = group_inference(blocks((20, members, 1)))
    assert (found.n_likely, found.n_above_90) == (n_likely, n_above)


def test_without_members_there_is_nobody_to_attack():
    found = group_inference(blocks((3, 0, 2), (1, 0, 1)))
    assert (found.n_members, found.n_likely, found.prior_prob) == (0, 0, 0)
    assert (found.posterior_det, found.posterior_prob) == (None, None)
    assert (found.additive_leakage, found.multiplicative_leakage) == (None, None)


def test_nothing_leaks_of_a_group_that_everybody_is_of():
    found = group_inference(blocks((3, 3, 2), (1, 1, 1)))
    assert (found.posterior_det, found.posterior_prob, found.prior_prob) == (1, 1, 1)
    assert (found.additive_leakage, found.multiplicative_leakage) == (0, 1)


def test_a_table_of_as_many_records_as_can_be_is_summed_exactly():
    most = 2**31 - 1
    found = group_inference(blocks((most, most - 1, 1)))
    assert found.posterior_prob == found.prior_prob == Fraction(most - 1, most)


@given(st.lists(st.integers(1, 2**36), min_size=1, max_size=8), st.data())
def test_beliefs_in_members_of_blocks_of_more_than_32_bits_are_exact(sizes, data):
    members = [data.draw(st.integers(1, size)) for size in sizes]
    found = group_inference(
        blocks(*((s, c, 2) for s, c in zip(sizes, members, strict=True)))
    )
    beliefs = sum(Fraction(2 * c * c, s) for s, c in zip(sizes, members, strict=True))
    assert found.posterior_prob == beliefs / (2 * sum(members))
