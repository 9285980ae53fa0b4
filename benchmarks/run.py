"""A whole benchmark: way in, microleak, peers, each in processes of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.counts import Counts, counts_from, is_identical, n_values
from benchmarks.peers import PEERS
from benchmarks.process import FINISHED, Limits, Outcome, measured, say, step_of
from benchmarks.results import Found, measured_on
from benchmarks.sample import stratified
from benchmarks.scale import LEAN_MIB, PROFILE_MIB, SEED, PeerRun, Scale
from benchmarks.way_in import WayIn
from benchmarks.workspace import Workspace
from microleak.base.arrays import QidMask
from microleak.base.errors import MicroleakError
from microleak.base.files import sha256_of
from microleak.study.fingerprint import fingerprint_of_modules

_PACKAGES = ("microleak", "numba", "numpy", "pyarrow")
_ROOM = 0.8
"""Share of the memory limit that a peer is told to keep to, where it can be."""


def run(scale: Scale, scratch: Path, limits: Limits) -> Found:
    """Run a benchmark, with tables in a folder that a later run uses again.

    The limits are those of every process; microleak is also measured on one thread,
    and in less memory.
    """
    folder, subject = scratch / scale.name, scale.subject
    way_in = WayIn(folder, subject, scale.twin_size, limits)
    steps = way_in.steps()
    fewer = (n for n in scale.records if n < way_in.n_records)
    analysis = subject.analysis
    space = Workspace(
        folder,
        (*fewer, way_in.n_records),
        analysis,
        len(analysis.qids) - len(subject.further_qids),
        limits,
    )
    series = Series(scale, space)
    profiles = [series.measured(setting) for setting in series.settings()]
    if series.measure is None:
        raise MicroleakError(
            "The profiles of the whole table met a limit, so there is nothing to "
            "compare with. Raise --memory-gib or --time-limit-s."
        )
    on = measured_on(sorted({*_PACKAGES, *(each.package for each in PEERS.values())}))
    engine = fingerprint_of_modules("microleak.attacks.collective.profile")[:16]
    return {
        "scale": scale.name,
        "subject": subject.name,
        **on,
        "versions": {**on["versions"], "engine": engine},
        "n_threads": limits.n_threads,
        "memory_gib": limits.memory_gib,
        "time_limit_s": limits.time_s,
        "twin_size": scale.twin_size,
        "n_rows": way_in.n_rows,
        "n_records": space.n_records,
        "qids": list(analysis.qids),
        "n_study_qids": space.n_study_qids,
        "sensitive": list(analysis.sensitive),
        "n_values": series.n_values,
        "is_same_bytes": series.is_same_bytes,
        "way_in": steps,
        "profiles": profiles,
        "profile_mib": PROFILE_MIB,
        "measure": series.measure,
        "codes": _coding(space),
        "peers": [peer_time(part, space, series.counts) for part in scale.peers],
    }


def _coding(space: Workspace) -> Found:
    """Measure the step that turns the whole table into integers, for the peers."""
    arguments = space.coding(space.n_records)
    arguments["out"] = str(space.codes_file(space.n_records))
    call = "benchmarks.coded_tables:write_codes"
    return step_of("codes", call, arguments, space.limits)


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
    """The series under way, and what is kept of their files of profiles."""

    scale: Scale
    space: Workspace
    # Of every subset of the study's QIDs, by number of records that peers count
    counts: dict[int, dict[QidMask, Counts]] = field(default_factory=dict)
    n_values: Sequence[int] = ()  # Of each sensitive attribute in the whole table
    measure: Found | None = None  # From profiles to measures, on the whole table
    # SHA-256 of the profiles by number of records, for each of the settings that
    # should not change them
    hashes: dict[int, list[str]] = field(default_factory=dict)

    @property
    def is_same_bytes(self) -> bool:
        """Whether profiles were made with other threads or memory, to equal bytes."""
        several = [found for found in self.hashes.values() if len(found) > 1]
        return bool(several) and all(len(set(found)) == 1 for found in several)

    def settings(self) -> list[Setting]:
        """Return all settings, in their order."""
        n_all, n_qids = self.space.n_records, self.space.n_study_qids
        n_threads = self.space.limits.n_threads
        further = [q for q in self.scale.n_qids if q != n_qids]
        first = Setting(self.space.records[0], n_qids, n_threads)
        self._profile(first)  # Numba compiles once and keeps it on disk
        return [
            *(Setting(n, n_qids, n_threads) for n in self.space.records),
            *(Setting(n, n_qids, 1) for n in sorted(self._counted())),
            Setting(n_all, n_qids, n_threads, LEAN_MIB),
            *(Setting(n_all, q, n_threads) for q in further),
        ]

    def measured(self, setting: Setting) -> Found:
        """Measure a setting as often as the scale says; report the median by time."""
        done = [self._profile(setting) for _ in range(self.scale.repeats)]
        middle = sorted(done, key=lambda outcome: outcome.wall_s)[len(done) // 2]
        has_file = middle.status == FINISHED
        size = self._file.stat().st_size if has_file else 0
        if has_file and setting.n_qids == self.space.n_study_qids:
            self._keep(setting)
        self._file.unlink(missing_ok=True)
        return {
            **vars(setting),
            **middle.taken,
            "profiles_mib": size / 2**20,
            "all_wall_s": [outcome.wall_s for outcome in done],
        }

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

    def _measures(self) -> Found:
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


Reference = Mapping[int, Mapping[QidMask, Counts]]
"""microleak's counts, by number of records and subset."""


def peer_time(run: PeerRun, space: Workspace, reference: Reference) -> Found:
    """Measure one peer on its subsets, and compare its counts.

    A peer that meets a limit has no times and nothing compared.
    """
    n_records = min(run.n_records or space.n_records, space.n_records)
    subsets = stratified(space.n_study_qids, run.n_subsets, SEED)
    arguments = {
        "peer": run.peer,
        "subsets": subsets,
        "given": _given(n_records, space),
    }
    call = "benchmarks.peers.timing:time_subsets"
    outcome = measured(call, arguments, space.limits)
    say(f"{run.peer}, {n_records:,} records, {len(subsets)} subsets", outcome)
    answer = outcome.answer or {"open_s": 0.0, "subsets": []}
    agreed = agreement(answer["subsets"], reference.get(n_records, {}))
    return {
        "peer": run.peer,
        "n_records": n_records,
        "status": outcome.status,
        "open_s": answer["open_s"],
        "peak_mib": outcome.peak_mib,
        "seconds": _by_size(answer["subsets"]) if outcome.status == FINISHED else [],
        "n_compared": len(agreed),
        "n_identical": sum(agreed),
    }


def _given(n_records: int, space: Workspace) -> dict[str, Any]:
    return {
        "codes": str(space.codes(n_records)),
        "qids": space.analysis.qids[: space.n_study_qids],
        "sensitive": space.analysis.sensitive,
        "n_threads": space.limits.n_threads,
        "memory_mib": int(_ROOM * space.limits.memory_gib * 1024),
        "scratch": str(space.folder),
    }


def agreement(
    counted: Sequence[Mapping[str, Any]], ours: Mapping[QidMask, Counts]
) -> list[bool]:
    """Say of each subset that both counted whether the counts are identical."""
    return [
        is_identical(ours[part["subset"]], counts_from(part["counts"]))
        for part in counted
        if part["subset"] in ours
    ]


def _by_size(counted: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    """Return the seconds of the subsets of sizes 1, 2, … in turn."""
    found: dict[int, list[float]] = {}
    for part in counted:
        seconds = float(f"{part['seconds']:.4g}")
        found.setdefault(part["subset"].bit_count(), []).append(seconds)
    return [found[size] for size in sorted(found)]
