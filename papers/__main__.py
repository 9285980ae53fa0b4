"""`python -m papers NAME`: compare a study's results with its paper, write its page."""

import argparse
import re
import shutil
import sys
from pathlib import Path

from microleak.base.errors import MicroleakError
from microleak.base.paths import ROOT
from papers.comparison import compare, write_comparison
from papers.country import country_study
from papers.facts import PAPERS, facts
from papers.page import page

PAGES = ROOT / "docs" / "papers"


def main() -> int:
    """Do what the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument(
        "--results", type=Path, help="folder of the results (results/PAPER)"
    )
    parser.add_argument(
        "--pages", type=Path, default=PAGES, help="folder of the pages (docs/papers)"
    )
    parser.add_argument(
        "--country",
        type=Path,
        metavar="FILE",
        help="write the study file with the sizes of the country instead",
    )
    options = parser.parse_args()
    try:
        if options.country:
            country_study(options.paper, options.country)
        else:
            results = options.results or ROOT / "results" / options.paper
            write_page(options.paper, results, options.pages)
    except MicroleakError as error:
        print(f"papers: {error}", file=sys.stderr)
        return 1
    return 0


def write_page(paper: str, results: Path, pages: Path) -> None:
    """Compare results with a paper; write its CSV, page and figures."""
    compared = compare(facts(paper), results)
    text = page(paper, compared)
    write_comparison(pages / f"{paper}.csv", compared)
    (pages / f"{paper}.md").write_text(text, encoding="utf-8")
    copy_figures(paper, text, results, pages)


def copy_figures(paper: str, text: str, results: Path, pages: Path) -> None:
    """Copy the figures that a page shows to the folder of the paper beside it.

    Figures of an analysis lie in `figures/ANALYSIS/` of the results, others in
    `report/figures/`; on the page the name of the analysis comes first.
    """
    drawn = {
        "-".join(path.relative_to(folder).parts).removesuffix(".en.svg"): path
        for folder in (results / "figures", results / "report" / "figures")
        for path in folder.rglob("*.en.svg")
    }
    folder = pages / paper
    shutil.rmtree(folder, ignore_errors=True)
    for name in re.findall(rf"\]\({paper}/(.*?)\.svg\)", text):
        if name not in drawn:
            raise MicroleakError(
                f"{results} has no figure {name}. Run the study again, or correct "
                f"papers/templates/{paper}.md.j2."
            )
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(drawn[name], folder / f"{name}.svg")


if __name__ == "__main__":
    sys.exit(main())
