"""What Snakemake is asked for: by records, not by times, one round after another.

Records tell which jobs have to be done (`study.outdated`). A job whose inputs
may change in a round is looked at again after it: if they are the same by content, it
is not done. Snakemake sees no times: what jobs read that are not due is ancient to it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from microleak.audit.manifest import is_current
from microleak.base.digests import Digests, State, state_of
from microleak.base.errors import StudyError
from microleak.base.language import number_text
from microleak.base.paths import MANIFEST, RESULTS
from microleak.families import FAMILIES
from microleak.family import load
from microleak.records.subsets import MILLION, N_CORES, cost_of_a_million, profile_cost
from microleak.run.options import (
    FORCE,
    INSTEAD,
    LOOKING,
    OMIT,
    PART,
    has_any,
    has_option,
    values_of,
)
from microleak.run.store import Store, is_shared
from microleak.sources.twin import twin_of
from microleak.step import Job
from microleak.study.job_records import record_of
from microleak.study.listing import DIGESTS, first_few
from microleak.study.outdated import NO_RECORD, Outdated, outdated_jobs
from microleak.study.steps import jobs_of, steps_by_rule
from microleak.study_file.model import Study

# Calls Snakemake with words, and tells it of how many `STEPS` its own are
Call = Callable[[Sequence[str], str], int]
# Has Snakemake make what is missing, what is forced, and nothing for other reasons
BY_RECORDS = ("--rerun-triggers", "mtime", "--ignore-incomplete")
# Options with one value, which may be `all`
_NUMBER = ("--cores", "-c", "--jobs", "-j")


def is_partial(words: Sequence[str]) -> bool:
    return has_any(words, LOOKING | INSTEAD | PART) or bool(_targets(words))


def _targets(words: Sequence[str]) -> set[str]:
    """Return rules and files that words name, but for those forced or left out."""
    targets, n_values = set[str](), 0
    for word in words:
        if word.startswith("-"):
            is_other = has_option(word, {*FORCE, *OMIT})
            n_values = len(words) if is_other else int(word in _NUMBER)
        elif n_values:
            n_values -= 1
        elif word in steps_by_rule() or word == "all" or word.startswith(f"{RESULTS}/"):
            targets.add(word)
    return targets


@dataclass(frozen=True)
class Rounds:
    """A study, its file as the run read it, and the way to call Snakemake."""

    study: Study
    file: Path
    due: Path  # Where the jobs that Snakemake is asked for are told to its rules
    call: Call
    store: Store | None = None

    @property
    def folder(self) -> Path:
        return RESULTS / self.study.name

    def make(self, words: Sequence[str], say: Callable[[str], None]) -> int:
        """Make all that is not as it should be; return Snakemake's exit status."""
        before: dict[str, str] = {}
        n_done = 0
        found = self._look()
        for line in _reasons(found):
            say(line)
        found = self._shared(found, say)
        made = {path for job in found.affected for path in job.outputs.values()}
        for line in profile_estimates(self.study, made):
            say(line)
        while found.stale:
            stale = {job.title: why for job, why in found.stale.items()}
            if stale == before:
                raise StudyError(
                    "What was just made does not fit its record "
                    f"({first_few(list(stale))}). Let nothing else write to the "
                    "results or the archives, and run again."
                )
            is_last = len(found.ready) == len(found.affected)
            wanted = () if is_last else self._paths(found.ready)
            records = self._records()
            told = str(n_done) if is_last else f"{n_done}+"
            if status := self._call(words, found.ready, wanted, told):
                return status
            n_new = sum(state != records[n] for n, state in self._records().items())
            if not n_new:  # the words have Snakemake do something else
                return 0
            n_done += n_new
            before, found = stale, self._shared(self._look(), say)
        digests = Digests.read(self._known)
        is_done = is_current(self.folder, self.file, digests)
        digests.write(self._known)
        if not is_done:
            return self._call(words, (), (), str(n_done))
        if not before:
            say(_("everything is up to date"))
        return 0

    def once(self, words: Sequence[str]) -> int:
        """Have Snakemake do what words ask for, with all that records say is due."""
        targets = _targets(words)
        needed = self._needed(targets)
        due = [job for job in self._look().affected if job.title in needed]
        # A job that is forced removes the manifest, even where its bytes are the same.
        named = values_of(words, {*FORCE})
        is_forced = has_any(words, {*FORCE})
        is_whole = (bool(due) or is_forced) and not targets - {"all"}
        self._tell(due, is_whole=is_whole)
        forced = self._there(self._paths(due))
        if is_forced and is_whole:
            forced += self._there([self._path(MANIFEST)])
        # Snakemake takes the last option of the name alone.
        force = [FORCE[0], *named, *forced] if forced else []
        return self.call([*BY_RECORDS, *words, *force], "0")

    def _call(
        self,
        words: Sequence[str],
        jobs: Sequence[Job],
        wanted: Iterable[str],
        told: str,
    ) -> int:
        """Ask for results, or for all: then the manifest is made as well."""
        self._tell(jobs, is_whole=not wanted)
        manifest = [] if wanted else [self._path(MANIFEST)]
        forced = self._there(self._paths(jobs) + manifest)
        force = [FORCE[0], *forced] if forced else []
        return self.call([*BY_RECORDS, *words, *wanted, *force], told)

    def _records(self) -> dict[str, State | None]:
        paths = map(record_of, jobs_of(self.study))
        return {path: state_of(self.folder / path) for path in paths}

    def _shared(self, found: Outdated, say: Callable[[str], None]) -> Outdated:
        """Keep in the store what is as it should be, and take from it what is due."""
        store = self.store
        if store is None:
            return found
        digests = Digests.read(self._known)
        due = {job.title for job in found.affected}
        try:
            for job in jobs_of(self.study):
                if is_shared(job) and job.title not in due:
                    store.give(self.folder, job, digests)
        except OSError as error:
            say(
                f"warning: the store {store.folder} cannot be written to "
                f"({error.strerror}). Results are whole; make room, or name another "
                "folder with --store."
            )
        titles: list[str] = []
        while jobs := [j for j in _independent(found) if j.title not in titles]:
            taken = store.take(self.folder, jobs, self.file, digests)
            if not taken:
                break
            titles += [job.title for job in taken]
            digests.write(self._known)
            found = self._look()
            digests = Digests.read(self._known)
        digests.write(self._known)
        if titles:
            said = _("taken from {folder}: {named}")
            say(said.format(folder=store.folder, named=first_few(titles)))
        return found

    def _look(self) -> Outdated:
        digests = Digests.read(self._known)
        found = outdated_jobs(self.study, self.folder, self.file, digests)
        digests.write(self._known)
        return found

    def _needed(self, targets: Set[str]) -> set[str]:
        is_all = not targets or "all" in targets
        paths: set[str] = set()
        titles: set[str] = set()
        for job in reversed(list(jobs_of(self.study))):
            made = set(job.outputs.values())
            is_asked = not targets.isdisjoint({job.rule, *map(self._path, made)})
            if is_all or is_asked or not paths.isdisjoint(made):
                paths.update(job.input_paths)
                titles.add(job.title)
        return titles

    @property
    def _known(self) -> Path:
        return self.folder / DIGESTS

    def _tell(self, jobs: Iterable[Job], *, is_whole: bool) -> None:
        """Tell the rules which jobs are due; of a whole study the audit is as well."""
        titles = [job.title for job in jobs] + ["audit"] * is_whole
        self.due.write_text("\n".join(titles), encoding="utf-8")

    def _there(self, paths: Iterable[str]) -> list[str]:
        return [path for path in paths if Path(path).exists()]

    def _paths(self, jobs: Iterable[Job]) -> list[str]:
        return [self._path(path) for job in jobs for path in job.outputs.values()]

    def _path(self, path: str) -> str:
        return f"{self.folder.as_posix()}/{path}".rstrip("/")


def _independent(found: Outdated) -> list[Job]:
    """Return jobs to do that several studies can share, and whose inputs are there."""
    due = {path for job in found.affected for path in job.outputs.values()}
    shared = (job for job in found.stale if is_shared(job))
    return [job for job in shared if due.isdisjoint(job.input_paths)]


def _reasons(found: Outdated) -> Iterator[str]:
    again = {job: why for job, why in found.stale.items() if why != NO_RECORD}
    if again:
        each = [f"{job.title} ({_spoken(why)})" for job, why in again.items()]
        said = ngettext(
            "{n} step is done again: {named}",
            "{n} steps are done again: {named}",
            len(each),
        )
        yield said.format(n=number_text(len(each)), named=first_few(each))


def _spoken(why: str) -> str:
    """Say in the language spoken why a job is done again, of `Outdated.stale`."""
    parts = why.removeprefix("other ")
    if parts == why:
        return _(why)
    others = _(" and ").join(map(_, parts.split(" and ")))
    return _("other {parts}").format(parts=others)


QUIET_S = 60  # Profiles that take less are made without a word
MANY_RECORDS = 112 * MILLION
"""Records of a release whose number is unknown, at most: Gonze's largest."""


def profile_estimates(study: Study, made: Collection[str]) -> Iterator[str]:
    """Yield a line about what the profiles of each analysis will cost."""
    for family in FAMILIES:
        for each in load(family.estimate)(study) if family.estimate else ():
            n_subsets = sum(n for file, n in each.n_subsets.items() if file in made)
            if n_subsets:
                known = [_n_records(study, *release) for release in each.releases]
                n_records = None if None in known else sum(filter(None, known))
                yield from _profile_estimate(each.analysis, n_subsets, n_records)


def _n_records(study: Study, table: str, name: str) -> int | None:
    given = study.tables[table]
    counts = [
        twin_of(given.source).n_persons * each.twin_size
        if each.twin_size is not None
        else each.n_rows
        for each in given.origins(name)
    ]
    return None if None in counts else sum(filter(None, counts))


def _profile_estimate(
    analysis: str, n_subsets: int, n_records: int | None
) -> Iterator[str]:
    if profile_cost(n_records or MANY_RECORDS, n_subsets).seconds < QUIET_S:
        return
    if n_records is None:
        said = cost_of_a_million(n_subsets)
    else:
        said = f"{profile_cost(n_records, n_subsets)} for about {n_records:,} records"
    yield (
        f"analysis {analysis!r}: the profiles of {n_subsets:,} subsets take "
        f"{said}, on {N_CORES} cores"
    )
