"""Figures and report of a study, from its published tables."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from microleak.figures.tables import read_measures
from microleak.files import whole_folder
from microleak.report.contents import Headline, Listed, Tables
from microleak.report.drawing import draw_analysis, draw_comparison
from microleak.report.families import draw_families
from microleak.report.files import read_figures, write_report
from microleak.report.state_drawing import draw_states
from microleak.sources.definition import source_definition
from microleak.sources.made import receipt
from microleak.study.disclosure import publish, publish_beside
from microleak.study.model import Collective, Study
from microleak.study.published_importance import published_importance
from microleak.study.published_releases import LINKED
from microleak.study.published_states import published_explained

DRAWN = ("collective", "distribution", "worst")
"""The tables of an analysis that figures and the page show."""


def draw(study: Study, study_dir: Path, analysis: str) -> None:
    """Write an analysis's figures, in every language, to figures/ANALYSIS."""
    tables = [_published(study, study_dir, kind, analysis) for kind in DRAWN]
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
    """Write the pages of the report, and the tables that they show to report/data.

    Figures that compare releases or states are written to report/figures.
    """
    tables = _tables(study, study_dir)
    headline = _headline(study)
    made = [pair for pair in study.used if study.is_synthetic_release(*pair)]
    languages = study.languages
    figures = read_figures(study_dir / "figures", study.collective)
    figures |= draw_comparison(tables.compared(), headline.releases, languages, made)
    figures |= draw_states(tables.side_by_side(), languages, made)
    figures |= draw_families(tables.families, languages, made)
    with whole_folder(study_dir / "report") as folder:
        write_report(folder, headline, tables, figures, study.audience, languages)


def linked_persons(study_dir: Path, analysis: Collective) -> pd.DataFrame:
    """Return how many focal persons each linked release of an analysis has.

    One row an auxiliary release, from the receipts in panels/, with the columns
    `LINKED`.
    """
    folder = study_dir / "panels" / analysis.table / analysis.focal
    receipts = [receipt(folder / f"{release}.json") for release in analysis.auxiliary]
    linked = pd.DataFrame(receipts, columns=["n_focal", "n_linked"])
    share = linked["n_linked"] / linked["n_focal"]
    return linked.assign(auxiliary=analysis.auxiliary, share_linked=share)[[*LINKED]]


def _headline(study: Study) -> Headline:
    analyses = study.collective.items()
    return Headline(
        study.name,
        line_tables=_without_person_id(study),
        releases={name: tuple(table.releases) for name, table in study.tables.items()},
        fewer={name: part.fewer for name, part in analyses},
        parts={name: part.part_of for name, part in analyses if part.part_of},
        groups={
            name: {g.name: Listed(g.attribute, len(g.values)) for g in part.groups}
            for name, part in analyses
        },
        n_targets=len(study.targets) if study.audience == "internal" else 0,
    )


def _tables(study: Study, study_dir: Path) -> Tables:
    analyses = study.collective

    def read(kind: str, names: Iterable[str]) -> dict[str, pd.DataFrame]:
        """Return a kind of table of each analysis, as the audience may see it."""
        return {name: _published(study, study_dir, kind, name) for name in names}

    joins = {name: part for name, part in analyses.items() if part.auxiliary}
    grouped = [name for name, part in analyses.items() if part.groups]
    collective = read("collective", analyses)
    return Tables(
        collective=collective,
        worst=read("worst", analyses),
        distribution=read("distribution", analyses),
        ingest=_published_table(study, study_dir, "ingest"),
        gain=read("gain", joins),
        comparison=_published_table(study, study_dir, "comparison"),
        linked={
            name: publish(linked_persons(study_dir, part), study.audience)
            for name, part in joins.items()
        },
        importance=_importance(study, study_dir, collective),
        groups=read("groups", grouped),
        removed=_published_table(study, study_dir, "removed"),
        families=_families(study, study_dir),
        **_of_states(study, study_dir),
    )


def _families(study: Study, study_dir: Path) -> dict[str, dict[str, pd.DataFrame]]:
    exact: dict[str, dict[str, pd.DataFrame]] = {}
    for table, analysis in study.family_tables:
        rows = read_measures(study_dir / f"measures/{table}/{analysis}.csv")
        exact.setdefault(analysis, {})[table] = rows
    families: dict[str, dict[str, pd.DataFrame]]
    families = {table: {} for table, _ in study.family_tables}
    for analysis, tables in exact.items():
        for table, rows in publish_beside(tables, study.audience).items():
            families[table][analysis] = rows
    return families


def _importance(
    study: Study, study_dir: Path, collective: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Return what each attribute brings, for the public from published shares."""
    if study.audience == "public":
        return {name: published_importance(rows) for name, rows in collective.items()}
    folder = study_dir / "measures/importance"
    return {name: read_measures(folder / f"{name}.csv") for name in collective}


def _of_states(study: Study, study_dir: Path) -> dict[str, pd.DataFrame]:
    """Return states, and what explains them, for the public from published states."""
    states = _published_table(study, study_dir, "states")
    if study.audience == "public":
        return {"states": states, "explained": published_explained(states)}
    explained = read_measures(study_dir / "measures/explained.csv")
    return {"states": states, "explained": explained}


def _published_table(study: Study, study_dir: Path, name: str) -> pd.DataFrame:
    """Return a table of the whole study."""
    return publish(read_measures(study_dir / f"measures/{name}.csv"), study.audience)


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
