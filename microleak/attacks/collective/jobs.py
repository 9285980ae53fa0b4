"""Steps of the collective family, and their jobs: profiles, measures, comparisons."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from microleak.attacks.collective.analysis import Collective
from microleak.step import (
    Costs,
    Job,
    Paths,
    Step,
    measures_path,
    measures_paths,
    people,
    people_and_panels,
)
from microleak.study_file.context import definition_of
from microleak.study_file.model import Study

if TYPE_CHECKING:
    from microleak.attacks.collective.states import StateAnalysis

_FILES = "microleak.tables.files"
_OF = "microleak.attacks.collective"

PROFILE_PART = Step(
    "profile_part",
    {"part": "profiles/{collective}/{panel}/{part}.parquet"},
    (f"{_OF}.profile",),
    is_told_memory=True,
)
PROFILE = Step(
    "profile",
    {"profile": "profiles/{collective}/{panel}.parquet"},
    (f"{_OF}.profile",),
    is_told_memory=True,
)
MEASURE = Step(
    "measure",
    {
        **measures_paths(
            "collective", "values", "worst", "distribution", of="collective"
        ),
        "success": "measures/success/{collective}.parquet",
    },
    (f"{_OF}.measure", _FILES),
)


def _of_table(table: str, module: str, *reads: str) -> Step:
    """Return the step that makes a table of an analysis, by the table's name."""
    paths = measures_paths(table, of="collective")
    return Step(table, paths, (f"{_OF}.{module}", _FILES), reads=reads)


IMPORTANCE = _of_table("importance", "contributions", "collective")
GAIN = _of_table("gain", "contributions", "collective")
GROUPS = _of_table("groups", "measure")
ENTROPY = _of_table("entropy", "contributions")
STATES = Step(
    "states",
    {"states": "measures/states.csv", "explained": "measures/explained.csv"},
    (f"{_OF}.states", _FILES),
    reads=("worst", "success", "entropy"),
)
COMPARE = Step(
    "compare",
    {"comparison": "measures/comparison.csv"},
    (f"{_OF}.states", _FILES),
    reads=("collective",),
)
DRAW = Step(
    "draw",
    {"figures": "figures/{collective}/"},
    (f"{_OF}.report.drawing", _FILES),
    ("microleak/report/texts/*", f"{_OF.replace('.', '/')}/texts.yaml"),
    reads=("collective", "distribution", "worst"),
)


def _parts(study: Study) -> Iterator[Job]:
    for name, panel in _panels(study):
        for number in range(1, panel.n_parts + 1) if panel.n_parts > 1 else ():
            names = {"collective": name, "panel": panel.panel, "part": str(number)}
            settings = _settings(study, panel) | {"part": (number, panel.n_parts)}
            inputs = {"releases": people_and_panels(panel)}
            yield PROFILE_PART.job(names, inputs, settings)


def _profiles(study: Study) -> Iterator[Job]:
    for name, panel in _panels(study):
        if panel.n_parts > 1:
            numbers = range(1, panel.n_parts + 1)
            folder = f"profiles/{name}/{panel.panel}"
            inputs = {"parts": tuple(f"{folder}/{n}.parquet" for n in numbers)}
        else:
            inputs = {"releases": people_and_panels(panel)}
        names = {"collective": name, "panel": panel.panel}
        yield PROFILE.job(names, inputs, _settings(study, panel))


def _panels(study: Study) -> Iterator[tuple[str, Collective]]:
    """Yield the name of each analysis with each of its prefixes."""
    for name, analysis in study.analyses["collective"].items():
        yield from ((name, panel) for panel in analysis.prefixes)


def _settings(study: Study, analysis: Collective) -> dict[str, Any]:
    """Return what results depend on, which is not in how many parts they are made."""
    return {
        "analysis": _given(analysis),
        "is_synthetic": study.is_synthetic_analysis(analysis),
    }


def _given(analysis: Collective) -> dict[str, Any]:
    return {n: each for n, each in asdict(analysis).items() if n != "n_parts"}


def _profiles_of(analysis: Collective) -> tuple[str, ...]:
    return tuple(
        f"profiles/{analysis.name}/{p.panel}.parquet" for p in analysis.prefixes
    )


def _measures(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["collective"].items():
        inputs = {"profiles": _profiles_of(analysis)}
        yield MEASURE.job({"collective": name}, inputs, _settings(study, analysis))


def _groups(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["collective"].items():
        if analysis.groups:
            inputs = {"profiles": _profiles_of(analysis)}
            settings = {"analysis": _given(analysis)}
            yield GROUPS.job({"collective": name}, inputs, settings)


def _from_success(step: Step) -> Callable[[Study], Iterator[Job]]:
    """Return the jobs of a step that takes the table of success of an analysis."""

    def jobs(study: Study) -> Iterator[Job]:
        for name, analysis in study.analyses["collective"].items():
            if analysis.auxiliary or step is not GAIN:
                inputs = {"collective": measures_path("collective", name)}
                yield step.job({"collective": name}, inputs)

    return jobs


def _entropies(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["collective"].items():
        inputs = {
            "profiles": _profiles_of(analysis)[0],
            "people": people(analysis.table, analysis.focal),
        }
        settings = {"analysis": _given(analysis.prefixes[0])}
        yield ENTROPY.job({"collective": name}, inputs, settings)


def _states(study: Study) -> Iterator[Job]:
    releases = state_analyses(study)
    of_states = {part for part, *_ in releases}
    # In the order of the study file, which that of the tables follows.
    names = [name for name in study.analyses["collective"] if name in of_states]
    inputs: dict[str, Paths] = {
        "worst": tuple(measures_path("worst", name) for name in names),
        "success": tuple(f"measures/success/{name}.parquet" for name in names),
        "entropy": tuple(measures_path("entropy", name) for name in names),
        # Without any state it would else run before releases are known to be right.
        "ingest": "measures/ingest.csv",
    }
    yield STATES.job({}, inputs, {"releases": releases})


def _comparison(study: Study) -> Iterator[Job]:
    pooled = {*study.pooled}  # stands in no series of releases
    tables = tuple(
        measures_path("collective", name)
        for name, analysis in study.analyses["collective"].items()
        if (analysis.table, analysis.focal) not in pooled
    )
    settings = {"series": series(study), "protections": protections(study)}
    yield COMPARE.job({}, {"collective": tables}, settings)


def _figures(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["collective"].items():
        if study.shows_tables:
            settings = {
                "languages": study.languages,
                "is_synthetic": study.is_synthetic_analysis(analysis),
                "sources": [study.tables[analysis.table].source],
                "labels": study.labels,
            }
            own = frozenset(f"published/{table}/{name}.csv" for table in DRAW.reads)
            inputs = {"published": "published/"}
            yield DRAW.job({"collective": name}, inputs, settings, only=own)


STEPS = (
    (PROFILE_PART, _parts),
    (PROFILE, _profiles),
    (MEASURE, _measures),
    (IMPORTANCE, _from_success(IMPORTANCE)),
    (GAIN, _from_success(GAIN)),
    (GROUPS, _groups),
    (ENTROPY, _entropies),
    (STATES, _states),
    (COMPARE, _comparison),
    (DRAW, _figures),
)


def costs(study: Study) -> Iterator[Costs]:
    for name, analysis in study.analyses["collective"].items():
        # Subsets count once for each release that they have attributes of.
        n_subsets = {
            f"profiles/{name}/{part.panel}.parquet": len(part.subsets)
            * len(part.releases)
            for part in analysis.prefixes
        }
        yield Costs(name, n_subsets, ((analysis.table, analysis.focal),))


def series(study: Study) -> dict[str, list[list[str]]]:
    """Return the successive releases of each table, none that is protected.

    Those of one state by year, states in the study file's order; where the source
    has no states, all releases in that order.
    """
    found: dict[str, dict[str | None, list[tuple[str, str]]]] = {}
    for table, release, state, year in _places(study):
        by_state = found.setdefault(table, {})
        by_state.setdefault(state, []).append(("" if state is None else year, release))
    return {
        table: [
            [release for _, release in sorted(releases, key=itemgetter(0))]
            for releases in by_state.values()
        ]
        for table, by_state in found.items()
    }


def protections(study: Study) -> list[tuple[str, str, str]]:
    """Return table, origin and name of each protection, after those it is made of."""
    return [
        (table, study.tables[table].protections[name].release, name)
        for table, name in study.protected
    ]


def state_analyses(study: Study) -> "list[StateAnalysis]":
    """Return the analyses that attack a release of a state, in the releases' order."""
    # Compared are the parts of one analysis of many releases, under its name; of those
    # that stand alone the ones that are alike, under the name of the first.
    first: dict[object, str] = {}
    compared_as = {
        name: each.part_of
        or first.setdefault((each.table, each.qids, each.subsets, each.sensitive), name)
        for name, each in study.analyses["collective"].items()
    }
    return [
        (analysis.name, compared_as[analysis.name], table, release, state, year)
        for table, release, state, year in _places(study)
        if state is not None
        for analysis in study.analyses["collective"].values()
        if (analysis.table, analysis.focal) == (table, release)
    ]


def _places(study: Study) -> Iterator[tuple[str, str, str | None, str]]:
    """Yield every table, release, state and year, in the study file's order."""
    for table in study.tables.values():
        for release in table.releases:
            definition = definition_of(table, release)
            yield table.name, release, definition.state, definition.year
