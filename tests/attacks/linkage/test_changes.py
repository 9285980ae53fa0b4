"""People who change several things at once, and what the page says of it."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.linkage.definitions.quality import overlap_by_sizes, together
from tests.attacks.linkage.made import OVERLAP, shares
from tests.attacks.linkage.shown_rows import BINS, LINKS, SUCCESS
from tests.attacks.linkage.test_linkage import part_of
from tests.examples import long

N = 6_000
N_VALUES = {"school": 60, "race": 5, "transport": 4, "stage": 6}
STABLE = ["birth", "sex"]


def releases(at_once, n_births=2_500, seed=1, n_afresh=4):
    """Two releases; so many of those who stay have several values drawn anew."""
    rng = np.random.default_rng(seed)
    n_all = int(N * (2 - OVERLAP))
    later = np.r_[np.flatnonzero(rng.random(N) < OVERLAP), np.arange(N, n_all)]
    birth = rng.integers(0, n_births, n_all)
    moves = rng.random(n_all) < at_once
    first = {"id": np.arange(n_all), "birth": birth, "sex": birth % 2}
    second = dict(first)
    for place, (name, k) in enumerate(N_VALUES.items()):
        before, drawn = (rng.choice(k, n_all, p=shares(k)) for _ in range(2))
        is_drawn = rng.random(n_all) < 0.05
        is_drawn |= moves if place < n_afresh else False
        first[name], second[name] = before, np.where(is_drawn, drawn, before)
    focal, auxiliary = pd.DataFrame(first)[:N], pd.DataFrame(second).iloc[later]
    return focal.assign(ill=rng.integers(0, 3, N)), auxiliary


def linked(focal, auxiliary, **more):
    found = microleak.linkage(
        *(focal, auxiliary, ["birth", "sex", "school"]),
        **{"stable": STABLE, "drifting": list(N_VALUES), "sensitive": ["ill"]},
        **{"person_id": "id", **more},
    )
    return found.linkage.iloc[0], found.linkage_bins, found.linked_success


def said_by(language, row, bins):
    names = ["overlap", "overlap_by_sizes", "excess_changes", "n_focal", "n_true"]
    found = {n: np.nan if pd.isna(row[n]) else float(row[n]) for n in names}
    texts = {name: row[name] for name in ("transition", "changed_together")}
    of_bins = BINS.assign(n_right=bins["n_right"].to_numpy())
    part, _ = part_of(language, LINKS.assign(**texts, **found), of_bins)
    return part


@pytest.mark.parametrize(
    ("at_once", "n_births", "n_afresh"),
    [
        *((0.2, 6_000, 4), (0.3, 300, 4), (0.3, 2_500, 3)),
        *long((0.2, 2_500, 4), (0.25, 2_500, 4), (0.25, 1_000, 4), (0.15, 2_500, 4)),
    ],
)
def test_people_who_change_much_at_once_are_doubted(at_once, n_births, n_afresh):
    both = releases(at_once, n_births, n_afresh=n_afresh)
    row, bins, _ = linked(*both)
    assert row["overlap"] < OVERLAP - 0.03
    assert row["overlap_by_sizes"] == pytest.approx(OVERLAP, abs=0.03)
    unknown, _, _ = linked(*both, person_id=None)
    assert unknown["overlap_by_sizes"] == row["overlap_by_sizes"]
    for language, *said in (
        ("en", "people seem to change several things at once", "model does not fit"),
        ("pt", "as pessoas parecem mudar várias coisas de uma vez", "não se ajusta"),
    ):
        part = said_by(language, row, bins)
        for text in (" ".join(part.body[0].texts), part.replies[-1].text):
            assert all(each in text for each in said)


@pytest.mark.parametrize("n_births", [300, 6_000, *long(1_000, 2_500)])
@pytest.mark.parametrize("transition", ["estimated", "identifiers"])
def test_changes_that_are_independent_are_not_doubted(n_births, transition):
    row, bins, _ = linked(*releases(0.0, n_births), transition=transition)
    assert pd.isna(row["overlap_by_sizes"])
    assert row["excess_changes"] < 0.005
    part = said_by("en", row, bins)
    assert "several things" not in part.replies[-1].text
    assert "does not fit" not in part.replies[-1].text


@pytest.mark.parametrize(
    ("at_once", "n_births"),
    [
        *((0.15, 2_500), (0.25, 6_000), (0.2, 1_000)),
        *long(*product([0.15, 0.2, 0.25], [1_000, 2_500, 6_000])),
    ],
)
def test_links_that_are_counted_tell_what_changes_together(at_once, n_births):
    row, bins, _ = linked(*releases(at_once, n_births), transition="identifiers")
    assert pd.isna(row["overlap_by_sizes"])
    assert row["excess_changes"] > 0.01
    one, other = row["changed_together"].split("|")
    assert {one, other} <= N_VALUES.keys()
    part = said_by("en", row, bins)
    said = f"Among the links, “{one}” and “{other}” changed together more often than"
    assert said in part.replies[-1].text
    assert "mudaram juntos mais" in said_by("pt", row, bins).replies[-1].text


@pytest.mark.parametrize("seed", [0, 1, *long(2, 3, 4, 5)])
def test_success_by_links_is_between_that_of_one_release_and_that_of_who_is_who(seed):
    for at_once, n_births in ((0.0, 50), (0.25, 2_500), (0.5, 300)):
        focal, auxiliary = releases(at_once, n_births, seed)
        few = auxiliary["id"] < N // 10
        _, _, found = linked(focal[: N // 10], auxiliary[few])
        by_links = found["posterior_prob_linked"]
        assert (by_links >= found["posterior_prob_single"]).all()
        assert (by_links <= found["posterior_prob_identified"]).all()
        assert (found["added_by_identifier"] >= 0).all()


@pytest.mark.parametrize("n_same", [1, 2, 5, 20])
def test_a_success_above_that_with_the_identifier_is_told_as_the_latter(n_same):
    """Nearly all who are linked are other people with the same birth."""
    n = 60
    births = np.arange(n)
    focal = pd.DataFrame({"id": births, "birth": births, "school": births % 3})
    auxiliary = focal.assign(school=births // 3 % 3)
    auxiliary.loc[n_same:, "id"] += n
    found = microleak.linkage(
        *(focal.assign(ill=births % 2), auxiliary, ["school"]),
        **{"stable": ["birth"], "drifting": ["school"], "sensitive": ["ill"]},
        person_id="id",
    ).linked_success
    expected = found["posterior_prob_expected"]
    most = found["posterior_prob_identified"]
    assert (expected > most + 0.01).any()
    assert list(found["posterior_prob_linked"]) == list(np.minimum(expected, most))
    assert (found["added_by_identifier"] >= 0).all()


@pytest.mark.parametrize(
    ("expected", "n_told"), [(0.46, 1), (0.4501, 1), (0.450001, 0), (0.45, 0)]
)
def test_a_success_above_that_with_the_identifier_is_doubted(expected, n_told):
    for language, said in (("en", "which is impossible"), ("pt", "o que é impossível")):
        success = SUCCESS.assign(posterior_prob_expected=expected)
        part, _ = part_of(language, success=success)
        assert sum(said in text for text in part.body[0].texts) == n_told
        assert (said in part.replies[-1].text) == bool(n_told)


def test_the_overlap_by_sizes_is_that_of_the_variance_above_chance():
    # Of 100 people 60 are thought to be there; differences are less by 100 * 0.28.
    assert overlap_by_sizes(np.array([-28.0, 4.0, 100.0]), 0.6) == pytest.approx(0.8)
    assert overlap_by_sizes(np.array([-28.0, 100.0, 100.0]), 0.6) is None
    assert overlap_by_sizes(np.array([28.0, 4.0, 100.0]), 0.6) is None
    assert overlap_by_sizes(np.array([-900.0, 4.0, 100.0]), 0.6) == 1


def test_changes_together_are_compared_in_whole_numbers(n, changed, share):
    both, one, other = changed
    counts, share = np.array([[one, both], [both, other]]), Fraction(share)
    assert together(n, counts, {}) == ((0, 1) if share else (), share)
    assert together(n, counts, {1: (0,)}) == ((), 0)
    # Two that depend on a third may change together.
    alike = np.full((3, 3), 20)
    assert together(100, alike, {1: (0,), 2: (1,)}) == ((), 0)
    assert together(100, alike, {2: (1,)}) == ((0, 1), Fraction(16, 100))
