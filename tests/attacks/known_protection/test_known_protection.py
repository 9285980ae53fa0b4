"""A known protection: its study file, examples by hand, part of the page and figure."""

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.known_protection.definitions.known_success import values_left
from microleak.base.errors import MicroleakError, StudyError
from microleak.report.parts import Grid
from microleak.study.load import load_study
from tests.attacks.known_protection.shown_rows import CELLS, KNOWN
from tests.report.made import part_with_figure

STUDY = """\
study: known
seed: 1
tables:
  people:
    source: delimited
    options: {{person_id: id}}
    releases: {{"1": {{archive: people.csv}}}}
hierarchies: {{age: {{widths: [10]}}}}
protections:
  coarse: {{table: people, release: "1", steps: [{{generalise: {{age: 1}}}}]}}
  swapped:
    table: people
    release: coarse
    steps: [{{swap: [race, ill], rate: "0.1"}}, {{drop: [town]}}]
analyses:
  known_protection:
    - {{name: one, table: people, {more}}}
"""


def study(folder, more):
    path = folder / "study.yaml"
    path.write_text(STUDY.format(more=more), encoding="utf-8")
    return load_study(path)


def test_an_analysis_has_the_steps_of_all_protections_that_made_its_release(tmp_path):
    loaded = study(tmp_path, "focal: swapped, qids: [age, race, town]")
    analysis = loaded.analyses["known_protection"]["one"]
    assert analysis.release == "1"
    assert [step.method for step in analysis.steps] == ["generalise", "swap", "drop"]
    assert analysis.after == ("age", "race")
    assert {*loaded.attributes("people", "1")} >= {"age", "race", "town"}
    assert "town" not in loaded.attributes("people", "swapped")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('focal: "1", qids: [age]', "1 is no protection of people. Name one of"),
        ("focal: coarsely, qids: [age]", "coarsely"),
        (
            "focal: swapped, qids: [race], sensitive: [ill]",
            "ill is swapped together with race",
        ),
        ("focal: swapped, qids: [age], sensitive: [town]", "town"),
        ("focal: swapped, qids: [age], steps: []", "steps"),
    ],
)
def test_an_analysis_that_cannot_be_is_refused(tmp_path, more, said):
    with pytest.raises(StudyError, match=said):
        study(tmp_path, more)


def test_a_belief_in_a_randomised_illness_is_that_of_its_channel():
    """One record a person, as often ill as is expected, by the posterior of a channel.

    Of ten records six are ill; each tells the truth with chance 3/4. The posterior
    vulnerability is the sum over what is told of the larger joint chance.
    """
    people = pd.DataFrame({"age": range(40), "ill": ["y"] * 24 + ["n"] * 16})
    told = people.assign(ill=["y"] * 22 + ["n"] * 18)
    steps = [{"randomise": {"ill": {"keep": "0.75"}}}]
    rows = microleak.known_protection(people, told, steps, ["age"], sensitive=["ill"])
    found = rows.known_protection.set_index("sensitive").loc["ill"]
    joint = np.array([[0.6 * 0.75, 0.6 * 0.25], [0.4 * 0.25, 0.4 * 0.75]])
    assert found.posterior_prob == pytest.approx(joint.max(axis=0).sum())
    assert (found.posterior_det, found.claimed) == (0, 1)
    # Whoever believes what is told is right three times in four.
    likely = joint / joint.sum(axis=0)
    assert found.claims_that_hold == pytest.approx(
        0.55 * likely[0, 0] + 0.45 * likely[1, 1]
    )


def test_what_was_left_out_is_no_help():
    people = pd.DataFrame({"age": [1, 2, 3, 4], "sex": [*"FFMM"]})
    steps = [{"drop": ["age"]}]
    found = microleak.known_protection(people, people[["sex"]], steps, ["age", "sex"])
    row = found.known_protection.iloc[0]
    assert (row.posterior_prob_before, row.posterior_prob) == (1.0, 0.5)
    everything = [{"drop": ["age", "sex"]}]
    with pytest.raises(StudyError, match="drops all of its attributes"):
        microleak.known_protection(people, people, everything, ["age", "sex"])


def test_values_that_would_fill_a_block_are_ruled_out():
    # Blocks of a: missing, 1 and 2, all with b = 1; and missing with b = 2.
    blocks = [np.array([0, 1, 2, 0]), np.array([1, 1, 1, 2])]
    for size, ruled_out in ((6, 2), (3, 0)):
        found, n = values_left(blocks, np.array([size, 3, 3, 9]), 0, 3)
        assert (found.tolist(), n.tolist()) == ([0, 3], [ruled_out, 0])


def test_more_ways_than_can_be_weighed_are_refused(monkeypatch):
    people = pd.DataFrame({"age": range(50)})
    monkeypatch.setattr(
        "microleak.attacks.known_protection.measure._Releases.most_ways", 99
    )
    with pytest.raises(MicroleakError, match="2,500 ways in which records may have"):
        microleak.known_protection(
            people, people, [{"randomise": {"age": {"keep": "0.5"}}}], ["age"]
        )


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
    assert undone.startswith("Of 24 missing cells, 3 have just one value left")
    success, cells = (each for each in told.body if isinstance(each, Grid))
    assert [row[-1] for row in success.rows] == ["50.00%", ""]
    assert [row[-1] for row in cells.rows] == ["3"]
    assert "SYNTHETIC" in svg
    assert "ILL: 1.00% without any fact, 70.00% in the protected release" in svg
    in_portuguese, _ = part_of("pt")
    assert "Quem sabe como swapped foi protegida" in in_portuguese.heading
