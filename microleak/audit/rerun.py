"""Parts of a study's results made again elsewhere, and compared.

What the part stands on is linked into a folder of its own, where the results of the
part are missing; so Snakemake makes these and touches nothing of the study's.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from microleak.audit.manifest import public_settings
from microleak.audit.sealed import again
from microleak.base.errors import (
    ArchiveError,
    StudyError,
    VerificationError,
    check_known,
    count_of,
)
from microleak.base.files import sha256_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.identity import sealed
from microleak.step import Job
from microleak.study.fingerprint import PACKAGES, code_fingerprint, package_versions
from microleak.study.job_records import archive_rows, asked_of, read_record, text_of
from microleak.study.jobs import OF_RELEASES
from microleak.study.listing import files_of, first_few
from microleak.study.outdated import is_output, outputs_of, results_of
from microleak.study.steps import AUDIT, jobs_of
from microleak.study_file.model import Release, Study
from microleak.study_file.yaml import read_yaml

REPORT = "report"  # Name of the part that is the pages and the tables over all analyses

_FOLDERS = ("tables/", "people/", "panels/")


@dataclass(frozen=True)
class RerunPart:
    """Results that are made again together."""

    outputs: frozenset[str]  # Files and folders below the study's folder
    rules: tuple[str, ...]  # Rules that make them
    releases: tuple[tuple[str, str], ...] = ()


def part(study: Study, names: Iterable[str]) -> RerunPart:
    """Return the results of analyses, by their names, of releases, or the report."""
    # The name of an analysis of many releases stands for that of each. A release,
    # `TABLE/RELEASE`, is its table, its people and the panels of which it is the focal
    # one. `report` is the pages and the tables over all analyses; an analysis that has
    # this name is made again with it.
    parts = [each for name in names for each in _parts(study, name)]
    return RerunPart(
        frozenset().union(*(each.outputs for each in parts)),
        tuple(dict.fromkeys(rule for each in parts for rule in each.rules)),
        tuple(dict.fromkeys(one for each in parts for one in each.releases)),
    )


def _parts(study: Study, name: str) -> list[RerunPart]:
    if "/" in name:
        return [_release(study, name)]
    analysis = _analysis(study, name)
    if name == REPORT:
        jobs = [j for j in jobs_of(study) if j.step.is_of_study and j.step != AUDIT]
        made = {path.rstrip("/") for job in jobs for path in job.outputs.values()}
        analysis.append(RerunPart(frozenset(made), tuple(job.rule for job in jobs)))
    if not analysis:
        known = [*(each.name for each in study.every_analysis), REPORT]
        check_known(name, known, "--rerun: the study has no analysis")
    return analysis


def _release(study: Study, name: str) -> RerunPart:
    known = ["/".join(each) for each in (*study.used, *study.made)]
    check_known(name, known, "--rerun: the study uses no release")
    ways = {f"{folder}{name}" for folder in _FOLDERS}
    outputs = {
        path
        for path in results_of(study)
        if path.rpartition("/")[0] in ways or path.rpartition(".")[0] in ways
    }
    table, _, release = name.partition("/")
    rules = [step.rule for step, _ in OF_RELEASES if not step.is_of_study]
    return RerunPart(frozenset(outputs), tuple(rules), ((table, release),))


def _analysis(study: Study, name: str) -> list[RerunPart]:
    found = {
        family: {
            each.name: each
            for each in analyses.values()
            if name in (each.name, getattr(each, "part_of", ""))
        }
        for family, analyses in study.analyses.items()
    }
    if not any(found.values()):
        return []
    of_releases = {step.rule for step, _ in OF_RELEASES}
    jobs = [
        job
        for job in jobs_of(replace(study, analyses=found))
        if not job.step.is_of_study and job.rule not in of_releases
    ]
    outputs = {path.rstrip("/") for job in jobs for path in job.outputs.values()}
    return [
        RerunPart(frozenset(outputs), tuple(dict.fromkeys(job.rule for job in jobs)))
    ]


def check_archives(study: Study, again: RerunPart, manifest: Mapping[str, Any]) -> None:
    """Refuse archives that are not those that the results were made from."""
    # Those of other releases may be missing, unless they tell that a twin made them.
    for table, name in study.used:
        release = study.tables[table].releases[name]
        if release.archive and (table, name) in again.releases:
            _check_archive(study, table, release, manifest)
        elif release.archive and manifest["synthetic"]:
            _check_there(f"{table} {name}", Path(release.archive))


def check_inputs(
    study: Study, study_dir: Path, manifest: Mapping[str, Any]
) -> list[str]:
    """Return releases that were fetched or made and whose archive is not there."""
    check_archives(study, RerunPart(frozenset(), (), study.used), manifest)
    gone = []
    for job in jobs_of(study):
        _check_recorded(job, study_dir)
        if job.is_raw:
            table, name = job.names["table"], job.names["release"]
            path = study_dir / next(iter(job.outputs.values()))
            archive = str(path.parent if job.rule == "collect" else path)
            if path.exists():
                release = replace(study.tables[table].releases[name], archive=archive)
                _check_archive(study, table, release, manifest)
            else:
                gone.append(f"{table} {name}")
    return gone


def _check_recorded(job: Job, study_dir: Path) -> None:
    """Refuse a record that gives other hashes of an archive than its files have."""
    rows = read_record(study_dir, job).get("inputs", ())
    if job.archive and [row for row in rows if row[0] == "archive"] != archive_rows(
        job
    ):
        raise VerificationError(
            f"The record of {job.title} has other hashes of the archive "
            f"{job.archive.path} than its files have, though its receipt has the right "
            f"ones: it was changed after it was made. {again()}"
        )


def check_settings(study: Study, study_dir: Path) -> None:
    """Refuse records of other settings than those of the study file."""
    # Whether a release is synthetic is left out, as its archive may not be there.
    others = [
        job.title
        for job in jobs_of(study)
        if _told(read_record(study_dir, job).get("settings", {}))
        != _told(asked_of(job, "")["settings"])
    ]
    if others:
        raise VerificationError(
            f"The records of {count_of(len(others), 'step')} have other settings than "
            f"the study file ({first_few(others)}): the results are not those of the "
            "study file. Make them again with microleak run and the study file."
        )


def _told(settings: Mapping[str, Any]) -> str:
    return text_of({n: each for n, each in settings.items() if n != "is_synthetic"})


def _check_archive(
    study: Study, table: str, release: Release, manifest: Mapping[str, Any]
) -> None:
    sha256 = manifest["inputs"][f"tables/{table}/{release.name}.json"]["sha256"]
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
    if not config.is_file():
        raise StudyError(f"There is no study file {config}. Give it by --config.")
    if sha256_of(config) != manifest["config"]["sha256"]:
        raise StudyError(
            f"{config} is not the study file that the results were made with: its "
            "SHA-256 is not that of the manifest. Give that one by --config, or make "
            "the results again with microleak run."
        )
    given = read_yaml(config)
    settings = given["study"], given["seed"], public_settings(given)
    told = manifest["study"], manifest["seed"], manifest["config"]["content"]
    if settings != told:
        raise VerificationError(
            f"The manifest gives other settings than {config}, whose SHA-256 it has: "
            f"it was changed after it was made. {again()}"
        )


def check_listed(study: Study, manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest that lacks results of its study."""
    listed = [each["path"] for each in manifest["outputs"]]
    folders = {parent.as_posix() for path in listed for parent in Path(path).parents}
    found = folders.union(listed)
    missing = [path for path in sorted(outputs_of(study)) if path not in found]
    if missing:
        raise VerificationError(
            f"The manifest lacks {count_of(len(missing), 'result')} of the study file "
            f"({first_few(missing)}): it was changed after it was made. {again()}"
        )


def prepare(folder: Path, study_dir: Path, study: Study, config: Path) -> Path:
    """Make a working folder below `folder` with all that the study reads; return it."""
    # An archive, or another file, that the study file gives by a relative path is a
    # link at that path.
    archives = [
        release.archive
        for table in study.tables.values()
        for release in table.releases.values()
        if release.archive
    ]
    # Unlike that of `Path`, also false of a text too long for a path.
    others = [t for t in _texts(read_yaml(config)) if os.path.isfile(t)]  # noqa: PTH113
    paths = [os.path.normpath(path) for path in (*archives, *others)]
    relative = dict.fromkeys(path for path in paths if not Path(path).is_absolute())
    n_up = max((Path(path).parts.count("..") for path in relative), default=0)
    work = folder.joinpath("work", *["below"] * n_up)
    work.mkdir(parents=True)
    shutil.copyfile(config, work / config.name)
    for path in relative:
        _link(Path(os.path.normpath(work / path)), Path(path))
    # Each file for itself: what is new is not put beside them.
    for file in sorted((study_dir / "raw").rglob("*")):
        if file.is_file():
            _link(work / "results" / study.name / file.relative_to(study_dir), file)
    return work


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def link_results(
    results: Path, study_dir: Path, paths: Iterable[str], again: RerunPart
) -> None:
    """Link the results that a part may stand on, those of other parts."""
    for path in paths:
        if not is_output(path, again.outputs):
            _link(results / path, study_dir / path)


def _link(link: Path, target: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not link.exists():
        link.symlink_to(target.resolve())


def check_same(
    results: Path, again: RerunPart, manifest: Mapping[str, Any], named: str
) -> int:
    """Count the files made again, which must be as the manifest lists them."""
    listed = {each["path"]: each["sha256"] for each in manifest["outputs"]}
    before = {path: listed[path] for path in listed if is_output(path, again.outputs)}
    after = {
        path: sha256_of(results / path)
        for path in files_of(results)
        if is_output(path, again.outputs)
    }
    differ = [p for p in sorted({*before, *after}) if before.get(p) != after.get(p)]
    if differ:
        raise VerificationError(
            f"{named}: {len(differ)} of {len(before)} files differ when they are made "
            f"again ({', '.join(differ)}). {_other_code(manifest)}"
        )
    return len(before)


def _other_code(manifest: Mapping[str, Any]) -> str:
    now = package_versions((*PACKAGES, "snakemake"))
    other = [
        f"{name} {version}, now {now[name]}"
        for name, version in manifest["versions"].items()
        if now.get(name) != version
    ]
    if manifest["code"]["fingerprint"] != code_fingerprint():
        other.insert(0, f"another microleak {manifest['code']['microleak']}")
    if not other:
        return "Code and versions are those of the manifest."
    return f"The results were made by {'; '.join(other)}."
