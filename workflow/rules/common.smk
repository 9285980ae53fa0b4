# Paths and settings that the rules share. The study file is read by microleak
# itself, which checks it; Snakemake's own merged `config` is not used.
import re
from dataclasses import asdict, replace
from pathlib import Path

from microleak.machine import usual_mb
from microleak.sources.definition import source_definition
from microleak.study.config import load_study
from microleak.study.outputs import outputs_of
from microleak.study.fingerprint import (
    archive_state,
    fingerprint,
    reading_state,
    versions,
)
from microleak.paths import DEFAULT_STUDY, ROOT

STUDY_FILE = Path(workflow.configfiles[-1] if workflow.configfiles else DEFAULT_STUDY)
if STUDY_FILE.is_relative_to(Path.cwd()):
    # Snakemake makes it absolute; a folder that was moved has the same inputs.
    STUDY_FILE = STUDY_FILE.relative_to(Path.cwd())
STUDY = load_study(STUDY_FILE)
# Snakemake writes it into the script of every job, and with it what is known of
# targets; a kill leaves the scripts behind.
config.clear()
ENVIRONMENT = str(ROOT / "envs/microleak.yaml")
OUT = f"results/{STUDY.name}"


def one_of(names):
    """Pattern of some names and of nothing else."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    table="[^/]+",
    release="[^/]+",
    analysis=one_of(STUDY.collective),
    compared=one_of(STUDY.compared),
    membership=one_of(STUDY.membership),
    anonymity=one_of(STUDY.anonymity),
    mechanism=one_of(STUDY.mechanism),
    reconstruction=one_of(STUDY.reconstruction),
    member=one_of(STUDY.members),
    panel="[^/]+",
    focal="[^/]+",
    auxiliary="[^/]+",


def memory(n_mb):
    """What a job asks for and may use: more each time it is tried again."""
    return lambda wildcards, attempt: attempt * memory_where_it_runs(n_mb)


def memory_where_it_runs(n_mb):
    """No more than this machine has, unless the job runs on another one."""
    is_elsewhere = workflow.non_local_exec or workflow.remote_exec
    return n_mb if is_elsewhere else usual_mb(n_mb)


def minutes(n):
    """The longest that a job may take on a cluster: more each time it is tried."""
    return lambda wildcards, attempt: attempt * n


def release_of(wildcards):
    return STUDY.tables[wildcards.table].releases[wildcards.release]


def archive_of(wildcards):
    """Where a release's bytes are: on this disk, downloaded, or synthesised."""
    release = release_of(wildcards)
    if release.archive:
        return release.archive
    origin = "url" if release.url else "synthetic"
    return f"{OUT}/raw/{origin}/{wildcards.table}/{wildcards.release}"


def arrived(wildcards):
    """What is there once a release's bytes are; of a directory several files are."""
    archive, url = archive_of(wildcards), release_of(wildcards).url
    is_directory = url and url.lower().startswith("ftp:")
    return f"{archive}/complete.txt" if is_directory else archive


def writing_of(wildcards):
    """How a twin writes a release, as text: its names and its codes."""
    definition = definition_of(wildcards)
    return repr((definition.names, definition.recodes))


def archive_state_of(wildcards):
    """What tells that a local archive changed, where its time alone would not."""
    archive = release_of(wildcards).archive
    members = definition_of(wildcards).members
    return archive_state(Path(archive), members) if archive else ""


def definition_of(wildcards):
    table = STUDY.tables[wildcards.table]
    return source_definition(table.source, wildcards.release, table.options)


def reading_of(wildcards):
    """How a release is read, as text: what of the name maps and domains it uses."""
    attributes = STUDY.attributes(wildcards.table, wildcards.release)
    return reading_state(definition_of(wildcards), attributes)


def analysis_of(wildcards):
    return asdict(STUDY.collective[wildcards.analysis])


def every_release(pattern):
    return [f"{OUT}/{pattern.format(table=t, release=r)}" for t, r in STUDY.used]


def every_result(besides=frozenset()):
    return [f"{OUT}/{path}" for path in sorted(outputs_of(STUDY) - besides)]


def every_analysis(pattern):
    return [f"{OUT}/{pattern.format(analysis=name)}" for name in STUDY.collective]


def every_target(pattern):
    return [f"{OUT}/{pattern.format(target=name)}" for name in STUDY.targets]


def prefix_of(wildcards):
    """An analysis with the auxiliary releases of one of its panels."""
    return asdict(STUDY.collective[wildcards.analysis].prefix(wildcards.panel))


def people_of(one):
    """Records of a release, one a person."""
    return f"{OUT}/people/{one.table}/{one.release}.parquet"


def people_needed(analysis):
    """Records of the one release that an analysis needs, or nothing."""
    return [f"{OUT}/people/{table}/{name}.parquet" for table, name, _ in analysis.needs]


def people_and_panels(analysis):
    """Records of the focal release, and what each auxiliary one says of them."""
    table, focal = analysis.table, analysis.focal
    linked = [f"{OUT}/panels/{table}/{focal}/{a}.parquet" for a in analysis.auxiliary]
    return [f"{OUT}/people/{table}/{focal}.parquet", *linked]


def releases_of(wildcards):
    analysis = STUDY.collective[wildcards.analysis]
    return people_and_panels(analysis.prefix(wildcards.panel))


def releases_of_target(wildcards):
    return people_and_panels(STUDY.targets[wildcards.target])


def profiles_of(wildcards):
    analysis = STUDY.collective[wildcards.analysis]
    folder = f"{OUT}/profiles/{analysis.name}"
    return [f"{folder}/{part.panel}.parquet" for part in analysis.prefixes]


def is_synthetic_analysis(wildcards):
    analysis = STUDY.collective[wildcards.analysis]
    if hasattr(wildcards, "panel"):
        analysis = analysis.prefix(wildcards.panel)
    return STUDY.is_synthetic_analysis(analysis)


def blocks_of(wildcards):
    """What of an analysis its blocks depend on."""
    others = {"entity": None, "population": None, "n_population": None}
    analysis = STUDY.anonymity[wildcards.anonymity]
    return asdict(replace(analysis, crosswalk=None, **others))


def entities_of(wildcards):
    """What of an analysis the blocks of its entities depend on."""
    entity = STUDY.anonymity[wildcards.anonymity].entity
    return blocks_of(wildcards) | {"entity": entity, "sensitive": (), "order": {}}


def release_measured(wildcards, folder):
    """Where the records of an analysis's release are."""
    analysis = STUDY.anonymity[wildcards.anonymity]
    return f"{OUT}/{folder}/{analysis.table}/{analysis.focal}.parquet"


def is_synthetic_measured(wildcards):
    analysis = STUDY.anonymity[wildcards.anonymity]
    return STUDY.is_synthetic_release(analysis.table, analysis.focal)


def measured_from(wildcards):
    """Profiles of an analysis, those that it has, and the records they are of."""
    analysis = STUDY.anonymity[wildcards.anonymity]
    made = {"blocks": True, "entities": analysis.entity, "overlap": analysis.population}
    profiles = f"{OUT}/profiles/{analysis.name}"
    return {
        "people": release_measured(wildcards, "people"),
        **{
            name: f"{profiles}/{name}.parquet"
            for name, is_made in made.items()
            if is_made
        },
    }
