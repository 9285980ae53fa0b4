"""The same attack on two releases side by side: successive, or before and after."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from microleak.tables.spec import tables_of

TABLE = tables_of("microleak.attacks.collective")["comparison"]

SUCCESSIVE, PROTECTED = "successive", "protected"

_SAME = ["table", "series", "attributes", "sensitive", "attack"]
"""What two attacks on different releases must have in common."""

_OF_RELEASE = ["focal", "qids", "n_records", "n_certain", "n_modal"]
_SHARES = ["posterior_det", "posterior_prob"]

Series = Mapping[str, Sequence[Sequence[str]]]
"""Lists of releases of each table; the releases of one list follow one another."""

Protections = Sequence[tuple[str, str, str]]
"""Table, the release that a protection is made of, and the protection."""


def compare(
    collective: Sequence[pd.DataFrame], series: Series, protections: Protections = ()
) -> pd.DataFrame:
    """Return what changed from one release of a table to the next, or by protections.

    Only attacks without auxiliary releases are compared. Each is compared with the
    same attack, whatever the order of its QIDs, on the next release that has it:
    of the same state, where there are states. A protection is compared with the
    release that it is made of alone, if that has the attack.
    """
    if not collective:
        return TABLE.frame([])
    attacks = pd.concat([_single(measures) for measures in collective])
    pairs = _pairs(_placed(attacks, _lists(series, protections)))
    compared = pairs.assign(
        earlier=pairs["focal_earlier"],
        later=pairs["focal_later"],
        qids=pairs["qids_earlier"],
        difference_det=_difference(pairs, "n_certain"),
        difference_prob=_difference(pairs, "n_modal"),
    )
    return compared[TABLE.names].reset_index(drop=True)


def _single(measures: pd.DataFrame) -> pd.DataFrame:
    """Return the attacks of an analysis on its focal release alone."""
    single = measures[measures["auxiliary"] == ""]
    unordered = single["qids"].map(lambda qids: "|".join(sorted(qids.split("|"))))
    return single.assign(attributes=unordered)


def _lists(series: Series, protections: Protections) -> Iterator[dict[str, object]]:
    """Yield what stands side by side, as the columns of `_placed`; lists in order."""
    every = [
        *(
            (SUCCESSIVE, table, each)
            for table, lists in series.items()
            for each in lists
        ),
        *((PROTECTED, table, pair) for table, *pair in protections),
    ]
    for number, (kind, table, releases) in enumerate(every):
        for release in releases:
            yield {"table": table, "focal": release, "series": number, "kind": kind}


def _placed(attacks: pd.DataFrame, lists: Iterator[dict[str, object]]) -> pd.DataFrame:
    """Return each attack on a release of a list once, sorted; `place` is its place."""
    places = pd.DataFrame(lists, columns=["table", "focal", "series", "kind"])
    places["place"] = range(len(places))
    sensitive = {"": 0} | {
        name: number
        for number, name in enumerate(attacks["sensitive"].unique(), 1)
        if name
    }
    return (
        attacks.assign(subject=attacks["sensitive"].map(sensitive))
        .merge(places, on=["table", "focal"])
        .drop_duplicates([*_SAME, "place"])
        .sort_values(["place", "subject", "n_qids"], kind="stable")
    )


def _pairs(attacks: pd.DataFrame) -> pd.DataFrame:
    """Return each attack beside the same one on the next release that has it."""
    turn = attacks.groupby(_SAME, sort=False).cumcount()
    columns = [*_SAME, *_OF_RELEASE, *_SHARES, "place", "turn"]
    later = attacks.assign(turn=turn - 1)[columns]
    earlier = attacks.assign(turn=turn)[[*columns, "n_qids", "subject", "kind"]]
    pairs = earlier.merge(later, on=[*_SAME, "turn"], suffixes=("_earlier", "_later"))
    order = ["place_earlier", "place_later", "subject", "n_qids"]
    return pairs.sort_values(order, kind="stable")


def _difference(pairs: pd.DataFrame, count: str) -> list[float]:
    """Later minus earlier share of a count, of integers of any size divided once."""
    numbers = (
        pairs[f"{name}_{release}"].astype(object)
        for release in ("later", "earlier")
        for name in (count, "n_records")
    )
    return [
        (later * of_earlier - earlier * of_later) / (of_later * of_earlier)
        for later, of_later, earlier, of_earlier in zip(*numbers, strict=True)
    ]
