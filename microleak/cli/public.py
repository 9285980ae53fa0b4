"""Public reports proved as `microleak verify --public` asks for it."""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path
from typing import Final

from microleak.base.errors import StudyError, VerificationError
from microleak.base.files import write_text
from microleak.base.language import grouped
from microleak.study.beside import Beside
from microleak.study.certificate import Outcome, certificate
from microleak.study.known_sizes import Sizes, check_sizes
from microleak.study.proof import check_proved, not_looked_at, proof_of, told
from microleak.study.public_report import PublicReport
from microleak.study_file.matrix import checked_lines

COLUMNS = ("table", "release", "by", "value", "n_members")
_MEMBERS: Final = re.compile("[0-9]{1,12}")


def public(options: argparse.Namespace, words: list[str]) -> int:
    """Prove a public report, or print each table and cell that tells; return 0."""
    if words:
        said = _("microleak verify --public takes no words: {words}.")
        raise StudyError(said.format(words=words))
    others = {"--inputs": options.inputs, "--rerun": options.rerun}
    if given := [option for option, value in others.items() if value]:
        said = _("{option} does not go with --public. Use one of them.")
        raise StudyError(said.format(option=given[0]))
    is_apart = bool(options.more or options.part)
    if is_apart and not options.beside:
        raise StudyError(
            _("--more and --part tell of another report. Name it: --beside.")
        )
    if options.more and options.part:
        raise StudyError(_("--more and --part exclude one another. Use one of them."))
    if options.certificate and options.certificate.is_dir():
        said = _("--certificate: {path} is a folder. Name a file.")
        raise StudyError(said.format(path=options.certificate))
    sizes = read_sizes(options.sizes) if options.sizes else {}
    besides = []
    if options.beside:
        how = {"n_more": options.more, "is_part": options.part}
        besides.append(Beside(options.beside, **how))
    check_sizes(PublicReport(options.folder), sizes)
    outcome = proof_of(options.folder, sizes, *besides)
    if outcome.is_contradictory:
        _check_without(options, sizes, besides)
    for each in told(outcome):
        print(each)
    if outcome.proof.n_left:
        print(f"{not_looked_at(outcome)}.")
    check_proved(options.folder, outcome)
    known = "sizes" if sizes else "beside" if besides else "page"
    print(f"{options.folder}: {_found(outcome, known)}")
    if options.certificate:
        text = json.dumps(certificate(outcome), ensure_ascii=False)
        write_text(options.certificate, f"{text}\n")
        said = _("{path}: the certificate was written.")
        print(said.format(path=options.certificate))
    return 0


def _found(outcome: Outcome, known: str) -> str:
    """Say what was proved, and against whom, by what is `known` besides the page."""
    if n := len(outcome.losses):
        said = ngettext(
            "its counts have noise; epsilon is {total} over {n} publication.",
            "its counts have noise; epsilon is {total} over {n} publications.",
            n,
        )
        return said.format(total=sum(outcome.losses.values()), n=n)
    if not (n := len({each.claim.about for each in outcome.proof.proved})):
        return _("it has no numbers that could tell of few persons.")
    said = ngettext(
        "proved: {n} number may be any that the rules promise",
        "proved: {n} numbers may each be any that the rules promise",
        n,
    ).format(n=grouped(n))
    if known == "beside":
        return _("{said}, to someone who has both pages.").format(said=said)
    if known == "sizes":
        return _("{said}, to someone who knows these sizes.").format(said=said)
    return _(
        "{said}, to someone who has this page alone. A run proves it against someone "
        "who also knows how many have each value; here that takes --sizes FILE."
    ).format(said=said)


def _check_without(
    options: argparse.Namespace, sizes: Sizes, besides: Sequence[Beside]
) -> None:
    """Refuse a report beside, or sizes, that alone contradict the other numbers."""
    if besides and not proof_of(options.folder, sizes).is_contradictory:
        said = _(
            "{folder} and {beside} are not of the same records: none have the numbers "
            "of both. If persons were only added, say how many: --more PERSONS. If "
            "values were corrected, nothing can be proved of both."
        )
        raise VerificationError(
            said.format(folder=options.folder, beside=options.beside)
        )
    if sizes and not proof_of(options.folder, {}, *besides).is_contradictory:
        said = _(
            "{path}: no records have these sizes and the numbers of the report. "
            "Correct them; if groups of a grouping are not listed, list all, as they "
            "are taken for one."
        )
        raise StudyError(said.format(path=options.sizes))


def read_sizes(path: Path) -> Sizes:
    """Return the members of groups that a CSV lists."""
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
        yield _("line 1 must be {columns}.").format(columns=",".join(COLUMNS))
    groups = set()
    for number, line in lines:
        if len(line) != len(COLUMNS) or not _MEMBERS.fullmatch(line[-1]):
            said = _(
                "line {number} must have {n} cells, the last one a whole number of at "
                "most 12 digits."
            )
            yield said.format(number=number, n=len(COLUMNS))
        if (group := tuple(line[:-1])) in groups:
            said = _("line {number} is of a group that stands above.")
            yield said.format(number=number)
        if line[3] and not line[2]:
            said = _("line {number} has a value and no grouping that it is of.")
            yield said.format(number=number)
        groups.add(group)
