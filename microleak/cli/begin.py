"""The commands `demo` and `init`: a first study, of synthetic students or of a CSV."""

import argparse
import re
import shutil
import sys
from gettext import gettext as _
from importlib import import_module
from pathlib import Path

from microleak.base.errors import StudyError
from microleak.base.paths import DEFAULT_STUDY
from microleak.base.progress import told_by
from microleak.cli.commands import add_written


def write_demonstration() -> Path:
    """Write the study file of the demonstration to this folder, unless it is here."""
    study = Path(DEFAULT_STUDY.name)
    if not study.exists():
        shutil.copyfile(DEFAULT_STUDY, study)
    elif study.read_bytes() != DEFAULT_STUDY.read_bytes():
        raise StudyError(
            _(
                "{study} is here already and is not the demonstration's. Work in "
                "another folder, or run it with microleak run {study}."
            ).format(study=study)
        )
    return study


def add_init(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("file", type=Path, help="CSV with a header, or a zip of one")
    to = "study file to write (default: the name of FILE with .yaml, here)"
    sub.add_argument("--to", type=Path, metavar="STUDY", help=to)
    add_written(sub)
    sub.set_defaults(command=_begin_study, wordless=sub.prog)


def _begin_study(options: argparse.Namespace, _words: list[str]) -> int:
    given = (options.to or options.file).name.partition(".")[0]
    name = re.sub(r"[^A-Za-z0-9]+", "-", given).strip("-") or _("study")
    to = options.to or Path(f"{name}.yaml")
    if to.exists():
        raise StudyError(
            _("{file} is here already. Name another file with {option}.").format(
                file=to, option="--to"
            )
        )
    first_study = import_module("microleak.cli.first_study")
    with told_by(lambda said: print(f"microleak: {said}", file=sys.stderr)):
        text = first_study.study_text(options.file, name, to, options)
    import_module("microleak.base.files").write_text(to, text)
    try:
        import_module("microleak.study.load").load_study(to)
    except BaseException:
        to.unlink()
        raise
    written = _("{file} is written. Look through it, and then:").format(file=to)
    print(f"microleak: {written}\nmicroleak run {to}", file=sys.stderr)
    return 0
