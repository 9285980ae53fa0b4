"""Who is at risk, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.risk_groups.analysis import Grouping, RiskGroups
from microleak.attacks.risk_groups.measure import TABLES, risk_table
from microleak.base.errors import StudyError
from microleak.records.call import (
    TABLE,
    People,
    check_names,
    check_subsets,
    people_of,
    room_to_work,
)
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
    by: Sequence[str | Mapping[str, Any]],
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
        Columns whose values are the groups; or groups of a column's values, as
        `{"of": "town", "sizes": [1000, 10000]}` by how many persons have each value,
        and `{"of": "town", "classes": {"A": "north", None: "unknown"}}` by classes,
        each maybe with a `name`. Each gives 100 groups at most.
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
        If a column does not exist, there are too many groups, a value has no class, or
        there are no records.

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
    columns = [each for each in by if not isinstance(each, Mapping)]
    check_names("risk_groups", by=by if isinstance(by, str) else columns)
    check_subsets("risk_groups", subsets)
    classes = [_classes(each) for each in by]
    arguments = {
        "name": "risk_groups",
        "table": TABLE,
        "focal": TABLE,
        "qids": qids,
        "sensitive": sensitive,
        "by": [_without_classes(each) for each in by],
        "subsets": subsets,
    }
    with room_to_work("risk_groups", n_threads) as resources:
        analysis = analysis_of(RiskGroups, "risk_groups", arguments)
        ((*_, names),) = analysis.needs
        people = people_of("risk_groups", frame, names, "the frame")
        grouped = zip(analysis.by, classes, strict=True)
        update = {"by": tuple(_with_classes(*each, people) for each in grouped)}
        analysis = analysis.model_copy(update=update)
        table = risk_table(people.table, analysis, resources)
    return AtRisk(without_study(table, TABLES["risk_groups"]))


def _classes(given: str | Mapping[str, Any]) -> Mapping[object, str] | None:
    """Return the classes that an entry of `by` gives, if it does."""
    found = given.get("classes") if isinstance(given, Mapping) else None
    names = found.values() if isinstance(found, Mapping) else [found]
    is_named = all(isinstance(name, str) and name for name in names)
    if found is None or (isinstance(found, Mapping) and is_named):
        return found
    raise StudyError(
        "risk_groups: classes in by are a mapping of values to names of classes, as "
        '{"A": "north", None: "unknown"}.'
    )


def _without_classes(given: str | Mapping[str, Any]) -> Any:
    """Return an entry of `by` as it is checked before its column is read."""
    if not isinstance(given, Mapping) or given.get("classes") is None:
        return given
    others = {key: value for key, value in given.items() if key != "classes"}
    return others | {"class_of": {}}


def _with_classes(
    given: str | Grouping, classes: Mapping[object, str] | None, people: People
) -> str | Grouping:
    """Return an entry of `by` with the classes of values as the records have these."""
    if isinstance(given, str) or classes is None:
        return given
    texts = people.texts("risk_groups", given.of, classes)
    class_of = {
        text or "": name for text, name in zip(texts, classes.values(), strict=True)
    }
    if len({*texts}) < len(texts):
        raise StudyError(
            f"risk_groups: classes of {given.of} have a value twice, as a number and "
            "as a text. Give it once."
        )
    return given.model_copy(update={"class_of": class_of})
