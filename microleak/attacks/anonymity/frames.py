"""How anonymous a frame is by the usual models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.anonymity.analysis import Anonymity
from microleak.attacks.anonymity.blocks import profile_blocks
from microleak.attacks.anonymity.entities import profile_entities
from microleak.attacks.anonymity.measure import (
    TABLES,
    AnonymityFiles,
    anonymity_tables,
)
from microleak.attacks.anonymity.section import check_consistent
from microleak.attacks.anonymity.uniqueness import uniqueness
from microleak.base.errors import StudyError
from microleak.base.machine import Resources
from microleak.records.call import (
    RELEASE,
    TABLE,
    People,
    check_names,
    check_subsets,
    meeting_people,
    people_of,
    room_to_work,
)
from microleak.records.overlap_profile import profile_overlap
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class Anonymous(Result):
    """What `anonymity` found: tables of a study with these names (docs/results.md).

    Attributes
    ----------
    anonymity
        A row a set of QIDs, first of the blocks, with an empty `sensitive`, and then of
        each sensitive attribute. What was not asked for is missing.
    classes
        Blocks and records by class of their size or number of values, of the worst set
        of each model and size.
    uniqueness
        What models say of a population that has no table, a row each; empty without
        its size, weights or margins.
    """

    anonymity: pd.DataFrame
    classes: pd.DataFrame
    uniqueness: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw which share of the records is in blocks of fewer than 2, 3, 5, 10."""
        from microleak.attacks.anonymity.figures import records_below
        from microleak.report.texts import voice

        rows = self.anonymity[self.anonymity["sensitive"] == ""]
        drawn = with_study(rows, TABLES["anonymity"], analysis="anonymity")
        return records_below(drawn, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        rows = self.anonymity.sort_values(
            ["sensitive", "n_qids"], ascending=[True, False], kind="stable"
        )
        names = ["sensitive", "qids", "n_qids", "k_anonymity", "n_below_2"]
        told = ["l_distinct", "t_equal", "k_map", "posterior_unique_pitman"]
        there = [n for n in told if n in rows and rows[n].notna().any()]
        return rows[[*names, *there]]


def anonymity(
    frame: Any,
    qids: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    order: Mapping[str, Sequence[object]] | None = None,
    entity: str | None = None,
    rows: Any = None,
    population: Any = None,
    n_population: int | None = None,
    weight: str | None = None,
    margins: Sequence[str] = (),
    subsets: Any = "all",
    n_threads: int = 1,
) -> Anonymous:
    """Say how anonymous a release is: k-anonymity, l-diversity, t-closeness, k-map.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    qids, sensitive
        Quasi-identifiers, and attributes that should stay hidden.
    order
        Values of sensitive attributes from low to high, `{"income": ["low", "high"]}`;
        t-closeness then has the ordered distance too.
    entity
        Column that says which records are of one entity; k then counts entities too.
    rows
        Frame that has the entities' rows, entity and QIDs, if those of `frame` are not
        all; its QIDs wait in a temporary folder that only you can read.
    population
        Frame of the persons of whom `frame` is a sample, with the same QIDs, or
    n_population
        their number; k-map and uniqueness are then estimated.
    weight
        Column that says how many persons a record stands for, instead of their number.
    margins
        CSV files of published counts by some QIDs, which weights are raked to.
    subsets, n_threads
        As of `microleak.assess`.

    Returns
    -------
    Anonymous
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist or has two roles, a value is not in its order, or
        the population has fewer records than the frame.

    Examples
    --------
    >>> town = pd.DataFrame({"age": [25, 25, 60, 60], "ill": ["y", "n", "y", "y"]})
    >>> found = anonymity(town, qids=["age"], sensitive=["ill"])
    >>> found.anonymity[["sensitive", "k_anonymity", "l_distinct"]]
      sensitive  k_anonymity  l_distinct
    0                      2        <NA>
    1       ill         <NA>           1
    """
    check_names("anonymity", qids=qids, sensitive=sensitive)
    check_subsets("anonymity", subsets)
    with room_to_work("anonymity", n_threads) as resources:
        weights = [] if weight is None else [weight]
        people = people_of("anonymity", frame, [*qids, *sensitive, *weights])
        unordered = [name for name in order or {} if name not in sensitive]
        if unordered:
            raise StudyError(
                f"anonymity: order has {unordered[0]}, which is not sensitive. Add it "
                "to sensitive, or remove it from order."
            )
        arguments = {
            "name": "anonymity",
            "table": TABLE,
            "focal": RELEASE,
            "qids": qids,
            "subsets": subsets,
            "sensitive": sensitive,
            "order": {
                name: people.texts("anonymity", name, values)
                for name, values in (order or {}).items()
            },
            "entity": entity,
            "n_population": n_population,
            "weight": weight,
            "margins": margins,
            "population": None
            if population is None
            else {"table": TABLE, "release": "population"},
        }
        analysis = analysis_of(Anonymity, "anonymity", arguments)
        check_consistent(analysis, "anonymity")
        analysis = analysis.with_margins("anonymity")
        blocks = resources.scratch / "blocks.parquet"
        profile_blocks(people.table, analysis, False, resources, blocks)
        files = AnonymityFiles(
            people.table,
            blocks,
            _entities(frame if rows is None else rows, analysis, resources),
            _overlap(population, people, analysis, resources),
        )
        found = vars(anonymity_tables(files, analysis, resources))
        found["uniqueness"] = TABLES["uniqueness"].frame([])
        if analysis.is_estimated:
            table = _with_decimals(people, weight)
            found["uniqueness"] = uniqueness(table, analysis, resources)
    return Anonymous(**{n: without_study(each, TABLES[n]) for n, each in found.items()})


def _with_decimals(people: People, weight: str | None) -> pa.Table:
    """Return the records; floats as weights have points that stand before decimals."""
    if weight is None or not pa.types.is_floating(people.types[weight]):
        return people.table
    texts = people.table[weight].cast(pa.string())
    longer = pc.binary_join_element_wise(texts, "0", "")
    plain = pc.if_else(pc.match_substring(texts, "."), longer, texts)
    place = people.table.column_names.index(weight)
    return people.table.set_column(place, weight, plain)


def _entities(rows: Any, analysis: Anonymity, resources: Resources) -> Path | None:
    """Profile the entities of a frame's rows, if the analysis has an entity."""
    if analysis.entity is None:
        return None
    names = [analysis.entity, *analysis.qids]
    table = people_of("anonymity", rows, names, "the frame of entities").table
    plain = pa.table({name: table[name].cast(pa.string()) for name in names})
    out = resources.scratch / "entities.parquet"
    profile_entities(plain, analysis, False, resources, out)
    return out


def _overlap(
    population: Any, people: People, analysis: Anonymity, resources: Resources
) -> Path | None:
    """Profile a population and its sample, if the analysis has a population."""
    if analysis.compared is None:
        return None
    whole = people_of("anonymity", population, analysis.qids, "the population")
    both = {"the population": whole, "the frame": people}
    of_population, own = meeting_people("anonymity", both, analysis.qids)
    out = resources.scratch / "overlap.parquet"
    tables = of_population.table, own.table
    profile_overlap(*tables, analysis.compared, False, resources, out)
    return out
