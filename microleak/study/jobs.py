"""The jobs of a study: which rule makes what of what, with which settings.

Nothing here knows Snakemake: the rules take their inputs and settings from these
jobs, a run decides by them what has to be made, and an audit what should have been.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from microleak.sources.definition import SourceDefinition, source_definition
from microleak.study.fingerprint import reading_state
from microleak.study.model import Collective, Study
from microleak.study.overlap import crosswalk_between
from microleak.study.samples import Anonymity, Compared, as_fields
from microleak.study.series import series, state_analyses
from microleak.study.steps import STEPS, steps

Paths = str | tuple[str, ...]
Names = Mapping[str, str]


@dataclass(frozen=True)
class Archive:
    """An archive of a study file, and the pattern of a folder's files that count."""

    path: str
    members: str


@dataclass(frozen=True, eq=False)
class Job:
    """One run of a rule.

    Attributes
    ----------
    rule
        The rule's name.
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
    """

    rule: str
    names: Names
    inputs: Mapping[str, Paths] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    archive: Archive | None = None
    reads_study: bool = False

    @property
    def outputs(self) -> dict[str, str]:
        """Paths below the study's folder by name; that of a folder ends with `/`."""
        makes = steps()[self.rule].makes
        return {name: pattern.format(**self.names) for name, pattern in makes.items()}

    @property
    def input_paths(self) -> Iterator[str]:
        """Every path below the study's folder that it reads."""
        for given in self.inputs.values():
            yield from [given] if isinstance(given, str) else given

    @property
    def is_raw(self) -> bool:
        """Whether it fetches or makes an archive, which is no result."""
        return all(path.startswith("raw/") for path in self.outputs.values())

    @property
    def title(self) -> str:
        """The rule and what it works on, as in `ingest school_census 2018`."""
        return " ".join((self.rule, *self.names.values()))


def jobs_of(study: Study) -> Iterator[Job]:
    """Yield every job of a study but its audit, each after those that it needs."""
    for step in STEPS:
        if step.rule in _JOBS:
            yield from _JOBS[step.rule](study)


class Jobs:
    """The jobs of a study by rule and wildcards, those of a rule when asked for."""

    def __init__(self, study: Study) -> None:
        """Take a study."""
        self._study = study
        self._found: dict[str, dict[frozenset[tuple[str, str]], Job]] = {}

    def of(self, rule: str, names: Names) -> Job:
        """Return the job of a rule that the values of its wildcards stand for."""
        if rule not in self._found:
            jobs = _JOBS[rule](self._study)
            self._found[rule] = {frozenset(job.names.items()): job for job in jobs}
        return self._found[rule][frozenset(names.items())]


def _of_release(table: str, release: str) -> dict[str, str]:
    return {"table": table, "release": release}


def _definition(study: Study, table: str, release: str) -> SourceDefinition:
    given = study.tables[table]
    return source_definition(given.source, release, given.options)


def _downloads(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        release = study.tables[table].releases[name]
        if release.url and not _is_directory(release.url):
            settings = {
                "url": release.url,
                "sha256": release.sha256,
                "is_counted": release.n_rows is not None,
            }
            yield Job("download", _of_release(table, name), settings=settings)


def _collections(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        given = study.tables[table]
        url = given.releases[name].url
        if url and _is_directory(url):
            settings = {
                "url": url,
                "source": given.source,
                "options": given.options,
                "members": _definition(study, table, name).members,
            }
            yield Job("collect", _of_release(table, name), settings=settings)


def _is_directory(url: str) -> bool:
    return url.lower().startswith("ftp:")


def _syntheses(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        given = study.tables[table]
        size = given.releases[name].twin_size
        if size is not None:
            definition = _definition(study, table, name)
            settings = {
                "source": given.source,
                "size": size,
                "seed": study.seed,
                "writing": repr((definition.names, definition.recodes)),
            }
            yield Job("synthesise", _of_release(table, name), settings=settings)


def _ingests(study: Study) -> Iterator[Job]:
    for table, name in study.used:
        given, names = study.tables[table], _of_release(table, name)
        release, definition = given.releases[name], _definition(study, table, name)
        attributes = study.attributes(table, name)
        settings = {
            "source": given.source,
            "options": given.options,
            "attributes": attributes,
            "sha256": release.sha256,
            "n_rows": release.n_rows,
            "max_refused": given.max_refused,
            "is_synthetic": release.is_synthetic,
            "reading": reading_state(definition, attributes),
        }
        if release.archive:
            archive = Archive(release.archive, definition.members)
            yield Job("ingest", names, settings=settings, archive=archive)
        else:
            yield Job("ingest", names, {"archive": _raw(names, release)}, settings)


def _raw(names: Names, release: Any) -> str:
    """Return what is there once a release was fetched or made."""
    if release.twin_size is not None:
        rule = "synthesise"
    else:
        rule = "collect" if _is_directory(release.url) else "download"
    (path,) = Job(rule, names).outputs.values()
    return path


def _deduplications(study: Study) -> Iterator[Job]:
    for table, release in study.used:
        names = _of_release(table, release)
        ingested = Job("ingest", names).outputs
        yield Job("deduplicate", names, ingested, {"seed": study.seed})


def _joins(study: Study) -> Iterator[Job]:
    for table, focal, auxiliary in study.links:
        inputs = {
            "focal": _people(table, focal),
            "auxiliary": _people(table, auxiliary),
            "receipt": f"people/{table}/{focal}.json",
        }
        names = {"table": table, "focal": focal, "auxiliary": auxiliary}
        yield Job("join", names, inputs)


def _row_counts(study: Study) -> Iterator[Job]:
    folders = "tables", "people"
    receipts = {f: tuple(f"{f}/{t}/{r}.json" for t, r in study.used) for f in folders}
    settings = {
        "releases": study.used,
        "is_synthetic": [study.is_synthetic_release(*each) for each in study.used],
    }
    yield Job("count_rows", {}, receipts, settings)


def _people(table: str, release: str) -> str:
    return f"people/{table}/{release}.parquet"


def _people_and_panels(analysis: Any) -> tuple[str, ...]:
    """Return where records are, and what each auxiliary release says of them."""
    table, focal = analysis.table, analysis.focal
    linked = (f"panels/{table}/{focal}/{a}.parquet" for a in analysis.auxiliary)
    return (_people(table, focal), *linked)


def _overlaps(study: Study) -> Iterator[Job]:
    for name, compared in study.compared.items():
        settings = {
            "analysis": as_fields(compared),
            "is_synthetic": study.is_synthetic_analysis(compared),
            "crosswalk": repr(crosswalk_between(compared)),
        }
        yield Job("overlap", {"compared": name}, _both(compared), settings)


def _both(compared: Compared) -> dict[str, Paths]:
    population, sample = compared.population, compared.sample
    return {
        "population": _people(population.table, population.release),
        "sample": _people(sample.table, sample.release),
    }


def _blocks_of(analysis: Anonymity) -> dict[str, Any]:
    """Return what of an analysis its blocks depend on."""
    return asdict(
        replace(
            analysis, crosswalk=None, entity=None, population=None, n_population=None
        )
    )


def _blocks(study: Study) -> Iterator[Job]:
    for name, analysis in study.anonymity.items():
        settings = {
            "analysis": _blocks_of(analysis),
            "is_synthetic": study.is_synthetic_release(analysis.table, analysis.focal),
        }
        people = _people(analysis.table, analysis.focal)
        yield Job("blocks", {"anonymity": name}, {"people": people}, settings)


def _entities(study: Study) -> Iterator[Job]:
    for name, analysis in study.anonymity.items():
        if analysis.entity is None:
            continue
        of_entities = {"entity": analysis.entity, "sensitive": (), "order": {}}
        table, focal = analysis.table, analysis.focal
        settings = {
            "analysis": _blocks_of(analysis) | of_entities,
            "is_synthetic": study.is_synthetic_release(table, focal),
        }
        inputs: dict[str, Paths] = {"table": f"tables/{table}/{focal}.parquet"}
        yield Job("entities", {"anonymity": name}, inputs, settings)


def _contingencies(study: Study) -> Iterator[Job]:
    for name, analysis in study.mechanism.items():
        counted = analysis.counted
        settings = {
            "counted": asdict(counted),
            "is_synthetic": study.is_synthetic_analysis(analysis),
        }
        people = _people(counted.table, counted.release)
        yield Job("contingency", {"mechanism": name}, {"people": people}, settings)


def _profiles(study: Study) -> Iterator[Job]:
    for name, analysis in study.collective.items():
        for part in analysis.prefixes:
            settings = {
                "analysis": asdict(part),
                "is_synthetic": study.is_synthetic_analysis(part),
            }
            inputs: dict[str, Paths] = {"releases": _people_and_panels(part)}
            names = {"analysis": name, "panel": part.panel}
            yield Job("profile", names, inputs, settings)


def _profiles_of(analysis: Collective) -> tuple[str, ...]:
    return tuple(
        f"profiles/{analysis.name}/{p.panel}.parquet" for p in analysis.prefixes
    )


def _measures(study: Study) -> Iterator[Job]:
    for name, analysis in study.collective.items():
        settings = {
            "analysis": asdict(analysis),
            "is_synthetic": study.is_synthetic_analysis(analysis),
        }
        inputs: dict[str, Paths] = {"profiles": _profiles_of(analysis)}
        yield Job("measure", {"analysis": name}, inputs, settings)


def _groups(study: Study) -> Iterator[Job]:
    for name, analysis in study.collective.items():
        if analysis.groups:
            inputs: dict[str, Paths] = {"profiles": _profiles_of(analysis)}
            settings = {"analysis": asdict(analysis)}
            yield Job("groups", {"analysis": name}, inputs, settings)


def _from_collective(rule: str) -> Callable[[Study], Iterator[Job]]:
    """Return the jobs of a rule that takes the table of success of an analysis."""

    def jobs(study: Study) -> Iterator[Job]:
        for name, analysis in study.collective.items():
            if analysis.auxiliary or rule != "gain":
                inputs: dict[str, Paths] = {"collective": _table("collective", name)}
                yield Job(rule, {"analysis": name}, inputs)

    return jobs


def _table(table: str, analysis: str) -> str:
    return f"measures/{table}/{analysis}.csv"


def _entropies(study: Study) -> Iterator[Job]:
    for name, analysis in study.collective.items():
        inputs: dict[str, Paths] = {
            "profiles": _profiles_of(analysis)[0],
            "people": _people(analysis.table, analysis.focal),
        }
        settings = {"analysis": asdict(analysis.prefixes[0])}
        yield Job("entropy", {"analysis": name}, inputs, settings)


def _states(study: Study) -> Iterator[Job]:
    releases = state_analyses(study)
    of_states = {part for part, *_ in releases}
    # In the order of the study file, which that of the tables follows.
    names = [name for name in study.collective if name in of_states]
    inputs: dict[str, Paths] = {
        "worst": tuple(_table("worst", name) for name in names),
        "success": tuple(f"measures/success/{name}.parquet" for name in names),
        "entropy": tuple(_table("entropy", name) for name in names),
        # Without any state it would else run before releases are known to be right.
        "ingest": "measures/ingest.csv",
    }
    yield Job("states", {}, inputs, {"releases": releases})


def _comparison(study: Study) -> Iterator[Job]:
    tables = tuple(_table("collective", name) for name in study.collective)
    yield Job("compare", {}, {"collective": tables}, {"series": series(study)})


def _targets(study: Study) -> Iterator[Job]:
    for name, target in study.targets.items():
        inputs: dict[str, Paths] = {"releases": _people_and_panels(target)}
        yield Job("target", {"target": name}, inputs, reads_study=True)


def _memberships(study: Study) -> Iterator[Job]:
    for name, analysis in study.membership.items():
        inputs: dict[str, Paths] = {"profile": f"profiles/{name}/overlap.parquet"}
        settings = {"analysis": as_fields(analysis)}
        yield Job("membership", {"membership": name}, inputs, settings)


def _members(study: Study) -> Iterator[Job]:
    for name, (analysis, _) in study.members.items():
        settings = {"crosswalk": repr(crosswalk_between(analysis))}
        names = {"member": name}
        yield Job("member", names, _both(analysis), settings, reads_study=True)


def _anonymities(study: Study) -> Iterator[Job]:
    for name, analysis in study.anonymity.items():
        made = {"entities": analysis.entity, "overlap": analysis.population}
        profiles = ["blocks", *(profile for profile in made if made[profile])]
        inputs: dict[str, Paths] = {
            "people": _people(analysis.table, analysis.focal),
            **{profile: f"profiles/{name}/{profile}.parquet" for profile in profiles},
        }
        settings = {"analysis": asdict(analysis)}
        yield Job("anonymity", {"anonymity": name}, inputs, settings)


def _mechanisms(study: Study) -> Iterator[Job]:
    for name, analysis in study.mechanism.items():
        inputs: dict[str, Paths] = {"profile": f"profiles/{name}/contingency.parquet"}
        settings = {"analysis": asdict(analysis), "seed": study.seed}
        yield Job("mechanism", {"mechanism": name}, inputs, settings)


def _reconstructions(study: Study) -> Iterator[Job]:
    for name, analysis in study.reconstruction.items():
        people = tuple(_people(table, release) for table, release, _ in analysis.needs)
        settings = {"analysis": asdict(analysis), "seed": study.seed}
        names = {"reconstruction": name}
        yield Job("reconstruction", names, {"people": people}, settings)


def _figures(study: Study) -> Iterator[Job]:
    for name in study.drawn:
        inputs: dict[str, Paths] = {
            table: _table(table, name)
            for table in ("collective", "worst", "distribution")
        }
        settings = {
            "languages": study.languages,
            "is_synthetic": study.is_synthetic_analysis(study.collective[name]),
        }
        yield Job("draw", {"analysis": name}, inputs, settings)


def _report(study: Study) -> Iterator[Job]:
    analyses = study.collective.values()
    tables = "collective", "values", "worst", "distribution", "importance"
    links = {
        f"panels/{a.table}/{a.focal}/{auxiliary}.json"
        for a in analyses
        for auxiliary in a.auxiliary
    }
    names = "comparison", "states", "explained", "ingest", "removed"
    paths = (
        *(_table(table, a.name) for table in tables for a in analyses),
        *(f"figures/{name}/" for name in study.drawn),
        *(_table("gain", a.name) for a in analyses if a.auxiliary),
        *sorted(links),
        *(_table("groups", a.name) for a in analyses if a.groups),
        *(_table(table, name) for table, name in study.family_tables),
        *(f"measures/{name}.csv" for name in names),
    )
    if study.audience == "public":
        sizes = (f"measures/success/{a.name}.parquet" for a in analyses)
        exact = (_table("collective", a.name) for a in analyses)
        paths = (*sizes, *exact, "measures/ingest.csv")
    yield Job("report", {}, {"results": paths}, reads_study=True)


_JOBS: dict[str, Callable[[Study], Iterator[Job]]] = {
    "download": _downloads,
    "collect": _collections,
    "synthesise": _syntheses,
    "ingest": _ingests,
    "deduplicate": _deduplications,
    "join": _joins,
    "count_rows": _row_counts,
    "overlap": _overlaps,
    "blocks": _blocks,
    "entities": _entities,
    "contingency": _contingencies,
    "profile": _profiles,
    "measure": _measures,
    "importance": _from_collective("importance"),
    "gain": _from_collective("gain"),
    "groups": _groups,
    "entropy": _entropies,
    "states": _states,
    "compare": _comparison,
    "target": _targets,
    "membership": _memberships,
    "member": _members,
    "anonymity": _anonymities,
    "mechanism": _mechanisms,
    "reconstruction": _reconstructions,
    "draw": _figures,
    "report": _report,
}
