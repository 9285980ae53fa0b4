"""Draws docs/report.png: the first screen of the page of the default study.

`python -m tests.docs.picture` after `make study`. The page says SYNTHETIC itself.
"""

import shutil
import sys
from importlib import import_module
from io import BytesIO
from pathlib import Path

from PIL import Image

from microleak.base.paths import ROOT

REPORT = ROOT / "results/school-twin/report/index.html"
PICTURE = ROOT / "docs/report.png"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
VIEW = {"width": 1280, "height": 740}
COLOURS = 64


def first_screen(browser, report):
    page = browser.new_page(viewport=VIEW, color_scheme="light")
    page.goto(f"{report.resolve().as_uri()}?lang=en")
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def main(report=REPORT):
    """Draw the picture, with few colours so that it stays small."""
    # Loaded late, as tests collect this module also where playwright is missing.
    driver = import_module("playwright.sync_api")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        picture = first_screen(browser, report)
        browser.close()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
