"""What of anonymity models, and of histograms of blocks, may be published."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.k_anonymity import BlockSizes
from microleak.attacks.population_uniqueness import negative_binomial, poisson
from microleak.attacks.value_histogram import k_anonymity_histogram
from microleak.columns import ANONYMITY, ANONYMITY_THRESHOLDS, CLASSES
from microleak.study.anonymity_models import entity_measures, estimates, k_measures
from microleak.study.disclosure import publish
from microleak.study.published_cumulative import shown_below
from microleak.study.rounding import shown

WHICH = {
    "analysis": "pupils",
    "table": "census",
    "focal": "2018",
    "qids": "AGE|SCHOOL",
    "n_qids": 2,
    "sensitive": "",
}
BELOW = [f"n_below_{k}" for k in ANONYMITY_THRESHOLDS]


def sizes(**blocks):
    """Sizes of blocks, given as `b3=12`: 12 blocks of 3."""
    kept = {int(name[1:]): n for name, n in blocks.items() if n}
    size = sorted(kept)
    return BlockSizes(np.array(size), np.array([kept[s] for s in size]))


def anonymity(blocks, n_population=None, **cells):
    """One row of the blocks themselves."""
    estimated = estimates(blocks, n_population) if n_population else {}
    return WHICH | k_measures(blocks) | estimated | cells


def values(**cells):
    """One row of a sensitive attribute."""
    return (
        WHICH
        | {"sensitive": "ILL", "n_records": 1_000, "n_blocks": 40, "l_distinct": 3}
        | {"l_entropy": 2.5, "recursive_c_2": 1.5, "t_equal": 0.25}
        | cells
    )


def typed(rows):
    """Anonymity measures with counts as integers, as they are computed and read."""
    table = pd.DataFrame(rows, columns=[*ANONYMITY])
    counts = [
        name
        for name in ANONYMITY
        if name.startswith("n_") or name in {"k_anonymity", "k_map", "l_distinct"}
    ]
    numbers = [name for name in ANONYMITY[6:] if name not in counts]
    return table.astype(dict.fromkeys(counts, "Int64") | dict.fromkeys(numbers, float))


def published(*rows):
    return publish(typed(rows), "public")


def suppressed(row):
    return set(row["suppressed"].split("|"))


WIDE = sizes(b1=120, b2=60, b3=40, b7=50, b1000=10)
"""10,710 records: 120, 240, 360 and 710 of them below 2, 3, 5 and 10."""


def test_records_of_small_blocks_are_rounded_to_fifty_with_shares_made_of_them():
    row = published(anonymity(WIDE)).iloc[0]
    assert row[["n_records", "n_blocks"]].tolist() == [10_710, 280]
    assert row[BELOW].tolist() == [100, 250, 350, 700]
    shares = [f"share_below_{k}" for k in ANONYMITY_THRESHOLDS]
    assert row[shares].tolist() == [0.009, 0.023, 0.033, 0.065]


@pytest.mark.parametrize(
    ("alone", "shown_as"), [(0, 0), (1, None), (49, None), (50, 50), (75, 100)]
)
def test_fewer_than_fifty_records_of_small_blocks_are_suppressed(alone, shown_as):
    row = published(anonymity(sizes(b1=alone, b1000=1))).iloc[0]
    counts = [None if pd.isna(row[name]) else row[name] for name in BELOW]
    assert counts == [shown_as] * 4


def test_beside_a_suppressed_count_no_number_of_blocks_stands_for_any_attribute():
    small = anonymity(sizes(b2=24, b1000=10), qids="AGE")
    rows = published(small, anonymity(WIDE), values(qids="AGE"), values())
    assert rows["n_blocks"].isna().tolist() == [True, False, True, False]


def test_the_smallest_block_is_shown_from_ten_records_on():
    rows = published(*(anonymity(sizes(**{f"b{k}": 500})) for k in (1, 9, 10, 26)))
    assert rows["k_anonymity"].isna().tolist() == [True, True, False, False]
    assert rows["k_anonymity"].tolist()[2:] == [10, 30]
    assert rows["k_anonymity"].dtype == "Int64"


def test_a_k_map_of_zero_is_suppressed_as_other_small_ones_are():
    rows = published(
        *(anonymity(WIDE, 1_000_000, k_map=k_map) for k_map in (0, 1, 9, 10))
    )
    assert rows["k_map"].isna().tolist() == [True, True, True, False]


def test_unsafe_combinations_are_said_only_where_published_counts_say_there_are_none():
    rows = published(
        anonymity(WIDE),
        anonymity(sizes(b5=100, b1000=1)),
        anonymity(sizes(b12=100)),
    )
    unsafe = rows[[f"n_unsafe_combinations_{k}" for k in ANONYMITY_THRESHOLDS]]
    none = unsafe.astype(object).where(unsafe.notna(), None).to_numpy().tolist()
    assert none == [[None] * 4, [0, 0, None, None], [0, 0, 0, None]]


def test_what_a_single_block_decides_is_suppressed_also_where_it_is_empty():
    one, other = (
        published(values(recursive_c_3=c, l_distinct=8)).iloc[0]
        for c in (float("nan"), 2.5)
    )
    decided = {"l_distinct", "l_entropy", "recursive_c_2", "recursive_c_3", "t_equal"}
    assert suppressed(one) == suppressed(other) == decided
    assert one[[*decided]].isna().all()


def test_a_distance_of_ordered_values_is_suppressed_where_there_is_one():
    assert "t_ordered" in suppressed(published(values(t_ordered=0.5)).iloc[0])
    assert "t_ordered" not in suppressed(published(values()).iloc[0])


def test_rows_are_not_said_to_suppress_what_they_do_not_have():
    row = published(anonymity(WIDE)).iloc[0]
    assert suppressed(row) == {
        "k_anonymity",
        *(f"n_unsafe_combinations_{k}" for k in ANONYMITY_THRESHOLDS),
    }


def test_records_that_fit_few_of_a_population_need_a_population_that_bounds_them_not():
    fits = {f"n_below_k_map_{k}": 600 for k in ANONYMITY_THRESHOLDS}
    before = fits | {"k_map": 1, "n_unique_both": 130}
    rows = published(*(anonymity(WIDE, n, **before) for n in (60_000, 20_000)))
    shown_fits = rows[[*fits, "n_unique_both"]].notna().to_numpy().tolist()
    assert shown_fits == [[True, True, True, False, True], [False] * 5]
    assert rows["share_below_k_map_2"].iloc[0] == 0.056


def test_a_chance_of_presence_is_suppressed_wherever_there_is_a_population():
    rows = published(
        anonymity(WIDE, 1_000_000, k_map=1),
        anonymity(WIDE, 1_000_000, k_map=1, delta_presence_max=1.0),
    )
    for _, row in rows.iterrows():
        assert {"delta_presence_min", "delta_presence_max"} <= suppressed(row)


def test_estimates_are_computed_from_published_counts():
    blocks = sizes(b1=1_234, b2=567, b30=1_001)
    row = published(anonymity(blocks, 320_004)).iloc[0]
    assert row[["n_records", "n_sample_unique", "n_below_3"]].tolist() == [
        *(32_400, 1_250, 2_350),
    ]
    as_shown = sizes(b1=1_250, b2=550, b30050=1)
    for name, model in (("negative_binomial", negative_binomial), ("poisson", poisson)):
        estimate = model(as_shown, 320_000)
        assert row[f"posterior_unique_{name}"] == round(estimate.posterior_unique, 2)
        assert row[f"posterior_match_{name}"] == round(estimate.posterior_match, 2)
    assert row["posterior_unique_poisson_gamma"] == 0.13
    assert "posterior_unique_zayatz" in suppressed(row)


def test_the_estimated_k_map_is_suppressed_with_the_smallest_block():
    rows = published(
        *(anonymity(sizes(**{f"b{k}": 1_000}), 1_000_000) for k in (9, 20))
    )
    assert rows["k_map_estimated"].isna().tolist() == [True, False]
    assert rows["k_map_estimated"].iloc[1] == 1_000


def test_rows_with_equal_published_counts_have_equal_estimates():
    rows = [
        anonymity(sizes(b1=alone, b2=pairs, b3=100, b2001=9), n_population)
        for alone in range(126, 135)
        for pairs in (60, 61)
        for n_population in (999_996, 1_000_004)
    ]
    assert published(*rows).nunique(dropna=False).max() == 1


def test_entities_are_published_by_the_rules_of_records():
    row = published(anonymity(WIDE) | entity_measures(sizes(b1=60, b4=9, b90=60)))
    row = row.iloc[0]
    entities = [f"n_entities_below_{k}" for k in ANONYMITY_THRESHOLDS]
    assert row[["n_entities", "n_entity_blocks"]].tolist() == [5_500, 130]
    assert row[entities].tolist() == [50, 50, 100, 100]
    hidden = anonymity(WIDE) | entity_measures(sizes(b4=9, b90=60))
    assert pd.isna(published(hidden)["n_entity_blocks"].iloc[0])


def test_of_fewer_than_100_records_only_their_number_is_shown():
    row = published(anonymity(sizes(b1=60, b10=3), 5_000, k_map=12)).iloc[0]
    seen = row[[*ANONYMITY[6:]]].dropna()
    assert seen.to_dict() == {"n_records": 90, "n_population": 5_000}


def test_no_more_records_are_in_small_blocks_than_there_are():
    row = published(anonymity(sizes(b1=980))).iloc[0]
    assert row[BELOW].tolist() == [980] * 4
    assert row["share_below_10"] == 1.0


def test_steps_of_fifty_are_steps_of_ten():
    counts = pd.Series(range(50, 5_000))
    by_fifty = shown_below(counts, pd.Series([5_000] * len(counts)))
    assert by_fifty.groupby(shown(counts)).nunique().max() == 1
    assert by_fifty.nunique() == 100


def all_small_tables():
    """Tables of 300 records with some blocks of 1, 2, 3 and 5, the rest in one."""
    few = range(10)
    kinds = product((*few, 50), (*few, 25), (*few, 17, 25), (*few, 12, 15))
    ones, twos, threes, fives = np.array([*kinds]).T
    below = np.cumsum([ones, 2 * twos, 3 * threes, 5 * fives], axis=0)
    blocks = np.cumsum([ones, twos, threes, fives], axis=0)
    is_table = below[-1] < 175
    measured = dict(zip(BELOW, below[:, is_table], strict=True))
    of_blocks = dict(zip(BELOW, blocks[:, is_table], strict=True))
    least = np.select([n > 0 for n in (ones, twos, threes, fives)], (1, 2, 3, 5), 200)
    return (
        typed(
            {
                **{name: WHICH[name] for name in WHICH},
                "n_records": 300,
                "n_blocks": blocks[-1][is_table] + 1,
                "k_anonymity": least[is_table],
                **measured,
                "n_sample_unique": measured["n_below_2"],
            }
        ),
        pd.DataFrame(of_blocks),
    )


def test_where_few_records_are_in_small_blocks_there_may_be_any_few_blocks():
    table, n_blocks = all_small_tables()
    public = publish(table, "public")
    alike = public.groupby([*public], dropna=False, sort=False).ngroup()
    for name in BELOW:
        is_hidden = public[name].isna()
        found = n_blocks[name][is_hidden].groupby(alike[is_hidden]).agg(set)
        assert [had for had in found if not had >= {*range(1, 10)}] == []
        assert len(found) > 0


def histogram(blocks, model="k-anonymity", qids="AGE"):
    """The histogram of one subset, as it is computed."""
    found = k_anonymity_histogram(blocks)
    return pd.DataFrame(
        {
            **{"analysis": "pupils", "table": "census", "focal": "2018"},
            **{"model": model, "sensitive": "", "qids": qids, "n_qids": 1},
            "lower": found.lower,
            "upper": found.upper,
            "n_blocks": found.n_blocks,
            "n_records": found.n_records,
            "share_of_blocks": [float(s) for s in found.share_of_blocks],
            "share_of_records": [float(s) for s in found.share_of_records],
        },
        columns=[*CLASSES],
    )


def shown_classes(*args, **kwargs):
    public = publish(histogram(*args, **kwargs), "public")
    counts = public["n_records"].astype(object)
    return dict(zip(public["lower"], counts.where(counts.notna(), None), strict=True))


def test_a_histogram_has_the_differences_of_published_cumulative_counts():
    assert shown_classes(WIDE) == {
        **{1: 100, 2: 150, 3: 100, 5: 350, 10: 0, 20: 0, 50: 0},
        **{100: 0, 200: 0, 500: 0, 1_000: 10_010},
    }
    row = published(anonymity(WIDE)).iloc[0]
    counts = [*shown_classes(WIDE).values()][:4]
    steps = [later - earlier for earlier, later in pairwise([0, *row[BELOW]])]
    assert counts == steps


def test_a_small_class_is_suppressed_with_the_next_that_would_tell_it():
    assert shown_classes(sizes(b1=60, b2=5, b30=3, b100=4, b300=2)) == {
        **{1: 50, 2: 0, 3: 0, 5: 0, 10: 0, 20: 100, 50: 0, 100: 400, 200: 610},
    }
    hidden = shown_classes(sizes(b2=5, b30=3, b100=4))
    assert hidden == {
        1: 0,
        2: None,
        3: None,
        5: None,
        10: None,
        20: None,
        50: 0,
        100: 400,
    }


def test_that_a_class_is_listed_says_nothing_of_small_blocks():
    rows = [shown_classes(sizes(b1=1_000, b2=twos)) for twos in range(3)]
    assert rows == [{1: 1_000, 2: 0, 3: 0, 5: 0}] * 3


def test_numbers_of_blocks_and_the_largest_block_are_not_shown():
    public = publish(histogram(WIDE), "public")
    assert public["n_blocks"].isna().all()
    assert public["upper"].tolist()[:4] == [1, 2, 4, 9]
    assert pd.isna(public["upper"].iloc[-1])
    blocks = "n_blocks|share_of_blocks"
    assert public["suppressed"].tolist() == [*[blocks] * 10, f"upper|{blocks}"]


def test_a_share_of_records_is_made_of_the_counts_shown():
    public = publish(histogram(WIDE), "public")
    # 100, 150, 100, 350 and 10,010 of 10,710.
    shares = public["share_of_records"]
    assert shares[[0, 1, 2, 3, 10]].tolist() == [0.009, 0.014, 0.009, 0.033, 0.935]


def test_a_k_map_with_few_records_below_any_size_is_suppressed_as_a_whole():
    few = sizes(b2=24, b30=10, b400=3)
    assert set(shown_classes(few, model="k-map").values()) == {None}
    # 40 of a population are 50 of a sample, and there are none it does not have.
    assert shown_classes(sizes(b1=60, b400=3), model="k-map") == {
        **dict.fromkeys((0, 2, 3, 5, 10, 20, 50, 100), 0),
        **{1: 50, 200: 1_210},
    }


def test_histograms_of_several_subsets_do_not_touch_each_other():
    tables = [histogram(WIDE), histogram(sizes(b3=4, b100=3), qids="SEX")]
    public = publish(pd.concat(tables), "public")
    one = publish(tables[0], "public")
    pd.testing.assert_frame_equal(public.iloc[: len(one)], one)


@pytest.mark.parametrize("columns", [ANONYMITY, CLASSES])
def test_an_empty_table_is_published_as_its_header(columns):
    public = publish(pd.DataFrame(columns=[*columns]), "public")
    assert list(public.columns) == [*columns, "suppressed"]
    assert public.empty
