"""What tables of counts prove, from Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.table_rebuilding.analysis import TableRebuilding
from microleak.attacks.table_rebuilding.measure import (
    TABLES,
    TablesAndProofs,
    rebuilding_tables,
)
from microleak.attacks.table_rebuilding.section import check_consistent
from microleak.records.call import RELEASE, TABLE, in_words_of, people_of, room_to_work
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec

_FUNCTION = "table_rebuilding"


@dataclass(frozen=True, repr=False, eq=False)
class RebuiltTables(Result):
    """What `table_rebuilding` found: tables of a study with these names.

    Attributes
    ----------
    table_rebuilding
        What is proved, a row a region.
    rebuilt_cells
        Least and largest count of each cell that no published count says to be empty.
    rebuilt_sizes
        With sizes, what is proved of the regions of each size.
    proofs
        All claims with their proofs, as a study writes them as JSON.
    """

    table_rebuilding: pd.DataFrame
    rebuilt_cells: pd.DataFrame
    rebuilt_sizes: pd.DataFrame
    proofs: Mapping[str, Any]

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw how many records are proved."""
        from microleak.attacks.table_rebuilding.report import region_bars
        from microleak.report.texts import voice

        spec = TABLES[_FUNCTION]
        rows = with_study(self.tables[_FUNCTION], spec, analysis=_FUNCTION)
        return region_bars(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        names = ["region", "n_cells", "n_cells_proved", "n_records", "n_databases"]
        return self.table_rebuilding[[*names, "n_records_proved", "share_proved"]]


def table_rebuilding(
    tables: Sequence[Mapping[str, Any]],
    *,
    region: str | None = None,
    domains: Mapping[str, Sequence[str]] | None = None,
    sizes: Sequence[int] | None = None,
    known: Sequence[str] = (),
) -> RebuiltTables:
    """Rebuild records from published tables of counts, with proofs.

    Parameters
    ----------
    tables
        What each table is, as in a study file: `{"file": "sex-by-age.csv"}`, and
        perhaps `suppressed`, `below`, `rounded_to`, `rounding`, `noise`, `unlisted`.
    region
        An attribute that all tables have; each of its values is rebuilt by itself.
    domains
        All values that attributes can have, of those of which files lack some.
    sizes
        Numbers of records that ascend, by which regions are summed up.
    known
        Attributes by which an adversary knows everybody of a region.

    Returns
    -------
    RebuiltTables
        Tables as attributes, and the proofs.

    Raises
    ------
    StudyError, TableError
        If a file is faulty, or tables contradict one another.
    """
    keys = {
        "name": _FUNCTION,
        "tables": tables,
        "region": region,
        "domains": domains,
        "sizes": sizes,
        "known": known,
    }
    analysis = analysis_of(TableRebuilding, _FUNCTION, keys)
    check_consistent(analysis, _FUNCTION)
    with in_words_of(_FUNCTION):
        return _result(rebuilding_tables(analysis, None))


def rebuilt_crossings(
    frame: Any,
    crossings: Sequence[Sequence[str]],
    *,
    protect: Mapping[str, Any] | None = None,
    region: str | None = None,
    sizes: Sequence[int] | None = None,
    known: Sequence[str] = (),
) -> RebuiltTables:
    """Make tables of counts of a frame, and rebuild its records from them.

    Parameters
    ----------
    frame
        Records, one a person, as `microleak.assess` takes it.
    crossings
        Attributes that each of the tables crosses, besides `region`.
    protect
        `{"method": "suppress", "below": 3}`, `{"method": "round", "base": 5}`,
        `{"method": "random_round", "base": 3, "seed": 1}`, alike `controlled_round`,
        `{"method": "perturb", "most": 2, "seed": 1}`, alike `cell_key`, or
        `{"method": "geometric", "epsilon": "1", "confidence": "0.95", "seed": 1}`;
        without it counts are as they are.
    region
        An attribute by which all tables are; each of its values is rebuilt by itself.
    sizes
        Numbers of records that ascend, by which regions are summed up.
    known
        Attributes by which an adversary knows everybody of a region.

    Returns
    -------
    RebuiltTables
        Tables as attributes, and the proofs.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, or there are no records.

    Examples
    --------
    >>> people = pd.DataFrame({"sex": ["F", "F", "M"], "ill": ["yes", "no", "no"]})
    >>> found = rebuilt_crossings(people, [["sex"], ["ill"]])
    >>> found.rebuilt_cells[["cell", "least", "largest"]]
                cell  least  largest
    0   ill=no|sex=F      1        2
    1   ill=no|sex=M      0        1
    2  ill=yes|sex=F      0        1
    3  ill=yes|sex=M      0        1
    """
    release: dict[str, Any] = {"table": TABLE, "focal": RELEASE}
    release |= {"crossings": crossings, "protect": protect or {"method": "none"}}
    keys = {
        "name": _FUNCTION,
        "release": release,
        "region": region,
        "sizes": sizes,
        "known": known,
    }
    analysis = analysis_of(TableRebuilding, _FUNCTION, keys)
    check_consistent(analysis, _FUNCTION)
    with room_to_work(_FUNCTION):
        people = people_of(_FUNCTION, frame, analysis.attributes)
        return _result(rebuilding_tables(analysis, people.table))


def _result(found: TablesAndProofs) -> RebuiltTables:
    tables = {n: without_study(getattr(found, n), TABLES[n]) for n in TABLES}
    return RebuiltTables(**tables, proofs=found.proofs)
