"""From the zipped raw release to one record a person, measured once and kept."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.process import Limits
from benchmarks.results import Step
from benchmarks.workspace import step_of
from microleak.files import sweep, write_text
from microleak.paths import ROOT
from microleak.study.fingerprint import fingerprint


@dataclass(frozen=True)
class WayIn:
    """The files of the way in, all in one folder, and what makes them."""

    folder: Path
    schools: int
    attributes: tuple[str, ...]
    limits: Limits

    @property
    def people(self) -> Path:
        """One record a person."""
        return self.folder / "people.parquet"

    def steps(self) -> tuple[Step, ...]:
        """Make the files that are not there yet; return what each took.

        A file that is there and was made by the code as it is now is used again,
        with what it took then; if the code changed, the folder is emptied.
        """
        self._empty_if_stale()
        archive, table = self.folder / "raw.zip", self.folder / "table.parquet"
        attributes = list(self.attributes)
        return (
            self._step("synthesise", archive, {"schools": self.schools}),
            self._step(
                "ingest", table, {"archive": str(archive), "attributes": attributes}
            ),
            self._step("deduplicate", self.people, {"table": str(table)}),
        )

    def receipt(self) -> dict[str, Any]:
        """Return the row counts of the last step."""
        return _read(self.people.with_suffix(".json"))

    def _empty_if_stale(self) -> None:
        """Remove all tables if other code, schools or attributes made them."""
        stamp = self.folder / "made-by.txt"
        made_by = f"{_code()} {self.schools} {' '.join(self.attributes)}\n"
        sweep(self.folder)
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != made_by:
            shutil.rmtree(self.folder, ignore_errors=True)
            write_text(stamp, made_by)

    def _step(self, name: str, out: Path, arguments: Mapping[str, Any]) -> Step:
        taken = out.with_suffix(".taken.json")
        if out.exists() and taken.exists():
            return Step(**_read(taken))
        call, argument = _CALLS[name]
        given = {**arguments, argument: str(out)}
        if name == "deduplicate":
            given["n_threads"] = self.limits.n_threads
        step = step_of(name, f"benchmarks.steps_in:{call}", given, self.limits)
        write_text(taken, json.dumps(asdict(step)) + "\n")
        return step


_CALLS = {
    "synthesise": ("make_archive", "archive"),
    "ingest": ("make_table", "table"),
    "deduplicate": ("make_people", "people"),
}
"""Function of `benchmarks.steps_in` for each step, and its argument for its file."""


def _code() -> str:
    """Return the fingerprint of all code and data that decide what a table holds."""
    return fingerprint(
        "microleak.study.synthesis",
        "microleak.sources.ingest",
        "microleak.sources.deduplicate",
        files=[
            ROOT / "microleak/sources/twin/school_census.yaml",
            ROOT / "microleak/sources/twin/country.yaml",
            ROOT / "benchmarks/coded_tables.py",
        ],
    )


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
