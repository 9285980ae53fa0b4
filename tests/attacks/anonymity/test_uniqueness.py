"""Uniqueness in a population of which size, weights or margins are known."""

from fractions import Fraction
from itertools import combinations, product
from math import exp, factorial

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.anonymity.definitions.cells import Cells, cells_of, raked
from microleak.attacks.anonymity.definitions.log_linear import (
    SPREAD,
    chance_below,
    chosen,
    expected_persons,
    independent,
    mean_match,
    mean_unsampled,
    with_margins,
)
from microleak.base.errors import StudyError, TableError

QIDS = ["sex", "age", "town"]


def cells(rng, n_records=200, n_values=(2, 3, 4)):
    codes = [rng.integers(0, k, n_records) for k in n_values]
    return cells_of(codes, rng.integers(1, 9, n_records) * 10, 10)


def fitted_by_iteration(cells, margins):
    """The log-linear model with these margins, fitted to the whole table at length."""
    widths = cells.codes.max(axis=0) + 1
    table = np.zeros(widths)
    table[tuple(cells.codes.T)] = cells.weight
    found = np.ones(widths)
    for _ in range(200):
        for margin in margins:
            others = tuple(i for i in range(len(widths)) if i not in margin)
            ratio = table.sum(axis=others, keepdims=True) / found.sum(
                axis=others, keepdims=True
            )
            found = found * ratio
    return found[tuple(cells.codes.T)]


@pytest.mark.parametrize(
    "margins",
    [[[0], [1], [2]], [[0, 1], [2]], [[0, 1], [1, 2]], [[0, 2], [1, 2]], [[0, 1, 2]]],
)
def test_a_decomposable_model_is_what_iteration_over_its_margins_ends_in(margins):
    some = cells(np.random.default_rng(1))
    graph = with_margins(independent(3), map(frozenset, margins))
    wanted = fitted_by_iteration(some, margins)
    assert expected_persons(some, graph) == pytest.approx(wanted, rel=1e-9)


def test_an_edge_is_chosen_where_attributes_depend_on_each_other():
    rng = np.random.default_rng(3)
    town = rng.integers(0, 8, 4000)
    near = np.where(rng.random(4000) < 0.7, town, rng.integers(0, 8, 4000))
    some = cells_of([town, rng.integers(0, 3, 4000), near], np.ones(4000, int), 1)
    assert chosen(some, independent(3)) == {
        0: frozenset([2]),
        1: frozenset(),
        2: frozenset([0]),
    }


def test_raking_meets_margins_and_keeps_what_no_margin_tells():
    some = cells(np.random.default_rng(4))
    margins = {
        frozenset(places): some.records_in(places) * 7.0
        for places in combinations(range(3), 2)
    }
    found = raked(some, margins)
    assert found.largest_difference < 1e-9
    for places, persons in margins.items():
        assert found.cells.persons_in(places) == pytest.approx(persons)
    codes = np.array(list(product(range(2), repeat=3)))
    eight = Cells(codes, np.ones(8, int), np.arange(1.0, 9))
    target = {frozenset([i]): np.array([30.0, 10.0]) for i in range(3)}
    weight = raked(eight, target).cells.weight

    def odds(w, i):
        """Ratio of the odds of QIDs 1 and 2, where QID 0 is the same."""
        return w[i] * w[i + 3] / (w[i + 1] * w[i + 2])

    for i in (0, 4):
        assert odds(weight, i) == pytest.approx(odds(eight.weight, i))


@pytest.mark.parametrize("mean", [0.0, 0.7, 3.0, 20.0])
def test_chances_of_who_is_not_sampled_are_sums_over_all_numbers(mean):
    chance = [exp(-mean) * mean**j / factorial(j) for j in range(100)]
    for n in range(6):
        assert chance_below(n, np.array([mean]))[0] == pytest.approx(sum(chance[:n]))
    match = sum(of_n / (n + 1) for n, of_n in enumerate(chance))
    assert mean_match(np.array([mean]))[0] == pytest.approx(match)


def test_of_the_persons_of_a_cell_a_share_is_not_sampled():
    """A fifth of each is sampled, of 100 persons in four cells that are as frequent."""
    town, age = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], 5, axis=1)
    four = cells_of([town, age], np.full(20, 50), 10)
    assert mean_unsampled(four) == pytest.approx([20.0] * 4)


def people(n=400, seed=8):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(0, 9, n) for name in QIDS})
    return frame.assign(ill=rng.integers(0, 2, n), weight=rng.integers(2, 20, n))


def rows(frame, **more):
    return microleak.anonymity(frame, QIDS, subsets="full", **more).uniqueness


def row(frame, **more):
    (found,) = rows(frame, **more).to_dict("records")
    return found


def test_no_number_depends_on_the_order_of_records_or_on_threads():
    frame = people(200)
    mixed = frame.sample(frac=1, random_state=1)
    for more in ({"n_population": 5000}, {"weight": "weight"}):
        pd.testing.assert_frame_equal(
            rows(frame, **more), rows(mixed, **more, n_threads=2), check_exact=True
        )


def test_equal_weights_are_the_size_of_the_population():
    frame = people().assign(weight="12,5")
    of_samples = ["weight", "n_unique_both_low", "n_unique_both_high"]
    by_weight = rows(frame, weight="weight")
    by_size = rows(frame, n_population=5000)
    assert by_weight[of_samples[1:]].isna().all(axis=None)
    alike = (each.drop(columns=of_samples) for each in (by_weight, by_size))
    pd.testing.assert_frame_equal(*alike)


def test_a_comma_that_cannot_stand_between_thousands_stands_before_decimals():
    commas, points = ["1,234", *["12,5"] * 399], ["1.234", *["12.5"] * 399]
    both = [rows(people().assign(weight=w), weight="weight") for w in (commas, points)]
    pd.testing.assert_frame_equal(*both)
    assert both[0]["n_population"].tolist() == [round(1.234 + 12.5 * 399)]


def test_points_that_may_stand_between_thousands_are_refused_in_texts_alone():
    texts = [*["1.234", "2.500"] * 199, "987", "12"]
    with pytest.raises(TableError, match="weight is a weight, and its commas or poi"):
        rows(people().assign(weight=texts), weight="weight")
    floats = [1.234, 2.125] * 200
    found = row(people().assign(weight=floats), weight="weight")
    assert found["n_population"] == round(sum(floats))


def test_the_spread_of_single_samples_depends_on_their_share_and_keeps_the_bounds(
    tmp_path,
):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.integers(0, 30, 400) for name in QIDS})
    for times, share in ((10, Fraction(1, 10)), (11, Fraction(1, 100))):
        spread = SPREAD[share]
        found = row(frame, n_population=times * len(frame))
        low, high = found["n_unique_both_low"], found["n_unique_both_high"]
        most = min(found["n_sample_unique"], found["n_unique_both"] * spread[1])
        assert (low, high) == pytest.approx((found["n_unique_both"] * spread[0], most))
    assert pd.isna(row(frame, n_population=101 * len(frame))["n_unique_both_low"])
    assert pd.isna(row(people(), n_population=4000)["n_unique_both_low"])  # so few
    # Counts of everybody who is there make all known.
    found = row(frame, margins=[margin(tmp_path, frame, ["sex", "age"], by=1)])
    ends = found["n_unique_both_low"], found["n_unique_both_high"]
    assert ends == (found["n_sample_unique"],) * 2


def test_weights_are_in_every_estimate():
    frame = people()
    heavier = frame.assign(weight=frame["weight"] * 3)
    before, after = (row(each, weight="weight") for each in (frame, heavier))
    assert before["n_unique_both"] > after["n_unique_both"]
    assert before["posterior_match"] > after["posterior_match"]
    assert before["k_map_estimated"] < after["k_map_estimated"]
    assert before["n_population"] == frame["weight"].sum()


def margin(folder, frame, names, by=10):
    path = folder / "margin.csv"
    counts = frame.groupby(names, dropna=False).size() * by
    counts.reset_index(name="count").to_csv(path, index=False, na_rep="(missing)")
    return str(path)


def test_published_margins_bring_the_estimate_nearer_to_the_truth(tmp_path):
    rng = np.random.default_rng(9)
    n = 40_000
    town = rng.choice(40, n, p=np.arange(1, 41) / 820)
    age = (town * 3 + rng.integers(0, 30, n)) % 90
    whole = pd.DataFrame({"town": town, "age": age, "sex": rng.integers(0, 12, n)})
    sample = whole.sample(2000, random_state=2)
    size = whole.groupby(QIDS)["sex"].transform("size")
    truth = (size[sample.index] == 1).sum()
    path = margin(tmp_path, whole, ["town", "age"], by=1)
    without = row(sample, n_population=n)["n_unique_both"]
    told = row(sample, margins=[path])["n_unique_both"]
    assert abs(told / truth - 1) < 0.1
    assert abs(told - truth) < abs(without - truth)


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        ([*["2"] * 399, "many"], "weight is a weight, and 1 records have no number"),
        ([*["2"] * 398, "0", None], "and 2 records have no number above 0 and below"),
        ([*["2"] * 399, "-1"], "Remove these records, or correct weight"),
        ([*["2"] * 397, "1_000", "\uff15", " 5 "], "and 3 records have no number"),
        ([*["2"] * 399, "1e3"], "and 1 records have no number"),
        ([*["2.5"] * 399, "1,234,567.5"], "before decimals or between thousands"),
        ([*["2"] * 399, "1,234"], "points may stand before decimals or between"),
        ([*["12.5"] * 399, "12,5"], "1.234 may be 1234 or a little more than 1"),
    ],
)
def test_a_weight_that_is_none_is_refused(weight, said):
    with pytest.raises(TableError, match=said):
        rows(people().assign(weight=weight), weight="weight")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (
            "sex,count\n0,3\n" + "".join(f"{i},900\n" for i in range(1, 9)),
            TableError,
            "sample are in cells of sex of which the population has fewer persons",
        ),
        ("sex,count\n0,900\n", TableError, "nobody of the population has the values"),
        ("sex,count\n0.0,900\n", TableError, "compared as text, so that 1.0 is not 1"),
        (
            "sex,count\n"
            + "".join(f"{i},{900 + i}\n" for i in range(9))
            + f"w,{9 * 900 + 36}\n",
            TableError,
            r"line 11, .* is the sum of the other .* with \* as sex that count",
        ),
        ("sex,count\n0,many\n", StudyError, "line 2: a whole number is expected as c"),
        ("sex,count\n0,1\n0,2\n", StudyError, "lines 2 and 3 are of the same cell"),
        ("sexx,count\n0,1\n", StudyError, "sexx, which is not .* Did you mean sex?"),
        ("sex\n0\n", StudyError, "line 1 must name attributes and count, each once"),
        ("sex,count\n", StudyError, "each once, with at least one line below"),
        (
            "sex,n\n0,900\n",
            StudyError,
            "line 1 has n, the old name of the column count",
        ),
        ("sex,count\n0\n", StudyError, "line 2 has 1 cells, 2 expected"),
    ],
)
def test_a_margin_that_cannot_be_is_refused(text, error, said, tmp_path):
    path = tmp_path / "margin.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=said):
        rows(people(), margins=[str(path)])


def test_a_value_of_records_is_no_total_whatever_its_sum(tmp_path):
    path = tmp_path / "margin.csv"
    lines = [f"{i},{901 + i}" for i in range(8)]
    path.write_text("\n".join(["sex,count", *lines, "8,7236", ""]), encoding="utf-8")
    assert row(people(), margins=[str(path)])["n_population"] == 14472


def test_two_sizes_and_what_there_is_not_are_refused(more, said):
    with pytest.raises(StudyError, match=said):
        rows(people(), **more)
