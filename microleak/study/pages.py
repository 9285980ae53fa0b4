"""Figures and report of a study, from what is published of it."""

from collections.abc import Sequence
from pathlib import Path

from microleak.attacks.collective.report.drawing import (
    draw_analysis,
    draw_comparison,
    draw_states,
)
from microleak.base.files import whole_folder
from microleak.families import FAMILIES
from microleak.family import load
from microleak.report.families import Families, draw_families
from microleak.report.files import read_figures, write_report
from microleak.report.public_page import write_public_report
from microleak.study.published import Published

SHOWN: Families = {each.name: load(each.part) for each in FAMILIES if each.part}
"""How each family's part of the page is made, in the order of the page."""


def draw(
    study_dir: Path, analysis: str, languages: Sequence[str], is_synthetic: bool
) -> None:
    """Write an analysis's figures, in every language, to figures/ANALYSIS."""
    published = Published(study_dir)
    kinds = "collective", "distribution", "worst"
    collective, distribution, worst = (
        published.read(f"{kind}/{analysis}") for kind in kinds
    )
    with whole_folder(study_dir / "figures" / analysis) as folder:
        draw_analysis(
            collective,
            distribution,
            worst,
            folder,
            languages,
            is_synthetic,
        )


def write_page(study_dir: Path) -> None:
    """Write the pages of the report, and the tables that they show to report/data.

    Figures that compare releases or states are written to report/figures. A public
    report is one page.
    """
    published = Published(study_dir)
    languages = published.facts["languages"]
    if published.facts["audience"] == "public":
        with whole_folder(study_dir / "report") as folder:
            study, shown = published.facts["study"], published.public_tables()
            write_public_report(folder, study, shown, languages)
        return
    tables, headline = published.tables(), published.headline()
    made = published.synthetic_releases
    figures = read_figures(study_dir / "figures", published.of_collective)
    figures |= draw_comparison(tables.compared(), headline.releases, languages, made)
    figures |= draw_states(tables.side_by_side(), languages, made)
    figures |= draw_families(SHOWN, tables.families, languages, made)
    with whole_folder(study_dir / "report") as folder:
        write_report(folder, headline, tables, figures, languages, SHOWN)
