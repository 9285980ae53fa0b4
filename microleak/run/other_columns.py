"""Other columns of what the store has: what was read of a release is not read again.

A study of other attributes of a release has tables with other columns. It has the
same records in the same order if none was refused for a value, and if which record of
a person stays was drawn by the record's number. Then the columns are taken from the
entries that have them, and what is written is what the job would have written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from microleak.base.digests import Digests
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
from microleak.sources.steps.join import Link, panel_schema
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


@dataclass(frozen=True)
class OtherColumns:
    """A study, its folder and file, and a store with what others have read.

    Attributes
    ----------
    digests
        Hashes of files; each of the store is hashed before it is used.
    """

    study: Study
    study_dir: Path
    study_file: Path
    store: Store
    digests: Digests

    def take(self, jobs: Iterable[Job]) -> list[Job]:
        """Write what jobs make, where the store has all of it, each with its record."""
        kept = {entry.rule for entry in self.store.entries(*_COLUMNS)}
        return [job for job in jobs if job.rule in kept and self._is_made(job)]

    def _is_made(self, job: Job) -> bool:
        asked = asked_now(job, self.study_dir, self.study_file, self.digests)
        alike = self._alike(job, asked)
        if not alike:
            return False
        names = _COLUMNS[job.rule](job, self.study_dir)
        table, told = job.outputs.values()
        having: dict[str, Entry] = {}
        for entry in alike:
            for name in schema_of(entry.folder / table).names:
                having.setdefault(name, entry)
        if not having.keys() >= {*names}:
            return False
        content = receipt(alike[0].folder / told)
        if job.rule == INGEST.rule:
            content["attributes"] = names[len(_definition(job).identifiers) :]
        (self.study_dir / MANIFEST).unlink(missing_ok=True)
        files = {name: having[name].folder / table for name in names}
        try:
            write_columns(self.study_dir / table, files)
            write_text(self.study_dir / told, receipt_text(content))
        except OSError:  # no room: the job says it
            return False
        made = {path: self.digests.of(self.study_dir / path) for path in (table, told)}
        record = {**asked, "outputs": made}
        write_text(self.study_dir / record_of(job), text_of(record))
        return True

    def _alike(self, job: Job, asked: Mapping[str, Any]) -> list[Entry]:
        """Return the entries with the records of a job's result, in its order.

        Those that are not as they were made are removed.
        """
        is_read = job.rule == INGEST.rule
        is_alike = self._is_read_alike if is_read else self._is_fed_alike
        made = {*job.outputs.values()}
        same = (
            entry
            for entry in self.store.entries(job.rule)
            if entry.record["code"] == asked["code"] and {*entry.files} == made
            if self.store.is_as_made(entry, self.digests)
        )
        return [entry for entry in same if is_alike(entry, job, asked)]

    def _is_read_alike(self, entry: Entry, job: Job, asked: Mapping[str, Any]) -> bool:
        """Say whether an entry is what a job would make of other attributes."""
        attributes = entry.record["settings"]["attributes"]
        names = job.names["table"], job.names["release"]
        other = replace(job, settings=ingest_settings(self.study, *names, attributes))
        settings = asked_of(other, asked["code"])["settings"]
        told = receipt(entry.folder / job.outputs["receipt"])
        is_all_kept = not told["n_refused"] and "removed" not in told
        of_entry = entry.record["settings"], entry.record["inputs"]
        return is_all_kept and of_entry == (settings, asked["inputs"])

    def _is_fed_alike(self, entry: Entry, job: Job, asked: Mapping[str, Any]) -> bool:
        """Say whether an entry was made of files with the records that a job reads."""
        if job.rule == DEDUPLICATE.rule:
            told = receipt(entry.folder / job.outputs["receipt"])
            if told["record_id"] is None or told["n_tied"]:
                return False
        of_entry, of_job = entry.record["inputs"], asked["inputs"]
        is_same = entry.record["settings"] == asked["settings"]
        return is_same and all(
            theirs == ours or (theirs[:2] == ours[:2] and self._has(theirs))
            for theirs, ours in zip(of_entry, of_job, strict=True)
        )

    def _has(self, row: Sequence[str]) -> bool:
        """Say whether an input of an entry has the records of the study's file."""
        _, path, sha = row
        maker = self._makers[path]
        made = self._alike(maker, read_record(self.study_dir, maker))
        return sha in (entry.files.get(path) for entry in made)

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
    link = Link(focal, auxiliary, person, job.names["auxiliary"])
    return list(panel_schema(link).names)


_COLUMNS: Mapping[str, Callable[[Job, Path], list[str]]] = {
    INGEST.rule: _columns_of_release,
    DEDUPLICATE.rule: _columns_of_people,
    JOIN.rule: _columns_of_panel,
}
"""Names of the columns that a job writes, in their order, by its rule."""
