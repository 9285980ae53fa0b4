"""A protected release as a file to publish, with the record of what was done."""

from collections.abc import Iterator
from gettext import gettext as _
from pathlib import Path
from typing import Any

from microleak import __version__
from microleak.base.errors import StudyError, check_known
from microleak.base.files import all_new, sha256_of
from microleak.protection.export import (
    LINES,
    PARQUET,
    ending_of,
    form_of,
    names_of,
    write_records,
)
from microleak.protection.lines import seen_lines
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.steps.intermediate import receipt, receipt_text
from microleak.step import Job
from microleak.study.jobs import PROTECT
from microleak.study.steps import Jobs
from microleak.study_file.context import definition_of
from microleak.study_file.model import Study


def record_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.json")


def layout_of(file: Path) -> Path:
    """Return where the layout of a file lies, if its fields are at fixed places."""
    return file.with_name(f"{file.name}.layout.csv")


def files_of(file: Path) -> list[Path]:
    """Return what an export writes: the file, its record and, of lines, their layout.

    >>> [each.name for each in files_of(Path("town.txt"))]
    ['town.txt', 'town.txt.json', 'town.txt.layout.csv']
    """
    layout = [layout_of(file)] if ending_of(file) == LINES else []
    return [file, record_of(file), *layout]


def protection_named(study: Study, name: str, config: Path) -> Job:
    tables = {name: table for table, name in study.protected}
    if not tables:
        said = _(
            "{config} has no protections. Add what is to be done to a release under "
            "protections (docs/protect.md)."
        )
        raise StudyError(said, config=config)
    listed = _(" It must be listed under {places}.").format(places="protections")
    said = _("{config} has no protection").format(config=config)
    check_known(name, tables, said, listed)
    names = {"table": tables[name], "protection": name}
    return Jobs(study).of(PROTECT.rule, names)


def check_file(file: Path, results: Path, study: Study, job: Job) -> None:
    """Refuse a file that cannot be written, or whose place is taken."""
    files = files_of(file)
    if ending_of(file) == LINES:
        seen_lines(*_origin_and_archive(study, job))
    if not file.parent.is_dir():
        said = _("{file}: there is no folder {folder}. Make it, or correct -o.")
        raise StudyError(said, file=file, folder=file.parent)
    if file.resolve().is_relative_to(results.resolve()):
        said = _(
            "{file} is part of {results}, of which the manifest lists every file. Give "
            "another folder in -o."
        )
        raise StudyError(said, file=file, results=results)
    for each in files:
        if each.exists():
            said = _("{file} is here already. Name another file with {option}.")
            raise StudyError(said, file=each, option="-o")


def _origin_and_archive(study: Study, job: Job) -> tuple[SourceDefinition, Path | None]:
    table = study.tables[job.names["table"]]
    release = table.origin(job.names["protection"])
    archive = Path(release.archive) if release.archive else None
    return definition_of(table, release.name), archive


def export_protected(
    study: Study, results: Path, config: Path, job: Job, file: Path
) -> dict[str, Any]:
    """Write a protected release and, beside it, the record of it; return the record.

    The file has one record a person, sorted by what is written, and the attributes
    of the protected release without any identifier (`protection.export`). All appear
    whole or none does. The record has the seed, by which random changes could be
    undone, the fingerprint of the key in the place of the key, and exact counts, so
    that its owner alone can read it.
    """
    table, name = job.names["table"], job.names["protection"]
    release = study.tables[table].origin(name)
    definition, archive = _origin_and_archive(study, job)
    people = results / job.outputs["people"]
    names = names_of(people, definition, archive)
    told: dict[str, Any] = {
        "microleak": __version__,
        "study": {"name": study.name, "file": config.name, "sha256": sha256_of(config)},
        "table": table,
        "release": release.name,
        "synthetic": release.is_synthetic,
        "source": receipt(results / f"tables/{table}/{release.name}.json"),
        "persons": receipt(results / f"people/{table}/{release.name}.json"),
        "protections": [*_protections_done(study, results, table, name)],
    }
    with all_new(files_of(file)) as (aside, record, *layout):
        places = write_records(people, aside, definition, names, archive)
        told["file"] = {
            "name": file.name,
            "sha256": sha256_of(aside),
            "bytes": aside.stat().st_size,
            "columns": [definition.official(each) for each in names],
            **_written_form(file, definition),
        }
        if places is not None:
            told["file"]["layout"] = layout_of(file).name
            told["file"]["wider"] = [*places.wider]
            text = places.text(release.name)
            layout[0].write_text(text, encoding="utf-8", newline="\n")
        record.touch(0o600)
        record.write_text(receipt_text(told), encoding="utf-8", newline="\n")
    return told


def _written_form(file: Path, definition: SourceDefinition) -> dict[str, str]:
    if ending_of(file) == PARQUET:
        return {}
    form = form_of(definition)
    if ending_of(file) == LINES:
        return {"encoding": form.encoding, "missing": "blank"}
    return {
        "delimiter": form.delimiter,
        "encoding": form.encoding,
        "missing": form.missing[0],
    }


def _protections_done(
    study: Study, results: Path, table: str, name: str
) -> Iterator[dict[str, Any]]:
    """Yield what each protection did, the one of the release itself first."""
    protections = study.tables[table].protections
    origin = protections[name].release
    if origin in protections:
        yield from _protections_done(study, results, table, origin)
    job = Jobs(study).of(PROTECT.rule, {"table": table, "protection": name})
    told = receipt(results / job.outputs["receipt"])
    steps = protections[name].steps
    matrices = {path: sha256_of(path) for step in steps for path in step.matrices}
    settings = job.settings
    key = {"key_fingerprint": settings["fingerprint"]} if "key" in settings else {}
    yield {
        "name": name,
        "release": origin,
        **key,
        "seed": settings["seed"],
        "steps": [step.as_written for step in steps],
        "hierarchies": settings["hierarchies"],
        "files": {**settings["files"], **matrices},
        **{key: told[key] for key in ("n_before", "n_records", "changes")},
    }
