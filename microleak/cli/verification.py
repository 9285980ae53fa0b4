"""Results checked as `microleak verify` asks for it."""

import argparse
from fractions import Fraction
from gettext import gettext as _
from gettext import ngettext
from importlib import import_module
from pathlib import Path

from microleak.audit.manifest import verify
from microleak.audit.sealed import read_manifest
from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.base.language import number_text
from microleak.definitions.laplace import written
from microleak.study.account import check_form
from microleak.study.public_report import PublicReport


def verify_results(options: argparse.Namespace, words: list[str]) -> int:
    """Check results, and make parts of them again; return 0."""
    n = verify(options.folder)
    said = ngettext(
        "{n} file of {folder}: as manifest and records list it.",
        "{n} files of {folder}: as manifest and records list them.",
        n,
    )
    print(said.format(n=number_text(n), folder=options.folder))
    is_needed = options.inputs or options.rerun or options.config
    options.config = options.config or _study_file(options.folder)
    if options.config is None:
        name = read_manifest(options.folder)["config"]["name"]
        if is_needed:
            said = _(
                "{folder}: the study file {name} is not here. Give it by --config."
            )
            raise StudyError(said, folder=options.folder, name=name)
        said = _(
            "Settings and code were not compared: the study file {name} is not here "
            "(--config FILE)."
        )
        print(said.format(name=name))
        return 0
    # Loaded when asked for, so that the check alone does not wait for it.
    rerun = import_module("microleak.cli.rerun")
    rerun.check_study(options)
    if options.rerun:
        rerun.rerun_parts(options, words)
    return 0


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


def _study_file(folder: Path) -> Path | None:
    """Return the study file of that name, the one of the results if it is there."""
    config = read_manifest(folder)["config"]
    places = (Path(config["name"]), Path("config") / config["name"])
    found = [path for path in places if path.is_file()]
    same = (path for path in found if sha256_of(path) == config["sha256"])
    return next(same, found[0] if found else None)
