"""What is said of small blocks: of entities first, where they are known."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from microleak.columns import ANONYMITY_THRESHOLDS
from microleak.figures import tables
from microleak.figures.anonymity_rows import K_ANONYMITY, K_ENTITIES, Measured
from microleak.report.anonymity_cells import count, k_said, part, qids_said, share
from microleak.report.texts import Voice

_TOLD = 5
"""The k that is told in a heading."""


@dataclass(frozen=True)
class _Units:
    """Of what blocks are made, by the names of its columns.

    Attributes
    ----------
    heading
        Beginning of the headings' keys.
    model
        By which model a subset is the worst.
    k
        Column of the smallest block.
    total
        Column of how many there are.
    below
        Middle of the columns of those in small blocks.
    """

    heading: str
    model: str
    k: str
    total: str
    below: str


_RECORDS = _Units("heading", K_ANONYMITY, "k_anonymity", "n_records", "below")
_ENTITIES = _Units(
    "heading_entities",
    K_ENTITIES,
    "k_anonymity_entities",
    "n_entities",
    "entities_below",
)


def headed(found: Measured) -> pd.Series:
    """Return the row that the heading is of: the largest of the worst subsets.

    With entities it is the worst of their model.
    """
    return found.worst(_units(found).model).iloc[-1]


def heading(found: Measured, voice: Voice) -> str:
    """Say k, and how many records violate 5-anonymity, with most attributes known.

    With entities it is said of them, as their rows count together (Google).
    """
    units, row = _units(found), headed(found)
    counted = f"n_{units.below}_{_TOLD}"
    return voice.say(
        f"anonymity.{units.heading}_{state(row, counted)}",
        attributes=voice.attributes(int(row["n_qids"])),
        k=k_said(row, units.k, voice),
        n=count(row, counted, voice),
        total=count(row, units.total, voice),
        share=share(row, f"share_{units.below}_{_TOLD}", voice),
    )


def state(row: pd.Series, counted: str) -> str:
    """Say which sentence a count allows: of some, of none, or that it is hidden."""
    if pd.isna(row[counted]):
        return "unpublished"
    return "none" if row[counted] == 0 else "some"


def known_entities(row: pd.Series, voice: Voice) -> str:
    """Say what an entity's block is, and how many entities are in small ones."""
    return voice.say(
        "anonymity.known_entities",
        qids=qids_said(row, voice),
        below=_listed(row, _ENTITIES, voice),
        n_entities=count(row, "n_entities", voice),
    )


def known_records(row: pd.Series, voice: Voice, is_beside: bool) -> str:
    """Say what a block is, and how many records are in small ones.

    Beside entities, of which the heading tells k, k of the records is told, too.
    """
    known = voice.say(
        "anonymity.known",
        qids=qids_said(row, voice),
        below=_listed(row, _RECORDS, voice),
        n_records=count(row, "n_records", voice),
    )
    if is_beside:
        k = k_said(row, "k_anonymity", voice)
        return voice.say("anonymity.known_beside", k=k, known=known)
    return known


def alone(blocks: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Say with how few attributes a record is alone, if it is known.

    That fewer do not suffice is said only where all of fewer were measured and none
    of them is suppressed.
    """
    some = blocks[blocks["n_below_2"].fillna(0) > 0]
    if len(some):
        fewest = some[some["n_qids"] == some["n_qids"].min()]
        row = fewest.loc[fewest["n_below_2"].idxmax()]
        key = "falls_first" if _is_first(blocks, int(row["n_qids"])) else "falls"
    elif (blocks["n_below_2"].fillna(1) == 0).all():
        # Published, a k that is missing is the lowest.
        lowest = blocks.sort_values("k_anonymity", na_position="first", kind="stable")
        key, row = "holds", lowest.iloc[0]
    else:
        return
    yield voice.say(
        f"anonymity.{key}",
        attributes=voice.number_known(tables.qids_of(row)),
        qids=qids_said(row, voice),
        k=k_said(row, "k_anonymity", voice),
        n=count(row, "n_below_2", voice),
        n_records=count(row, "n_records", voice),
    )


def _units(found: Measured) -> _Units:
    return _ENTITIES if found.has_entities else _RECORDS


def _listed(row: pd.Series, units: _Units, voice: Voice) -> str:
    return voice.listing(
        part(row, f"n_{units.below}_{k}", f"share_{units.below}_{k}", voice)
        for k in ANONYMITY_THRESHOLDS
    )


def _is_first(blocks: pd.DataFrame, size: int) -> bool:
    """Say whether all smaller sizes were measured, and nothing of them is hidden."""
    smaller = blocks[blocks["n_qids"] < size]
    is_shown = bool(smaller["n_below_2"].notna().all())
    return is_shown and {*smaller["n_qids"]} == {*range(1, size)}
