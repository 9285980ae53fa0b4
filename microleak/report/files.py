"""The report as a folder: its pages, and every table they link to."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from microleak.report.contents import Headline, Tables, is_synthetic
from microleak.report.families import Families
from microleak.report.page import each_page


class Figures(Mapping[str, str]):
    """SVG texts by their paths; files are read when they are asked for.

    Those of hundreds of releases would fill the memory that a job may use.
    """

    def __init__(self, files: Mapping[str, Path], drawn: Mapping[str, str]) -> None:
        """Take files, and texts that are in no file."""
        self._files = dict(files)
        self._drawn = dict(drawn)

    def __getitem__(self, path: str) -> str:
        """Return the text of one figure."""
        if path in self._drawn:
            return self._drawn[path]
        return self._files[path].read_text(encoding="utf-8")

    def __iter__(self) -> Iterator[str]:
        """Iterate over the paths, those of files first."""
        return iter(self._files | self._drawn)

    def __len__(self) -> int:
        """Count the figures."""
        return len(self._files | self._drawn)

    def __or__(self, drawn: Iterable[tuple[str, str]]) -> "Figures":
        """Return these and further ones, of which the texts are given."""
        return Figures(self._files, self._drawn | dict(drawn))


def read_figures(folders: Iterable[Path]) -> Figures:
    """Return every SVG of some folders, by its path below that which has them."""
    files = {
        f"{folder.name}/{path.name}": path
        for folder in folders
        for path in sorted(folder.glob("*.svg"))
    }
    return Figures(files, {})


def write_report(
    folder: str | Path,
    study: Headline,
    tables: Tables,
    figures: Mapping[str, str],
    languages: Sequence[str],
    families: Families,
) -> None:
    """Write the pages, in `data/` the tables they link to, and their own figures.

    Those, which compare releases or states, go to `figures/`; an analysis's lie
    elsewhere. Parameters are those of `each_page`. `data/metadata.json` says for
    whom the tables are and whether they are synthetic. An error leaves the folder
    with a part of the files: give one that only then takes its place
    (`microleak.base.files.whole_folder`).

    Raises
    ------
    StudyError
        As `each_page`.
    """
    folder = Path(folder)
    for name, page in each_page(study, tables, figures, languages, families):
        _write(folder / name, page)
    for name, table in tables.files().items():
        _write(folder / name, table.to_csv(index=False, lineterminator="\n"))
    for path in figures:
        if "/" not in path:
            _write(folder / "figures" / path, figures[path])
    _write(folder / "data/metadata.json", _metadata(study, tables))


def _metadata(study: Headline, tables: Tables) -> str:
    metadata = {
        "study": study.name,
        "audience": "internal",
        "synthetic": is_synthetic(tables.study["ingest"]),
        "notice": "SYNTHETIC / SINTÉTICO"
        if is_synthetic(tables.study["ingest"])
        else "",
        "tables": sorted(tables.files()),
    }
    return json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
