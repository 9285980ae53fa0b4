"""What the choice of the smallest protection gives away, in words."""

from collections.abc import Callable, Iterator

import pandas as pd

from microleak.report.texts import Voice

_OF_SENSITIVE = {"l", "certain", "inferred", "own_record"}

Change = Callable[[pd.Series, Voice], str]
"""Says in words what a row changes."""


def given_away_text(
    rows: pd.DataFrame, answer: pd.Series, change: Change, voice: Voice
) -> Iterator[str]:
    """Yield what it gives away of each attribute that finer nodes failed.

    Of each attribute the node is told by which most records are certain, and then by
    which most beliefs change.
    """
    bounds = {bound.partition(":")[0] for bound in answer["target"].split("|")}
    if not answer["n_changed"] or not bounds & _OF_SENSITIVE:
        return
    if rows.empty:
        yield voice.say("smallest_protection.choice_nothing")
    measured = rows[rows["is_measured"].isin([True, "true"])]
    for _, of_attribute in measured.groupby("sensitive", sort=False):
        order = ["n_certain_after", "n_moved", "posterior_prob_after"]
        yield _of_node(of_attribute.sort_values(order).iloc[-1], change, voice)
    if len(measured) < len(rows):
        yield voice.say(
            "smallest_protection.choice_unmeasured",
            n=voice.numbers.count(len(rows) - len(measured)),
            n_all=voice.numbers.count(len(rows)),
        )


def _of_node(row: pd.Series, change: Change, voice: Voice) -> str:
    """Return what is known of an attribute before and after a node is known to fail."""
    sensitive = voice.attribute(row["sensitive"])
    if row["n_moved"] == 0 and row["n_certain_after"] == row["n_certain"]:
        return voice.say("smallest_protection.choice_little", sensitive=sensitive)
    share, n = voice.numbers.share, int(row["n_records"])
    key = "choice_change" if row["n_changed"] else "choice_as_it_is"
    return voice.say(
        "smallest_protection.choice",
        node=voice.say(f"smallest_protection.{key}", change=change(row, voice)),
        sensitive=sensitive,
        certain_before=share(int(row["n_certain"]) / n),
        certain=share(int(row["n_certain_after"]) / n),
        right_before=share(row["posterior_prob"]),
        right=share(row["posterior_prob_after"]),
        moved=share(int(row["n_moved"]) / n),
    )
