"""The impact report as HTML, as OpenDocument text and as Office Open XML.

Both packages are written without a clock and without compression, so the same document
has the same bytes on every machine.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from microleak.audit.sealed import read_manifest
from microleak.base.errors import StudyError
from microleak.base.files import whole_file
from microleak.base.xml_text import xml_text
from microleak.report.page import template
from microleak.report.texts import voice
from microleak.ripd.content import Document, impact_report
from microleak.ripd.measured import MeasuredStudy

FOLDER = "ripd"
"""Below a study's results; the manifest does not list it."""

TEMPLATES = Path(__file__).with_name("templates")

_ODT = {
    "META-INF/manifest.xml": "odt-manifest.xml.j2",
    "meta.xml": "odt-meta.xml.j2",
    "styles.xml": "odt-styles.xml.j2",
    "content.xml": "odt-content.xml.j2",
}
_DOCX = {
    "[Content_Types].xml": "docx-types.xml.j2",
    "_rels/.rels": "docx-relations.xml.j2",
    "docProps/core.xml": "docx-core.xml.j2",
    "word/_rels/document.xml.rels": "docx-document-relations.xml.j2",
    "word/styles.xml": "docx-styles.xml.j2",
    "word/document.xml": "docx-document.xml.j2",
}
_ODT_TYPE = "application/vnd.oasis.opendocument.text"
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
"""Whose modes the files of a package have, wherever it is written."""


def write_ripd(study_dir: Path, to: Path, language: str) -> list[Path]:
    files = {to / f"ripd-{language}.{kind}": write for kind, write in FORMATS.items()}
    _check_place(to, study_dir)
    for file in files:
        if file.exists():
            raise StudyError(
                f"{file} is here already, and may have been filled in. Move it away, "
                "or give another folder with -o."
            )
    study = MeasuredStudy(study_dir, read_manifest(study_dir))
    report = impact_report(study, voice(language, study.sources, study.labels))
    for file, write in files.items():
        with whole_file(file) as aside:
            aside.touch(0o600)
            write(aside, report)
    return [*files]


def _check_place(to: Path, study_dir: Path) -> None:
    """Refuse a folder whose files the study's manifest lists."""
    root = study_dir.resolve()
    if to.resolve().is_relative_to(root) and to.resolve() != root / FOLDER:
        raise StudyError(
            f"{to} is part of {study_dir}, of which the manifest lists every file but "
            f"those of {FOLDER}/. Give another folder with -o."
        )


def _rendered_template(name: str, report: Document) -> str:
    """Return a template with the document in it, without what XML cannot hold."""
    return xml_text(template(TEMPLATES, name).render(document=report))


def _write_html(path: Path, report: Document) -> None:
    path.write_text(
        _rendered_template("page.html.j2", report), encoding="utf-8", newline="\n"
    )


def _write_package(
    first: Mapping[str, str], templates: Mapping[str, str], path: Path, report: Document
) -> None:
    parts = {path: _rendered_template(name, report) for path, name in templates.items()}
    with ZipFile(path, "w", ZIP_STORED) as package:
        for name, text in {**first, **parts}.items():
            info = ZipInfo(name, _FIRST_DATE)
            info.create_system, info.external_attr = _UNIX, 0o600 << 16
            package.writestr(info, text.encode())


FORMATS: dict[str, Callable[[Path, Document], None]] = {
    # The type comes first and as it is, so that it stands at a fixed place.
    "odt": partial(_write_package, {"mimetype": _ODT_TYPE}, _ODT),
    "docx": partial(_write_package, {}, _DOCX),
    "html": _write_html,
}
"""What writes a document to a file, by its ending."""
