"""What of states, and of what explains their leakage, may be published."""

import math

import pandas as pd
import pytest

from microleak.columns import EXPLAINED, STATES
from microleak.errors import StudyError
from microleak.study.disclosure import publish
from microleak.study.explained import explained
from microleak.study.published_states import published_explained


def state(letters="RR", n_records=20_000, prior=1_344, modal=11_417, **columns):
    """One row of states, from exact counts."""
    n_blocks = columns.pop("n_blocks", 4_000)
    n_above = columns.pop("n_above_90", 4_321)
    row = {
        "analysis": "lines",
        "table": "sia_pa",
        "release": f"{letters}-2023",
        "state": letters,
        "year": "2023",
        "sensitive": "PROC",
        "n_qids": 2,
        "qids": "AGE|UNIT",
        "n_records": n_records,
        "prior_prob": prior / n_records,
        "posterior_prob": modal / n_records,
        "additive_leakage": (modal - prior) / n_records,
        "n_above_90": n_above,
        "share_above_90": n_above / n_records,
        "sensitive_entropy": 6.4567,
        "qids_entropy": 11.25,
        "mean_block_size": n_records / n_blocks,
        "expected_block_size": 17.349,
    }
    return row | columns


def published(*rows):
    return publish(pd.DataFrame(rows, columns=[*STATES]), "public")


def test_a_state_is_published_with_rounded_counts_shares_entropies_and_sizes():
    row = published(state()).iloc[0]
    assert row[[*STATES[8:]]].tolist() == [
        *(20_000, 0.067, 0.571, 0.504),
        *(4_320, 0.216),
        *(6.5, 11.2),
        *(5.0, 17.0),
    ]
    assert row["suppressed"] == ""


def test_the_leakage_of_a_state_is_the_difference_of_the_shares_shown():
    # 6.65 % and 57.15 % are shown as 6.6 % and 57.2 %; exact leakage is 50.5 %.
    row = published(state(prior=1_330, modal=11_430)).iloc[0]
    assert (row["prior_prob"], row["posterior_prob"]) == (0.066, 0.572)
    assert row["additive_leakage"] == 0.506


@pytest.mark.parametrize(
    ("columns", "suppressed"),
    [
        ({"prior": 9}, "prior_prob|additive_leakage"),
        ({"prior": 2, "modal": 8}, "prior_prob|posterior_prob|additive_leakage"),
        ({"n_above_90": 9}, "n_above_90|share_above_90"),
        ({"n_above_90": 0}, ""),
    ],
)
def test_a_small_count_of_a_state_hides_what_is_made_of_it(columns, suppressed):
    assert published(state(**columns))["suppressed"].iloc[0] == suppressed


def test_a_state_shown_as_fewer_than_100_records_has_no_shares_entropies_or_sizes():
    row = published(state(n_records=94, prior=20, modal=60, n_blocks=40, n_above_90=30))
    assert row["suppressed"].iloc[0] == "|".join(
        name for name in STATES[9:] if name != "n_above_90"
    )


@pytest.mark.parametrize(
    ("n_records", "entropies"),
    [(994, [None, None]), (995, [6, 11]), (9_994, [6, 11]), (9_995, [6.5, 11.2])],
)
def test_an_entropy_has_the_bits_that_records_leave_uncertain(n_records, entropies):
    row = published(state(n_records=n_records, prior=100, modal=500, n_above_90=100))
    shown = row[["sensitive_entropy", "qids_entropy"]].astype(object).iloc[0]
    assert shown.where(shown.notna(), None).tolist() == entropies


def binary_entropy(count, n_records):
    shares = [count / n_records, 1 - count / n_records]
    return sum(-share * math.log2(share) for share in shares if share)


def test_an_entropy_does_not_narrow_a_small_count_of_the_other_value():
    counts = range(10)
    rows = [
        state(n_records=n, prior=n - few, modal=n, sensitive_entropy=bits)
        for n in (100, 1_000, 10_000)
        for few in counts
        for bits in [binary_entropy(few, n)]
    ]
    shown = published(*rows).groupby("n_records")["sensitive_entropy"]
    assert shown.nunique(dropna=False).tolist() == [1, 1, 1]


def test_what_is_made_of_the_counts_of_a_state_says_no_more_than_these():
    rows = [
        state(n_records=n, prior=prior, modal=modal, n_above_90=above, n_blocks=blocks)
        for n in (9_996, 10_004)
        for prior in (46, 54)
        for modal in (4_996, 5_004)
        for above in (10, 14)
        for blocks in (996, 1_004)
    ]
    assert published(*rows).nunique(dropna=False).max() == 1


@pytest.mark.parametrize(
    ("n_records", "n_blocks", "size"),
    [
        (20_000, 94, None),
        (20_000, 95, 200.0),
        (24_600, 994, 20.0),
        (24_600, 995, 25.0),
    ],
)
def test_a_block_size_has_as_many_digits_as_leave_the_blocks_uncertain(
    n_records, n_blocks, size
):
    row = published(state(n_records=n_records, n_blocks=n_blocks))
    shown = row["mean_block_size"].astype(object)
    assert shown.where(shown.notna(), None).tolist() == [size]


def test_a_block_size_half_way_is_rounded_to_the_even_digit():
    sizes = published(
        state(n_records=24_500, n_blocks=1_000), state(n_records=25_500, n_blocks=1_000)
    )
    assert sizes["mean_block_size"].tolist() == [24.0, 26.0]


def test_a_block_size_tells_the_number_of_blocks_no_better_than_a_rounded_count():
    numbers = range(100, 3_001)
    rows = [state(n_records=1_000_000, n_blocks=number) for number in numbers]
    sizes = published(*rows)["mean_block_size"]
    complete = sizes[~sizes.isin([sizes.iloc[0], sizes.iloc[-1]])]
    assert complete.notna().all()
    # A count rounded to the nearest 10, half to even, may stand for 9 to 11 counts.
    assert complete.groupby(complete).size().min() >= 9


def test_no_states_are_published_as_their_header():
    public = published()
    assert list(public.columns) == [*STATES, "suppressed"]
    assert public.empty


LETTERS = ("AC", "AL", "AM", "AP", "BA")
SIZES = (20_000, 24_000, 31_000, 45_000, 52_000)
MODALS = (9_000, 14_000, 13_000, 30_000, 21_000)


def some_states(add=0, **columns):
    """Five states; `add` is added to each count, `columns` are of the last one."""
    rows = [
        state(letters, n_records=n + add, modal=modal + add, prior=2_000 + add)
        | {"sensitive_entropy": 6.0 + number % 3, "qids_entropy": 10.0 + number**2}
        for number, (letters, n, modal) in enumerate(
            zip(LETTERS, SIZES, MODALS, strict=True)
        )
    ]
    last = state(LETTERS[-1], SIZES[-1] + add, 2_000 + add, MODALS[-1] + add)
    return [*rows[:-1], last | {"qids_entropy": 26.0} | columns]


def fits(*rows):
    return published_explained(published(*rows)).set_index("explained_by")


def test_fits_are_of_the_published_numbers_to_two_decimals():
    public = published(*some_states())
    x = public["n_records"].astype(float)
    row = published_explained(public).iloc[0]
    r = x.corr(public["additive_leakage"])
    assert row["correlation"] == pytest.approx(r, abs=0.005001)
    assert row["r_squared"] == pytest.approx(r**2, abs=0.005001)
    assert row["adjusted_r_squared"] == pytest.approx(
        1 - (1 - r**2) * 4 / 3, abs=0.005001
    )
    shown = row[["correlation", "r_squared", "adjusted_r_squared"]].astype(float)
    assert shown.round(2).tolist() == shown.tolist()
    assert row["suppressed"] == ""


def test_states_that_are_published_alike_have_the_same_fits():
    one, other = (published(*some_states(add)) for add in (0, 4))
    pd.testing.assert_frame_equal(published_explained(one), published_explained(other))
    exact = [explained(pd.DataFrame(some_states(add))) for add in (0, 4)]
    assert not exact[0].equals(exact[1])


def test_a_leakage_that_is_published_alike_everywhere_is_not_explained():
    # Exact leakages differ by less than is shown.
    rows = [
        state(letters, n, n // 4, n // 2 + number)
        for number, (letters, n) in enumerate(zip(LETTERS, SIZES, strict=True))
    ]
    assert fits(*rows)["r_squared"].isna().all()
    assert set(fits(*rows)["suppressed"]) == {""}


def test_a_fit_that_needs_a_suppressed_value_of_a_state_is_suppressed():
    found = fits(*some_states(n_blocks=50, mean_block_size=1_040.0))
    assert found["suppressed"].to_dict() == {
        "n_records": "",
        "sensitive_entropy": "",
        "qids_entropy": "",
        "mean_block_size": "correlation|r_squared|adjusted_r_squared",
        "qids_entropy|mean_block_size": "r_squared|adjusted_r_squared",
        # Of five states four explanations explain nothing: undefined.
        "n_records|sensitive_entropy|qids_entropy|mean_block_size": "",
    }


def test_a_suppressed_leakage_hides_every_fit_of_its_number_of_qids_only():
    hidden = some_states(prior_prob=9 / SIZES[-1])
    other = [row | {"n_qids": 1} for row in some_states()]
    found = published_explained(published(*other, *hidden))
    assert found.groupby("n_qids")["correlation"].count().to_dict() == {1: 4, 2: 0}


def test_fits_of_exact_numbers_are_never_published():
    with pytest.raises(StudyError, match=r"no rule for column"):
        publish(explained(pd.DataFrame(some_states(), columns=[*STATES])), "public")


def test_without_states_there_are_no_fits():
    public = published_explained(published())
    assert list(public.columns) == [*EXPLAINED, "suppressed"]
    assert public.empty
