"""Blocks by their size or number of values, as Google's risk analysis counts them."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.figures import tables
from microleak.figures.anonymity_rows import L_DIVERSITY
from microleak.figures.histograms import drawn_sizes
from microleak.figures.numbers import Numbers
from microleak.figures.suppressed import cross, explain_mark
from microleak.figures.svg import (
    BLUE,
    GREY,
    Caption,
    as_percent,
    canvas,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words

_TITLE_WIDTH = 58
_HALF = 0.4
_SHARES = {"share_of_blocks": -_HALF, "share_of_records": 0.0}
"""Where the bar of each share begins, beside the place of its bucket."""


def value_histograms(classes: pd.DataFrame, words: Words) -> str:
    """Draw which share of the blocks, and of their records, each bucket has.

    One histogram for the worst subset of each drawn size; a suppressed share is a
    small cross on the axis.

    Parameters
    ----------
    classes
        Rows of `measures/classes` of one analysis, model and sensitive attribute; not
        empty.
    words
        Phrases, numbers and whether the table is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    drawn = drawn_histograms(classes)
    buckets = bucket_names(pd.concat(drawn.values()), words.numbers)
    n_rows = (len(drawn) + 1) // 2
    with plain_style():
        figure, axes = canvas(n_rows, 2, (10, 0.9 + 3.3 * n_rows))
        for axis, (n_qids, rows) in zip(axes, drawn.items(), strict=False):
            _draw_buckets(axis, rows, list(buckets), words)
            axis.set_title(_panel_title(n_qids, rows, words), fontsize=9)
            axis.set_xticks(range(len(buckets)), [*buckets.values()], fontsize=8)
            axis.tick_params(labelbottom=True, labelleft=True, color=GREY)
        for axis in axes[len(drawn) :]:
            axis.set_visible(False)
        _turn_labels(axes, len(buckets))
        _explain(figure, axes, list(drawn.values()), words)
        return svg_text(figure, _caption(classes, drawn, words))


def drawn_histograms(classes: pd.DataFrame) -> dict[int, pd.DataFrame]:
    """Return the buckets of up to four sizes, by number of QIDs."""
    sizes = sorted(int(size) for size in classes["n_qids"].unique())
    return {size: classes[classes["n_qids"] == size] for size in drawn_sizes(sizes)}


def bucket_names(classes: pd.DataFrame, numbers: Numbers) -> dict[int, str]:
    """Write the bounds of each bucket that occurs, by its lower one, ascending.

    The upper bound is the largest that a subset has; without any it is open.
    """
    upper = classes.groupby("lower")["upper"].max()
    return {int(low): bucket_name(low, high, numbers) for low, high in upper.items()}


def bucket_name(lower: int, upper: int, numbers: Numbers) -> str:
    """Write the bounds of a bucket, both within.

    Examples
    --------
    >>> english = Numbers("en")
    >>> [bucket_name(*bounds, english) for bounds in ((1, 1), (3, 4), (20, pd.NA))]
    ['1', '3–4', '≥20']
    """
    least = numbers.count(lower)
    if pd.isna(upper):
        return f"≥{least}"
    return least if lower == upper else f"{least}–{numbers.count(upper)}"


def _draw_buckets(
    axis: Axes, rows: pd.DataFrame, buckets: list[int], words: Words
) -> None:
    places = np.array([buckets.index(int(lower)) for lower in rows["lower"]])
    for column, left in _SHARES.items():
        shares = rows[column].to_numpy(dtype=float, na_value=np.nan)
        # Published, no share of the blocks is shown, which one mark says.
        if np.isnan(shares).all() and left < 0:
            continue
        axis.bar(
            places + left,
            shares,
            _HALF,
            align="edge",
            # Empty and full bars differ in grey, too.
            color=BLUE if left == 0 else "white",
            edgecolor=BLUE,
            linewidth=1,
            label=words.say(f"anonymity_{column}"),
        )
        cross(axis, places[np.isnan(shares)] + left + _HALF / 2)
    as_percent(axis, words)
    axis.set_xlim(-0.7, len(buckets) - 0.3)


def _turn_labels(axes: list[Axes], n_buckets: int) -> None:
    for axis in axes:
        if n_buckets > 5:
            axis.tick_params(axis="x", rotation=60)


def _explain(
    figure: Figure, axes: list[Axes], drawn: list[pd.DataFrame], words: Words
) -> None:
    shares = pd.concat(drawn)[[*_SHARES]]
    hidden = shares.columns[shares.isna().any()]
    explain_mark(figure, [words.say(f"anonymity_{name}") for name in hidden], words)
    mark_synthetic(figure, words)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False)
    model = "values" if (drawn[0]["model"] == L_DIVERSITY).all() else "sizes"
    for axis in axes[: len(drawn)]:
        axis.set_xlabel(words.say(f"anonymity_axis_{model}"))


def _panel_title(n_qids: int, rows: pd.DataFrame, words: Words) -> str:
    names = ", ".join(tables.qids_of(rows.iloc[0]))
    said = words.attributes(n_qids)
    if pd.notna(rows.iloc[0]["share_of_records"]):
        lowest = _lowest(n_qids, rows.iloc[0], words)
        said = words.say("anonymity_classes_panel", **lowest)
    return "\n".join([said, *textwrap.wrap(names, _TITLE_WIDTH)])


def _lowest(n_qids: int, row: pd.Series, words: Words) -> dict[str, str]:
    """Write what is said of a subset: its size, and what its lowest bucket has."""
    return {
        "attributes": words.attributes(n_qids),
        "bucket": bucket_name(row["lower"], row["upper"], words.numbers),
        "records": words.numbers.share(row["share_of_records"], row["n_records"] > 0),
    }


def _caption(
    classes: pd.DataFrame, drawn: dict[int, pd.DataFrame], words: Words
) -> Caption:
    first = classes.iloc[0]
    subject = "values" if first["sensitive"] else "sizes"
    sentences = [
        words.say(
            f"anonymity_{subject}_alt",
            **_lowest(n_qids, rows.iloc[0], words),
            blocks=words.numbers.share(rows.iloc[0]["share_of_blocks"], True),
        )
        for n_qids, rows in drawn.items()
    ]
    named = first[["model", "analysis", "sensitive"]]
    return Caption(
        name="|".join([*named, words.numbers.language]),
        title=words.say(f"anonymity_{subject}_title", sensitive=first["sensitive"]),
        description=" ".join(sentences),
        is_published=tables.is_published(classes),
    )
