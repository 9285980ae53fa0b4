"""What the page says of drawn values and of protected releases."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from microleak.report.answer import answer
from microleak.report.contents import Headline, Tables
from microleak.report.editions import protections, tabulations
from microleak.report.face_value import concerned, drawn_by, remark
from microleak.report.families import EachAnalysis
from microleak.report.page import each_page
from microleak.report.parts import Chapter, Line, Part, Reply, Said
from microleak.report.texts import voice
from microleak.study.publish import _drawn_anew
from microleak.study_file.model import Table
from microleak.study_file.protections import PoolSection, ProtectionSection
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

DRAWN = {"toy": {"a": {"noisy": {"randomise": ["ILL"]}}}}
SAID = {
    "en": "In release noisy, values of ILL were randomised: this is a claim from the "
    "published values and may be false of the person.",
    "pt": "Na divulgação noisy, valores de ILL foram aleatorizados: trata-se de uma "
    "afirmação feita a partir dos valores publicados, que pode ser falsa a respeito "
    "da pessoa.",
}


def family(**keys):
    """How a family is shown that forgets to say anything of drawn values."""

    class Forgetful(EachAnalysis):
        def analyses(self, _):
            return [("a", "59.78 %"), ("b", "3 %")]

        def part(self, found, place):
            given = {"anchor": place.anchor, "kicker": "", "heading": f"Found {found}"}
            return Part(analysis=place.analysis, **{**given, **keys})

    return Forgetful("toy", heading=None, sentences=None)


def parts(language, drawn=None, **keys):
    study = Headline("study", drawn=DRAWN if drawn is None else drawn)
    tables = Tables({}, {"ingest": pd.DataFrame()})
    (told,) = family(**keys).chapters(study, tables, {}, voice(language))
    return told.parts


@pytest.mark.parametrize("language", ["en", "pt"])
def test_a_part_of_drawn_values_says_so_and_no_other(language):
    of_drawn, other = parts(language)
    assert of_drawn.caution.text == SAID[language]
    assert other.caution.text == ""


@pytest.mark.parametrize("language", ["en", "pt"])
@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"said": (Said((Line("Found", "#x", "x"), Line("More", "#y", "y"))),)},
        {"said": (Said((Line("Found"), Line("More", "#y", "y"))),)},
        {"replies": (Reply("find", "Found.", "#x"),)},
        {"replies": (Reply("learn", "Learnt.", "#x"), Reply("find", "Found.", "#x"))},
    ],
    ids=["heading", "two findings", "one of two sentences", "reply", "replies"],
)
def test_the_first_screen_says_so_of_each_finding(language, keys):
    of_drawn, _ = parts(language, **keys)
    found = answer([of_drawn], voice(language))
    further = [
        line for _, several in found.analyses for s in several for line in s.lines
    ]
    texts = [each.text for each in (*found.replies, *further)]
    told = [text for text in texts if re.match("Found|Learnt|More", text)]
    assert told
    assert all(SAID[language] in text for text in told)


def test_a_reply_on_values_as_they_are_is_preferred():
    given = {"replies": (Reply("find", "Found.", "#x"),)}
    of_drawn, other = parts("en", **given)
    assert of_drawn.replies[0].rank == other.replies[0].rank + 1


def test_what_a_family_warns_of_stays_and_nothing_more_is_told_first():
    given = {"warning": "Few.", "caution": Line("Beware.", "#z", "z"), "said": ()}
    of_drawn, other = parts("en", **given)
    assert of_drawn.warning == other.warning == "Few."
    assert of_drawn.caution == Line(f"{SAID['en']} Beware.", "#z", "z")
    assert of_drawn.said == ()


def test_each_of_two_releases_is_named():
    both = {"x": {"swap": ["CITY"]}, "y": {"randomise": ["ILL", "AGE"]}}
    told = parts("en", {"toy": {"a": both}})[0].caution.text
    assert "In release x, values of CITY were swapped" in told
    assert "In release y, values of ILL and AGE were randomised" in told


@pytest.mark.parametrize("language", ["en", "pt"])
def test_the_page_has_it(language):
    study = Headline("study", drawn=DRAWN)
    names = ["table", "release", "n_months", "synthetic", "unused"]
    ingest = pd.DataFrame(columns=names)
    tables = Tables({}, {"ingest": ingest})
    ((_, page),) = each_page(study, tables, {}, [language], {"toy": family()})
    # Of the finding on the first screen, and of the part.
    assert page.count(SAID[language]) == 2


def protection(release, *steps):
    return ProtectionSection(table="t", release=release, steps=steps)


TABLE = Table(
    **{"name": "t", "source": "delimited", "options": {}, "max_refused": 0},
    releases={"1": None},
    protections={
        "coarse": protection("1", {"generalise": {"AGE": 1}}, {"drop": ["X"]}),
        "noisy": protection(
            "coarse",
            {"randomise": {"ILL": {"keep": "0.1"}}},
            {"swap": ["CITY", "AGE"], "rate": "0.1"},
        ),
        "later": protection("noisy", {"suppress": ["AGE"], "k": 2}),
        "drawn": protection("1", {"sample": "0.5"}),
    },
    pools={"both": PoolSection(table="t", releases=["1", "later"], attribute="year")},
)


def test_what_was_drawn_anew_is_published_of_the_attributes_that_an_analysis_uses(
    release, attributes, said
):
    analysis = SimpleNamespace(needs=[("t", release, tuple(attributes))])
    study = SimpleNamespace(
        tables={"t": TABLE},
        analyses={"toy": {"a": analysis}},
        needs_of=lambda each: each.needs,
    )
    assert _drawn_anew(study) == ({"toy": {"a": said}} if said else {})


SETTINGS = {
    "protections": {
        "coarse": {"release": "2018", "steps": [{"generalise": {"AGE": 1}}]},
        "noisy": {
            "release": "coarse",
            "steps": [
                {"swap": ["CITY"], "rate": "0.1"},
                {"randomise": {"ILL": {"keep": "0.9"}}},
            ],
        },
        "later": {"release": "noisy", "steps": [{"drop": ["SEX"]}]},
    }
}


def doubt(release, *names):
    return remark(concerned([drawn_by(SETTINGS, release)], names), voice("en"))


DRAWN_IN = {
    ("noisy", "AGE CITY"): "In release noisy, values of CITY were swapped between",
    ("later", "AGE CITY"): "In release later, values of CITY were swapped between",
    ("noisy", "AGE ILL"): "In release noisy, values of ILL were randomised: this is a",
    **{(name, "AGE CITY"): "" for name in ("2018", "coarse")},
    ("noisy", "AGE SEX"): "",
}


@pytest.mark.parametrize(("release", "names"), DRAWN_IN)
def test_a_finding_is_doubted_that_uses_drawn_values_whatever_was_made_of_them(
    release, names
):
    said, begins = doubt(release, *names.split()), DRAWN_IN[release, names]
    assert said.startswith(begins)
    assert said.endswith(" and may be false of the person." if begins else "")
    assert bool(said) == bool(begins)


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


REACHED = (
    "generalised (level=1); suppressed so that every combination of the suppressed "
    "attributes has at least 3 records; cells made missing: 457"
)


@pytest.mark.parametrize(
    ("voiced", "row", "said"),
    [
        (EN, (457, 405), f"{REACHED}; any solution needs at least 405"),
        (EN, (457, 457), f"{REACHED}, the fewest possible"),
        (EN, (457, NONE), REACHED),
        (PT, (1457, 1405), "ausentes: 1.457; qualquer solução exige ao menos 1.405"),
        # Rows of single attributes do not say again what had to be reached.
        (EN, (NONE, NONE, "k=3", "age"), "generalised (level=1); suppressed"),
    ],
)
def test_the_cells_of_a_suppression_are_told_with_the_fewest_that_it_takes(
    voiced, row, said
):
    assert told_of(suppressed(*row), voiced).endswith(said)


def told_of(rows, voiced):
    (grid,) = protections(rows, voiced)
    return grid.rows[0][3]


def test_what_a_suppression_had_to_reach_is_said_in_words(given, said, dito):
    rows = suppressed(9, NONE, given)
    assert f"suppressed so that {said}" in told_of(rows, EN)
    assert f"suprimido de modo que {dito}" in told_of(rows, PT)
    assert "=" not in told_of(rows, EN).partition("; ")[2]


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
    tables = Tables({}, {"ingest": as_table(TABLES["ingest"], [])})
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
    assert f'<h2 class="kicker">{said}</h2>' in page
    assert '<h2 class="kicker">as-it-is</h2>' in page
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
