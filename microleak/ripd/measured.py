"""What a finished study measured, as its manifest lists it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isclose
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.audit.manifest import read_manifest
from microleak.base.errors import VerificationError
from microleak.base.files import sha256_of
from microleak.base.paths import MANIFEST
from microleak.families import FAMILIES
from microleak.family import load
from microleak.report.face_value import concerned, drawn_by, remark
from microleak.report.risks import NumberCell, Risk, Risks
from microleak.report.texts import Voice
from microleak.study.tables import result_tables
from microleak.study_file.ripd import RipdSection
from microleak.tables.files import read_table

_AGAIN = "Run microleak resume with the study file."


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
    """A risk with the analysis that measured it, and the same risk of others."""

    # An other one may be of someone who knows more, and has the same chance
    analysis: str
    risk: Risk
    others: tuple["MeasuredRisk", ...] = ()
    protected: ProtectedRelease | None = None
    before: int | None = None

    @property
    def every(self) -> tuple["MeasuredRisk", ...]:
        return self, *self.others

    @property
    def treated(self) -> tuple["MeasuredRisk", ...]:
        return tuple(each for each in self.every if each.risk.residual)

    @property
    def known(self) -> frozenset[str]:
        """What somebody knows."""
        return frozenset(self.risk.qids)

    def is_as(self, other: "MeasuredRisk") -> bool:
        """Return whether the same happens to the same, whatever somebody knows."""
        same = ("event", "table", "releases", "sensitive")
        return all(getattr(self.risk, n) == getattr(other.risk, n) for n in same)

    @property
    def baseline(self) -> ResultPlace | None:
        """Where the chance without the attack is, if one of them has it."""
        cells = ((each, each.risk.baseline) for each in self.every)
        return next((each.place(cell) for each, cell in cells if cell), None)

    def place(self, cell: NumberCell) -> ResultPlace:
        return ResultPlace(_measures_path(cell.table, self.analysis), cell)


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

    @property
    def section(self) -> RipdSection:
        """What the study file says for this report."""
        return RipdSection.model_validate(self.settings.get("ripd", {}))

    @property
    def sources(self) -> list[str]:
        return [table["source"] for table in self.settings.get("tables", {}).values()]

    @property
    def listed(self) -> dict[str, str]:
        """SHA-256 of the results by their paths."""
        return {each["path"]: each["sha256"] for each in self.manifest["outputs"]}

    def read(self, path: str) -> pd.DataFrame:
        if path not in self._read:
            file = self.folder / path
            if not file.is_file() or sha256_of(file) != self.listed[path]:
                raise VerificationError(
                    f"{file} is not what {MANIFEST} lists: it was changed or removed "
                    f"after it was made. {_AGAIN}"
                )
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

    def risks(self, voice: Voice) -> Iterator[MeasuredRisk]:
        """Yield the risks that analyses tell, in words, those they share once."""
        shared: list[list[MeasuredRisk]] = []
        for each in self._risks(voice):
            for group in self.groups(each, shared):
                group.append(each)
                break
            else:
                shared.append([each])
        every = [replace(first, others=(*others,)) for first, *others in shared]
        as_they_are = [each for each in every if each.protected is None]
        yield from as_they_are
        for each in every:
            if each.protected:
                yield replace(each, before=_risk_before(each, as_they_are))

    def groups(
        self, new: MeasuredRisk, shared: list[list[MeasuredRisk]]
    ) -> list[list[MeasuredRisk]]:
        """Return the risks that a new one is one of."""
        # With the same chance it is no other risk that somebody knows more: what is
        # left of it after a measure is so for those who know less, or less than that.
        chance = self.value(new.place(new.risk.chance))
        alike = [
            group
            for group in shared
            if group[0].is_as(new)
            and isclose(self.value(group[0].place(group[0].risk.chance)), chance)
        ]
        same = [group for group in alike if group[0].known == new.known]
        if same or new.risk.residual is None:
            return same
        other = [group for group in alike if group[0].analysis != new.analysis]
        return [group for group in other if group[0].known < new.known]

    def untold(self, voice: Voice) -> list[str]:
        """Name what families measured that tell no risk, as the page calls it."""
        given = self.settings.get("analyses", {})
        families = (f.name for f in FAMILIES if not f.risks and given.get(f.name))
        return [str(voice.texts["measurable"][name]) for name in families]

    def _risks(self, voice: Voice) -> Iterator[MeasuredRisk]:
        """Yield the risks that families tell of their analyses."""
        for family in FAMILIES:
            if not family.risks:
                continue
            told: Risks = load(family.risks)
            for name in self._analyses(told.tables[0]):
                measured = {
                    each: self.read(_measures_path(each, name)) for each in told.tables
                }
                for risk in told.found(measured, self.settings, voice):
                    doubted = self.doubted(risk, voice)
                    yield MeasuredRisk(name, doubted, protected=self._protected(risk))

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
        is_drawn = release in self.drawn_releases()
        return (
            ProtectedRelease(release, origin, is_drawn) if origin != release else None
        )

    def drawn_releases(self) -> list[str]:
        """Name the protected releases in which values were drawn anew."""
        every = self.settings.get("protections", {})
        return [name for name in every if drawn_by(self.settings, name).attributes]

    def _analyses(self, table: str) -> Iterator[str]:
        folder = f"measures/{table}/"
        for path in sorted(self.listed):
            if path.startswith(folder):
                yield path.removeprefix(folder).removesuffix(".csv")


def measured_study(folder: Path) -> MeasuredStudy:
    return MeasuredStudy(folder, read_manifest(folder))


def _risk_before(left: MeasuredRisk, every: list[MeasuredRisk]) -> int | None:
    """Return the place of the risk that a protected release has less of, if any."""
    assert left.protected is not None
    releases = (left.protected.origin, *left.risk.releases[1:])
    unprotected = replace(left, risk=replace(left.risk, releases=releases))
    alike = [i for i, each in enumerate(every) if unprotected.is_as(each)]
    ways = (set.__eq__, set.__lt__, set.__gt__)
    found = (
        i
        for is_such in ways
        for i in alike
        if any(is_such({*each.known}, {*left.known}) for each in every[i].every)
    )
    return next(found, None)


def _measures_path(table: str, analysis: str) -> str:
    return f"measures/{table}/{analysis}.csv"
