"""The gallery: example studies, their reports, and pictures of them.

    ```{example} config/school-twin.yaml en-school-2019-0
    ```
shows what `python docs/site/examples.py SITE` made of that study, with the first
figure of that place of its report. The program runs the studies that docs/gallery.md
names, and copies of each the report alone, which is of synthetic data, to
SITE/gallery/. What is not there is said in a sentence.
"""

import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
MARK = "SYNTHETIC / SINTÉTICO:"
VIEW = {"width": 1000, "height": 800}


def study_of(config: str) -> str:
    """Return the name of the study of a study file."""
    return str(yaml.safe_load((ROOT / config).read_text(encoding="utf-8"))["study"])


class Example(SphinxDirective):
    """The picture of an example's report, which leads to the report."""

    required_arguments = 2  # the study file, and a place in the report

    def run(self) -> list[nodes.Node]:
        """Return the picture, or how to get it."""
        config = self.arguments[0]
        self.env.note_reread()  # what make site has made since does not change a page
        name = study_of(config)
        gallery = Path(self.env.app.outdir) / "gallery"
        report = f"../gallery/{name}/index.html?lang=en"
        if (gallery / f"{name}.png").exists():
            shown = f'<img src="../gallery/{name}.png" alt="Report of {name}">'
        elif (gallery / name).exists():
            shown = "Open the report (no picture, as make site found no Chromium)"
        else:
            words = f"make site runs {config} and shows its report here."
            return [nodes.paragraph(words, words)]
        html = f'<p class="example"><a href="{report}">{shown}</a></p>'
        return [nodes.raw("", html, format="html")]


def copy_report(config: str, place: str, gallery: Path) -> Path:
    """Run a study, copy its report, and return the copy's page, which has a place."""
    command = [sys.executable, "-m", "microleak", "run", config]
    subprocess.run(command, check=True, cwd=ROOT)
    name = study_of(config)
    report = ROOT / "results" / name / "report"
    text = (report / "index.html").read_text(encoding="utf-8")
    if MARK not in text:
        raise SystemExit(
            f"{report}/index.html is not marked as synthetic, and the gallery shows "
            f"synthetic data only. Take {config} out of {PAGE.relative_to(ROOT)}."
        )
    if f'id="{place}"' not in text:
        raise SystemExit(
            f"{report}/index.html has no place {place}, where its picture is to begin. "
            f"Correct the place beside {config} in {PAGE.relative_to(ROOT)}."
        )
    shutil.rmtree(gallery / name, ignore_errors=True)
    shutil.copytree(report, gallery / name, ignore=shutil.ignore_patterns(".*"))
    return gallery / name / "index.html"


def take_pictures(pages: dict[Path, str], chromium: str) -> None:
    """Put a picture of a place's first figure beside each report's folder."""
    # Loaded late, as Sphinx needs this module also where playwright is missing.
    driver = import_module("playwright.sync_api")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        for page, place in pages.items():
            seen = browser.new_page(viewport=VIEW, color_scheme="light")
            seen.goto(f"{page.as_uri()}?lang=en")
            figure = seen.locator(f'[id="{place}"] figure').first
            figure.screenshot(path=page.parent.with_suffix(".png"))
        browser.close()


def main(site: Path) -> None:
    """Make the gallery's part of the site."""
    gallery = site.resolve() / "gallery"
    gallery.mkdir(parents=True, exist_ok=True)
    wanted = re.findall(r"^```\{example\} (\S+) (\S+)$", PAGE.read_text("utf-8"), re.M)
    pages = {copy_report(config, place, gallery): place for config, place in wanted}
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium:
        take_pictures(pages, chromium)
    else:
        print("make site: there is no Chromium, so the gallery has no pictures")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("example", Example)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
