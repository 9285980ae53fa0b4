"""How many rows of each release were read, refused, kept and dropped."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from microleak.columns import INGEST
from microleak.sources.made import receipt


def ingest_table(
    study_dir: Path, releases: Iterable[tuple[str, str, bool]]
) -> pd.DataFrame:
    """Return one row a (table, release, is synthetic), from their receipts.

    `n_dropped` counts further records of persons that have several, `n_records`
    what is left: one a person.
    """
    rows = [_row(study_dir, *release) for release in releases]
    return pd.DataFrame(rows, columns=[*INGEST])


def _row(
    study_dir: Path, table: str, release: str, is_synthetic: bool
) -> dict[str, Any]:
    ingested, people = (
        receipt(study_dir / step / table / f"{release}.json")
        for step in ("tables", "people")
    )
    return {
        "table": table,
        "release": release,
        **{count: ingested[count] for count in ("n_read", "n_refused", "n_kept")},
        **{count: people[count] for count in ("n_dropped", "n_records")},
        "synthetic": str(is_synthetic).lower(),
        "sha256": ingested["sha256"],
    }
