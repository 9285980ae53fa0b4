"""What of states, and of what explains their leakage, may be published."""

import pandas as pd
import pytest

from microleak.columns import EXPLAINED, STATES
from microleak.study.disclosure import publish
from microleak.study.published_states import without_suppressed_states


def state(letters="RR", n_records=20_000, prior=1_334, modal=11_417, **columns):
    """One row of states, from exact counts."""
    n_blocks = columns.pop("n_blocks", 4_000)
    n_above = columns.pop("n_above_90", 4_321)
    row = {
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
    assert row[[*STATES[7:]]].tolist() == [
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


def test_a_state_of_fewer_than_100_records_has_no_shares_entropies_or_sizes():
    row = published(state(n_records=99, prior=20, modal=60, n_blocks=40, n_above_90=30))
    assert row["suppressed"].iloc[0] == "|".join(
        name for name in STATES[8:] if name != "n_above_90"
    )


@pytest.mark.parametrize(
    ("n_records", "n_blocks", "size"),
    [
        (20_000, 99, None),
        (20_000, 100, 200.0),
        (24_600, 999, 20.0),
        (24_600, 1_000, 25.0),
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


def explained(explained_by="n_records", **columns):
    row = {
        "table": "sia_pa",
        "year": "2023",
        "sensitive": "PROC",
        "n_qids": 2,
        "explained_by": explained_by,
        "n_states": 5,
        "correlation": -0.1249,
        "r_squared": 0.0156,
        "adjusted_r_squared": -0.325,
    }
    return pd.DataFrame([row | columns], columns=[*EXPLAINED])


def fits(explanation, *states):
    both = publish(explanation, "public"), published(*states)
    return without_suppressed_states(*both).iloc[0]


def test_fits_are_published_to_two_decimals_half_to_even():
    row = fits(explained(r_squared=0.125), state(), state("SE"))
    shown = row[["n_states", "correlation", "r_squared", "adjusted_r_squared"]]
    # The float nearest to -0.325 is a little less.
    assert shown.tolist() == [5, -0.12, 0.12, -0.33]
    assert row["suppressed"] == ""


def test_what_is_not_defined_is_not_said_to_be_suppressed():
    row = fits(explained(correlation=None), state(), state("SE", prior=9))
    assert row["suppressed"] == "r_squared|adjusted_r_squared"
    assert fits(explained(correlation=None), state())["suppressed"] == ""


@pytest.mark.parametrize(
    ("explained_by", "is_hidden"),
    [
        ("n_records", False),
        ("mean_block_size", True),
        ("qids_entropy|mean_block_size", True),
    ],
)
def test_a_fit_to_a_suppressed_value_of_a_state_is_suppressed(explained_by, is_hidden):
    row = fits(explained(explained_by), state(), state("SE", n_blocks=50))
    assert pd.isna(row["r_squared"]) == is_hidden


def test_a_suppressed_value_of_another_number_of_qids_hides_no_fit():
    other = state("SE", n_blocks=50, n_qids=1)
    assert fits(explained("mean_block_size"), state(), other)["r_squared"] == 0.02
