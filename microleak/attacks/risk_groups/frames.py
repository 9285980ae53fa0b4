"""Who is at risk, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.risk_groups.analysis import RiskGroups
from microleak.attacks.risk_groups.measure import TABLES, risk_table
from microleak.records.call import TABLE, check_names, check_subsets, people_of, room
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class AtRisk(Result):
    """What `risk_groups` found: a table of a study with this name (docs/results.md).

    Attributes
    ----------
    risk_groups
        Success of the attacks on each group, a row a group, attack and set of QIDs.
    """

    risk_groups: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw of how many members of each group the adversary is certain."""
        from microleak.attacks.risk_groups.report import group_bars
        from microleak.report.texts import voice

        spec = TABLES["risk_groups"]
        rows = with_study(self.tables["risk_groups"], spec, analysis="risk_groups")
        return group_bars(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        rows = self.risk_groups
        largest = rows[rows["n_qids"] == rows["n_qids"].max()]
        names = ["by", "value", "sensitive", "n_members", "n_certain"]
        return largest[[*names, "posterior_prob", "risk_ratio_det"]]


def risk_groups(
    frame: Any,
    qids: Sequence[str],
    by: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    subsets: Any = "all",
    n_threads: int = 1,
) -> AtRisk:
    """Measure who is at risk: the attacks' success on groups of the persons.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    qids
        What the adversary may know.
    by
        Columns whose values are the groups, of 100 values each at most.
    sensitive
        What is inferred.
    subsets, n_threads
        As of `microleak.assess`.

    Returns
    -------
    AtRisk
        The table as an attribute.

    Raises
    ------
    StudyError, TableError
        If a column does not exist or has too many values for groups, or there are no
        records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [25, 25, 49, 60], "sex": ["F", "M", "F", "F"]})
    >>> found = risk_groups(people, ["age"], ["sex"])
    >>> found.risk_groups[["value", "n_members", "n_certain", "posterior_prob"]]
      value  n_members  n_certain  posterior_prob
    0     F          3          2        0.833333
    1     M          1          0        0.500000
    """
    check_names("risk_groups", qids=qids, sensitive=sensitive)
    check_names("risk_groups", by=by)
    check_subsets("risk_groups", subsets)
    arguments = {
        "name": "risk_groups",
        "table": TABLE,
        "focal": TABLE,
        "qids": qids,
        "sensitive": sensitive,
        "by": by,
        "subsets": subsets,
    }
    with room("risk_groups", n_threads) as resources:
        names = dict.fromkeys((*qids, *sensitive, *by))
        people = people_of("risk_groups", frame, names, "the frame")
        analysis = analysis_of(RiskGroups, "risk_groups", arguments)
        table = risk_table(people.table, analysis, resources)
    return AtRisk(without_study(table, TABLES["risk_groups"]))
