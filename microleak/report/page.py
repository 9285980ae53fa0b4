"""The report as HTML pages that need no network."""

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from microleak.attacks.collective.report.chapters import Chapter, chapters
from microleak.attacks.collective.report.explorer import embedded
from microleak.report.contents import Headline, Tables, is_synthetic
from microleak.report.editions import Analysed, Edition, index_edition, part_edition
from microleak.report.families import Families
from microleak.report.texts import Voice, voice

INDEX = "index.html"

_FOLDER = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Page:
    """One page in every language, ready for the template.

    Attributes
    ----------
    name
        Of its file.
    editions
        The language that is shown first comes first.
    is_synthetic
        Whether any of the releases that it tells of is.
    is_part
        Whether it is of one release of an analysis of many.
    numbers
        Those of every subset of its analyses that can be explored, as JSON.
    """

    name: str
    editions: Sequence[Edition]
    is_synthetic: bool
    is_part: bool
    numbers: Markup


def report_pages(
    study: Headline,
    tables: Tables,
    figures: Mapping[str, str],
    languages: Sequence[str],
    families: Families,
) -> dict[str, str]:
    """Return the texts of all pages of a report, by the names of their files.

    For a report that fits in memory: as `each_page`, which has the parameters and
    errors.
    """
    return dict(each_page(study, tables, figures, languages, families))


def each_page(
    study: Headline,
    tables: Tables,
    figures: Mapping[str, str],
    languages: Sequence[str],
    families: Families,
) -> Iterator[tuple[str, str]]:
    """Yield the pages of a report, each as the name of its file and its HTML.

    Of hundreds of releases, whose pages come first, only one is held at a time.

    Parameters
    ----------
    study
        Name of the study, which tables hold lines instead of persons, and which
        analyses have pages of their own.
    tables
        All tables that are shown.
    figures
        SVG texts by their path below the folder of figures, drawn from the same
        tables (`figure_path`).
    languages
        Languages of the pages, the first one shown first.
    families
        Those whose parts the first page may have.

    Yields
    ------
    tuple of str
        `ANALYSIS.html` for each analysis that is a part of one of many releases,
        and last `index.html`. Each has its style, script and figures in it, and
        links to the CSV of `Tables.files` beside it. It can be read without the
        script, and its content security policy allows no other script and no
        request.

    Raises
    ------
    StudyError
        If a figure is missing, or there are no texts in one of the languages.
    """
    voices = [voice(language) for language in languages]
    write = _writer(study)
    analysed = [Analysed() for _ in voices]
    by_voice = (chapters(study, tables, figures, voice) for voice in voices)
    for told in zip(*by_voice, strict=True):
        if told[0].part_of:
            yield write(_part(study, tables, told, voices))
        for chapter, every in zip(told, analysed, strict=True):
            every.add(chapter)
    editions = [
        index_edition(study, tables, figures, every, families, voice)
        for every, voice in zip(analysed, voices, strict=True)
    ]
    yield write(_index(tables, editions))


def _writer(study: Headline) -> Callable[[Page], tuple[str, str]]:
    """Return what fills the template, as a page's name and its HTML."""
    template, script = _template(), _text("page.js")
    given = {
        "study": study,
        "style": Markup(_text("page.css")),
        "script": Markup(script),
        "script_hash": _hash(script),
    }
    return lambda page: (page.name, template.render(given, page=page))


def _index(tables: Tables, editions: Sequence[Edition]) -> Page:
    """Return the first page, which is in each language."""
    return Page(
        name=INDEX,
        editions=editions,
        is_synthetic=is_synthetic(tables.ingest),
        is_part=False,
        numbers=_numbers(tables, editions),
    )


def _part(
    study: Headline,
    tables: Tables,
    told: Sequence[Chapter],
    voices: Sequence[Voice],
) -> Page:
    """Return the page of one release, whose chapters are in each language."""
    editions = [
        part_edition(study, tables, chapter, voice)
        for chapter, voice in zip(told, voices, strict=True)
    ]
    first = told[0]
    return Page(
        name=f"{first.analysis}.html",
        editions=editions,
        is_synthetic=is_synthetic(tables.origin(first.table, first.focal).ingest),
        is_part=True,
        numbers=_numbers(tables, editions),
    )


def _numbers(tables: Tables, editions: Sequence[Edition]) -> Markup:
    """Write the numbers that the boxes of a page need, the same in each language."""
    return embedded({name: tables.collective[name] for name in editions[0].explorers})


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER, encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["urlpath"] = quote
    return environment.get_template("page.html.j2")


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return a script's hash as a content security policy writes it."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
