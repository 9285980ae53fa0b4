"""That what is told of values that were drawn anew may be false, wherever it is."""

import pandas as pd
import pytest

from microleak.attacks.collective.risks import risks as of_attacks
from microleak.attacks.smallest_protection.risks import risks as of_searches
from microleak.report.face_value import doubt
from microleak.report.texts import voice
from microleak.study.tables import result_tables
from tests.attacks.smallest_protection.shown_rows import NODES

EN = voice("en")
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
CITY = (
    "In release {}, values of CITY were swapped between records: this is a claim from "
    "the published values and may be false of the person."
)


def row(*qids, sensitive=""):
    told = {"table": "census", "qids": "|".join(qids), "sensitive": sensitive}
    return pd.Series(told)


@pytest.mark.parametrize("release", ["noisy", "later"])
def test_a_finding_on_drawn_values_is_doubted_whatever_was_made_of_them(release):
    told = doubt(row("AGE", "CITY"), [release], SETTINGS, EN)
    assert told == CITY.format(release)


@pytest.mark.parametrize("release", ["2018", "coarse"])
def test_a_finding_on_values_that_are_their_own_is_not(release):
    assert doubt(row("AGE", "CITY"), [release], SETTINGS, EN) == ""


def test_a_finding_that_uses_none_of_the_drawn_values_is_not():
    assert doubt(row("AGE", "SEX"), ["noisy"], SETTINGS, EN) == ""
    told = doubt(row("AGE", sensitive="ILL"), ["noisy"], SETTINGS, EN)
    assert "values of ILL were randomised: this" in told


def attacked(focal, auxiliary=""):
    """A row of a collective attack that finds one of two."""
    return dict.fromkeys(result_tables()["collective"].names, 0.5) | {
        **{"analysis": "x", "table": "census", "focal": focal},
        **{"auxiliary": auxiliary, "qids": "CITY", "n_qids": 1, "sensitive": ""},
        **{"n_certain": 1, "n_modal": 1},
    }


@pytest.mark.parametrize(("focal", "auxiliary"), [("noisy", ""), ("2018", "noisy")])
def test_the_impact_report_doubts_what_attacks_on_drawn_values_find(focal, auxiliary):
    rows = pd.DataFrame([attacked(focal, auxiliary)])
    told = [each.words for each in of_attacks({"collective": rows}, SETTINGS, EN)]
    assert len(told) == 2
    assert all(words.endswith(CITY.format("noisy")) for words in told)


def test_the_impact_report_doubts_searches_of_drawn_values_and_no_others():
    nodes = NODES.assign(focal="noisy", qids="CITY|AGE")
    for settings, end in ((SETTINGS, "may be false of the person."), ({}, "")):
        found = of_searches({"smallest_protection": nodes}, settings, EN)
        ends = [risk.words.endswith("may be false of the person.") for risk in found]
        assert len(ends) == 4
        assert all(ends) == bool(end)
