"""Figures of rebuilt databases: where noise stops an attack, and phase diagrams."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.attacks.reconstruction.rows import (
    Rebuilt,
    exact_text,
    panel_text,
    unclaimed_text,
)
from microleak.figures.marks import LineEnd, draw_level, write_ends
from microleak.figures.numbers import Words
from microleak.figures.scales import (
    Shades,
    blues,
    draw_cell,
    hide_frame,
    percent_labels,
    scale_numbers,
    write_centred,
)
from microleak.figures.slim import COLUMN
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    GREY,
    analysis_svg,
    plain_layout,
    plain_style,
)

_COLOURS = (DARK_VERMILION, BLUE, "#00694F", "#A3467F", "#7A5C00", "black")
_MARKERS = "os^Dv<"
_HEIGHT, _NAME_HEIGHT = 3.0, 0.075
"""Of a panel in inches, and of a line's name as a share of it."""


def right_over_noise(shown: Rebuilt, words: Words) -> str:
    """Draw the share of entries right over E / sqrt(n), a line a number of queries.

    A full mark is a setting of which every database was rebuilt, an empty one is
    another.
    """
    panels = shown.panels
    with plain_style():
        size = COLUMN, 0.7 + _HEIGHT * len(panels)
        figure = Figure(size, layout=plain_layout())
        axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for axis, panel in zip(axes, panels, strict=True):
            _draw_panel(axis, panel, words)
            guess = shown.guess(panel["n_entries"].iloc[0])
            _name_lines(axis, panel, guess, words)
        axes[-1].set_xlabel(words.say("reconstruction_noise_axis"))
        sentences = [_sentence(panel, words) for panel in panels]
        said = _noise_found(panels, words), sentences
        kind = ("reconstruction", "noise")
        note = unclaimed_text(panels, words)
        return analysis_svg(figure, kind, shown.measured, said, words, note)


def _noise_found(panels: list[pd.DataFrame], words: Words) -> str:
    """Write up to which noise every database is rebuilt, or what is right at best."""
    rows = pd.concat(dict(enumerate(panels)))
    whole = rows[rows["n_exact"] == rows["n_tries"]]
    key = "whole" if len(whole) else "best"
    place = (whole["noise_share"] if len(whole) else rows["share_right"]).idxmax()
    row = rows.loc[place]
    return words.say(
        f"reconstruction_noise_{key}",
        row,
        panel=panel_text(panels[place[0]], words),
    )


def _draw_panel(axis: Axes, panel: pd.DataFrame, words: Words) -> None:
    curves = _drawn_curves(panel)
    scale_numbers(axis, panel["noise_share"], False, words)
    for number, (_, curve) in enumerate(curves):
        _draw_curve(axis, curve, number)
    axis.set_title(panel_text(panel, words), pad=14)
    axis.set_ylabel(words.say("reconstruction_right"))
    axis.tick_params(color=GREY)
    steps = [tenth / 10 for tenth in range(0, 11, 2)]
    axis.set_yticks(steps, percent_labels(steps, words))
    axis.set_ylim(steps[0] - 0.02, 1.03)


def _name_lines(axis: Axes, panel: pd.DataFrame, guess: float, words: Words) -> None:
    """Write how many queries a line has, and draw and name what a guess has right."""
    said = words.say("reconstruction_guess", share=guess)
    draw_level(axis, guess, said)
    ends = [LineEnd((float(panel["noise_share"].max()), guess), said, "black")]
    for number, (n_queries, curve) in enumerate(_drawn_curves(panel)):
        last = curve.iloc[-1]
        text = words.say("reconstruction_line", n=n_queries)
        place = float(last["noise_share"]), float(last["share_right"])
        ends.append(LineEnd(place, text, _COLOURS[number]))
    write_ends(axis, ends, _NAME_HEIGHT)


def _drawn_curves(panel: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """Return the curves of a panel, most queries first; of many, evenly six."""
    curves = list(panel.groupby("n_queries"))[::-1]
    if len(curves) <= len(_MARKERS):
        return curves
    places = np.linspace(0, len(curves) - 1, len(_MARKERS)).round().astype(int)
    return [curves[place] for place in places]


def _draw_curve(axis: Axes, curve: pd.DataFrame, number: int) -> None:
    colour, marker = _COLOURS[number], _MARKERS[number]
    axis.plot(
        curve["noise_share"],
        curve["share_right"],
        color=colour,
        marker=marker,
        markersize=5.5,
        markerfacecolor="white",
        linewidth=1.4,
    )
    every = curve[curve["n_exact"] == curve["n_tries"]]
    axis.plot(every["noise_share"], every["share_right"], marker, color=colour, ms=5.5)


def _sentence(panel: pd.DataFrame, words: Words) -> str:
    curve = panel[panel["n_queries"] == panel["n_queries"].max()]
    low, high = curve.iloc[0], curve.iloc[-1]
    return words.say(
        "reconstruction_noise_alt",
        low,
        panel=panel_text(panel, words),
        low=low["noise_share"],
        high=high["noise_share"],
        right_low=low["share_right"],
        right_high=high["share_right"],
        exact_low=exact_text(low, words),
        exact_high=exact_text(high, words),
    )


_HEAD, _ROW, _CELL = 1.1, 0.46, 0.5
"""Inches around a diagram, of a row, and of a column."""


def phase_diagrams(shown: Rebuilt, words: Words) -> str:
    """Draw the share of entries right in cells, by noise and number of queries.

    Below it is how many databases were rebuilt whole, of how many.
    """
    diagrams = shown.diagrams
    with plain_style():
        figure, axes = _canvas(diagrams)
        for axis, settings in zip(axes, diagrams, strict=True):
            _draw_diagram(axis, settings, blues([1.0]), words)
        axes[-1].set_xlabel(words.say("reconstruction_phase_axis"))
        sentences = [_phase_sentence(settings, words) for settings in diagrams]
        settings = pd.concat(diagrams)
        found = words.say(
            "reconstruction_phase_found",
            n=int((settings["n_exact"] == settings["n_tries"]).sum()),
            all=len(settings),
        )
        kind = ("reconstruction", "phase")
        said, note = (found, sentences), unclaimed_text(diagrams, words)
        return analysis_svg(figure, kind, shown.measured, said, words, note)


def _canvas(diagrams: list[pd.DataFrame]) -> tuple[Figure, list[Axes]]:
    heights = [_HEAD + _ROW * d["n_queries"].nunique() for d in diagrams]
    n_columns = max(d["error_bound"].nunique() for d in diagrams)
    size = max(COLUMN, 1.1 + _CELL * n_columns), sum(heights) + 0.4
    figure = Figure(size, layout=plain_layout())
    axes = figure.subplots(len(diagrams), 1, squeeze=False, height_ratios=heights)
    return figure, list(axes[:, 0])


def _draw_diagram(
    axis: Axes, settings: pd.DataFrame, shades: Shades, words: Words
) -> None:
    rows, columns = (sorted(settings[c].unique()) for c in ("n_queries", "error_bound"))
    for _, setting in settings.iterrows():
        column = columns.index(setting["error_bound"])
        row = rows.index(setting["n_queries"])
        ink = draw_cell(axis, (column, row), setting["share_right"], shades)
        share = words.numbers.brief(setting["share_right"])
        write_centred(axis, (column, row + 0.19), share, color=ink)
        exact = exact_text(setting, words)
        write_centred(axis, (column, row - 0.22), exact, color=ink)
    _describe_axis(axis, settings, words)


def _describe_axis(axis: Axes, settings: pd.DataFrame, words: Words) -> None:
    shares = settings.groupby("error_bound")["noise_share"].first()
    labels = [
        f"{words.numbers.three_digits(bound)}\n{words.numbers.three_digits(share)}·√n"
        for bound, share in shares.items()
    ]
    rows = [words.numbers.count(n) for n in sorted(settings["n_queries"].unique())]
    axis.set_xticks(range(len(labels)), labels)
    axis.set_yticks(range(len(rows)), rows)
    axis.set(xlim=(-0.5, len(labels) - 0.5), ylim=(-0.5, len(rows) - 0.5))
    axis.set_title(panel_text(settings, words))
    axis.set_ylabel(words.say("reconstruction_queries"))
    hide_frame(axis)


def _phase_sentence(settings: pd.DataFrame, words: Words) -> str:
    return words.say(
        "reconstruction_phase_alt",
        panel=panel_text(settings, words),
        rows="; ".join(
            words.say(
                "reconstruction_phase_row",
                n_queries=n_queries,
                cells=", ".join(
                    words.numbers.brief(share) for share in row["share_right"]
                ),
            )
            for n_queries, row in settings.groupby("n_queries")
        ),
    )
