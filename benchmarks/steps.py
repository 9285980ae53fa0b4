"""The product's steps from one record a person to measures, each one call."""

from pathlib import Path

from benchmarks.scale import PROFILE_MIB, analysis_of
from microleak.resources import Resources
from microleak.study.measures import measure_analysis
from microleak.study.profiling import profile_analysis
from microleak.study.tables import write_csv


def profile(people: str, qids: list[str], n_threads: int, profiles: str) -> None:
    """Write the block profiles, full histograms, of all subsets of some QIDs."""
    resources = Resources(n_threads, PROFILE_MIB, Path(profiles).parent)
    profile_analysis([Path(people)], analysis_of(qids), True, resources, Path(profiles))


def measure(profiles: str, qids: list[str], folder: str) -> None:
    """Write every measure that follows from the profiles."""
    success = Path(folder) / "success.parquet"
    measures = measure_analysis([Path(profiles)], analysis_of(qids), True, success)
    write_csv(Path(folder) / "collective.csv", measures.collective)
    write_csv(Path(folder) / "worst.csv", measures.worst)
    write_csv(Path(folder) / "distribution.csv", measures.distribution)
