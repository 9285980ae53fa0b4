"""Several noisy counts, from a table to its measures, part of the page and figure."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.composition import measure
from microleak.attacks.composition.definitions import (
    largest_posterior,
    posterior_of_counts,
)
from microleak.base.errors import MicroleakError, StudyError
from microleak.definitions.epsilon import Epsilon
from tests.attacks.composition.shown_rows import COUNTS, row, several
from tests.report.made import part_of_rows
from tests.study_file import given

ASKED = [("ill", ["y"]), ("age", ["old", None]), ("age", ["young"])]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(11)
    ages, ills = ["young", "old", None], ["y", "n", None]
    return pd.DataFrame(
        {
            "age": [ages[i] for i in rng.integers(0, 3, 90)],
            "ill": [ills[i] for i in rng.integers(0, 3, 90)],
        }
    )


@pytest.fixture(scope="module")
def found(people):
    return microleak.composition(people, "ill", ASKED, ["ln 4", "0.5"]).composition


def test_rows_have_the_first_counts_with_their_part_of_the_budget(people, found):
    masks = [people[name].isin(values) for name, values in ASKED]
    masks[1] = people["age"].isna() | (people["age"] == "old")
    value = people["ill"].map({"y": 0, "n": 1}).fillna(2).astype(int)
    rows = found.itertuples()
    for text in ("ln 4", "0.5"):
        epsilon = Epsilon.parse(text)
        for n in (1, 2, 3):
            each = next(rows)
            counted = sum(masks[j].astype(int) * 2**j for j in range(n))
            cells = np.zeros((3, 1 << n), dtype=np.int64)
            np.add.at(cells, (value, counted), 1)
            prior = Fraction(int(cells.sum(axis=1).max()), 90)
            exact = posterior_of_counts(cells, epsilon.divided(n))
            assert (each.epsilon, each.n_counts) == (text, n)
            assert (each.useful, each.n_matching) == (
                ASKED[n - 1][0],
                masks[n - 1].sum(),
            )
            assert each.prior == float(prior)
            assert each.posterior == float(exact)
            assert each.privacy_loss == float(exact / prior)
            limit = posterior_of_counts(cells, Fraction(0)) / prior
            assert each.privacy_loss_limit == float(limit)
            bound = largest_posterior(prior, epsilon.alpha)
            assert each.posterior_bound == float(bound)
    assert found["values"].tolist()[:3] == ["y", "old|(missing)", "young"]


@pytest.mark.parametrize("n_others", [0, 1, 3])
def test_answers_of_the_local_model_tell_as_much_and_their_sums_no_more(n_others):
    """As a person's own answers do: yes or no to each count, randomised before."""
    rng = np.random.default_rng(n_others)
    for _ in range(10):
        cells, flipped = rng.integers(1, 9, (3, 4)), Fraction(1, 4)
        others = rng.integers(0, 2, (2, n_others)).tolist()

        def sums(bits, flipped=flipped):
            chances = {0: Fraction(1)}
            for bit in bits:
                yes = 1 - flipped if bit else flipped
                before = {-1: 0, len(chances): 0, **chances}
                chances = {
                    t: before[t] * (1 - yes) + before[t - 1] * yes
                    for t in range(len(chances) + 1)
                }
            return chances

        told = Fraction(0)
        for first, second in itertools.product(range(n_others + 2), repeat=2):
            chance = [
                sums([x & 1, *others[0]])[first] * sums([x >> 1, *others[1]])[second]
                for x in range(4)
            ]
            told += max(cells.astype(object) @ chance)
        told /= int(cells.sum())
        whole = posterior_of_counts(cells, flipped / (1 - flipped))
        assert told == whole if n_others == 0 else told <= whole


def test_more_counts_than_are_exact_have_a_bound_alone(people, monkeypatch):
    whole = microleak.composition(people, "ill", ASKED, ["ln 4"]).composition
    monkeypatch.setattr(measure, "MOST_EXACT", 2)
    some = microleak.composition(people, "ill", ASKED, ["ln 4"]).composition
    columns = ["posterior", "privacy_loss", "privacy_loss_limit"]
    assert some[columns].iloc[2].isna().all()
    pd.testing.assert_frame_equal(some.iloc[:2], whole.iloc[:2])
    left = some.drop(columns=columns)
    pd.testing.assert_frame_equal(left, whole.drop(columns=columns))


def test_the_parts_of_a_budget_make_up_the_whole():
    for text in ("ln 3", "0.5", "ln 10^5"):
        epsilon = Epsilon.parse(text)
        for n in (1, 2, 7):
            product = epsilon.divided(n) ** n
            assert abs(product - epsilon.alpha) < Fraction(1, 10**36)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((["ill"], ASKED, ["ln 4"]), "sensitive is one name, as"),
        (("ill", [], ["ln 4"]), "counts"),
        (("ill", {"age": ["old"]}, ["ln 4"]), "counts are pairs"),
        (("ill", [("age",)], ["ln 4"]), "counts are pairs"),
        (("ill", [("age", [])], ["ln 4"]), "values"),
        (("ill", ASKED, ["ln 1"]), "the 1st of epsilons: epsilon 'ln 1'"),
    ],
)
def test_what_cannot_be_is_refused_in_words(people, arguments, said):
    with pytest.raises((StudyError, TypeError), match=said):
        microleak.composition(people, *arguments)


def test_a_sensitive_attribute_with_too_many_values_is_refused():
    wide = pd.DataFrame({"id": range(1_001)})
    with pytest.raises(MicroleakError, match="id has 1,001 values, more than the 1,0"):
        microleak.composition(wide, "id", [("id", [1])], ["ln 4"])


def test_an_analysis_that_cannot_be_is_refused(tmp_path, more, said):
    options = '{person_id: id, domains: {ill: "[yn]"}}'
    with pytest.raises(StudyError, match=said):
        given.study(tmp_path, "composition", f"focal: 1, {more}", options)


def test_the_part_tells_what_the_largest_budget_leaks():
    told, svg = part_of_rows("composition", COUNTS, "en")
    assert told.heading == (
        "A budget of ε\xa0=\xa0ln\xa09 for 2 noisy counts raises the chance of "
        "guessing “ILL” from 60.00% to 80.00%"
    )
    one, bound = told.body[0].texts
    assert one == (
        "The first count with all of the budget: 75.00%. The highest chance: 80.00%, "
        "with 2 of them."
    )
    assert "raises the chance above 93.00%" in bound
    (grid,) = told.grids
    assert [cells[3] for cells in grid.rows] == ["65.00%", "62.00%", "75.00%", "80.00%"]
    assert "ln\xa02: 65.00% with one count, 62.00% with 2" in svg


def test_the_part_says_what_is_bounded_alone():
    rows = several(row("ln 2", 1, 0.65, 0.5, 0.75), row("ln 2", 2, None, 0.7, 0.75))
    told, _ = part_of_rows("composition", rows, "pt")
    assert "ln\xa02 para 1 contagem com ruído eleva a chance" in told.heading
    assert told.body[0].texts[-1] == (
        "Quando são mais de 1, calcula-se apenas um limite."
    )
