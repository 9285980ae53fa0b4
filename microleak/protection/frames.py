"""A frame protected as a release of a study would be."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.base.errors import StudyError, TableError
from microleak.protection.methods import DataColumn
from microleak.protection.protect import changes_by_attribute, coded_columns, secret_of
from microleak.protection.steps import KeptRecords, protected_records
from microleak.records.call import RELEASE, TABLE, people_of, room_to_work
from microleak.records.chunks import TableChunks
from microleak.records.frames import column_names, with_texts
from microleak.study_file.call import analysis_of, hierarchies_of
from microleak.study_file.keys import KEY_BYTES, check_key, fault_of_key
from microleak.study_file.protections import ProtectionSection, Recipe
from microleak.study_file.recipes import check_order, checked_steps
from microleak.study_file.section import Section, Seed
from microleak.tables.result import Result, is_of_polars, without_study
from microleak.tables.rows import as_table
from microleak.tables.spec import TableSpec, tables_of

_CHANGES = tables_of("microleak.study")["protections"]
_FUNCTION = "protect"


class _Seeded(Section):
    """An argument that a study file has, too."""

    seed: Seed | None = None
    """Number from which random choices follow."""


class Protected(Result):
    """What `protect` made. A notebook shows what was changed, and no record.

    Attributes
    ----------
    changes
        What became of each attribute that the steps change, with the columns of
        `measures/protections.csv` from `attribute` on.
    records
        The protected records, in a frame of the kind that was given.
    key
        What was drawn by, where a step is random and neither `seed` nor `key` was
        given; otherwise None. With it as `key` the same records are made again.
    """

    changes: pd.DataFrame
    records: Any
    key: bytes | None

    specs: ClassVar[Mapping[str, TableSpec]] = {"changes": _CHANGES}


def protect(
    frame: Any,
    steps: Sequence[Mapping[str, Any]],
    *,
    hierarchies: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int | None = None,
    key: bytes | str | Path | None = None,
    name: str = "protect",
) -> Protected:
    """Protect records as `protections` of a study file does, step by step.

    Without `seed` and `key`, what is random is drawn anew in each call, by a key that
    the result has as `key`. Who has the key can undo what was random; keep it apart
    from the records, or throw it away: then nobody can. With a `seed` alone anyone can,
    by trying all seeds. The order of the records is that of the frame, so that someone
    who has the frame knows which record was which: sort them before they are published.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it. It is not changed.
    steps
        What is done, in this order, each as in a study file (docs/protect.md):
        `{"drop": ["name"]}`, `{"generalise": {"age": 1}}`, `{"round": {"pay": 100}}`,
        `{"randomise": {"illness": {"keep": "0.8"}}}`, `{"swap": ["town"], "rate":
        "0.05"}`, `{"suppress": ["age", "town"], "k": 3}` or `{"sample": "0.5"}`.
    hierarchies
        Of each attribute that is generalised its levels, as
        `microleak.smallest_protection` takes them.
    seed, key, name
        What random choices follow from, with the number of the step and the place of
        the record: those of the study and the protection give the study's records. The
        key is a file of 32 bytes or more, as in a study file, or these bytes. With a
        key alone the seed is 0.

    Returns
    -------
    Protected
        The records, changed columns as texts, others as they were, and the
        table of changes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, a step, a hierarchy, the seed or the key is wrong or
        does not fit, or there are no records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [21, 22, 33], "ill": ["yes", "no", "no"]})
    >>> levels = {"age": {"widths": [10]}}
    >>> found = protect(people, [{"generalise": {"age": 1}}], hierarchies=levels)
    >>> found.records
         age  ill
    0  20-29  yes
    1  20-29   no
    2  30-39   no
    """
    seed = int(seed) if isinstance(seed, np.integer) else seed
    analysis_of(_Seeded, _FUNCTION, {"seed": seed})
    recipe = recipe_given(_FUNCTION, steps, hierarchies or {}, seed or 0, name)
    check_order(recipe.steps, _FUNCTION)
    drawn_by = None
    if seed is None and key is None and any(step.draws for step in recipe.steps):
        key = drawn_by = secrets.token_bytes(KEY_BYTES)
    if key is not None:
        recipe = replace(recipe, secret=secret_of(_key_of(key)))
    column_names(frame, _FUNCTION)
    if not len(frame):
        raise TableError(f"{_FUNCTION}: the frame has no records.")
    before: dict[str, DataColumn] = {}
    with room_to_work(_FUNCTION):
        if recipe.touched:
            people = people_of(_FUNCTION, frame, recipe.touched)
            before = coded_columns(TableChunks(people.table), recipe.touched)
        after = protected_records(
            KeptRecords(before, np.ones(len(frame), dtype=bool)), recipe
        )
        found = as_table(_CHANGES, changes_by_attribute(before, after, recipe))
    told = without_study(found, _CHANGES, ("origin",))
    records = _records_left(frame, after, recipe)
    found = {"changes": told, "records": records, "key": drawn_by}
    return Protected(found, is_of_polars(frame))


def _key_of(key: bytes | str | Path) -> bytes:
    if not isinstance(key, bytes):
        check_key(Path(key), _FUNCTION)
        return Path(key).read_bytes()
    if fault := fault_of_key(key):
        raise StudyError(
            f"{_FUNCTION}: key {fault}. Make another one: secrets.token_bytes(32)"
        )
    return key


def recipe_given(
    function: str,
    steps: Sequence[Mapping[str, Any]],
    hierarchies: Mapping[str, Mapping[str, Any]],
    seed: int = 0,
    name: str = "",
) -> Recipe:
    levels = hierarchies_of(function, hierarchies)
    arguments = {"table": TABLE, "release": RELEASE, "steps": steps}
    given = analysis_of(ProtectionSection, function, arguments)
    checked = checked_steps(given.steps, levels, function)
    return Recipe(name or function, seed, checked, levels)


def _records_left(frame: Any, after: KeptRecords, recipe: Recipe) -> Any:
    kept = np.flatnonzero(after.kept)
    dropped = [name for name in recipe.touched if name not in after.columns]
    changed = {name for step in recipe.steps for name in step.changed}
    texts = {
        name: pa.array(column.values, pa.string()).take(pa.array(column.codes))
        for name, column in after.columns.items()
        if name in changed
    }
    if isinstance(frame, pd.DataFrame):
        records = frame.iloc[kept].drop(columns=dropped)
    elif isinstance(frame, pa.Table | pa.RecordBatch):
        records = frame.take(pa.array(kept)).drop_columns(dropped)
    else:
        records = frame[kept].drop(dropped)
    return with_texts(records, texts)
