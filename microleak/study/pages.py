"""Figures and report of a study, from its tables."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.publish import (
    published_blocks,
    published_inference,
    published_releases,
)
from microleak.attacks.collective.report.drawing import (
    draw_analysis,
    draw_comparison,
    draw_states,
)
from microleak.base.files import whole_folder
from microleak.report.contents import Adversary, Headline, Listed, Tables
from microleak.report.families import draw_families
from microleak.report.files import read_figures, write_report
from microleak.report.public_page import PublicTables, write_public_report
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.intermediate import receipt
from microleak.study.jobs import family_tables
from microleak.study_file.model import Study
from microleak.tables.rows import read_measures

DRAWN = ("collective", "distribution", "worst")
"""The tables of an analysis that figures and the page show."""

LINKED = ("auxiliary", "n_focal", "n_linked", "share_linked")
"""How many persons of a focal release each auxiliary one has, for the page."""


def draw(study: Study, study_dir: Path, analysis: str) -> None:
    """Write an analysis's figures, in every language, to figures/ANALYSIS."""
    tables = [_read(study_dir, f"{kind}/{analysis}") for kind in DRAWN]
    with whole_folder(study_dir / "figures" / analysis) as folder:
        draw_analysis(
            tables[0],
            tables[1],
            tables[2],
            folder,
            study.languages,
            study.is_synthetic_analysis(study.analyses["collective"][analysis]),
        )


def write_page(study: Study, study_dir: Path) -> None:
    """Write the pages of the report, and the tables that they show to report/data.

    Figures that compare releases or states are written to report/figures. A public
    report has one page of `microleak.attacks.collective.publish` alone.
    """
    if study.audience == "public":
        _write_public(study, study_dir)
        return
    tables = _tables(study, study_dir)
    headline = _headline(study)
    made = [pair for pair in study.used if study.is_synthetic_release(*pair)]
    languages = study.languages
    figures = read_figures(study_dir / "figures", study.analyses["collective"])
    figures |= draw_comparison(tables.compared(), headline.releases, languages, made)
    figures |= draw_states(tables.side_by_side(), languages, made)
    figures |= draw_families(tables.families, languages, made)
    with whole_folder(study_dir / "report") as folder:
        write_report(folder, headline, tables, figures, languages)


def _write_public(study: Study, study_dir: Path) -> None:
    measures = study_dir / "measures"
    tables = PublicTables(
        releases=published_releases(_read(study_dir, "ingest")),
        blocks={
            name: published_blocks(measures / f"success/{name}.parquet", analysis)
            for name, analysis in study.analyses["collective"].items()
        },
        inference={
            name: published_inference(_read(study_dir, f"collective/{name}"), analysis)
            for name, analysis in study.analyses["collective"].items()
        },
        line_tables=_without_person_id(study),
    )
    with whole_folder(study_dir / "report") as folder:
        write_public_report(folder, study.name, tables, study.languages)


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
    analyses = study.analyses["collective"].items()
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
        adversaries=[
            Adversary(s.name, s.qids, s.labels) for s in study.shared["scenarios"]
        ],
        filters={
            name: tuple(part.keep)
            for parts in (study.analyses["membership"], study.analyses["mechanism"])
            for name, part in parts.items()
            if part.keep
        },
        file=study.file,
        n_targets=len(study.analyses["targets"]),
    )


def _tables(study: Study, study_dir: Path) -> Tables:
    analyses = study.analyses["collective"]

    def read(kind: str, names: Iterable[str]) -> dict[str, pd.DataFrame]:
        """Return a kind of table of each analysis."""
        return {name: _read(study_dir, f"{kind}/{name}") for name in names}

    joins = {name: part for name, part in analyses.items() if part.auxiliary}
    grouped = [name for name, part in analyses.items() if part.groups]
    families: dict[str, dict[str, pd.DataFrame]] = {}
    for table, analysis in family_tables(study):
        rows = _read(study_dir, f"{table}/{analysis}")
        families.setdefault(table, {})[analysis] = rows
    return Tables(
        collective=read("collective", analyses),
        worst=read("worst", analyses),
        distribution=read("distribution", analyses),
        ingest=_read(study_dir, "ingest"),
        gain=read("gain", joins),
        comparison=_read(study_dir, "comparison"),
        linked={name: linked_persons(study_dir, part) for name, part in joins.items()},
        importance=read("importance", analyses),
        groups=read("groups", grouped),
        values=_values(study, study_dir),
        removed=_read(study_dir, "removed"),
        families=families,
        states=_read(study_dir, "states"),
        explained=_read(study_dir, "explained"),
    )


def _values(study: Study, study_dir: Path) -> dict[str, pd.DataFrame]:
    """Return what is inferred of single values, if of any."""
    found = {
        name: _read(study_dir, f"values/{name}")
        for name in study.analyses["collective"]
    }
    return {name: rows for name, rows in found.items() if len(rows)}


def _read(study_dir: Path, name: str) -> pd.DataFrame:
    return read_measures(study_dir / f"measures/{name}.csv")


def _without_person_id(study: Study) -> frozenset[str]:
    """Return the tables whose rows are lines, not persons."""
    return frozenset(
        name
        for name, table in study.tables.items()
        for release in list(table.releases)[:1]
        if source_definition(table.source, release, table.options).person_id is None
    )
