"""What of the distributions of individual success may be published."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pandas as pd
import pytest

from microleak.study.disclosure import publish
from microleak.study.published_distributions import (
    hidden_bins,
    size_of_found,
    size_of_inferred,
)

BELOW_CERTAIN = set(range(100))


def distribution(sensitive="", **records):
    """Bins of one subset, given as `b37=12`: bin 37 with 12 records."""
    subset = {
        "attack": "CAS" if sensitive else "CRS",
        "analysis": "pupils",
        "table": "census",
        "focal": "2018",
        "auxiliary": "",
        "qids": "AGE",
        "n_qids": 1,
        "sensitive": sensitive,
    }
    return pd.DataFrame(
        [
            {**subset, "bin": int(name[1:]), "n_records": count}
            for name, count in records.items()
        ]
    )


def published(table):
    """Published counts by bin; None where suppressed."""
    public = publish(table, "public")
    counts = public["n_records"].astype(object).where(public["n_records"].notna(), None)
    return dict(zip(public["bin"], counts, strict=True))


def hidden(table):
    return [number for number, count in published(table).items() if count is None]


@pytest.mark.parametrize("number", range(100))
def test_the_smallest_size_of_a_bin_is_that_of_the_first_fraction_in_it(number):
    found = [n for n in range(1, 201) if number <= Fraction(100, n) < number + 1]
    inferred = [
        n
        for n in range(1, 201)
        if any(number <= Fraction(100 * k, n) < number + 1 for k in range(1, n + 1))
    ]
    assert size_of_inferred(number) == inferred[0]
    if found:
        assert size_of_found(number) == found[0]


def test_a_count_is_rounded_to_ten_blocks_half_to_even():
    # Blocks of 8 have a success of 12.5 %, of 10 one of 10 %.
    assert published(distribution(b12=272, b10=1_450)) == {10: 1_400, 12: 240}


def test_an_inference_of_the_same_success_may_be_of_larger_blocks():
    # 3 of 4 are 75 %; no block of fewer than 50 has 98 %.
    assert published(distribution("ILL", b75=120, b98=5_200)) == {75: 120, 98: 5_000}


def test_certain_success_is_rounded_as_the_number_of_such_records_is():
    assert published(distribution(b50=4_000, b100=1_235))[100] == 1_240


@pytest.mark.parametrize("size", [1, 2, 3, 8, 10, 12])
def test_a_count_of_blocks_says_no_more_than_any_count(size):
    number = 100 // size
    blocks = range(10, 60)
    tables = [
        distribution(**{f"b{number}": size * n, "b0": 20_000}).assign(qids=f"Q{n}")
        for n in blocks
    ]
    public = publish(pd.concat(tables), "public")
    counts = public.loc[public["bin"] == number, "n_records"].tolist()
    assert counts == [size * 10 * round(Fraction(n, 10)) for n in blocks]


def test_nine_blocks_are_suppressed_and_ten_are_not():
    assert hidden(distribution(b12=72, b33=2_000, b50=2_000)) == [12, 50]
    assert hidden(distribution(b12=80, b33=2_000, b50=2_000)) == []


def test_small_bins_that_may_hold_anything_together_need_no_other():
    # Together 60 records of 4 to 36 blocks of 3.
    sizes = {33: 3, 32: 3, 31: 3, 30: 3}
    assert hidden_bins(dict.fromkeys(sizes, 15), sizes) == set(sizes)


def test_of_the_other_bins_the_highest_is_suppressed_first():
    assert hidden(distribution(b25=36, b33=3_000, b20=30_000)) == [25, 33]


def test_a_bin_that_is_barely_shown_itself_does_not_hide_another():
    # 20 or 40 records of 50 % leave too little to hide how many are of 25 %.
    assert hidden(distribution(b25=36, b50=20, b33=3_000)) == [25, 33, 50]


def test_the_bin_of_certain_success_hides_no_other():
    table = distribution(b50=6, b100=5_000)
    assert set(hidden(table)) == BELOW_CERTAIN
    assert published(table)[100] == 5_000


def test_bins_of_one_subset_do_not_hide_those_of_another():
    one = distribution(b50=6, b33=600, b0=4_000)
    other = distribution(b33=600, b0=4_000).assign(qids="SCHOOL")
    public = publish(pd.concat([one, other]), "public")
    assert public["qids"].tolist() == ["AGE"] * 3 + ["SCHOOL"] * 2
    assert public["n_records"].isna().tolist() == [False, True, True, False, False]


def test_a_share_is_of_the_counts_that_are_shown():
    public = publish(distribution(b20=3_333, b50=2_222, b100=4_444), "public")
    # 3,350, 2,220 and 4,440 of 10,000.
    assert public["share"].tolist() == [0.335, 0.222, 0.444]


def test_no_bin_is_shown_with_more_records_than_there_are():
    # 1,600 would be the nearest ten blocks of 101 to 1,520 but for the total.
    public = publish(distribution(b0=1_520), "public")
    assert public[["n_records", "share"]].to_numpy().tolist() == [[1_520, 1.0]]


def test_a_suppressed_bin_has_no_share_and_both_are_named():
    public = publish(distribution(b50=6, b33=600, b25=40_000), "public")
    assert public["suppressed"].tolist() == ["", *["n_records|share"] * 2]
    assert public["share"].isna().tolist() == [False, True, True]
    assert public["bin"].tolist() == [25, 33, 50]
    assert public["bin"].dtype == "int64"


def test_a_table_of_few_records_has_counts_without_shares():
    public = publish(distribution(b100=94), "public")
    assert public["n_records"].tolist() == [90]
    assert public["suppressed"].tolist() == ["share"]


def test_no_distributions_are_published_as_their_header():
    table = distribution(b50=6).iloc[:0]
    public = publish(table, "public")
    assert list(public.columns) == [*table.columns, "share", "suppressed"]
    assert public.empty


def shown_of(bins, sizes):
    """What the public sees of a table: its total, suppressed bins, and other bins.

    The bin of certain success is shown elsewhere if it has ten records.
    """
    missing = hidden_bins(bins, sizes)
    seen = {n for n in bins if n not in missing or (n == 100 and bins[n] > 9)}
    units = {n: 10 * sizes[n] for n in seen}
    counts = tuple((n, u * round(Fraction(bins[n], u))) for n, u in units.items())
    return 10 * round(Fraction(sum(bins.values()), 10)), frozenset(missing), counts


def tables_by_what_is_shown(sizes, ends, most):
    """All tables of 10 to `most` records in some bins, by what is shown of them.

    A bin has at most as many as its end.
    """
    found = defaultdict(list)
    ranges = (range(0, end + 1, sizes[n]) for n, end in ends.items())
    for counts in product(*ranges):
        if 10 <= sum(counts) <= most:
            bins = {n: count for n, count in zip(ends, counts, strict=True) if count}
            found[shown_of(bins, sizes)].append(bins)
    return found


def is_narrowed(tables, number, size):
    """Say whether a bin that may be small cannot be any number of blocks below ten."""
    counts = {bins.get(number, 0) for bins in tables}
    small = {size * blocks for blocks in range(1, 10)}
    return bool(counts & small) and not small <= counts


@pytest.mark.parametrize(
    ("sizes", "few", "most"),
    [
        ({100: 1, 50: 2, 33: 3}, (), 95),
        ({50: 2, 33: 3, 25: 4}, (), 145),
        ({11: 9, 12: 8}, (), 505),
        ({12: 8, 10: 10, 50: 2}, (), 265),
        # Three that may need no other; with fewer tables there is more to tell.
        ({50: 2, 40: 2, 30: 2, 10: 4}, (50, 40, 30), 125),
    ],
)
def test_no_total_tells_which_number_of_blocks_a_small_bin_has(sizes, few, most):
    ends = {n: 9 * size if n in few else most for n, size in sizes.items()}
    found = tables_by_what_is_shown(sizes, ends, most)
    # Of higher totals not all tables are there. Some have every bin suppressed.
    complete = {
        shown: tables
        for shown, tables in found.items()
        if shown[0] < most - 4 and not shown[1] >= BELOW_CERTAIN
    }
    narrowed = [
        (shown, number)
        for shown, tables in complete.items()
        for number in shown[1]
        if is_narrowed(tables, number, sizes[number])
    ]
    assert narrowed == []
    assert any(missing for _, missing, _ in complete)
