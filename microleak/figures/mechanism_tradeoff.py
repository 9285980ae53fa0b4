"""What utility costs in privacy: one point an epsilon."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from microleak.figures.mechanism_panels import LOOKS, explain_lines, scale_measure
from microleak.figures.mechanism_rows import LOSS, UTILITY, Noisy, known
from microleak.figures.mechanism_text import caption, epsilon_equals, short_text
from microleak.figures.scales import number_label
from microleak.figures.suppressed import explain_mark
from microleak.figures.svg import GREY, mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

_ROOM = 0.08
_LEAST_SPAN = 0.02
_NEAR = 0.12


def privacy_against_utility(noisy: Noisy, words: Words) -> str:
    """Draw utility over privacy loss, a line a mechanism and a point an epsilon.

    The points of the least and the largest epsilon are labelled; best is the upper left
    corner. The count without noise is a diamond. Mechanisms of which any number
    is suppressed have fewer points, and are named.

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
    lines = {m: known(noisy.of_model(m), (LOSS, UTILITY)) for m in noisy.models}
    with plain_style():
        figure = Figure(figsize=(8, 5), layout=ConstrainedLayoutEngine(h_pad=0.09))
        axis = figure.subplots()
        _scale(axis, noisy, words)
        for model, rows in lines.items():
            _draw_line(axis, model, rows)
        _draw_noise_free(axis, noisy, words)
        _label_ends(axis, lines, words)
        drawn = [model for model, rows in lines.items() if len(rows)]
        explain_lines(axis, drawn, words)
        explain_mark(figure, _suppressed(noisy, lines, words), words)
        mark_synthetic(figure, words)
        sentences = [_sentence(model, rows, words) for model, rows in lines.items()]
        return svg_text(figure, caption("tradeoff", noisy, words, sentences))


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


def _draw_line(axis: Axes, model: str, rows: pd.DataFrame) -> None:
    look = LOOKS[model]
    axis.plot(
        rows[LOSS].astype(float),
        rows[UTILITY].astype(float),
        color=look.colour,
        marker=look.marker,
        markersize=5,
        linewidth=1.2,
        clip_on=False,
    )


def _draw_noise_free(axis: Axes, noisy: Noisy, words: Words) -> None:
    limit = noisy.first["privacy_loss_limit"]
    if pd.isna(limit):
        return
    axis.plot(limit, 1, "D", markersize=8, markerfacecolor="none", color="black")
    axis.annotate(
        words.say("mechanism_noise_free"),
        (limit, 1),
        xytext=(8, 4),
        textcoords="offset points",
        fontsize=9,
    )


def _label_ends(axis: Axes, lines: dict[str, pd.DataFrame], words: Words) -> None:
    """Label the first and last point of each line, one of several near ones."""
    spans = [high - low for low, high in (axis.get_xlim(), axis.get_ylim())]
    labelled: list[pd.Series] = []
    for rows in lines.values():
        for _, row in rows.iloc[[0, -1][: len(rows)]].iterrows():
            if not any(_are_near(row, other, spans) for other in labelled):
                labelled.append(row)
                _label(axis, row, words)


def _are_near(row: pd.Series, other: pd.Series, spans: list[float]) -> bool:
    """Say whether the labels of two points would hide each other."""
    apart = [abs(row[measure] - other[measure]) for measure in (LOSS, UTILITY)]
    return all(a < _NEAR * span for a, span in zip(apart, spans, strict=True))


def _label(axis: Axes, row: pd.Series, words: Words) -> None:
    axis.annotate(
        epsilon_equals(str(row.name), words.numbers),
        (row[LOSS], row[UTILITY]),
        xytext=(8, -11 if row[UTILITY] > sum(axis.get_ylim()) / 2 else 4),
        textcoords="offset points",
        fontsize=8.5,
        color=GREY,
    )


def _suppressed(
    noisy: Noisy, lines: dict[str, pd.DataFrame], words: Words
) -> list[str]:
    return [
        words.say(f"mechanism_short_{model}")
        for model, rows in lines.items()
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
