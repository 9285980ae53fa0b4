"""Records of blocks below k, of every subset, by its number of attributes."""

import pandas as pd
from matplotlib.axes import Axes

from microleak.columns import ANONYMITY_THRESHOLDS
from microleak.figures import tables
from microleak.figures.by_size import draw_highest, scale_sizes
from microleak.figures.dots import draw_dots
from microleak.figures.suppressed import cross, explain_mark
from microleak.figures.svg import (
    GREY,
    Caption,
    as_percent,
    canvas,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words


def records_below(blocks: pd.DataFrame, words: Words) -> str:
    """Draw which share of the records is in blocks of fewer than 2, 3, 5 and 10.

    One axis for each of these k and one dot for each subset; the highest of each size
    in another colour, with its value. A size of which it is suppressed has a cross.

    Parameters
    ----------
    blocks
        Rows of `measures/anonymity` of one analysis that are of no sensitive
        attribute; not empty.
    words
        Phrases, numbers and whether the table is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    highest = {k: highest_below(blocks, k) for k in ANONYMITY_THRESHOLDS}
    with plain_style():
        figure, axes = canvas(2, 2, (10, 7.6))
        for axis, (k, shares) in zip(axes, highest.items(), strict=True):
            # `draw_dots` draws a posterior by the end of its column's name.
            dots = blocks.assign(posterior_below=blocks[f"share_below_{k}"])
            draw_dots(axis, dots, "below", 2.4)
            _draw_highest(axis, shares, words)
            _describe(axis, shares, words)
            axis.set_title(panel_title(k, words))
        for axis in axes[2:]:
            axis.set_xlabel(words.say("n_qids"))
        hidden = [panel_title(k, words) for k, s in highest.items() if s.isna().any()]
        explain_mark(figure, hidden, words)
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(blocks, highest, words))


def highest_below(blocks: pd.DataFrame, k: int) -> pd.Series:
    """Return the highest share of records below k of each number of QIDs.

    Missing where it is suppressed: a suppressed share is above 0, so that 0 cannot
    be the highest beside one.
    """
    shares = blocks[f"share_below_{k}"].astype(float).groupby(blocks["n_qids"])
    highest, has_hidden = shares.max(), shares.count() < shares.size()
    return highest.mask(has_hidden & (highest == 0))


def panel_title(k: int, words: Words) -> str:
    """Say which records are below k."""
    key = "anonymity_alone" if k == min(ANONYMITY_THRESHOLDS) else "anonymity_below"
    return words.say(key, k=words.numbers.count(k))


def _draw_highest(axis: Axes, shares: pd.Series, words: Words) -> None:
    draw_highest(axis, shares, words.numbers.brief)
    cross(axis, shares.index[shares.isna()])


def _describe(axis: Axes, shares: pd.Series, words: Words) -> None:
    as_percent(axis, words)
    scale_sizes(axis, shares.index, (0.9, 0.6), words)
    axis.set_ylabel(words.say("record_share"))
    axis.tick_params(labelbottom=True, labelleft=True, color=GREY)


def _caption(
    blocks: pd.DataFrame, highest: dict[int, pd.Series], words: Words
) -> Caption:
    n_subsets = words.numbers.count(len(blocks))
    sentences = [words.say("anonymity_below_alt", n_subsets=n_subsets)]
    for k, shares in highest.items():
        ends = shares.iloc[[0, -1][: len(shares)]]
        sentences += [
            words.say(
                "anonymity_below_alt_end",
                panel=panel_title(k, words),
                attributes=words.attributes(int(size)),
                share=words.numbers.share(share),
            )
            for size, share in ends.items()
        ]
    analysis = str(blocks["analysis"].iloc[0])
    return Caption(
        name="|".join(["anonymity-below", analysis, words.numbers.language]),
        title=words.say("anonymity_below_title"),
        description=" ".join(sentences),
        is_published=tables.is_published(blocks),
    )
