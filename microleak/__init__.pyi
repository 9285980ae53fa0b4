"""Types of what `microleak` loads when asked for, made by `make docs`."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.anonymity.frames import Anonymous
from microleak.attacks.collective.frames import Assessed, Panel
from microleak.attacks.composition.frames import Composed
from microleak.attacks.g_leakage.frames import Gained
from microleak.attacks.intersection.frames import Intersected
from microleak.attacks.known_protection.frames import Known
from microleak.attacks.linkage.frames import Links
from microleak.attacks.mechanism.frames import NoisyCounts
from microleak.attacks.membership.frames import Member
from microleak.attacks.query_answers.frames import AnsweredQueries
from microleak.attacks.reconstruction.frames import Reconstructed
from microleak.attacks.risk_groups.frames import AtRisk
from microleak.attacks.rough_knowledge.frames import Rough
from microleak.attacks.smallest_protection.frames import SmallestProtection
from microleak.attacks.special_uniques.frames import Special
from microleak.attacks.table_rebuilding.frames import RebuiltTables
from microleak.attacks.targets.frames import Targeted
from microleak.audit.opened import open_results as open_results
from microleak.families import analyse as analyse
from microleak.protection.frames import protect as protect

__version__: str

def anonymity(
    frame: Any,
    qids: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    subsets: str | Mapping[str, Any] = "all",
    order: Mapping[str, Sequence[object]] | None = None,
    entity: str | None = None,
    population: Any = None,
    n_population: int | None = None,
    weight: str | None = None,
    margins: Sequence[str] = (),
    rows: Any = None,
    n_threads: int = 1,
) -> Anonymous: ...
def assess(
    frame: Any,
    qids: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    subsets: Any = "all",
    n_threads: int = 1,
    *,
    person_id: str | None = None,
) -> Assessed: ...
def composition(
    frame: Any,
    sensitive: str,
    counts: Sequence[tuple[str, Sequence[object]]],
    epsilons: Sequence[str | int],
) -> Composed: ...
def g_leakage(
    frame: Any,
    qids: Sequence[str],
    sensitive: str,
    *,
    subsets: str | Mapping[str, Any] = "all",
    gains: Mapping[str, Mapping[object, object]] | None = None,
    tries: int | None = None,
    n_threads: int = 1,
) -> Gained: ...
def intersection(
    focal: Any,
    auxiliary: Mapping[str, Any],
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    person_id: str | None = None,
    n_threads: int = 1,
) -> Intersected: ...
def known_protection(
    frame: Any,
    protected: Any,
    steps: Sequence[Mapping[str, Any]],
    qids: Sequence[str],
    *,
    subsets: str | Mapping[str, Any] = "full",
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, Mapping[str, Any]] | None = None,
) -> Known: ...
def linkage(
    focal: Any,
    auxiliary: Any,
    qids: Sequence[str],
    *,
    stable: Sequence[str],
    drifting: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    transition: str = "estimated",
    recoded: Mapping[str, Mapping[str, Mapping[Any, Any] | str]] | None = None,
    targets: Mapping[str, Mapping[str, Mapping[str, object]]] | None = None,
    person_id: str | None = None,
    n_threads: int = 1,
) -> Links: ...
def mechanism(
    frame: Any,
    epsilons: Sequence[str | float],
    *,
    filter: Mapping[str, Sequence[object]] | None = None,
    sensitive: str | None = None,
    useful: str | None = None,
    predicate: Mapping[str, Any] | None = None,
    order: Sequence[object] | Mapping[str, Sequence[int]] | None = None,
    models: Sequence[str] | None = None,
    attributes: Sequence[str] | None = None,
    samples: Mapping[str, Any] | None = None,
    simulated: Mapping[str, Any] | None = None,
    seed: int = 0,
    n_threads: int = 1,
) -> NoisyCounts: ...
def membership(
    population: Any,
    sample: Any,
    qids: Sequence[str],
    *,
    subsets: str | Mapping[str, Any] = "all",
    filter: Mapping[str, Sequence[object]] | None = None,
    not_found: str = "count",
    roughly: Mapping[str, Mapping[str, Any]] | None = None,
    design: Mapping[str, Any] | None = None,
    sensitive: Sequence[str] = (),
    fingerprint: Mapping[str, Any] | None = None,
    targets: Mapping[str, Mapping[str, object]] | None = None,
    n_threads: int = 1,
) -> Member: ...
def panel(
    focal: Any,
    auxiliary: Mapping[str, Any],
    person_id: str,
    qids: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    subsets: Any = "all",
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    n_threads: int = 1,
) -> Panel: ...
def query_answers(
    frame: Any,
    attribute: str,
    least: int,
    most: int,
    *,
    decimals: int = 0,
    tables: Sequence[Mapping[str, Any]] | None = None,
    audit: Mapping[str, Any] | None = None,
    region: str | None = None,
    domains: Mapping[str, Sequence[str]] | None = None,
    crossings: Sequence[Mapping[str, Any]] | None = None,
    digits: int | None = None,
    below: int | None = None,
) -> AnsweredQueries: ...
def rebuilt_crossings(
    frame: Any,
    crossings: Sequence[Sequence[str]],
    *,
    region: str | None = None,
    sizes: Sequence[int] | None = None,
    known: Sequence[str] = (),
    protect: Mapping[str, Any] | None = None,
) -> RebuiltTables: ...
def reconstruct(
    database: Any = None,
    *,
    attacks: Sequence[str] | None = None,
    entries: Sequence[int] | None = None,
    queries: Any,
    errors: Any,
    assumed_error: str | float | None = None,
    noises: Sequence[str | Mapping[str, Any]] = ("uniform",),
    outliers: Sequence[float] | None = None,
    repeats: int = 1,
    limit_s: int = 600,
    points: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Reconstructed: ...
def risk_groups(
    frame: Any,
    qids: Sequence[str],
    by: Sequence[str | Mapping[str, Any]],
    *,
    subsets: str | Mapping[str, Any] = "all",
    sensitive: Sequence[str] = (),
    n_threads: int = 1,
) -> AtRisk: ...
def rough_knowledge(
    frame: Any,
    qids: Sequence[str],
    roughly: Mapping[str, Mapping[str, Any]],
    *,
    subsets: str | Mapping[str, Any] = "full",
    sensitive: Sequence[str] = (),
) -> Rough: ...
def smallest_protection(
    frame: Any,
    qids: Sequence[str],
    hierarchies: Mapping[str, Mapping[str, Any]],
    target: Mapping[str, Any],
    *,
    sensitive: Sequence[str] = (),
    with_any: int | None = None,
    loss: str | Mapping[str, Any] = "information",
    tabulations: Mapping[str, Sequence[str]] | None = None,
    n_threads: int = 1,
) -> SmallestProtection: ...
def special_uniques(
    frame: Any, qids: Sequence[str], *, n_threads: int = 1
) -> Special: ...
def table_rebuilding(
    tables: Sequence[Mapping[str, Any]],
    *,
    region: str | None = None,
    sizes: Sequence[int] | None = None,
    known: Sequence[str] = (),
    domains: Mapping[str, Sequence[str]] | None = None,
) -> RebuiltTables: ...
def target(
    frame: Any,
    known: Mapping[str, object],
    sensitive: Sequence[str] = (),
    further: Sequence[str] = (),
    roughly: Mapping[str, Mapping[str, Any]] | None = None,
) -> Targeted: ...
