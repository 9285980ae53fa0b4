"""The report as one HTML page that needs no network."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import jinja2
import pandas as pd
from markupsafe import Markup

from microleak.errors import StudyError
from microleak.figures import tables
from microleak.report.drawing import KINDS, figure_path
from microleak.report.findings import Finding, finding
from microleak.report.rows import BinTable, WorstTable, bin_tables, worst_tables
from microleak.report.texts import Voice, voice

_FOLDER = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Headline:
    """What the page must know of a study beside its tables.

    Attributes
    ----------
    name
        The study's name.
    line_tables
        Tables without an identifier of persons: each of their lines counts by
        itself, and one person may have many.
    """

    name: str
    line_tables: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Tables:
    """The study's tables, by the name of the analysis, and the ingest counts.

    For a public report all of them are published ones.
    """

    collective: Mapping[str, pd.DataFrame]
    worst: Mapping[str, pd.DataFrame]
    distribution: Mapping[str, pd.DataFrame]
    ingest: pd.DataFrame

    def files(self) -> dict[str, pd.DataFrame]:
        """Every table under the name of its CSV beside the page."""
        families = {
            "collective": self.collective,
            "worst": self.worst,
            "distribution": self.distribution,
        }
        files = {
            f"data/{analysis}-{family}.csv": rows
            for family, analyses in families.items()
            for analysis, rows in analyses.items()
        }
        return files | {"data/ingest.csv": self.ingest}


@dataclass(frozen=True)
class Section:
    """One subject of one analysis, ready for the template."""

    anchor: str
    kicker: str
    is_inference: bool
    finding: Finding
    figures: Mapping[str, Markup]
    worst: tuple[WorstTable, ...]
    bins: tuple[BinTable, ...]


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
                "releases": list(_releases(tables.ingest, voice)),
            }
            for voice in voices
        ],
    )


def is_synthetic(ingest: pd.DataFrame) -> bool:
    """Say whether any release of a study was made up."""
    return bool((ingest["synthetic"].astype(str).str.lower() == "true").any())


def is_joined(collective: pd.DataFrame) -> bool:
    """Say whether an analysis joins further releases to the focal one."""
    return bool(tables.with_text(collective)["auxiliary"].any())


def check_audience(tables_: Tables, figures: Mapping[str, str], audience: str) -> None:
    """Refuse a page that would show one audience what was made for another.

    Raises
    ------
    StudyError
        Naming the first table or figure of another audience.
    """
    if audience not in {"internal", "public"}:
        raise StudyError(
            f"Audience {audience} is unknown. Expected internal or public. "
            "Correct report.audience in the study file."
        )
    found = {
        name: "public" if tables.is_published(rows) else "internal"
        for name, rows in tables_.files().items()
    } | {
        name: "public" if 'data-audience="public"' in svg else "internal"
        for name, svg in figures.items()
    }
    for name, made_for in found.items():
        if made_for != audience:
            raise StudyError(
                f"{name} was made for the audience {made_for}, and the report is "
                f"{audience}. Make tables and figures again with report.audience "
                f"{audience} in the study file."
            )


def _chapters(
    study: Headline, tables_: Tables, figures: Mapping[str, str], voice: Voice
) -> Iterator[Chapter]:
    for analysis, raw in tables_.collective.items():
        collective = tables.with_text(raw)
        table = collective["table"].iloc[0]
        unit = "record" if table in study.line_tables else "person"
        is_line = unit == "record"
        yield Chapter(
            analysis=analysis,
            measured=tuple(_measured(analysis, collective, voice)),
            warning=voice.say("page.line_warning", table=table) if is_line else "",
            sections=tuple(_sections(analysis, tables_, figures, voice, unit)),
        )


def _measured(analysis: str, collective: pd.DataFrame, voice: Voice) -> Iterator[str]:
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


def _sections(
    analysis: str,
    tables_: Tables,
    figures: Mapping[str, str],
    voice: Voice,
    unit: str,
) -> Iterator[Section]:
    worst = tables.by_subject(tables.with_text(tables_.worst[analysis]))
    bins = tables.by_subject(tables.with_text(tables_.distribution[analysis]))
    for number, (sensitive, rows) in enumerate(worst.items()):
        yield Section(
            anchor=f"{voice.language}-{quote(analysis)}-{number}",
            kicker=_kicker(sensitive, voice),
            is_inference=bool(sensitive),
            finding=finding(rows, voice, unit),
            figures={
                kind: _figure(
                    figures, figure_path(analysis, kind, sensitive, voice.language)
                )
                for kind in KINDS
            },
            worst=worst_tables(rows, voice),
            bins=bin_tables(bins[sensitive], rows, voice),
        )


def _kicker(sensitive: str, voice: Voice) -> str:
    if sensitive:
        return voice.say("page.inference", sensitive=voice.explained(sensitive))
    return voice.say("page.reidentification")


def _figure(figures: Mapping[str, str], path: str) -> Markup:
    if path not in figures:
        raise StudyError(
            f"The report lacks the figure {path}. "
            "Draw the figures again in the languages of report.languages."
        )
    return Markup(figures[path])


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
