"""The core's steps and their jobs: from releases to people, and the report.

Nothing here knows Snakemake: the rules take their inputs and settings from these
jobs, a run decides by them what has to be made, and an audit what should have been.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from microleak.base.files import key_fingerprint
from microleak.families import FAMILIES
from microleak.sources.definitions.definition import twins
from microleak.step import Archive, Job, Paths, Step, people
from microleak.study.fingerprint import reading_state
from microleak.study.publish import files_to_publish
from microleak.study.tables import result_tables
from microleak.study_file.context import definition_of
from microleak.study_file.hierarchies import files_of
from microleak.study_file.model import Study
from microleak.study_file.protections import StepSection

_FILES = "microleak.tables.files"


def _with_receipt(name: str, path: str) -> dict[str, str]:
    return {name: f"{path}.parquet", "receipt": f"{path}.json"}


DOWNLOAD = Step(
    "download",
    {"archive": "raw/url/{table}/{release}"},
    modules=("microleak.sources.fetch.http",),
)
COLLECT = Step(
    "collect",
    {"complete": "raw/url/{table}/{release}/complete.txt"},
    modules=("microleak.sources.fetch.collect",),
)
SYNTHESISE = Step(
    "synthesise",
    {"archive": "raw/synthetic/{table}/{release}"},
    modules=(
        "microleak.sources.twin",
        *(twin.partition(":")[0] for twin in twins().values()),
    ),
    data=("papers/twins/*.yaml", "papers/twins/descriptions/*.yaml"),
)
INGEST = Step(
    "ingest",
    _with_receipt("table", "tables/{table}/{release}"),
    modules=("microleak.sources.steps.ingest",),
)
DEDUPLICATE = Step(
    "deduplicate",
    _with_receipt("people", "people/{table}/{release}"),
    ("microleak.sources.steps.deduplicate",),
    is_told_memory=True,
)
PROTECT = Step(
    "protect",
    _with_receipt("people", "people/{table}/{protection}"),
    ("microleak.protection.protect",),
)
POOL = Step(
    "pool",
    _with_receipt("people", "people/{table}/{pool}"),
    ("microleak.sources.steps.pool",),
)
UNITS = Step(
    "units",
    _with_receipt("people", "people/{table}/{units}"),
    ("microleak.units.members",),
)
JOIN = Step(
    "join",
    _with_receipt("panel", "panels/{table}/{focal}/{auxiliary}"),
    ("microleak.sources.steps.join",),
)
COUNT_ROWS = Step(
    "count_rows",
    {"ingest": "measures/ingest.csv", "removed": "measures/removed.csv"},
    ("microleak.study.releases", _FILES),
)

PROTECTIONS = Step(
    "protections",
    {"protections": "measures/protections.csv"},
    ("microleak.study.releases", _FILES),
)
TABULATIONS = Step(
    "tabulations",
    {"tabulations": "measures/tabulations.csv"},
    ("microleak.protection.tabulations", "microleak.tables.rows", _FILES),
)


def _of_release(table: str, release: str) -> dict[str, str]:
    return {"table": table, "release": release}


def _download_jobs(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        release = study.tables[table].releases[name]
        if release.url and not _is_directory(release.url):
            settings = {
                "url": release.url,
                "sha256": release.sha256,
                "is_counted": release.n_rows is not None,
            }
            yield DOWNLOAD.job(_of_release(table, name), settings=settings)


def _collect_jobs(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        given = study.tables[table]
        url = given.releases[name].url
        if url and _is_directory(url):
            settings = {
                "url": url,
                "source": given.source,
                "options": given.options,
                "members": definition_of(given, name).members,
            }
            yield COLLECT.job(_of_release(table, name), settings=settings)


def _is_directory(url: str) -> bool:
    return url.lower().startswith("ftp:")


def _synthesise_jobs(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        given = study.tables[table]
        size = given.releases[name].twin_size
        if size is not None:
            definition = definition_of(given, name)
            settings = {
                "source": given.source,
                "size": size,
                "seed": study.seed,
                "writing": repr((definition.names, definition.recodes)),
            }
            yield SYNTHESISE.job(_of_release(table, name), settings=settings)


def _ingest_jobs(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        names, release = _of_release(table, name), study.tables[table].releases[name]
        attributes = study.attributes(table, name)
        settings = ingest_settings(study, table, name, attributes)
        if release.archive:
            members = definition_of(study.tables[table], name).members
            archive = Archive(release.archive, members)
            yield INGEST.job(names, settings=settings, archive=archive)
        else:
            yield INGEST.job(names, {"archive": _raw_result(names, release)}, settings)


def ingest_settings(
    study: Study, table: str, name: str, attributes: Sequence[str]
) -> dict[str, Any]:
    given = study.tables[table]
    release = given.releases[name]
    return {
        "source": given.source,
        "options": given.options,
        "attributes": attributes,
        "sha256": release.sha256,
        "n_rows": release.n_rows,
        "max_refused": given.max_refused,
        "is_synthetic": release.is_synthetic,
        "reading": reading_state(definition_of(given, name), attributes),
    }


def _raw_result(names: Mapping[str, str], release: Any) -> str:
    """Return what is there once a release was fetched or made."""
    if release.twin_size is not None:
        step = SYNTHESISE
    else:
        step = COLLECT if _is_directory(release.url) else DOWNLOAD
    (path,) = step.job(names).outputs.values()
    return path


def _deduplicate_jobs(study: Study) -> Iterator[Job]:
    for table, release in study.used:
        names = _of_release(table, release)
        yield DEDUPLICATE.job(names, INGEST.job(names).outputs, {"seed": study.seed})


def _protect_jobs(study: Study) -> Iterator[Job]:
    for table, name in study.protected:
        protection = study.tables[table].protections[name]
        settings = {
            "name": name,
            "seed": study.seed,
            "steps": [step.as_given() for step in protection.steps],
            "attributes": study.attributes(table, name),
            **_hierarchies_used(study, protection.steps),
        }
        if protection.key is not None:
            settings["key"] = protection.key
            settings["fingerprint"] = key_fingerprint(protection.key)
        inputs = {
            "people": people(table, protection.release),
            "receipt": f"people/{table}/{protection.release}.json",
        }
        yield PROTECT.job({"table": table, "protection": name}, inputs, settings)


def _hierarchies_used(study: Study, steps: Iterable[StepSection]) -> dict[str, Any]:
    """Return the hierarchies that steps need, and the SHA-256 of their files."""
    hierarchies = {
        attribute: study.hierarchies[attribute]
        for step in steps
        for attribute in step.generalise or ()
    }
    return {
        "hierarchies": {n: each.as_given() for n, each in hierarchies.items()},
        "files": files_of(hierarchies),
    }


def _pool_jobs(study: Study) -> Iterator[Job]:
    for table, name in study.pooled:
        pool = study.tables[table].pools[name]
        settings = {
            "releases": pool.releases,
            "attribute": pool.attribute,
            "attributes": study.attributes(table, name),
        }
        inputs = {"people": tuple(people(table, each) for each in pool.releases)}
        yield POOL.job({"table": table, "pool": name}, inputs, settings)


def _units_jobs(study: Study) -> Iterator[Job]:
    for table, name in study.of_units:
        units = study.tables[table].units[name]
        inputs: dict[str, Paths] = {
            "people": people(table, units.release),
            "receipt": f"people/{table}/{units.release}.json",
            "joined": tuple(people(t, release) for t, release, _ in units.others),
        }
        settings = {
            "units": units.as_given(),
            "attributes": study.attributes(table, name),
        }
        yield UNITS.job({"table": table, "units": name}, inputs, settings)


def _join_jobs(study: Study) -> Iterator[Job]:
    for table, focal, auxiliary in study.links:
        inputs = {
            "focal": people(table, focal),
            "auxiliary": people(table, auxiliary),
            "receipt": f"people/{table}/{focal}.json",
        }
        names = {"table": table, "focal": focal, "auxiliary": auxiliary}
        yield JOIN.job(names, inputs)


def _count_rows_jobs(study: Study) -> Iterator[Job]:
    folders = "tables", "people"
    receipts = {f: tuple(f"{f}/{t}/{r}.json" for t, r in study.used) for f in folders}
    settings = {
        "releases": study.used,
        "is_synthetic": [study.is_synthetic_release(*each) for each in study.used],
    }
    yield COUNT_ROWS.job({}, receipts, settings)


def _protections_jobs(study: Study) -> Iterator[Job]:
    if study.protected:
        receipts = tuple(
            f"people/{table}/{name}.json" for table, name in study.protected
        )
        settings = {
            "protections": [
                (table, name, study.tables[table].protections[name].release)
                for table, name in study.protected
            ]
        }
        yield PROTECTIONS.job({}, {"people": receipts}, settings)


def _tabulations_jobs(study: Study) -> Iterator[Job]:
    tables = {each.table for each in study.tabulations}
    if not tables:
        return
    compared = [
        (table, name, study.tables[table].origin(name).name)
        for table, name in study.protected
        if table in tables
    ]
    steps = {
        (table, name): [s for p in study.tables[table].chain(name) for s in p.steps]
        for table, name, _ in compared
    }
    settings = {
        "tabulations": [each.as_given() for each in study.tabulations],
        "protections": [
            {
                "table": table,
                "origin": origin,
                "name": name,
                "steps": [step.as_given() for step in steps[table, name]],
            }
            for table, name, origin in compared
        ],
        **_hierarchies_used(study, (step for each in steps.values() for step in each)),
    }
    read = {people(t, n): None for t, *names in compared for n in names}
    yield TABULATIONS.job({}, {"people": tuple(read)}, settings)


OF_RELEASES = (
    (DOWNLOAD, _download_jobs),
    (COLLECT, _collect_jobs),
    (SYNTHESISE, _synthesise_jobs),
    (INGEST, _ingest_jobs),
    (DEDUPLICATE, _deduplicate_jobs),
    (PROTECT, _protect_jobs),
    (POOL, _pool_jobs),
    (UNITS, _units_jobs),
    (JOIN, _join_jobs),
    (COUNT_ROWS, _count_rows_jobs),
    (PROTECTIONS, _protections_jobs),
    (TABULATIONS, _tabulations_jobs),
)
"""What is made of releases, whatever is measured."""

PUBLISH = Step(
    "publish",
    {"published": "published/"},
    modules=(
        *("microleak.study.publish", "microleak.study.load"),
        *(family.section for family in FAMILIES),
        *(f.publish.partition(":")[0] for f in FAMILIES if f.publish),
    ),
)
REPORT = Step(
    "report",
    {"report": "report/"},
    modules=(
        "microleak.study.pages",
        *(f.part.partition(":")[0] for f in FAMILIES if f.part),
    ),
    data=(
        *("microleak/report/templates/*", "microleak/report/texts/*"),
        "microleak/attacks/*/texts.yaml",
        *(
            f"microleak/attacks/*/{folder}*.{kind}"
            for folder in ("", "report/")
            for kind in ("css", "j2", "js")
        ),
    ),
    reads=tuple(
        t.name for t in result_tables().values() if t.audience != "confidential"
    ),
)


def _publish_jobs(study: Study) -> Iterator[Job]:
    # The page tells how to run the study, by the name of its file.
    settings: dict[str, Any] = {"file": study.file}
    if study.noise:
        settings["key"] = key_fingerprint(study.noise.key)
    yield PUBLISH.job(
        {}, {"results": files_to_publish(study)}, settings, reads_study=True
    )


def _report_jobs(study: Study) -> Iterator[Job]:
    figures = tuple(
        path
        for family in FAMILIES
        for step, jobs in family.steps
        if step.is_drawing
        for job in jobs(study)
        for path in job.outputs.values()
    )
    yield REPORT.job({}, {"published": "published/", "figures": figures})


OF_PUBLISHED = ((PUBLISH, _publish_jobs),)
OF_REPORT = ((REPORT, _report_jobs),)
