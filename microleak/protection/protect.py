"""From one record a person to the records of a protected release."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.arrays import Codes
from microleak.base.errors import StudyError
from microleak.base.files import key_fingerprint, sha256_of, write_text
from microleak.base.progress import progress
from microleak.protection.changes import changes_by_attribute
from microleak.protection.methods import DataColumn, column_of
from microleak.protection.steps import KeptRecords, Recipe, protected_records
from microleak.records.chunks import Chunks, ParquetChunks
from microleak.records.coding import encoded_column
from microleak.records.hierarchy import MUNICIPALITIES
from microleak.sources.steps.intermediate import (
    receipt,
    receipt_text,
    schema_of,
    write_row_groups,
)
from microleak.study_file.hierarchies import HierarchySection
from microleak.study_file.protections import StepSection


@dataclass(frozen=True)
class Files:
    """The records to protect and the receipt beside them, and both to write."""

    people: Path
    receipt: Path
    protected: Path
    protected_receipt: Path


def protect_people(files: Files, settings: Mapping[str, Any]) -> None:
    """Write the records of a protected release, and what was done to them.

    Only columns that steps name are held in memory, as codes of one, two or four bytes,
    before and after; all others pass through, some row groups at a time. The receipt
    has `person_id` as that of the records has it, counts of records, and a row for each
    changed attribute.
    """
    check_files(settings["files"])
    if "key" in settings:
        check_files({settings["key"]: settings["fingerprint"]}, key_fingerprint)
    recipe = recipe_of(settings)
    told = receipt(files.receipt)
    chunks = ParquetChunks([files.people])
    before = coded_columns(chunks, recipe.touched)
    everyone = KeptRecords(before, np.ones(chunks.n_rows, dtype=bool))
    after = protected_records(everyone, recipe)
    schema = schema_of(files.people)
    wanted = {told["person_id"], *settings["attributes"]}
    names = [name for name in schema.names if name in wanted]
    fields = [(name, pa.string()) for name in names]
    with progress("writing the protected release", chunks.n_rows) as advance:
        rows = protected_rows(chunks, after, names, advance)
        batches = (batch for table in rows for batch in table.to_batches())
        write_row_groups(files.protected, batches, pa.schema(fields, schema.metadata))
    counts = {
        "person_id": told["person_id"],
        "seed": recipe.seed,
        "n_before": chunks.n_rows,
        "n_records": after.n_records,
        "changes": list(changes_by_attribute(before, after, recipe)),
    }
    write_text(files.protected_receipt, receipt_text(counts))


def recipe_of(settings: Mapping[str, Any]) -> Recipe:
    return Recipe(
        settings["name"],
        settings["seed"],
        tuple(StepSection(**step) for step in settings["steps"]),
        {n: HierarchySection(**h) for n, h in settings["hierarchies"].items()},
        secret_of(Path(settings["key"]).read_bytes()) if "key" in settings else "",
    )


def secret_of(key: bytes) -> str:
    """Return what random choices follow from beside the seed.

    It is not the fingerprint of the key, which stands in the records of a study.
    """
    return hashlib.blake2b(key, person=b"microleak").hexdigest()


def check_files(
    files: Mapping[str, str], digest: Callable[[str], str] = sha256_of
) -> None:
    """Refuse files that are not those of the study file's reading."""
    for path, found in files.items():
        file = MUNICIPALITIES if path == MUNICIPALITIES.name else Path(path)
        if not file.is_file() or digest(str(file)) != found:
            raise StudyError(
                f"{path} was changed while the study ran. Its results would be of both "
                "files: run it again."
            )


def coded_columns(chunks: Chunks, names: Sequence[str]) -> dict[str, DataColumn]:
    """Return columns of text as codes, read once, chunk by chunk."""
    with progress("coding", chunks.n_rows * len(names)) as advance:
        return {name: _coded_column(chunks, name, advance) for name in names}


def _coded_column(
    chunks: Chunks, name: str, advance: Callable[[int], None]
) -> DataColumn:
    known = pa.nulls(1, pa.string())
    codes: Codes = np.zeros(chunks.n_rows, dtype=np.uint8)
    start = 0
    for i in range(chunks.n_chunks):
        values, indices = encoded_column(chunks.read(i, [name]).column(0), name)
        values = values.cast(pa.string())
        is_new = pc.invert(pc.is_in(values, value_set=known))
        known = pa.concat_arrays([known, pc.unique(values.filter(is_new))])
        kind = np.min_scalar_type(len(known) - 1)
        if kind != codes.dtype:
            codes = codes.astype(kind)
        code_of = pc.index_in(values, value_set=known).to_numpy(zero_copy_only=False)
        codes[start : start + len(indices)] = code_of[indices]
        start += len(indices)
        advance(len(indices))
    # By their texts: the order in which they come depends on chunks.
    return column_of(known.to_pylist(), codes)


def protected_rows(
    chunks: Chunks,
    records: KeptRecords,
    names: Sequence[str],
    advance: Callable[[int], None],
) -> Iterator[pa.Table]:
    changed = {n: pa.array(c.values, pa.string()) for n, c in records.columns.items()}
    others = [name for name in names if name not in changed]
    row = n_done = 0
    for i in range(chunks.n_chunks):
        passing = chunks.read(i, others or names[:1])  # one tells how many there are
        kept = records.kept[row : row + len(passing)]
        row += len(passing)
        advance(len(passing))
        n_kept = int(kept.sum())
        passing = passing.filter(kept) if n_kept < len(kept) else passing
        rows = {name: passing[name] for name in others}
        for name in {*names} - {*others}:
            own = records.columns[name].codes[n_done : n_done + n_kept]
            rows[name] = changed[name].take(pa.array(own))
        n_done += n_kept
        yield pa.table({name: rows[name].cast(pa.string()) for name in names})
