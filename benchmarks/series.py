"""microleak's measurements: over records, over QIDs, and on one thread."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.counts import Counts, counts_from
from benchmarks.process import FINISHED, Outcome, measured
from benchmarks.results import ProfileTime, Step
from benchmarks.scale import Scale
from benchmarks.workspace import Workspace, say, step_of
from microleak.files import sha256_of
from microleak.study.subsets import Subset


@dataclass(frozen=True)
class Setting:
    """What one profile is made of."""

    n_records: int
    n_qids: int
    n_threads: int

    @property
    def name(self) -> str:
        """Words for who waits."""
        return (
            f"microleak, {self.n_records:,} records, {self.n_qids} QIDs, "
            f"threads: {self.n_threads}"
        )


@dataclass
class Series:
    """The series under way, and what is kept of their files of profiles.

    Attributes
    ----------
    counts
        Counts of every subset of the study's QIDs, by number of records, for
        the numbers that peers count.
    measure
        The step from profiles to measures, on the whole table.
    hashes
        SHA-256 of the profiles by number of records, one if all were the same.
    """

    scale: Scale
    space: Workspace
    counts: dict[int, dict[Subset, Counts]] = field(default_factory=dict)
    measure: Step | None = None
    hashes: dict[int, dict[int, str]] = field(default_factory=dict)

    def run(self) -> tuple[ProfileTime, ...]:
        """Measure everything, in the order of the settings."""
        settings = self._settings()
        self._profile(settings[0])  # Numba compiles once and keeps it on disk
        return tuple(self._measured(setting) for setting in settings)

    @property
    def is_same_on_one_thread(self) -> bool:
        """Whether profiles on one and on more threads were made, with equal bytes."""
        both = [found for found in self.hashes.values() if len(found) > 1]
        return bool(both) and all(len(set(found.values())) == 1 for found in both)

    def _settings(self) -> list[Setting]:
        n_all, n_qids = self.space.n_records, self.space.n_study_qids
        n_threads = self.space.limits.n_threads
        sizes = [n for n in self.scale.records if n < n_all]
        further = [q for q in self.scale.n_qids if q != n_qids]
        return [
            *(Setting(n, n_qids, n_threads) for n in (*sizes, n_all)),
            *(Setting(n, n_qids, 1) for n in sorted(self._counted())),
            *(Setting(n_all, q, n_threads) for q in further),
        ]

    def _measured(self, setting: Setting) -> ProfileTime:
        """Measure a setting as often as the scale says; report the median by time."""
        done = [self._profile(setting) for _ in range(self.scale.repeats)]
        middle = sorted(done, key=lambda outcome: outcome.wall_s)[len(done) // 2]
        has_file = middle.status == FINISHED
        size = self._file.stat().st_size if has_file else 0
        if has_file and setting.n_qids == self.space.n_study_qids:
            self._keep(setting)
        self._file.unlink(missing_ok=True)
        return ProfileTime(
            setting.n_records,
            setting.n_qids,
            setting.n_threads,
            middle.status,
            middle.wall_s,
            middle.cpu_s,
            middle.peak_mib,
            size / 2**20,
            tuple(outcome.wall_s for outcome in done),
        )

    @property
    def _file(self) -> Path:
        return self.space.folder / "profiles.parquet"

    def _profile(self, setting: Setting) -> Outcome:
        arguments = {
            "people": str(self.space.people(setting.n_records)),
            "qids": self.space.qids[: setting.n_qids],
            "n_threads": setting.n_threads,
            "profiles": str(self._file),
        }
        limits = replace(self.space.limits, n_threads=setting.n_threads)
        outcome = measured("benchmarks.steps:profile", arguments, limits)
        say(setting.name, outcome)
        return outcome

    def _keep(self, setting: Setting) -> None:
        """Keep what is needed of a file of profiles, which is removed then."""
        by_threads = self.hashes.setdefault(setting.n_records, {})
        by_threads[setting.n_threads] = sha256_of(self._file)
        if setting.n_threads != self.space.limits.n_threads:
            return
        if setting.n_records == self.space.n_records:
            self.measure = self._measures()
        if setting.n_records in self._counted():
            self.counts[setting.n_records] = self._counts()

    def _counted(self) -> set[int]:
        """Return the numbers of records that peers count."""
        n_all = self.space.n_records
        return {min(run.n_records or n_all, n_all) for run in self.scale.peers}

    def _measures(self) -> Step:
        folder = self.space.folder / "measures"
        folder.mkdir(exist_ok=True)
        arguments = {
            "profiles": str(self._file),
            "qids": self.space.qids[: self.space.n_study_qids],
            "folder": str(folder),
        }
        call = "benchmarks.steps:measure"
        return step_of("measure", call, arguments, self.space.limits)

    def _counts(self) -> dict[Subset, Counts]:
        outcome = measured(
            "benchmarks.counts:counts_of_profiles",
            {"profiles": str(self._file)},
            self.space.limits,
        )
        return {
            int(subset): counts_from(counts)
            for subset, counts in outcome.answer.items()
        }
