"""Rules of the workflow and their jobs, as data."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from microleak.definitions.vectors import Vector
from microleak.study_file.published import files_read, hashes_of
from microleak.tables.spec import tables_of

Paths = str | tuple[str, ...]
# Rules, each with what yields its jobs of a study
StepsWithJobs = tuple[tuple["Step", Callable[[Any], Iterator["Job"]]], ...]


@dataclass(frozen=True)
class Archive:
    """An archive of a study file, and the pattern of a folder's files that count."""

    path: str
    members: str


@dataclass(frozen=True)
class Step:
    """A rule of the workflow."""

    rule: str  # Its name
    # Pattern of each result below the study's folder, with wildcards in braces,
    # by the result's name. That of a folder ends with `/`.
    makes: Mapping[str, str]
    # What the rule's code is: modules with all that they import, and patterns of
    # other files
    modules: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()  # Names of the result tables among what it reads
    is_told_memory: bool = False  # Whether it uses as much memory as it is told

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
        return Job(self, names, inputs or {}, settings or {}, **others)


@dataclass(frozen=True, eq=False)
class Job:
    """One run of a rule."""

    step: Step  # The rule
    names: Mapping[str, str]  # Values of its wildcards
    # Paths below the study's folder, by what the rule calls them
    inputs: Mapping[str, Paths] = field(default_factory=dict)
    # All that its results depend on beside inputs and code
    settings: Mapping[str, Any] = field(default_factory=dict)
    archive: Archive | None = None  # The archive on this disk that it reads, if it does
    reads_study: bool = False  # Whether it reads the study file
    # Which files count of the folders that it reads; all of them if there are
    # none
    only: frozenset[str] = frozenset()

    @property
    def rule(self) -> str:
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
    """What a family publishes of a study, beside its tables."""

    # Returns what an internal report must know beside its tables, given the study
    # and the folder of its results; what JSON can hold
    facts: Callable[[Any, Path], Mapping[str, Any]] = lambda *_: {}
    # What `facts` reads, as paths below that folder, given the study
    needs: Callable[[Any], Iterable[str]] = lambda _: ()
    # Yields what a public report counts, given the study
    vectors: Callable[[Any], Iterable[Vector]] = lambda _: ()


def filters_of(family: str) -> Publication:
    """Return what is published of analyses that count some records by their values."""

    def facts(study: Any, _: Path) -> dict[str, Any]:
        analyses = study.analyses[family].items()
        return {"filters": {n: [*each.filter] for n, each in analyses if each.filter}}

    return Publication(facts)


@dataclass(frozen=True)
class Costs:
    """What the profiles of an analysis are of."""

    analysis: str  # Its name
    # Subsets of each profile, by its path below the study's folder
    n_subsets: Mapping[str, int]
    # Tables and releases whose records are walked together
    releases: tuple[tuple[str, str], ...]


def measures_paths(*tables: str, of: str) -> dict[str, str]:
    """Return the patterns of tables that one job writes, by their names."""
    return {table: measures_path(table, f"{{{of}}}") for table in tables}


def measures_path(table: str, analysis: str) -> str:
    return f"measures/{table}/{analysis}.csv"


def people(table: str, release: str) -> str:
    return f"people/{table}/{release}.parquet"


def people_and_panels(analysis: Any) -> tuple[str, ...]:
    """Return where records are, and what each auxiliary release says of them."""
    table, focal = analysis.table, analysis.focal
    linked = (f"panels/{table}/{focal}/{a}.parquet" for a in analysis.auxiliary)
    return (people(table, focal), *linked)


def people_needed(analysis: Any) -> dict[str, Paths]:
    needed = tuple(people(table, release) for table, release, _ in analysis.needs)
    return {"people": needed}


def _of_focal(analysis: Any) -> Mapping[str, Paths]:
    return {"people": people(analysis.table, analysis.focal)}


def _whole(analysis: Any) -> Mapping[str, Any]:
    return {"analysis": analysis.model_dump()}


def one_step(
    family: str,
    reads: Callable[[Any], Mapping[str, Paths]] = _of_focal,
    settings: Callable[[Any], Mapping[str, Any]] = _whole,
    *,
    more: Mapping[str, str] | None = None,
    is_told_memory: bool = True,
) -> StepsWithJobs:
    """Return the step of a family whose module `measure` makes all of its tables."""
    # `reads` and `settings` say of an analysis what its job reads and depends on, if
    # not the people of its focal release and all of it; `more` is made besides tables.
    package = f"microleak.attacks.{family}"
    tables = tables_of(package).values()
    own = {t.name: t.path for t in tables if t.audience == "internal"}
    modules = (f"{package}.measure", "microleak.tables.files")
    step = Step(family, own | dict(more or {}), modules, is_told_memory=is_told_memory)

    def jobs(study: Any) -> Iterator[Job]:
        for name, analysis in study.analyses[family].items():
            yield step.job({family: name}, reads(analysis), settings(analysis))

    return ((step, jobs),)


def step_of_files(family: str) -> tuple[StepsWithJobs, Publication]:
    """Return the step of a family on published tables or people, with proofs."""

    def settings(analysis: Any) -> dict[str, Any]:
        files = hashes_of(analysis.tables)
        return {"analysis": analysis.as_given(), "files": files}

    proofs = {"proofs": f"proofs/{family}/{{{family}}}.json"}
    steps = one_step(family, people_needed, settings, more=proofs, is_told_memory=False)
    return steps, Publication(lambda study, _: files_read(study.analyses[family]))
