"""From one record a person to a protected release, and what it changed."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log2
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.arrays import Codes, Integers
from microleak.base.errors import StudyError
from microleak.base.files import key_fingerprint, sha256_of, write_text
from microleak.base.progress import progress
from microleak.protection.methods import (
    MOST_COUNTED,
    DataColumn,
    column_of,
    count_codes,
    record_slices,
)
from microleak.protection.steps import KeptRecords, protected_records
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
from microleak.study_file.protections import Recipe, StepSection


def changes_by_attribute(
    before: Mapping[str, DataColumn], after: KeptRecords, recipe: Recipe
) -> Iterator[dict[str, Any]]:
    counted = {"n_before": len(after.kept), "n_after": after.n_records}
    if steps := [s for s in recipe.steps if s.method in {"sample", "suppress"}]:
        told = _told_of_methods(steps, "")
        yield {"attribute": "", **told, **counted, **_of_cells(after, steps)}
    for name in recipe.touched:
        steps = [s for s in recipe.steps if name in (*s.changed, *(s.drop or ()))]
        if not steps:
            continue
        told = _told_of_methods(steps, name)
        of_values = _of_values(before[name], after.columns.get(name), after)
        yield {"attribute": name, **told, **counted, **of_values}


def _of_cells(after: KeptRecords, steps: Sequence[StepSection]) -> dict[str, int]:
    n_steps = sum(step.suppress is not None for step in steps)
    found = {"n_suppressed": after.n_suppressed} if n_steps else {}
    if n_steps == 1:
        # What a second step needs follows from what the first chose.
        found["n_suppressed_at_least"] = after.n_suppressed_at_least
    return found


def _told_of_methods(steps: Sequence[StepSection], name: str) -> dict[str, str]:
    each = (
        " ".join(f"{k}={_value_text(v)}" for k, v in step.parameters(name).items())
        for step in steps
    )
    methods = (step.method for step in steps)
    return {"methods": "|".join(methods), "parameters": "|".join(each)}


def _value_text(value: object) -> str:
    if not isinstance(value, list):
        return str(value)
    is_of_lists = any(isinstance(each, list) for each in value)
    return (";" if is_of_lists else ",").join(map(_value_text, value))


def _of_values(
    before: DataColumn, after: DataColumn | None, records: KeptRecords
) -> dict[str, Any]:
    """Count what became of an attribute's values; None says that it was dropped."""
    found: dict[str, Any] = {
        "n_values_before": int(np.count_nonzero(before.counts)),
        "n_changed": None,
        "n_made_missing": None,
        "n_values_after": None,
        "entropy_kept": 0.0,
    }
    own = before.codes if records.kept.all() else before.codes[records.kept]
    n_own = count_codes(own, len(before.values))
    entropy = _entropy_of_sizes(n_own[n_own > 0])
    if after is not None:
        code_of = {value: code for code, value in enumerate(after.values)}
        same = np.array([code_of.get(value, -1) for value in before.values])
        n_changed = n_missing = 0
        for part in record_slices(len(own)):
            is_other = same[own[part]] != after.codes[part]
            n_changed += int(is_other.sum())
            n_missing += int((is_other & (after.codes[part] == 0)).sum())
        joint = _entropy_of_sizes(_pair_counts(own, after))
        of_labels = _entropy_of_sizes(after.counts[after.counts > 0])
        found |= {
            "n_changed": n_changed,
            "n_made_missing": n_missing,
            "n_values_after": int(np.count_nonzero(after.counts)),
            "entropy_kept": entropy + of_labels - joint,
        }
    share = found["entropy_kept"] / entropy if entropy else None
    # Rounding of floats may lead past the bounds.
    found["entropy_kept"] = None if share is None else min(1.0, max(0.0, share))
    return found


def _pair_counts(own: Codes, after: DataColumn) -> Integers:
    n_after = len(after.values)
    n_pairs = (int(own.max(initial=0)) + 1) * n_after
    if n_pairs <= MOST_COUNTED:
        found = np.zeros(n_pairs, dtype=np.int64)
        for part in record_slices(len(own)):
            both = own[part].astype(np.int64) * n_after + after.codes[part]
            found += np.bincount(both, minlength=n_pairs)
        return found[found > 0]
    both = own.astype(np.int64) * n_after + after.codes
    both.sort()
    starts = np.flatnonzero(np.diff(both, prepend=both[0] - 1))
    return np.diff(starts, append=len(both))


def _entropy_of_sizes(sizes: Integers) -> float:
    n = int(sizes.sum())
    each, times = np.unique(sizes, return_counts=True)
    pairs = zip(each.tolist(), times.tolist(), strict=True)
    return -fsum(many * size / n * log2(size / n) for size, many in pairs)


@dataclass(frozen=True)
class Files:
    """The records to protect and the receipt beside them, and both to write."""

    people: Path
    receipt: Path
    protected: Path
    protected_receipt: Path


def protect_people(files: Files, settings: Mapping[str, Any]) -> None:
    """Write the records of a protected release, and what was done to them.

    Only columns that steps name are held in memory.
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
    """Return what random choices follow from beside the seed."""
    # Not the fingerprint of the key, which stands in the records of a study.
    return hashlib.blake2b(key, person=b"microleak").hexdigest()


def check_files(
    files: Mapping[str, str], digest: Callable[[str], str] = sha256_of
) -> None:
    for path, found in files.items():
        file = MUNICIPALITIES if path == MUNICIPALITIES.name else Path(path)
        if not file.is_file() or digest(str(file)) != found:
            raise StudyError(
                f"{path} was changed while the study ran. Its results would be of both "
                "files: run it again."
            )


def coded_columns(chunks: Chunks, names: Sequence[str]) -> dict[str, DataColumn]:
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
