"""How many records of each release were removed, by attribute and reason."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.sources.made import receipt

REMOVED = ("table", "release", "attribute", "reason", "n_rows", "share_of_read")
"""Columns of the table."""


def removed_table(
    study_dir: Path, releases: Iterable[tuple[str, str, bool]]
) -> pd.DataFrame:
    """Return one row a (table, release, attribute, reason), from the receipts.

    Only releases of sources whose invalid records are removed have rows, those of
    each in the order of its attributes. One record may count in several: the last
    row, of no attribute and reason `any`, counts each once. `share_of_read` is of
    the rows read, in [0, 1].
    """
    rows = [
        row
        for table, release, _ in releases
        for row in _rows(study_dir, table, release)
    ]
    return pd.DataFrame(rows, columns=list(REMOVED))


def _rows(study_dir: Path, table: str, release: str) -> Iterator[dict[str, Any]]:
    path = study_dir / "tables" / table / f"{release}.json"
    told = receipt(path)
    for removed in told.get("removed", []):
        share = removed["n_rows"] / told["n_read"]
        yield {
            "table": table,
            "release": release,
            **removed,
            "share_of_read": share,
        }
