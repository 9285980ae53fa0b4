"""The report as a folder: its pages, and every table they link to."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from microleak.files import whole, write_text
from microleak.report.contents import Headline, Tables, is_synthetic
from microleak.report.page import report_pages


def read_figures(folder: str | Path, analyses: Iterable[str]) -> dict[str, str]:
    """Read every SVG of some analyses, by its path below the folder of figures.

    Figures that another analysis left in the folder are not looked at.
    """
    folder = Path(folder)
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for analysis in analyses
        for path in sorted((folder / analysis).glob("*.svg"))
    }


def write_report(
    folder: str | Path,
    study: Headline,
    tables: Tables,
    figures: Mapping[str, str],
    audience: str,
    languages: Sequence[str],
) -> None:
    """Write the pages, in `data/` the tables they link to, and their own figures.

    Those, which compare releases or states, go to `figures/`; an analysis's lie
    elsewhere. Parameters are those of `report_pages`. `data/metadata.json` says for
    whom the tables are and whether they are synthetic. Nothing is written if a
    page cannot be made.

    Raises
    ------
    StudyError
        As `report_pages`.
    """
    pages = report_pages(study, tables, figures, audience, languages)
    folder = Path(folder)
    for name, table in tables.files().items():
        with whole(folder / name) as aside:
            table.to_csv(aside, index=False, lineterminator="\n")
    for path, svg in figures.items():
        if "/" not in path:
            write_text(folder / "figures" / path, svg)
    metadata = {
        "study": study.name,
        "audience": audience,
        "synthetic": is_synthetic(tables.ingest),
        "notice": "SYNTHETIC / SINTÉTICO" if is_synthetic(tables.ingest) else "",
        "tables": sorted(tables.files()),
    }
    text = json.dumps(metadata, ensure_ascii=False, indent=2)
    write_text(folder / "data/metadata.json", text + "\n")
    for name, page in pages.items():
        write_text(folder / name, page)
