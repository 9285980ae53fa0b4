"""What a run says last of all: where the report is, or what went wrong."""

import os
from collections.abc import Mapping, Sequence
from gettext import gettext as _
from pathlib import Path

from microleak.base.language import grouped
from microleak.disclosure.rounding import FEWEST_RECORDS
from microleak.run.display import Display
from microleak.study.listing import first_few
from microleak.study.neighbours import (
    other_public_reports,
    reports_of_other_records,
    reports_of_same_records,
)
from microleak.study.public_report import (
    LOSSES,
    proved_tables,
    releases_without_numbers,
)

_SMALL_FILE = 1 << 16
"""Bytes that Snakemake and jobs write in a moment."""


def warn_of_replaced(folder: Path, earlier: Mapping[str, str], shown: Display) -> None:
    """Say whether the public report that was proved before a run is still the same.

    `earlier` are its tables (`proved_tables`), which may have been published.
    """
    now = proved_tables(folder)
    if not earlier:
        return
    if now == earlier:
        if shown.progress.n_steps:
            shown.say(_("the public report has the same numbers as before this run"))
        return
    said = _(
        "warning: the public report that {folder} had before this run is replaced or "
        "removed. If it was published, whoever has both may learn more than each of "
        "them tells (docs/decisions/0027-public-proof.md)."
    )
    if now and not any(Path(LOSSES).name in path for path in (*earlier, *now)):
        how = _(
            "Whether that is so: microleak verify --public {folder} --beside EARLIER, "
            "the folder that was published, with --more PERSONS if persons were added. "
            "Of corrected values nothing is proved."
        )
        said = f"{said} {how}"
    shown.say(said.format(folder=folder))


def say_how_it_ended(folder: Path, status: int, config: Path, shown: Display) -> None:
    """Say, last of all, what went wrong, or where the report is."""
    page = folder / "report" / "index.html"
    if status == 0:
        shown.sum_up()
        if page.exists():
            shown.say(_("the report is {page}").format(page=page))
        if small := releases_without_numbers(folder / "report"):
            shown.say(_told_small(small, config))
        if others := other_public_reports(folder):
            _warn_of(folder, others, shown)
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


def _told_small(small: Sequence[str], config: Path) -> str:
    """Say that the page has nothing of some releases, and which setting is why."""
    return _(
        "the public page shows nothing of {named}: it needs at least {fewest} records "
        "of a release. To see the results yourself, set audience: internal under "
        "report in {config}"
    ).format(named=first_few(small), fewest=grouped(FEWEST_RECORDS), config=config)


def _warn_of(folder: Path, others: Sequence[str], shown: Display) -> None:
    """Say which public reports of the same data were proved together, and which not.

    Of two of the same records the proof of the later one has read both, unless one of
    them was put there since.
    """
    proved = [each.name for each in reports_of_same_records(folder)]
    if proved:
        said = _(
            "public reports of the same records in {folder}: {named}. The later of two "
            "was proved together with the other, unless one was moved there since "
            "(docs/decisions/0027-public-proof.md)"
        )
        shown.say(said.format(named=first_few(proved), folder=folder.parent))
    changed = [each.name for each in reports_of_other_records(folder)]
    if changed:
        said = _(
            "public reports of other records of the same data in {folder}: {named}. If "
            "persons were only added or left out, the later of two was proved together "
            "with the other. If values were corrected, nothing is proved of both: if "
            "one is out already, do not publish the other "
            "(docs/decisions/0027-public-proof.md)"
        )
        shown.say(said.format(named=first_few(changed), folder=folder.parent))
    if left := [each for each in others if each not in (*proved, *changed)]:
        said = _(
            "warning: public reports of the same data in {folder}: {named}. Publish "
            "only one, this or another: together they can tell of single persons. To "
            "prove both: microleak verify --public {mine} --beside {other} "
            "--more PERSONS, which is how many it has more "
            "(docs/decisions/0014-public-form.md)"
        ).format(
            named=first_few(left),
            folder=folder.parent,
            mine=folder,
            other=folder.parent / left[0],
        )
        shown.say(said)
