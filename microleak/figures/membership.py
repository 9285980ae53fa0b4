"""The chance that a person of a sample is recognised as such (Rodrigues, 3.5)."""

import pandas as pd
from matplotlib.axes import Axes

from microleak.figures.by_size import draw_highest, draw_prior, scale_sizes
from microleak.figures.captions import caption
from microleak.figures.dots import draw_dots
from microleak.figures.membership_rows import Membership
from microleak.figures.scales import scale_shares
from microleak.figures.suppressed import cross, explain_mark
from microleak.figures.svg import (
    GREY,
    Caption,
    canvas,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words


def presence_by_size(shown: Membership, words: Words) -> str:
    """Draw the mean chance of the sample's persons over the number of QIDs known.

    One dot for each subset, the worst of each size in another colour with its
    value, and the prior as a line. A suppressed worst subset is a cross.

    Parameters
    ----------
    shown
        The tables of one analysis.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    worst = shown.worst
    with plain_style():
        figure, (axis,) = canvas(1, 1, (8, 4.4))
        draw_dots(axis, shown.measures, "person", 3)
        scale_shares(axis, [*shown.measures["posterior_person"].astype(float)], words)
        hidden = worst[worst["posterior_person"].isna()]
        cross(axis, hidden["n_qids"].astype(float))
        _draw_worst(axis, worst, words)
        draw_prior(axis, worst["prior"].iloc[0], True, words)
        _describe_axis(axis, worst, words)
        explain_mark(figure, map(words.attributes, hidden["n_qids"]), words)
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(shown, words))


def _draw_worst(axis: Axes, worst: pd.DataFrame, words: Words) -> None:
    def write(chance: float) -> str:
        return f"{words.numbers.brief(chance, is_positive=True)}%"

    chances = worst.set_index("n_qids")["posterior_person"].astype(float)
    draw_highest(axis, chances, write, height=axis.get_ylim()[1], fontsize=9)


def _describe_axis(axis: Axes, worst: pd.DataFrame, words: Words) -> None:
    scale_sizes(axis, worst["n_qids"], (0.8, 0.6), words)
    axis.set_xlabel(words.say("n_qids"))
    axis.set_ylabel(words.say("membership_chance"))
    axis.tick_params(color=GREY)


def _caption(shown: Membership, words: Words) -> Caption:
    ends = shown.worst.iloc[[0, -1][: len(shown.worst)]]
    sentences = [
        words.say("membership_alt", n_subsets=words.numbers.count(len(shown.measures))),
        *(
            words.say(
                "membership_alt_end",
                attributes=words.attributes(int(row["n_qids"])),
                posterior=words.numbers.share(row["posterior_person"], True),
                prior=words.numbers.share(row["prior"], True),
            )
            for _, row in ends.iterrows()
        ),
    ]
    return caption("membership", "chance", shown.measures, words, sentences)
