"""Who is at risk, on frames."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.risk_groups.measure import risk_table
from microleak.attacks.risk_groups.section import Grouping, RiskGroups
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import People, check_names


@on_frames(
    RiskGroups,
    "AtRisk",
    _rows=lambda _, rows: rows[rows["n_qids"] == rows["n_qids"].max()],
    shown=(
        *("by", "value", "sensitive", "n_members", "n_certain"),
        *("posterior_prob", "risk_ratio_det"),
    ),
)
def risk_groups(
    call: Call,
    frame: Any,
    *,
    by: Sequence[str | Mapping[str, Any]],
    n_threads: int | None = None,
) -> Tables:
    """Measure who is at risk: the attacks' success on groups of the persons.

    Parameters
    ----------
    by
        Columns whose values are the groups; or groups of a column's values, as
        `{"of": "town", "sizes": [1000, 10000]}` by how many persons have each value,
        and `{"of": "town", "classes": {"A": "north", None: "unknown"}}` by classes,
        each maybe with a `name`. Each gives 100 groups at most.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 25, 49, 60], "sex": ["F", "M", "F", "F"]})
    >>> found = risk_groups(people, ["age"], ["sex"])
    >>> found.risk_groups[["value", "n_members", "n_certain", "posterior_prob"]]
      value  n_members  n_certain  posterior_prob
    0     F          3          2        0.833333
    1     M          1          0        0.500000
    """
    columns = [each for each in by if not isinstance(each, Mapping)]
    check_names("risk_groups", by=by if isinstance(by, str) else columns)
    classes = [_classes(each) for each in by]
    analysis = call.analysis(by=[_without_classes(each) for each in by])
    ((*_, names),) = analysis.needs
    people = call.people(frame, names)
    grouped = zip(analysis.by, classes, strict=True)
    update = {"by": tuple(_with_classes(*each, people) for each in grouped)}
    analysis = analysis.model_copy(update=update)
    return {"risk_groups": risk_table(people.table, analysis, call.resources)}


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
