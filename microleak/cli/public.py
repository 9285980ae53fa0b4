"""Public reports proved as `microleak verify --public` asks for it."""

import argparse
import csv
import json
from pathlib import Path

from microleak.base.errors import StudyError, TableError, counted
from microleak.base.files import write_text
from microleak.study.proof import (
    Beside,
    Sizes,
    certificate,
    check_proved,
    proof_of,
    told,
)

COLUMNS = ("table", "release", "by", "value", "n_members")


def public(options: argparse.Namespace, words: list[str]) -> int:
    """Prove a public report, or print each table and cell that tells; return 0.

    Raises
    ------
    MicroleakError
        If something tells, it is no public report, or options do not fit.
    """
    if words:
        raise StudyError(f"microleak verify --public takes no words: {words}.")
    others = {"--inputs": options.inputs, "--rerun": options.rerun}
    if given := [option for option, value in others.items() if value]:
        raise StudyError(f"{given[0]} does not go with --public. Use one of them.")
    is_apart = bool(options.more or options.part)
    if is_apart and not options.beside:
        raise StudyError("--more and --part tell of another report. Name it: --beside.")
    if options.more and options.part:
        raise StudyError("--more and --part exclude one another. Use one of them.")
    sizes = read_sizes(options.sizes) if options.sizes else {}
    beside = options.beside and Beside(options.beside, options.more, options.part)
    outcome = proof_of(options.folder, sizes, beside)
    for said in told(outcome):
        print(said)
    check_proved(options.folder, outcome)
    n_numbers = len({each.claim.about for each in outcome.proof.proved})
    print(
        f"{options.folder}: {counted(n_numbers, 'number')} may each be any that the "
        "rules promise."
    )
    if options.certificate:
        text = json.dumps(certificate(outcome), ensure_ascii=False)
        write_text(options.certificate, f"{text}\n")
    return 0


def read_sizes(path: Path) -> Sizes:
    """Return the members of groups that a CSV lists.

    Raises
    ------
    TableError
        If it cannot be read, or a line is not as it should be, by its number.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(
            f"{path} cannot be read as text in UTF-8. Correct --sizes."
        ) from error
    lines = [*csv.reader(text.splitlines())]
    if not lines or tuple(lines[0]) != COLUMNS:
        raise TableError(f"{path}: line 1 must be {','.join(COLUMNS)}. Correct it.")
    found: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(COLUMNS) or not line[-1].isdecimal():
            raise TableError(
                f"{path}: line {number} must have {len(COLUMNS)} cells, the last one a "
                "whole number. Correct it."
            )
        table, release, by, value, n_members = line
        groups = found.setdefault((table, release), {}).setdefault(by, {})
        if value in groups:
            raise TableError(f"{path}: line {number} is of a group that stands above.")
        groups[value] = int(n_members)
    return found
