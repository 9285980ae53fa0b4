"""Figures and report of a study, from its published tables."""

from pathlib import Path

import pandas as pd

from microleak.figures.tables import read_measures
from microleak.files import whole_folder
from microleak.report.drawing import draw_analysis
from microleak.report.files import read_figures, write_report
from microleak.report.page import Headline, Tables
from microleak.study.disclosure import publish
from microleak.study.model import Study

FAMILIES = ("collective", "distribution", "worst")
"""The tables of an analysis that figures and the page show."""


def draw(study: Study, study_dir: Path, analysis: str) -> None:
    """Write an analysis's figures, in every language, to figures/ANALYSIS."""
    tables = [_published(study, study_dir, kind, analysis) for kind in FAMILIES]
    with whole_folder(study_dir / "figures" / analysis) as folder:
        draw_analysis(
            tables[0],
            tables[1],
            tables[2],
            folder,
            study.languages,
            study.is_synthetic_analysis(study.collective[analysis]),
        )


def write_page(study: Study, study_dir: Path) -> None:
    """Write report/index.html and the tables that it shows to report/data."""
    ingest = read_measures(study_dir / "measures" / "ingest.csv")
    by_kind = {
        kind: {
            name: _published(study, study_dir, kind, name) for name in study.collective
        }
        for kind in FAMILIES
    }
    tables = Tables(**by_kind, ingest=publish(ingest, study.audience))
    figures = read_figures(study_dir / "figures", study.collective)
    with whole_folder(study_dir / "report") as folder:
        write_report(
            folder,
            Headline(study.name, _without_person_id(study)),
            tables,
            figures,
            study.audience,
            study.languages,
        )


def _published(study: Study, study_dir: Path, kind: str, analysis: str) -> pd.DataFrame:
    measures = read_measures(study_dir / "measures" / kind / f"{analysis}.csv")
    return publish(measures, study.audience)


def _without_person_id(study: Study) -> frozenset[str]:
    """Return the tables whose rows are lines, not persons."""
    return frozenset(
        name
        for name, table in study.tables.items()
        if table.source == "delimited" and "person_id" not in table.options
    )
