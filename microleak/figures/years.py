"""The adversary's success by the releases linked (Nunes, Figures 5.6 and 5.9)."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from microleak.figures import tables
from microleak.figures.svg import (
    BLUE,
    GREY,
    VERMILION,
    Caption,
    as_percent,
    canvas,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words

_KINDS = {"det": ("deterministic", VERMILION), "prob": ("probabilistic", BLUE)}
_WIDTH = 0.4
_TITLE_WIDTH = 110


def success_by_years(rows: pd.DataFrame, worst: pd.DataFrame, words: Words) -> str:
    """Draw the success with all QIDs, release by release that is linked.

    A group of two bars, deterministic and probabilistic, for the prior, which is
    the same for all panels, and for the posterior of each panel. A suppressed
    value is a small cross on the axis.

    Parameters
    ----------
    rows
        Collective measures of one analysis and one subject; several panels.
    worst
        The worst subsets of the same.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    full = tables.full_set(rows, worst)
    with plain_style():
        figure, (axis,) = canvas(1, 1, (10, 4.6))
        for kind, side in zip(_KINDS, (-0.5, 0.5), strict=True):
            places = np.arange(len(full) + 1) + side * _WIDTH
            _draw_bars(axis, places, bars_of(full, kind), kind, words)
        _describe_axis(axis, full, words)
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(full, words))


def bars_of(full: pd.DataFrame, kind: str) -> list[tuple[float, bool]]:
    """Return the prior and each panel's posterior, and whether each is above 0.

    Parameters
    ----------
    full
        One row for each panel, of one subject and subset.
    kind
        `det` or `prob`.
    """
    prior = full[f"prior_{kind}"].iloc[0]
    if kind == "prob":
        is_positive = [True] * len(full)
    else:
        is_positive = list((full["n_certain"] > 0).fillna(True))
    return [
        (prior, kind == "prob"),
        *zip(full[f"posterior_{kind}"], is_positive, strict=True),
    ]


def _draw_bars(
    axis: Axes,
    places: np.ndarray,
    bars: list[tuple[float, bool]],
    kind: str,
    words: Words,
) -> None:
    name, colour = _KINDS[kind]
    heights = np.array([height for height, _ in bars], dtype=float)
    axis.bar(places, heights, 0.95 * _WIDTH, color=colour, label=words.say(name))
    for place, (height, is_positive) in zip(places, bars, strict=True):
        if np.isnan(height):
            axis.plot(place, 0, "x", color=GREY, markersize=4)
            continue
        axis.annotate(
            words.numbers.brief(height, is_positive),
            (place, height),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )


def _describe_axis(axis: Axes, full: pd.DataFrame, words: Words) -> None:
    as_percent(axis, words)
    focal, *auxiliary = tables.releases_of(full.iloc[-1])
    labels = [words.say("no_attack"), focal, *(f"+ {name}" for name in auxiliary)]
    axis.set_xticks(range(len(labels)), labels)
    axis.set_xlim(-0.6, len(labels) - 0.4)
    axis.set_xlabel(words.say("linked"))
    axis.set_ylabel(words.say("success"))
    axis.tick_params(color=GREY)
    axis.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9
    )
    title = f"{words.attributes(int(full['n_qids'].iloc[0]))}: {_names(full)}"
    axis.set_title("\n".join(textwrap.wrap(title, _TITLE_WIDTH)), fontsize=9, pad=26)


def _names(full: pd.DataFrame) -> str:
    return ", ".join(tables.qids_of(full.iloc[0]))


def _caption(full: pd.DataFrame, words: Words) -> Caption:
    row = full.iloc[0]
    panels = [words.say("no_attack"), *map(tables.panel_label, _rows(full))]
    found = zip(panels, bars_of(full, "det"), bars_of(full, "prob"), strict=True)
    sentences = [
        words.say(
            "years_alt",
            panel=panel,
            certain=words.numbers.share(*certain),
            guess=words.numbers.share(*guess),
        )
        for panel, certain, guess in found
    ]
    return Caption(
        name="|".join(
            ["years", *row[["analysis", "sensitive"]], words.numbers.language]
        ),
        title=words.say(
            "years_title",
            subject=row["sensitive"] or words.say("reidentification"),
            attributes=words.attributes(int(row["n_qids"])),
        ),
        description=" ".join(sentences),
        is_published=tables.is_published(full),
    )


def _rows(full: pd.DataFrame) -> list[pd.Series]:
    return [row for _, row in full.iterrows()]
