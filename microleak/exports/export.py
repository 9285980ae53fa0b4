"""Tables of a finished study's report, written in the formats of other programs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from gettext import gettext as _
from pathlib import Path
from typing import Any

from microleak.base.errors import StudyError, check_known
from microleak.base.files import whole_folder, write_text
from microleak.exports import text
from microleak.exports.tables import (
    PublishedStudy,
    ReportTable,
    package,
    published_study,
    resource,
)

PackageResources = list[dict[str, Any]]
Write = Callable[[Path, PublishedStudy, ReportTable], None]

DESCRIPTION = "datapackage.json"
"""What describes the files of a format, beside them."""


def export(
    study_dir: Path, to: Path, formats: Sequence[str], locale: str | None = None
) -> list[Path]:
    """Write what a study's report shows to a folder a format; return these folders."""
    formats = [*dict.fromkeys(formats)]
    for kind in formats:
        may = _(" It may be: {names}.").format(names=", ".join(FORMATS))
        check_known(kind, FORMATS, _("--format: there is no format"), may)
    study = published_study(study_dir)
    if locale is not None:
        may = _(" It may be: {names}.").format(names=", ".join(text.TAGS))
        check_known(locale, text.TAGS, _("--locale: there is no locale"), may)
        study = replace(study, language=text.TAGS[locale])
    for kind in formats:
        _check_place(to / kind, study_dir)
    for kind in formats:
        with whole_folder(to / kind) as aside:
            content = package(study, kind, FORMATS[kind](aside, study))
            said = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
            write_text(aside / DESCRIPTION, said)
    return [to / kind for kind in formats]


def _check_place(folder: Path, study_dir: Path) -> None:
    """Refuse a folder whose files are somebody's, or a study's results."""
    if folder.resolve().is_relative_to(study_dir.resolve()):
        raise StudyError(
            f"{folder} is part of {study_dir}, of which the manifest lists every file. "
            "Give another folder as --to."
        )
    try:
        told = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        is_export = told["microleak"]["format"] == folder.name
    except (OSError, ValueError, KeyError, TypeError):
        is_export = False
    if folder.exists() and not is_export:
        raise StudyError(
            f"{folder} is there and is no earlier export. Remove it, or give another "
            "folder as --to."
        )


def _each(
    ending: str, write: Write, told: dict[str, Any], folder: Path, study: PublishedStudy
) -> PackageResources:
    """Write each table to a file; `told` is added to its description."""
    resources = []
    for table in study.read():
        file = f"{table.name}{ending}"
        write(folder / file, study, table)
        resources.append(resource(file, table) | told)
    return resources


def _spreadsheets(folder: Path, study: PublishedStudy) -> PackageResources:
    made = _each(".csv", text.write_csv, {}, folder, study)
    return [text.csv_dialect(each, study) for each in made]


def _printed(folder: Path, study: PublishedStudy) -> PackageResources:
    study = replace(study, tables=tuple(filter(text.is_printed, study.tables)))
    return _each(".tex", text.write_latex, {}, folder, study)


FORMATS: dict[str, Callable[[Path, PublishedStudy], PackageResources]] = {
    "csv": _spreadsheets,
    "json": partial(_each, ".json", text.write_json, text.DIALECT),
    "latex": _printed,
    "parquet": partial(_each, ".parquet", text.write_parquet, {}),
    "xlsx": text.write_workbook,
}
"""What writes a study's tables to a folder and describes them, by format."""
