"""What is published of a search: its tables; to the public the answer alone.

docs/decisions/0014-public-form.md has the rules of what the public sees.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from microleak.attacks.smallest_protection.jobs import OF_SEARCH
from microleak.attacks.smallest_protection.laws import laws
from microleak.disclosure.rounding import percent, step_of
from microleak.family import Publication, measured
from microleak.study_file.model import Study
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.smallest_protection")


def published_answer(nodes: pd.DataFrame) -> pd.DataFrame:
    """Return the release as it is and the smallest protection, as table `answer`.

    Parameters
    ----------
    nodes
        The table `smallest_protection` of an analysis. It is not changed.
    """
    is_answer = nodes["is_answer"].isin([True, "true"])
    is_shown = is_answer | (nodes["n_changed"] == 0)
    rows = nodes[is_shown & (nodes["sensitive"] == "")].sort_values("n_changed")
    n_records = int(rows["n_records"].iloc[0])
    step = step_of(n_records)
    if step is None:
        return TABLES["answer"].frame([])
    shown = rows.assign(
        sensitive="|".join(filter(None, nodes["sensitive"].unique())),
        step_pct=step,
        alone_pct=percent(rows["n_alone"], n_records, step),
    )
    return shown[TABLES["answer"].names]


def _public(study: Study, study_dir: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    for name in study.analyses["smallest_protection"]:
        path = study_dir / measured("smallest_protection", name)
        nodes = read_table(path, TABLES["smallest_protection"])
        yield f"answer/{name}", published_answer(nodes)


def _public_needs(study: Study) -> Iterator[str]:
    for name in study.analyses["smallest_protection"]:
        yield measured("smallest_protection", name)


PUBLICATION = Publication(
    OF_SEARCH,
    public=_public,
    public_needs=_public_needs,
    laws=laws,
)
