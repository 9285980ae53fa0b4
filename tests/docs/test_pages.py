"""Links resolve, translations agree, and forms warn."""

import re

import pytest
import yaml

from microleak.base.paths import ROOT
from tests.docs.pages import PAGES, anchors, blocks, prose, spans, table_rows, text

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
def test_a_form_warns_first_and_asks_last_about_records_and_is_taken_by_the_forge(form):
    first, *_, last = form["body"]
    assert "Never paste records of persons" in first["attributes"]["value"]
    (asked,) = last["attributes"]["options"]
    assert "no record of a person" in asked["label"]
    assert asked["required"] is True
    assert {"name", "description", "body"} <= set(form)
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert {each["type"] for each in form["body"]} <= KINDS
    assert len({each["id"] for each in fields}) == len(fields)
    assert all(each["attributes"]["label"] for each in fields)


FOLDERS = {
    *("benchmarks", "config", "docs", "envs", "microleak", "papers"),
    *("profiles", "scripts", "tests", "workflow"),
}
PLACEHOLDER = re.compile(r"[*…<{ ]|[A-Z]{3,}([/._]|$)")
"""In `config/names/SOURCE.csv` the last name stands for many."""


def links(page):
    return re.findall(r"\]\(([^)\s]+)\)", prose(page))


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_file_and_to_a_heading_of_it(page):
    missing = []
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (PAGES[page].parent / path).resolve() if path else PAGES[page]
        name = target.relative_to(ROOT).as_posix()
        if not target.exists() or (anchor and anchor not in anchors(name)):
            missing.append(link)
    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_every_path_in_the_project_that_a_page_names_exists(page):
    named = [span for span in spans(prose(page)) if not PLACEHOLDER.search(span)]
    paths = [span for span in named if span.split("/")[0] in FOLDERS and "/" in span]
    missing = [path for path in paths if not (ROOT / path).exists()]
    made = ("profiles/", "docs/made/")  # a study's folder; what `make docs` makes
    assert [path for path in missing if not path.startswith(made)] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_page_names_a_place_of_one_machine_or_a_registry(page):
    assert not re.search(
        r"(?<![\w.])/(home|root|work|Users|tmp)/|pypi\.org|pythonhosted|/simple/",
        text(page),
    )


def test_the_readme_is_short_and_its_picture_small():
    assert len(text("README.md").splitlines()) < 150
    assert "docs/report.png" in links("README.md")
    assert (ROOT / "docs/report.png").stat().st_size <= 200_000


def test_times_in_the_readme_are_those_that_were_measured():
    cells = [cell for row in table_rows("README.md") for cell in row]
    measured = text("docs/performance.md")
    found = [re.match(r"(\d+ (h|min) )?[\d.]+ (min|s)\b", cell) for cell in cells]
    told = [match[0] for match in found if match]
    assert len(told) == 13
    assert [time for time in told if time not in measured] == []


def test_the_index_of_the_documentation_has_every_page():
    here = {link.partition("#")[0] for link in links("docs/README.md")}
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert pages <= here


each_pair = pytest.mark.parametrize(
    ("english", "portuguese"),
    [
        (f"docs/{n}.md", f"docs/{n}.pt.md")
        for n in ("own-file", "protect", "published-tables", "standards")
    ],
)


def without_comments(block):
    return re.sub(r" +#.*", "", block)


@each_pair
def test_both_pages_have_the_same_files_commands_and_settings(english, portuguese):
    for language in ("", "python", "text", "yaml"):
        one, other = (blocks(page, language) for page in (english, portuguese))
        assert [*map(without_comments, one)] == [*map(without_comments, other)]
    assert {*spans(prose(english))} - {*spans(prose(portuguese))} == set()


@each_pair
def test_tables_and_sections_are_as_many(english, portuguese):
    tables = [[*map(len, table_rows(page))] for page in (english, portuguese)]
    assert tables[0] == tables[1]
    heads = [re.findall(r"^#+ ", prose(p), re.M) for p in (english, portuguese)]
    assert heads[0] == heads[1]


@each_pair
def test_each_page_leads_to_the_other(english, portuguese):
    assert f"*[Português]({portuguese.removeprefix('docs/')})*" in text(english)
    assert f"*[English]({english.removeprefix('docs/')})*" in text(portuguese)
