"""Rows of result tables: how they fill one, and how the report divides them."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from microleak.base.errors import AuthorError
from microleak.tables.spec import TableSpec


def as_table(spec: TableSpec, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    found = list(rows)
    row = found[0] if found else {}
    lacking = [c.name for c in spec.columns if not c.missing and c.name not in row]
    if lacking and (others := sorted(row.keys() - {*spec.names})):
        raise AuthorError(
            f"{spec.name}: its rows lack {', '.join(lacking)}, and have "
            f"{', '.join(others)} that tables.yaml does not name."
        )
    gaps = [c.name for c in spec.columns if c.type == "integer" and c.missing]
    return pd.DataFrame(found, columns=spec.names).astype(dict.fromkeys(gaps, "Int64"))


def with_text(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with every missing text empty, as another reader may not."""
    text = [c for c in rows.columns if not pd.api.types.is_numeric_dtype(rows[c])]
    return rows.assign(**{c: rows[c].astype(object).fillna("") for c in text})


def with_most_qids(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the set with most QIDs, the first in the study's order."""
    first = rows.loc[rows["n_qids"].idxmax(), "qids"]
    return rows[rows["qids"] == first]


def by_subject(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Divide rows into re-identification, if any, and each sensitive attribute."""
    names = sorted(rows["sensitive"].unique(), key=bool)
    return {name: rows[rows["sensitive"] == name] for name in names}


def by_panel(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    names = sorted(rows["auxiliary"].unique(), key=lambda name: len(_split_names(name)))
    panels = (rows[rows["auxiliary"] == name] for name in names)
    return {panel_label(panel.iloc[0]): panel for panel in panels}


def first_and_last(panels: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    names = list(panels)
    return {name: panels[name] for name in dict.fromkeys([names[0], names[-1]])}


def full_set(rows: pd.DataFrame, worst: pd.DataFrame) -> pd.DataFrame:
    # Of several that are as large, that which is the worst once all are linked.
    last = list(by_panel(worst[worst["criterion"] == "probabilistic"]).values())[-1]
    qids = last.sort_values("n_qids")["qids"].iloc[-1]
    panels = by_panel(rows[rows["qids"] == qids]).values()
    return pd.concat(panels).reset_index(drop=True)


def panel_label(row: pd.Series) -> str:
    return " + ".join(releases_of(row))


def releases_of(row: pd.Series) -> list[str]:
    return [row["focal"], *_split_names(row["auxiliary"])]


def qids_of(row: pd.Series) -> list[str]:
    return _split_names(row["qids"])


def all_qids(rows: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(_split_names("|".join(rows["qids"].unique()))))


def qid_sets(rows: pd.DataFrame) -> pd.Series:
    """Return the QIDs of each row without their order, which differs by analysis."""
    return rows["qids"].map(lambda qids: frozenset(_split_names(qids)))


def record_shares(distribution: pd.DataFrame) -> pd.Series:
    return distribution["n_records"] / distribution["n_records"].sum()


def _split_names(names: str) -> list[str]:
    return names.split("|") if names else []
