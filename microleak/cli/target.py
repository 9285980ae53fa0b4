"""`microleak target`: what an adversary learns of one person, printed and not kept.

No message shows a value that is known of the person.
"""

import argparse
import re
import sys
from pathlib import Path

from microleak.cli.files import add_reading, names, read_columns
from microleak.cli.finished import Known, finished
from microleak.errors import StudyError
from microleak.study.chunks import TableChunks
from microleak.study.model import Target
from microleak.study.target import (
    TargetTables,
    attack_chunks,
    attack_target,
    columns_of,
)

KNOWN = (
    "what is known, as NU_ANO=2001,TP_SEXO=1: a value is all up to the next ,NAME= "
    "and an empty one a missing one; in a study RELEASE.NAME for another release"
)
STUDY_COLUMNS = ["target", "table", "focal", "auxiliary"]
"""Columns of the tables that only a study file fills."""


def add_target(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    place = "CSV with a header, one record a person; or results/STUDY of a study"
    sub.add_argument("place", metavar="FILE", type=Path, help=place)
    sub.add_argument("--known", required=True, metavar="NAME=VALUE,…", help=KNOWN)
    sub.add_argument("--sensitive", default=(), type=names, help="columns, by commas")
    further = "columns that might be learned next, by commas"
    sub.add_argument("--further", default=(), type=names, help=further)
    sub.add_argument("--table", help="table of the study")
    sub.add_argument("--focal", help="release of the study that is attacked")
    add_reading(sub)
    sub.set_defaults(command=_target)


def _target(options: argparse.Namespace, words: list[str]) -> int:
    in_study = options.table or options.focal or (options.place / "people").is_dir()
    tables = (_of_study if in_study else _of_file)(options)
    printed = tables.target.drop(columns=STUDY_COLUMNS)
    printed.to_csv(sys.stdout, index=False, lineterminator="\n")
    print()
    further = tables.further.drop(columns="target")
    further.to_csv(sys.stdout, index=False, lineterminator="\n")
    return 0


def known_values(text: str) -> Known:
    """Return what is known by name; an empty value is a missing one.

    A value is everything after the first `=` up to the next `,NAME=`.

    >>> known_values("town=Rio, RJ,street=,age=07")
    {'town': 'Rio, RJ', 'street': None, 'age': '07'}

    Raises
    ------
    StudyError
        If there is no name, or one comes twice; no value is shown.
    """
    known: Known = {}
    for part in re.split(",(?=[^,=]+=)", text):
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise StudyError("--known is not of the form NAME=VALUE,NAME=VALUE.")
        if name in known:
            raise StudyError(f"--known gives {name} twice. Remove one.")
        known[name] = value or None
    return known


def _of_file(options: argparse.Namespace) -> TargetTables:
    target = _target_of(options, "", {"": known_values(options.known)})
    table = read_columns(options.place, columns_of(target), options)
    return attack_chunks(TableChunks(table), target)


def _of_study(options: argparse.Namespace) -> TargetTables:
    if not (options.table and options.focal):
        raise StudyError(f"For {options.place} give both --table and --focal.")
    study = finished(options.place, options.table, options.focal)
    known = study.by_release(known_values(options.known))
    target = _target_of(options, study.focal, known)
    study.check_has(study.focal, target.sensitive, "--sensitive")
    for release in target.releases:
        study.check_has(release, target.further, "--further")
    return attack_target([study.files[r] for r in target.releases], target)


def _target_of(
    options: argparse.Namespace, focal: str, known: dict[str, Known]
) -> Target:
    """Return the target; refuse a sensitive attribute that is known or may be."""
    sensitive, further = map(dict.fromkeys, (options.sensitive, options.further))
    for attribute in sensitive:
        if attribute in further or any(attribute in part for part in known.values()):
            raise StudyError(
                f"{attribute} is sensitive and also in --known or --further. Remove "
                "it from one."
            )
    return Target("", "", focal, known, tuple(sensitive), tuple(further))
