"""Whether the settings of a reconstruction analysis fit the memory there is."""

from collections.abc import Iterator
from dataclasses import replace

from microleak.attacks.reconstruction_memory import check_memory
from microleak.study.reconstruction_cases import cases_of
from microleak.study.reconstruction_model import Reconstruction


def check_memory_of(analysis: Reconstruction, memory_mb: int) -> None:
    """Refuse an analysis with a setting that takes more memory than there is.

    Parameters
    ----------
    analysis
        The analysis, of which nothing is drawn.
    memory_mb
        MB of 10**6 bytes that may be used.

    Raises
    ------
    StudyError
        If a setting takes more, or cannot be.
    """
    for attack, n, n_queries in sorted(set(_sizes(analysis))):
        check_memory(attack, n, n_queries, memory_mb)


def _sizes(analysis: Reconstruction) -> Iterator[tuple[str, int, int]]:
    """Yield the attack, entries and queries of each setting, its repeats once."""
    once = replace(analysis, settings=replace(analysis.settings, repeats=1))
    for case in cases_of(once, seed=0):
        for attack in analysis.attacks or ("points",):
            n_queries = case.queries(attack).n_queries
            yield attack, case.setting.n_entries, n_queries
