"""What a finished study measured, as its manifest lists it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.audit.sealed import listed_file
from microleak.families import FAMILIES
from microleak.family import load
from microleak.report.contents import newest
from microleak.report.face_value import concerned, drawn_by, remark
from microleak.report.risks import NumberCell, Risk, Risks, StudySettings
from microleak.report.texts import Labels, Voice
from microleak.study.tables import result_tables
from microleak.study_file.ripd import RipdSection
from microleak.tables.files import read_table

_PUBLISHED = "published/published.json"


@dataclass(frozen=True)
class ResultPlace:
    """A cell of a result file, its path below the study's folder."""

    path: str
    cell: NumberCell


@dataclass(frozen=True)
class ProtectedRelease:
    """A protected release, and the one that all of its protections begin with."""

    release: str
    origin: str
    is_drawn: bool
    """Whether a step draws values anew, so that who reads it may be wrong."""


@dataclass(frozen=True)
class MeasuredRisk:
    """A risk with what measured it."""

    # Names in the study file
    family: str
    analysis: str
    risk: Risk
    protected: ProtectedRelease | None = None

    @property
    def focal(self) -> str:
        """The release that is attacked, if it is one of records."""
        return next(iter(self.risk.releases), "")

    @property
    def learnt(self) -> tuple[str, str, str]:
        """What is learnt of whose records."""
        return self.risk.table, self.risk.kind, self.risk.sensitive

    def place(self, cell: NumberCell) -> ResultPlace:
        return ResultPlace(_measures_path(cell.table, self.analysis), cell)

    def is_treated_by(self, other: "MeasuredRisk") -> bool:
        """Return whether what is left of another risk is what is left of this one."""
        mine, of_other = self.risk, other.risk
        if self.learnt != other.learnt:
            return False
        if other.protected is None:
            return bool(of_other.residual) and self.focal == other.focal
        # Where values were drawn anew, who reads the release may be wrong. Of an
        # adversary some of whose facts it lacks, the worst one does at least as well.
        origin = (other.protected.origin, *of_other.releases[1:])
        is_same = self.family == other.family and mine.releases == origin
        is_alike = mine.who == of_other.who or not of_other.who
        return is_same and is_alike and not other.protected.is_drawn


@dataclass(frozen=True)
class MeasuredStudy:
    """The results of a study that ran to its end."""

    folder: Path  # `results/STUDY`
    manifest: Mapping[str, Any]  # What its manifest says
    _read: dict[str, pd.DataFrame] = field(default_factory=dict, init=False)

    @property
    def settings(self) -> dict[str, Any]:
        """What the study file says, as far as the manifest tells it."""
        told: dict[str, Any] = self.manifest["config"].get("content", {})
        return told

    @cached_property
    def told(self) -> StudySettings:
        """What the study file says, and what may be told of the study."""
        published = json.loads(
            listed_file(self.folder, self.listed, _PUBLISHED).read_text("utf-8")
        )
        return {**self.settings, "published": published}

    @property
    def section(self) -> RipdSection:
        return RipdSection.model_validate(self.settings.get("ripd", {}))

    @property
    def sources(self) -> list[str]:
        return [table["source"] for table in self.settings.get("tables", {}).values()]

    @property
    def labels(self) -> Labels:
        labels: Labels = self.settings.get("report", {}).get("labels", {})
        return labels

    @property
    def listed(self) -> dict[str, str]:
        """SHA-256 of the results by their paths."""
        return {each["path"]: each["sha256"] for each in self.manifest["outputs"]}

    def read(self, path: str) -> pd.DataFrame:
        if path not in self._read:
            file = listed_file(self.folder, self.listed, path)
            kind = Path(path).parts[1].removesuffix(".csv")
            self._read[path] = read_table(file, result_tables()[kind])
        return self._read[path]

    def value(self, place: ResultPlace) -> float:
        row = self.read(place.path).iloc[place.cell.row - 1]
        number = row[place.cell.column]
        return float(number / row[place.cell.of] if place.cell.of else number)

    def text(self, place: ResultPlace) -> str:
        """Return what stands there, as the file has it."""
        row = self.read(place.path).iloc[place.cell.row - 1]
        columns = filter(None, (place.cell.column, place.cell.of))
        return " / ".join(str(row[column]) for column in columns)

    def risks(
        self, voice: Voice
    ) -> tuple[Sequence[MeasuredRisk], Sequence[MeasuredRisk]]:
        """Return a risk for what is learnt by each adversary, and all others.

        It is of the newest release as it is, by the family that is first on the page;
        of several releases or analyses that with the highest chance.
        """
        every = [*self._risks(voice)]
        as_they_are = [each for each in every if not each.protected]
        as_they_are.sort(key=lambda each: each.risk.is_further)
        newest_ones = self._newest(as_they_are)
        first: dict[tuple[str, str, str], str] = {}
        main: dict[tuple[Any, ...], MeasuredRisk] = {}
        for each in as_they_are:
            is_newest = self._origin(each.focal) in newest_ones[each.risk.table]
            if is_newest and first.setdefault(each.learnt, each.family) == each.family:
                key = *each.learnt, each.risk.who
                main[key] = max(main.get(key, each), each, key=self._chance)
        return [*main.values()], [e for e in every if e not in main.values()]

    def _chance(self, each: MeasuredRisk) -> float:
        return self.value(each.place(each.risk.chance))

    def _newest(self, risks: Sequence[MeasuredRisk]) -> dict[str, list[str]]:
        """Return by table the newest of the releases that are attacked."""
        found = {}
        for table in dict.fromkeys(each.risk.table for each in risks):
            given = self.settings.get("tables", {}).get(table, {})
            pooled = self.settings.get("pooled", {})
            pools = (name for name, of in pooled.items() if of["table"] == table)
            names = (*given.get("releases", ()), *pools, "")
            own = (each for each in risks if each.risk.table == table)
            told = {self._origin(each.focal) for each in own}
            found[table] = newest([name for name in names if name in told])
        return found

    def _origin(self, release: str) -> str:
        """Return a release, or the one that facts of units were added to."""
        units = self.settings.get("units", {})
        while release in units:
            release = str(units[release]["release"])
        return release

    def untold(self, voice: Voice) -> list[str]:
        """Name what families measured that tell no risk, as the page calls it."""
        given = self.settings.get("analyses", {})
        told = {each.family for each in self._risks(voice)}
        families = (f.name for f in FAMILIES if given.get(f.name))
        return [
            str(voice.texts["measurable"][name])
            for name in families
            if name not in told
        ]

    def _risks(self, voice: Voice) -> Iterator[MeasuredRisk]:
        for family in FAMILIES:
            if not family.risks:
                continue
            told: Risks = load(family.risks)
            for name in self._analyses(told.tables[0]):
                measured = {
                    each: self.read(_measures_path(each, name)) for each in told.tables
                }
                for risk in told.found(measured, self.told, voice):
                    doubted = self.doubted(risk, voice)
                    protected = self._protected(risk)
                    yield MeasuredRisk(family.name, name, doubted, protected)

    def doubted(self, risk: Risk, voice: Voice) -> Risk:
        """Return a risk that says that it may be none, if its values were drawn."""
        drawn = (drawn_by(self.settings, release) for release in risk.releases)
        said = remark(concerned(drawn, {*risk.qids, risk.sensitive}), voice)
        return replace(risk, words=f"{risk.words} {said}".strip())

    def _protected(self, risk: Risk) -> ProtectedRelease | None:
        protections = self.settings.get("protections", {})
        release = origin = risk.releases[0] if risk.releases else ""
        while origin in protections:
            origin = str(protections[origin]["release"])
        is_drawn = bool(drawn_by(self.settings, release).attributes)
        return (
            ProtectedRelease(release, origin, is_drawn) if origin != release else None
        )

    def _analyses(self, table: str) -> Iterator[str]:
        folder = f"measures/{table}/"
        for path in sorted(self.listed):
            if path.startswith(folder):
                yield path.removeprefix(folder).removesuffix(".csv")


def _measures_path(table: str, analysis: str) -> str:
    return f"measures/{table}/{analysis}.csv"
