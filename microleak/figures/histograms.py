"""Records by individual success, worst subsets (Nunes, Figures 4.6, 4.10, 5.7)."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from microleak.figures import tables
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
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

CERTAIN = 100
_CERTAIN_PLACE = 106
_FIRST_PLACE_BELOW_LABEL = 75
_TITLE_WIDTH = 58


def drawn_sizes(sizes: list[int]) -> list[int]:
    """Choose up to four sizes, evenly from 1 to the largest, rounded down.

    So the sizes of Nunes' Figure 4.6 are drawn, and those of Gonze's Figure 3
    with one more. Where a size is not among those measured the nearest one stands
    for it, the lower of two as near.

    Examples
    --------
    >>> drawn_sizes(list(range(1, 12))), drawn_sizes(list(range(1, 8)))
    ([1, 4, 7, 11], [1, 3, 5, 7])
    """
    wanted = [1 + (max(sizes) - 1) * k // 3 for k in range(4)]
    nearest = {min(sizes, key=lambda size: (abs(size - w), size)) for w in wanted}
    return sorted(nearest)


def drawn_distributions(
    rows: pd.DataFrame, worst: pd.DataFrame
) -> list[tuple[pd.Series, pd.DataFrame]]:
    """Return the worst probabilistic subset of each drawn size, with its bins.

    Where releases are linked, that of the largest size of each panel instead, as
    in Nunes, Figures 5.7, 5.10 and 5.11.

    Parameters
    ----------
    rows
        Distributions of one analysis and one subject.
    worst
        The worst subsets of the same.

    Returns
    -------
    list
        Pairs of a row of `worst` and the rows of its distribution, panel by
        panel; a subset without a distribution is left out.
    """
    probabilistic = worst[worst["criterion"] == "probabilistic"]
    sizes = [int(size) for size in probabilistic["n_qids"].unique()]
    is_linked = probabilistic["auxiliary"].nunique() > 1
    sizes = [max(sizes)] if is_linked else drawn_sizes(sizes)
    chosen = probabilistic[probabilistic["n_qids"].isin(sizes)]
    pairs = [
        (row, rows[(rows["qids"] == row["qids"]) & (rows["auxiliary"] == auxiliary)])
        for panel in tables.by_panel(chosen).values()
        for _, row in panel.sort_values("n_qids").iterrows()
        for auxiliary in [row["auxiliary"]]
    ]
    return [(row, bins) for row, bins in pairs if len(bins)]


def success_histograms(rows: pd.DataFrame, worst: pd.DataFrame, words: Words) -> str:
    """Draw how many records have which chance of being found or inferred.

    One histogram for each drawn subset: individual success in 100 bins, those of
    certain success (exactly 1) apart and in another colour, and the share of the
    records upwards. A suppressed bin is a small cross on the axis.

    Parameters
    ----------
    rows
        Distributions of one analysis and one subject; not empty.
    worst
        The worst subsets of the same.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    drawn = drawn_distributions(rows, worst)
    n_rows = (len(drawn) + 1) // 2
    with plain_style():
        figure, axes = canvas(n_rows, 2, (10, 0.5 + 3.3 * n_rows))
        for axis, (row, bins) in zip(axes, drawn, strict=False):
            _draw_bins(axis, bins, words)
            axis.set_title(_panel_title(row, words), fontsize=9)
        for axis in axes[len(drawn) :]:
            axis.set_visible(False)
        for axis in axes[: len(drawn)][-2:]:
            axis.set_xlabel(words.say("individual_success"))
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(rows, drawn, words))


def _panel_title(row: pd.Series, words: Words) -> str:
    number = words.attributes(int(row["n_qids"]))
    names = textwrap.wrap(", ".join(tables.qids_of(row)), _TITLE_WIDTH)
    return "\n".join([f"{number} ({tables.panel_label(row)})", *names])


def _draw_bins(axis: Axes, bins: pd.DataFrame, words: Words) -> None:
    places = bins["bin"].to_numpy(dtype=int)
    shares = tables.record_shares(bins).to_numpy(dtype=float, na_value=np.nan)
    is_certain = places == CERTAIN
    hidden = np.isnan(shares)
    left = np.where(is_certain, _CERTAIN_PLACE, places)
    visible = ~hidden & ~is_certain
    axis.bar(left[visible], shares[visible], 1, align="edge", color=BLUE)
    axis.bar(left[is_certain], shares[is_certain], 5, align="edge", color=VERMILION)
    axis.plot(left[hidden] + 0.5, 0 * left[hidden], "x", color=GREY, markersize=4)
    beside = shares[visible & (places >= _FIRST_PLACE_BELOW_LABEL)]
    _label_certain(axis, shares[is_certain], beside, words)
    as_percent(axis, words)
    ticks = [0, 25, 50, 75, 100]
    axis.set_xticks(ticks, [f"{words.numbers.count(tick)}%" for tick in ticks])
    axis.set_xlim(-2, _CERTAIN_PLACE + 7)
    axis.set_ylabel(words.say("record_share"))
    axis.tick_params(labelbottom=True, labelleft=True, color=GREY)


def _label_certain(
    axis: Axes, share: np.ndarray, beside: np.ndarray, words: Words
) -> None:
    """Write the certain share above its bar, and above those the text reaches over."""
    value = share[0] if len(share) else 0.0
    height = np.nanmax([0.0, value, *beside])
    axis.annotate(
        words.say("certain", share=words.numbers.share(value, len(share) > 0)),
        (_CERTAIN_PLACE + 5, height),
        xytext=(0, 4),
        textcoords="offset points",
        ha="right",
        fontsize=9,
        color=DARK_VERMILION,
    )


def _caption(
    rows: pd.DataFrame, drawn: list[tuple[pd.Series, pd.DataFrame]], words: Words
) -> Caption:
    first = rows.iloc[0]
    subject = first["sensitive"] or words.say("reidentification")
    sentences = [
        words.say(
            "distribution_alt",
            attributes=words.attributes(int(row["n_qids"])),
            panel=tables.panel_label(row),
            share=_certain_share(bins, words),
        )
        for row, bins in drawn
    ]
    return Caption(
        name="|".join(
            ["distribution", *first[["analysis", "sensitive"]], words.numbers.language]
        ),
        title=words.say("distribution_title", subject=subject),
        description=" ".join(sentences),
        is_published=tables.is_published(rows),
    )


def _certain_share(bins: pd.DataFrame, words: Words) -> str:
    share = tables.record_shares(bins)[bins["bin"] == CERTAIN]
    value = share.iloc[0] if len(share) else 0.0
    return words.numbers.share(value, is_positive=len(share) > 0)
