"""A public report checked as `microleak verify --public` asks for it."""

import argparse
from fractions import Fraction
from gettext import gettext as _
from gettext import ngettext

from microleak.base.errors import StudyError
from microleak.definitions.laplace import written
from microleak.study.account import check_form
from microleak.study.public_report import PublicReport


def check_public_report(options: argparse.Namespace, words: list[str]) -> int:
    """Check a public report, and say what epsilon it has; return 0."""
    if words:
        said = _("microleak verify --public takes no words: {words}.")
        raise StudyError(said, words=words)
    others = {"--inputs": options.inputs, "--rerun": options.rerun}
    if given := [option for option, value in others.items() if value]:
        said = _("{option} does not go with --public. Use one of them.")
        raise StudyError(said, option=given[0])
    report = PublicReport(options.folder)
    check_form(report)
    n = len(report.losses)
    said = ngettext(
        "its counts have noise; epsilon is {total} over {n} publication.",
        "its counts have noise; epsilon is {total} over {n} publications.",
        n,
    ).format(total=written(sum(report.losses.values(), Fraction())), n=n)
    print(f"{report.folder}: {said}")
    if report.folder != options.folder:
        alone = _("Give away {report} alone: all other files in {folder} are exact.")
        print(alone.format(report=report.folder, folder=options.folder))
    return 0
