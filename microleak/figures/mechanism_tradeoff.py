"""What utility costs in privacy: one point an epsilon."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from microleak.figures.captions import caption
from microleak.figures.mechanism_panels import LOOKS, explain_lines, scale_measure
from microleak.figures.mechanism_rows import LOSS, UTILITY, Noisy, known
from microleak.figures.mechanism_text import epsilon_equals, short_text
from microleak.figures.point_labels import PointLabel, write_labels
from microleak.figures.scales import number_label
from microleak.figures.suppressed import explain_mark
from microleak.figures.svg import GREY, mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

_ROOM = 0.18
_LEAST_SPAN = 0.02
_NEAR = 0.12
_HOLLOW: dict[str, Any] = {
    "markersize": 6.5,
    "markerfacecolor": "none",
    "markeredgewidth": 1.4,
}
"""Of marks that lie on one another, all can be seen."""


def privacy_against_utility(noisy: Noisy, words: Words) -> str:
    """Draw utility over privacy loss, a mark a mechanism and a point an epsilon.

    Between two epsilons nothing was measured, and nothing is drawn. The points of the
    least and the largest epsilon are labelled; best is the upper left corner. The
    count without noise is a diamond. Mechanisms of which any number is suppressed have
    fewer points, and are named.

    Parameters
    ----------
    noisy
        The tables of an analysis of one count.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    points = {m: known(noisy.of_model(m), (LOSS, UTILITY)) for m in noisy.models}
    with plain_style():
        figure = Figure(figsize=(8, 5), layout=ConstrainedLayoutEngine(h_pad=0.09))
        axis = figure.subplots()
        _scale(axis, noisy, words)
        labels = [*_draw_noise_free(axis, noisy, words)]
        for model, rows in points.items():
            _draw_points(axis, model, rows)
        drawn = [model for model, rows in points.items() if len(rows)]
        explain_lines(axis, drawn, words, linestyle="none", **_HOLLOW)
        explain_mark(figure, _suppressed(noisy, points, words), words)
        mark_synthetic(figure, words)
        labels += _labels_of_ends(axis, points, words)
        write_labels(axis, labels, pd.concat(points.values())[[LOSS, UTILITY]])
        sentences = [_sentence(model, rows, words) for model, rows in points.items()]
        return svg_text(
            figure, caption("mechanism", "tradeoff", noisy.measured, words, sentences)
        )


def _scale(axis: Axes, noisy: Noisy, words: Words) -> None:
    floor = noisy.first["utility_floor"]
    scale_measure(axis, UTILITY, [*noisy.mechanism[UTILITY], floor], words)
    losses = [*noisy.mechanism[LOSS], noisy.first["privacy_loss_limit"]]
    high = max([1 + _LEAST_SPAN, *(loss for loss in losses if pd.notna(loss))])
    margin = _ROOM * (high - 1)
    axis.set_xlim(1 - margin, high + margin)
    steps = MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]).tick_values(1, high)
    ticks = [round(float(step), 9) for step in steps if 1 <= step <= high + margin]
    axis.set_xticks(ticks, [number_label(tick, words) for tick in ticks])
    axis.set_xlabel(words.say("mechanism_privacy_loss"))
    axis.set_title(words.say("mechanism_utility"), fontsize=10)
    axis.tick_params(color=GREY)


def _draw_points(axis: Axes, model: str, rows: pd.DataFrame) -> None:
    look = LOOKS[model]
    losses, utilities = (rows[measure].astype(float) for measure in (LOSS, UTILITY))
    axis.plot(
        losses, utilities, look.marker, color=look.colour, clip_on=False, **_HOLLOW
    )


def _draw_noise_free(axis: Axes, noisy: Noisy, words: Words) -> Iterator[PointLabel]:
    """Draw the count without noise, and yield its label, unless it is suppressed."""
    limit = noisy.first["privacy_loss_limit"]
    if pd.notna(limit):
        axis.plot(limit, 1, "D", markersize=9, markerfacecolor="none", color="black")
        yield PointLabel((limit, 1.0), words.say("mechanism_noise_free"))


def _labels_of_ends(
    axis: Axes, points: Mapping[str, pd.DataFrame], words: Words
) -> list[PointLabel]:
    """Label each mechanism's first and last point, one of several near ones."""
    spans = np.ptp([axis.get_xlim(), axis.get_ylim()], axis=1)
    found: list[PointLabel] = []
    for rows in points.values():
        for _, row in rows.iloc[[0, -1][: len(rows)]].iterrows():
            text = epsilon_equals(str(row.name), words.numbers)
            label = PointLabel((float(row[LOSS]), float(row[UTILITY])), text)
            if not any(_will_do(other, label, spans) for other in found):
                found.append(label)
    return found


def _will_do(label: PointLabel, other: PointLabel, spans: np.ndarray) -> bool:
    """Say whether a label says the same as another, of which the point is near."""
    apart = np.abs(np.subtract(label.place, other.place))
    return label.text == other.text and bool((apart < _NEAR * spans).all())


def _suppressed(
    noisy: Noisy, points: Mapping[str, pd.DataFrame], words: Words
) -> list[str]:
    return [
        words.say(f"mechanism_short_{model}")
        for model, rows in points.items()
        if len(rows) < len(noisy.noises)
    ]


def _sentence(model: str, rows: pd.DataFrame, words: Words) -> str:
    """Say which utility each privacy loss buys."""
    points = [
        words.say(
            "mechanism_tradeoff_point",
            epsilon=epsilon_equals(str(epsilon), words.numbers),
            loss=short_text(row[LOSS], LOSS, words),
            utility=short_text(row[UTILITY], UTILITY, words),
        )
        for epsilon, row in rows.iterrows()
    ]
    return words.say(
        "mechanism_tradeoff_alt",
        model=words.say(f"mechanism_{model}"),
        points="; ".join(points) or words.numbers.suppressed,
    )
