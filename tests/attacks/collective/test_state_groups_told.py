"""What the page says of groups of values in states side by side."""

from tests.attacks.collective.state_study import chapter, tables_of


def test_groups_have_a_table_of_states_with_the_most_attributes():
    grid = chapter(tables_of()).grids[0]
    assert grid.headings[1] == "Members"
    assert [*grid.rows][:2] == [
        ("Roraima (RR)", "2,000", "25.15%", "50.15%", "40.00%"),
        ("Distrito Federal (DF)", "2,000", "25.15%", "50.15%", "40.00%"),
    ]
