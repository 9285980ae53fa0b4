"""Result tables and releases as pandera models, for pipelines that read them.

The model of a result table has the table's name. A run checks its tables by the same
columns (`microleak.tables.files`), and does not wait for pandera, which takes half a
second to import and longer than a job to check its tables.

>>> from microleak.schemas import collective
>>> collective.to_schema().columns["posterior_prob"].nullable
False
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import pandas as pd
import pandera.pandas as pandera
from pandera.typing import Series

from microleak.sources.definitions.definition import source_definition
from microleak.study.tables import result_tables
from microleak.tables.spec import PANDAS, Column, TableSpec

Model = type[pandera.DataFrameModel]
_TYPES = {"str": str, "Int64": pd.Int64Dtype, "float64": float}


@cache
def __getattr__(name: str) -> Model:
    tables = result_tables()
    if name not in tables:
        raise AttributeError(f"there is no result table {name}: {', '.join(tables)}")
    return table_model(tables[name])


def table_model(spec: TableSpec) -> Model:
    """Return the model that accepts the tables that a run may write, and no others."""
    return _model(
        spec.name,
        {each.name: _field(each) for each in spec.columns},
        {each.name: PANDAS[each.type] for each in spec.columns},
    )


def __dir__() -> list[str]:
    return ["release_model", *result_tables()]


def release_model(
    source: str, release: str, options: Mapping[str, Any] | None = None
) -> Model:
    """Return the model of a release's records as microleak keeps them: as texts.

    It has the attributes that the release is known to have, those with a domain held
    to it; a missing value is null. `options` are those of the table in a study file.

    Raises
    ------
    StudyError
        If there is no such source, release or option.
    """
    definition = source_definition(source, release, options or {})
    names = dict.fromkeys([*definition.names, *definition.domains])
    return _model(
        f"{source}_{release}",
        {
            name: pandera.Field(
                nullable=True,
                str_matches=rf"(?:{domain.pattern})\Z" if domain else None,
            )
            for name in names
            for domain in [definition.domains.get(name)]
        },
        dict.fromkeys(names, "str"),
        is_strict=False,
    )


def _field(column: Column) -> Any:
    """Return what `microleak.tables.files` checks of a column."""
    checks: dict[str, Any] = {"ge": column.least, "le": column.most}
    if not column.is_number:
        checks["isin"] = column.texts or None
        checks["ne"] = None if column.texts or column.missing else ""
    given = {name: value for name, value in checks.items() if value is not None}
    is_nullable = column.is_number and bool(column.missing)
    return pandera.Field(nullable=is_nullable, **given)


@cache
def _base(is_strict: bool) -> Model:
    class CheckedTable(pandera.DataFrameModel):
        class Config:
            strict = is_strict
            ordered = is_strict
            coerce = True

    return CheckedTable


def _model(
    name: str,
    fields: Mapping[str, Any],
    types: Mapping[str, str],
    is_strict: bool = True,
) -> Model:
    series: Any = Series  # of a type that is known here alone
    columns = {column: series[_TYPES[kind]] for column, kind in types.items()}
    words = {"__module__": __name__, "__annotations__": columns}
    return type(name, (_base(is_strict),), {**fields, **words})
