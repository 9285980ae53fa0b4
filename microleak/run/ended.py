"""What a run says last of all: where the report is, or what went wrong."""

import os
from collections.abc import Mapping
from gettext import gettext as _
from pathlib import Path

from microleak.run.display import Display
from microleak.study.public_report import public_tables

_SMALL_FILE = 1 << 16  # Bytes that Snakemake and jobs write in a moment


def warn_of_replaced(
    folder: Path, earlier: Mapping[str, str], shown: Display, status: int = 0
) -> None:
    """Say whether the public report that was there before a run is still the same.

    `earlier` are its tables (`public_tables`), which may have been published.
    """
    if not earlier:
        return
    if public_tables(folder) == earlier:
        if status == 0 and shown.progress.n_steps:
            shown.say(_("the public report has the same numbers as before this run"))
        return
    said = _(
        "warning: the public report that {folder} had before this run is replaced or "
        "removed. If it was published, its epsilon adds to that of any further one "
        "(docs/public.md)."
    )
    shown.say(said.format(folder=folder))


def say_how_it_ended(folder: Path, status: int, config: Path, shown: Display) -> None:
    """Say, last of all, what went wrong, or where the report is."""
    page = folder / "report" / "index.html"
    if status == 0:
        shown.sum_up()
        if page.exists():
            shown.say(_("the report is {page}").format(page=page))
        return
    faults = shown.faults()
    for said in faults:
        shown.say(said)
    if is_full(folder):
        shown.say(
            f"the disk of {folder} is full. Free space on it (df shows how much is "
            "left), or delete files if it has too many (df -i). To go on: microleak "
            f"resume {config}"
        )
    elif not faults and shown.progress.has_news:
        shown.say(
            _(
                "the run failed where Snakemake says above; a job that says nothing "
                "was killed or ran out of memory. To go on: microleak resume {config}"
            ).format(config=config)
        )
    elif not faults:
        shown.say(
            _(
                'the run failed with "{said}" ({log}). To go on: microleak resume '
                "{config}"
            ).format(said=shown.last_words(), log=shown.log, config=config)
        )


def is_full(folder: Path) -> bool:
    """Say whether a folder's disk has no room for another small file."""
    disk = os.statvfs(folder)
    has_inodes = disk.f_files == 0 or disk.f_favail > 0  # some count none
    return disk.f_bavail * disk.f_frsize < _SMALL_FILE or not has_inodes
