"""The gallery: example studies, their reports, and pictures of them.

    ```{example} config/school-twin.yaml
    ```
shows what `python docs/site/examples.py SITE` made of that study: it runs the studies
that docs/gallery.md names and copies of each the report alone, which is of synthetic
data, to SITE/gallery/. What is not there is said in a sentence.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
MARK = "SYNTHETIC / SINTÉTICO:"
SIZE = "1280,1000"


def study_of(config: str) -> str:
    """Return the name of the study of a study file."""
    return str(yaml.safe_load((ROOT / config).read_text(encoding="utf-8"))["study"])


class Example(SphinxDirective):
    """The picture of an example's report, which leads to the report."""

    required_arguments = 1

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


def copy_report(config: str, gallery: Path) -> Path:
    """Run a study, copy its report, and return the copy's page."""
    command = [sys.executable, "-m", "microleak", "run", config]
    subprocess.run(command, check=True, cwd=ROOT)
    name = study_of(config)
    report = ROOT / "results" / name / "report"
    if MARK not in (report / "index.html").read_text(encoding="utf-8"):
        raise SystemExit(
            f"{report}/index.html is not marked as synthetic, and the gallery shows "
            f"synthetic data only. Take {config} out of {PAGE.relative_to(ROOT)}."
        )
    shutil.rmtree(gallery / name, ignore_errors=True)
    shutil.copytree(report, gallery / name)
    return gallery / name / "index.html"


def take_picture(page: Path, chromium: str) -> None:
    """Put a picture of a report's first screen beside its folder."""
    picture = page.parent.with_suffix(".png")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    options += [f"--window-size={SIZE}", f"--screenshot={picture}"]
    address = f"{page.as_uri()}?lang=en"
    subprocess.run([chromium, *options, address], check=True, capture_output=True)


def main(site: Path) -> None:
    """Make the gallery's part of the site."""
    gallery = site.resolve() / "gallery"
    gallery.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    for config in re.findall(r"^```\{example\} (\S+)$", PAGE.read_text("utf-8"), re.M):
        page = copy_report(config, gallery)
        if chromium:
            take_picture(page, chromium)
        else:
            print(f"make site: no Chromium, so {config} has no picture in the gallery")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("example", Example)
    return {"parallel_read_safe": True}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
