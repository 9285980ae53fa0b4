"""What the choice of the smallest protection gives away, in words."""

from collections.abc import Iterator

import pandas as pd

from microleak.attacks.smallest_protection.wording import change_text
from microleak.report.parts import Place

_OF_SENSITIVE = {"l", "certain", "inferred", "own_record"}


def given_away_text(
    rows: pd.DataFrame, answer: pd.Series, place: Place
) -> Iterator[str]:
    """Yield what it gives away of each attribute that finer nodes failed."""
    # Of each attribute the node is told by which most records are certain, and then by
    # which most beliefs change.
    bounds = {bound.partition(":")[0] for bound in answer["target"].split("|")}
    if not answer["n_changed"] or not bounds & _OF_SENSITIVE:
        return
    if rows.empty:
        yield place.say("choice_nothing")
    measured = rows[rows["is_measured"].isin([True, "true"])]
    for _, of_attribute in measured.groupby("sensitive", sort=False):
        order = ["n_certain_after", "n_moved", "posterior_prob_after"]
        yield _of_node(of_attribute.sort_values(order).iloc[-1], place)
    if len(measured) < len(rows):
        n = len(rows) - len(measured)
        yield place.say("choice_unmeasured", n=n, n_all=len(rows))


def _of_node(row: pd.Series, place: Place) -> str:
    """Write what is known of an attribute before and after a node is known to fail."""
    if row["n_moved"] == 0 and row["n_certain_after"] == row["n_certain"]:
        return place.say("choice_little", row)
    key, n = (
        "choice_change" if row["n_changed"] else "choice_as_it_is",
        row["n_records"],
    )
    return place.say(
        "choice",
        row,
        node=place.say(key, change=change_text(row, place.voice)),
        certain_before=row["n_certain"] / n,
        certain=row["n_certain_after"] / n,
        moved=row["n_moved"] / n,
    )
