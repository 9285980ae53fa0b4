"""A known protection: its study file, examples by hand, part of the page and figure."""

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.known_protection.definitions import values_left
from microleak.base.errors import MicroleakError, StudyError
from tests.attacks.known_protection.shown_rows import CELLS, KNOWN
from tests.report.made import part_with_figure
from tests.study_file import given

PROTECTED = """\
hierarchies: {age: {widths: [10]}}
protections:
  coarse: {table: people, release: "1", steps: [{generalise: {age: 1}}]}
  swapped:
    table: people
    release: coarse
    steps: [{swap: [race, ill], rate: "0.1"}, {drop: [town]}]
"""


def study(folder, more):
    return given.study(folder, "known_protection", more, further=PROTECTED)


def test_an_analysis_has_the_steps_of_all_protections_that_made_its_release(tmp_path):
    loaded = study(tmp_path, "focal: swapped, qids: [age, race, town]")
    analysis = loaded.analyses["known_protection"]["one"]
    assert analysis.release == "1"
    assert [step.method for step in analysis.steps] == ["generalise", "swap", "drop"]
    assert analysis.after == ("age", "race")
    assert {*loaded.attributes("people", "1")} >= {"age", "race", "town"}
    assert "town" not in loaded.attributes("people", "swapped")


def test_an_analysis_that_cannot_be_is_refused(tmp_path, more, said):
    with pytest.raises(StudyError, match=said):
        study(tmp_path, more)


def attacked(people, after, steps, qids, sensitive=()):
    found = microleak.known_protection(people, after, steps, qids, sensitive=sensitive)
    return found.known_protection.set_index("sensitive")


def protect_and_attack(people, steps, qids, sensitive=()):
    after = microleak.protect(people, steps, seed=0).records
    return attacked(people, after, steps, qids, sensitive)


def test_a_belief_in_a_randomised_illness_is_that_of_its_channel():
    """One record a person, as often ill as is expected, by the posterior of a channel.

    Of ten records six are ill; each tells the truth with chance 3/4. The posterior
    vulnerability is the sum over what is told of the larger joint chance.
    """
    people = pd.DataFrame({"age": range(40), "ill": ["y"] * 24 + ["n"] * 16})
    told = people.assign(ill=["y"] * 18 + ["n"] * 6 + ["y"] * 4 + ["n"] * 12)
    steps = [{"randomise": {"ill": {"keep": "0.75"}}}]
    found = attacked(people, told, steps, ["age"], ["ill"]).loc["ill"]
    joint = np.array([[0.6 * 0.75, 0.6 * 0.25], [0.4 * 0.25, 0.4 * 0.75]])
    assert found.posterior_prob == pytest.approx(joint.max(axis=0).sum())
    assert (found.posterior_det, found.claimed) == (0, 1)
    # Whoever believes what is told is right three times in four.
    likely = joint / joint.sum(axis=0)
    assert found.claims_that_hold == pytest.approx(
        0.55 * likely[0, 0] + 0.45 * likely[1, 1]
    )


@pytest.mark.parametrize("n_others", [0, 20])
def test_values_that_blocks_have_alike_are_guessed_by_the_blocks(step, n_others):
    """The prior of all tells nothing of a block, and its own published values do."""
    ill = ["a"] * (200 - n_others) + ["b"] * (200 + n_others)
    people = pd.DataFrame({"town": ["1"] * 200 + ["2"] * 200, "ill": ill})
    row = protect_and_attack(people, [step], ["town"], ["ill"]).loc["ill"]
    assert row.posterior_prob == 1 - n_others / 400


def test_a_rare_value_that_fills_a_block_is_guessed_there():
    """By the prior a record that says b is more likely an a, and in town 2 it is b."""
    values = {"town": ["1"] * 900 + ["2"] * 100, "ill": ["a"] * 900 + ["b"] * 100}
    steps = [{"randomise": {"ill": {"keep": "0.6"}}}]
    row = protect_and_attack(pd.DataFrame(values), steps, ["town"], ["ill"]).loc["ill"]
    assert (row.prior_prob, row.posterior_prob) == (0.9, 1)


def test_blocks_of_too_many_values_are_believed_in_alone(monkeypatch):
    people = pd.DataFrame({"town": [*"1122"] * 50, "ill": [*"aabb"] * 50})
    steps = [{"randomise": {"ill": {"keep": "0.8"}}}]
    path = "microleak.attacks.known_protection.inference.MOST_PAIRS"
    monkeypatch.setattr(path, 3)
    row = protect_and_attack(people, steps, ["town"], ["ill"]).loc["ill"]
    assert row.posterior_prob < 0.8


def test_what_was_left_out_is_no_help():
    people = pd.DataFrame({"age": [1, 2, 3, 4], "sex": [*"FFMM"]})
    steps = [{"drop": ["age"]}]
    row = attacked(people, people[["sex"]], steps, ["age", "sex"]).iloc[0]
    assert (row.posterior_prob_before, row.posterior_prob) == (1.0, 0.5)
    assert row.prior_prob == 1 / 4
    everything = [{"drop": ["age", "sex"]}]
    with pytest.raises(StudyError, match="drops all of its attributes"):
        attacked(people, people, everything, ["age", "sex"])


def test_blocks_that_stay_whole_are_known_to_be_so_under_suppression():
    people = pd.DataFrame(
        {"a": [*"11223456"], "b": ["x"] * 8, "s": ["ill"] * 2 + ["ok"] * 2 + [*"pqpq"]}
    )
    steps = [{"suppress": ["a", "b"], "k": 2}]
    rows = protect_and_attack(people, steps, ["a", "b"], ["s"])
    # Two pairs, known to be all of theirs, and four records that are one block.
    assert rows.loc[""].posterior_prob == pytest.approx(3 / 8)
    assert rows.loc["s"].posterior_det == 0.5
    assert rows.loc["s"].claims_that_hold == 1


def test_a_record_left_over_in_a_small_group_is_swapped_too():
    """In households of two, whoever is chosen takes the other along."""
    n = 400
    people = pd.DataFrame({"home": np.arange(n) // 2, "age": np.arange(n) % 2})
    steps = [{"swap": ["age"], "rate": "0.1", "within": ["home"]}]
    row = protect_and_attack(people, steps, ["home", "age"]).loc[""]
    # Chosen is neither with (360 · 359) / (400 · 399).
    assert row.claims_that_hold == pytest.approx(360 * 359 / (400 * 399))


def test_beliefs_that_are_not_computed_are_refused(steps, said):
    people = pd.DataFrame({"a": [*"112"], "s": [*"pqq"]})
    with pytest.raises(StudyError, match=said):
        attacked(people, people, steps, ["a"], ["s"])


def test_what_is_drawn_of_another_qid_than_is_swapped_along_is_no_hindrance():
    people = pd.DataFrame({"a": [*"1122"], "b": [*"xyxy"], "s": [*"pqpq"]})
    steps = [
        {"randomise": {"b": {"keep": "0.9"}}},
        {"swap": ["a", "s"], "rate": "0.5"},
    ]
    assert len(attacked(people, people, steps, ["a", "b"], ["s"])) == 2


def test_records_that_steps_cannot_make_are_refused():
    people = pd.DataFrame({"age": [25, 26, 40, 60]})
    sample = [{"sample": "1"}]
    with pytest.raises(MicroleakError, match="has 4 records that they cannot make"):
        attacked(people, people + 100, sample, ["age"])
    with pytest.raises(MicroleakError, match="has 12 records, not 4"):
        attacked(people, pd.concat([people] * 3), sample, ["age"])


SWAP = {"swap": ["q"], "rate": "1"}
KEEP = {"randomise": {"o": {"keep": "0.9"}}}


@pytest.mark.parametrize(
    ("rows", "steps", "said"),
    [
        # Of three records a step leaves as many as its share, rounded, each time.
        ([*"ab"], [{"drop": ["o"]}], "has 2 records, not 3"),
        ([*"ab"], [{"sample": "1/3"}], "has 2 records, not 1"),
        ([*"a"], [{"sample": "1/2"}], "has 1 record, not 2"),
        ([*"ab"], [{"sample": "1/2"}, {"sample": "1/2"}], "has 2 records, not 1"),
        # What is not drawn anew is there as often as before, or less in a sample.
        ([*"aaa"], [{"drop": ["o"]}], "has 2 records that they cannot make"),
        ([*"aab"], [KEEP], "has 1 record that they cannot make"),
        ([*"aab"], [SWAP], "has 1 record that they cannot make"),
        ([*"aa"], [{"sample": "2/3"}], "has 1 record that they cannot make"),
    ],
)
def test_a_release_that_the_steps_cannot_have_made_is_refused(rows, steps, said):
    people = pd.DataFrame({"q": [*"abc"], "o": [*"xyz"]})
    after = pd.DataFrame({"q": rows, "o": [*"xyz"][: len(rows)]})
    with pytest.raises(MicroleakError, match=said):
        attacked(people, after, steps, ["q"])


def test_attributes_that_move_together_are_compared_together():
    people = pd.DataFrame({"a": [*"112"], "b": [*"xxy"], "c": [*"pqr"]})
    steps = [{"swap": ["a", "b"], "rate": "1"}]
    swapped = people.assign(c=[*"rqp"])
    assert attacked(people, swapped, steps, [*people])["n_protected"].item() == 3
    apart = people.assign(b=[*"xyx"])
    with pytest.raises(MicroleakError, match="has 2 records that they cannot make"):
        attacked(people, apart, steps, [*people])


def test_rare_values_that_are_all_gone_are_not_undone():
    towns = ["A"] * 50 + ["B"] * 50 + [f"v{i}" for i in range(10)]
    people = pd.DataFrame({"town": towns, "sex": ["f"] * 110})
    steps = [{"suppress": ["town", "sex"], "k": 5}]
    after = microleak.protect(people, steps).records
    found = microleak.known_protection(people, after, steps, ["town", "sex"])
    row = found.undone_cells.set_index("attribute").loc["town"]
    assert (row.n_suppressed, row.n_values, row.n_undone) == (10, 12, 0)


def test_values_that_would_fill_a_block_are_ruled_out():
    # Blocks of a: missing, 1 and 2, all with b = 1; and missing with b = 2.
    blocks = [np.array([0, 1, 2, 0]), np.array([1, 1, 1, 2])]
    for size, ruled_out in ((6, 2), (3, 0)):
        found, n = values_left(blocks, np.array([size, 3, 3, 9]), 0, 3)
        assert (found.tolist(), n.tolist()) == ([0, 3], [ruled_out, 0])


def test_more_ways_than_can_be_weighed_are_refused(monkeypatch):
    people = pd.DataFrame({"age": range(50)})
    monkeypatch.setattr(
        "microleak.attacks.known_protection.releases.Releases.most_ways", 99
    )
    with pytest.raises(MicroleakError, match="2,500 ways in which records may have"):
        attacked(people, people, [{"randomise": {"age": {"keep": "0.5"}}}], ["age"])


@pytest.mark.parametrize("sample", [[], [{"sample": "1/2"}]])
def test_many_values_are_believed_in_some_at_a_time(monkeypatch, sample):
    rng = np.random.default_rng(3)
    columns = {"age": 9, "ill": 25}
    people = pd.DataFrame({n: rng.integers(0, k, 80) for n, k in columns.items()})
    steps = [{"randomise": {"ill": {"keep": "0.4"}, "age": {"keep": "0.8"}}}, *sample]
    whole = protect_and_attack(people, steps, ["age"], ["ill"])
    path = "microleak.attacks.known_protection.inference.AT_ONCE"
    monkeypatch.setattr(path, 100)
    some = protect_and_attack(people, steps, ["age"], ["ill"])
    pd.testing.assert_frame_equal(whole, some)


def part_of(language):
    tables = {"known_protection": {"known": KNOWN}, "undone_cells": {"known": CELLS}}
    return part_with_figure("known_protection", tables, ("census", "swapped"), language)


def test_the_part_tells_success_before_and_after_and_what_is_undone():
    told, svg = part_of("en")
    assert told.heading == (
        "Someone who knows how swapped was protected re-identifies 40.00% of the "
        "records with their best guess; before the protection, 80.00%"
    )
    first, claims, second, undone = told.body[0].texts
    assert "right for 40.00% of the records, and was for 80.00% before" in first
    assert "50.00% of these claims hold" in claims
    assert "90.00%" in second
    assert undone.startswith("Of 24 missing cells, 3 have only one possible value")
    success, cells = told.grids
    assert [row[-1] for row in success.rows] == ["50.00%", ""]
    assert [row[-1] for row in cells.rows] == ["3"]
    assert "ILL: 1.00% without any facts, 70.00% in the protected release" in svg
    in_portuguese, _ = part_of("pt")
    assert "Quem sabe como swapped foi protegida" in in_portuguese.heading


@pytest.mark.parametrize(
    ("known", "values", "kept", "right"),
    [
        # Who was drawn is known by its value, and of the others one in so many.
        ([7, 15], "pq", [1], (1 + 1 / 2) / 2),
        ([7, 15], "qp", [0], (1 + 1 / 2) / 2),
        ([1, 2, 3], "abc", [0], (1 + 2 / 3) / 3),
        ([1, 2, 3], "abc", [1, 2], (2 + 1 / 3) / 3),
        ([1, 2, 3, 4], "aabb", [0, 3], (2 + 2 / 2) / 4),
        ([1, 2, 3, 4], "aabb", [0, 1], (2 + 2 / 2) / 4),
        ([1, 2, 3, 4, 5], "aabbc", [4], (1 + 4 / 2) / 5),
        ([1, 2, 3, 4, 5], "bbcca", [4], (1 + 4 / 2) / 5),
    ],
)
def test_of_values_as_frequent_no_name_decides_the_guess(known, values, kept, right):
    people = pd.DataFrame({"known": known, "value": [*values]})
    sample = people.iloc[kept].reset_index(drop=True)
    steps = [{"sample": f"{len(kept)}/{len(known)}"}]
    found = attacked(people, sample, steps, ["known"], ["value"]).loc["value"]
    assert found.posterior_prob == pytest.approx(right)


@pytest.mark.parametrize("n_nines", [2, 6, 11, 12, 13, 14, 15])
def test_a_value_that_is_hardly_possible_leaves_nobody_certain(n_nines):
    people = pd.DataFrame({"town": [*"1122"], "ill": [*"aabb"]})
    steps = [{"randomise": {"ill": {"keep": f"0.{'9' * n_nines}"}}}]
    found = attacked(people, people, steps, ["town"], ["ill"]).loc["ill"]
    assert found.posterior_det == 0
    assert found.posterior_prob == pytest.approx(1, abs=0.02)
