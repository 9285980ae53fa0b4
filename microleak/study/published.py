"""What is published of a study, as figures and report are made from it."""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.report.contents import Headline, Tables
from microleak.report.public_page import PublicTables
from microleak.study.tables import tables
from microleak.tables.files import read_table


class Published:
    """The folder `published/` of a study; tables are read when they are asked for."""

    def __init__(self, study_dir: Path) -> None:
        """Take the folder of a study's results."""
        self._folder = study_dir / "published"

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What is said of the study, as `microleak.study.publish` writes it."""
        text = (self._folder / "published.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found

    def read(self, name: str) -> pd.DataFrame:
        """Return a published table, `TABLE/ANALYSIS` or `TABLE`."""
        spec = tables()[name.partition("/")[0]]
        return read_table(self._folder / f"{name}.csv", spec)

    def headline(self) -> Headline:
        """Return what an internal report must know of the study beside its tables."""
        facts = self.facts
        return Headline(
            facts["study"],
            file=facts["file"],
            line_tables=frozenset(facts["line_tables"]),
            releases=facts["releases"],
            synthetic=[(table, name) for table, name in facts["synthetic_releases"]],
            families=facts["families"],
        )

    def tables(self) -> Tables:
        """Return the tables of a report."""
        of_study = [name for name in self.facts["tables"] if "/" not in name]
        kinds = dict.fromkeys(n.partition("/")[0] for n in self.facts["tables"])
        return Tables(
            {kind: self.of_kind(kind) for kind in kinds if kind not in of_study},
            {name: self.read(name) for name in of_study},
        )

    def of_kind(self, kind: str) -> dict[str, pd.DataFrame]:
        """Return a kind of table of each analysis that has one."""
        names = (name.partition("/") for name in self.facts["tables"])
        return {
            analysis: self.read(f"{kind}/{analysis}")
            for table, _, analysis in names
            if table == kind and analysis
        }

    def public_tables(self) -> PublicTables:
        """Return the tables of a public report, all that there is."""
        return PublicTables(
            releases=self.read("releases"),
            blocks=self.of_kind("blocks"),
            inference=self.of_kind("inference"),
            line_tables=frozenset(self.facts["line_tables"]),
        )
