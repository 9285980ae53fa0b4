"""Results checked as `microleak verify` asks for it."""

import argparse
from gettext import gettext as _
from gettext import ngettext
from importlib import import_module
from pathlib import Path

from microleak.audit.manifest import read_manifest, verify
from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.base.language import number_text


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


def _study_file(folder: Path) -> Path | None:
    """Return the study file of that name, the one of the results if it is there."""
    config = read_manifest(folder)["config"]
    places = (Path(config["name"]), Path("config") / config["name"])
    found = [path for path in places if path.is_file()]
    same = (path for path in found if sha256_of(path) == config["sha256"])
    return next(same, found[0] if found else None)
