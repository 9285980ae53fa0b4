"""What a finished study measured, as its manifest lists it."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.audit.manifest import read_manifest
from microleak.base.errors import VerificationError
from microleak.base.files import sha256_of
from microleak.base.paths import MANIFEST
from microleak.families import FAMILIES
from microleak.family import load
from microleak.report.risks import Cell, Risk, Risks
from microleak.report.texts import Voice
from microleak.study.tables import tables
from microleak.study_file.ripd import RipdSection
from microleak.tables.files import read_table

_AGAIN = "Run microleak resume with the study file."


@dataclass(frozen=True)
class Place:
    """A cell of a result file, its path below the study's folder."""

    path: str
    cell: Cell


@dataclass(frozen=True)
class MeasuredRisk:
    """A risk with the analysis that measured it, and the same risk of others."""

    analysis: str
    risk: Risk
    others: tuple["MeasuredRisk", ...] = ()

    @property
    def every(self) -> tuple["MeasuredRisk", ...]:
        """Return it and the others."""
        return self, *self.others

    @property
    def treated(self) -> tuple["MeasuredRisk", ...]:
        """Those that tell of a measure, or this one if none does."""
        told = tuple(each for each in self.every if each.risk.residual)
        return told or (self,)

    @property
    def baseline(self) -> Place | None:
        """Where the chance without the attack is, if one of them has it."""
        cells = ((each, each.risk.baseline) for each in self.every)
        return next((each.place(cell) for each, cell in cells if cell), None)

    def place(self, cell: Cell) -> Place:
        """Return where one of its cells is."""
        return Place(_path(cell.table, self.analysis), cell)


@dataclass(frozen=True)
class Measured:
    """The results of a study that ran to its end.

    Attributes
    ----------
    folder
        `results/STUDY`.
    manifest
        What its manifest says.
    """

    folder: Path
    manifest: Mapping[str, Any]
    _read: dict[str, pd.DataFrame] = field(default_factory=dict, init=False)

    @property
    def settings(self) -> dict[str, Any]:
        """What the study file says, as far as the manifest tells it."""
        told: dict[str, Any] = self.manifest["config"].get("content", {})
        return told

    @property
    def section(self) -> RipdSection:
        """What the study file says for this report."""
        return RipdSection.model_validate(self.settings.get("ripd", {}))

    @property
    def sources(self) -> list[str]:
        """The sources of the study's tables."""
        return [table["source"] for table in self.settings.get("tables", {}).values()]

    @property
    def listed(self) -> dict[str, str]:
        """SHA-256 of the results by their paths."""
        return {each["path"]: each["sha256"] for each in self.manifest["outputs"]}

    def read(self, path: str) -> pd.DataFrame:
        """Return a result table.

        Raises
        ------
        VerificationError
            If its file is not the one that the manifest lists.
        TableError
            If it is not what such a table is.
        """
        if path not in self._read:
            file = self.folder / path
            if not file.is_file() or sha256_of(file) != self.listed[path]:
                raise VerificationError(
                    f"{file} is not what {MANIFEST} lists: it was changed or removed "
                    f"after it was made. {_AGAIN}"
                )
            kind = Path(path).parts[1].removesuffix(".csv")
            self._read[path] = read_table(file, tables()[kind])
        return self._read[path]

    def value(self, place: Place) -> float:
        """Return the chance that stands at a place."""
        row = self.read(place.path).iloc[place.cell.row - 1]
        number = row[place.cell.column]
        return float(number / row[place.cell.of] if place.cell.of else number)

    def text(self, place: Place) -> str:
        """Return what stands there, as the file has it."""
        row = self.read(place.path).iloc[place.cell.row - 1]
        columns = filter(None, (place.cell.column, place.cell.of))
        return " / ".join(str(row[column]) for column in columns)

    def risks(self, voice: Voice) -> Iterator[MeasuredRisk]:
        """Yield the risks that analyses tell, in words, those they share once."""
        shared: dict[Hashable, list[MeasuredRisk]] = {}
        for number, each in enumerate(self._risks(voice)):
            chance = self.value(each.place(each.risk.chance))
            key = (each.risk.event or number, chance)
            shared.setdefault(key, []).append(each)
        for first, *others in shared.values():
            yield replace(first, others=tuple(others))

    def untold(self, voice: Voice) -> list[str]:
        """Name what families measured that tell no risk, as the page calls it."""
        given = self.settings.get("analyses", {})
        kinds = voice.texts["measurable"]
        families = (f.name for f in FAMILIES if not f.risks and given.get(f.name))
        return [str(kinds.get(name, name)) for name in families]

    def _risks(self, voice: Voice) -> Iterator[MeasuredRisk]:
        """Yield the risks that families tell of their analyses."""
        for family in FAMILIES:
            if not family.risks:
                continue
            told: Risks = load(family.risks)
            for name in self._analyses(told.tables[0]):
                measured = {each: self.read(_path(each, name)) for each in told.tables}
                for risk in told.found(measured, self.settings, voice):
                    yield MeasuredRisk(name, risk)

    def _analyses(self, table: str) -> Iterator[str]:
        """Yield the names of the analyses that have a table, sorted."""
        folder = f"measures/{table}/"
        for path in sorted(self.listed):
            if path.startswith(folder):
                yield path.removeprefix(folder).removesuffix(".csv")


def measured_study(folder: Path) -> Measured:
    """Return the results of a study.

    Raises
    ------
    VerificationError
        If there is no manifest, as a run is going on or did not end, or it was
        changed.
    """
    return Measured(folder, read_manifest(folder))


def _path(table: str, analysis: str) -> str:
    return f"measures/{table}/{analysis}.csv"
