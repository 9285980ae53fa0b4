"""Which results the rules make for a study, and removal of those of an earlier one."""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from microleak.study.model import Collective, Study
from microleak.study.samples import Anonymity

OF_STUDY = (
    "measures/comparison.csv",
    "measures/csv-metadata.json",
    "measures/explained.csv",
    "measures/ingest.csv",
    "measures/removed.csv",
    "measures/states.csv",
    "report",
    "ro-crate-metadata.json",
)
OF_RELEASE = (
    "tables/{table}/{release}.parquet",
    "tables/{table}/{release}.json",
    "people/{table}/{release}.parquet",
    "people/{table}/{release}.json",
)
OF_ANALYSIS = (
    "measures/collective/{analysis}.csv",
    "measures/worst/{analysis}.csv",
    "measures/success/{analysis}.parquet",
    "measures/distribution/{analysis}.csv",
    "measures/importance/{analysis}.csv",
    "measures/entropy/{analysis}.csv",
)
OF_LINKED = ("measures/gain/{analysis}.csv",)
OF_GROUPED = ("measures/groups/{analysis}.csv",)
OF_PANEL = ("profiles/{analysis}/{panel}.parquet",)
OF_LINK = (
    "panels/{table}/{focal}/{auxiliary}.parquet",
    "panels/{table}/{focal}/{auxiliary}.json",
)
OF_TARGET = (
    "confidential/targets/{target}.csv",
    "confidential/targets/{target}-further.csv",
)
OF_COMPARED = ("profiles/{compared}/overlap.parquet",)
OF_MEMBERSHIP = (
    "measures/membership/{membership}.csv",
    "measures/presence/{membership}.csv",
    "measures/uniques/{membership}.csv",
)
OF_ANONYMITY = (
    "profiles/{anonymity}/blocks.parquet",
    "measures/anonymity/{anonymity}.csv",
    "measures/classes/{anonymity}.csv",
)
OF_ENTITIES = ("profiles/{anonymity}/entities.parquet",)
OF_MECHANISM = (
    "profiles/{mechanism}/contingency.parquet",
    "measures/mechanism/{mechanism}.csv",
    "measures/samples/{mechanism}.csv",
    "measures/simulated/{mechanism}.csv",
    "measures/pairs/{mechanism}.csv",
)
OF_RECONSTRUCTION = (
    "measures/reconstruction/{reconstruction}.csv",
    "measures/bad_points/{reconstruction}.csv",
)
OF_MEMBER = ("confidential/membership/{member}.csv",)
FIGURES = "figures/{analysis}"

_FIGURE_FILES = (f"{FIGURES}/*.svg", f"{FIGURES}/.snakemake_timestamp")
_LINK = ("table", "focal", "auxiliary")
_PATTERNS = (
    *(*OF_RELEASE, *OF_LINK, *OF_PANEL, *OF_ANALYSIS, *OF_LINKED, *OF_GROUPED),
    *(*OF_TARGET, *OF_COMPARED, *OF_MEMBERSHIP, *OF_MEMBER),
    *(*OF_ANONYMITY, *OF_ENTITIES, *OF_MECHANISM, *OF_RECONSTRUCTION),
    *_FIGURE_FILES,
)


def outputs_of(study: Study) -> frozenset[str]:
    """Return the results of a study, files and folders, below its folder."""
    made: tuple[tuple[Sequence[str], list[dict[str, str]]], ...] = (
        (OF_STUDY, [{}]),
        (OF_RELEASE, [{"table": t, "release": r} for t, r in study.used]),
        (OF_LINK, [dict(zip(_LINK, link, strict=True)) for link in study.links]),
        (OF_PANEL, list(_panels(study))),
        ((*OF_ANALYSIS, FIGURES), [{"analysis": name} for name in study.collective]),
        (OF_LINKED, [{"analysis": a.name} for a in _linked(study)]),
        (OF_GROUPED, [{"analysis": a.name} for a in _grouped(study)]),
        (OF_TARGET, [{"target": name} for name in study.targets]),
        (OF_COMPARED, [{"compared": name} for name in study.compared]),
        (OF_MEMBERSHIP, [{"membership": name} for name in study.membership]),
        (OF_MEMBER, [{"member": file} for file in study.members]),
        (OF_ANONYMITY, [{"anonymity": name} for name in study.anonymity]),
        (OF_ENTITIES, [{"anonymity": a.name} for a in _of_entities(study)]),
        (OF_MECHANISM, [{"mechanism": name} for name in study.mechanism]),
        (
            OF_RECONSTRUCTION,
            [{"reconstruction": name} for name in study.reconstruction],
        ),
    )
    return frozenset(
        pattern.format(**names)
        for patterns, each in made
        for names in each
        for pattern in patterns
    )


def _linked(study: Study) -> list[Collective]:
    return [a for a in study.collective.values() if a.auxiliary]


def _grouped(study: Study) -> list[Collective]:
    return [a for a in study.collective.values() if a.groups]


def _of_entities(study: Study) -> list[Anonymity]:
    return [a for a in study.anonymity.values() if a.entity is not None]


def _panels(study: Study) -> Iterator[dict[str, str]]:
    for analysis in study.collective.values():
        for part in analysis.prefixes:
            yield {"analysis": analysis.name, "panel": part.panel}


def is_output(path: str, outputs: Collection[str]) -> bool:
    """Say whether a path is one of the outputs, or lies in one that is a folder.

    >>> is_output("report/data/a.csv", {"report"}), is_output("reports", {"report"})
    (True, False)
    """
    folders = (parent.as_posix() for parent in Path(path).parents)
    return path in outputs or any(folder in outputs for folder in folders)


def remove_leftovers(study_dir: Path, outputs: Collection[str]) -> None:
    """Remove results of analyses and releases that the study does not have any more.

    They are known by where they lie and how they end; any other file, logs,
    benchmarks and raw files stay. Folders that become empty go as well.
    """
    for path in _results(study_dir):
        if not is_output(path.relative_to(study_dir).as_posix(), outputs):
            path.unlink()
            _remove_empty(path.parent, study_dir)


def _remove_empty(folder: Path, study_dir: Path) -> None:
    """Remove a folder below the study's that has nothing in it, and then its own."""
    while folder != study_dir and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _results(study_dir: Path) -> Iterator[Path]:
    """Yield every file that has the place and ending of a result."""
    for pattern in _PATTERNS:
        found = sorted(study_dir.glob(re.sub("{[a-z]+}", "*", pattern)))
        yield from (path for path in found if path.is_file())
