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
from tests.spec.test_nunes_chapters_3_to_5 import AUXILIARY, FOCAL, NAMES, people_of

WHAT = ("prior", "post", "degrad")
EXAMPLES = ("ex47", "ex49", "ex51", "ex53")


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


ONE, ILL = {"1": FOCAL}, ("illness",)
BOTH = {"1": FOCAL, "2": AUXILIARY}
YOUNG = {"1": {"age": "25", "gender": "M"}, "2": {"age": "26"}}
EVA = {"gender": "F", "occupation": "3"}


@pytest.mark.parametrize(
    ("releases", "known", "attack", "size", "det", "posterior"),
    [
        (ONE, {"1": {"gender": "M", "age": "60"}}, "IRS", 1, "true", 1),
        (ONE, {"1": {"gender": "F", "occupation": "1"}}, "IRS", 2, "false", 1 / 2),
        (ONE, {"1": {"gender": "M", "occupation": "4"}}, "IAS", 2, "true", 1),
        (ONE, {"1": {"gender": "F", "age": "49"}}, "IAS", 3, "false", 2 / 3),
        (BOTH, YOUNG, "IRL", 2, "false", 1 / 2),
        (
            *(BOTH, {"1": EVA | {"occupation": "1"}, "2": {"occupation": "1"}}),
            *("IRL", 1, "true", 1),
        ),
        (BOTH, {"1": EVA, "2": {"occupation": "3"}}, "IAL", 2, "true", 1),
        (BOTH, {"1": EVA, "2": {"occupation": "4"}}, "IAL", 1, "true", 1),
        (BOTH, YOUNG, "IAL", 2, "false", 1 / 2),
    ],
    ids=[
        *("47 Alex", "47 Bia", "49 Caio", "49 Dora", "51 André", "51 Bia"),
        *("53 Eva as the text says", "53 Eva as the tuple is printed", "53 Fábio"),
    ],
)
def test_an_attack_on_one_has_the_numbers_of_example(
    tmp_path, releases, known, attack, size, det, posterior
):
    infers = attack.startswith("IA")
    row = attacked(tmp_path, releases, known, ILL if infers else ())
    prior = Fraction(1, 2) if infers else Fraction(1, 10)
    assert row["attack"] == attack
    assert (row["prior_det"], row["prior_prob"]) == ("false", float(prior))
    found = row["block_size"], row["posterior_det"], row["posterior_prob"]
    assert found == (size, det, posterior)
    assert row["degradation_det"] == det
    assert row["degradation_prob"] == pytest.approx(posterior / prior, rel=1e-15)


@pytest.mark.parametrize(
    ("known", "value"),
    [({"gender": "M", "occupation": "4"}, "no"), ({"gender": "F", "age": "49"}, "yes")],
)
def test_example_49_names_the_likely_illness(tmp_path, known, value):
    assert attacked(tmp_path, ONE, {"1": known}, ILL)["most_likely"] == value


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
    ("whole", "block_size"),
    [
        (ValueSpread(47_640_822, 39_093_415, 3), 26),
        (ValueSpread(48_561_221, 48_000_000, 2), 14),
    ],
    ids=["experiment 42", "experiment 46"],
)
def test_a_value_is_certain_in_a_block_of_several_that_agree(whole, block_size):
    """Footnotes 2 and 5: nobody was re-identified."""
    block = ValueSpread(block_size, block_size, 1)
    assert attribute_inference(whole, block).degradation_det is True
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
    return str(value).lower() if isinstance(value, bool) else float(Fraction(value))


def known_in(given):
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
    for theirs in (f"{what}_{kind}" for what in WHAT for kind in ("det", "prob")):
        ours = NAMES[theirs]
        assert row[ours] == exact(entry["expected"][theirs]["exact"]), ours
    if "matching_ids" in entry["expected"]:
        assert row["block_size"] == len(entry["expected"]["matching_ids"]["exact"])


@needs_golden
@pytest.mark.parametrize(
    "entry", golden("exp41", "exp42", "exp45", "exp46"), ids=lambda e: e["id"]
)
def test_golden_experiments_are_met_exactly(entry):
    given, expected = entry["inputs"], entry["expected"]
    if "mode" in given:
        whole = ValueSpread(given["n"], given["mode"], 2)
        block = ValueSpread(given["block"], given["block_mode"], 2)
        found = attribute_inference(whole, block)
    else:
        found = reidentification(given["n"], given["hits"])
    names = {"prior": "prior_prob", "post": "posterior_prob"}
    for theirs, value in expected.items():
        ours = names.get(theirs, "degradation_prob")
        assert getattr(found, ours) == Fraction(value["exact"])


@needs_golden
def test_golden_numbers_of_one_target_are_not_overlooked():
    assert len(golden(*EXAMPLES)) == 9
    assert len(golden("exp41", "exp42", "exp45", "exp46")) == 4
