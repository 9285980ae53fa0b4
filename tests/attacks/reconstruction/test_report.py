"""What the page says of rebuilt databases."""

import json
from functools import cache

import pytest

from microleak.attacks.reconstruction.attempts import ATTACKS
from microleak.attacks.reconstruction.definitions.noise import LAWS
from microleak.attacks.reconstruction.report import DRAW
from microleak.figures.numbers import SYNTHETIC_MARK
from microleak.report.drawn import figure_name
from microleak.report.texts import texts_of, voice
from tests.attacks.membership.test_report import INGEST
from tests.attacks.reconstruction.shown_rows import (
    GRID,
    PERSONS,
    attempt,
    counted,
    points,
    results,
)
from tests.report.made import Made, Told, draw_families, family_parts, report_pages
from tests.report.test_page import Parser


def families(**analyses):
    """Tables by family, of attempts or of points by the name of their analysis."""
    return {
        family: {
            name: table if ("n_points" in table) == (family == "bad_points") else none
            for name, table in analyses.items()
        }
        for family, none in (("reconstruction", results()), ("bad_points", points()))
    }


def blank(tables):
    """An empty drawing at the path of every figure that the parts show."""
    return {
        figure_name("reconstruction", name, kind, language=language): "<svg/>"
        for name in tables["reconstruction"]
        for kind in DRAW
        for language in ("pt", "en")
    }


def parts(language="en", **analyses):
    tables = families(**analyses)
    return list(family_parts(tables, blank(tables), voice(language)))


@cache
def _part(rows, language):
    (found,) = parts(language, roots=results(*json.loads(rows)))
    return found


def part(*rows, language="en"):
    return _part(json.dumps(rows), language)  # once for the tests of the same rows


def attempts_of(rows):
    """GRID, or what attempts are made of, as cases have them."""
    for row in rows:
        yield from GRID if row == "GRID" else [attempt(*row[:3], **dict(*row[3:]))]


def of_persons(*rows):
    return [row | PERSONS for row in rows]


def grid(told, words):
    (found,) = [each for each in told.grids if words in each.caption]
    return found


def column(table, name):
    return [row[table.headings.index(name)] for row in table.rows]


def test_the_heading_claims_no_more_than_was_recovered(rows, language, beginning):
    found = part(*attempts_of(rows), language=language)
    assert found.heading.startswith(beginning)


def test_the_heading_says_how_many_answers_were_wrong_by_any_amount():
    rows = [attempt(8, 1, 16), attempt(8, 1, 16, outliers=0.1)]
    heading = part(*rows).heading
    assert heading.endswith(
        "error, even with 10% of the answers entirely wrong (linear programming; "
        "uniform noise)"
    )
    table = grid(part(*rows), "Results of each setting")
    few = "uniform noise, 10% of the answers arbitrary"
    assert column(table, "Noise") == ["uniform noise", few]


def test_what_was_asked_is_said_and_whose_entries_a_database_has():
    told = part(*GRID)
    assert told.measured == (
        "roots: rebuilding databases of zeros and ones; attempts: 12; entries (n): 16; "
        "queries: 32 to 64; noise of each answer (E): 0 to 4.",
        "Attacks: linear programming. Noise: uniform noise.",
        "The databases are random (each entry is 1 with chance 0.5) and describe "
        "nobody.",
    )
    assert told.kicker == "Reconstruction of random databases"
    assert "docs/performance.md" in dict(told.definitions)["Times"]
    drawn = part(*of_persons(*GRID))
    assert drawn.measured[-1] == (
        "The entries are of people drawn from table people, release 1: 1 if ILL is "
        "equal to “1”, 0 if it is not."
    )
    assert drawn.kicker == "Reconstruction from counts"


def test_a_bound_that_is_not_that_of_the_noise_is_said():
    rows = [attempt(8, bound, 16, assumed_bound=0.5) for bound in (0.5, 1)]
    for language, words in (
        ("en", "The attacks assume noise of at most 0.5, which is not always"),
        ("pt", "Os ataques supõem ruído de no máximo 0,5, que nem sempre é o"),
    ):
        assert part(*rows, language=language).measured[2].startswith(words)
    assert len(part(rows[0]).measured) == 3


def test_what_came_of_attempts_is_told_where_it_happened(rows, said):
    assert any(said in text for text in part(*attempts_of(rows)).sentences)
    assert not any(said in text for text in part(attempt(8, 1, 16)).sentences)


@pytest.mark.parametrize("changed", [{"outliers": 0.1}, {"assumed_bound": 0.5}])
def test_beyond_the_bound_nothing_is_said_that_holds_within_it_only(changed):
    claimed = changed | {"is_consistent": True, "is_proven": True}
    said = " ".join(part(*(attempt(8, 1, n, **claimed) for n in (9, 16))).sentences)
    assert "is certain of" not in said
    assert "outliers" not in changed or "could have given the same" not in said


def test_of_an_attack_one_sentence_says_where_noise_stops_it():
    laws = ("uniform", "rounding", "adversarial")
    rows = [attempt(8, bound, 9, noise=law) for law in laws for bound in (0, 1, 2)]
    (stop,) = [text for text in part(*rows).sentences if "8 queries: with the" in text]
    assert stop.startswith("Linear programming (uniform noise),")


def test_laws_that_no_figure_shows_are_named():
    laws = [n / 10 for n in range(7)]
    rows = [attempt(8, bound, 9, outliers=n) for n in laws for bound in (0, 1, 2)]
    (drawing,) = part(*rows).drawings
    assert drawing.caption.endswith(
        "In the table only: linear programming (uniform noise, 60% of the answers "
        "arbitrary)."
    )
    assert "table only" not in part(*rows[:18]).drawings[0].caption


@pytest.mark.parametrize("n_right", [16, 9])
def test_the_heading_of_persons_says_what_is_right_without_answers(n_right):
    for language, ending in (
        ("en", "giving every entry the more frequent value gets 75.00% of"),
        ("pt", "atribuir a todas as entradas o valor mais frequente acerta 75"),
    ):
        rows = of_persons(attempt(8, 1, n_right, n_ones=12))
        told = part(*rows, language=language)
        assert ending in told.heading
        assert not any(text.startswith(("Without", "Sem ")) for text in told.sentences)
    # Of sizes that differ it is from the least to the largest.
    small = {"n_entries": 10, "n_claimed": 10, "n_ones": 1}
    sizes = [attempt(8, 1, 9, n_ones=8), attempt(8, 1, 9, **small)]
    assert part(*of_persons(*sizes)).heading.endswith(
        "the more frequent value gets 50.00% to 90.00% of them right"
    )


def test_results_have_their_formulas_and_stand_open_where_nothing_is_drawn():
    row = attempt(8, 1, 9, queries="n/2", error="0.25*sqrt(n)", n_claimed=12)
    (table,) = part(row).grids
    assert not table.is_folded
    assert table.rows == (
        (
            *("linear programming", "uniform noise", "16", "8 (n/2)"),
            *("1 (0.25*sqrt(n))", "0.25", "0 of 1", "56.25%", "50.00%", "56.25%"),
            *("75.00%", "0", "0", "1 in part"),
        ),
    )
    assert all(len(row) == len(table.headings) for row in table.rows)
    table, limits = (grid(part(*GRID), w) for w in ("Results of each", "Where noise"))
    assert table.is_folded
    whole = ["2 of 2", "1 of 2", "0 of 2", "2 of 2", "2 of 2", "1 of 2"]
    assert column(table, "Databases whole") == whole
    assert limits.rows == (
        ("linear programming (uniform noise)", "16", "32", "0", "1"),
        ("linear programming (uniform noise)", "16", "64", "0.5", "does not occur"),
    )
    (table,) = part(attempt(8, 1, 12, n_ones=4)).grids
    assert column(table, "Entries right (mean)") == ["75.00%"]
    assert column(table, "Right without answers (mean for that n)") == ["75.00%"]
    endings = ("not solved", "infeasible")
    (table,) = part(*(attempt(8, 1, 0, n_claimed=0, status=s) for s in endings)).grids
    assert column(table, "Do not claim all") == ["1 not solved; 1 infeasible"]


def test_points_are_counted_with_all_parameters_beside_table_3_as_printed():
    told, *_ = parts(bad=points(counted(5, 990, 40, 7), counted(5, 992, 40, 3)))
    assert told.heading == (
        "10 of 2,000 random points are far from the true database, and yet no answer "
        "rules them out"
    )
    assert told.sentences == (
        "n = 5: 0.50% of the random points are bad and no answer rules them out (10 of "
        "2,000).",
    )
    (table,) = told.grids
    asked = ["uniform noise", "5", "27 (n*log2(n)**2)", "1.12 (0.5*sqrt(n))"]
    printed = ["Table 3 as printed", "5", *["not stated"] * 5, "596,540,912"]
    assert table.rows == (
        (*asked, "4", "0.1", "2", "2,000", "1,982", "80", "10", "0.50%", "18", "70"),
        (
            *(*printed, "594,206,989", "32,706,020", "2,283,410", "0.38%"),
            *("2,333,923", "30,422,610"),
        ),
    )
    other, *_ = parts(bad=points(counted(6, 990, 40, 7)))
    assert len(other.grids[0].rows) == 1


def test_points_of_one_database_are_told_in_the_singular():
    rows = [counted(5, 990, 40, 7)] * 2
    for language, n, words in (
        ("en", 1, "for 1 database, random too, which des"),
        ("en", 2, "for 2 databases, random too"),
        ("pt", 1, "para 1 banco de dados, também sorteado, "),
        ("pt", 2, "para 2 bancos de dados, "),
    ):
        told, *_ = parts(language, bad=points(*rows[:n]))
        assert words in told.measured[0]


@pytest.mark.parametrize("language", ["en", "pt"])
def test_texts_that_nothing_is_put_into_have_single_braces(language):
    texts = texts_of(language)
    plain = ["introductions", "limits", *(s for s in texts if "definitions" in s)]
    said = [str(text) for section in plain for text in texts[section].values()]
    assert any("{0, 1/k, ..., 1}" in text for text in said)
    assert not any("{{" in text for text in said)


def test_why_an_analysis_of_few_noise_levels_has_no_figure_is_told():
    few = [attempt(8, bound, 16) for bound in (0, 1)]
    for language, words in (
        ("en", "There is no figure: it needs three"),
        ("pt", "Não há figura: ela pede tr"),
    ):
        told = part(*few, language=language)
        assert told.drawings == ()
        assert told.sentences[-1].startswith(words)
        enough = part(*few, attempt(8, 2, 16), language=language)
        assert not any(text.startswith(words) for text in enough.sentences)


def test_bases_of_rounding_that_reach_one_bound_stand_apart():
    rows = [
        attempt(8, 1, right, noise="rounding", error=formula)
        for formula, right in (("1", 16), ("1.5", 9))
    ]
    table = grid(part(*rows), "Results of each setting")
    assert column(table, "E (formula)") == ["1", "1 (1.5)"]
    assert column(table, "Databases whole") == ["1 of 1", "0 of 1"]


def test_a_word_is_defined_once_where_it_is_used_first():
    lone = attempt(8, 1, 9, attack="l1")
    first, second = parts(roots=results(*GRID), outliers=results(lone))
    assert [term for term, _ in second.definitions] == ["Least absolute differences"]
    assert "Linear programming" in dict(first.definitions)
    assert "Least squares" not in dict(first.definitions)


@pytest.mark.parametrize("language", ["pt", "en"])
def test_every_attack_and_law_of_noise_has_a_name_and_a_definition(language):
    texts = texts_of(language)
    for kind, names in (("attack", ATTACKS), ("noise", LAWS)):
        for name in names:
            assert texts["figure"][f"reconstruction_{kind}_{name}"]
            assert texts["reconstruction_definitions"][name]["text"]


def test_only_databases_of_a_synthetic_release_are_marked():
    def marked(*rows):
        drawn = draw_families(families(r=results(*rows)), ["en"], {("people", "1")})
        return [SYNTHETIC_MARK in svg for _, svg in drawn]

    assert marked(*GRID) == [False, False]
    assert marked(*of_persons(*GRID)) == [True, True]


def test_a_page_of_rebuilt_databases_alone_holds_figures_tables_and_introduction():
    found = families(roots=results(*GRID), bad=points(counted(8, 999, 0, 0)))
    figures = dict(draw_families(found, ["pt", "en"], ()))
    tables = Made({}, {}, {}, INGEST, families=found)
    page = report_pages(Told("s"), tables, figures, ["pt", "en"])
    html = page["index.html"]
    Parser(html)
    assert html.count("<figure>") == 4
    for language in ("pt", "en"):
        assert texts_of(language)["introductions"]["reconstruction"][:60] in html
        assert f'id="{language}-reconstruction:bad"' in html
    assert "data/roots-reconstruction.csv" in html
