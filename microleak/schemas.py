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

import pandera.pandas as pandera
from pandas.api.types import pandas_dtype

from microleak.sources.definitions.definition import source_definition
from microleak.study.tables import result_tables
from microleak.tables.spec import PANDAS, Column, TableSpec

Model = type[pandera.DataFrameModel]


@cache
def __getattr__(name: str) -> Model:
    tables = result_tables()
    if name not in tables:
        raise AttributeError(f"there is no result table {name}: {', '.join(tables)}")
    return table_model(tables[name])


def __dir__() -> list[str]:
    return ["release_model", "table_model", *result_tables()]


def table_model(spec: TableSpec) -> Model:
    """Return the model that accepts the tables that a run may write, and no others."""
    columns = {each.name: (PANDAS[each.type], _field(each)) for each in spec.columns}
    return _model(spec.name, columns)


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
    columns = {}
    for name in dict.fromkeys([*definition.names, *definition.domains]):
        domain = definition.domains.get(name)
        whole = rf"(?:{domain.pattern})\Z" if domain else None
        columns[name] = "str", pandera.Field(nullable=True, str_matches=whole)
    return _model(f"{source}_{release}", columns, is_strict=False)


def _field(column: Column) -> Any:
    """Return what `microleak.tables.files` checks of a column."""
    may_be_empty = column.is_number or column.texts or column.missing
    return pandera.Field(
        nullable=column.is_number and bool(column.missing),
        ge=column.least,
        le=column.most,
        isin=column.texts or None,
        ne=None if may_be_empty else "",
    )


def _model(
    name: str, columns: Mapping[str, tuple[str, Any]], *, is_strict: bool = True
) -> Model:
    """Return a model of columns, of each its type in pandas and what is checked."""
    config = {"strict": is_strict, "ordered": is_strict, "coerce": True}
    body = {
        "__module__": __name__,
        "__annotations__": {
            each: pandas_dtype(kind) for each, (kind, _) in columns.items()
        },
        "Config": type("Config", (), config),
    }
    fields = {each: field for each, (_, field) in columns.items()}
    return type(name, (pandera.DataFrameModel,), fields | body)
