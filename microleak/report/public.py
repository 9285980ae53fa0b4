"""The page of a public report, from what is published and nothing else."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from microleak.base.files import write_text
from microleak.base.xml_text import xml_text
from microleak.report.contents import Tables, is_synthetic, synthetic_banner
from microleak.report.face_value import Drawn, by_method, concerned, say
from microleak.report.page import INDEX, STYLE, TEMPLATES, template, write_data
from microleak.report.parts import Part
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class PublicParts:
    """How a family is shown to the public.

    Attributes
    ----------
    parts
        Yields a part for each analysis, from what is published of all families.
    style
        CSS that its parts need, if they do.
    """

    parts: Callable[[Tables, Voice], Iterator[Part]]
    style: str = ""


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
    style = [STYLE.read_text("utf-8"), *(each.style for each in families)]
    form = "noise" if losses else "public"
    page: str = template(TEMPLATES, "public.html.j2").render(
        study=study,
        tables=published,
        status=partial(_status, form, releases),
        releases=releases.to_dict("records"),
        form=form,
        losses=losses,
        total=sum(Fraction(row["epsilon"]) for row in losses),
        line_tables=line_tables,
        voices=voices,
        families=families,
        banner=synthetic_banner(releases),
        style=Markup("".join(style)),
    )
    return xml_text(page)


_MOST_RELEASES = 3


def _status(form: str, releases: pd.DataFrame, voice: Voice) -> str:
    """Say that a page is public, and how many records it is of; not with noise."""
    status = voice.say(f"{form}.status")
    if form == "noise":
        return status
    said = []
    for row in releases.to_dict("records"):
        release, n_records = f"{row['table']} {row['release']}", row["n_records"]
        if pd.isna(n_records):
            said.append(voice.say("public.of_few", release=release))
        else:
            number = voice.numbers.count(n_records)
            said.append(
                voice.say("public.of_release", release=release, n_records=number)
            )
    if len(said) > _MOST_RELEASES:
        number = voice.numbers.count(len(said))
        return f"{status} {voice.say('public.of_many', number=number)}"
    return f"{status} {'; '.join(said)}."


def doubt(row: pd.Series, published: Tables, voice: Voice, *names: str) -> str:
    """Say of which releases that a row is of values were drawn anew, if any were."""
    drawn = published.whole("drawn")
    found = []
    for release in [row["focal"], *str(row.get("auxiliary", "")).split("|")]:
        if len(drawn):
            own = (drawn["table"] == row["table"]) & (drawn["release"] == release)
            steps = zip(drawn["method"][own], drawn["attribute"][own], strict=True)
            found.append(Drawn(release, by_method(steps), ""))
    used = {*tables.qids_of(row), *names}
    return " ".join(say("public", each, voice) for each in concerned(found, used))


def written_share(percent: int, step: int) -> str:
    """Write a published share; of its ends, by how much they may be none or all.

    >>> [written_share(percent, 2) for percent in (0, 4, 100)]
    ['<2%', '4%', '>98%']
    """
    ends = {0: f"<{step}%", 100: f">{100 - step}%"}
    return ends.get(percent, f"{percent}%")
