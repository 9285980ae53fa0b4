"""The figure of a search: how many are alone over what is lost."""

import pandas as pd

from microleak.attacks.smallest_protection.shown import Shown, shown_of
from microleak.attacks.smallest_protection.wording import (
    kind_of_loss,
    loss_text,
    lost_text,
)
from microleak.figures.numbers import Words
from microleak.figures.scales import percent_labels
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    GREY,
    VERMILION,
    analysis_svg,
    as_percent,
    canvas,
    plain_style,
)


def frontier(nodes: pd.DataFrame, words: Words) -> str:
    """Draw how many are alone over what is lost, as an `<svg>`.

    The line goes through the nodes with fewer alone than any of no more loss; dots are
    changes of one QID, and a larger one is the smallest protection.
    """
    empty = pd.DataFrame({"reason": [], "n_nodes": []})
    return draw_frontier(shown_of(nodes, empty, pd.DataFrame(), pd.DataFrame()), words)


def draw_frontier(shown: Shown, words: Words) -> str:
    """Draw it of the tables of a search."""
    numbers, answer = words.numbers, shown.answer
    n_records = int(answer["n_records"])
    line, singles = shown.frontier, shown.singles
    kind = kind_of_loss(answer)
    widest = _widest(kind, shown)
    with plain_style():
        figure, (axis,) = canvas(1, 1, 4.4)
        axis.step(
            [*line["loss"], widest],
            [*(line["n_alone"] / n_records), *(line["n_alone"] / n_records)[-1:]]
            or [float("nan")],
            where="post",
            color=BLUE,
            linewidth=1.6,
        )
        axis.scatter(
            singles["loss"], singles["n_alone"] / n_records, s=16, color=GREY, zorder=3
        )
        place = float(answer["loss"]), int(answer["n_alone"]) / n_records
        axis.scatter(*place, s=70, color=VERMILION, zorder=4)
        axis.set_xlim(-0.02 * widest, 1.02 * widest)
        as_percent(axis, words)
        ticks = [0, 0.25 * widest, 0.5 * widest, 0.75 * widest, widest]
        said = (
            percent_labels(ticks, words)
            if widest == 1
            else [loss_text(kind, tick, numbers) for tick in ticks]
        )
        axis.set_xticks(ticks, said)
        axis.set_xlabel(words.say(f"smallest_protection_{kind}"))
        axis.set_ylabel(words.say("smallest_protection_alone"))
        axis.annotate(
            words.say("smallest_protection_answer"),
            place,
            xytext=(10, 8),
            textcoords="offset points",
            color=DARK_VERMILION,
        )
        alone = {
            "before": numbers.share(int(shown.as_it_is["n_alone"]) / n_records),
            "after": numbers.share(place[1]),
        }
        kept = "" if answer["n_changed"] else "_none"
        left = "" if kept or answer["n_alone"] else "_nobody"
        lost = lost_text(answer, words.say, "smallest_protection_lost", numbers)
        told = (
            words.say(f"smallest_protection_found{kept}{left}", **alone),
            [words.say(f"smallest_protection_alt{kept}", **alone, lost=lost)],
        )
        names = ("smallest_protection", "frontier")
        return analysis_svg(figure, names, shown.nodes, told, words)


def _widest(kind: str, shown: Shown) -> float:
    """Return the largest loss of the figure: 1 of what all nodes can lose wholly."""
    if kind in {"information", "cells"}:
        return 1.0
    return float(shown.nodes["loss"].max()) or 1.0
