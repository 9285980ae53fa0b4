"""What published counts of one release say of each other."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from microleak.columns import COLLECTIVE, MEMBERSHIP, MEMBERSHIP_COUNTS, STATES
from microleak.study.disclosure import publish
from microleak.study.rounding import shown
from tests.study.test_disclosure import comparison, gain, measures
from tests.study.test_published_anonymity import BELOW, WHICH, typed
from tests.study.test_published_groups import group
from tests.study.test_published_samples import PERSONS, all_small_overlaps, overlap
from tests.study.test_published_states import state

SMALL = {*range(1, 10)}
SIZES = {"n_records": 1_009, "n_blocks": 508, "n_certain": 7}


def collective(n_records, n_blocks, n_certain, n_modal, sensitive=""):
    """Collective measures, from arrays of exact counts."""
    first = pd.DataFrame([measures(100, 5, 0, 5, sensitive=sensitive)])
    table = first.iloc[[0] * len(n_records)].reset_index(drop=True)
    return table.assign(
        n_records=n_records,
        n_blocks=n_blocks,
        n_certain=n_certain,
        n_modal=n_modal,
        posterior_det=n_certain / n_records,
        prior_prob=1 / n_records,
        posterior_prob=n_modal / n_records,
    )[[*COLLECTIVE]]


def possible(exact, public, column):
    """The counts that may stand behind each suppressed cell of equal public rows."""
    alike = public.groupby([*public], dropna=False, sort=False).ngroup()
    is_hidden = public[column].isna()
    return exact[is_hidden].groupby(alike[is_hidden]).agg(set)


def tables_of_alone():
    """Records, blocks and records alone of every table of up to 65 records.

    Blocks of others have two records at least.
    """
    n, b, u = np.mgrid[1:66, 1:66, 0:27]
    others = b - u
    is_table = np.where(others == 0, n == u, (others > 0) & (n - u >= 2 * others))
    return n[is_table], b[is_table], u[is_table]


def test_blocks_leave_every_small_number_of_records_alone_possible():
    n, b, u = tables_of_alone()
    public = publish(collective(n, b, u, b), "public")
    found = possible(pd.Series(u), public, "n_certain")
    assert [had for had in found if not had >= SMALL] == []
    assert len(found) > 5
    beside = public[public["n_certain"].isna()]
    assert beside["n_blocks"].notna().any()


def tables_of_about_two_a_block():
    """Records, blocks and up to 15 alone, of all tables shown as 480 to 520 blocks.

    The records are shown as 1,000 or 1,010.
    """
    n, b, u = np.mgrid[995:1015, 475:526, 0:16]
    is_table = n - u >= 2 * (b - u)
    return n[is_table], b[is_table], u[is_table]


def groups_of(n_records, n_blocks):
    """Groups of 300 members, from arrays of exact counts."""
    few = {"n_certain": 50, "n_likely": 60, "n_above_90": 55, "n_records": 1_000}
    table = group(n_members=300, **few).iloc[[0] * len(n_records)]
    return table.reset_index(drop=True).assign(
        n_records=n_records, n_blocks=n_blocks, prior_prob=300 / n_records
    )


def membership_of(side, n_records, n_blocks, alone):
    """Membership where one side has these records, from arrays of exact counts."""
    uniques = (
        {"n_unique_both": 0}
        if side == "population"
        else {"n_sample_unique": alone, "n_found": alone, "n_not_found": 0}
        | {"n_unique_both": 0, "n_blocks_in_excess": 0}
    )
    first = pd.DataFrame([overlap((5, 1, 40), (0, 1, 30))], columns=[*MEMBERSHIP])
    table = first.iloc[[0] * len(n_records)].reset_index(drop=True)
    sizes = {f"n_{side}": n_records, f"n_blocks_{side}": n_blocks}
    return table.assign(**sizes | uniques)


@pytest.mark.parametrize("side", ["population", "sample"])
def test_no_other_table_shows_blocks_that_tell_how_many_are_alone(side):
    n, b, u = tables_of_about_two_a_block()
    fixed = {"n_certain": np.full(len(n), 300), "n_modal": np.full(len(n), 600)}
    tables = {
        "": collective(n, b, u, b),
        "_ill": collective(n, b, **fixed, sensitive="ILL"),
        "_group": groups_of(n, b),
        "_member": membership_of(side, n, b, u)[[*MEMBERSHIP]],
    }
    kept = [*COLLECTIVE, *MEMBERSHIP_COUNTS]
    parts = [
        public[[name for name in public if name in kept]].add_suffix(end)
        for end, public in ((end, publish(t, "public")) for end, t in tables.items())
    ]
    joined = pd.concat(parts, axis="columns")
    joined = joined.loc[:, joined.nunique(dropna=False) > 1]
    found = possible(pd.Series(u), joined, "n_certain")
    assert [had for had in found if not had >= SMALL] == []
    hidden = joined[joined["n_certain"].isna()]
    assert hidden["n_blocks_group"].notna().any()


def test_states_do_not_show_right_guesses_that_the_measures_suppress():
    # Of 1,009 records in 508 blocks 7 are certain: at most 508 guesses are right.
    modal = np.arange(400, 509)
    fixed = {name: np.full(len(modal), n) for name, n in SIZES.items()}
    measured = publish(collective(**fixed, n_modal=modal, sensitive="ILL"), "public")
    rows = [
        state(n_records=1_009, prior=400, modal=m, n_blocks=508, n_above_90=100)
        for m in modal
    ]
    shown_states = publish(pd.DataFrame(rows, columns=[*STATES]), "public")
    is_told = measured["n_modal"].isna()
    assert shown_states["posterior_prob"].isna().equals(is_told)
    assert shown_states["additive_leakage"].isna().equals(is_told)
    assert modal[is_told].min() == 495


def tables_of_certain():
    """Every table of 10 to 24 records with up to 9 alone and 12 certain.

    Certain are those alone (u) and those of `own` blocks of several with one value;
    of the other blocks, of `rest` records, each has two values at least.
    """
    kinds = {
        (n, u + own + blocks, u, u + several, u + several + right)
        for n, u, several in product(range(10, 25), range(10), range(13))
        if u + several <= min(n, 12)
        for own in range(min(several, 1), several // 2 + 1)
        for blocks in range(min(n - u - several, 1), (n - u - several) // 2 + 1)
        for right in range(blocks, n - u - several - blocks + 1)
    }
    return np.array(sorted(kinds)).T


def test_right_guesses_leave_every_small_number_of_certain_records_possible():
    n, b, u, certain, modal = tables_of_certain()
    found = publish(collective(n, b, u, b), "public")
    inferred = publish(collective(n, b, certain, modal, "ILL"), "public")
    public = pd.concat([found, inferred.add_suffix("_ill")], axis="columns")
    alone = possible(pd.Series(u), public, "n_certain")
    assert [had for had in alone if not had >= SMALL] == []
    certain = possible(pd.Series(certain), public, "n_certain_ill")
    # Where nobody is alone, certain records come in twos at least.
    assert [had for had in certain if not had >= SMALL - {1}] == []
    assert len(alone) > 2 < len(certain)


def test_where_blocks_are_suppressed_so_is_all_that_is_made_of_them():
    # 1,009 records in 505 blocks: 1 is alone, or up to 9 where some blocks are larger.
    row = publish(pd.DataFrame([measures(1_009, 508, 7, 508)]), "public").iloc[0]
    assert row["suppressed"].split("|") == [
        *("n_blocks", "n_certain", "n_modal", "posterior_det", "degradation_det"),
        *("posterior_prob", "degradation_prob", "additive_leakage"),
    ]


def test_rows_of_a_sensitive_attribute_do_not_show_blocks_that_are_suppressed():
    rows = [
        measures(1_009, 508, certain, 600, 400, sensitive="ILL") for certain in (7, 300)
    ]
    public = publish(pd.DataFrame(rows), "public")
    assert public["n_blocks"].isna().all()
    assert public["n_modal"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("n_blocks", "certain"), [(508, 0), (508, 12), (500, 7), (600, 200)]
)
def test_other_blocks_and_guesses_are_shown(n_blocks, certain):
    row = publish(
        pd.DataFrame([measures(1_009, n_blocks, certain, n_blocks)]), "public"
    )
    assert row[["n_blocks", "n_modal"]].notna().all(axis=None)


def test_a_gain_does_not_show_what_the_measures_suppress():
    rows = gain(20_238, (7, 10_130), (30, 10_130))
    ill = gain(20_238, (7, 10_120), (30, 10_150)).assign(sensitive="ILL")
    public = publish(
        pd.concat([rows, ill]).sort_values("auxiliary", kind="stable"), "public"
    )
    alone, ill = public["posterior_prob"], public["gain_prob"]
    assert alone.isna().tolist() == [True, True, False, False]
    assert ill.isna().all()


def test_a_comparison_does_not_show_what_the_measures_suppress():
    row = publish(comparison((20_238, 7, 10_130), (20_238, 30, 10_130)), "public").iloc[
        0
    ]
    assert pd.isna(row["posterior_prob_earlier"])
    assert pd.isna(row["difference_prob"])
    assert row["posterior_prob_later"] == 0.5


def test_persons_of_a_sample_stay_hidden_beside_other_tables_of_it():
    """Collective and anonymity measures of the sample show how many are alone."""
    table = all_small_overlaps()
    alone = table["n_sample_unique"]
    sizes = table["n_sample"].to_numpy(), np.full(len(table), 60)
    reidentified = publish(collective(*sizes, alone, sizes[1]), "public")
    of_sample = typed(
        {
            **{name: WHICH[name] for name in WHICH},
            "n_records": table["n_sample"],
            "n_blocks": 60,
            "k_anonymity": 1,
            **dict.fromkeys(BELOW, alone),
            "n_population": table["n_population"],
            "k_map": 0,
            "n_sample_unique": alone,
            "n_unique_both": table["n_unique_both"],
        }
    )
    anonymous = publish(of_sample, "public").add_suffix("_anonymity")
    parts = [publish(table, "public"), reidentified.add_suffix("_alone"), anonymous]
    joined = pd.concat(parts, axis="columns")
    joined = joined.loc[:, joined.nunique(dropna=False) > 1]
    assert joined["n_certain_alone"].dropna().equals(shown(alone).dropna())
    for name in PERSONS[1:]:
        found = possible(table[name], joined, name)
        # Where nobody is alone, persons who are not found come in twos at least.
        least = {1} if name == "n_not_found" else set()
        narrowed = [had for had in found if had & SMALL and not had >= SMALL - least]
        assert narrowed == []
        assert len(found) > 0
