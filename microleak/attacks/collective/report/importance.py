"""What each attribute brings to one attack: a sentence, and a table."""

from dataclasses import dataclass

import pandas as pd

from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class ImportanceRow:
    """The posteriors without one attribute, and what it adds on average."""

    qid: str
    without_det: str
    shapley_det: str
    without_prob: str
    leakage_without: str
    shapley_prob: str


@dataclass(frozen=True)
class Importance:
    """What each attribute of one panel brings, that which brings most first.

    `sentence` is empty where it is not known which does.
    """

    panel: str
    sentence: str
    with_det: str
    with_prob: str
    rows: tuple[ImportanceRow, ...]


def importance(brought: pd.DataFrame, voice: Voice) -> Importance | None:
    """Say what each attribute brings, of all releases where several are linked.

    Parameters
    ----------
    brought
        Importance of one subject.
    voice
        The language.

    Returns
    -------
    Importance or None
        None without rows, as where not all subsets were measured.
    """
    if brought.empty:
        return None
    panel, last = list(tables.by_panel(brought).items())[-1]
    order = ["shapley_prob", "shapley_det"]
    rows = last.sort_values(order, ascending=False, kind="stable")
    return Importance(
        panel=panel,
        sentence=_sentence(rows, voice),
        with_det=voice.numbers.share(last["posterior_det"].iloc[0]),
        with_prob=voice.numbers.share(last["posterior_prob"].iloc[0]),
        rows=tuple(_row(row, voice) for _, row in rows.iterrows()),
    )


def _row(row: pd.Series, voice: Voice) -> ImportanceRow:
    numbers = voice.numbers
    return ImportanceRow(
        qid=row["qid"],
        without_det=numbers.share(row["posterior_det_without"]),
        shapley_det=numbers.points(row["shapley_det"]),
        without_prob=numbers.share(row["posterior_prob_without"]),
        leakage_without=numbers.points(row["additive_leakage_without"]),
        shapley_prob=numbers.points(row["shapley_prob"]),
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
