"""Which twin makes synthetic releases of a source, of which years and how large."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from microleak.base.errors import StudyError
from microleak.base.paths import ROOT
from microleak.sources.definitions.definition import source_definition, twins


@dataclass(frozen=True)
class Twin:
    """What makes synthetic releases of a source."""

    unit: str  # What its size counts, as the study file calls it
    n_persons: int  # Of each unit, on average
    years: Sequence[int]  # Which it can make, sorted
    # Writes an archive of a release, of a size and with a seed
    write: Callable[[Path, str, int, int], object]


def twin_of(source: str) -> Twin:
    module, _, name = twins()[source].partition(":")
    sys.path.insert(0, str(ROOT))  # has papers/, in a wheel as in a checkout
    try:
        twin: Twin = getattr(import_module(module), name)
    finally:
        sys.path.remove(str(ROOT))
    return twin


def twin_size(source: str, release: str, given: Mapping[str, int], where: str) -> int:
    if source not in twins():
        raise StudyError(
            f"{where}: the source {source} has no synthetic twin; these have: "
            f"{', '.join(twins())}. Give the release an archive or a url."
        )
    twin, (unit, size) = twin_of(source), next(iter(given.items()))
    if unit != twin.unit:
        raise StudyError(
            f"{where}: the size of a synthetic {source} is given in {twin.unit}, not "
            f"in {unit}. Write synthetic: {{{twin.unit}: NUMBER}}."
        )
    if source_definition(source, release, {}).year not in map(str, twin.years):
        first, last = twin.years[0], twin.years[-1]
        made = f"{first} to {last}" if first < last else f"only {first}"
        raise StudyError(
            f"{where}: the twin of {source} has {made}. Correct the release's year, or "
            "give it an archive or a url."
        )
    return size
