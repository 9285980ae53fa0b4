"""Ways to protect tables, and what they leave of counts, by their definitions."""

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from microleak.attacks.table_rebuilding import made
from microleak.attacks.table_rebuilding.definitions import (
    added,
    most_of_sum,
    range_of,
    range_of_known,
)
from microleak.attacks.table_rebuilding.made import CrossedTable, protected
from microleak.attacks.table_rebuilding.measure import rebuilding_tables
from microleak.attacks.table_rebuilding.rebuild import rebuild
from microleak.attacks.table_rebuilding.section import Protect, TableRebuilding
from microleak.base.errors import StudyError, TableError
from microleak.count_tables.contradiction import System
from microleak.count_tables.published import TOTAL
from tests.examples import seeds

GEOMETRIC = {"method": "geometric", "epsilon": "1", "confidence": "0.9", "seed": 1}


def crossing(counts, names="a", *, region=False, title="sex"):
    """A table whose attributes are in order, the last one in columns."""
    counts = np.asarray(counts)
    axes = tuple(range(counts.ndim))
    none = np.zeros((0, 0), dtype=np.uint64)
    return CrossedTable(title, tuple(names), axes, region, counts, np.arange(1), none)


def ranges(counts, how, title="sex"):
    table = protected(crossing(counts, title=title), how, len(counts))
    return table.low, table.high


def published_of(low, high, most):
    """Protected counts, from what they can stand for."""
    assert ((low == high - 2 * most) | (low == 0)).all()
    return high - most


def test_random_rounding_is_to_a_multiple_around_and_right_in_the_mean():
    counts = np.repeat(np.arange(12), 4000)
    how = Protect(method="random_round", base=5, seed=1)
    shown = published_of(*ranges(counts, how), most=4)
    assert (shown % 5 == 0).all()
    assert (np.abs(shown - counts) < 5).all()
    assert np.allclose(shown.reshape(12, -1).mean(axis=1), np.arange(12), atol=0.15)


def test_perturbed_counts_are_off_by_each_number_alike_and_by_no_more():
    counts = np.full(9000, 7)
    how = Protect(method="perturb", most=2, seed=1)
    keys = np.random.default_rng(1).integers(1 << 64, size=9000, dtype=np.uint64)
    drawn = published_of(*ranges(counts, how), most=2) - counts
    for off in (drawn, added(keys, counts, 2)):
        values, times = np.unique(off, return_counts=True)
        assert values.tolist() == [-2, -1, 0, 1, 2]
        assert np.allclose(times / 9000, 0.2, atol=0.02)


def test_new_draws_each_time_tell_the_counts_in_the_end():
    """Of ten perturbed by 2 at most, both ends are seen of nearly four cells in five.

    Each end is missed ten times with a chance of 0.8 to the tenth, 0.107.
    """
    counts = np.full(5000, 30)

    def known(times):
        how = Protect(method="perturb", most=2, seed=3, times=times)
        low, high = ranges(counts, how)
        assert ((low <= counts) & (counts <= high)).all()
        return np.mean(low == high)

    assert known(1) == 0
    assert known(10) == pytest.approx(1 - 2 * 0.8**10 + 0.6**10, abs=0.02)
    assert known(60) == 1


@pytest.mark.parametrize("key", [{"base": 3}, {"most": 3}])
def test_draws_are_the_same_for_a_seed_and_others_for_another_table(key):
    def shown(seed, title):
        method = "random_round" if "base" in key else "perturb"
        how = Protect(method=method, seed=seed, **key)
        return ranges(np.arange(100), how, title)[1].tolist()

    assert shown(1, "sex") == shown(1, "sex")
    assert shown(1, "sex") != shown(2, "sex")
    assert shown(1, "sex") != shown(1, "age")


def test_a_method_needs_its_own_keys_and_no_others(keys, said):
    with pytest.raises(ValidationError, match=said):
        Protect.model_validate(keys)


def test_all_of_a_method_is_told_but_its_seed():
    keys = {"method": "cell_key", "most": 2, "seed": 5, "is_key_known": True}
    told = Protect.model_validate(keys | {"times": 3}).parameters
    assert told == {"most": "2", "times": "3", "is_key_known": "true"}
    told = Protect.model_validate(GEOMETRIC).parameters
    assert told == {"epsilon": "1", "confidence": "0.9"}


@pytest.mark.parametrize("region", [False, True])
@given(data=st.data())
def test_controlled_rounding_tells_totals_that_fit_what_it_tells_of_cells(data, region):
    shape = (3, 2, 2) if region else (3, 4)
    numbers = st.lists(st.integers(0, 9), min_size=12, max_size=12)
    counts = np.reshape(data.draw(numbers), shape)
    seed = data.draw(st.integers(0, 5))
    how = Protect(method="controlled_round", base=3, seed=seed)
    table = protected(crossing(counts, "abc"[: len(shape)], region=region), how, 12)
    assert (table.codes[np.lexsort(table.codes.T[::-1])] == table.codes).all()
    shown = dict(zip(map(tuple, table.codes.tolist()), table.high - 2, strict=True))
    assert len(shown) == (12 + 6 + 6 + 3 if region else 12 + 3 + 4 + 1)
    for cell, published in shown.items():
        where = tuple(slice(None) if code == TOTAL else code for code in cell)
        assert published % 3 == 0
        assert abs(published - counts[where].sum()) < 3
        axes = [
            range(n) if c == TOTAL else [c] for c, n in zip(cell, shape, strict=True)
        ]
        assert published == sum(shown[each] for each in product(*axes))


KEY = st.integers(0, (1 << 64) - 1)


@given(key=KEY, count=st.integers(0, 30), most=st.integers(1, 6))
def test_what_a_key_adds_can_stand_for_the_count(key, count, most):
    """And for each that some key brings there; if it is known, those that it does."""
    keys, counts = np.array([key], dtype=np.uint64), np.array([count])
    published = counts + added(keys, counts, most)
    assert abs(published - count) <= min(most, count)
    for low, high in (range_of(published, most), range_of_known(published, keys, most)):
        assert low[0] <= count <= high[0]
    (low,), (high,) = range_of(counts, most)
    fits = [n for n in range(40) if abs(n - count) <= min(n, most)]
    assert [*range(low, high + 1)] == fits
    (low,), (high,) = range_of_known(counts, keys, most)
    fits = [n for n in range(40) if n + added(keys, np.array([n]), most)[0] == count]
    assert not fits or (low, high) == (fits[0], fits[-1])


def test_a_range_of_noise_is_the_least_that_keeps_to_its_chance():
    """Of one it is 2 alpha**(m + 1) / (1 + alpha); of two summed up from all pairs."""
    half = Fraction(1, 2)

    def beyond(most, times):
        law = {k: half ** abs(k) / 3 for k in range(-70, 71)}
        if times == 1:
            return sum(p for k, p in law.items() if abs(k) > most)
        pairs = product(law.items(), repeat=2)
        return sum(p * q for (k, p), (j, q) in pairs if abs(k + j) > most)

    for times in (1, 2):
        for chance in (0.3, 0.01, 1e-6):
            most = most_of_sum(0.5, times, chance)
            assert beyond(most, times) <= chance < beyond(most - 1, times)


def test_geometric_noise_has_its_law():
    how = Protect(**GEOMETRIC)
    alpha, n = exp(-1), 20_000
    most = most_of_sum(alpha, 1, 0.1 / n)
    low, high = ranges(np.full(n, 50), how)
    off = high - most - 50
    assert (low == np.maximum(50 + off - most, 0)).all()
    for k in range(-2, 3):
        assert np.mean(off == k) == pytest.approx(
            (1 - alpha) / (1 + alpha) * alpha ** abs(k), abs=0.012
        )


def test_ranges_of_noise_hold_together_as_often_as_the_confidence():
    def is_held(seed, times):
        counts = np.full(20, 40)
        low, high = ranges(counts, Protect(**GEOMETRIC | {"seed": seed}, times=times))
        return ((low <= counts) & (counts <= high)).all()

    for times in (1, 5):
        assert np.mean([is_held(seed, times) for seed in range(400)]) > 0.9 - 0.03


def test_the_mean_of_many_publications_tells_the_count():
    def width(times):
        low, high = ranges(np.full(20, 40), Protect(**GEOMETRIC, times=times))
        return int((high - low).max())

    assert width(1) > width(10) > width(100)
    assert width(1000) == 0


ROWS = pd.DataFrame(
    [
        *[("big", sex, age, ill) for sex in "FM" for age in "123456" for ill in "nnny"],
        *[("small", "F", "1", "y"), ("small", "M", "1", "n"), ("small", "M", "2", "n")],
    ],
    columns=["town", "sex", "age", "ill"],
)
CROSSINGS = [["sex", "age"], ["age", "ill"], ["sex", "ill"]]


def rebuilt(protect, rows=ROWS, **keys):
    made = {"table": "t", "focal": "1", "crossings": CROSSINGS, "protect": protect}
    given = {"name": "towns", "release": made, "region": "town", **keys}
    people = pa.Table.from_pandas(rows, preserve_index=False)
    return rebuilding_tables(TableRebuilding.model_validate(given), people)


@pytest.mark.parametrize("seed", seeds(12))
def test_the_first_database_is_as_near_to_what_was_published_as_any(seed):
    """Of two noisy tables of one attribute each, all of whose databases are tried."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (2, 2))
    rows = ([0, 1], [2, 3], [0, 2], [1, 3], [0, 1, 2, 3])
    published = np.array([truth.ravel()[row].sum() for row in rows], dtype=float)
    published += rng.integers(-2, 3, len(rows)) + rng.choice([0, 0.5])
    system = System(
        4,
        np.append(0, np.cumsum([len(row) for row in rows])),
        np.concatenate(rows),
        np.maximum(np.floor(published - 3), 0).astype(np.int64),
        np.ceil(published + 3).astype(np.int64),
    )
    published[rng.integers(len(rows))] = np.nan

    def off(database):
        sums = np.array([np.array(database)[row].sum() for row in rows])
        return np.nansum(np.abs(sums - published))

    every = [np.array(each) for each in product(range(9), repeat=4)]
    found = rebuild(system, np.arange(5), published).databases[0]
    assert off(found) == min(off(each) for each in every if system.fits(each))


def test_known_keys_are_as_no_protection_but_where_two_counts_come_to_the_same():
    def proved(protect):
        return rebuilt(protect).table_rebuilding["n_records_proved"].sum()

    with_keys = {"method": "cell_key", "most": 2, "seed": 5}
    exact = proved({"method": "none"})
    assert proved(with_keys) < proved(with_keys | {"is_key_known": True}) <= exact
    assert proved(with_keys) < proved(with_keys | {"times": 40}) <= exact


def test_two_publications_with_the_same_keys_tell_who_is_missing():
    """Exactly those of whom each attribute is in a table with another number then."""
    protect = {"method": "cell_key", "most": 2, "seed": 5}
    (big, small) = rebuilt(protect).table_rebuilding["n_differenced"]
    assert 0 < big < 48
    assert 0 <= small <= 3
    told = rebuilt(protect | {"times": 2}).table_rebuilding["n_differenced"]
    assert told.isna().all()
    alone = ROWS[ROWS["town"] == "small"]
    many = [
        rebuilt(protect | {"seed": seed}, alone).table_rebuilding["n_differenced"].sum()
        for seed in range(40)
    ]
    assert {*many} == {0, 1, 2, 3}


def test_what_two_publications_tell_is_what_their_tables_show():
    """The published tables themselves, before and after each record has left."""
    rng = np.random.default_rng(2)
    counts = np.array([2, 1, 3, 1])
    codes = {"a": np.array([0, 0, 1, 1]), "b": np.array([0, 1, 0, 1])}
    for _ in range(50):
        keys = rng.integers(1 << 64, size=(2, 4), dtype=np.uint64)
        joint = made._Joint(codes, counts, keys)
        domains = {"a": ("0", "1"), "b": ("0", "1")}
        how = Protect(method="cell_key", most=2, seed=1)
        tables = [made._crossing(joint, domains, [n], None, "") for n in "ab"]
        found = made._differenced(joint, tables, how)
        for cell in range(4):
            fewer, left = counts.copy(), keys[0].copy()
            fewer[cell] -= 1
            left[cell] = keys[1, cell] if fewer[cell] else 0
            after = made._Joint(codes, fewer, np.stack([left, left]))
            shown = []
            for j in (joint, after):
                each = [made._crossing(j, domains, [n], None, "") for n in "ab"]
                shown.append([t.counts + added(t.keys[0], t.counts, 2) for t in each])
            is_told = all((x != y).any() for x, y in zip(*shown, strict=True))
            assert found[cell] == (counts[cell] if is_told else 0)


def test_who_is_alone_with_what_is_known_is_reidentified():
    """In the small town she alone has her sex; and both others their sex and age."""
    hidden, both = {"method": "suppress", "below": 5}, ["sex", "age"]
    for protect, known, n in (
        ({"method": "none"}, ["sex"], 1),
        ({"method": "none"}, both, 3),
        (hidden, both, 0),
    ):
        found = rebuilt(protect, known=known).table_rebuilding
        assert [*found["n_reidentified_proved"]] == [0, n]
        if protect != hidden:
            assert [*found["n_reidentified"]] == [0, n]
            assert [*found["share_reidentified"]] == [0, n / 3]
    assert rebuilt(hidden).table_rebuilding["n_reidentified"].isna().all()


def test_regions_are_summed_up_by_their_size():
    rows = pd.concat([ROWS, ROWS[ROWS["town"] == "small"].assign(town="tiny")])
    found = rebuilt({"method": "none"}, rows, sizes=[3, 10], known=["sex"])
    regions = found.table_rebuilding
    told = found.rebuilt_sizes.set_index("size")
    assert [*told.index] == ["3-9", "10-"]
    assert [*told["n_regions"]] == [2, 1]
    assert [*told["n_records"]] == [6, 48]
    for name in ("n_records_proved", "n_right", "n_reidentified"):
        assert told.loc["3-9", name] == regions[name].iloc[1:].sum()
    assert told.loc["3-9", "share_reidentified"] == 2 / 6
    assert len(rebuilt({"method": "none"}).rebuilt_sizes) == 0


def test_what_noise_lets_claim_has_a_chance_and_may_be_wrong():
    found = rebuilt(GEOMETRIC | {"epsilon": "3"}).table_rebuilding
    assert [*found["chance"]] == [0.9, 0.9]
    shown = {"table": "t", "focal": "1", "crossings": [["sex", "age", "ill"]]}
    how = GEOMETRIC | {"confidence": "0.01"}
    wrong = [
        rebuilt(how | {"seed": seed}, release=shown | {"protect": how | {"seed": seed}})
        for seed in range(30)
    ]
    n_wrong = [rows.table_rebuilding["n_cells_wrong"].sum() for rows in wrong]
    assert 0 < np.mean(np.array(n_wrong) > 0) <= 0.99


def test_noise_beyond_its_range_is_told_where_no_counts_fit(monkeypatch):
    monkeypatch.setattr(made, "most_of_sum", lambda *_: 0)
    with pytest.raises(TableError) as error:
        rebuilt(GEOMETRIC)
    assert str(error.value) == (
        "analysis 'towns': noise went beyond what confidence allows it, and so no "
        "counts fit. Raise confidence, or take another seed."
    )


def test_sizes_and_what_is_known_fit_the_regions(keys, said):
    with pytest.raises(ValidationError, match=said):
        rebuilt({"method": "none"}, **keys)


def test_what_is_known_is_in_a_table_and_a_plan_says_so(tmp_path):
    """Before any job begins, as a study is read."""
    file = tmp_path / "a.csv"
    file.write_text("age,sex,count\n1,F,2\n", encoding="utf-8")
    made = {"table": "people", "focal": "1", "crossings": [["age", "sex"]]}
    published = {"tables": [{"file": str(file)}]}
    for keys in ({"region": "town", "release": made}, published):
        told = {"name": "towns", "known": ["age", "sexx"], **keys}
        section = TableRebuilding.model_validate(told)
        with pytest.raises(StudyError) as error:
            section.checked("study.yaml: analysis 'towns'")
        assert str(error.value).startswith(
            "study.yaml: analysis 'towns': known has sexx, which no table has. Did you "
            "mean sex? Correct it."
        )
