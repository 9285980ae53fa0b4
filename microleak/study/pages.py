"""Figures and report of a study, from its published tables."""

import json
from pathlib import Path

import pandas as pd

from microleak.figures.tables import read_measures
from microleak.files import whole_folder
from microleak.report.contents import Headline, Tables
from microleak.report.drawing import draw_analysis, draw_comparison
from microleak.report.files import read_figures, write_report
from microleak.sources.definition import source_definition
from microleak.study.disclosure import LINKED, publish
from microleak.study.model import Collective, Study

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
    """Write report/index.html and the tables that it shows to report/data.

    Figures that compare releases are written to report/figures.
    """
    tables = _tables(study, study_dir)
    releases = {name: tuple(table.releases) for name, table in study.tables.items()}
    fewer = {name: part.fewer for name, part in study.collective.items()}
    made = [pair for pair in study.used if study.is_synthetic_release(*pair)]
    compared = draw_comparison(tables.compared(), releases, study.languages, made)
    figures = read_figures(study_dir / "figures", study.collective) | dict(compared)
    with whole_folder(study_dir / "report") as folder:
        write_report(
            folder,
            Headline(study.name, _without_person_id(study), releases, fewer),
            tables,
            figures,
            study.audience,
            study.languages,
        )


def linked_persons(study_dir: Path, analysis: Collective) -> pd.DataFrame:
    """Return how many focal persons each linked release of an analysis has.

    One row an auxiliary release, from the receipts in panels/, with the columns
    `LINKED`.
    """
    folder = study_dir / "panels" / analysis.table / analysis.focal
    receipts = [
        json.loads((folder / f"{release}.json").read_text("utf-8"))
        for release in analysis.auxiliary
    ]
    linked = pd.DataFrame(receipts, columns=["n_focal", "n_linked"])
    share = linked["n_linked"] / linked["n_focal"]
    return linked.assign(auxiliary=analysis.auxiliary, share_linked=share)[[*LINKED]]


def _tables(study: Study, study_dir: Path) -> Tables:
    by_kind = {
        kind: {
            name: _published(study, study_dir, kind, name) for name in study.collective
        }
        for kind in FAMILIES
    }
    joins = {name: part for name, part in study.collective.items() if part.auxiliary}
    gain = {name: _published(study, study_dir, "gain", name) for name in joins}
    linked = {
        name: publish(linked_persons(study_dir, analysis), study.audience)
        for name, analysis in joins.items()
    }
    measures = study_dir / "measures"
    ingest, comparison = (
        publish(read_measures(measures / name), study.audience)
        for name in ("ingest.csv", "comparison.csv")
    )
    return Tables(
        **by_kind, ingest=ingest, gain=gain, comparison=comparison, linked=linked
    )


def _published(study: Study, study_dir: Path, kind: str, analysis: str) -> pd.DataFrame:
    measures = read_measures(study_dir / "measures" / kind / f"{analysis}.csv")
    return publish(measures, study.audience)


def _without_person_id(study: Study) -> frozenset[str]:
    """Return the tables whose rows are lines, not persons."""
    return frozenset(
        name
        for name, table in study.tables.items()
        for release in list(table.releases)[:1]
        if source_definition(table.source, release, table.options).person_id is None
    )
