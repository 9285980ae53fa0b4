"""The adversary's success by what they know (Nunes, Figures 4.5 and 4.9)."""

import pandas as pd
from matplotlib.axes import Axes

from microleak.columns import CRITERIA
from microleak.figures import tables
from microleak.figures.by_size import draw_highest, draw_prior, scale_sizes
from microleak.figures.dots import draw_dots
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

_LEGEND_HEIGHT = 22


def success_by_size(rows: pd.DataFrame, worst: pd.DataFrame, words: Words) -> str:
    """Draw every subset's success over its number of quasi-identifiers.

    One row of axes for the focal release alone and one for all releases linked,
    deterministic on the left and probabilistic on the right; one dot for each
    subset, spread sideways in a fixed order so that equal values can be told apart;
    the prior as a line; the worst subset of each size in another colour, with its
    value. Suppressed values are not drawn.

    Parameters
    ----------
    rows
        Collective measures of one analysis and one subject (re-identification or
        one sensitive attribute), all subsets and panels; not empty.
    worst
        The rows of the worst subsets, with their `criterion`.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    panels = tables.ends(tables.by_panel(rows))
    with plain_style():
        figure, axes = canvas(len(panels), 2, (10, 0.4 + 4.2 * len(panels)))
        cells = [(label, criterion) for label in panels for criterion in CRITERIA]
        for axis, (label, criterion) in zip(axes, cells, strict=True):
            draw_dots(axis, panels[label], CRITERIA[criterion], 2.4)
            _draw_worst(axis, _worst_of(worst, label, criterion), words)
            short = CRITERIA[criterion]
            prior = panels[label][f"prior_{short}"].iloc[0]
            draw_prior(axis, prior, short == "prob", words)
            _describe_axis(axis, panels[label], words)
            axis.set_title(f"{words.say(criterion)} ({label})", pad=_LEGEND_HEIGHT)
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(rows, worst, words))


def _worst_of(worst: pd.DataFrame, label: str, criterion: str) -> pd.DataFrame:
    rows = worst[worst["criterion"] == criterion]
    if rows.empty:
        return rows
    return tables.by_panel(rows)[label].sort_values("n_qids")


def _draw_worst(axis: Axes, worst: pd.DataFrame, words: Words) -> None:
    if worst.empty:
        return
    criterion = CRITERIA[worst["criterion"].iloc[0]]
    values = worst.set_index("n_qids")[f"posterior_{criterion}"].astype(float)
    draw_highest(axis, values, words.numbers.brief)


def _describe_axis(axis: Axes, rows: pd.DataFrame, words: Words) -> None:
    as_percent(axis, words)
    scale_sizes(axis, rows["n_qids"], (1.1, 0.6), words)
    axis.set_xlabel(words.say("n_qids"))
    axis.set_ylabel(words.say("success"))
    axis.tick_params(labelbottom=True, labelleft=True, color=GREY)


def _caption(rows: pd.DataFrame, worst: pd.DataFrame, words: Words) -> Caption:
    row = rows.iloc[0]
    subject = row["sensitive"] or words.say("reidentification")
    panels = tables.ends(tables.by_panel(rows))
    last = list(panels)[-1]
    n_subsets = words.numbers.count(sum(map(len, panels.values())))
    sentences = [words.say("success_alt", n_subsets=n_subsets)]
    for criterion, short in CRITERIA.items():
        ends = _worst_of(worst, last, criterion)
        sentences += [
            words.say(
                "success_alt_end",
                criterion=words.say(criterion),
                attributes=words.attributes(int(end["n_qids"])),
                posterior=words.numbers.share(end[f"posterior_{short}"]),
                prior=words.numbers.share(end[f"prior_{short}"], short == "prob"),
            )
            for _, end in ends.iloc[[0, -1][: len(ends)]].iterrows()
        ]
    return Caption(
        name="|".join(
            ["success", *row[["analysis", "sensitive"]], words.numbers.language]
        ),
        title=words.say("success_title", subject=subject),
        description=" ".join(sentences),
        is_published=tables.is_published(rows),
    )
