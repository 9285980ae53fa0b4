"""One person attacked, as `microleak target` asks for it.

No message shows a value that is known of the person.
"""

import argparse
import sys
from collections.abc import Mapping
from gettext import gettext as _
from typing import Any

from microleak.attacks.targets.measure import attack_chunks, attack_target
from microleak.attacks.targets.section import Target
from microleak.base.errors import StudyError
from microleak.cli import files
from microleak.cli.shown import print_attacked
from microleak.records.chunks import TableChunks

STUDY_COLUMNS = ["target", "table", "focal", "auxiliary", "roughly"]
"""Columns of the tables that only a study file fills."""


def print_attack(options: argparse.Namespace, words: list[str]) -> int:
    _refuse_words(options, words)
    in_study = options.table or options.focal or (options.place / "people").is_dir()
    tables = (_of_study if in_study else _of_file)(options)
    if not tables["target"]["block_size"].all():
        nobody = _(
            "no record has all that is known. Look for a value that is misspelt, and "
            "for a NAME without =: up to the next ,NAME= all is one value."
        )
        print(f"microleak: {nobody}", file=sys.stderr)
    print_attacked(
        tables["target"].drop(columns=STUDY_COLUMNS),
        tables["further"].drop(columns="target"),
        options.format,
    )
    return 0


def _refuse_words(options: argparse.Namespace, words: list[str]) -> None:
    """Refuse words too many, among them a file that is none, without showing them."""
    is_value = "=" in options.place.name and not options.place.exists()
    if n_words := len(words) + is_value:
        said = "1 word" if n_words == 1 else f"{n_words} words"
        raise StudyError(
            f"{said} too many. Give FILE first and known values after --known, in "
            "quotes, or --known @FILE."
        )


def _of_file(options: argparse.Namespace) -> Mapping[str, Any]:
    known = files.known_values(*options.known)
    columns = files.columns_of(options.place, options)
    files.refuse_bare_names(options.known, columns)
    options = files.with_columns(options, columns)
    target = _target_of(options, "", {"": known})
    wanted = {
        "--known": known,
        "--sensitive": target.sensitive,
        "--further": target.further,
    }
    table = files.read_columns(options.place, wanted, options)
    return attack_chunks(TableChunks(table), target)


def _of_study(options: argparse.Namespace) -> Mapping[str, Any]:
    if not (options.table and options.focal):
        said = _("For {place} give both --table and --focal.")
        raise StudyError(said, place=options.place)
    study = files.finished_study(options.place, options.table, options.focal)
    known = study.by_release(files.known_values(*options.known))
    files.refuse_bare_names(options.known, study.places())
    target = _target_of(options, study.focal, known)
    study.check_has(study.focal, target.sensitive, "--sensitive")
    for release in target.releases:
        study.check_has(release, target.further, "--further, of every release")
    return attack_target([study.files[r] for r in target.releases], target)


def _target_of(
    options: argparse.Namespace, focal: str, known: dict[str, files.KnownValues]
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
