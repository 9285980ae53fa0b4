"""What the page says of how releases were protected, and of what tables lose."""

import pandas as pd
import pytest

from microleak.report.answer import answer
from microleak.report.contents import Headline, Tables
from microleak.report.editions import protections, tabulations
from microleak.report.page import each_page
from microleak.report.parts import Chapter, Part
from microleak.report.texts import voice
from microleak.tables.rows import filled
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.study")
EN, PT = voice("en"), voice("pt")
NONE = float("nan")


def suppressed(n_cells, least, given="k=3", attribute=""):
    row = dict.fromkeys(TABLES["protections"].names, NONE) | {
        **{"table": "people", "release": "safe", "origin": "2023"},
        **{"attribute": attribute, "methods": "generalise|suppress"},
        **{"parameters": f"level=1|{given}"},
        **{"n_after": 2000, "n_suppressed": n_cells, "n_suppressed_at_least": least},
    }
    return pd.DataFrame([row])


@pytest.mark.parametrize(
    ("least", "said"),
    [
        (405, "cells made missing: 457; any solution needs at least 405"),
        (457, "cells made missing: 457, the fewest possible"),
        (NONE, "cells made missing: 457"),
    ],
)
def test_the_cells_of_a_suppression_are_told_with_the_fewest_that_it_takes(least, said):
    (grid,) = protections(suppressed(457, least), EN)
    assert grid.rows[0][3] == (
        "generalised (level=1); suppressed so that every combination of the suppressed "
        f"attributes has at least 3 records; {said}"
    )


def test_the_fewest_cells_are_told_in_portuguese():
    (grid,) = protections(suppressed(1457, 1405), PT)
    assert grid.rows[0][3].endswith(
        "células tornadas ausentes: 1.457; qualquer solução exige ao menos 1.405"
    )


def test_what_a_suppression_had_to_reach_is_said_in_words(given, said, dito):
    for voiced, words in (
        (EN, f"suppressed so that {said}"),
        (PT, f"suprimido de modo que {dito}"),
    ):
        (grid,) = protections(suppressed(9, NONE, given), voiced)
        assert words in grid.rows[0][3]
        assert "=" not in grid.rows[0][3].partition("; ")[2]


def test_rows_of_single_attributes_do_not_say_again_what_had_to_be_reached():
    (grid,) = protections(suppressed(NONE, NONE, attribute="age"), EN)
    assert grid.rows[0][3] == "generalised (level=1); suppressed"


def test_a_table_is_told_as_a_whole_and_in_the_groups_that_lose_most():
    row = dict.fromkeys(TABLES["tabulations"].names, NONE) | {
        **{"protection": "safe", "table": "people", "tabulation": "by sex"},
        **{"attributes": "sex|age", "total_variation": 0.0805, "outcome": ""},
        **{"largest_error_share": 0.0125, "total_variation_worst": 0.0722},
        **{"largest_error_share_worst": 0.0311},
    }
    (grid,) = tabulations(pd.DataFrame([row]), EN)
    assert grid.rows[0][3:] == ("8.05%", "1.25%", "7.22%", "3.11%")
    worst = ("total_variation_worst", "largest_error_share_worst")
    (grid,) = tabulations(pd.DataFrame([row | dict.fromkeys(worst, NONE)]), EN)
    assert grid.rows[0][3:] == ("8.05%", "1.25%", "–", "–")


class Shown:
    """A family with a part of the release and one of its protection."""

    topics, script = frozenset(["alone"]), ""

    def chapters(self, *_):
        names = ("as-it-is", "coarse")
        parts = (Part(f"en-{n}", n, "", f"Found in {n}") for n in names)
        yield Chapter(tuple(parts), self.topics)


def page_of(voiced, protected):
    made = Headline("demo", protected=protected)
    tables = Tables({}, {"ingest": filled(TABLES["ingest"], [])})
    ((_, page),) = each_page(made, tables, {}, [voiced.language], {"alone": Shown()})
    return page


@pytest.mark.parametrize(
    ("voiced", "said"),
    [
        (EN, "coarse (protected release safe, made from 2023)"),
        (PT, "coarse (divulgação protegida safe, feita a partir de 2023)"),
    ],
)
def test_findings_on_a_protected_release_say_so_beside_those_on_the_release(
    voiced, said
):
    page = page_of(voiced, {"alone": {"coarse": ["safe", "2023"]}})
    assert f'<p class="kicker">{said}</p>' in page
    assert '<p class="kicker">as-it-is</p>' in page
    for protected in ({}, {"another": {"coarse": ["safe", "2023"]}}):
        assert "2023" not in page_of(voiced, protected)


@pytest.mark.parametrize(
    ("release", "named"), [("safe", "coarse (safe)"), ("", "coarse")]
)
def test_further_findings_of_one_analysis_are_named_if_it_is_protected(release, named):
    parts = [Part(n, "coarse", "", f"Found {n}", release=release) for n in "abcdef"]
    told = answer(parts, EN)
    assert [name for name, _ in told.analyses] == [named]
    assert told.names_analyses == bool(release)
