"""microleak's measurements: over records, over QIDs, on one thread, in less memory."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.counts import Counts, counts_from, n_values
from benchmarks.process import FINISHED, Outcome, measured
from benchmarks.results import ProfileTime, Step
from benchmarks.scale import LEAN_MIB, PROFILE_MIB, Scale
from benchmarks.workspace import Workspace, say, step_of
from microleak.base.arrays import QidMask
from microleak.base.files import sha256_of


@dataclass(frozen=True)
class Setting:
    """What one profile is made of and with."""

    n_records: int
    n_qids: int
    n_threads: int
    memory_mib: int = PROFILE_MIB

    @property
    def name(self) -> str:
        """Words for who waits."""
        return (
            f"microleak, {self.n_records:,} records, {self.n_qids} QIDs, "
            f"threads: {self.n_threads}, {self.memory_mib:,} MiB"
        )


@dataclass
class Series:
    """The series under way, and what is kept of their files of profiles.

    Attributes
    ----------
    counts
        Counts of every subset of the study's QIDs, by number of records, for
        the numbers that peers count.
    n_values
        Values of each sensitive attribute in the whole table.
    measure
        The step from profiles to measures, on the whole table.
    hashes
        SHA-256 of the profiles by number of records, for each of the settings
        that should not change them.
    """

    scale: Scale
    space: Workspace
    counts: dict[int, dict[QidMask, Counts]] = field(default_factory=dict)
    n_values: tuple[int, ...] = ()
    measure: Step | None = None
    hashes: dict[int, list[str]] = field(default_factory=dict)

    def run(self) -> tuple[ProfileTime, ...]:
        """Measure everything, in the order of the settings."""
        settings = self._settings()
        self._profile(settings[0])  # Numba compiles once and keeps it on disk
        return tuple(self._measured(setting) for setting in settings)

    @property
    def is_same_bytes(self) -> bool:
        """Whether profiles were made with other threads or memory, to equal bytes."""
        several = [found for found in self.hashes.values() if len(found) > 1]
        return bool(several) and all(len(set(found)) == 1 for found in several)

    def _settings(self) -> list[Setting]:
        n_all, n_qids = self.space.n_records, self.space.n_study_qids
        n_threads = self.space.limits.n_threads
        further = [q for q in self.scale.n_qids if q != n_qids]
        return [
            *(Setting(n, n_qids, n_threads) for n in self.space.records),
            *(Setting(n, n_qids, 1) for n in sorted(self._counted())),
            Setting(n_all, n_qids, n_threads, LEAN_MIB),
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
            setting.memory_mib,
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
            "analysis": self.space.analysis_of(setting.n_qids),
            "n_threads": setting.n_threads,
            "memory_mib": setting.memory_mib,
            "profiles": str(self._file),
        }
        limits = replace(self.space.limits, n_threads=setting.n_threads)
        outcome = measured("benchmarks.steps:profile", arguments, limits)
        say(setting.name, outcome)
        return outcome

    def _keep(self, setting: Setting) -> None:
        """Keep what is needed of a file of profiles, which is removed then."""
        n_records = setting.n_records
        self.hashes.setdefault(n_records, []).append(sha256_of(self._file))
        n_threads = self.space.limits.n_threads
        if (setting.n_threads, setting.memory_mib) != (n_threads, PROFILE_MIB):
            return
        if n_records == self.space.n_records:
            self.n_values = n_values(self._file, self._n_sensitive)
            self.measure = self._measures()
        if n_records in self._counted():
            self.counts[n_records] = self._counts()

    def _counted(self) -> set[int]:
        """Return the numbers of records that peers count."""
        n_all = self.space.n_records
        return {min(run.n_records or n_all, n_all) for run in self.scale.peers}

    @property
    def _n_sensitive(self) -> int:
        return len(self.space.analysis.sensitive)

    def _measures(self) -> Step:
        folder = self.space.folder / "measures"
        folder.mkdir(exist_ok=True)
        arguments = {
            "profiles": str(self._file),
            "analysis": self.space.analysis_of(self.space.n_study_qids),
            "folder": str(folder),
        }
        call = "benchmarks.steps:measure"
        return step_of("measure", call, arguments, self.space.limits)

    def _counts(self) -> dict[QidMask, Counts]:
        outcome = measured(
            "benchmarks.counts:counts_of_profiles",
            {"profiles": str(self._file), "n_sensitive": self._n_sensitive},
            self.space.limits,
        )
        return {
            int(subset): counts_from(counts)
            for subset, counts in outcome.answer.items()
        }
