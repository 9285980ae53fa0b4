"""The page of a public report, from what is published and nothing else."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from microleak.base.files import write_text
from microleak.report.contents import Tables, is_synthetic
from microleak.report.page import STYLE, write_data
from microleak.report.texts import Voice, voice

_FOLDER = Path(__file__).parent

CLASSES = (
    *("alone_pct", "from_2_to_4_pct", "from_5_to_9_pct"),
    *("from_10_to_99_pct", "from_100_pct"),
)
"""Share of the records in blocks of each class of sizes."""


@dataclass(frozen=True)
class PublicTables:
    """What is published of a study, as its public form has it.

    Attributes
    ----------
    releases
        Of the whole study.
    blocks, inference
        By analysis; empty where a table is too small.
    line_tables
        Tables without an identifier of persons.
    """

    releases: pd.DataFrame
    blocks: Mapping[str, pd.DataFrame]
    inference: Mapping[str, pd.DataFrame]
    line_tables: frozenset[str]

    def files(self) -> dict[str, pd.DataFrame]:
        """Return every table under the name of its CSV beside the page."""
        families = {"blocks": self.blocks, "inference": self.inference}
        files = {
            f"data/{analysis}-{family}.csv": rows
            for family, analyses in families.items()
            for analysis, rows in analyses.items()
            if len(rows)
        }
        return files | {"data/releases.csv": self.releases}


def write_public_report(
    folder: Path,
    study: str,
    published: Tables,
    line_tables: Iterable[str],
    languages: Sequence[str],
) -> None:
    """Write the page and its tables; `data/metadata.json` says that they are public.

    Parameters
    ----------
    folder
        Of the report.
    study
        Its name.
    published
        What is published of it.
    line_tables
        Tables without an identifier of persons.
    languages
        Of the page, the first one shown first.

    Raises
    ------
    StudyError
        If there are no texts in one of the languages.
    """
    tables = PublicTables(
        releases=published.whole("releases"),
        blocks=published.of("blocks"),
        inference=published.of("inference"),
        line_tables=frozenset(line_tables),
    )
    write_text(folder / "index.html", public_page(study, tables, languages))
    is_made_up = is_synthetic(tables.releases)
    write_data(folder, study, "public", tables.files(), is_made_up)


def public_page(study: str, tables: PublicTables, languages: Sequence[str]) -> str:
    """Return the page, in each language, as HTML that needs no network or script."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    styles = (STYLE, _FOLDER / "public.css")
    return environment.get_template("public.html.j2").render(
        study=study,
        tables=tables,
        voices=[voice(language) for language in languages],
        is_synthetic=is_synthetic(tables.releases),
        style=Markup("".join(path.read_text("utf-8") for path in styles)),
        classes=CLASSES,
        rows=_rows,
        share=_share,
        qids=_qids,
    )


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_dict("records")
    return rows


def _share(percent: int, step: int) -> str:
    """Write a published share; of its ends, by how much they may be none or all.

    >>> [_share(percent, 2) for percent in (0, 4, 100)]
    ['<2%', '4%', '>98%']
    """
    ends = {0: f"<{step}%", 100: f">{100 - step}%"}
    return ends.get(percent, f"{percent}%")


def _qids(joined: str, voice: Voice) -> str:
    return ", ".join(map(voice.explained, joined.split("|")))
