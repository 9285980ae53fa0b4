"""What is counted of a subset, by microleak and by its peers."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from microleak.records.profile_file import Profiles, read_profiles


@dataclass(frozen=True)
class Counts:
    """Integers of one subset; None is what a peer does not compute.

    Attributes
    ----------
    n_blocks
        Blocks of the partition by the QIDs.
    n_unique
        Records alone in their block.
    n_modal
        For each sensitive attribute, the sum over the blocks of the count of the
        most frequent value.
    n_certain
        For each sensitive attribute, records in blocks with one value only.
    """

    n_blocks: int
    n_unique: int | None
    n_modal: tuple[int, ...]
    n_certain: tuple[int, ...] | None


def counts_from(content: dict[str, Any]) -> Counts:
    """Return counts as they were before they were written as JSON."""
    certain = content["n_certain"]
    return Counts(
        content["n_blocks"],
        content["n_unique"],
        tuple(content["n_modal"]),
        None if certain is None else tuple(certain),
    )


def is_identical(ours: Counts, theirs: Counts) -> bool:
    """Say whether all counts that the peer computes are ours."""
    return all(
        getattr(theirs, field.name) in (None, getattr(ours, field.name))
        for field in fields(Counts)
    )


def whole_number(share: float, n_records: int) -> int:
    """Return the k of a share k/n that a peer gives as a floating-point number.

    Raises
    ------
    ValueError
        If the share is further from any k/n than rounding can take it.

    Examples
    --------
    >>> whole_number(1 / 3, 6)
    2
    """
    count = share * n_records
    if abs(count - round(count)) > 1e-3:
        raise ValueError(f"a share is not a whole number of {n_records} records")
    return round(count)


def counts_of_profiles(profiles: str, n_sensitive: int) -> dict[str, dict[str, Any]]:
    """Return the counts of every subset, by its bit mask, from its block profile.

    The profile has the sensitive attributes first, and groups and values after them.
    """
    return {
        str(subset): asdict(_counts(by_sensitive, n_sensitive))
        for subset, by_sensitive in read_profiles(Path(profiles))
        if subset
    }


def n_values(profiles: Path, n_sensitive: int) -> tuple[int, ...]:
    """Return how many values each sensitive attribute has, a missing one counted."""
    _, whole_table = next(read_profiles(profiles))
    return tuple(int(whole_table[i].n_distinct[0]) for i in range(n_sensitive))


def _counts(by_sensitive: Profiles, n_sensitive: int) -> Counts:
    parts = [by_sensitive[i] for i in range(n_sensitive)]
    return Counts(
        parts[0].total_blocks,
        parts[0].n_alone,
        tuple(part.total_modal for part in parts),
        tuple(part.n_certain for part in parts),
    )
