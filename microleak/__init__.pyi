"""Types of what `microleak` loads when asked for, made by `make docs`."""

from collections.abc import Mapping, Sequence
from typing import Any, type_check_only

import pandas as pd

from microleak.audit.opened import open_results as open_results
from microleak.families import analyse as analyse
from microleak.frames import Found
from microleak.policy.frames import check as check
from microleak.protection.frames import protect as protect
from microleak.units.frames import unit_facts as unit_facts

__version__: str

@type_check_only
class Anonymous(Found):
    anonymity: pd.DataFrame
    classes: pd.DataFrame
    uniqueness: pd.DataFrame

@type_check_only
class Assessed(Found):
    collective: pd.DataFrame
    proposed: pd.DataFrame
    attributes: pd.DataFrame
    worst: pd.DataFrame
    distribution: pd.DataFrame
    values: pd.DataFrame
    importance: pd.DataFrame
    entropy: pd.DataFrame

@type_check_only
class Composed(Found):
    composition: pd.DataFrame

@type_check_only
class Gained(Found):
    g_leakage: pd.DataFrame

@type_check_only
class Intersected(Found):
    intersection: pd.DataFrame

@type_check_only
class Known(Found):
    known_protection: pd.DataFrame
    undone_cells: pd.DataFrame

@type_check_only
class Links(Found):
    linkage: pd.DataFrame
    linkage_bins: pd.DataFrame
    linked_success: pd.DataFrame
    linked_target: pd.DataFrame

@type_check_only
class NoisyCounts(Found):
    mechanism: pd.DataFrame
    pairs: pd.DataFrame
    samples: pd.DataFrame
    simulated: pd.DataFrame

@type_check_only
class Member(Found):
    membership: pd.DataFrame
    presence: pd.DataFrame
    uniques: pd.DataFrame
    rough_membership: pd.DataFrame
    designs: pd.DataFrame
    answers: pd.DataFrame
    fingerprints: pd.DataFrame
    member: pd.DataFrame

@type_check_only
class Panel(Found):
    collective: pd.DataFrame
    worst: pd.DataFrame
    distribution: pd.DataFrame
    values: pd.DataFrame
    groups: pd.DataFrame
    gain: pd.DataFrame
    importance: pd.DataFrame
    entropy: pd.DataFrame

@type_check_only
class Published(Found):
    published_file: pd.DataFrame
    published_guesses: pd.DataFrame
    published_facts: pd.DataFrame
    published_copies: pd.DataFrame
    published_links: pd.DataFrame

@type_check_only
class AnsweredQueries(Found):
    query_answers: pd.DataFrame
    answered_values: pd.DataFrame
    audited_queries: pd.DataFrame
    proofs: Mapping[str, Any]

@type_check_only
class RebuiltTables(Found):
    table_rebuilding: pd.DataFrame
    rebuilt_cells: pd.DataFrame
    rebuilt_sizes: pd.DataFrame
    proofs: Mapping[str, Any]

@type_check_only
class Reconstructed(Found):
    reconstruction: pd.DataFrame
    bad_points: pd.DataFrame

@type_check_only
class AtRisk(Found):
    risk_groups: pd.DataFrame

@type_check_only
class Rough(Found):
    rough_knowledge: pd.DataFrame

@type_check_only
class SmallestProtection(Found):
    smallest_protection: pd.DataFrame
    witnesses: pd.DataFrame
    cuts: pd.DataFrame
    lattice: pd.DataFrame
    minimality: pd.DataFrame
    exposed: pd.DataFrame

@type_check_only
class Special(Found):
    special_uniques: pd.DataFrame
    suda_scores: pd.DataFrame
    suda_attributes: pd.DataFrame
    suda_values: pd.DataFrame

@type_check_only
class Targeted(Found):
    target: pd.DataFrame
    further: pd.DataFrame

@type_check_only
class UnitRisksFound(Found):
    unit_risks: pd.DataFrame
    unit_inferences: pd.DataFrame

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
    margins: Sequence[str | Mapping[str, Any]] = (),
    rows: Any = None,
    n_threads: int | None = None,
) -> Anonymous: ...
def assess(
    frame: Any,
    qids: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    subsets: str | Mapping[str, Any] = "all",
    n_threads: int | None = None,
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
    n_threads: int | None = None,
) -> Gained: ...
def intersection(
    focal: Any,
    auxiliary: Mapping[str, Any],
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    person_id: str | None = None,
    n_threads: int | None = None,
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
    n_threads: int | None = None,
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
    n_threads: int | None = None,
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
    n_threads: int | None = None,
) -> Member: ...
def panel(
    focal: Any,
    auxiliary: Mapping[str, Any],
    person_id: str,
    qids: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    subsets: str | Mapping[str, Any] = "all",
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    n_threads: int | None = None,
) -> Panel: ...
def published_file(
    frame: Any,
    published: Any,
    qids: Sequence[str],
    *,
    subsets: str | Mapping[str, Any] = "all",
    control: Any = None,
    sensitive: Sequence[str] = (),
    near: Mapping[str, Mapping[str, Any]] | None = None,
    key: str | None = None,
    hierarchies: Mapping[str, Mapping[str, Any]] | None = None,
    missing: str | None = None,
    links: Sequence[Sequence[Sequence[str]]] = (),
    n_threads: int | None = None,
) -> Published: ...
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
    n_threads: int | None = None,
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
    n_threads: int | None = None,
) -> SmallestProtection: ...
def special_uniques(
    frame: Any, qids: Sequence[str], *, n_threads: int | None = None
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
def unit_risks(
    frame: Any,
    qids: Sequence[str],
    unit: str,
    *,
    subsets: str | Mapping[str, Any] = "all",
    sensitive: Sequence[str] = (),
    n_threads: int | None = None,
) -> UnitRisksFound: ...
