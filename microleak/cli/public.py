"""Public reports proved as `microleak verify --public` asks for it."""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from microleak.base.errors import StudyError, counted
from microleak.base.files import write_text
from microleak.study.beside import Beside
from microleak.study.known_sizes import Sizes, check_sizes
from microleak.study.proof import (
    certificate,
    check_proved,
    proof_of,
    told,
)
from microleak.study.public_report import PublicReport
from microleak.study_file.matrix import checked_lines

COLUMNS = ("table", "release", "by", "value", "n_members")
_MEMBERS: Final = re.compile("[0-9]{1,12}")


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
    if options.certificate and options.certificate.is_dir():
        raise StudyError(
            f"--certificate: {options.certificate} is a folder. Name a file."
        )
    sizes = read_sizes(options.sizes) if options.sizes else {}
    besides = []
    if options.beside:
        how = {"n_more": options.more, "is_part": options.part}
        besides.append(Beside(options.beside, **how))
    check_sizes(PublicReport(options.folder), sizes)
    outcome = proof_of(options.folder, sizes, *besides)
    if sizes and outcome.is_contradictory:
        _check_without(options, besides)
    for said in told(outcome):
        print(said)
    if n_left := outcome.proof.n_left:
        print(f"{counted(n_left, 'claim')} of the proof were not looked at.")
    check_proved(options.folder, outcome)
    n_numbers = len({each.claim.about for each in outcome.proof.proved})
    said = f"{counted(n_numbers, 'number')} may each be any that the rules promise."
    if outcome.losses:
        n_publications = counted(len(outcome.losses), "publication")
        total = sum(outcome.losses.values())
        said = f"its counts have noise; epsilon is {total} over {n_publications}."
    print(f"{options.folder}: {said}")
    if options.certificate:
        text = json.dumps(certificate(outcome), ensure_ascii=False)
        write_text(options.certificate, f"{text}\n")
    return 0


def _check_without(options: argparse.Namespace, besides: Sequence[Beside]) -> None:
    """Refuse sizes which numbers contradict that do not contradict one another."""
    if not proof_of(options.folder, {}, *besides).is_contradictory:
        raise StudyError(
            f"{options.sizes}: no records have these sizes and the numbers of the "
            "report. Correct them; if groups of a grouping are not listed, list all, "
            "as they are taken for one."
        )


def read_sizes(path: Path) -> Sizes:
    """Return the members of groups that a CSV lists.

    Raises
    ------
    StudyError
        If it cannot be read, or a line is not as it should be, by its number.
    """
    _, lines = checked_lines(path, "--sizes", _faults)
    found: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for _, (table, release, by, value, n_members) in lines:
        groups = found.setdefault((table, release), {}).setdefault(by, {})
        groups[value] = int(n_members)
    return found


def _faults(
    header: Sequence[str], lines: Sequence[tuple[int, list[str]]]
) -> Iterator[str]:
    if tuple(header) != COLUMNS:
        yield f"line 1 must be {','.join(COLUMNS)}."
    groups = set()
    for number, line in lines:
        if len(line) != len(COLUMNS) or not _MEMBERS.fullmatch(line[-1]):
            yield (
                f"line {number} must have {len(COLUMNS)} cells, the last one a whole "
                "number of at most 12 digits."
            )
        if (group := tuple(line[:-1])) in groups:
            yield f"line {number} is of a group that stands above."
        if line[3] and not line[2]:
            yield f"line {number} has a value and no grouping that it is of."
        groups.add(group)
