"""Which results the rules make for a study, and removal of those of an earlier one."""

from collections.abc import Collection, Iterator
from pathlib import Path

from microleak.study.model import Study

OF_STUDY = ("measures/ingest.csv", "measures/csv-metadata.json", "report")
OF_RELEASE = (
    "tables/{table}/{release}.parquet",
    "tables/{table}/{release}.json",
    "people/{table}/{release}.parquet",
    "people/{table}/{release}.json",
)
OF_ANALYSIS = (
    "profiles/{analysis}.parquet",
    "measures/collective/{analysis}.csv",
    "measures/worst/{analysis}.csv",
    "measures/success/{analysis}.parquet",
    "measures/distribution/{analysis}.csv",
)
FIGURES = "figures/{analysis}"

_FIGURE_FILES = (f"{FIGURES}/*.svg", f"{FIGURES}/.snakemake_timestamp")


def outputs_of(study: Study) -> frozenset[str]:
    """Return the results of a study, files and folders, below its folder."""
    return frozenset(
        [
            *OF_STUDY,
            *(
                pattern.format(table=table, release=release)
                for pattern in OF_RELEASE
                for table, release in study.used
            ),
            *(
                pattern.format(analysis=analysis)
                for pattern in (*OF_ANALYSIS, FIGURES)
                for analysis in study.collective
            ),
        ]
    )


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
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def _results(study_dir: Path) -> Iterator[Path]:
    """Yield every file that has the place and ending of a result."""
    for pattern in (*OF_RELEASE, *OF_ANALYSIS, *_FIGURE_FILES):
        anything = pattern.format(table="*", release="*", analysis="*")
        found = sorted(study_dir.glob(anything))
        yield from (path for path in found if path.is_file())
