"""The folder of a benchmark: the tables that its measurements read."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.process import Limits, step_of
from benchmarks.scale import SEED
from microleak.attacks.collective.analysis import Collective


@dataclass(frozen=True)
class Workspace:
    """Where a benchmark's tables are, and what its processes may take."""

    folder: Path  # Of tables made; one that is there is used again
    # Of the tables, ascending; the last is that of the whole one, `people.parquet`
    records: tuple[int, ...]
    analysis: Collective  # Over all QIDs, in the order they join the series
    n_study_qids: int  # The first QIDs, which are those of the study
    limits: Limits  # Of every process

    @property
    def n_records(self) -> int:
        """Records of the whole table."""
        return self.records[-1]

    def analysis_of(self, n_qids: int) -> dict[str, Any]:
        """Return the fields of the analysis of the first QIDs."""
        return asdict(replace(self.analysis, qids=self.analysis.qids[:n_qids]))

    def people(self, n_records: int) -> Path:
        """Return the file of so many records, one a person.

        They are drawn from the next larger file, so that each is a random draw
        of the whole table.
        """
        if n_records == self.n_records:
            return self.folder / "people.parquet"
        larger = min(n for n in self.records if n > n_records)
        return self._made(
            self.folder / f"people-{n_records}.parquet",
            "benchmarks.coded_tables:draw_records",
            {
                "people": str(self.people(larger)),
                "n_records": n_records,
                "seed": SEED,
            },
        )

    def codes(self, n_records: int) -> Path:
        """Return the file of so many records' integer codes."""
        return self._made(
            self.codes_file(n_records),
            "benchmarks.coded_tables:write_codes",
            self.coding(n_records),
        )

    def codes_file(self, n_records: int) -> Path:
        """Return where the codes of so many records are, or will be."""
        attributes = self.coding(n_records)["attributes"]
        which = hashlib.sha256("|".join(attributes).encode()).hexdigest()[:8]
        return self.folder / f"codes-{n_records}-{which}.parquet"

    def coding(self, n_records: int) -> dict[str, Any]:
        """Return what `write_codes` needs besides the file to write."""
        qids = self.analysis.qids[: self.n_study_qids]
        return {
            "people": str(self.people(n_records)),
            "attributes": [*qids, *self.analysis.sensitive],
        }

    def _made(self, out: Path, call: str, arguments: Mapping[str, Any]) -> Path:
        if not out.exists():
            step_of(out.stem, call, {**arguments, "out": str(out)}, self.limits)
        return out
