"""The report as a folder: HTML pages that need no network, and their tables."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.base.forks import side_by_side
from microleak.base.xml_text import xml_text
from microleak.figures.numbers import SYNTHETIC_MARK
from microleak.report.contents import (
    Headline,
    Origin,
    Tables,
    is_synthetic,
    synthetic_banner,
)
from microleak.report.editions import Edition, edition
from microleak.report.families import Families
from microleak.report.parts import Chapter, Filled
from microleak.report.texts import Voice

INDEX = "index.html"

TEMPLATES = Path(__file__).with_name("templates")
STYLE = TEMPLATES / "page.css"


@dataclass(frozen=True)
class Page:
    """One page in every language, ready for the template."""

    name: str  # Of its file
    editions: Sequence[Edition]  # The language that is shown first comes first
    banner: str  # The text that marks it as synthetic
    is_part: bool  # Whether it is of one release of an analysis of many
    data: Mapping[str, Markup]


def each_page(
    study: Headline,
    tables: Tables,
    figures: Mapping[str, str],
    languages: Sequence[str],
    families: Families,
) -> Iterator[tuple[str, str]]:
    """Yield the pages of a report, each as the name of its file and its HTML."""
    # Of hundreds of releases, whose pages come first, only one is held at a time.
    voices = [study.voice(language) for language in languages]
    write = _writer(study, families)
    known = frozenset[str]().union(*(each.topics for each in families.values()))
    alike: list[list[Chapter]] = []

    def told_in(voice: Voice) -> Iterator[Chapter]:
        for name, family in families.items():
            found = family.chapters(study, tables.of_family(name), figures, voice)
            yield from _named(found, study, name, voice)

    for told in side_by_side(told_in, voices):
        if told[0].page:
            own = [[chapter] for chapter in told]
            yield write(
                _page(study, tables.origin(*told[0].release), own, voices, known)
            )
        else:
            alike.append(list(told))
    every = [list(of_voice) for of_voice in zip(*alike, strict=True)] or [
        [] for _ in voices
    ]
    yield write(_page(study, tables.every_origin, every, voices, known))


def _named(
    chapters: Iterable[Chapter], study: Headline, family: str, voice: Voice
) -> Iterator[Chapter]:
    """Yield chapters of a family whose parts name the protected release they are of."""
    releases = study.protected.get(family, {})
    said = {
        name: voice.say("page.protected", release=release, origin=origin)
        for name, (release, origin) in releases.items()
    }
    for chapter in chapters:
        parts = (replace(p, release=said.get(p.analysis, "")) for p in chapter.parts)
        yield replace(chapter, parts=tuple(parts))


def _writer(study: Headline, families: Families) -> Callable[[Page], tuple[str, str]]:
    """Return what fills the template, as a page's name and its HTML."""
    page_template = template(TEMPLATES, "page.html.j2")
    own = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    script = "\n".join([own, *(family.script for family in families.values())])
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    given = {
        "study": study,
        "style": Markup(STYLE.read_text(encoding="utf-8")),
        "script": Markup(script),
        "script_hash": f"sha256-{digest}",
    }
    return lambda page: (page.name, xml_text(page_template.render(given, page=page)))


def _page(
    study: Headline,
    origin: Origin,
    chapters: Sequence[Sequence[Chapter]],
    voices: Sequence[Voice],
    known: frozenset[str],
) -> Page:
    """Return a page, whose chapters are given language by language."""
    first = chapters[0]
    others = known.difference(*(chapter.topics for chapter in first))
    name = "".join(chapter.page for chapter in first)
    return Page(
        name=f"{name}.html" if name else INDEX,
        editions=[
            edition(study, origin, several, others, voice)
            for several, voice in zip(chapters, voices, strict=True)
        ],
        banner=synthetic_banner(origin.ingest),
        is_part=bool(name),
        data={
            place: text
            for chapter in first
            for part in chapter.parts
            for element in part.body
            if isinstance(element, Filled)
            for place, text in element.data.items()
        },
    )


def template(folder: Path, name: str) -> Any:
    """Return a template, which may import others of its folder."""
    return _templates(folder).get_template(name)


@cache
def _templates(folder: Path) -> Any:
    """Return the templates of a folder, each of which is compiled once."""
    import jinja2  # noqa: PLC0415

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder, encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["urlpath"] = quote
    return environment


def json_in_page(value: Any) -> Markup:
    """Return a value as JSON that HTML may hold within a `<script>`."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    escapes = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
    return Markup(text.translate(escapes))


class Figures(Mapping[str, str]):
    """SVG texts by their paths; files, which are many, are read when asked for."""

    def __init__(self, figures: Mapping[str, Path | str]) -> None:
        """Take texts, or the files that have them."""
        self._figures = figures

    def __getitem__(self, path: str) -> str:
        found = self._figures[path]
        return found if isinstance(found, str) else found.read_text(encoding="utf-8")

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __or__(self, drawn: Iterable[tuple[str, str]]) -> "Figures":
        return Figures({**self._figures, **dict(drawn)})


def read_figures(folders: Iterable[Path]) -> Figures:
    """Return every SVG of some folders, by its path below that which has them."""
    files = {
        f"{folder.name}/{path.name}": path
        for folder in folders
        for path in sorted(folder.glob("*.svg"))
    }
    return Figures(files)


def write_report(
    folder: str | Path,
    study: Headline,
    tables: Tables,
    figures: Mapping[str, str],
    languages: Sequence[str],
    families: Families,
) -> None:
    """Write the pages, in `data/` the tables they link to, and their own figures.

    An error leaves the folder with a part of the files: give one that only then takes
    its place (`microleak.base.files.whole_folder`).
    """
    folder = Path(folder)
    for name, page in each_page(study, tables, figures, languages, families):
        _write(folder / name, page)
    for path in figures:
        if "/" not in path:  # which compare releases or states
            _write(folder / "figures" / path, figures[path])
    is_made_up = is_synthetic(tables.study["ingest"])
    write_data(folder, study.name, "internal", tables.files(), is_made_up)


def write_data(
    folder: Path,
    study: str,
    audience: str,
    files: Mapping[str, pd.DataFrame],
    is_made_up: bool,
) -> None:
    """Write the tables beside a page, and whom they are for to `data/metadata.json`."""
    for name, table in files.items():
        _write(folder / name, table.to_csv(index=False, lineterminator="\n"))
    text = metadata_text(study, audience, files, is_made_up)
    _write(folder / "data/metadata.json", text)


def metadata_text(
    study: str, audience: str, files: Iterable[str], is_made_up: bool
) -> str:
    """Return `data/metadata.json` of a report with tables of these names."""
    metadata = {
        "study": study,
        "audience": audience,
        "synthetic": is_made_up,
        "notice": SYNTHETIC_MARK if is_made_up else "",
        "tables": sorted(files),
    }
    return json.dumps(metadata, ensure_ascii=False, indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
