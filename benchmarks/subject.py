"""What a benchmark's table is of: the release of a study, and its twin in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.base.paths import CONFIG
from microleak.study.load import load_study


@dataclass(frozen=True)
class Subject:
    """A release of a study, which a twin makes at any size."""

    name: str  # In the results
    study: Path  # Study file whose analysis of the release is repeated
    release: str  # Focal release of that analysis
    further_qids: tuple[str, ...]  # After those of the study, for the series over QIDs
    writes: str  # `module:function` that writes the raw release, a file or a folder
    # What the twin's size counts, and what a record is, both in the plural
    units: str
    records: str
    twin: str  # What the twin is of, for the page
    note: str  # What the page says of the way in

    @cached_property
    def analysis(self) -> Collective:
        """The study's analysis with further QIDs, over all subsets, without groups."""
        analyses = load_study(self.study).analyses["collective"].values()
        found = next(one for one in analyses if one.focal == self.release)
        qids = (*found.qids, *self.further_qids)
        return Collective(
            "benchmark", found.table, found.focal, qids, found.sensitive, "all"
        )

    @cached_property
    def source(self) -> str:
        """Source of the release, as in the study file."""
        return load_study(self.study).tables[self.analysis.table].source


STUDENTS = Subject(
    name="students",
    study=CONFIG / "papers/nunes-2021.yaml",
    release="2018",
    further_qids=("TP_ETAPA_ENSINO", "TP_LOCALIZACAO"),
    writes="benchmarks.steps:make_school_census",
    units="schools",
    records="students",
    twin="students of the School Census 2018, whose blocks are calibrated to the "
    "published ones",
    note="`synthesise` makes the zipped release and is not part of a study of a real "
    "one.",
)

OUTPATIENT = Subject(
    name="outpatient",
    study=CONFIG / "datasus-2023.yaml",
    release="SP-2023",
    further_qids=(),
    writes="benchmarks.steps:make_outpatient",
    units="valid lines",
    records="lines of procedure",
    twin="outpatient procedures (SIA-PA) of São Paulo in 2023",
    note="`synthesise` makes the release, a folder of dBase tables by month, and is "
    "not part of a study of a real one. The office packs its files (.dbc): unpacking "
    "them comes on top ([decision 6](decisions/0006-outpatient-data.md)). Lines have "
    "no person, so that none is dropped and the table is sorted by all attributes: "
    "neighbours are alike, for every program.",
)

SUBJECTS: Mapping[str, Subject] = {
    subject.name: subject for subject in (STUDENTS, OUTPATIENT)
}
