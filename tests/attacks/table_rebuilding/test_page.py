"""What the page says of tables of counts."""

import pytest

from microleak.report.parts import Grid, Sentences
from tests.attacks.table_rebuilding.shown_rows import (
    REBUILT,
    REGIONS,
    SIZES_OF_REGIONS,
)
from tests.report.made import part_with_figure


def part(regions=REGIONS, language="en"):
    tables = {
        "table_rebuilding": {"tract": regions},
        "rebuilt_cells": {"tract": REBUILT},
        "rebuilt_sizes": {"tract": SIZES_OF_REGIONS},
    }
    shown, _ = part_with_figure(
        "table_rebuilding", tables, ("census", "2018"), language
    )
    return shown


def sentences(shown):
    (found,) = (each for each in shown.body if isinstance(each, Sentences))
    return " ".join(found.texts)


def test_what_is_proved_is_told_by_the_size_of_regions():
    grids = [each for each in part().body if isinstance(each, Grid)]
    assert [*grids[0].rows] == [
        ("0–49", "2", "50", "96.00%", "90.00%", "50.00%"),
        ("50 or more", "1", "50", "10.00%", "90.00%", "50.00%"),
    ]


def test_who_is_reidentified_is_told():
    assert (
        "People re-identified in that database by someone who knows AGE and SEX of "
        "everybody, because they are unique there and in the true records: 50; proved: "
        "26."
    ) in sentences(part())


def test_keys_that_stay_the_same_tell_who_has_left():
    shown = part(REGIONS.assign(n_differenced=7))
    assert "give away all attributes of 21 of 100 people." in sentences(shown)


@pytest.mark.parametrize(
    ("language", "heading", "said"),
    [
        (
            "en",
            "With a chance of 95.00% or more, the tables reveal 53 of 100",
            "nothing is",
        ),
        (
            "pt",
            "Com chance de 95,00% ou mais, as tabelas revelam 53 de 100",
            "nada fica",
        ),
    ],
)
def test_nothing_is_called_proved_that_has_a_chance(language, heading, said):
    shown = part(REGIONS.assign(chance=0.95), language)
    assert shown.heading.startswith(heading)
    assert said in sentences(shown)
    assert part(language=language).heading.count("53") == 1
