"""What a family of attacks is to everything else: data, and functions by reference."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from microleak.definitions.vectors import Vector
from microleak.tables.spec import TableSpec, tables_of

Paths = str | tuple[str, ...]

StepsWithJobs = tuple[tuple["Step", Callable[[Any], Iterator["Job"]]], ...]
"""Rules, each with what yields its jobs of a study."""

WILDCARD = re.compile("{[a-z_]+}")
"""What in the pattern of a result stands for the name of a release or an analysis."""


@dataclass(frozen=True)
class Archive:
    """An archive of a study file, and the pattern of a folder's files that count."""

    path: str
    members: str


@dataclass(frozen=True)
class Step:
    """A rule of the workflow.

    Attributes
    ----------
    rule
        Its name.
    makes
        Pattern of each result below the study's folder, with wildcards in braces,
        by the result's name. That of a folder ends with `/`.
    modules, data
        What the rule's code is: modules with all that they import, and patterns of
        other files.
    script
        Its script's name, if that is not the rule's.
    reads
        Names of the result tables among what it reads.
    is_told_memory
        Whether it uses as much memory as it is told.
    """

    rule: str
    makes: Mapping[str, str]
    modules: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    script: str = ""
    reads: tuple[str, ...] = ()
    is_told_memory: bool = False

    @property
    def is_of_study(self) -> bool:
        """Whether a study has it once, over all analyses and releases."""
        return not any("{" in pattern for pattern in self.makes.values())

    @property
    def is_drawing(self) -> bool:
        """Whether it makes figures of what is published."""
        return any(pattern.startswith("figures/") for pattern in self.makes.values())

    def job(
        self,
        names: Mapping[str, str],
        inputs: Mapping[str, Paths] | None = None,
        settings: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> "Job":
        """Return the job that values of its wildcards stand for."""
        return Job(self, names, inputs or {}, settings or {}, **others)


@dataclass(frozen=True, eq=False)
class Job:
    """One run of a rule.

    Attributes
    ----------
    step
        The rule.
    names
        Values of its wildcards.
    inputs
        Paths below the study's folder, by what the rule calls them.
    settings
        All that its results depend on beside inputs and code.
    archive
        The archive on this disk that it reads, if it does.
    reads_study
        Whether it reads the study file.
    only
        Which files count of the folders that it reads; all of them if there are none.
    """

    step: Step
    names: Mapping[str, str]
    inputs: Mapping[str, Paths] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    archive: Archive | None = None
    reads_study: bool = False
    only: frozenset[str] = frozenset()

    @property
    def rule(self) -> str:
        """The rule's name."""
        return self.step.rule

    @cached_property
    def outputs(self) -> dict[str, str]:
        """Paths below the study's folder by name; that of a folder ends with `/`."""
        makes = self.step.makes.items()
        return {name: pattern.format(**self.names) for name, pattern in makes}

    @property
    def reads(self) -> Iterator[tuple[str, str]]:
        """What the rule calls each path below the study's folder, and the path."""
        for name, given in self.inputs.items():
            for path in [given] if isinstance(given, str) else given:
                yield name, path

    @property
    def input_paths(self) -> Iterator[str]:
        """Every path below the study's folder that it reads."""
        yield from (path for _, path in self.reads)

    def counts(self, file: str) -> bool:
        """Say whether a file of what it reads is one that it uses."""
        return not self.only or file in self.only

    @property
    def is_raw(self) -> bool:
        """Whether it fetches or makes an archive, which is no result."""
        return all(path.startswith("raw/") for path in self.outputs.values())

    @property
    def title(self) -> str:
        """The rule and what it works on, as in `ingest school_census 2018`."""
        return " ".join((self.rule, *self.names.values()))


@dataclass(frozen=True)
class Publication:
    """What a family publishes of a study, beside its tables.

    Attributes
    ----------
    facts
        Returns what an internal report must know beside its tables, given the study and
        the folder of its results; what JSON can hold.
    needs
        What `facts` reads, as paths below that folder, given the study.
    vectors
        Yields what a public report counts, given the study.
    """

    facts: Callable[[Any, Path], Mapping[str, Any]] = lambda *_: {}
    needs: Callable[[Any], Iterable[str]] = lambda _: ()
    vectors: Callable[[Any], Iterable[Vector]] = lambda _: ()


@dataclass(frozen=True)
class Family:
    """A family of attacks.

    References name a module, or `MODULE:NAME` within one, so that a job that needs
    one family does not import the others.

    Attributes
    ----------
    name
        Its key below `analyses` of a study file, and the wildcard of its analyses.
    section
        Module that reads its analyses: `SECTION` is the model of one in the study
        file; `read` takes the context and those that it gives, and returns them
        checked. `FURTHER`, where it has it, is the model of further keys of the study
        file, and `SHARED` says what reads those that reports show.
    makes
        Tables that its one step makes of the focal release of each analysis, by the
        module `measure` beside its section and within memory that it is told.
    jobs
        In the place of `makes`, a module whose `STEPS` are its rules, each with the
        function that yields the jobs of a study.
    estimate
        What the profiles of its analyses cost, by name.
    publish
        What it publishes beside its tables, a `Publication`, if it does.
    part
        How its part of the page and its figures are made, a
        `microleak.report.families.Shown`.
    told
        What of its part of the study file may be told, given what it says.
    risks
        Which risks to persons it tells of its analyses in an impact report, a
        `microleak.report.risks.Risks`, if it does.
    check
        What refuses an analysis before any job begins, given it and the MB that a
        job may use.
    """

    name: str
    section: str
    makes: tuple[str, ...] = ()
    jobs: str = ""
    estimate: str = ""
    publish: str = ""
    part: str = ""
    told: str = ""
    risks: str = ""
    check: str = ""

    @property
    def tables(self) -> Mapping[str, TableSpec]:
        """Its result tables by name, as the tables.yaml beside its jobs has them."""
        return tables_of(self.package)

    @property
    def package(self) -> str:
        """The package that it is in."""
        return self.section.rpartition(".")[0]

    @property
    def modules(self) -> list[str]:
        """What says which jobs a study has of it."""
        return [self.section, *filter(None, [self.jobs])]

    @cached_property
    def steps(self) -> "StepsWithJobs":
        """Its rules, each with the function that yields the jobs of a study."""
        if self.jobs:
            found: StepsWithJobs = load(self.jobs).STEPS
            return found
        modules = (f"{self.package}.measure", "microleak.tables.files")
        makes = measures(*self.makes, of=self.name)
        step = Step(self.name, makes, modules, is_told_memory=True)

        def jobs(study: Any) -> Iterator[Job]:
            for name, analysis in study.analyses[self.name].items():
                inputs = {"people": people(analysis.table, analysis.focal)}
                settings = {"analysis": analysis.model_dump()}
                yield step.job({self.name: name}, inputs, settings)

        return ((step, jobs),)


def load(reference: str) -> Any:
    """Return a module, or what `MODULE:NAME` refers to within one.

    >>> load("microleak.family:Family").__name__
    'Family'
    """
    module, _, name = reference.partition(":")
    loaded = import_module(module)
    return getattr(loaded, name) if name else loaded


def steps_of(family: Family) -> list[Step]:
    """Return the steps of a family; one that two share is of both."""
    return [step for step, _ in family.steps]


@dataclass(frozen=True)
class Costs:
    """What the profiles of an analysis are of.

    Attributes
    ----------
    analysis
        Its name.
    n_subsets
        Subsets of each profile, by its path below the study's folder.
    releases
        Tables and releases whose records are walked together.
    """

    analysis: str
    n_subsets: Mapping[str, int]
    releases: tuple[tuple[str, str], ...]


def measures(*tables: str, of: str) -> dict[str, str]:
    """Return the patterns of tables that one job writes, by their names."""
    return {table: measured(table, f"{{{of}}}") for table in tables}


def measured(table: str, analysis: str) -> str:
    """Return where a table of an analysis lies."""
    return f"measures/{table}/{analysis}.csv"


def people(table: str, release: str) -> str:
    """Return where the people of a release are."""
    return f"people/{table}/{release}.parquet"


def people_and_panels(analysis: Any) -> tuple[str, ...]:
    """Return where records are, and what each auxiliary release says of them."""
    table, focal = analysis.table, analysis.focal
    linked = (f"panels/{table}/{focal}/{a}.parquet" for a in analysis.auxiliary)
    return (people(table, focal), *linked)
