"""A browser without a network, and pages of the report to open in it."""

import shutil
from contextlib import contextmanager

import pytest

from tests.attacks.collective import explorable_study, public_study, state_study
from tests.browser import every_kind

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


@pytest.fixture(scope="session")
def reports(made_once):
    """Folders of pages, with figures: a census, one of every kind, and some states.

    Of every kind is the page `every`; `public` are those of public reports.
    """

    def make(folder):
        every = every_kind.tables_of()
        figures = explorable_study.drawn(every, folder / "figures")
        made = {
            "internal": explorable_study.pages_of(
                explorable_study.tables_of(), figures
            ),
            "every": every_kind.pages_of(every, figures),
            "public": {"index.html": public_study.page_of()},
            "states": state_study.pages_of(state_study.tables_of()),
        }
        for study, pages in made.items():
            (folder / study).mkdir()
            for name, text in pages.items():
                (folder / study / name).write_text(text, encoding="utf-8")

    return made_once("reports", make)


@pytest.fixture(scope="package")
def opened(browser, reports):
    """Open a page of a report: its folder's name, language, and settings of a tab.

    Without a language nothing asks for one but the browser. What is folded is opened,
    unless a test asks for the page as a reader finds it.
    """

    @contextmanager
    def open_page(
        study, language="en", name="index.html", is_unfolded=True, **settings
    ):
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
