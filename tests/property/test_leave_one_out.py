"""What others teach of a person, with each record really removed in turn."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from microleak.attacks.collective.definitions.attribute_inference import (
    posterior_prob,
    prior_prob,
)
from microleak.attacks.collective.definitions.leave_one_out import (
    coarser,
    posterior_loo,
    success_of_others,
)
from microleak.attacks.collective.frames import assess, panel
from microleak.records.profile_file import profiles_of
from tests import naive
from tests.examples import examples, seeds
from tests.property.tables import attribute, records, tables
from tests.walking import walked


def random_table(rng):
    """Columns of a table of up to 200 records, a QID's values from 0 to a few."""
    n = int(rng.integers(1, 201))
    qids = [rng.integers(0, rng.integers(1, 12), n) for _ in range(rng.integers(1, 4))]
    n_values = int(rng.choice([1, 2, 2, 3, 5, 30]))
    sensitive = np.minimum(rng.geometric(rng.uniform(0.1, 0.8), n), n_values)
    columns = [column.tolist() for column in (*qids, sensitive)]
    return [[None if value == 1 else value for value in column] for column in columns]


def alone_with_most_frequent(rows, sensitive):
    alone = [block[0] for block in naive.blocks(rows).values() if len(block) == 1]
    return sum({sensitive[i]} == naive.most_frequent(sensitive) for i in alone)


def successes(qids, sensitive):
    """Success of each subset, and that of the plain definition."""
    subsets = range(1 << len(qids))
    found = walked([*map(attribute, qids)], [attribute(sensitive)], subsets)
    profiles = {subset: profiles_of(found[subset])[0] for subset in subsets}
    rows = {subset: records(qids, subset) for subset in subsets}
    fast = {
        subset: success_of_others(
            profiles[0],
            profiles[subset],
            alone_with_most_frequent(rows[subset], sensitive),
        )
        for subset in subsets
    }
    plain = {s: naive.guessed_from_others(rows[s], sensitive) for s in subsets}
    return profiles, fast, plain


def prior_of(column):
    return Fraction(max(map(column.count, column)), len(column))


def best_of(plain, sensitive):
    known = plain | {0: prior_of(sensitive)}
    return {s: max(known[t] for t in known if t & ~s == 0) for s in known}


@pytest.mark.parametrize("seed", seeds(10))
def test_success_is_that_of_every_record_removed_in_turn(seed):
    """Ten times fifty tables of up to 200 records, with missing values."""
    rng = np.random.default_rng(seed)
    for _ in range(50):
        *qids, sensitive = random_table(rng)
        profiles, fast, plain = successes(qids, sensitive)
        assert fast == plain
        prior = prior_prob(profiles[0])
        best = posterior_loo(fast | {0: prior}, coarser([*fast]), {})
        assert best == best_of(plain, sensitive)
        for subset, profile in profiles.items():
            assert prior <= best[subset] <= posterior_prob(profile)


@given(tables(max_records=12))
@examples(200)
def test_small_tables_of_every_shape_have_the_success_of_the_definition(table):
    qids, (*_, sensitive) = table[0], (None, *table[1], table[0][0])
    _, fast, plain = successes(qids, sensitive)
    assert fast == plain


@pytest.mark.parametrize("seed", seeds(8))
def test_columns_of_the_product_are_those_of_the_definition(seed):
    """With two, a few and many sensitive values, and a missing one among them."""
    rng = np.random.default_rng([18, seed])
    n = 60
    spread = {"sex": 3, "age": 9, "town": 25, "ill": 3, "job": 5, "cause": 30, "one": 2}
    columns = {
        name: [None if value == 0 else f"v{value}" for value in rng.integers(0, k, n)]
        for name, k in spread.items()
    }
    columns["ill"] = [value if value else "v1" for value in columns["ill"]]
    columns["cause"][:8] = ["v4"] * 8
    sensitive = ["ill", "job", "cause", "one"]
    names = ["sex", "age", "town"]
    rows = assess(pd.DataFrame(columns), names, sensitive=sensitive).collective
    qids = [columns[name] for name in names]
    for name in sensitive:
        plain = {
            s: naive.guessed_from_others(records(qids, s), columns[name])
            for s in range(8)
        }
        best = best_of(plain, columns[name])
        of_attribute = rows[rows["sensitive"] == name]
        expected = {
            "|".join(names[i] for i in range(3) if s >> i & 1): best[s] for s in best
        }
        for row in of_attribute.itertuples():
            assert row.posterior_loo == float(expected[row.qids])
            own = Fraction(row.n_modal, n) - expected[row.qids]
            assert row.own_record == float(own)
    alone = rows[rows["sensitive"] == ""]
    assert (alone["posterior_loo"] == 0).all()
    assert (alone["own_record"] == alone["posterior_prob"]).all()


def test_what_depends_on_the_qids_is_taught_by_others_alone():
    frame = pd.DataFrame({"age": [20, 20, 30, 30, 30], "ill": [1, 1, 0, 0, 0]})
    (row,) = of_inference(assess(frame, ["age"], sensitive=["ill"]))
    assert (row.posterior_prob, row.posterior_loo, row.own_record) == (1, 1, 0)


def test_of_uniques_whose_values_differ_others_teach_nothing():
    frame = pd.DataFrame({"id": range(8), "ill": range(8)})
    (row,) = of_inference(assess(frame, ["id"], sensitive=["ill"]))
    assert (row.prior_prob, row.posterior_loo, row.own_record) == (1 / 8, 1 / 8, 7 / 8)


def test_success_is_the_best_with_fewer_qids_of_the_sizes_measured():
    rng = np.random.default_rng(2)
    names = ["a", "b", "c", "d"]
    columns = {name: rng.integers(0, 4, 80) for name in [*names, "ill"]}
    whole = assess(pd.DataFrame(columns), names, sensitive=["ill"])
    some = assess(
        pd.DataFrame(columns), names, sensitive=["ill"], subsets={"sizes": [1, 3]}
    )
    plain = {
        subset: naive.guessed_from_others(
            records([columns[name].tolist() for name in names], subset),
            columns["ill"].tolist(),
        )
        for subset in range(1, 16)
    }
    plain[0] = prior_of(columns["ill"].tolist())
    for row in of_inference(some):
        known = {i for i, name in enumerate(names) if name in row.qids.split("|")}
        within = [
            set(each)
            for size in (0, 1, 3)
            for each in combinations(range(4), size)
            if set(each) <= known
        ]
        best = max(plain[sum(1 << i for i in each)] for each in within)
        assert row.posterior_loo == float(best)
    loo = {row.qids: row.posterior_loo for row in of_inference(whole)}
    assert all(row.posterior_loo <= loo[row.qids] for row in of_inference(some))


def test_a_further_release_never_lowers_what_others_teach():
    rng = np.random.default_rng(3)
    ids = np.arange(70)
    first, later = (
        pd.DataFrame({"id": ids, "town": rng.integers(0, k, 70)}) for k in (4, 30)
    )
    first["ill"] = rng.integers(0, 2, 70)
    rows = panel(first, {"2": later}, "id", ["town"], ["ill"]).collective
    before, after = rows[rows["sensitive"] == "ill"]["posterior_loo"]
    town = [[str(t) for t in each["town"]] for each in (first, later)]
    plain = naive.guessed_from_others(list(zip(*town, strict=True)), [*first["ill"]])
    alone = naive.guessed_from_others([(t,) for t in town[0]], [*first["ill"]])
    prior = prior_of([*first["ill"]])
    assert before == float(max(alone, prior))
    assert after == float(max(plain, alone, prior)) > float(plain)


def of_inference(found):
    rows = found.collective
    return [*rows[rows["sensitive"] != ""].itertuples()]
