"""The report of a study, made from what is published."""

import json
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.base.files import whole_folder
from microleak.families import FAMILIES
from microleak.family import load
from microleak.report.contents import Headline, Tables
from microleak.report.drawn import in_languages
from microleak.report.families import Families
from microleak.report.page import read_figures, write_report
from microleak.report.public import write_public_report
from microleak.report.texts import voice
from microleak.study.account import check_account, check_form
from microleak.study.public_report import PublicReport
from microleak.study.tables import result_tables
from microleak.tables.files import read_table


class Published:
    """The folder `published/` of a study; tables are read when they are asked for."""

    def __init__(self, study_dir: Path) -> None:
        self._folder = study_dir / "published"

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What is said of the study, as `microleak.study.publish` writes it."""
        text = (self._folder / "published.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found

    @property
    def sources(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self.facts["sources"]
        return found

    def read(self, name: str) -> pd.DataFrame:
        """Return a published table, `TABLE/ANALYSIS` or `TABLE`."""
        spec = result_tables()[name.partition("/")[0]]
        return read_table(self._folder / f"{name}.csv", spec)

    def headline(self) -> Headline:
        facts = self.facts
        return Headline(
            facts["study"],
            file=facts["file"],
            labels=facts["labels"],
            line_tables=frozenset(facts["line_tables"]),
            releases=facts["releases"],
            units=facts.get("units", {}),
            sources=self.sources,
            synthetic=[(table, name) for table, name in facts["synthetic_releases"]],
            families=facts["families"],
            seeded=facts.get("seeded", ()),
            protected=facts.get("protected", {}),
            drawn=facts.get("drawn", {}),
        )

    def tables(self) -> Tables:
        of_study = [name for name in self.facts["tables"] if "/" not in name]
        kinds = dict.fromkeys(n.partition("/")[0] for n in self.facts["tables"])
        return Tables(
            {kind: self.of_kind(kind) for kind in kinds if kind not in of_study},
            {name: self.read(name) for name in of_study},
            {(t, name): parts for t, name, parts in self.facts.get("pooled", ())},
            {family.name: family.tables for family in FAMILIES},
        )

    def of_kind(self, kind: str) -> dict[str, pd.DataFrame]:
        names = (name.partition("/") for name in self.facts["tables"])
        return {
            analysis: self.read(f"{kind}/{analysis}")
            for table, _, analysis in names
            if table == kind and analysis
        }


@cache
def shown_families() -> Families:
    """Return how each family is shown, in the order of the page."""
    # They are loaded when they are asked for, as they draw: a run that shows nothing
    # yet does not wait for that.
    return {each.name: load(each.part) for each in FAMILIES if each.part}


def write_page(study_dir: Path, figures: Iterable[Path]) -> None:
    """Write the pages of the report, and the tables that they show to report/data."""
    published = Published(study_dir)
    languages = published.facts["languages"]
    if published.facts["audience"] == "public":
        _write_public_page(study_dir, published)
        return
    study, tables = published.headline(), published.tables()
    families = shown_families()
    undrawn = [
        each
        for name, family in families.items()
        for each in family.figures(study, tables.of_family(name))
    ]
    voices = [study.voice(language) for language in languages]
    drawn = read_figures(figures) | in_languages(undrawn, voices)
    with whole_folder(study_dir / "report") as folder:
        write_report(folder, study, tables, drawn, languages, families)


def _write_public_page(study_dir: Path, published: Published) -> None:
    facts, sources = published.facts, published.sources.values()
    voices = [voice(each, sources) for each in facts["languages"]]
    tables, lines = published.tables(), facts["line_tables"]
    with whole_folder(study_dir / "report") as folder:
        name = facts["study"]
        write_public_report(folder, name, tables, lines, voices)
        report = PublicReport(folder)
        check_form(report)
        check_account(report, study_dir)
