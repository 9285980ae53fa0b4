"""Polars, one lazy group-by a subset on the streaming engine."""

from collections.abc import Sequence
from functools import partial

import polars as pl

from benchmarks.counts import Counts
from benchmarks.peers import Counter, Given

_SIZE = "__size"


def by_flags(given: Given) -> Counter:
    """Open the form with one sum a sensitive value, which needs few of them."""
    frame = _frame(given)
    last = frame.select(pl.col(given.sensitive).max()).row(0, named=True)
    return partial(_count_flags, frame, last)


def by_values(given: Given) -> Counter:
    """Open the form with two group-bys, which takes any sensitive attribute."""
    return partial(_count_values, _frame(given), given.sensitive)


def _frame(given: Given) -> pl.DataFrame:
    columns = [*given.qids, *given.sensitive]
    return pl.read_parquet(given.codes, columns=columns).rechunk()


def _count_flags(
    frame: pl.DataFrame, last: dict[str, int], qids: Sequence[str]
) -> Counts:
    flags = {name: [f"{name}={v}" for v in range(n)] for name, n in last.items()}
    sums = [
        (pl.col(name) == value).sum().alias(flag)
        for name in flags
        for value, flag in enumerate(flags[name])
    ]
    blocks = frame.lazy().group_by(qids).agg(pl.len().alias(_SIZE), *sums)
    modal = [_modal(name, flags[name]) for name in flags]
    summary = blocks.with_columns(modal).select(
        *_sizes(), *[part for name in flags for part in _inference(name, name)]
    )
    found = summary.collect(engine="streaming").row(0, named=True)
    return _counts(found, tuple(flags))


def _modal(name: str, flags: Sequence[str]) -> pl.Expr:
    counts = [pl.col(flag).cast(pl.Int64) for flag in flags]
    rest = pl.col(_SIZE).cast(pl.Int64) - sum(counts, pl.lit(0))
    return pl.max_horizontal(*counts, rest).alias(name)


def _count_values(
    frame: pl.DataFrame, sensitive: tuple[str, ...], qids: Sequence[str]
) -> Counts:
    queries = [
        frame.lazy()
        .group_by([*qids, name])
        .agg(pl.len().alias("__modal"))
        .group_by(qids)
        .agg(pl.col("__modal").sum().alias(_SIZE), pl.col("__modal").max())
        .select(*_sizes(), *_inference(name, "__modal"))
        for name in sensitive
    ]
    found = {}
    for part in pl.collect_all(queries, engine="streaming"):
        found.update(part.row(0, named=True))
    return _counts(found, sensitive)


def _sizes() -> list[pl.Expr]:
    size = pl.col(_SIZE)
    return [pl.len().alias("blocks"), (size == 1).sum().alias("unique")]


def _inference(name: str, modal: str) -> list[pl.Expr]:
    most, size = pl.col(modal).cast(pl.Int64), pl.col(_SIZE).cast(pl.Int64)
    return [
        most.sum().alias(f"modal {name}"),
        size.filter(most == size).sum().alias(f"certain {name}"),
    ]


def _counts(found: dict[str, int], sensitive: Sequence[str]) -> Counts:
    return Counts(
        found["blocks"],
        found["unique"],
        tuple(found[f"modal {name}"] for name in sensitive),
        tuple(found[f"certain {name}"] for name in sensitive),
    )
