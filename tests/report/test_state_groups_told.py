"""What the page says of groups of values in states side by side."""

from dataclasses import replace

from microleak.report.texts import voice
from tests.report.state_study import chapter, tables_of

PUBLIC = voice("en", is_published=True)


def test_groups_have_a_table_of_states_with_the_most_attributes():
    (grid,) = chapter(tables_of()).grids["groups"]
    assert grid.heads[0] == "Members"
    assert [*grid.rows][:2] == [
        ("Roraima (RR)", ("2,000", "25.15%", "50.15%", "40.00%")),
        ("Distrito Federal (DF)", ("2,000", "25.15%", "50.15%", "40.00%")),
    ]


def test_members_given_away_are_told_by_state_and_none_only_where_there_is_none():
    tables = tables_of(audience="public")
    rows = tables.groups["lines-SE-2023"]
    none = rows.assign(n_certain=0, posterior_det=0.0)
    about = rows.assign(n_certain=10, posterior_det=0.0)
    for of_se, said in [(none, "0% (Sergipe)"), (about, "≈0% (Sergipe)")]:
        shown = replace(tables, groups={**tables.groups, "lines-SE-2023": of_se})
        assert (
            chapter(shown, PUBLIC)
            .answer[3]
            .endswith(f"known: {said} to 25% (Distrito Federal).")
        )


def test_a_group_suppressed_in_every_state_is_not_told():
    tables = tables_of(audience="public")
    groups = {
        name: rows.assign(posterior_det=None, n_certain=None)
        for name, rows in tables.groups.items()
    }
    assert len(chapter(replace(tables, groups=groups), PUBLIC).answer) == 3
