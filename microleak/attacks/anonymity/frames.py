"""How anonymous a frame is by the usual models."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.anonymity.blocks import profile_blocks
from microleak.attacks.anonymity.entities import profile_entities
from microleak.attacks.anonymity.measure import AnonymityFiles, anonymity_tables
from microleak.attacks.anonymity.section import Anonymity
from microleak.attacks.anonymity.uniqueness import uniqueness
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import TABLE, People, meeting_people
from microleak.records.overlap_profile import profile_overlap


@on_frames(
    Anonymity,
    "Anonymous",
    tables=("anonymity", "classes", "uniqueness"),
    positional=("qids", "sensitive"),
    shown=(
        *("sensitive", "qids", "n_qids", "k_anonymity", "n_below_2"),
        *("l_distinct", "t_equal", "k_map", "posterior_unique"),
    ),
)
def anonymity(
    call: Call,
    frame: Any,
    *,
    population: Any = None,
    rows: Any = None,
    n_threads: int | None = None,
) -> Tables:
    """Say how anonymous a release is: k-anonymity, l-diversity, t-closeness, k-map.

    Parameters
    ----------
    population
        Frame of the persons of whom `frame` is a sample, with the same QIDs.
    rows
        Frame that has the entities' rows, entity and QIDs, if those of `frame` are not
        all; its QIDs wait in a temporary folder that only you can read.

    Examples
    --------
    >>> import pandas as pd
    >>> town = pd.DataFrame({"age": [25, 25, 60, 60], "ill": ["y", "n", "y", "y"]})
    >>> found = anonymity(town, qids=["age"], sensitive=["ill"])
    >>> found.anonymity[["sensitive", "k_anonymity", "l_distinct"]]
      sensitive  k_anonymity  l_distinct
    0                      2        <NA>
    1       ill         <NA>           1
    """
    people = call.people(frame, call.columns("qids", "sensitive", "weight"))
    whole = {"table": TABLE, "release": "population"}
    population_of = None if population is None else whole
    analysis = call.analysis(people, population=population_of)
    resources = call.resources
    blocks = resources.scratch / "blocks.parquet"
    profile_blocks(people.table, analysis, False, resources, blocks)
    entities = _entities(call, frame if rows is None else rows, analysis)
    overlap = _overlap(call, population, people, analysis)
    files = AnonymityFiles(people.table, blocks, entities, overlap)
    found = anonymity_tables(files, analysis, resources)
    if analysis.is_estimated:
        table = _with_decimals(people, analysis.weight)
        found["uniqueness"] = uniqueness(table, analysis, resources)
    return found


def _with_decimals(people: People, weight: str | None) -> pa.Table:
    """Return the records; floats as weights have points that stand before decimals."""
    if weight is None or not pa.types.is_floating(people.types[weight]):
        return people.table
    texts = people.table[weight].cast(pa.string())
    longer = pc.binary_join_element_wise(texts, "0", "")
    plain = pc.if_else(pc.match_substring(texts, "."), longer, texts)
    place = people.table.column_names.index(weight)
    return people.table.set_column(place, weight, plain)


def _entities(call: Call, rows: Any, analysis: Anonymity) -> Path | None:
    if analysis.entity is None:
        return None
    names = [analysis.entity, *analysis.qids]
    table = call.people(rows, names, "the frame of entities").table
    plain = pa.table({name: table[name].cast(pa.string()) for name in names})
    out = call.resources.scratch / "entities.parquet"
    profile_entities(plain, analysis, False, call.resources, out)
    return out


def _overlap(
    call: Call, population: Any, people: People, analysis: Anonymity
) -> Path | None:
    if analysis.compared is None:
        return None
    whole = call.people(population, analysis.qids, "the population")
    both = {"the population": whole, "the frame": people}
    of_population, own = meeting_people("anonymity", both, analysis.qids)
    out = call.resources.scratch / "overlap.parquet"
    tables = of_population.table, own.table
    profile_overlap(*tables, analysis.compared, False, call.resources, out)
    return out
