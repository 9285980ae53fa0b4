"""Facts of units, as columns of a frame."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.base.errors import StudyError
from microleak.records.call import RELEASE, TABLE, People, people_of, room_to_work
from microleak.records.chunks import TableChunks
from microleak.records.frames import column_names, with_texts
from microleak.study_file.call import analysis_of
from microleak.study_file.units import UnitsSection
from microleak.units.members import Units

_FUNCTION = "unit_facts"


def unit_facts(
    frame: Any,
    unit: str,
    facts: Mapping[str, Mapping[str, Any]],
    *,
    n_threads: int | None = None,
) -> Any:
    """Return a frame with facts of each record's household or other unit.

    They are those of `facts` in `units` of a study file (docs/units.md).

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it. It is not changed.
    unit
        The column that has the same value in the records of one unit. A record without
        one is a unit by itself.
    facts
        What is known, by the name of a new column: `{"of": ["sex", "age"]}` lists the
        members, `{}` counts them, and `{"where": {"ill": ["yes"]}, "others": True,
        "whether": True}` says whether somebody else is ill.

    Returns
    -------
    frame
        A frame of the kind that was given, with the new columns as texts.

    Raises
    ------
    StudyError, TableError
        If a column is missing, a new name is taken, or a fact is wrong.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"home": [1, 1, 2], "sex": ["M", "F", "F"]})
    >>> unit_facts(people, "home", {"members": {"of": ["sex"]}, "n": {}})
       home sex members  n
    0     1   M  (F)(M)  2
    1     1   F  (F)(M)  2
    2     2   F     (F)  1
    """
    _check_kinds(facts)
    named = [name for fact in facts.values() for name in fact.get("of", ())]
    named += [name for fact in facts.values() for name in fact.get("where", ())]
    known = column_names(frame, _FUNCTION)
    for name in facts:
        if name in known:
            raise StudyError(f"{_FUNCTION}: the frame has a column {name}. Rename it.")
    people = people_of(_FUNCTION, frame, dict.fromkeys([unit, *named]))
    given = {
        name: {**fact, "where": _as_texts(people, fact.get("where", {}))}
        for name, fact in facts.items()
    }
    arguments = {"table": TABLE, "release": RELEASE, "unit": unit, "facts": given}
    section = analysis_of(UnitsSection, _FUNCTION, arguments)
    with room_to_work(_FUNCTION, n_threads) as resources:
        units = Units(TableChunks(people.table), unit, resources.threads)
        told = {name: units.told(fact) for name, fact in section.facts.items()}
        texts = {name: each.texts() for name, each in told.items()}
    return with_texts(frame, texts)


def _as_texts(
    people: People, where: Mapping[str, Sequence[Any]]
) -> dict[str, list[str | None]]:
    """Return which members count, with values as texts of their columns."""
    return {n: people.texts(_FUNCTION, n, values) for n, values in where.items()}


def _check_kinds(facts: Any) -> None:
    """Refuse what is no mapping or no list, before columns are looked for."""
    if not isinstance(facts, Mapping):
        raise StudyError(f"{_FUNCTION}: facts is a mapping, as {{'members': {{}}}}.")
    for name, fact in facts.items():
        said = f"{_FUNCTION}: {name}"
        if not isinstance(fact, Mapping):
            raise StudyError(f"{said} is a mapping, as {{'of': ['age']}}.")
        if not isinstance(fact.get("of", ()), list | tuple):
            raise StudyError(f"{said}: of is a list, as ['age'].")
        where = fact.get("where", {})
        if not isinstance(where, Mapping):
            raise StudyError(f"{said}: where is a mapping, as {{'ill': ['yes']}}.")
        for column, values in where.items():
            if not isinstance(values, list | tuple):
                raise StudyError(f"{said}: where of {column} is a list, as ['yes'].")
