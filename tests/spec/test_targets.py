"""Nunes, appendices C and D: attacks on one target."""

from fractions import Fraction

import pytest

from microleak.attacks.targets.measure import attack_target
from microleak.attacks.targets.section import Target
from microleak.definitions.target import (
    ValueSpread,
    attribute_inference,
    reidentification,
)
from microleak.sources.steps.join import ReleaseLink, join
from tests.golden import golden, needs_golden
from tests.panels import people_file
from tests.spec.test_nunes_chapter_5 import AUXILIARY, FOCAL, people_of

EXAMPLES = ("ex47", "ex49", "ex51", "ex53")
NAMES = {
    "prior_det": "prior_det",
    "post_det": "posterior_det",
    "degrad_det": "degradation_det",
    "prior_prob": "prior_prob",
    "post_prob": "posterior_prob",
    "degrad_prob": "degradation_prob",
}


def attacked(folder, releases, known, sensitive=()):
    """The row of the last attack on a target, as written to the table.

    `releases` has each person's attributes by identifier, the focal one first;
    `known` values by release.
    """
    focal, *others = (
        people_file(folder / f"people-{name}", people)
        for name, people in releases.items()
    )
    files = [focal]
    for name, other in zip(list(releases)[1:], others, strict=True):
        files.append(folder / f"panel-{name}")
        join(ReleaseLink(focal, other, "ID", name), files[-1], folder / "receipt")
    target = Target("t", "people", "1", known, sensitive, ())
    return attack_target(files, target)["target"].iloc[-1]


def found_by(row):
    """Counts and the two posteriors of a row."""
    return row["block_size"], row["posterior_det"], row["posterior_prob"]


@pytest.mark.parametrize(
    ("known", "block_size", "det", "ratio"),
    [
        ({"gender": "M", "age": "60"}, 1, "true", 10),
        ({"gender": "F", "occupation": "1"}, 2, "false", 5),
    ],
    ids=["Alex", "Bia"],
)
def test_example_47_looks_for_one_record(tmp_path, known, block_size, det, ratio):
    row = attacked(tmp_path, {"1": FOCAL}, {"1": known})
    assert row["attack"] == "IRS"
    assert (row["prior_det"], row["prior_prob"]) == ("false", 1 / 10)
    assert found_by(row) == (block_size, det, 1 / block_size)
    assert (row["degradation_det"], row["degradation_prob"]) == (det, ratio)


@pytest.mark.parametrize(
    ("known", "block_size", "det", "posterior"),
    [
        ({"gender": "M", "occupation": "4"}, 2, "true", Fraction(1)),
        ({"gender": "F", "age": "49"}, 3, "false", Fraction(2, 3)),
    ],
    ids=["Caio", "Dora"],
)
def test_example_49_infers_the_illness_of_one(
    tmp_path, known, block_size, det, posterior
):
    row = attacked(tmp_path, {"1": FOCAL}, {"1": known}, ("illness",))
    assert row["attack"] == "IAS"
    assert (row["prior_det"], row["prior_prob"]) == ("false", 1 / 2)
    assert found_by(row) == (block_size, det, float(posterior))
    assert row["degradation_prob"] == float(posterior / Fraction(1, 2))
    assert row["most_likely"] == ("no" if det == "true" else "yes")


@pytest.mark.parametrize(
    ("known", "block_size", "det", "ratio"),
    [
        (
            {"1": {"age": "25", "gender": "M"}, "2": {"age": "26"}},
            *(2, "false", 5),
        ),
        (
            {"1": {"gender": "F", "occupation": "1"}, "2": {"occupation": "1"}},
            *(1, "true", 10),
        ),
    ],
    ids=["André", "Bia"],
)
def test_example_51_looks_for_one_record_in_a_panel(
    tmp_path, known, block_size, det, ratio
):
    row = attacked(tmp_path, {"1": FOCAL, "2": AUXILIARY}, known)
    assert row["attack"] == "IRL"
    assert (row["prior_det"], row["prior_prob"]) == ("false", 1 / 10)
    assert found_by(row) == (block_size, det, 1 / block_size)
    assert (row["degradation_det"], row["degradation_prob"]) == (det, ratio)


@pytest.mark.parametrize(
    ("known", "block_size", "det", "posterior"),
    [
        (
            {"1": {"gender": "F", "occupation": "3"}, "2": {"occupation": "3"}},
            *(2, "true", 1),
        ),
        (
            {"1": {"gender": "F", "occupation": "3"}, "2": {"occupation": "4"}},
            *(1, "true", 1),
        ),
        (
            {"1": {"age": "25", "gender": "M"}, "2": {"age": "26"}},
            *(2, "false", 0.5),
        ),
    ],
    ids=["Eva as the text says", "Eva as the tuple is printed", "Fábio"],
)
def test_example_53_infers_the_illness_of_one_in_a_panel(
    tmp_path, known, block_size, det, posterior
):
    row = attacked(tmp_path, {"1": FOCAL, "2": AUXILIARY}, known, ("illness",))
    assert row["attack"] == "IAL"
    assert (row["prior_det"], row["prior_prob"]) == ("false", 1 / 2)
    assert found_by(row) == (block_size, det, posterior)
    assert (row["degradation_det"], row["degradation_prob"]) == (det, 2 * posterior)


def test_experiment_41_a_political_figure_in_2014_and_2018():
    in_2014 = reidentification(n_records=9_773_350, block_size=2)
    assert in_2014.prior_prob == Fraction(1, 9_773_350)
    assert in_2014.posterior_prob == Fraction(1, 2)
    assert in_2014.degradation_prob == 4_886_675
    in_2018 = reidentification(n_records=10_811_601, block_size=1)
    assert (in_2018.prior_det, in_2018.degradation_det) == (False, True)


def test_experiment_42_transport_of_a_student_in_2019():
    whole = ValueSpread(47_640_822, 39_093_415, 3)
    found = attribute_inference(whole, ValueSpread(1_589, 1_482, 2))
    assert f"{float(found.prior_prob):.4f}" == "0.8206"
    assert found.posterior_prob == Fraction(1_482, 1_589)
    assert f"{float(found.degradation_prob):.4f}" == "1.1366"


@pytest.mark.parametrize(
    ("experiment", "whole", "block_size"),
    [
        ("42", ValueSpread(47_640_822, 39_093_415, 3), 26),
        ("46", ValueSpread(48_561_221, 48_000_000, 2), 14),
    ],
)
def test_a_value_is_certain_in_a_block_of_several_that_agree(
    experiment, whole, block_size
):
    """Footnotes 2 and 5: nobody was re-identified."""
    block = ValueSpread(block_size, block_size, 1)
    found = attribute_inference(whole, block)
    assert found.degradation_det is True, experiment
    assert reidentification(whole.n_records, block_size).posterior_det is False


def test_experiment_45_the_author_in_2014_and_2011():
    found = reidentification(n_records=9_773_350, block_size=7)
    assert found.posterior_prob == Fraction(1, 7)
    assert found.degradation_prob == Fraction(9_773_350, 7)
    assert found.posterior_det is False


def test_experiment_46_the_authors_town_of_birth():
    """5.0187; the paper divides rounded numbers and prints 5.0211."""
    whole = ValueSpread(9_773_350, 556_398, 5_561)
    found = attribute_inference(whole, ValueSpread(7, 2, 6))
    assert f"{float(found.prior_prob):.4f}" == "0.0569"
    assert found.posterior_prob == Fraction(2, 7)
    assert f"{float(found.degradation_prob):.4f}" == "5.0187"


def exact(value):
    """A claim or a share of the golden file, as the table has it."""
    return str(value).lower() if isinstance(value, bool) else float(Fraction(value))


def known_in(given):
    """Known values of a golden example, by release and attribute."""
    known = {}
    for qid, value in zip(given["qids"], given["target"], strict=True):
        name, _, release = qid.partition("@")
        known.setdefault(release or "1", {})[name] = str(value)
    return known


@needs_golden
@pytest.mark.parametrize("entry", golden(*EXAMPLES), ids=lambda e: e["id"])
def test_golden_examples_of_one_target_are_met_exactly(tmp_path, entry):
    given = entry["inputs"]
    releases = {"1": people_of(given.get("table") or given["focal"])}
    if "auxiliary" in given:
        releases["2"] = people_of(given["auxiliary"])
    sensitive = (given["sensitive"],) if "sensitive" in given else ()
    row = attacked(tmp_path, releases, known_in(given), sensitive)
    for theirs, ours in NAMES.items():
        assert row[ours] == exact(entry["expected"][theirs]["exact"]), ours
    if "matching_ids" in entry["expected"]:
        assert row["block_size"] == len(entry["expected"]["matching_ids"]["exact"])


@needs_golden
@pytest.mark.parametrize(
    "entry", golden("exp41", "exp42", "exp45", "exp46"), ids=lambda e: e["id"]
)
def test_golden_experiments_are_met_exactly(entry):
    given, expected = entry["inputs"], entry["expected"]
    found = (
        attribute_inference(
            ValueSpread(given["n"], given["mode"], 2),
            ValueSpread(given["block"], given["block_mode"], 2),
        )
        if "mode" in given
        else reidentification(given["n"], given["hits"])
    )
    for theirs in expected:
        ours = {"prior": "prior_prob", "post": "posterior_prob"}.get(
            theirs, "degradation_prob"
        )
        assert getattr(found, ours) == Fraction(expected[theirs]["exact"])


@needs_golden
def test_golden_numbers_of_one_target_are_not_overlooked():
    assert len(golden(*EXAMPLES)) == 9
    assert len(golden("exp41", "exp42", "exp45", "exp46")) == 4
