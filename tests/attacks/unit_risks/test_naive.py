"""Risks of units and what units tell, against definitions on random tables."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from microleak.attacks.unit_risks.measure import measured
from microleak.attacks.unit_risks.section import UnitRisks
from microleak.base.machine import Resources
from microleak.records.chunks import TableChunks
from microleak.study_file.units import FactSection
from microleak.units.members import Units
from tests.attacks.unit_risks import naive
from tests.examples import examples

value = st.sampled_from([None, "", "-", "a", "b,", "(b"])
home = st.sampled_from([None, "1", "2", "3"])
row = st.fixed_dictionaries({"home": home, "x": value, "y": value, "ill": value})
tables = st.lists(row, min_size=1, max_size=14)
of_units = tables.filter(lambda rows: any(row["home"] for row in rows))


def arrow(rows):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return pa.table({n: pa.array(texts, pa.string()) for n, texts in columns.items()})


@examples(300)
@given(of_units, st.integers(1, 3))
def test_risks_of_units_are_those_of_the_definition(rows, n_threads):
    analysis = UnitRisks(
        name="a", table="t", focal="f", qids=("x", "y"), unit="home", sensitive=("ill",)
    )
    tables = measured(arrow(rows), analysis, Resources(n_threads, 2000, Path()))
    found = [t[t["size"] == ""].to_dict("records") for t in tables.values()]
    expected = naive.risks(rows, "home", ("x", "y"), "ill")
    for of_unit, of_value in zip(*found, strict=True):
        told = of_unit | of_value
        names = tuple(told["qids"].split("|"))
        assert {key: told[key] for key in expected[names]} == expected[names]


@examples(300)
@given(of_units)
def test_rows_of_each_size_add_up_to_those_of_all(rows):
    analysis = UnitRisks(
        name="a", table="t", focal="f", qids=("x", "y"), unit="home", sensitive=("ill",)
    )
    for table in measured(arrow(rows), analysis, Resources(1, 2000, Path())).values():
        counts = [n for n in table if n.startswith("n_")]
        counts = [n for n in counts if n not in ("n_qids", "n_without")]
        by_set = table.assign(is_whole=table["size"] == "")
        sums = by_set.groupby(["qids", "is_whole"])[counts].sum()
        whole, parts = sums.xs(True, level=1), sums.xs(False, level=1)
        pd.testing.assert_frame_equal(whole, parts)


@examples(300)
@given(
    tables,
    st.sampled_from([(), ("x",), ("x", "y")]),
    st.sampled_from([{}, {"ill": ("a", None)}]),
    st.booleans(),
)
def test_two_lists_are_equal_exactly_if_their_members_are(rows, of, where, others):
    assume(all({row[name] for row in rows} & {*kept} for name, kept in where.items()))
    fact = FactSection(of=of, where=where, others=others)
    told = Units(TableChunks(arrow(rows)), "home").told(fact)
    texts = [told.values[int(i)].as_py() for i in told.number]
    lists = naive.lists_of(rows, "home", of, where, others)
    if of:
        assert [texts.index(t) for t in texts] == [lists.index(each) for each in lists]
        assert [text == "none" for text in texts] == [not each for each in lists]
    else:
        assert texts == [str(sum(n for _, n in each)) for each in lists]
