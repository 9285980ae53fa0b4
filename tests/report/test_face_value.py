"""That what is told of values that were drawn anew may be false, wherever it is."""

import pytest

from microleak.report.face_value import concerned, drawn_by, remark
from microleak.report.texts import voice

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


def doubt(release, *names):
    return remark(concerned([drawn_by(SETTINGS, release)], names), voice("en"))


@pytest.mark.parametrize("release", ["noisy", "later"])
def test_a_finding_on_drawn_values_is_doubted_whatever_was_made_of_them(release):
    assert doubt(release, "AGE", "CITY") == CITY.format(release)


@pytest.mark.parametrize("release", ["2018", "coarse"])
def test_a_finding_on_values_that_are_their_own_is_not(release):
    assert doubt(release, "AGE", "CITY") == ""


def test_a_finding_that_uses_none_of_the_drawn_values_is_not():
    assert doubt("noisy", "AGE", "SEX") == ""
    assert "values of ILL were randomised: this" in doubt("noisy", "AGE", "ILL")
