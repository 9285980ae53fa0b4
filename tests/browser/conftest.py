"""A browser without a network, and pages of the report to open in it."""

import shutil
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace

import pytest

from microleak.attacks.collective.report.contents import Listed
from tests.attacks.collective import explorable_study, public_study, state_study
from tests.contract.families import examples
from tests.report.made import Told, draw_families, report_pages

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)


UNFOLD = "document.querySelectorAll('section details').forEach(d => d.open = true)"


@pytest.fixture(scope="package")
def browser():
    """Headless Chromium; without one, or what drives it, the tests are skipped."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here; on Debian: apt-get install chromium")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is missing")
    with driver.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM)
        yield chromium
        chromium.close()


def tables_of_every_kind():
    """Tables of a census with an analysis of every kind."""
    census = explorable_study.tables_of()
    which = {"analysis": "pupils", "table": "census", "focal": "2018"}
    severe = state_study.groups("RR-2023").assign(**which)
    families = defaultdict(dict)
    for analysis, exact in examples().items():
        for table, rows in exact.items():
            families[table][analysis] = rows
    return replace(census, groups={"pupils": severe}, families=families)


def pages_of_every_kind(tables, of_census):
    """All its pages in English, with figures, those of the census as they are given."""
    figures = {**of_census, **dict(draw_families(tables.families, ("en",), ()))}
    study = Told("census", groups={"pupils": {"severe": Listed("ILL", 2)}})
    return report_pages(study, tables, figures, ("en",))


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """Folders of pages, with figures: a census, one of every kind, and some states.

    Of every kind is the page `every`; `public` are those of public reports.
    """
    folder, every = tmp_path_factory.mktemp("reports"), tables_of_every_kind()
    figures = explorable_study.drawn(every, folder / "figures")
    made = {
        "internal": explorable_study.pages_of(explorable_study.tables_of(), figures),
        "every": pages_of_every_kind(every, figures),
        "public": {"index.html": public_study.page_of()},
        "states": state_study.pages_of(state_study.tables_of()),
    }
    for study, pages in made.items():
        (folder / study).mkdir()
        for name, text in pages.items():
            (folder / study / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="package")
def opened(browser, reports):
    """Open a page of a report: its folder's name, language, and settings of a tab.

    Without a language nothing asks for one but the browser. What is folded is opened,
    unless a test asks for the page as a reader finds it.
    """

    @contextmanager
    def open_page(
        study,
        language="en",
        name="index.html",
        is_unfolded=True,
        width=1280,
        **settings,
    ):
        settings["viewport"] = {"width": width, "height": 800}
        with browser.new_context(offline=True, **settings) as tab:
            page = tab.new_page()
            page.heard = []
            page.on("console", lambda said: page.heard.append(said.text))
            page.on("pageerror", lambda error: page.heard.append(str(error)))
            page.on("request", lambda asked: page.heard.append(asked.url))
            asked = f"?lang={language}" if language else ""
            page.goto(f"{(reports / study / name).as_uri()}{asked}")
            if is_unfolded and settings.get("java_script_enabled", True):
                page.evaluate(UNFOLD)
            yield page

    return open_page
