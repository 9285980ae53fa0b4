"""What the page says of states side by side."""

from dataclasses import replace

import pandas as pd
import pytest

from microleak.attacks.collective.report.drawing import state_kinds, state_path
from microleak.attacks.collective.report.state_tables import state_grids
from microleak.attacks.collective.report.states import _changed, _gaps, states_parts
from microleak.base.errors import StudyError
from microleak.report.texts import voice
from tests.attacks.collective.state_study import (
    AGE,
    PROC,
    TABLE,
    alone,
    chapter,
    study_of,
    tables_of,
    with_another,
)
from tests.report.made import AnyFigure

ENGLISH = voice("en")
PORTUGUESE = voice("pt")
TABLES = tables_of()
(SHOWN,) = TABLES.side_by_side()


def test_states_are_told_with_the_lowest_and_highest_and_the_risk_above_90(
    language, told
):
    assert [*chapter(TABLES, voice(language)).sentences[:3]] == told


def test_qids_are_not_named_where_states_have_different_worst_combinations():
    both = TABLES.states["n_qids"] == 2
    is_rr = TABLES.states["state"] == "RR"
    qids = TABLES.states["qids"].mask(both & is_rr, "PA_IDADE|PA_CMP")
    mixed = replace(TABLES, states=TABLES.states.assign(qids=qids))
    told = chapter(mixed).sentences[1]
    assert told.startswith("With the worst combination of 2 attributes in each")


def test_where_nobody_is_above_90_no_state_is_said_to_have_the_highest_risk():
    nobody = TABLES.states.assign(n_above_90=0, share_above_90=0.0)
    (said,) = chapter(replace(TABLES, states=nobody)).answer
    assert not any("above 90%" in line.text for line in said.lines)


def test_numbers_of_states_stand_beside_the_warning_that_lines_are_not_persons():
    assert "a line that is found is not yet a person" in chapter(TABLES).warning
    persons = replace(study_of(TABLES), line_tables=frozenset())
    (found,) = states_parts(persons.facts, TABLES.measures, AnyFigure(), ENGLISH)
    assert found.part.warning == ""


def test_states_reply_to_the_questions_of_the_first_screen(question, text, bars):
    replies = {reply.question: reply for reply in chapter(TABLES).replies}
    assert [*replies] == ["learn", "change", "help", "sure"]
    assert replies[question].text == text
    shares = replies[question].picture.bars if bars else ()
    assert [[bar.label, bar.written] for bar in shares] == bars


def test_without_years_or_importance_states_do_not_reply_to_what_they_measure():
    newest = TABLES.states[TABLES.states["year"] == "2023"]
    few = replace(TABLES, states=newest, importance={})
    asked = [reply.question for reply in chapter(few).replies]
    assert asked == ["learn", "sure"]


def test_series_with_gaps_and_years_that_end_early_are_told():
    told = chapter(TABLES).sentences
    gaps = "Some series have gaps: Distrito Federal (2023 only); Sergipe (2023 only)."
    assert gaps in told
    is_newest = TABLES.ingest["release"] == "RR-2023"
    n_months = TABLES.ingest["n_months"].mask(is_newest, 6)
    until_june = TABLES.ingest.assign(n_months=n_months)
    replies = chapter(replace(TABLES, ingest=until_june)).replies
    (changed,) = (reply.text for reply in replies if reply.question == "change")
    assert changed.endswith("in 2022 and 50.35 in 2023 (up to month 6).")


def test_a_state_whose_last_release_is_not_the_newest_is_told_so():
    rows = TABLES.states
    is_rr = (rows["state"] == "RR") & (rows["year"] == "2022")
    earlier = rows[is_rr].assign(year="2021", release="RR-2021")
    is_last = (rows["state"] == "RR") & (rows["year"] == "2023")
    gone = pd.concat([earlier, rows[~is_last]])
    (shown,) = replace(TABLES, states=gone).side_by_side()
    told = _gaps(shown, PORTUGUESE)
    assert "Roraima (sem 2023)" in told
    assert _changed(shown, "2 attributes", ENGLISH).endswith(
        "The study has no later release of this state."
    )


def grids(kind, speaker=ENGLISH, **changed):
    (shown,) = replace(TABLES, **changed).side_by_side()
    return state_grids(shown, speaker)[kind]


def test_behind_a_figure_are_the_numbers_of_each_state(
    kind, number, caption, heads, rows
):
    grid = grids(kind)[number]
    assert caption in grid.caption
    assert [*grid.headings[1:]] == heads
    assert [[*row] for row in grid.rows[: len(rows)]] == rows


def test_a_state_without_all_subsets_is_left_out_of_table_3():
    some = {k: v for k, v in TABLES.importance.items() if k != "lines-SE-2023"}
    for grid in grids("importance", importance=some):
        names = [row[0] for row in grid.rows]
        assert names == ["Roraima (RR)", "Distrito Federal (DF)"]


def test_states_stand_side_by_side_in_the_newest_year_that_has_two():
    rows = TABLES.states
    newer = rows[rows["state"] == "SE"].assign(year="2024", release="SE-2024")
    (shown,) = replace(TABLES, states=pd.concat([rows, newer])).side_by_side()
    assert (shown.year, set(shown.rows["state"])) == ("2023", {"RR", "SE", "DF"})
    assert "2024" not in set(shown.years["year"])


@pytest.mark.parametrize("releases", [("RR-2022", "RR-2023"), ("RR-2022", "SE-2023")])
def test_one_state_a_year_is_not_put_side_by_side(releases):
    assert tables_of(releases).side_by_side() == []


def test_each_analysis_has_its_own_states_and_attacks():
    lines, units = with_another(TABLES).side_by_side()
    assert (lines.analysis, units.analysis) == ("lines", "units")
    for shown in (lines, units):
        assert set(shown.rows["analysis"]) == {shown.analysis}
        assert set(shown.explained["analysis"]) == {shown.analysis}
        names = {state: set(rows["analysis"]) for state, rows in shown.attacks.items()}
        assert names == {s: {f"{shown.analysis}-{s}-2023"} for s in ("RR", "SE", "DF")}


def test_of_analyses_that_stand_alone_only_those_with_the_same_attacks_are_shown():
    tables = alone(TABLES)
    rows = tables.collective["lines-SE-2023"]
    fewer = rows[rows["qids"] == AGE].assign(analysis="first")
    more = {"first": fewer, **tables.collective}
    (shown,) = replace(tables, collective=more).side_by_side()
    assert shown.parts == {
        **{"RR-2022": "lines-RR-2022", "RR-2023": "lines-RR-2023"},
        **{"SE-2023": "lines-SE-2023", "DF-2023": "lines-DF-2023"},
    }


def test_only_the_attacks_on_the_focal_release_alone_are_shown():
    rows = TABLES.collective["lines-RR-2023"]
    linked = pd.concat([rows, rows.assign(auxiliary="RR-2022", attack="CAL")])
    more = {**TABLES.collective, "lines-RR-2023": linked}
    (shown,) = replace(TABLES, collective=more).side_by_side()
    assert shown.attacks["RR"]["attack"].tolist() == ["CAS"] * 3


def test_figures_of_years_and_importance_are_there_only_where_they_have_numbers():
    assert {"years", "importance"} < {*state_kinds(SHOWN)}
    (alone,) = tables_of(("RR-2023", "SE-2023")).side_by_side()
    assert "years" not in state_kinds(alone)
    assert "importance" not in state_kinds(replace(alone, importance={}))


def test_figures_of_two_analyses_and_attributes_are_never_one_file():
    first = replace(SHOWN, analysis="a-b", sensitive="c")
    other = replace(SHOWN, analysis="a", sensitive="b-c")
    assert state_path(first, "map", "en") != state_path(other, "map", "en")
    slash = replace(SHOWN, sensitive="X/Y")
    assert state_path(slash, "map", "en") == "states-lines+X%2FY-map.en.svg"


def test_a_missing_figure_of_states_is_named():
    with pytest.raises(StudyError, match=r"lacks the figure states-lines\+.*-map\.en"):
        list(states_parts(study_of(TABLES).facts, TABLES.measures, {}, ENGLISH))


def test_groups_have_a_table_of_states_with_the_most_attributes():
    grid = chapter(TABLES).grids[0]
    assert grid.headings[1] == "Members"
    assert [*grid.rows][:2] == [
        ("Roraima (RR)", "2,000", "25.15%", "50.15%", "40.00%"),
        ("Distrito Federal (DF)", "2,000", "25.15%", "50.15%", "40.00%"),
    ]


def fits(n_states=27, **shares):
    """Fits with all attributes known, of one explanation each."""
    which = {"analysis": "lines", "table": TABLE, "year": "2023", "sensitive": PROC}
    which |= {"n_qids": 2, "n_states": n_states, "correlation": None}
    return pd.DataFrame(
        {**which, "explained_by": name, "r_squared": share, "adjusted_r_squared": share}
        for name, share in shares.items()
    )


def told_of(explained):
    """Return what is said of the fits, behind what is of the states and their gaps."""
    return chapter(replace(TABLES, explained=explained)).sentences[5:]


def test_what_goes_with_the_leakage_is_told_in_words_and_percent():
    shares = {"n_records": 0.031, "sensitive_entropy": 0.1, "qids_entropy": 0.35}
    assert told_of(fits(**shares, mean_block_size=1)) == (
        "Do size or entropy explain the differences in leakage between the 27 states? "
        "Share of the differences that a straight line over each accounts for (R²): "
        "number of records 3.10% (almost nothing); entropy of “procedure” 10.00% "
        "(little); joint entropy of the attributes known 35.00% (a part); mean block "
        "size 100% (the greater part).",
        "This says what goes together, not why.",
    )


@pytest.mark.parametrize(
    ("n_states", "said"), [(9, "may well be chance"), (10, "This says what goes")]
)
def test_with_fewer_than_ten_states_a_fit_is_said_to_be_weak_evidence(n_states, said):
    assert said in told_of(fits(n_states, n_records=0.9))[1]


@pytest.mark.parametrize(("n_states", "n_told"), [(5, 0), (6, 2)])
def test_with_fewer_than_five_states_more_than_explanations_none_is_told(
    n_states, n_told
):
    assert len(told_of(fits(n_states, n_records=0.99))) == n_told


def test_almost_all_is_not_said_to_be_all():
    explained = fits(n_records=0.998)
    assert "number of records 99.80% (the greater part)" in told_of(explained)[0]
    (grid,) = grids("explained", explained=explained)
    assert grid.rows == (("number of records", "–", "0.998", "0.998"),)


def test_a_fit_that_is_undefined_or_to_several_explanations_is_not_told():
    several = fits(**{"qids_entropy|mean_block_size": 0.9}, n_records=None)
    assert told_of(several) == ()


def test_a_correlation_has_two_decimals_and_a_minus_sign():
    minus = fits(n_records=0.5).assign(correlation=-0.7071)
    (grid,) = grids("explained", PORTUGUESE, explained=minus)
    assert grid.rows == (("número de registros", "−0,71", "0,50", "0,50"),)
