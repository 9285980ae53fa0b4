"""The product's steps from one record a person to measures, each one call."""

from pathlib import Path
from typing import Any

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.measure import TABLES, measure_analysis
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.tables.files import write_table


def profile(
    people: str,
    analysis: dict[str, Any],
    n_threads: int,
    memory_mib: int,
    profiles: str,
) -> None:
    """Write the block profiles, full histograms, of all subsets of some QIDs."""
    resources = Resources(n_threads, memory_mib, Path(profiles).parent)
    of = Collective(**analysis)
    profile_analysis([Path(people)], of, True, resources, Path(profiles))


def measure(profiles: str, analysis: dict[str, Any], folder: str) -> None:
    """Write every measure that follows from the profiles."""
    success = Path(folder) / "success.parquet"
    of = Collective(**analysis)
    measures = measure_analysis([Path(profiles)], of, True, success)
    for name, table in vars(measures).items():
        write_table(Path(folder) / f"{name}.csv", table, TABLES[name])
