"""What the page says of groups of values, and of what each attribute brings."""

import pandas as pd
import pytest

from microleak.attacks.collective.contributions import importance
from microleak.attacks.collective.report import contributions
from microleak.attacks.collective.report.contents import Listed, Scope
from microleak.attacks.collective.report.groups import group_parts
from microleak.report.texts import voice
from tests.attacks.collective.state_study import AGE, PROC, UNIT, collective, groups

ENGLISH = voice("en")
SEVERE = {"severe": Listed(PROC, 2)}
LINES = Scope(ENGLISH, "record")


def said(rows, speaker=ENGLISH, listed=SEVERE):
    (group,) = group_parts(rows, listed, Scope(speaker, "record"))
    return group.part


def test_a_group_is_told_with_members_certainty_and_belief(language, heading, told):
    part = said(groups("RR-2023"), voice(language))
    assert part.heading == heading
    assert {*told} <= {*part.sentences}


def test_a_group_of_one_value_is_told_in_the_singular():
    part = said(groups("RR-2023"), listed={"severe": Listed(PROC, 1)})
    assert "by 1 value or prefix of" in part.sentences[0]


def test_the_table_has_the_subset_of_each_size_with_the_highest_mean_belief():
    (table,) = said(groups("RR-2023")).grids
    assert table.caption.endswith("RR-2023")
    assert "10.00%" in table.over[1][0]
    rows = [(row[0], row[1].names, row[2], row[5]) for row in table.rows]
    assert rows == [
        ("1", ("PA_CODUNI",), "12.55%", "20.00%"),
        ("2", ("PA_IDADE", "PA_CODUNI"), "25.15%", "40.00%"),
    ]


@pytest.mark.parametrize(("more", "first"), [(0, "PA_IDADE"), (1, "PA_CODUNI")])
def test_of_equal_beliefs_the_more_certain_is_worse_and_then_the_first(more, first):
    rows = groups("RR-2023")
    rows["posterior_prob"] = 0.4
    rows["n_certain"] = [5, 5 + more, 9]
    (table,) = said(rows).grids
    assert table.rows[0][1].names == (first,)


def test_a_heading_names_the_subset_that_makes_certain_of_most_members():
    # It has neither the most attributes nor the highest mean belief.
    rows = groups("RR-2023")
    rows["n_certain"], rows["posterior_det"] = [600, 0, 500], [0.3, 0.0, 0.25]
    part = said(rows)
    assert part.heading == (
        "Group “severe” of procedure: with 1 attribute known (age), 30.00% of its "
        "members are given away with certainty"
    )
    text = "an adversary who knows 1 attribute (age) is certain for 30.00%"
    assert text in part.sentences[1]


def test_of_a_size_the_most_certain_and_the_highest_belief_are_shown_and_marked():
    rows = groups("RR-2023")
    rows["n_certain"], rows["posterior_det"] = [600, 0, 800], [0.3, 0.0, 0.4]
    (table,) = said(rows).grids
    assert [(row[1].names[0], row[1].marks, row[2], row[5]) for row in table.rows] == [
        ("PA_IDADE", ("most members with certainty",), "30.00%", "10.00%"),
        ("PA_CODUNI", ("highest mean belief",), "0%", "20.00%"),
        ("PA_IDADE", (), "40.00%", "40.00%"),
    ]


def test_where_releases_are_linked_the_first_and_the_whole_panel_are_shown():
    panels = [groups("RR-2023", auxiliary=a) for a in ("", "2021", "2021|2022")]
    panels[-1]["n_certain"] = 1_000
    panels[-1]["posterior_det"] = 0.5
    part = said(pd.concat(panels))
    labels = ["RR-2023", "RR-2023 + 2021 + 2022"]
    assert [table.caption.split(", ")[-1] for table in part.grids] == labels
    assert "50.00% of its members" in part.heading


def test_that_nobody_is_given_away_is_said_of_all_attributes():
    part = said(groups("RR-2023", n_certain=0))
    assert part.heading.endswith(
        "no member is given away with certainty, even with 2 attributes known"
    )


def test_a_group_that_no_record_is_of_has_no_shares():
    shares = dict.fromkeys(["posterior_det", "posterior_prob"], float("nan"))
    rows = groups("RR-2023").assign(n_members=0, n_certain=0, prior_prob=0.0, **shares)
    (group,) = group_parts(rows, SEVERE, LINES)
    assert group.part.heading == (
        "Group “severe” of procedure: no record has one of its values"
    )
    assert len(group.part.sentences) == 1
    assert group.highest == 0


def test_each_group_of_an_analysis_has_a_part_of_its_own():
    both = pd.concat([groups("RR-2023"), groups("RR-2023").assign(group="other")])
    listed = SEVERE | {"other": Listed(PROC, 7)}
    found = group_parts(both, listed, LINES)
    parts = [each.part for each in found]
    assert [(p.anchor, p.kicker) for p in parts] == [
        ("en-lines-RR-2023-group-0", "Group of values: severe"),
        ("en-lines-RR-2023-group-1", "Group of values: other"),
    ]


def brought(rows, speaker=ENGLISH, sensitive=PROC):
    found = importance(rows)
    return contributions.importance(found[found["sensitive"] == sensitive], speaker)


def sentence(elements):
    """The sentence above the table; empty if there is none."""
    return "".join(e.text for e in elements if e.kind == "paragraph")


def grid(elements):
    (found,) = (e for e in elements if e.kind == "grid")
    return found


def test_the_attribute_that_brings_most_is_told_with_what_is_lost_without_it(
    language, told
):
    assert sentence(brought(collective("RR-2023"), voice(language))) == told


def test_the_table_has_posteriors_leakage_and_shapley_values_the_highest_first():
    table = grid(brought(collective("RR-2023")))
    (det, _), (prob, _) = table.over
    assert "14.26%" in det
    assert "57.02%" in prob
    assert [(row[0], *row[3:]) for row in table.rows] == [
        (UNIT, "15.02%", "8.35", "36.18"),
        (AGE, "37.02%", "30.35", "14.18"),
    ]
    assert [row[1] for row in table.rows] == ["3.76%", "9.26%"]


def test_no_attribute_is_said_to_help_most_where_all_bring_the_same(
    language, beginning
):
    rows = collective("RR-2023")
    alike = rows.assign(n_modal=5_000, n_certain=5_000, posterior_prob=0.25)
    found = brought(alike, voice(language))
    assert sentence(found).startswith(beginning)
    assert [row[0] for row in grid(found).rows] == [AGE, UNIT]


def test_all_attributes_whose_values_are_written_alike_are_named(shapley, beginning):
    rows = importance(collective("RR-2023"))
    first = rows[rows["sensitive"] == PROC].iloc[:1]
    several = pd.concat([first] * len(shapley), ignore_index=True)
    names = [f"Q{number}" for number in range(len(shapley))]
    several = several.assign(qid=names, shapley_prob=shapley)
    told_of = sentence(contributions.importance(several, ENGLISH))
    assert told_of.startswith(beginning)
    assert ("“Q1” and “Q2”: 20.00 percentage" in told_of) == (
        shapley == [0.1, 0.2, 0.2]
    )


def test_where_releases_are_linked_it_is_told_of_all_of_them():
    alone = collective("RR-2023")
    linked = collective("SE-2023").assign(focal="RR-2023", auxiliary="RR-2022")
    table = grid(brought(pd.concat([alone, linked])))
    assert table.caption.endswith("RR-2023 + RR-2022")
    assert "24.01%" in table.over[1][0]


def test_where_no_attribute_brings_anything_none_is_said_to_help():
    rows = collective("RR-2023")
    rows["n_modal"] = round(rows["prior_prob"].iloc[-1] * 20_000)
    assert sentence(brought(rows)) == ""


def test_without_all_subsets_there_is_nothing_to_tell():
    assert brought(collective("RR-2023").iloc[1:5]) == ()


@pytest.mark.parametrize("sensitive", ["", PROC])
def test_of_nobody_given_away_nothing_is_lost(sensitive):
    rows = collective("RR-2023").assign(n_certain=0, posterior_det=0.0)
    shown = grid(brought(rows, sensitive=sensitive)).rows
    assert {row[1:3] for row in shown} == {("0%", "0")}
