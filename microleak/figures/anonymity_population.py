"""A sample before its population: k-map, and uniqueness by model and in truth."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from microleak.columns import ANONYMITY_THRESHOLDS, UNIQUENESS_MODELS
from microleak.figures import tables
from microleak.figures.anonymity_rows import measured
from microleak.figures.by_size import scale_sizes
from microleak.figures.suppressed import cross, explain_mark
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

Lines = Mapping[str, pd.Series]
"""Shares over numbers of QIDs, by what they are called."""

Look = Mapping[str, Any]

_LEAST = 0.0001

# Bluish green and reddish purple are Okabe and Ito's, too. Of lines, shapes differ.
_TRUTH: Look = {"color": "black", "marker": "o", "linestyle": "-", "linewidth": 2}
_LOOKS: tuple[Look, ...] = (
    {"color": BLUE, "marker": "s", "linestyle": (0, (5, 2))},
    {"color": VERMILION, "marker": "^", "linestyle": (0, (1, 1.5))},
    {"color": "#009E73", "marker": "D", "linestyle": (0, (5, 2, 1, 2))},
    {"color": "#CC79A7", "marker": "v", "linestyle": (0, (8, 2))},
)


def before_population(
    of_k_map: pd.DataFrame, of_uniques: pd.DataFrame, words: Words
) -> str:
    """Draw k-map, and beside it how many sample uniques are population uniques.

    On the left, where there is a population, the share of the records whose values
    fewer than 2, 3, 5 and 10 of it have. On the right what each model says of the
    records that are alone in the table, and where there is a population the truth.
    A suppressed share is a small cross on the axis.

    Parameters
    ----------
    of_k_map
        Worst subsets of each size by k-map; empty without a population.
    of_uniques
        Worst subsets of each size by k-anonymity; not empty.
    words
        Phrases, numbers and whether one of the tables is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    panels = {"anonymity_unique": uniqueness_lines(of_uniques, words)}
    if len(of_k_map):
        panels = {"anonymity_k_map": k_map_lines(of_k_map, words), **panels}
    with plain_style():
        figure, axes = canvas(1, len(panels), (10, 5))
        for axis, (key, lines) in zip(axes, panels.items(), strict=True):
            _draw_lines(axis, lines, words)
            axis.set_title(words.say(f"{key}_panel"), fontsize=10)
            axis.set_ylabel(words.say(f"{key}_axis"))
        hidden = [n for p in panels.values() for n, v in p.items() if v.isna().any()]
        explain_mark(figure, hidden, words)
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(of_uniques, panels, words))


def k_map_lines(worst: pd.DataFrame, words: Words) -> Lines:
    """Return the share of the records below each k of k-map, by number of QIDs."""
    return {
        words.say("anonymity_k_map_below", k=words.numbers.count(k)): _by_size(
            worst, worst[f"share_below_k_map_{k}"]
        )
        for k in ANONYMITY_THRESHOLDS
    }


def uniqueness_lines(worst: pd.DataFrame, words: Words) -> Lines:
    """Return the share of sample uniques that are population uniques.

    First the truth, if there is a population, and then each model's estimate. Sizes
    whose worst subset has no sample unique are left out; so is one of which a model
    says nothing.
    """
    some = worst[worst["n_sample_unique"].fillna(1) > 0]
    counted = measured(some, "n_unique_both")
    both, alone = (counted[f"n_{kind}"] for kind in ("unique_both", "sample_unique"))
    lines = {"truth": _by_size(counted, both.astype(float) / alone.astype(float))}
    for model in UNIQUENESS_MODELS:
        of_model = measured(some, f"posterior_unique_{model}")
        lines[model] = _by_size(of_model, of_model[f"posterior_unique_{model}"])
    return {
        words.say(f"anonymity_{name}"): shares
        for name, shares in lines.items()
        if len(shares)
    }


def estimated(chance: float, words: Words) -> str:
    """Write an estimated chance, above 0; one far below a percent only as such."""
    if 0 < chance < _LEAST:
        least = words.numbers.share(_LEAST)
        return words.say("anonymity_small", share=least)
    return words.numbers.share(chance, is_positive=True)


def _by_size(rows: pd.DataFrame, shares: pd.Series) -> pd.Series:
    return pd.Series(shares.astype(float).to_numpy(), index=rows["n_qids"].astype(int))


def _draw_lines(axis: Axes, lines: Lines, words: Words) -> None:
    looks = iter(_LOOKS)
    for name, shares in lines.items():
        look = _TRUTH if name == words.say("anonymity_truth") else next(looks)
        axis.plot(shares.index, shares, label=name, **look)
        cross(axis, shares.index[shares.isna()])
    as_percent(axis, words)
    sizes = [size for shares in lines.values() for size in shares.index]
    if sizes:
        scale_sizes(axis, sizes, (0.3, 0.3), words)
        axis.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, -0.16),
            ncols=2,
            frameon=False,
            fontsize=9,
            handlelength=3,
        )
    axis.set_xlabel(words.say("n_qids"))
    axis.tick_params(labelbottom=True, labelleft=True, color=GREY)


def _caption(worst: pd.DataFrame, panels: Mapping[str, Lines], words: Words) -> Caption:
    said = [
        words.say(
            "anonymity_population_alt",
            panel=words.say(f"{key}_panel"),
            lines="; ".join(
                f"{name}: {estimated(shares.iloc[-1], words)}"
                for name, shares in lines.items()
            ),
        )
        for key, lines in panels.items()
    ]
    analysis = str(worst["analysis"].iloc[0])
    largest = words.attributes(int(np.max(worst["n_qids"])))
    return Caption(
        name="|".join(["anonymity-population", analysis, words.numbers.language]),
        title=words.say("anonymity_population_title"),
        description=" ".join(
            [words.say("anonymity_population_largest", attributes=largest), *said]
        ),
        is_published=tables.is_published(worst),
    )
