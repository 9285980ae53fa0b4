"""What tables of counts prove, from Python."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.table_rebuilding.measure import TABLES, rebuilding_tables
from microleak.attacks.table_rebuilding.section import TableRebuilding
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import RELEASE, TABLE

_RESULT: dict[str, Any] = {
    "tables": (*TABLES, "proofs"),
    "shown": (
        *("region", "n_cells", "n_cells_proved", "n_records", "n_databases"),
        *("n_records_proved", "share_proved"),
    ),
}


@on_frames(TableRebuilding, "RebuiltTables", **_RESULT, without=("release",))
def table_rebuilding(call: Call, tables: Sequence[Mapping[str, Any]]) -> Tables:
    """Rebuild records from published tables of counts, with proofs.

    Parameters
    ----------
    tables
        What each table is, as in a study file: `{"file": "sex-by-age.csv"}`, and
        perhaps `suppressed`, `below`, `rounded_to`, `rounding`, `noise`, `unlisted`.
    """
    return rebuilding_tables(call.analysis(tables=tables), None)._asdict()


@on_frames(
    TableRebuilding,
    "RebuiltTables",
    **_RESULT,
    without=("release", "tables", "domains"),
)
def rebuilt_crossings(
    call: Call,
    frame: Any,
    crossings: Sequence[Sequence[str]],
    *,
    protect: Mapping[str, Any] | None = None,
) -> Tables:
    """Make tables of counts of a frame, and rebuild its records from them.

    Parameters
    ----------
    crossings
        Attributes that each of the tables crosses, besides `region`.
    protect
        `{"method": "suppress", "below": 3}`, `{"method": "round", "base": 5}`,
        `{"method": "random_round", "base": 3, "seed": 1}`, alike `controlled_round`,
        `{"method": "perturb", "most": 2, "seed": 1}`, alike `cell_key`, or
        `{"method": "geometric", "epsilon": "1", "confidence": "0.95", "seed": 1}`;
        without it counts are as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["F", "F", "M"], "ill": ["yes", "no", "no"]})
    >>> found = rebuilt_crossings(people, [["sex"], ["ill"]])
    >>> found.rebuilt_cells[["cell", "least", "largest"]]
                cell  least  largest
    0   ill=no|sex=F      1        2
    1   ill=no|sex=M      0        1
    2  ill=yes|sex=F      0        1
    3  ill=yes|sex=M      0        1
    """
    made: dict[str, Any] = {"table": TABLE, "focal": RELEASE, "crossings": crossings}
    made["protect"] = protect or {"method": "none"}
    analysis = call.analysis(name="table_rebuilding", release=made)
    people = call.people(frame, analysis.attributes)
    return rebuilding_tables(analysis, people.table)._asdict()
