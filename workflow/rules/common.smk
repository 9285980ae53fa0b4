# What the rules share. The study file is read by microleak itself, which checks it;
# Snakemake's own merged `config` is not used. What a rule reads and makes stands in
# it; microleak/study/{steps,jobs}.py and attacks/*/jobs.py say the same to
# `microleak run`, and tests/contract/test_rules.py compares both.
import re
from pathlib import Path

from microleak.base.machine import usual_mb
from microleak.base.paths import RESULTS, ROOT
from microleak.step import people
from microleak.study.job_records import check_study_file, due_jobs
from microleak.study.load import (
    check_not_moved,
    load_study,
    study_file_of,
    study_file_of_module,
)
from microleak.study.outdated import OF_AUDIT, results_of
from microleak.study.steps import Jobs, code_of, steps_by_rule

IS_MAIN = workflow.modifier.is_main_snakefile()
if IS_MAIN:
    STUDY_FILE = study_file_of(workflow.configfiles, workflow.config_settings.config)
else:
    STUDY_FILE = study_file_of_module(config)
if STUDY_FILE.is_relative_to(Path.cwd()):
    # Snakemake makes it absolute; a folder that was moved has the same inputs.
    STUDY_FILE = STUDY_FILE.relative_to(Path.cwd())
check_study_file(STUDY_FILE)
STUDY = load_study(STUDY_FILE)
JOBS, DUE, COMPARED = Jobs(STUDY), due_jobs(), STUDY.compared
# Snakemake writes it into the script of every job, and with it what is known of
# targets; a kill leaves the scripts behind. A module's is its importer's as well.
config = {}
ENVIRONMENT = str(ROOT / "envs/microleak.yaml")
OUT = f"{RESULTS}/{STUDY.name}"


pathvars:
    results=OUT,


check_not_moved(
    OUT, workflow.modifier.modify_path(workflow.pathvars.apply("<results>"))
)


def one_of(names):
    """Pattern of some names and of nothing else."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    **{name: one_of(analyses) for name, analyses in STUDY.analyses.items()},
    table="[^/]+",
    release=one_of({name for table in STUDY.tables.values() for name in table.releases}),
    protection=one_of([name for _, name in STUDY.protected]),
    pool=one_of([name for _, name in STUDY.pooled]),
    units=one_of([name for _, name in STUDY.of_units]),
    panel="[^/]+",
    part="[0-9]+",
    focal="[^/]+",
    auxiliary="[^/]+",
    member="[^/]+",
    compared=one_of(COMPARED),


# Asked once: a study may have thousands of jobs.
MOST_MB = usual_mb(10**9)


def up_to(mb, minutes):
    """What a job asks for and may use: more each time it is tried again.

    No more than this machine has, unless the job runs on another one.
    """

    def memory(wildcards, attempt):
        is_elsewhere = workflow.non_local_exec or workflow.remote_exec
        return attempt * (mb if is_elsewhere else min(mb, MOST_MB))

    return {
        "mem_mb": memory,
        "runtime": lambda wildcards, attempt: attempt * minutes,
    }


def job_and_code(rule):
    """The job that wildcards stand for, and the fingerprint of its code."""
    return {
        "job": lambda wildcards: JOBS.of(rule, wildcards),
        "code": lambda wildcards: code_of(rule),
    }


def shown(path, **how):
    """A result that `snakemake --report` shows, unless it is for insiders alone."""
    return path if STUDY.audience == "public" else report(path, **how)


def below_results(paths):
    """Results by their paths below the study's folder."""
    if isinstance(paths, str):
        return f"<results>/{paths}"
    return [f"<results>/{path}" for path in paths]


def of_job(rule, name):
    """What the study file decides that a rule reads under a name."""

    def paths(wildcards):
        job = JOBS.of(rule, wildcards)
        if job.archive and name == "archive":
            return job.archive.path
        return below_results(job.inputs.get(name, ()))

    return paths


def people_of_analysis(wildcards):
    """The people of the release that an analysis attacks."""
    ((family, name),) = wildcards.items()
    analysis = STUDY.analyses[family][name]
    return below_results(people(analysis.table, analysis.focal))


def people_compared(side):
    """The people of the `population` or the `sample` that an analysis compares."""

    def path(wildcards):
        of = getattr(COMPARED[wildcards[0]], side)
        return below_results(people(of.table, of.release))

    return path


people_of_population = people_compared("population")
people_of_sample = people_compared("sample")


def results_to_audit(wildcards):
    """Every result but the audit's own.

    A function's paths, some with names of targets, are not in Snakemake's report.
    """
    return below_results(sorted(results_of(STUDY) - OF_AUDIT))


def hide_times(each):
    """Have Snakemake see no times of what a job of a rule reads that is not due."""
    expand_input = each.expand_input

    def expanded(wildcards, **others):
        found, *rest = expand_input(wildcards, **others)
        title = JOBS.of(each.name, wildcards).title if wildcards else each.name
        if title not in DUE:
            for file in found:
                file.flags["ancient"] = True
        return found, *rest

    each.expand_input = expanded
