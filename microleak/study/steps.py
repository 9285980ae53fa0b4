"""The workflow's steps and jobs: what each rule makes, of what, by which code."""

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache

from microleak.families import FAMILIES
from microleak.step import Job, Step
from microleak.study.fingerprint import code_now
from microleak.study.jobs import OF_PUBLISHED, OF_RELEASES, OF_REPORT
from microleak.study.tables import result_tables
from microleak.study_file.model import Study
from microleak.tables.spec import WILDCARD

AUDIT = Step(
    "audit",
    {
        "described": "measures/csv-metadata.json",
        "crate": "ro-crate-metadata.json",
        "code": "code/",
    },
    modules=(
        "microleak.audit.manifest",
        "microleak.audit.csv_metadata",
        "microleak.study.load",
        *(module for family in FAMILIES for module in family.modules),
        *(
            ref.partition(":")[0]
            for t in result_tables().values()
            for ref in t.notes.values()
        ),
    ),
    data=(
        *("Snakefile", "scripts/*.py", "workflow/Snakefile"),
        *("workflow/report/*.rst", "workflow/rules/*.smk"),
        *("microleak/*/tables.yaml", "microleak/attacks/*/tables.yaml"),
        "microleak/tables/shared.yaml",
    ),
)
"""What vouches for all results; a run has one job of it."""

_Made = tuple[tuple[Step, Callable[[Study], Iterator[Job]]], ...]


def _jobs_by_rule() -> dict[str, list[Callable[[Study], Iterator[Job]]]]:
    """Return what yields the jobs of each rule, by its name, in the order data take."""
    found: dict[str, list[Callable[[Study], Iterator[Job]]]] = {}
    for step, jobs in _steps_in_order():
        found.setdefault(step.rule, []).append(jobs)
    return found


def _steps_in_order() -> _Made:
    """Return every step with what yields its jobs, after those that it needs."""
    families = [pair for family in FAMILIES for pair in family.steps]
    measuring = [(step, jobs) for step, jobs in families if not step.is_drawing]
    drawing = [(step, jobs) for step, jobs in families if step.is_drawing]
    return *OF_RELEASES, *measuring, *OF_PUBLISHED, *drawing, *OF_REPORT


@cache
def steps_by_rule() -> dict[str, Step]:
    return {
        step.rule: step for step in (*(step for step, _ in _steps_in_order()), AUDIT)
    }


@cache
def code_of(rule: str) -> str:
    """Return the fingerprint of a rule's code, taken once in a process."""
    return code_now(steps_by_rule()[rule])


def jobs_of(study: Study) -> Iterator[Job]:
    """Yield every job of a study but its audit, each after those that it needs."""
    for each in _jobs_by_rule().values():
        for jobs in each:
            yield from jobs(study)


class Jobs:
    """The jobs of a study by rule and wildcards, those of a rule when asked for."""

    def __init__(self, study: Study) -> None:
        self._study, self._made = study, _jobs_by_rule()
        self._found: dict[str, dict[frozenset[tuple[str, str]], Job]] = {}

    def of(self, rule: str, names: Mapping[str, str]) -> Job:
        if rule not in self._found:
            jobs = [job for each in self._made[rule] for job in each(self._study)]
            self._found[rule] = {frozenset(job.names.items()): job for job in jobs}
        return self._found[rule][frozenset(names.items())]


def globs_of(step: Step) -> tuple[str, ...]:
    """Return patterns of the files that a rule makes; `*` stands for anything."""
    return tuple(
        WILDCARD.sub("*", f"{pattern}*" if pattern.endswith("/") else pattern)
        for pattern in step.makes.values()
    )


def step_of(path: str) -> Step | None:
    """Return the step that makes a result: of several that may, the most particular.

    That is the one whose pattern leaves the least to its wildcards.

    >>> step_of("profiles/a/overlap.parquet").rule, step_of("profiles/a/1.parquet").rule
    ('overlap', 'profile')
    >>> step_of("profiles/a/1/2.parquet").rule
    'profile_part'
    """
    found = [
        (len(glob.replace("*", "")), step)
        for step in steps_by_rule().values()
        for glob in globs_of(step)
        if fnmatchcase(path, glob)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None
