"""What each attribute brings to one attack: a sentence, and a table."""

import pandas as pd

from microleak.report.parts import Element, Grid, Text
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def importance(brought: pd.DataFrame, voice: Voice) -> tuple[Element, ...]:
    """Say what each attribute brings, of all releases where several are linked.

    That which brings most comes first; a sentence says which, where it is known.

    Parameters
    ----------
    brought
        Importance of one subject; nothing is said without rows, as where not all
        subsets were measured.
    voice
        The language.
    """
    if brought.empty:
        return ()
    panel, last = list(tables.by_panel(brought).items())[-1]
    order = ["shapley_prob", "shapley_det"]
    rows = last.sort_values(order, ascending=False, kind="stable")
    sentence = _sentence(rows, voice)
    return (
        Text("subheading", voice.say("importance.heading")),
        *([Text("paragraph", sentence)] if sentence else []),
        _grid(panel, rows, voice),
        Text("note", voice.say("importance.note")),
    )


def _grid(panel: str, rows: pd.DataFrame, voice: Voice) -> Grid:
    numbers = voice.numbers
    columns = (
        "attribute",
        "without",
        "shapley",
        "without",
        "leakage_without",
        "shapley",
    )
    det, prob = (
        numbers.share(rows[f"posterior_{kind}"].iloc[0]) for kind in ("det", "prob")
    )
    return Grid(
        caption=voice.say("importance.caption", panel=panel),
        headings=tuple(voice.say(f"importance.column_{name}") for name in columns),
        rows=tuple(
            (
                row["qid"],
                numbers.share(row["posterior_det_without"]),
                numbers.points(row["shapley_det"]),
                numbers.share(row["posterior_prob_without"]),
                numbers.points(row["additive_leakage_without"]),
                numbers.points(row["shapley_prob"]),
            )
            for _, row in rows.iterrows()
        ),
        over=(
            (voice.say("importance.column_det", known=det), 2),
            (voice.say("importance.column_prob", known=prob), 3),
        ),
    )


def _sentence(rows: pd.DataFrame, voice: Voice) -> str:
    """Say which attributes bring most, if any brings something, or that none does.

    Attributes of which the Shapley values are written alike are equals.

    Parameters
    ----------
    rows
        That which brings most first.
    voice
        The language.
    """
    first = rows.iloc[0]
    if not first["shapley_prob"] > 0:
        return ""
    written = rows["shapley_prob"].map(voice.numbers.points)
    equals = rows["qid"][written == written.iloc[0]]
    return voice.say(
        f"importance.{_kind_of_most(len(equals), len(rows))}",
        attribute=voice.listing(f"“{voice.attribute(name)}”" for name in equals),
        shapley=voice.points(written.iloc[0], first["shapley_prob"]),
        known=voice.numbers.share(first["posterior_prob"]),
        without=voice.numbers.share(first["posterior_prob_without"]),
    )


def _kind_of_most(n_equals: int, n_attributes: int) -> str:
    if n_equals == 1:
        return "most"
    return "most_none" if n_equals == n_attributes else "most_several"
