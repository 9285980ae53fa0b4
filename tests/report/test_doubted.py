"""The core says of every part of a page on drawn values that it may be false."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from microleak.report.answer import answer
from microleak.report.contents import Headline, Tables
from microleak.report.face_value import concerned, drawn_by, remark
from microleak.report.families import EachAnalysis
from microleak.report.page import each_page
from microleak.report.parts import Line, Part, Reply, Said
from microleak.report.texts import voice
from microleak.study.publish import _drawn_anew
from microleak.study_file.model import Table
from microleak.study_file.protections import PoolSection, ProtectionSection

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


def test_what_a_family_warns_of_stays():
    given = {"warning": "Few.", "caution": Line("Beware.", "#z", "z")}
    of_drawn, other = parts("en", **given)
    assert of_drawn.warning == other.warning == "Few."
    assert of_drawn.caution == Line(f"{SAID['en']} Beware.", "#z", "z")


def test_a_part_that_tells_the_first_screen_nothing_still_tells_it_nothing():
    of_drawn, _ = parts("en", said=())
    assert of_drawn.said == ()
    assert of_drawn.caution.text == SAID["en"]


def test_each_of_two_releases_is_named():
    drawn = {
        "toy": {"a": {"x": {"swap": ["CITY"]}, "y": {"randomise": ["ILL", "AGE"]}}}
    }
    told = parts("en", drawn)[0].caution.text
    assert "In release x, values of CITY were swapped" in told
    assert "In release y, values of ILL and AGE were randomised" in told


@pytest.mark.parametrize("language", ["en", "pt"])
def test_the_page_has_it(language):
    study = Headline("study", drawn=DRAWN)
    ingest = pd.DataFrame(columns=["table", "release", "n_months", "synthetic"])
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
