"""How many rows of each release were read, refused, removed, kept, dropped, changed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.sources.steps.intermediate import receipt
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.study")


def ingest_table(
    study_dir: Path, releases: Iterable[tuple[str, str, bool]]
) -> pd.DataFrame:
    """Return one row a (table, release, is synthetic), from their receipts."""
    return as_table(
        TABLES["ingest"], [_ingest_row(study_dir, *each) for each in releases]
    )


def _ingest_row(
    study_dir: Path, table: str, release: str, is_synthetic: bool
) -> dict[str, Any]:
    ingested, people = (
        receipt(study_dir / step / table / f"{release}.json")
        for step in ("tables", "people")
    )
    return {
        "table": table,
        "release": release,
        "n_months": ingested["n_months"],
        **{count: ingested[count] for count in ("n_read", "n_refused", "n_kept")},
        **{count: people[count] for count in ("n_dropped", "n_records")},
        "synthetic": str(is_synthetic).lower(),
        "sha256": ingested["sha256"],
        "unused": "|".join(ingested["unused"]),
    }


def removed_table(
    study_dir: Path, releases: Iterable[tuple[str, str, bool]]
) -> pd.DataFrame:
    """Return one row a (table, release, attribute, reason), from the receipts."""
    rows = []
    for table, release, _ in releases:
        told = receipt(study_dir / "tables" / table / f"{release}.json")
        for removed in told.get("removed", []):
            share = removed["n_rows"] / told["n_read"]
            row = {"table": table, "release": release, "share_of_read": share}
            rows.append(row | removed)
    return as_table(TABLES["removed"], rows)


def protections_table(
    study_dir: Path, protections: Iterable[tuple[str, str, str]]
) -> pd.DataFrame:
    """Return one row a (table, protected release, origin, attribute), from receipts."""
    rows = [
        {"table": table, "release": release, "origin": origin, **row}
        for table, release, origin in protections
        for row in receipt(study_dir / f"people/{table}/{release}.json")["changes"]
    ]
    return as_table(TABLES["protections"], rows)
