"""What is published of a study, as figures and report are made from it."""

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.report.contents import Adversary, Headline, Listed, Tables
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

    @property
    def of_collective(self) -> dict[str, Any]:
        """What is said of each collective analysis, by its name."""
        found: dict[str, Any] = self.facts["families"]["collective"]["analyses"]
        return found

    @property
    def synthetic_releases(self) -> list[tuple[str, str]]:
        """Tables and releases that a twin made."""
        return [(table, name) for table, name in self.facts["synthetic_releases"]]

    def read(self, name: str) -> pd.DataFrame:
        """Return a published table, `TABLE/ANALYSIS` or `TABLE`."""
        spec = tables()[name.partition("/")[0]]
        return read_table(self._folder / f"{name}.csv", spec)

    def of_kind(self, kind: str) -> dict[str, pd.DataFrame]:
        """Return a kind of table of each analysis that has one."""
        return {name: self.read(f"{kind}/{name}") for name in self._analyses(kind)}

    def _analyses(self, kind: str) -> Iterator[str]:
        for name in self.facts["tables"]:
            table, _, analysis = name.partition("/")
            if table == kind and analysis:
                yield analysis

    def headline(self) -> Headline:
        """Return what an internal report must know of the study beside its tables."""
        facts, analyses = self.facts, self.of_collective.items()
        families = facts["families"]
        return Headline(
            facts["study"],
            line_tables=frozenset(facts["line_tables"]),
            releases=facts["releases"],
            fewer={name: part["fewer"] for name, part in analyses},
            parts={n: part["part_of"] for n, part in analyses if part["part_of"]},
            groups={
                name: {group: Listed(**of) for group, of in part["groups"].items()}
                for name, part in analyses
            },
            adversaries=[Adversary(**a) for a in families["collective"]["adversaries"]],
            filters={
                name: attributes
                for each in families.values()
                for name, attributes in each.get("filters", {}).items()
            },
            file=facts["file"],
            n_targets=families["targets"]["n_targets"],
        )

    def tables(self) -> Tables:
        """Return the tables of an internal report."""
        own = ("collective", "worst", "distribution", "gain", "importance", "groups")
        of_study = ("ingest", "comparison", "removed", "states", "explained")
        kinds = dict.fromkeys(n.partition("/")[0] for n in self.facts["tables"])
        others = [kind for kind in kinds if kind not in (*own, *of_study, "values")]
        values = self.of_kind("values")
        return Tables(
            **{kind: self.of_kind(kind) for kind in own},
            **{name: self.read(name) for name in of_study},
            linked={
                name: _linked(part["linked"])
                for name, part in self.of_collective.items()
                if part["linked"]
            },
            values={name: rows for name, rows in values.items() if len(rows)},
            families={kind: self.of_kind(kind) for kind in others},
        )

    def public_tables(self) -> PublicTables:
        """Return the tables of a public report, all that there is."""
        return PublicTables(
            releases=self.read("releases"),
            blocks=self.of_kind("blocks"),
            inference=self.of_kind("inference"),
            line_tables=frozenset(self.facts["line_tables"]),
        )


def _linked(persons: list[dict[str, Any]]) -> pd.DataFrame:
    """Return how many focal persons each linked release has, and what share of all."""
    rows = pd.DataFrame(persons)
    return rows.assign(share_linked=rows["n_linked"] / rows["n_focal"])
