"""`microleak target`: what an adversary learns of one person, printed and not kept.

No message shows a value that is known of the person.
"""

import argparse
import sys
from pathlib import Path

from microleak.cli.files import add_reading, names, read_columns
from microleak.cli.finished import finished
from microleak.cli.known import Known, known_values
from microleak.errors import StudyError
from microleak.study.chunks import TableChunks
from microleak.study.model import Target
from microleak.study.target import (
    TargetTables,
    attack_chunks,
    attack_target,
)

KNOWN = (
    "what is known, as NU_ANO=2001,TP_SEXO=1: a value is all up to the next ,NAME= "
    "and an empty one a missing one; in a study RELEASE.NAME for another release; or "
    "@FILE, a file with one NAME=value a line"
)
STUDY_COLUMNS = ["target", "table", "focal", "auxiliary"]
"""Columns of the tables that only a study file fills."""


def add_target(sub: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    place = "CSV with a header, one record a person; or results/STUDY of a study"
    sub.add_argument("place", metavar="FILE", type=Path, help=place)
    sub.add_argument("--known", required=True, metavar="NAME=VALUE,…|@FILE", help=KNOWN)
    sub.add_argument("--sensitive", default=(), type=names, help="columns, by commas")
    further = "columns that might be learned next, by commas"
    sub.add_argument("--further", default=(), type=names, help=further)
    sub.add_argument("--table", help="table of the study")
    sub.add_argument("--focal", help="release of the study that is attacked")
    add_reading(sub)
    # argparse would show words that it does not know.
    sub.set_defaults(command=_target, hides_words=True)


def _target(options: argparse.Namespace, words: list[str]) -> int:
    _refuse_words(options, words)
    in_study = options.table or options.focal or (options.place / "people").is_dir()
    tables = (_of_study if in_study else _of_file)(options)
    printed = tables.target.drop(columns=STUDY_COLUMNS)
    printed.to_csv(sys.stdout, index=False, lineterminator="\n")
    print()
    further = tables.further.drop(columns="target")
    further.to_csv(sys.stdout, index=False, lineterminator="\n")
    return 0


def _refuse_words(options: argparse.Namespace, words: list[str]) -> None:
    """Refuse words too many, among them a file that is none, without showing them."""
    is_value = "=" in options.place.name and not options.place.exists()
    if n_words := len(words) + is_value:
        said = "1 word" if n_words == 1 else f"{n_words} words"
        raise StudyError(
            f"{said} too many. Give FILE first and all known values in one --known, "
            "in quotes, or --known @FILE."
        )


def _of_file(options: argparse.Namespace) -> TargetTables:
    known = known_values(options.known)
    target = _target_of(options, "", {"": known})
    wanted = {
        "--known": known,
        "--sensitive": target.sensitive,
        "--further": target.further,
    }
    table = read_columns(options.place, wanted, options)
    return attack_chunks(TableChunks(table), target)


def _of_study(options: argparse.Namespace) -> TargetTables:
    if not (options.table and options.focal):
        raise StudyError(f"For {options.place} give both --table and --focal.")
    study = finished(options.place, options.table, options.focal)
    known = study.by_release(known_values(options.known))
    target = _target_of(options, study.focal, known)
    study.check_has(study.focal, target.sensitive, "--sensitive")
    for release in target.releases:
        study.check_has(release, target.further, "--further, of every release")
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
