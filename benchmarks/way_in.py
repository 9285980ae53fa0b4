"""From the raw release to one record a person, measured once and kept."""

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.process import Limits, step_of
from benchmarks.subject import Subject
from microleak.base.files import remove_unfinished, write_text
from microleak.base.paths import ROOT
from microleak.sources.definitions.definition import source_definition
from microleak.study.fingerprint import fingerprint_of_modules, reading_state


@dataclass(frozen=True)
class WayIn:
    """The files of the way in, all in one folder, and what makes them."""

    folder: Path
    subject: Subject
    twin_size: int
    limits: Limits

    @property
    def raw(self) -> Path:
        """The raw release, a file or a folder, until it is read."""
        return self.folder / "raw"

    @property
    def people(self) -> Path:
        """One record a person."""
        return self.folder / "people.parquet"

    def steps(self) -> list[dict[str, Any]]:
        """Do the steps that are not done yet; return what each took.

        A step that the code as it is now has done is not done again; if the code
        changed, the folder is emptied. The raw release, often the largest by far,
        is removed as soon as it is read.
        """
        self._empty_if_stale()
        subject = self.subject
        raw = {"raw": str(self.raw), "release": subject.release}
        reading = {"source": subject.source, "attributes": self._attributes}
        table = {"table": str(self._table)}
        people = {"people": str(self.people), "n_threads": self.limits.n_threads}
        size = {"twin_size": self.twin_size}
        steps = [
            self._step("synthesise", subject.writes, raw | size),
            self._step("ingest", "benchmarks.steps:make_table", raw | reading | table),
        ]
        if self.raw.is_dir():
            shutil.rmtree(self.raw)
        self.raw.unlink(missing_ok=True)
        call = "benchmarks.steps:make_people"
        return [*steps, self._step("deduplicate", call, table | people)]

    @property
    def n_rows(self) -> int:
        """Rows of the raw release."""
        return int(_read(self._table.with_suffix(".json"))["n_read"])

    @property
    def n_records(self) -> int:
        """Records of `people`."""
        return int(_read(self.people.with_suffix(".json"))["n_records"])

    @property
    def _table(self) -> Path:
        return self.folder / "table.parquet"

    @cached_property
    def _attributes(self) -> list[str]:
        analysis = self.subject.analysis
        return [*analysis.qids, *analysis.sensitive]

    def _empty_if_stale(self) -> None:
        """Remove all tables that other code or settings made."""
        stamp = self.folder / "made-by.txt"
        made_by = f"{_code()} {self.twin_size} {self._reading_state()}\n"
        remove_unfinished(self.folder)
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != made_by:
            shutil.rmtree(self.folder, ignore_errors=True)
            write_text(stamp, made_by)

    def _reading_state(self) -> str:
        definition = source_definition(self.subject.source, self.subject.release, {})
        return f"{self._attributes} {reading_state(definition, self._attributes)}"

    def _step(self, name: str, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
        taken = self.folder / f"{name}.taken.json"
        if not taken.exists():
            step = step_of(name, call, arguments, self.limits)
            write_text(taken, json.dumps(step) + "\n")
        return _read(taken)


def _code() -> str:
    """Return the fingerprint of all code and data that decide what a table holds."""
    return fingerprint_of_modules(
        "papers.twins",
        "microleak.sources.steps.ingest",
        "microleak.sources.steps.deduplicate",
        files=[
            *sorted((ROOT / "papers/twins").glob("*.yaml")),
            ROOT / "benchmarks/coded_tables.py",
        ],
    )


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
