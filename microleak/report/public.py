"""The page of a public report, from what is published and nothing else."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from microleak.base.files import write_text
from microleak.base.xml_text import xml_text
from microleak.report.contents import Tables, is_synthetic, synthetic_banner
from microleak.report.page import INDEX, STYLE, TEMPLATES, template, write_data
from microleak.report.parts import Part
from microleak.report.texts import Voice


@dataclass(frozen=True)
class PublicParts:
    """How a family is shown to the public.

    Attributes
    ----------
    parts
        Yields a part for each analysis, from what is published of all families.
    faults
        Yields where the rows of one of its tables are not as the family writes them.
    """

    parts: Callable[[Tables, Voice], Iterator[Part]]
    faults: Callable[[pd.DataFrame], Iterator[str]]


def write_public_report(
    folder: Path,
    study: str,
    published: Tables,
    line_tables: Iterable[str],
    voices: Sequence[Voice],
    families: Sequence[PublicParts],
) -> None:
    """Write the page and its tables; `data/metadata.json` says that they are public."""
    page = public_page(study, published, line_tables, voices, families)
    write_text(folder / INDEX, page)
    is_made_up = is_synthetic(published.whole("releases"))
    write_data(folder, study, "public", published.files(), is_made_up)


def public_page(
    study: str,
    published: Tables,
    line_tables: Iterable[str],
    voices: Sequence[Voice],
    families: Sequence[PublicParts],
) -> str:
    """Return the page, in each language, as HTML that needs no network or script.

    Parameters are those of `write_public_report`.
    """
    releases = published.whole("releases")
    losses = published.whole("privacy_losses").to_dict("records")
    page: str = template(TEMPLATES, "public.html.j2").render(
        study=study,
        tables=published,
        releases=releases.to_dict("records"),
        losses=losses,
        total=sum(Fraction(row["epsilon"]) for row in losses),
        line_tables=line_tables,
        voices=voices,
        families=families,
        banner=synthetic_banner(releases),
        style=Markup(STYLE.read_text("utf-8")),
    )
    return xml_text(page)
