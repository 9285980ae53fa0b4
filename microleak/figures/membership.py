"""The chance that a person of a sample is recognised as such (Rodrigues, 3.5)."""

import pandas as pd
from matplotlib.axes import Axes

from microleak.figures import tables
from microleak.figures.dots import draw_dots
from microleak.figures.membership_rows import Membership
from microleak.figures.scales import scale_shares
from microleak.figures.suppressed import cross, explain_mark
from microleak.figures.svg import (
    DARK_VERMILION,
    GREY,
    VERMILION,
    Caption,
    canvas,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words

_STEEP = 0.04


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
        _draw_prior(axis, worst["prior"].iloc[0], words)
        _describe_axis(axis, worst, words)
        explain_mark(figure, map(words.attributes, hidden["n_qids"]), words)
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(shown, words))


def _draw_worst(axis: Axes, worst: pd.DataFrame, words: Words) -> None:
    sizes, chances = (worst[c].astype(float) for c in ("n_qids", "posterior_person"))
    axis.plot(sizes, chances, "o-", color=VERMILION, markersize=4.5, linewidth=1)
    # Beside a steep rise a label stands to the left, where the line is not.
    is_steep = chances.diff().shift(-1) > _STEEP * axis.get_ylim()[1]
    for size, chance, steep in zip(sizes, chances, is_steep, strict=True):
        if pd.isna(chance):
            continue
        axis.annotate(
            f"{words.numbers.brief(chance, is_positive=True)}%",
            (size, chance),
            xytext=(-5 if steep else 0, 3 if steep else 7),
            textcoords="offset points",
            ha="right" if steep else "center",
            fontsize=9,
            color=DARK_VERMILION,
        )


def _draw_prior(axis: Axes, prior: float, words: Words) -> None:
    if pd.isna(prior):
        return
    axis.axhline(
        prior,
        color="black",
        linewidth=1,
        linestyle=(0, (5, 3)),
        label=words.say("prior", share=words.numbers.share(prior, is_positive=True)),
    )
    axis.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        borderpad=0,
        handlelength=2.6,
        frameon=False,
        fontsize=9,
    )


def _describe_axis(axis: Axes, worst: pd.DataFrame, words: Words) -> None:
    sizes = worst["n_qids"].astype(int).tolist()
    axis.set_xticks(sizes, [words.numbers.count(size) for size in sizes])
    axis.set_xlim(min(sizes) - 0.8, max(sizes) + 0.6)
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
    return caption("chance", shown, words, sentences)


def caption(
    kind: str, shown: Membership, words: Words, sentences: list[str]
) -> Caption:
    """Return what is said of a figure of one analysis, by its kind."""
    name = shown.measures["analysis"].iloc[0]
    return Caption(
        name="|".join(["membership", kind, name, words.numbers.language]),
        title=words.say(f"membership_{kind}_title", analysis=name),
        description=" ".join(sentences),
        is_published=tables.is_published(shown.measures),
    )
