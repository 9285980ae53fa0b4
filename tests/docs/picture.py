"""Draws docs/report.png from the page of the default study.

`python -m tests.docs.picture` after `make study`. It shows two places of the page
side by side, under the page's own mark that says SYNTHETIC.
"""

import shutil
from importlib import import_module
from io import BytesIO

from PIL import Image

from microleak.base.paths import ROOT

REPORT = ROOT / "results/school-twin/report/index.html"
PICTURE = ROOT / "docs/report.png"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
MARK = "SYNTHETIC / SINTÉTICO:"
HEADINGS = {3: 24, 4: 40}
"""Headings of the page to be shown, and by how many pixels a view begins above."""

VIEW = {"width": 900, "height": 900}
GAP = 20
WIDTH = 1500
COLOURS = 64
SCROLL = "(e, above) => scrollTo(0, e.getBoundingClientRect().top + scrollY - above)"


def views(browser):
    """Return the page's mark, and what is seen at its headings."""
    page = browser.new_page(viewport=VIEW, color_scheme="light")
    page.goto(f"{REPORT.as_uri()}?lang=en")
    seen = [page.get_by_text(MARK).first.locator("xpath=..").screenshot()]
    headings = [each for each in page.query_selector_all("h2") if each.is_visible()]
    for number, above in HEADINGS.items():
        headings[number].evaluate(SCROLL, above)
        seen.append(page.screenshot())
    return [Image.open(BytesIO(data)).convert("RGB") for data in seen]


def side_by_side(mark, *seen):
    """Return one picture: the mark, and below it the views."""
    width = sum(view.width for view in seen) + GAP * (len(seen) - 1)
    top = mark.height + 2 * GAP
    picture = Image.new("RGB", (width, top + seen[0].height), "white")
    picture.paste(mark, ((width - mark.width) // 2, GAP))
    for number, view in enumerate(seen):
        picture.paste(view, (number * (view.width + GAP), top))
    return picture.resize((WIDTH, picture.height * WIDTH // width), Image.LANCZOS)


def main():
    """Draw the picture, with few colours so that it stays small."""
    # Loaded late, as tests collect this module also where playwright is missing.
    driver = import_module("playwright.sync_api")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        picture = side_by_side(*views(browser))
        browser.close()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
