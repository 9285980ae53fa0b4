"""Runs a study's rules with Snakemake, one run at a time in a folder."""

import io
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, suppress
from dataclasses import dataclass
from functools import partial
from gettext import gettext as _
from importlib import import_module
from pathlib import Path
from typing import Literal

import psutil

from microleak.audit.manifest import check_places
from microleak.base.errors import StudyError, check_known
from microleak.base.files import remove_unfinished, sha256_of
from microleak.base.locks import at_work_here, no_jobs, only_run
from microleak.base.machine import megabytes_of, usual_mb
from microleak.base.paths import RESULTS
from microleak.base.progress import STEPS, told_by
from microleak.run.before import (
    bring_to_now,
    check_archives,
    check_memory,
    check_study_of_results,
    note_study_file,
)
from microleak.run.display import LOG, Display, display
from microleak.run.forked import start
from microleak.run.options import (
    ELSEWHERE,
    INSTEAD,
    OWN_OUTPUT,
    PROFILES,
    REFUSED,
    RESOURCES,
    has_any,
    has_option,
    is_looking,
)
from microleak.run.rounds import Rounds, is_partial
from microleak.run.signals import STOPPING_S, StoppedError, Stops
from microleak.run.slurm import check_queue, watched_queue
from microleak.run.snakemake_call import safe_environment, snakemake_call
from microleak.run.store import Store
from microleak.study.job_records import DUE, study_read
from microleak.study.listing import make_private_folders, remove_stamps
from microleak.study.load import load_study
from microleak.study.outdated import outputs_of
from microleak.study.public_report import public_tables
from microleak.study.publish import said_of_page
from microleak.study.steps import steps_by_rule
from microleak.study_file.model import Study

# Where a run keeps the study file as it read it; it may hold what is known of a
# target
STUDY_OF_RUN = Path(".snakemake/microleak-study")
_DUE = "due.txt"
# What a rule whose analyses are checked before a run asks for, if there is as much
CHECKED_MB = 8000
SNAKEMAKE_LOCKS = Path(".snakemake/locks")


def run(
    config: Path,
    words: Sequence[str],
    max_memory: str | None = None,
    store: Store | None = None,
    *,
    way: Literal["run", "resume", "one result"] = "run",
    is_verbose: bool = False,
) -> int:
    """Run a study in the working folder; return Snakemake's exit status.

    `way` says whether it goes on with a run that was stopped, or makes the one result
    whose path is the only word, of which alone it speaks then.
    """
    # A signal to this process stops Snakemake and its jobs first, and then ends it with
    # 128 and the signal's number as its status.
    words = [*_limits(max_memory, words), *words]
    study = _checked(config, max_memory, words)
    with _alone(config, study.name, words, store, is_verbose=is_verbose) as making:
        _tidied(making, is_resumed=way == "resume")
        return making.make_one(words) if way == "one result" else making.make(words)


def _tidied(making: "_Making", *, is_resumed: bool) -> None:
    """Refuse to begin beside a run that was stopped, or remove what it left."""
    check_queue()
    with no_jobs():
        is_stopped = SNAKEMAKE_LOCKS.is_dir() and any(SNAKEMAKE_LOCKS.iterdir())
        if is_stopped and not is_resumed:
            said = _(
                "An earlier run was interrupted. To go on where it stopped: microleak "
                "resume {config}"
            )
            raise StudyError(said, config=making.config)
        remove_unfinished(RESULTS)
        if is_resumed:
            making.rounds.call(["--unlock", "--quiet", "all"], "0")


def _limits(max_memory: str | None, words: Sequence[str]) -> list[str]:
    """Return the words that hold Snakemake and its jobs to so much memory."""
    # Resources limit all that declare `mem_mb` at a time, and lower one that alone
    # declares more; set for a rule they also give it more than its usual share.
    if max_memory is None:
        return []
    size = f"mem_mb={megabytes_of(max_memory, '--max-memory')}"
    for word in words:
        if has_option(word, RESOURCES):
            option = word.partition("=")[0]
            raise StudyError(
                f"{option}, after --, would undo --max-memory. Use one of them."
            )
    told = [f"{s.rule}:{size}" for s in steps_by_rule().values() if s.is_told_memory]
    # Written with =, the last takes no more words: those that follow may be targets.
    return ["--set-resources", *told, f"--resources={size}"]


def _checked(config: Path, max_memory: str | None, words: Sequence[str]) -> Study:
    """Return a study whose archives have what it needs, and whose databases fit."""
    check_words(words, config)
    with told_by(_say):
        study = load_study(config)
    check_study_of_results(RESULTS / study.name, config)
    check_archives(study, config)
    for said in said_of_page(study):
        _say(said)
    if not has_any(words, RESOURCES | ELSEWHERE):
        most_mb = usual_mb(CHECKED_MB)
        if max_memory is not None:
            most_mb = min(most_mb, megabytes_of(max_memory, "--max-memory"))
        check_memory(study, config, most_mb)
    return study


@contextmanager
def _alone(
    config: Path,
    name: str,
    words: Sequence[str],
    store: Store | None,
    *,
    is_verbose: bool,
) -> Iterator["_Making"]:
    """Keep other runs out of the folder; give the only way to call Snakemake."""
    # The study file is read here once: jobs get a copy, whatever becomes of it. What
    # would be done is Snakemake's to say; what is done is shown by a display.
    is_elsewhere = has_any(words, ELSEWHERE)
    stops = Stops(waits=is_elsewhere)
    with stops.heeded(), only_run(name) as lock, _copied(config) as copy:
        due = STUDY_OF_RUN / _DUE
        env = {**safe_environment(), DUE: str(due), study_read(copy): sha256_of(copy)}
        is_verbose |= has_any(words, OWN_OUTPUT)
        display_of_run = display(STUDY_OF_RUN, RESULTS / name, is_verbose=is_verbose)

        def call(words: Sequence[str], n_steps: str) -> int:
            """Call Snakemake with the study's files; it holds the lock as well."""
            begin = partial(start, snakemake_call(copy, words), lock)
            here = {**env, STEPS: n_steps}
            if shown is None:
                return stops.watch(partial(begin, here), None)
            watched = watched_queue(shown, stops) if is_elsewhere else nullcontext()
            here |= shown.environment
            with shown.output() as output, watched:
                return stops.watch(partial(begin, here, output=output), shown)

        try:
            with nullcontext() if is_looking(words) else display_of_run as shown:
                rounds = Rounds(load_study(copy), copy, due, call, store)
                yield _Making(config, rounds, shown)
        except StoppedError:
            _tidy()
            _say(
                _("stopped. To go on: microleak resume {config}").format(config=config)
            )
            raise


@contextmanager
def _copied(config: Path) -> Iterator[Path]:
    """Copy a study file to where only its owner can read it, for as long as it runs."""
    shutil.rmtree(STUDY_OF_RUN, ignore_errors=True)
    if os.path.lexists(STUDY_OF_RUN):
        raise StudyError(
            f"{STUDY_OF_RUN} is a link or a file where a run keeps its study file. "
            "Remove it."
        )
    STUDY_OF_RUN.mkdir(mode=0o700, parents=True)
    (STUDY_OF_RUN / _DUE).touch()
    try:
        yield Path(shutil.copyfile(config, STUDY_OF_RUN / config.name))
    finally:
        shutil.rmtree(STUDY_OF_RUN, ignore_errors=True)


@dataclass(frozen=True)
class _Making:
    """A study's file, the rounds in which its results are made, and what shows them."""

    # Nothing shows what would be done alone: Snakemake says it.
    config: Path
    rounds: Rounds
    shown: Display | None

    def make(self, words: Sequence[str]) -> int:
        if self.shown is None:
            return self.rounds.once(words)
        earlier = public_tables(self.rounds.folder)
        status = self._made(words, self.shown)
        if status == 0 and has_any(words, INSTEAD):  # of which Snakemake says the rest
            self.shown.say("Snakemake has done what the words after -- ask for")
            return 0
        if status == 0 and is_partial(words) and not self.shown.progress.n_steps:
            self.shown.say(_("everything is up to date"))
        warn_of_replaced(self.rounds.folder, earlier, self.shown, status)
        say_how_it_ended(self.rounds.folder, status, self.config, self.shown)
        return status

    def make_one(self, words: Sequence[str]) -> int:
        """Do so for one result, and say no more of it than how long that took."""
        assert self.shown is not None
        status = self._made(words, self.shown)
        if status:
            say_how_it_ended(self.rounds.folder, status, self.config, self.shown)
        else:
            self.shown.sum_up()
        return status

    def _made(self, words: Sequence[str], shown: Display) -> int:
        shown.refresh()
        rounds = self.rounds
        folder, outputs = rounds.folder, outputs_of(rounds.study)
        check_places(folder, outputs | {"logs/any", "benchmarks/any"})
        bring_to_now(folder)
        make_private_folders(folder, outputs, rounds.study.audience)
        note_study_file(folder, self.config)
        for log in (folder / "logs").rglob("*.log"):
            if log != folder / LOG:
                log.unlink()
        is_part = is_partial(words)
        status = rounds.once(words) if is_part else rounds.make(words, shown.say)
        remove_stamps(folder)
        return status


def _tidy() -> None:
    psutil.wait_procs(at_work_here(), timeout=STOPPING_S / 2)
    with suppress(StudyError):
        check_queue()
        with no_jobs():
            remove_unfinished(RESULTS)
            shutil.rmtree(SNAKEMAKE_LOCKS, ignore_errors=True)


def _say(words: str) -> None:
    with suppress(OSError):  # the terminal may be gone
        print(f"microleak: {words}", file=sys.stderr)


_NO_TARGET = "The words after -- name a target that is no rule and no file:"
_CHOOSING = {"until": "--until", "omit_from": "--omit-from", "forcerun": "--forcerun"}


def check_words(words: Sequence[str], config: Path) -> None:
    """Refuse words that a run could not hear, and rules that there are not."""
    for word in words:
        for options, why in REFUSED.items():
            if has_option(word, options):
                option = word.partition("=")[0]
                raise StudyError(f"{option}, after --, {why.format(config=config)}")
    given = _parsed(words) if words else Namespace()
    for option in ("config", "configfile"):
        if getattr(given, option, None):
            raise StudyError(
                f"The profile sets {option}, which would change the study: it is "
                f"read from {config} alone. Remove it from the profile."
            )
    rules = ["all", *steps_by_rule()]
    named = [(_NO_TARGET, given.targets if words else ())]
    named += [
        (f"{option}, after --, names no rule:", getattr(given, each, ()))
        for each, option in _CHOOSING.items()
    ]
    for said, names in named:
        for name in names or ():
            if "/" not in name and not Path(name).exists():
                check_known(name, rules, said)


def _parsed(words: Sequence[str]) -> Namespace:
    """Return what Snakemake makes of words, and of the profiles that they name."""
    # Only what is asked for is read: a profile may run code.
    unasked = [f"{o}=none" for o in sorted(PROFILES) if not has_any(words, {o})]
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            given: Namespace = import_module("snakemake.cli").parse_args(
                [*unasked, *words]
            )[1]
    except SystemExit as end:
        if not end.code:  # its help or version, which are printed
            raise
        why = said.getvalue().strip().rpartition("\n")[2].rpartition(" error: ")[2]
    except Exception as error:
        why = f"{type(error).__name__} {error}"
    else:
        return given
    if "invalid choice: 'slurm'" in why:
        why += ". Install the plugin that envs/slurm.lock names (docs/cluster.md)"
    raise StudyError(f"Snakemake does not take the words after --: {why}.")


_SMALL_FILE = 1 << 16  # Bytes that Snakemake and jobs write in a moment


def warn_of_replaced(
    folder: Path, earlier: Mapping[str, str], shown: Display, status: int = 0
) -> None:
    """Say whether the public report that was there before a run is still the same."""
    # `earlier` are its tables (`public_tables`), which may have been published.
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
        said = _(
            "the run failed where Snakemake says above; a job that says nothing was "
            "killed or ran out of memory. To go on: microleak resume {config}"
        )
        shown.say(said.format(config=config))
    elif not faults:
        shown.say(
            _(
                'the run failed with "{said}" ({log}). To go on: microleak resume '
                "{config}"
            ).format(said=shown.last_words(), log=shown.log, config=config)
        )


def is_full(folder: Path) -> bool:
    disk = os.statvfs(folder)
    has_inodes = disk.f_files == 0 or disk.f_favail > 0  # some count none
    return disk.f_bavail * disk.f_frsize < _SMALL_FILE or not has_inodes
