"""The forms for issues: complete, and against records of persons."""

import pytest
import yaml

from microleak.base.paths import ROOT

FORMS = {
    path.name: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")
}
SETTINGS = FORMS.pop("config.yml")
KINDS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def test_no_issue_is_opened_without_a_form():
    assert set(FORMS) == {"bug.yml", "wrong-number.yml", "source-or-attack.yml"}
    assert SETTINGS["blank_issues_enabled"] is False


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_form_warns_first_and_asks_last_about_records_of_persons(form):
    first, *_, last = form["body"]
    assert "Never paste records of persons" in first["attributes"]["value"]
    (asked,) = last["attributes"]["options"]
    assert "no record of a person" in asked["label"]
    assert asked["required"] is True


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_form_is_one_that_the_forge_takes(form):
    assert {"name", "description", "body"} <= set(form)
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert {each["type"] for each in form["body"]} <= KINDS
    assert len({each["id"] for each in fields}) == len(fields)
    assert all(each["attributes"]["label"] for each in fields)
