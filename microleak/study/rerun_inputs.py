"""What parts are made again from: study file, archives and results of a manifest."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from microleak.errors import ArchiveError, StudyError, VerificationError
from microleak.files import sha256_of
from microleak.sources.definition import source_definition
from microleak.sources.seal import sealed
from microleak.study.jobs import jobs_of
from microleak.study.listing import first_few
from microleak.study.manifest_file import AGAIN
from microleak.study.model import Release, Study
from microleak.study.outputs import outputs_of
from microleak.study.parts import Part
from microleak.study.public_settings import public_settings
from microleak.study.records import asked_of, read_record
from microleak.study.yaml_file import read_yaml


def check_archives(study: Study, again: Part, manifest: Mapping[str, Any]) -> None:
    """Refuse archives that are not those that the results were made from.

    Those of other releases may be missing, unless they tell that a twin made them.

    Raises
    ------
    ArchiveError
        If one is missing, or its SHA-256 is not that of the release's receipt.
    """
    for table, name in study.used:
        release = study.tables[table].releases[name]
        receipt = manifest["inputs"][f"tables/{table}/{name}.json"]
        if release.archive and (table, name) in again.releases:
            _check_archive(study, table, release, receipt["sha256"])
        elif release.archive and manifest["synthetic"]:
            _check_there(f"{table} {name}", Path(release.archive))


def check_inputs(
    study: Study, study_dir: Path, manifest: Mapping[str, Any]
) -> list[str]:
    """Refuse archives other than the results were made from, of all releases.

    Returns
    -------
    list of str
        Releases that were fetched or made, of which the archive is not there any more.

    Raises
    ------
    ArchiveError
        If one is missing, or its SHA-256 is not that of the release's receipt.
    """
    check_archives(study, Part(frozenset(), (), study.used), manifest)
    gone = []
    for job in jobs_of(study):
        if job.is_raw:
            table, name = job.names["table"], job.names["release"]
            path = study_dir / next(iter(job.outputs.values()))
            archive = str(path.parent if job.rule == "collect" else path)
            if path.exists():
                release = replace(study.tables[table].releases[name], archive=archive)
                receipt = manifest["inputs"][f"tables/{table}/{name}.json"]
                _check_archive(study, table, release, receipt["sha256"])
            else:
                gone.append(f"{table} {name}")
    return gone


def check_settings(study: Study, study_dir: Path) -> None:
    """Refuse records of other settings than those of the study file.

    Whether a release is synthetic is left out, as its archive may not be there.

    Raises
    ------
    VerificationError
        If a record is missing, or was made with other settings; the first is named.
    """
    others = [
        job.title
        for job in jobs_of(study)
        if _told(read_record(study_dir, job).get("settings", {}))
        != _told(asked_of(job, "")["settings"])
    ]
    if others:
        raise VerificationError(
            f"The records of {len(others)} steps have other settings than the study "
            f"file ({first_few(others)}): the results are not those of the study file. "
            "Make them again with microleak run and the study file."
        )


def _told(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in settings.items() if name != "is_synthetic"}


def _check_archive(study: Study, table: str, release: Release, sha256: str) -> None:
    archive = Path(str(release.archive))
    _check_there(f"{table} {release.name}", archive)
    given = study.tables[table]
    pattern = source_definition(given.source, release.name, given.options).members
    found = sealed(archive, pattern, None).sha256
    if found != sha256:
        raise ArchiveError(
            f"{table} {release.name}: {archive} has SHA-256 {found}, and what the "
            f"results were made from {sha256}. Correct archive, or put that file there."
        )


def _check_there(release: str, archive: Path) -> None:
    if not archive.exists():
        raise ArchiveError(
            f"{release}: there is no archive {archive}. Run where it is."
        )


def check_study_file(config: Path, manifest: Mapping[str, Any]) -> None:
    """Refuse a study file that is not the one of the results.

    Raises
    ------
    StudyError
        If it is missing or has another SHA-256.
    VerificationError
        If it has the SHA-256, and the manifest gives other settings.
    """
    if not config.is_file():
        raise StudyError(f"There is no study file {config}. Give it by --config.")
    if sha256_of(config) != manifest["config"]["sha256"]:
        raise StudyError(
            f"{config} is not the study file that the results were made with: its "
            "SHA-256 is not that of the manifest. Give that one by --config."
        )
    given = read_yaml(config)
    settings = given["study"], given["seed"], public_settings(given)
    told = manifest["study"], manifest["seed"], manifest["config"]["content"]
    if settings != told:
        raise VerificationError(
            f"The manifest gives other settings than {config}, whose SHA-256 it has: "
            f"it was changed after it was made. {AGAIN}"
        )


def check_listed(study: Study, manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest that lacks results of its study.

    Raises
    ------
    VerificationError
        If a result that is a file is not listed, or no file of one that is a folder.
    """
    listed = [each["path"] for each in manifest["outputs"]]
    folders = {parent.as_posix() for path in listed for parent in Path(path).parents}
    found = folders.union(listed)
    missing = [path for path in sorted(outputs_of(study)) if path not in found]
    if missing:
        raise VerificationError(
            f"The manifest lacks {len(missing)} results of the study file "
            f"({first_few(missing)}): it was changed after it was made. {AGAIN}"
        )
