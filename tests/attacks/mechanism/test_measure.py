"""What noise buys and costs, from records to tables."""

from fractions import Fraction
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.mechanism import measure as pair_measures
from microleak.attacks.mechanism.contingency import count_pairs
from microleak.attacks.mechanism.counts import known
from microleak.attacks.mechanism.measure import mechanism_tables
from microleak.attacks.mechanism.section import Count, Mechanism, Samples, Simulated
from microleak.base.errors import StudyError, TableError
from microleak.base.machine import Resources
from microleak.definitions.epsilon import Epsilon
from microleak.records.record_filter import Predicate
from microleak.study.tables import result_tables as specs
from microleak.tables.files import write_table
from tests.attacks.mechanism.noisy_counts import (
    MECHANISM,
    PAIRS,
    PEOPLE,
    SAMPLES,
    SIMULATED,
)
from tests.compared import person_file
from tests.examples import examples
from tests.golden import golden, needs_golden

NAMES = (*PEOPLE,)
EXAMPLE_33 = [*zip(*PEOPLE.values(), strict=True)]
MEDIUM = Count(
    sensitive="country",
    useful="income",
    predicate=Predicate("equals", ("medium",)),
    models=("oblivious", "local"),
    order=("low", "medium", "high"),
)
"""Scenario C of Example 33."""

LN_3 = ("ln 3",)


def tables(folder, analysis, rows=EXAMPLE_33, seed=7):
    people = person_file(folder / "people.parquet", NAMES, rows)
    path = folder / "contingency.parquet"
    count_pairs(people, analysis.counted, False, Resources(1, 16_000, folder), path)
    return SimpleNamespace(**mechanism_tables(path, analysis, seed))


WHERE = {"name": "demo", "table": "people", "focal": "1"}


def of(count, epsilons=LN_3, **more):
    kind, values = count.predicate.kind, count.predicate.values
    predicate = {kind: values if kind in ("in", "between") else values[0]}
    fields = {**vars(count), "predicate": predicate}
    return Mechanism(**WHERE, epsilons=epsilons, **fields, **more)


def every_pair(attributes, epsilons=LN_3):
    return Mechanism(**WHERE, epsilons=epsilons, attributes=attributes)


def only(table, **which):
    for name, value in which.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def changed(count, **more):
    return Count(**{**vars(count), **more})


def counting(kind, *values, **more):
    """A count by a predicate, without order and without the local mechanism."""
    given = {"predicate": Predicate(kind, values), "models": ("oblivious",)}
    return changed(MEDIUM, **given | {"order": None, **more})


@needs_golden
@pytest.mark.parametrize("entry", golden("tab64_"), ids=lambda entry: entry["id"])
def test_records_give_the_golden_numbers_of_example_33(tmp_path, entry):
    inputs, expected = entry["inputs"], entry["expected"]
    value = inputs["predicate"].partition("==")[2]
    count = Count(
        inputs["sensitive"],
        inputs["useful"],
        Predicate("equals", (value,)),
        ("oblivious", "local"),
        tuple(inputs["domain_order"]),
    )
    epsilon = f"ln {1 / Fraction(inputs['alpha'])}"
    rows = [tuple(row[1:]) for row in inputs["table"]["rows"]]
    table = tables(tmp_path, of(count, (epsilon,)), rows).mechanism
    for model, short in (("oblivious", "obv"), ("local", "loc")):
        row = only(table, model=model)
        for column, name in (("privacy_loss", "loss"), ("utility", "utility")):
            exact = Fraction(expected[f"{short}_{name}"]["exact"])
            assert row[column] == float(exact)
        assert row["posterior"] == float(Fraction(expected[f"{short}_post"]["exact"]))


def test_a_row_says_what_is_counted_and_between_which_limits(tmp_path):
    found = tables(tmp_path, of(MEDIUM, filter={"gender": ("F", "M")}))
    row = only(found.mechanism, model="oblivious").to_dict()
    assert row == {
        **{"analysis": "demo", "table": "people", "focal": "1"},
        **{"sensitive": "country", "useful": "income"},
        **{"predicate": "equals", "predicate_values": "medium"},
        "scenario": "C",
        **{"sensitive_from_useful": 1.0, "useful_from_sensitive": 0.5},
        **{"model": "oblivious", "epsilon": "ln 3", "alpha": 1 / 3},
        **{"n_records": 8, "n_matching": 4},
        **{"n_sensitive_values": 2, "n_useful_values": 3},
        **{"prior": 0.5, "posterior": 0.75, "privacy_loss": 1.5},
        **{"privacy_loss_limit": 2.0, "privacy_loss_limit_printed": 2.0},
        **{"utility": 0.75, "utility_floor": 0.5, "utility_floor_printed": 0.5},
        "absolute_error": 241 / 324,
    }
    assert tuple(found.mechanism.columns) == MECHANISM
    others = (found.samples, found.simulated, found.pairs)
    assert [len(table) for table in others] == [0, 0, 0]
    assert [tuple(table) for table in others] == [SAMPLES, SIMULATED, PAIRS]


def test_a_missing_value_is_a_value_of_its_own(tmp_path):
    """Two of three have no gender, and may be counted as any other value is."""
    rows = [("low", None, "BRA"), (None, None, "BRA"), ("low", "F", None)]
    count = counting("equals", None, useful="gender")
    row = tables(tmp_path, of(count), rows).mechanism.iloc[0]
    assert (row["predicate_values"], row["n_matching"]) == ("(missing)", 2)
    assert (row["n_sensitive_values"], row["n_useful_values"]) == (2, 2)
    # Of x* counted, BRA, and not, none: who is not counted has no country.
    assert row["privacy_loss_limit"] == float(1 / Fraction(2, 3))


def test_texts_that_are_integers_are_in_order(tmp_path, kind, values, n_matching):
    """A bound need not occur, and a missing value is above none."""
    rows = [(age, "F", "BRA") for age in ("9", "10", "10", "100", None)]
    row = tables(tmp_path, of(counting(kind, *values)), rows).mechanism.iloc[0]
    assert (row["n_matching"], row["n_useful_values"]) == (n_matching, 4)


def test_an_order_says_what_can_be_too(tmp_path):
    """The noise of the local mechanism spreads over values that nobody has."""
    few, many = (
        tables(tmp_path, of(changed(MEDIUM, order=order))).mechanism
        for order in (MEDIUM.order, ("low", "lower", "medium", "high"))
    )
    assert only(many, model="local")["n_useful_values"] == 4
    utilities = [only(table, model="local")["utility"] for table in (few, many)]
    assert utilities[0] != utilities[1]
    exact = [only(table, model="oblivious")["utility"] for table in (few, many)]
    assert exact[0] == exact[1]


def test_a_value_of_a_record_that_is_not_in_the_order_is_refused_unseen(tmp_path):
    rows = [*EXAMPLE_33, ("canary", "F", "BRA"), ("canary", "M", "BRA")]
    words = "'demo': income has a value that is not in order, in 2 of its records"
    with pytest.raises(TableError, match=words) as error:
        tables(tmp_path, of(MEDIUM), rows)
    assert "canary" not in str(error.value)


def test_values_without_an_order_are_refused_where_one_is_needed(tmp_path):
    of_local = changed(MEDIUM, order=None)
    for count, what in ((of_local, "model local"), (counting("greater", "1"), "great")):
        with pytest.raises(TableError, match=f"not integers, and {what}"):
            tables(tmp_path, of(count))


def test_a_predicate_that_is_true_of_nobody_is_refused(tmp_path, kind, values, order):
    """High incomes are in Brazil alone, which the filter leaves out."""
    count = counting(kind, *values, order=order and tuple(order))
    with pytest.raises(TableError, match="no record has a value of income that predic"):
        tables(tmp_path, of(count, filter={"country": ("AUS",)}))


def test_a_value_of_no_record_is_refused_by_its_place(tmp_path, kind, values, which):
    words = f"'demo': {which} is that of no record of people 1, in income. Correct"
    with pytest.raises(TableError, match=words) as error:
        tables(tmp_path, of(counting(kind, *values)))
    assert "canary" not in str(error.value)


@pytest.mark.parametrize("useful", ["income", "country"])
def test_values_that_a_filter_leaves_out_may_be_named(tmp_path, useful):
    """Also where the sensitive attribute is counted itself."""
    values = {"income": ("medium", "high"), "country": ("AUS", "BRA")}[useful]
    count = counting("in", *values, useful=useful)
    row = tables(tmp_path, of(count, filter={"country": ("AUS",)})).mechanism.iloc[0]
    assert (row["n_matching"], row["n_useful_values"]) == (4, 1)


def test_a_missing_value_beside_a_single_one_needs_no_order(tmp_path):
    rows = [("low", "F", "BRA"), (None, "F", "AUS"), ("low", "M", "AUS")]
    count = changed(MEDIUM, predicate=Predicate("equals", ("low",)))
    one, other = (
        tables(tmp_path, of(changed(count, order=order)), rows).mechanism
        for order in (("low",), None)
    )
    pd.testing.assert_frame_equal(one, other)


def test_too_many_values_for_reports_of_records_are_refused(tmp_path):
    rows = [(str(number), "F", "BRA") for number in range(1001)]
    count = counting("equals", "7")
    with pytest.raises(TableError, match="1,001 values, more than the 1,000"):
        tables(tmp_path, of(changed(count, models=("local",))), rows)
    assert tables(tmp_path, of(count), rows).mechanism["n_useful_values"][0] == 1001


def test_a_measure_has_as_many_decimals_as_its_error_leaves():
    value = Fraction(2, 3)
    assert known(value, Fraction(0)) == value
    assert known(value, Fraction(4, 10**10)) == Fraction(666666667, 10**9)
    assert known(value, Fraction(6, 10**10)) == Fraction(66666667, 10**8)


def test_samples_of_all_records_are_the_table_itself(tmp_path):
    found = tables(tmp_path, of(changed(MEDIUM, samples=Samples(number=5, size=8))))
    assert list(found.samples["measure"][:2]) == ["privacy_loss", "utility"]
    for _, row in found.samples.iterrows():
        exact = only(found.mechanism, model=row["model"])[row["measure"]]
        assert [row[name] for name in ("mean", "low", "median", "high")] == [exact] * 4
        assert row["standard_error"] == 0
        assert row[["mean_low", "mean_high"]].isna().all()
        assert (row["n_records"], row["n_samples"], row["n_sampled"]) == (8, 5, 8)


def test_samples_follow_from_the_seed_and_are_the_same_for_every_noise(tmp_path):
    """Of another seed they are others; epsilons beside it change no sample."""
    count = changed(MEDIUM, samples=Samples(number=20, size=3))
    few = tables(tmp_path, of(count)).samples
    more = tables(tmp_path, of(count, ("ln 2", "ln 3"))).samples
    other = tables(tmp_path, of(count), seed=8).samples
    assert few.equals(more[more["epsilon"] == "ln 3"].reset_index(drop=True))
    assert not few.equals(other)


def test_a_sample_larger_than_the_records_is_refused(tmp_path):
    words = "analysis 'demo': a random sample of 9 records: expected 1 to 8, the rec"
    with pytest.raises(StudyError, match=words):
        tables(tmp_path, of(changed(MEDIUM, samples=Samples(number=2, size=9))))


def test_every_pair_is_measured_in_both_directions_and_each_with_itself(tmp_path):
    table = tables(tmp_path, every_pair(NAMES)).pairs
    assert tuple(table.columns) == PAIRS
    assert table[["sensitive", "useful"]].to_numpy().tolist() == [
        [sensitive, useful] for sensitive in NAMES for useful in NAMES
    ]
    scenarios = table.set_index(["sensitive", "useful"])["scenario"]
    assert scenarios["income", "income"] == "A"
    assert scenarios["income", "gender"] == "B"
    assert scenarios["country", "income"] == "C"
    assert scenarios["income", "country"] == "D"


values = st.sampled_from(["1", "2", "3", None])
records = st.lists(st.tuples(values, values, values), min_size=1, max_size=15)


def closed_form(rows, value, alpha):
    """Prior and posterior of `count where useful = value` (ERRATA, closed forms)."""
    n = len(rows)
    others = [sum(s == v and u != value for s, u in rows) for v in values_of(rows)]
    counted = [sum(s == v and u == value for s, u in rows) for v in values_of(rows)]
    both = list(zip(others, counted, strict=True))
    prior = Fraction(max(map(sum, both)), n)
    sides = max(a + alpha * b for a, b in both) + max(alpha * a + b for a, b in both)
    return prior, sides / ((1 + alpha) * n)


def values_of(rows):
    return {sensitive for sensitive, _ in rows}


@examples(15)
@given(records)
def test_pairs_are_those_of_the_closed_form(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("pairs")
    table = tables(folder, every_pair(NAMES[:2], ("ln 3", "0.5")), rows).pairs
    for _, row in table.iterrows():
        s, u = NAMES.index(row["sensitive"]), NAMES.index(row["useful"])
        pairs = [(record[s], record[u]) for record in rows]
        useful = {u for _, u in pairs}
        alpha = Epsilon.parse(row["epsilon"]).alpha
        noisy = [closed_form(pairs, value, alpha) for value in useful]
        prior, worst = max(noisy)
        free = max(closed_form(pairs, value, Fraction(0)) for value in useful)
        assert (row["prior"], row["posterior"]) == (float(prior), float(worst))
        assert row["n_leaking_counts"] == sum(post > prior for _, post in noisy)
        assert row["privacy_loss"] == float(worst / prior)
        assert row["privacy_loss_limit"] == float(free[1] / prior)


def test_how_many_values_are_measured_at_once_changes_nothing(tmp_path, monkeypatch):
    whole = tables(tmp_path, every_pair(NAMES)).pairs
    monkeypatch.setattr(pair_measures, "CELLS_AT_ONCE", 1)
    pd.testing.assert_frame_equal(tables(tmp_path, every_pair(NAMES)).pairs, whole)


def test_pairs_of_too_many_values_are_refused_by_their_names(tmp_path, monkeypatch):
    monkeypatch.setattr(pair_measures, "MOST_CELLS", 8)
    with pytest.raises(TableError, match="income has 3 values and income 3, together"):
        tables(tmp_path, every_pair(NAMES))


def test_the_order_of_records_does_not_change_what_is_written(tmp_path):
    written = set()
    for rows in (EXAMPLE_33, EXAMPLE_33[::-1]):
        count = changed(
            MEDIUM, samples=Samples(number=3, size=5), simulated=Simulated(draws=1000)
        )
        found = tables(tmp_path, of(count), rows)
        for name in ("mechanism", "samples", "simulated"):
            write_table(tmp_path / "table.csv", getattr(found, name), specs()[name])
            written.add((tmp_path / "table.csv").read_bytes())
    assert len(written) == 3


PLAYED = changed(MEDIUM, models=("local", "oblivious"), simulated=Simulated(draws=1000))
DRAWN = ["measure", "simulated"]


def played(folder, count=PLAYED, epsilons=LN_3, seed=7, **more):
    return tables(folder, of(count, epsilons, **more), seed=seed).simulated


def test_each_epsilon_of_the_oblivious_mechanism_has_two_rows(tmp_path):
    found = played(tmp_path, epsilons=("2", "ln 3"))
    assert tuple(found.columns) == SIMULATED
    assert found[["model", "epsilon", "measure"]].to_numpy().tolist() == [
        ["oblivious", "2", "posterior"],
        ["oblivious", "2", "utility"],
        ["oblivious", "ln 3", "posterior"],
        ["oblivious", "ln 3", "utility"],
    ]


def test_a_row_says_what_is_guessed_and_how_often_it_was_right(tmp_path):
    row = only(played(tmp_path), measure="posterior").to_dict()
    share = row.pop("simulated")
    assert row.pop("bound") == pytest.approx(0.1035, abs=5e-5)
    assert row == {
        **{"analysis": "demo", "table": "people", "focal": "1"},
        **{"sensitive": "country", "useful": "income"},
        **{"predicate": "equals", "predicate_values": "medium"},
        **{"model": "oblivious", "epsilon": "ln 3", "n_draws": 1000},
        **{"measure": "posterior", "exact": 0.75},
    }
    assert share in {n_right / 1000 for n_right in range(1001)}
    assert 0.6465 < share < 0.8535


def test_exact_chances_are_those_of_the_mechanism_s_table(tmp_path):
    found = tables(tmp_path, of(PLAYED, ("ln 3", "0.5")))
    for _, row in found.simulated.iterrows():
        which = {"model": "oblivious", "epsilon": row["epsilon"]}
        assert row["exact"] == only(found.mechanism, **which)[row["measure"]]


def test_further_epsilons_models_and_samples_change_no_draw(tmp_path):
    alone = played(tmp_path)
    wider = changed(PLAYED, models=("oblivious",), samples=Samples(number=2, size=3))
    beside = played(tmp_path, wider, ("0.5", "ln 3"))
    same = beside[beside["epsilon"] == "ln 3"].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, alone)


def test_an_epsilon_draws_the_same_however_it_is_written(tmp_path):
    one, other = (played(tmp_path, epsilons=(text,)) for text in ("ln 3", "ln 6/2"))
    pd.testing.assert_frame_equal(one[DRAWN], other[DRAWN])


@pytest.mark.parametrize(
    "more",
    [
        {"seed": 8},
        {"epsilons": ("ln 3.1",)},
        {"filter": {"gender": ("F", "M")}},
        {"count": changed(PLAYED, sensitive="income")},
    ],
    ids=lambda more: next(iter(more)),
)
def test_another_seed_epsilon_filter_or_count_has_other_draws(tmp_path, more):
    """The filter keeps all records: only the stream of draws differs."""
    one, other = played(tmp_path), played(tmp_path, **more)
    assert one["simulated"].tolist() != other["simulated"].tolist()
