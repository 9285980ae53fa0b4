"""The report as one HTML page that needs no network."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import jinja2
import pandas as pd
from markupsafe import Markup

from microleak.figures import tables
from microleak.report.comparison import comparisons
from microleak.report.contents import (
    Headline,
    Scope,
    Tables,
    check_audience,
    is_joined,
    is_synthetic,
)
from microleak.report.drawing import figure_of, figure_path, kinds
from microleak.report.findings import Finding, finding
from microleak.report.rows import BinTable, WorstTable, bin_tables, worst_tables
from microleak.report.texts import Voice, voice
from microleak.report.years import Linked, Years, years

_FOLDER = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Section:
    """One subject of one analysis, ready for the template.

    `years` is there where the analysis links releases.
    """

    anchor: str
    kicker: str
    is_inference: bool
    finding: Finding
    figures: Mapping[str, Markup]
    worst: tuple[WorstTable, ...]
    bins: tuple[BinTable, ...]
    years: Years | None


@dataclass(frozen=True)
class Chapter:
    """One analysis, ready for the template."""

    analysis: str
    measured: tuple[str, ...]
    warning: str
    sections: tuple[Section, ...]


def report_page(
    study: Headline,
    tables: Tables,
    figures: Mapping[str, str],
    audience: str,
    languages: Sequence[str],
) -> str:
    """Return the whole report as the text of one HTML page.

    Parameters
    ----------
    study
        Name of the study, and which tables hold lines instead of persons.
    tables
        Measures, worst subsets, distributions and ingest counts; for the audience
        `public` as `microleak.study.disclosure.publish` returns them.
    figures
        SVG texts by their path below the folder of figures, drawn from the same
        tables (`microleak.report.drawing.figure_path`).
    audience
        `internal` or `public`.
    languages
        Languages of the page, the first one shown first.

    Returns
    -------
    str
        HTML with its style and figures in it, and links to the CSV of
        `Tables.files` beside it.

    Raises
    ------
    StudyError
        If a table or figure is for another audience than the page, a figure is
        missing, or there are no texts in one of the languages.
    """
    check_audience(tables, figures, audience)
    voices = [voice(language, audience == "public") for language in languages]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER, encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["urlpath"] = quote
    return environment.get_template("page.html.j2").render(
        study=study,
        audience=audience,
        is_synthetic=is_synthetic(tables.ingest),
        is_joined=any(is_joined(rows) for rows in tables.collective.values()),
        style=Markup((_FOLDER / "page.css").read_text(encoding="utf-8")),
        editions=[
            {
                "voice": voice,
                "chapters": list(_chapters(study, tables, figures, voice)),
                "comparisons": list(
                    comparisons(study, tables.compared(), figures, voice)
                ),
                "releases": list(_releases(tables.ingest, voice)),
            }
            for voice in voices
        ],
    )


def _chapters(
    study: Headline, tables_: Tables, figures: Mapping[str, str], voice: Voice
) -> Iterator[Chapter]:
    for analysis, raw in tables_.collective.items():
        collective = tables.with_text(raw)
        table = collective["table"].iloc[0]
        scope = study.scope(analysis, table)
        is_line = scope.unit == "record"
        yield Chapter(
            analysis=analysis,
            measured=tuple(_measured(study, analysis, collective, voice)),
            warning=voice.say("page.line_warning", table=table) if is_line else "",
            sections=tuple(_sections(analysis, tables_, figures, voice, scope)),
        )


def _measured(
    study: Headline, analysis: str, collective: pd.DataFrame, voice: Voice
) -> Iterator[str]:
    row = collective.iloc[0]
    yield voice.say(
        "page.measured_table",
        analysis=analysis,
        table=row["table"],
        panel=list(tables.by_panel(collective))[-1],
        n_records=voice.numbers.count(row["n_records"]),
        n_subsets=voice.numbers.count(collective["qids"].nunique()),
        attributes=voice.attributes(int(collective["n_qids"].max())),
    )
    roles = {
        "known": tables.all_qids(collective),
        "inferred": [name for name in collective["sensitive"].unique() if name],
    }
    for role, names in roles.items():
        if names:
            listing = voice.listing(map(voice.explained, names))
            yield voice.say(f"page.measured_{role}", names=listing)
    for release, known in study.fewer.get(analysis, {}).items():
        listing = voice.listing(map(voice.explained, known))
        yield voice.say("page.measured_fewer", release=release, names=listing)


def _sections(
    analysis: str,
    tables_: Tables,
    figures: Mapping[str, str],
    voice: Voice,
    scope: Scope,
) -> Iterator[Section]:
    families = (tables_.worst, tables_.distribution, tables_.collective)
    worst, bins, collective = (_by_subject(f, analysis) for f in families)
    gain = _by_subject(tables_.gain, analysis) if analysis in tables_.gain else {}
    for number, (sensitive, rows) in enumerate(worst.items()):
        yield Section(
            anchor=f"{voice.language}-{quote(analysis)}-{number}",
            kicker=voice.subject(sensitive),
            is_inference=bool(sensitive),
            finding=finding(rows, voice, scope),
            figures={
                kind: figure_of(
                    figures, figure_path(analysis, kind, sensitive, voice.language)
                )
                for kind in kinds(tables_.collective[analysis])
            },
            worst=worst_tables(rows, voice),
            bins=bin_tables(bins[sensitive], rows, voice),
            years=years(
                Linked(
                    collective[sensitive],
                    rows,
                    gain[sensitive],
                    tables_.linked[analysis],
                ),
                voice,
                scope,
            )
            if gain
            else None,
        )


def _by_subject(
    family: Mapping[str, pd.DataFrame], analysis: str
) -> dict[str, pd.DataFrame]:
    return tables.by_subject(tables.with_text(family[analysis]))


def _releases(ingest: pd.DataFrame, voice: Voice) -> Iterator[dict[str, str]]:
    counts = ["n_read", "n_refused", "n_kept", "n_dropped", "n_records"]
    for _, row in tables.with_text(ingest).iterrows():
        synthetic = str(row["synthetic"]).lower() == "true"
        yield {
            "table": row["table"],
            "release": row["release"],
            "synthetic": voice.say("page.yes" if synthetic else "page.no"),
            "sha256": row["sha256"],
        } | {name: voice.numbers.count(row[name]) for name in counts}
