"""Other columns of what the store has: what was read of a release is not read again.

A study of other attributes of a release has tables with other columns. It has the
same records in the same order if none was refused for a value, if they are sorted by
the person alone, and if what names a record settled which one of a person stays.
Then the columns are taken from the entries that have them, and what is written is what
the job would have written. Whatever stands against it, the job does its work.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pyarrow import ArrowException

from microleak.base.digests import Digests
from microleak.base.errors import MicroleakError, TableError
from microleak.base.files import write_text
from microleak.base.paths import MANIFEST
from microleak.family import Job
from microleak.run.store import Entry, Store
from microleak.sources.definitions.definition import SourceDefinition, source_definition
from microleak.sources.steps.deduplicate import Choice, people_schema
from microleak.sources.steps.ingest import columns_read
from microleak.sources.steps.intermediate import (
    receipt,
    receipt_text,
    schema_of,
    write_columns,
)
from microleak.sources.steps.join import ReleaseLink, panel_schema
from microleak.study.job_records import (
    asked_now,
    asked_of,
    read_record,
    record_of,
    text_of,
)
from microleak.study.jobs import DEDUPLICATE, INGEST, JOIN, ingest_settings
from microleak.study.steps import jobs_of
from microleak.study_file.model import Study

_UNUSABLE = (OSError, MemoryError, ValueError, KeyError, MicroleakError, ArrowException)
"""What reading or writing may end in: then the job does its work itself."""


@dataclass(frozen=True)
class OtherColumns:
    """A study, its folder and file, and a store with what others have read."""

    study: Study
    study_dir: Path
    study_file: Path
    store: Store
    digests: Digests  # Hashes of files
    say: Callable[[str], None]
    _found: dict[str, list[Entry]] = field(default_factory=dict)

    def take(self, jobs: Iterable[Job]) -> list[Job]:
        """Write what jobs make, where the store has all of it, each with its record."""
        kept = {entry.rule for entry in self.store.entries(*_COLUMNS)}
        return [job for job in jobs if job.rule in kept and self._is_made(job)]

    def _is_made(self, job: Job) -> bool:
        try:
            with self.store.in_use():
                return self._is_composed(job)
        except _UNUSABLE:
            return False

    def _is_composed(self, job: Job) -> bool:
        asked = asked_now(job, self.study_dir, self.study_file, self.digests)
        found = self._alike(job, asked)
        alike = [e for e in found if self.store.is_as_made(e, self.digests)]
        names = _COLUMNS[job.rule](job, self.study_dir)
        table, told = job.outputs.values()
        having: dict[str, Entry] = {}
        for entry in alike:
            for name in schema_of(entry.folder / table).names:
                having.setdefault(name, entry)
        if not having.keys() >= {*names}:
            return False
        self.say(f"taking the columns of {job.title} from {self.store.folder}")
        content = receipt(alike[0].folder / told)
        if job.rule == INGEST.rule:
            content["attributes"] = names[len(_definition(job).keys) :]
        (self.study_dir / MANIFEST).unlink(missing_ok=True)
        files = {name: having[name].folder / table for name in names}
        write_columns(self.study_dir / table, files)
        write_text(self.study_dir / told, receipt_text(content))
        made = {path: self.digests.of(self.study_dir / path) for path in (table, told)}
        record = {**asked, "outputs": made}
        write_text(self.study_dir / record_of(job), text_of(record))
        return True

    def _alike(self, job: Job, asked: Mapping[str, Any]) -> list[Entry]:
        """Return the entries with the records of a job's result, in its order."""
        if job.title not in self._found:
            is_read = job.rule == INGEST.rule
            is_alike = self._is_read_alike if is_read else self._is_fed_alike
            made = {*job.outputs.values()}
            same = (
                entry
                for entry in self.store.entries(job.rule)
                if entry.record["code"] == asked["code"] and {*entry.files} == made
            )
            self._found[job.title] = [e for e in same if is_alike(e, job, asked)]
        return self._found[job.title]

    def _is_read_alike(self, entry: Entry, job: Job, asked: Mapping[str, Any]) -> bool:
        """Say whether an entry is what a job would make of other attributes.

        Without a name of persons a job looks for a column that has it, among those
        that are not read.
        """
        attributes = entry.record["settings"]["attributes"]
        names = job.names["table"], job.names["release"]
        other = replace(job, settings=ingest_settings(self.study, *names, attributes))
        settings = asked_of(other, asked["code"])["settings"]
        of_entry = entry.record["settings"], entry.record["inputs"]
        if of_entry != (settings, asked["inputs"]):
            return False
        told = self._receipt(entry, job)
        is_all_kept = not told["n_refused"] and "removed" not in told
        return is_all_kept and told["person_id"] is not None

    def _is_fed_alike(self, entry: Entry, job: Job, asked: Mapping[str, Any]) -> bool:
        """Say whether an entry was made of files with the records that a job reads.

        Without a name of persons they are sorted by all that is read of them.
        """
        of_entry, of_job = entry.record["inputs"], asked["inputs"]
        if entry.record["settings"] != asked["settings"] or not all(
            theirs == ours or (theirs[:2] == ours[:2] and self._has(theirs))
            for theirs, ours in zip(of_entry, of_job, strict=True)
        ):
            return False
        if job.rule == DEDUPLICATE.rule:
            told = self._receipt(entry, job)
            is_named = told["person_id"] is not None and told["record_id"] is not None
            return is_named and not told["n_tied"]
        return True

    def _receipt(self, entry: Entry, job: Job) -> dict[str, Any]:
        """Return what an entry's receipt says, if that is as it was written."""
        path = job.outputs["receipt"]
        if self.digests.of(entry.folder / path) != entry.files[path]:
            entry.remove()
            raise TableError(f"{entry.folder}: its receipt was changed.")
        return receipt(entry.folder / path)

    def _has(self, row: Sequence[str]) -> bool:
        """Say whether an input of an entry has the records of the study's file."""
        _, path, sha = row
        maker = self._makers[path]
        made = self._alike(maker, read_record(self.study_dir, maker))
        return sha in {entry.files[path] for entry in made}

    @cached_property
    def _makers(self) -> dict[str, Job]:
        jobs = jobs_of(self.study)
        return {path: job for job in jobs for path in job.outputs.values()}


def _definition(job: Job) -> SourceDefinition:
    given = job.settings
    return source_definition(given["source"], job.names["release"], given["options"])


def _columns_of_release(job: Job, _: Path) -> list[str]:
    return columns_read(_definition(job), job.settings["attributes"])


def _columns_of_people(job: Job, study_dir: Path) -> list[str]:
    table, told = (study_dir / path for _, path in job.reads)
    ids = receipt(told)
    choice = Choice(ids["person_id"], ids["record_id"], job.settings["seed"])
    return list(people_schema(schema_of(table), choice).names)


def _columns_of_panel(job: Job, study_dir: Path) -> list[str]:
    focal, auxiliary, told = (study_dir / path for _, path in job.reads)
    person = receipt(told)["person_id"]
    link = ReleaseLink(focal, auxiliary, person, job.names["auxiliary"])
    return list(panel_schema(link).names)


_COLUMNS: Mapping[str, Callable[[Job, Path], list[str]]] = {
    INGEST.rule: _columns_of_release,
    DEDUPLICATE.rule: _columns_of_people,
    JOIN.rule: _columns_of_panel,
}
"""Names of the columns that a job writes, in their order, by its rule."""
