"""What of membership measures may be published."""

from itertools import product

import pandas as pd
import pytest

from microleak.columns import (
    COMPARED,
    MEMBERSHIP,
    MEMBERSHIP_COUNTS,
    PRESENCE,
    UNIQUES,
)
from microleak.errors import StudyError
from microleak.study.disclosure import publish, publish_beside

PERSONS = ("n_sample_unique", "n_found", "n_unique_both", "n_not_found")
SUBSET = dict(
    zip(COMPARED, ("who", "census", "2015", "survey", "2015", "AGE", 1), strict=True)
)


def overlap(*blocks, n_population=3_000, n_sample=200):
    """Membership of blocks (n, d, how many), and one more that has all others."""
    left = n_population - sum(n * times for n, _, times in blocks)
    in_sample = n_sample - sum(d * times for _, d, times in blocks)
    blocks = [*blocks, (left, in_sample, 1)]

    def count(counts, value=lambda _n, _d: 1):
        return sum(value(n, d) * times for n, d, times in blocks if counts(n, d))

    chances = count(lambda n, d: n > 0, lambda n, d: min(d, n) ** 2 / n)
    prior = n_sample / n_population
    bayes = max(prior, 1 - prior)
    right = count(lambda n, d: n > 0, lambda n, d: max(min(d, n), n - d))
    both = [(n, d, times) for n, d, times in blocks if n and d]
    numbers = {
        "n_population": n_population,
        "n_sample": n_sample,
        "n_blocks_population": count(lambda n, d: n > 0),
        "n_blocks_sample": count(lambda n, d: d > 0),
        "n_sample_unique": count(lambda n, d: d == 1),
        "n_found": count(lambda n, d: d == 1 and n > 0),
        "n_unique_both": count(lambda n, d: d == n == 1),
        "n_not_found": count(lambda n, d: n == 0, lambda n, d: d),
        "n_blocks_in_excess": count(lambda n, d: d > n),
        "prior": prior,
        "posterior_person": chances / n_sample,
        "additive_leakage_person": chances / n_sample - prior,
        "degradation_printed": sum(n / d * t for n, d, t in both) / n_sample / prior,
        "degradation_partition": sum(min(1, d / n) * t for n, d, t in both)
        / n_sample
        / prior,
        "degradation_person": chances / n_sample / prior,
        "bayes_prior": bayes,
        "bayes_posterior": right / n_population,
        "bayes_degradation": right / n_population / bayes,
        "bayes_additive_leakage": right / n_population - bayes,
    }
    return SUBSET | numbers


def published(*rows):
    return publish(pd.DataFrame(rows, columns=[*MEMBERSHIP]), "public")


LARGE = [(1, 1, 123), (40, 1, 456), (0, 1, 78), (100, 20, 300)]
WIDE = {"n_population": 1_000_003, "n_sample": 20_001}


def test_counts_are_rounded_and_everything_else_is_made_of_rounded_counts():
    row = published(overlap(*LARGE, **WIDE)).iloc[0]
    assert row[[*MEMBERSHIP_COUNTS]].tolist() == [
        *(1_000_000, 20_000, 880, 960),
        *(660, 580, 120, 80, 80),
    ]
    # Of d * d/n the sum is 1,521, of d/n over blocks 194; shown 1,520 and 190.
    assert row["prior"] == 0.02
    assert row["posterior_person"] == 0.076
    assert row["additive_leakage_person"] == 0.056
    assert row["degradation_person"] == 3.8
    assert row["degradation_partition"] == 0.5
    assert (row["bayes_prior"], row["bayes_posterior"]) == (0.98, 0.98)
    assert row["bayes_degradation"] == 1.0
    assert row["suppressed"] == ""


def test_beside_a_small_count_of_persons_stands_nothing_that_depends_on_all_blocks():
    row = published(overlap((1, 1, 9), *LARGE[1:], **WIDE)).iloc[0]
    assert row["suppressed"].split("|") == [
        *("n_blocks_population", "n_blocks_sample"),
        *("n_unique_both", "n_blocks_in_excess"),
        *("posterior_person", "additive_leakage_person"),
        *("degradation_printed", "degradation_partition", "degradation_person"),
        *("bayes_posterior", "bayes_degradation", "bayes_additive_leakage"),
    ]
    assert row[["n_sample_unique", "n_found", "prior"]].tolist() == [540, 460, 0.02]


@pytest.mark.parametrize(("found", "lost"), [(8, 8), (12, 4), (3, 13), (11, 12)])
def test_of_about_twenty_uniques_few_found_and_few_not_found_are_ten_or_fewer(
    found, lost
):
    # Of 16 at most 9 of whom are not found, 7 or more would be.
    row = published(overlap((50, 1, found), (0, 1, lost))).iloc[0]
    assert row["n_sample_unique"] == 20
    assert row[["n_found", "n_not_found"]].isna().all()


def test_of_about_twenty_uniques_nobody_lost_and_many_found_are_shown():
    row = published(overlap((50, 1, 19))).iloc[0]
    assert row[["n_found", "n_not_found"]].tolist() == [20, 0]


def test_no_sample_uniques_are_not_said_beside_few_that_are_not_found():
    row = published(overlap((0, 2, 3))).iloc[0]
    assert row[["n_sample_unique", "n_not_found"]].isna().all()
    assert row["n_found"] == 0


@pytest.mark.parametrize(
    ("n_population", "n_sample"), [(1_000, 94), (415, 200), (200, 200)]
)
def test_a_small_sample_and_one_of_half_the_population_have_a_prior_alone(
    n_population, n_sample
):
    row = published(overlap(n_population=n_population, n_sample=n_sample)).iloc[0]
    assert row[[*PERSONS]].isna().all()
    assert row[["n_sample", "prior", "bayes_prior"]].notna().all()


def test_a_chance_to_be_right_is_never_shown_below_that_without_qids():
    # 2,994 - 206 is 2,788, of shown counts 2,990 - 210 is 2,780; 5 more are right.
    rows = published(
        *(
            overlap((1, 1, extra), n_population=n, n_sample=s)
            for extra, n, s in product((0, 10), range(2_990, 3_001), range(195, 206))
        )
    )
    assert (rows["bayes_additive_leakage"].dropna() >= 0).all()
    assert (rows["bayes_degradation"].dropna() >= 1).all()


def narrowed(exact, public, columns):
    """Counts that where they are suppressed cannot be every number from 1 to 9."""
    alike = public.groupby([*public], dropna=False, sort=False).ngroup()
    found = {}
    for column in columns:
        is_hidden = public[column].isna()
        counts = exact[column][is_hidden].groupby(alike[is_hidden]).agg(set)
        small = {*range(1, 10)}
        found[column] = [had for had in counts if had & small and not had >= small]
    return {column: those for column, those in found.items() if those}


def all_small_overlaps():
    """Membership of all samples with up to 18 uniques and 14 that are not found.

    Uniques are unique in both, found in a block of several, or not found. Others who
    are not found share a block. None or nine blocks have one person and a sample of
    two.
    """
    kinds = [
        (both, found, lost, others, more)
        for both, found in product(range(19), repeat=2)
        for lost in range(min(19 - both - found, 15))
        for others in (0, *range(2, 15 - lost))
        for more in (0, 9)
    ]
    both, found, lost, others, more = pd.DataFrame(kinds).to_numpy().T
    counts = {
        "n_sample_unique": both + found + lost,
        "n_found": both + found,
        "n_unique_both": both,
        "n_not_found": lost + others,
        "n_blocks_in_excess": lost + (others > 0) + more,
    }
    return pd.DataFrame(counts).assign(
        **{name: number for name, number in overlap().items() if name not in counts}
    )[[*MEMBERSHIP]]


def test_a_suppressed_count_of_persons_may_be_any_from_1_to_9():
    table = all_small_overlaps()
    public = publish(table, "public")
    assert narrowed(table, public, PERSONS) == {}
    assert public[[*PERSONS]].isna().any().all()


def test_beside_a_suppressed_count_equal_counts_have_equal_rows():
    numbers = (0, 5, 9, 14)
    public = published(
        *(
            overlap((1, 1, both), (50, 1, found), (0, 1, lost), (1, 2, more))
            for both, found, lost, more in product(numbers, repeat=4)
        )
    )
    hidden = public[public[[*PERSONS]].isna().any(axis="columns")]
    by_counts = hidden.groupby([*MEMBERSHIP_COUNTS], dropna=False)
    assert by_counts.nunique(dropna=False).max(axis=None) == 1
    assert len(by_counts) < len(hidden) < len(public)


CLEAR = dict(zip(PERSONS, (50, 40, 20, 30), strict=True))
"""Counts of persons that are all shown."""


def published_persons(rows, columns, **measured):
    """A published histogram of one subset, beside its measures."""
    name = "presence" if columns == PRESENCE else "uniques"
    tables = {
        "membership": pd.DataFrame([overlap() | CLEAR | measured]),
        "presence": presence({0: 200}),
        "uniques": uniques(),
    }
    return publish_beside(tables | {name: rows}, "public")[name]


def presence(sample, n_population=100_000):
    """Persons of the sample by bin, and of the population in one."""
    rows = [
        SUBSET | {"persons_of": "sample", "bin": number, "n_records": count}
        for number, count in sample.items()
        if count
    ]
    rows.append(
        SUBSET | {"persons_of": "population", "bin": 0, "n_records": n_population}
    )
    return pd.DataFrame(rows, columns=[*PRESENCE])


def shown_presence(sample, n_population=100_000, **measured):
    """Published persons of the sample by class; None where suppressed."""
    sizes = {"n_population": n_population, "n_sample": sum(sample.values())}
    rows = presence(sample, n_population)
    public = published_persons(rows, PRESENCE, **sizes | measured)
    of_sample = public[public["persons_of"] == "sample"].set_index("bin")
    counts = of_sample["n_records"].astype(object)
    return counts.where(counts.notna(), None).to_dict()


def test_persons_of_the_sample_are_shown_in_classes_of_their_chance():
    sample = {0: 244, 3: 66, 33: 36, 49: 70, 50: 25, 73: 31, 100: 28}
    # 30, 80 (of 84), 190 of at least a chance; 260 (of 256), and 500 in all.
    assert shown_presence(sample) == {
        **{0: 240, 1: 0, 2: 70, 5: 0, 10: 0, 20: 110, 50: 50, 100: 30},
    }


def test_persons_of_the_population_are_suppressed_in_every_class():
    public = published_persons(presence({0: 400, 100: 100}), PRESENCE)
    population = public[public["persons_of"] == "population"]
    assert population["n_records"].isna().all()
    assert set(population["suppressed"]) == {"n_records|share"}
    assert population["bin"].tolist() == [0, 1, 2, 5, 10, 20, 50, 100]


def test_a_small_class_is_suppressed_with_the_one_below_it():
    shown = shown_presence({0: 300, 20: 100, 50: 40, 100: 9})
    assert [shown[number] for number in (100, 50, 20)] == [None, None, 100]


def test_a_small_class_below_one_that_is_shown_cannot_be_told():
    rows = [shown_presence({0: 400, 50: few, 100: 40}) for few in range(5)]
    assert rows == [rows[0]] * 5
    assert rows[0][50] == 0


def test_no_chance_is_shown_that_all_but_a_few_persons_have():
    shown = shown_presence({0: 9, 20: 300, 50: 200})
    assert (shown[0], shown[1], shown[20], shown[50]) == (None, None, None, 200)


def test_chances_that_the_population_bounds_are_not_shown():
    # In 1,100 persons, of 100 in the sample, not everybody can have less than a tenth.
    shown = shown_presence({0: 30, 20: 30, 50: 20, 100: 20}, n_population=1_100)
    assert [shown[number] for number in (10, 20, 50)] == [None, 30, 20]


def test_a_share_of_the_sample_is_made_of_counts_that_are_shown():
    public = published_persons(
        presence({0: 800, 20: 104, 100: 91}),
        PRESENCE,
        n_population=1_000_000,
        n_sample=995,
    )
    # 100, 190 - 100 and 1,000 - 200 of 1,000, of which 995 are exact.
    shares = public.set_index(["persons_of", "bin"])["share"]["sample"]
    assert shares[[100, 20, 0]].tolist() == [0.09, 0.11, 0.8]


@pytest.mark.parametrize("with_half", [9, 40])
def test_a_small_number_of_certain_persons_may_be_any_from_1_to_9(with_half):
    rows = [
        shown_presence({0: 300, 50: with_half - certain, 100: certain})
        for certain in range(1, 10)
    ]
    assert rows == [rows[0]] * 9
    assert rows[0][100] is None


def test_no_chance_is_shown_where_the_measures_show_no_count_of_persons():
    # 200 of 415 are about half of the population.
    shown = shown_presence({0: 100, 100: 100}, n_population=415)
    assert set(shown.values()) == {None}


def uniques(**fitting):
    """Sample uniques of one subset, given as `f3=12`: 12 that fit 3 persons."""
    return pd.DataFrame(
        [
            SUBSET | {"n_fitting": int(name[1:]), "n_sample_unique": count}
            for name, count in fitting.items()
        ],
        columns=[*UNIQUES],
    )


def shown_uniques(measured=None, **fitting):
    public = published_persons(uniques(**fitting), UNIQUES, **(measured or {}))
    counts = public["n_sample_unique"].astype(object)
    return dict(
        zip(public["n_fitting"], counts.where(counts.notna(), None), strict=True)
    )


def test_uniques_are_shown_by_classes_of_persons_that_they_fit():
    # Found are 26, 48 (50), 76 (80), 84 (80) and 124 (120); with the others 175.
    shown = shown_uniques(f0=51, f1=26, f2=22, f3=11, f4=17, f7=8, f10=39, f19=1)
    assert shown == {0: 60, 1: 30, 2: 20, 3: 30, 5: 0, 10: 40}


def test_classes_of_uniques_add_up_to_the_counts_of_the_measures():
    row = published(overlap((1, 1, 25), (4, 1, 38), (30, 1, 34), (0, 1, 27))).iloc[0]
    shown = shown_uniques(f0=27, f1=25, f4=38, f30=34)
    assert shown[1] == row["n_unique_both"]
    assert sum(shown.values()) - shown[0] == row["n_found"]
    assert sum(shown.values()) == row["n_sample_unique"]


@pytest.mark.parametrize(
    "fitting",
    [{"f1": 9, "f2": 50}, {"f2": 3, "f5": 50}, {"f0": 60, "f3": 9}, {"f0": 60}],
)
def test_where_few_uniques_fit_few_persons_none_are_shown(fitting):
    assert set(shown_uniques(**fitting).values()) == {None}


@pytest.mark.parametrize("name", PERSONS)
def test_no_uniques_are_shown_where_the_measures_suppress_a_count_of_persons(name):
    shown = shown_uniques({name: 9}, f0=30, f1=30, f2=40)
    assert set(shown.values()) == {None}


def test_no_uniques_are_shown_of_a_sample_of_half_the_population():
    half = {"n_population": 415, "n_sample": 200}
    assert set(shown_uniques(half, f0=30, f1=30, f2=40).values()) == {None}


def test_suppressed_uniques_do_not_say_whom_they_fit_nor_that_there_are_none():
    few = {"n_unique_both": 9}
    rows = [shown_uniques(few), shown_uniques(few, f1=2, f700=6, f40=50)]
    assert rows == [dict.fromkeys((0, 1, 2, 3, 5, 10, 20, 50, 100))] * 2


def test_a_subset_does_not_hide_the_uniques_of_another():
    tables = {
        "membership": [pd.DataFrame([overlap() | CLEAR])] * 2,
        "presence": [presence({0: 200})] * 2,
        "uniques": [uniques(f1=3, f20=60), uniques(f1=30, f20=60)],
    }
    public = publish_beside(
        {
            name: pd.concat([one, other.assign(qids="SEX")])
            for name, (one, other) in tables.items()
        },
        "public",
    )["uniques"]
    assert public.groupby("qids")["n_sample_unique"].count().to_dict() == {
        "AGE": 0,
        "SEX": 7,
    }


def test_empty_tables_are_published_as_their_headers():
    tables = {"membership": MEMBERSHIP, "presence": PRESENCE, "uniques": UNIQUES}
    empty = {name: pd.DataFrame(columns=[*of]) for name, of in tables.items()}
    tables["presence"] = (*PRESENCE, "share")
    for name, public in publish_beside(empty, "public").items():
        assert list(public.columns) == [*tables[name], "suppressed"]
        assert public.empty


def test_the_tables_of_an_internal_report_stay_as_they_were_computed():
    tables = {
        "membership": pd.DataFrame([overlap()]),
        "presence": presence({0: 200}),
        "uniques": uniques(f1=3),
    }
    for name, table in publish_beside(tables, "internal").items():
        pd.testing.assert_frame_equal(table, tables[name])


@pytest.mark.parametrize("columns", [PRESENCE, UNIQUES])
def test_a_histogram_of_persons_is_not_published_without_their_measures(columns):
    with pytest.raises(StudyError, match="A table cannot be published"):
        publish(pd.DataFrame(columns=[*columns]), "public")
