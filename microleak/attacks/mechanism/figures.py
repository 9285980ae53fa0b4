"""Figures of noisy counts: privacy loss and utility, and which counts leak."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from microleak.attacks.mechanism.rows import LOSS, MEASURES, UTILITY, Noisy
from microleak.figures import marks, scales, svg
from microleak.figures.numbers import Words
from microleak.figures.slim import COLUMN

_ROOM = 0.06
_FIRST = {LOSS: 1.0, UTILITY: 0.0}
"""Where the upright axis of each measure begins, over epsilon."""
_LEAST_SPAN = 0.02
_WIDER = 0.88, 1.14
_NAME_HEIGHT = 0.075  # Of a line's name, as a share of a panel
_FEW_TICKS = 200
_LINE: dict[str, Any] = {"markersize": 5, "linewidth": 1.4, "clip_on": False}


@dataclass(frozen=True)
class Look:
    """How one mechanism is drawn: a colour, and a mark for who sees no colours."""

    colour: str
    marker: str


LOOKS = {
    "oblivious": Look(svg.BLUE, "o"),
    "local": Look(svg.VERMILION, "s"),
    "randomised_response": Look("#007A5A", "^"),
}
"""Each mechanism's look, by its name in the tables."""


def panels(noisy: Noisy, words: Words) -> tuple[Figure, dict[str, Axes]]:
    """Return an empty figure with a panel a measure, over epsilon."""
    figure = Figure((COLUMN, 6.4), layout=svg.plain_layout())
    axes = dict(zip(MEASURES, figure.subplots(2, 1, sharex=True), strict=True))
    for measure, axis in axes.items():
        _scale_epsilons(axis, noisy.noises["size"], words)
        # A line may be named at the height of the upper edge.
        axis.set_title(words.say(f"mechanism_{measure}"), pad=14)
        axis.tick_params(color=svg.GREY)
    axis.set_xlabel(words.say("mechanism_epsilon"))
    return figure, axes


def _scale_epsilons(axis: Axes, sizes: pd.Series, words: Words) -> None:
    low, high = _WIDER[0] * sizes.min(), _WIDER[1] * sizes.max()
    axis.set_xscale("log")
    axis.set_xlim(low, high)
    factors = (1, 2, 5) if high / low < _FEW_TICKS else (1,)
    powers = range(int(np.log10(low)) - 1, int(np.log10(high)) + 2)
    steps = [factor * 10.0**power for power in powers for factor in factors]
    ticks = [step for step in steps if low <= step <= high]
    axis.set_xticks(ticks, [scales.number_label(tick, words) for tick in ticks])
    axis.set_xticks([], minor=True)


def scale_measure(
    axis: Axes, measure: str, values: Iterable[float], words: Words
) -> None:
    """Let the upright axis hold some values of a measure."""
    # A privacy loss starts at 1 and is a ratio, a utility ends at 1 and is a
    # percentage.
    shown = [float(value) for value in values]
    low, high = min([1.0, *shown]), max([1.0, *shown])
    if high - low < _LEAST_SPAN:
        low, high = (1, 1 + _LEAST_SPAN) if measure == LOSS else (1 - _LEAST_SPAN, 1)
    margin = _ROOM * (high - low)
    low, high = low - margin, high + margin
    axis.set_ylim(low, high)
    steps = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    ticks = [round(float(step), 9) for step in steps if low <= step <= high]
    factor, unit = (1, "") if measure == LOSS else (100, "%")
    labels = [f"{scales.number_label(factor * tick, words)}{unit}" for tick in ticks]
    axis.set_yticks(ticks, labels)


def name_lines(
    axis: Axes,
    noisy: Noisy,
    measure: str,
    words: Words,
    more: Sequence[marks.LineEnd] = (),
) -> None:
    """Write beside a panel what each mechanism's line is called, and further ends."""
    highest = float(noisy.noises["size"].max())
    ends = []
    for model in noisy.models:
        last = highest, float(noisy.of_model(model)[measure].iloc[-1])
        name = words.say(f"mechanism_short_{model}")
        ends.append(marks.LineEnd(last, name, LOOKS[model].colour))
    marks.write_ends(axis, [*ends, *more], _NAME_HEIGHT)


LIMITS = {LOSS: "privacy_loss_limit", "utility": "utility_floor"}
"""The bound of each measure that depends on the count and can be reached."""

_APART = 0.025  # How far intervals of two mechanisms stand apart, as a share of epsilon


def loss_and_utility(noisy: Noisy, words: Words) -> str:
    """Draw privacy loss and utility over epsilon, a line a mechanism."""
    # What can be reached at most, or at least, is a broken line.
    with svg.plain_style():
        figure, axes = panels(noisy, words)
        for measure, axis in axes.items():
            limit = noisy.first[LIMITS[measure]]
            values = [_FIRST[measure], *noisy.mechanism[measure], limit]
            scale_measure(axis, measure, values, words)
            for model in noisy.models:
                look, y = LOOKS[model], noisy.of_model(model)[measure].astype(float)
                style = {"color": look.colour, "marker": look.marker, **_LINE}
                axis.plot(noisy.noises["size"], y, **style)
            said = words.say(f"mechanism_{measure}_limit", value=limit)
            marks.draw_level(axis, limit, said)
            highest = float(noisy.noises["size"].max())
            ends = [marks.LineEnd((highest, limit), said, "black")]
            name_lines(axis, noisy, measure, words, ends)
        sentences = [_sentence(noisy, model, words) for model in noisy.models]
        told = _middle_found(noisy, words), sentences
        kind = "mechanism", "epsilon"
        return svg.analysis_svg(figure, kind, noisy.measured, told, words)


def _middle_found(noisy: Noisy, words: Words) -> str:
    middle = {model: noisy.of_model(model).loc[noisy.middle] for model in noisy.models}
    best = max(middle, key=lambda model: float(middle[model][UTILITY]))
    return words.say(
        "mechanism_epsilon_found",
        middle[best],
        model=words.say(f"mechanism_short_{best}"),
    )


def _sentence(noisy: Noisy, model: str, words: Words) -> str:
    low, high = noisy.ends(model)
    return words.say(
        "mechanism_epsilon_alt",
        model=words.say(f"mechanism_{model}"),
        low=low["epsilon"],
        high=high["epsilon"],
        loss_low=low[LOSS],
        loss_high=high[LOSS],
        utility_low=low[UTILITY],
        utility_high=high[UTILITY],
    )


def intervals_of_samples(noisy: Noisy, words: Words) -> str:
    """Draw where privacy loss and utility of random samples lie, over epsilon."""
    # A bar holds at least 95 % of the samples, its mark is their median, and the thin
    # line is what all records give. Takes and returns what `loss_and_utility` does, of
    # an analysis that has samples.
    with svg.plain_style():
        figure, axes = panels(noisy, words)
        for measure, axis in axes.items():
            rows = noisy.samples[noisy.samples["measure"] == measure]
            values = [_FIRST[measure], *rows["low"], *rows["high"]]
            values += [*noisy.mechanism[measure]]
            scale_measure(axis, measure, values, words)
            for place, model in enumerate(noisy.models):
                aside = 1 + _APART * (place - (len(noisy.models) - 1) / 2)
                _draw_intervals(axis, noisy, (model, measure), aside)
            name_lines(axis, noisy, measure, words)
        sentences = [_sample_sentence(noisy, model, words) for model in noisy.models]
        said = _samples_found(noisy, words), sentences
        kind = "mechanism", "samples"
        return svg.analysis_svg(figure, kind, noisy.measured, said, words)


def _samples_found(noisy: Noisy, words: Words) -> str:
    """Write where samples' losses lie with the largest epsilon, where most widely."""
    last = {model: noisy.of_samples(model, LOSS).iloc[-1] for model in noisy.models}
    widest = max(last, key=lambda m: float(last[m]["high"] - last[m]["low"]))
    row, write = last[widest], words.numbers.two_decimals
    one = "_one" if write(row["low"]) == write(row["high"]) else ""
    model = words.say(f"mechanism_short_{widest}")
    return words.say(f"mechanism_samples_found{one}", row, model=model)


def _draw_intervals(
    axis: Axes, noisy: Noisy, which: tuple[str, str], aside: float
) -> None:
    model, measure = which
    sizes, look = noisy.noises["size"], LOOKS[model]
    rows = noisy.of_samples(model, measure)[["low", "median", "high"]].astype(float)
    whole = noisy.of_model(model)[measure].astype(float)
    axis.plot(sizes, whole, color=look.colour, linewidth=0.8, alpha=0.7)
    axis.vlines(
        aside * sizes, rows["low"], rows["high"], color=look.colour, linewidth=2.2
    )
    axis.plot(
        aside * sizes,
        rows["median"],
        look.marker,
        color=look.colour,
        markersize=4.5,
        clip_on=False,
    )


def _sample_sentence(noisy: Noisy, model: str, words: Words) -> str:
    loss, utility = (noisy.of_samples(model, name).iloc[-1] for name in MEASURES)
    return words.say(
        "mechanism_samples_alt",
        loss,
        model=words.say(f"mechanism_{model}"),
        loss_low=loss["low"],
        loss_high=loss["high"],
        utility_low=utility["low"],
        utility_high=utility["high"],
    )


_TRADEOFF_ROOM = 0.18
_TRADEOFF_SPAN = 0.02
_HOLLOW: dict[str, Any] = {
    "markersize": 6.5,
    "markerfacecolor": "none",
    "markeredgewidth": 1.4,
}
"""Of marks that lie on one another, all can be seen."""


def privacy_against_utility(noisy: Noisy, words: Words) -> str:
    """Draw utility over privacy loss, a mark a mechanism and a point an epsilon."""
    # Between two epsilons nothing was measured, and nothing is drawn. The points of the
    # least and the largest epsilon are labelled; best is the upper left corner. The
    # count without noise is a diamond. Takes and returns what `loss_and_utility` does.
    points = {model: noisy.of_model(model) for model in noisy.models}
    with svg.plain_style():
        figure = Figure((COLUMN, 4.6), layout=svg.plain_layout())
        axis = figure.subplots()
        _scale(axis, noisy, words)
        limit = noisy.first["privacy_loss_limit"]
        axis.plot(limit, 1, "D", markersize=9, markerfacecolor="none", color="black")
        labels = [marks.PointLabel((limit, 1.0), words.say("mechanism_noise_free"))]
        for model, rows in points.items():
            look, x, y = LOOKS[model], *(rows[m].astype(float) for m in (LOSS, UTILITY))
            axis.plot(x, y, look.marker, color=look.colour, clip_on=False, **_HOLLOW)
        labels += _labels_of_ends(points, words)
        marks.write_labels(axis, labels, pd.concat(points.values())[[LOSS, UTILITY]])
        sentences = [
            words.say(
                "mechanism_tradeoff_alt",
                model=words.say(f"mechanism_{model}"),
                points="; ".join(
                    words.say("mechanism_tradeoff_point", row)
                    for _, row in rows.iterrows()
                ),
            )
            for model, rows in points.items()
        ]
        said = _least_found(noisy, points, words), sentences
        kind = "mechanism", "tradeoff"
        return svg.analysis_svg(figure, kind, noisy.measured, said, words)


def _least_found(noisy: Noisy, points: Mapping[str, pd.DataFrame], words: Words) -> str:
    least = {model: rows.iloc[0] for model, rows in points.items()}
    best = max(least, key=lambda model: float(least[model][UTILITY]))
    limit = float(noisy.first["privacy_loss_limit"])
    return words.say(
        f"mechanism_tradeoff_found{'_none' if limit == 1 else ''}",
        least[best],
        model=words.say(f"mechanism_short_{best}"),
        limit=limit,
    )


def _scale(axis: Axes, noisy: Noisy, words: Words) -> None:
    floor = noisy.first["utility_floor"]
    scale_measure(axis, UTILITY, [*noisy.mechanism[UTILITY], floor], words)
    losses = [*noisy.mechanism[LOSS], noisy.first["privacy_loss_limit"]]
    high = max([1 + _TRADEOFF_SPAN, *losses])
    margin = _TRADEOFF_ROOM * (high - 1)
    axis.set_xlim(1 - margin, high + margin)
    steps = MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]).tick_values(1, high)
    ticks = [round(float(step), 9) for step in steps if 1 <= step <= high + margin]
    axis.set_xticks(ticks, [scales.number_label(tick, words) for tick in ticks])
    axis.set_xlabel(words.say("mechanism_privacy_loss"))
    axis.set_title(words.say("mechanism_utility"))
    axis.tick_params(color=svg.GREY)


def _labels_of_ends(
    points: Mapping[str, pd.DataFrame], words: Words
) -> list[marks.PointLabel]:
    """Label each mechanism's first and last point."""
    return [
        marks.PointLabel(
            (float(row[LOSS]), float(row[UTILITY])),
            words.say(f"mechanism_short_{model}")
            + f", {words.numbers.epsilon_equals(row['epsilon'])}",
        )
        for model, rows in points.items()
        for _, row in rows.iloc[[0, -1][: len(rows)]].iterrows()
    ]


_LIMIT = "privacy_loss_limit"
_CELL = 0.31, 0.44  # Height and width of a cell, in inches


def loss_of_pairs(noisy: Noisy, words: Words) -> str:
    """Draw how much counts of one attribute tell of another, for every pair."""
    # A row is the attribute that is inferred, a column that of which values are
    # counted; the cell has the privacy loss of the count that tells most, above with
    # the median epsilon and below without noise. A loss of 1, no loss, is the lightest.
    # Takes and returns what `loss_and_utility` does, of an analysis of pairs.
    maps, n = _maps(noisy, words), len(noisy.attributes)
    shades = scales.blues([*(noisy.shown_pairs[[LOSS, _LIMIT]].max() - 1)])
    names = [words.attribute(name) for name in noisy.attributes]
    with svg.plain_style():
        size = max(COLUMN, 1.6 + _CELL[1] * n), 2.6 + 2 * _CELL[0] * n
        figure = Figure(size, layout=svg.plain_layout())
        axes = figure.subplots(2, 1, sharex=True)
        for axis, (title, losses) in zip(axes, maps.items(), strict=True):
            _draw_map(axis, losses, shades, words)
            _describe_axis(axis, title, names, words)
        axes[1].set_xlabel(words.say("mechanism_counted"))
        axes[1].tick_params(axis="x", labelbottom=True)
        sentences = [f"{t}: {'; '.join(_best(m, words))}." for t, m in maps.items()]
        said = _pair_found(next(iter(maps.values())), noisy, words), sentences
        kind = ("mechanism", "pairs")
        return svg.analysis_svg(figure, kind, noisy.pairs, said, words)


def _pair_found(losses: pd.DataFrame, noisy: Noisy, words: Words) -> str:
    """Write which count tells most of another attribute, with the median epsilon."""
    pairs = losses.stack()
    others = pairs[[sensitive != useful for sensitive, useful in pairs.index]]
    sensitive, useful = others.idxmax()
    return words.say(
        "mechanism_pairs_found",
        sensitive=words.attribute(sensitive),
        useful=words.attribute(useful),
        loss=float(others.max()),
        epsilon=noisy.middle,
    )


def _maps(noisy: Noisy, words: Words) -> dict[str, pd.DataFrame]:
    """Return losses by sensitive (rows) and useful attribute, by title of the panel."""
    by_pair = noisy.shown_pairs.set_index(["sensitive", "useful"]).astype(
        {LOSS: float, _LIMIT: float}
    )
    noisy_title = words.say("mechanism_pairs_noisy", epsilon=noisy.middle)
    titles = {noisy_title: LOSS, words.say("mechanism_pairs_noise_free"): _LIMIT}
    names = noisy.attributes
    return {
        t: by_pair[column].unstack().loc[names, names] for t, column in titles.items()
    }


def _draw_map(
    axis: Axes, drawn: pd.DataFrame, shades: scales.Shades, words: Words
) -> None:
    for row, losses in enumerate(drawn.to_numpy()):
        for column, loss in enumerate(losses):
            ink = scales.draw_cell(axis, (column, row), loss - 1, shades)
            text = words.numbers.two_decimals(loss)
            scales.write_centred(axis, (column, row), text, color=ink)


def _describe_axis(axis: Axes, title: str, names: Sequence[str], words: Words) -> None:
    axis.set_title(title)
    axis.set_ylabel(words.say("mechanism_inferred"))
    axis.set_xlim(-0.6, len(names) - 0.4)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_yticks(range(len(names)), names)
    axis.set_xticks(range(len(names)), names, rotation=30, ha="right")
    scales.hide_frame(axis)


def _best(losses: pd.DataFrame, words: Words) -> list[str]:
    """Write which other attribute each attribute's values are best inferred from."""
    found = []
    for sensitive, row in losses.iterrows():
        others = row.drop(sensitive)
        useful = str(others.idxmax())
        found.append(
            words.say(
                "mechanism_pair_alt",
                sensitive=words.attribute(str(sensitive)),
                useful=words.attribute(useful),
                loss=float(others[useful]),
            )
        )
    return found
