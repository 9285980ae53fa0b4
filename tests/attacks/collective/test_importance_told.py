"""What the page says each attribute brings."""

import pandas as pd
import pytest

from microleak.attacks.collective import contributions as study
from microleak.attacks.collective.report.contributions import importance as told
from microleak.report.texts import voice
from tests.attacks.collective.state_study import AGE, PROC, UNIT, collective

ENGLISH = voice("en")


def of(rows, sensitive=PROC):
    return rows[rows["sensitive"] == sensitive]


def said(rows, speaker=ENGLISH, sensitive=PROC):
    return told(of(study.importance(rows), sensitive), speaker)


def sentence(elements):
    """The sentence above the table; empty if there is none."""
    return "".join(e.text for e in elements if e.kind == "paragraph")


def grid(elements):
    """The table: attribute; without it and Shapley value of certainty; without it,
    leakage without it and Shapley value of the best guess."""
    (found,) = (e for e in elements if e.kind == "grid")
    return found


def test_the_attribute_that_brings_most_is_told_with_what_is_lost_without_it(
    language, told
):
    assert sentence(said(collective("RR-2023"), voice(language))) == told


def test_the_table_has_posteriors_leakage_and_shapley_values_the_highest_first():
    brought = grid(said(collective("RR-2023")))
    (det, _), (prob, _) = brought.over
    assert "14.26%" in det
    assert "57.02%" in prob
    assert [(row[0], *row[3:]) for row in brought.rows] == [
        (UNIT, "15.02%", "8.35", "36.18"),
        (AGE, "37.02%", "30.35", "14.18"),
    ]
    assert [row[1] for row in brought.rows] == ["3.76%", "9.26%"]


def alike(rows):
    """The same, of which all subsets that are as large bring the same."""
    return rows.assign(n_modal=5_000, n_certain=5_000, posterior_prob=0.25)


def test_attributes_that_bring_the_same_keep_their_order():
    assert [row[0] for row in grid(said(alike(collective("RR-2023")))).rows] == [
        AGE,
        UNIT,
    ]


def test_no_attribute_is_said_to_help_most_where_all_bring_the_same(
    language, beginning
):
    told_of = sentence(said(alike(collective("RR-2023")), voice(language)))
    assert told_of.startswith(beginning)


def brought_by(*shapley):
    """What as many attributes bring, by their Shapley values."""
    rows = study.importance(collective("RR-2023"))
    first = rows[rows["sensitive"] == PROC].iloc[:1]
    several = pd.concat([first] * len(shapley), ignore_index=True)
    return several.assign(
        qid=[f"Q{number}" for number in range(len(shapley))], shapley_prob=shapley
    )


def test_all_attributes_whose_values_are_written_alike_are_named(shapley, beginning):
    told_of = sentence(told(brought_by(*shapley), ENGLISH))
    assert told_of.startswith(beginning)
    assert ("“Q1” and “Q2”: 20.00 percentage" in told_of) == (
        shapley == [0.1, 0.2, 0.2]
    )


def test_where_releases_are_linked_it_is_told_of_all_of_them():
    alone = collective("RR-2023")
    linked = collective("SE-2023").assign(focal="RR-2023", auxiliary="RR-2022")
    brought = grid(said(pd.concat([alone, linked])))
    assert brought.caption.endswith("RR-2023 + RR-2022")
    assert "24.01%" in brought.over[1][0]


def test_where_no_attribute_brings_anything_none_is_said_to_help():
    rows = collective("RR-2023")
    rows["n_modal"] = round(rows["prior_prob"].iloc[-1] * 20_000)
    assert sentence(said(rows)) == ""


def test_without_all_subsets_there_is_nothing_to_tell():
    assert said(collective("RR-2023").iloc[1:5]) == ()


@pytest.mark.parametrize("sensitive", ["", PROC])
def test_of_nobody_given_away_nothing_is_lost(sensitive):
    rows = collective("RR-2023").assign(n_certain=0, posterior_det=0.0)
    shown = grid(said(rows, sensitive=sensitive)).rows
    assert {row[1:3] for row in shown} == {("0%", "0")}
