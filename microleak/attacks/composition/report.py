"""What several noisy counts leak together: a part of the page an analysis."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures import svg
from microleak.figures.marks import LineEnd, draw_prior, scale_sizes, write_ends
from microleak.figures.numbers import Words
from microleak.figures.scales import scale_shares
from microleak.report.families import EachAnalysis
from microleak.report.parts import Place

_STYLES = ("-", "--", "-.", ":")
_COLUMNS = (
    *("epsilon:epsilon", "n_counts", "useful:attribute", "posterior"),
    *("privacy_loss", "privacy_loss_limit", "posterior_bound"),
)


def chance_by_counts(rows: pd.DataFrame, words: Words) -> str:
    """Draw the chance to guess over the number of counts, as an `<svg>`."""
    # A line for each epsilon, of which the number of counts does not change the budget,
    # and the chance without a count as a broken line.
    prior = rows["prior"].iloc[0]
    exact = _exact(rows)
    lines = [each for _, each in exact.groupby("epsilon", sort=False)]
    said = [words.say("composition_alt", rows.iloc[0])]
    ends: list[LineEnd] = []
    with svg.plain_style():
        figure, (axis,) = svg.canvas(1, 1, 4.4)
        for number, line in enumerate(lines):
            colour = svg.VERMILION if number == len(lines) - 1 else svg.BLUE
            style = _STYLES[number % len(_STYLES)]
            x, y = line["n_counts"], line["posterior"].astype(float)
            axis.plot(x, y, f"o{style}", color=colour, markersize=4)
            last, first = line.iloc[-1], y.iloc[0]
            label = words.numbers.epsilon_equals(last["epsilon"])
            ends.append(LineEnd((float(x.iloc[-1]), float(y.iloc[-1])), label, colour))
            said.append(words.say("composition_alt_line", last, first=first))
        scale_shares(axis, [prior, *exact["posterior"].astype(float)], words)
        draw_prior(axis, prior, words.numbers.share(prior), words)
        scale_sizes(axis, exact["n_counts"], (0.5, 0.5), words)
        write_ends(axis, ends)
        axis.set_xlabel(words.say("composition_counts"))
        axis.set_ylabel(words.say("composition_chance"))
        axis.tick_params(color=svg.GREY)
        found = words.say("composition_found", last, first=first)
        kind = ("composition", "counts")
        return svg.analysis_svg(figure, kind, rows, (found, said), words)


def _exact(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.dropna(subset="posterior")


def _with_largest(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what is exact with the largest epsilon, of the least alpha of a count."""
    exact = _exact(rows)
    return exact[exact["epsilon"] == exact.loc[exact["alpha"].idxmin(), "epsilon"]]


def _measured(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    yield place.say(
        "measured",
        rows.iloc[0],
        counts=_counts(int(rows["n_counts"].max()), place),
        attributes=place.voice.listing(
            map(place.voice.explained, rows["useful"].drop_duplicates())
        ),
    )


def _counts(n: int, place: Place) -> str:
    return place.say(f"counts_{'one' if n == 1 else 'many'}", n=n)


def _heading(rows: pd.DataFrame, place: Place) -> str:
    """Write what the most counts that are exact leak with the largest budget."""
    last = _with_largest(rows).iloc[-1]
    kind = "" if last["posterior"] > last["prior"] else "_none"
    return place.say(f"heading{kind}", last, counts=_counts(last["n_counts"], place))


def _sentences(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    largest = _with_largest(rows)
    if len(largest) > 1:
        most = largest.loc[largest["posterior"].astype(float).idxmax()]
        first = largest["posterior"].iloc[0]
        yield place.say("one", most, posterior=first, most=most["posterior"])
    yield place.say("bound", largest.iloc[-1])
    if rows["posterior"].isna().any():
        yield place.say("many", largest.iloc[-1])


SHOWN = EachAnalysis(
    "composition",
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"counts": chance_by_counts},
    sentences=_sentences,
    grids=lambda rows, place: [place.grid(rows, _COLUMNS)],
    words=lambda _: ("budget", "chance", "bound"),
)
