# What the rules share. The study file is read by microleak itself, which checks it;
# Snakemake's own merged `config` is not used. What each rule makes of what, with
# which settings, is said in microleak/study/{steps,jobs}.py.
import re
from pathlib import Path

from microleak.base.machine import usual_mb
from microleak.base.paths import RESULTS, ROOT
from microleak.study.job_records import (
    OF_AUDIT,
    check_study_file,
    due_jobs,
    results_of,
)
from microleak.study.load import (
    check_not_moved,
    load_study,
    study_file_of,
    study_file_of_module,
)
from microleak.study.steps import Jobs, steps_by_rule
from microleak.study.steps import code_of as fingerprint_of

if workflow.modifier.is_main_snakefile():
    STUDY_FILE = study_file_of(workflow.configfiles, workflow.config_settings.config)
else:
    STUDY_FILE = study_file_of_module(config)
if STUDY_FILE.is_relative_to(Path.cwd()):
    # Snakemake makes it absolute; a folder that was moved has the same inputs.
    STUDY_FILE = STUDY_FILE.relative_to(Path.cwd())
check_study_file(STUDY_FILE)
STUDY = load_study(STUDY_FILE)
JOBS, DUE = Jobs(STUDY), due_jobs()
# Snakemake writes it into the script of every job, and with it what is known of
# targets; a kill leaves the scripts behind. A module's is its importer's as well.
config = {}
ENVIRONMENT = str(ROOT / "envs/microleak.yaml")
OUT = f"{RESULTS}/{STUDY.name}"
check_not_moved(OUT, workflow.modifier.modify_path(OUT))


def one_of(names):
    """Pattern of some names and of nothing else."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    **{name: one_of(analyses) for name, analyses in STUDY.analyses.items()},
    table="[^/]+",
    release=one_of({name for table in STUDY.tables.values() for name in table.releases}),
    protection=one_of([name for _, name in STUDY.protected]),
    pool=one_of([name for _, name in STUDY.pooled]),
    panel="[^/]+",
    part="[0-9]+",
    focal="[^/]+",
    auxiliary="[^/]+",
    member="[^/]+",
    compared=one_of(STUDY.compared),


# Asked once: a study may have thousands of jobs.
MOST_MB = usual_mb(10**9)


def memory(n_mb):
    """What a job asks for and may use: more each time it is tried again."""
    return lambda wildcards, attempt: attempt * memory_where_it_runs(n_mb)


def memory_where_it_runs(n_mb):
    """No more than this machine has, unless the job runs on another one."""
    is_elsewhere = workflow.non_local_exec or workflow.remote_exec
    return n_mb if is_elsewhere else min(n_mb, MOST_MB)


def minutes(n):
    """The longest that a job may take on a cluster: more each time it is tried."""
    return lambda wildcards, attempt: attempt * n


def below_results(path):
    """A path below the study's results; of a folder, where the pattern ends so."""
    flag = directory if path.endswith("/") else str
    return flag(f"{OUT}/{path.rstrip('/')}")


def makes(rule):
    """The results of a rule, by name."""
    return {
        name: below_results(each) for name, each in steps_by_rule()[rule].makes.items()
    }


def shown(path, **how):
    """A result that `snakemake --report` shows, unless it is for insiders alone."""
    return path if STUDY.audience == "public" else report(path, **how)


def job_of(rule):
    """The job that wildcards stand for: its inputs and settings."""
    return lambda wildcards: JOBS.of(rule, wildcards)


def code_of(rule):
    """The fingerprint of a rule's code, taken where a job of it is at hand."""
    return lambda wildcards: fingerprint_of(rule)


def timed(title):
    """How the inputs of a job are marked.

    A run of microleak knows by records what has to be made; then times tell nothing.
    """
    return str if DUE is None or title in DUE else ancient


def needs(rule):
    """What a job of a rule reads."""

    def inputs(wildcards):
        job = JOBS.of(rule, wildcards)
        flag = timed(job.title)
        paths = {
            name: (
                flag(f"{OUT}/{given}")
                if isinstance(given, str)
                else [flag(f"{OUT}/{path}".rstrip("/")) for path in given]
            )
            for name, given in job.inputs.items()
        }
        if job.archive:
            paths["archive"] = flag(job.archive.path)
        if job.reads_study:
            paths["study"] = flag(str(STUDY_FILE))
        return paths

    return inputs


def every_result(besides=frozenset()):
    return [f"{OUT}/{path}" for path in sorted(results_of(STUDY) - besides)]
