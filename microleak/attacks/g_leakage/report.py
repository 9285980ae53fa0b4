"""What guesses gain: a part of the page an analysis."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.marks import draw_dots, draw_highest, draw_prior, scale_sizes
from microleak.figures.numbers import Words
from microleak.figures.scales import scale_shares, scale_upright
from microleak.figures.svg import GREY, analysis_svg, canvas, plain_style
from microleak.report.families import EachAnalysis, what_is_known
from microleak.report.parts import Grid, Place
from microleak.report.texts import Voice

_POSTERIOR, _PRIOR = "posterior_vulnerability", "prior_vulnerability"


def worst_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the row of each number of QIDs with the highest gain, by that number."""
    first = rows.groupby("n_qids", sort=True)[_POSTERIOR].idxmax()
    return rows.loc[first]


def gain_by_size(rows: pd.DataFrame, words: Words) -> str:
    """Draw what the best guess gains over the number of QIDs known, as an `<svg>`."""
    # One dot for each subset, the highest of each size in another colour with its
    # number, and what is gained without any fact as a line.
    worst, prior = worst_of(rows), rows[_PRIOR].iloc[0]
    is_share = _is_share(rows)
    write = words.numbers.share if is_share else words.numbers.ratio
    with plain_style():
        figure, (axis,) = canvas(1, 1, 4.4)
        draw_dots(axis, rows, "vulnerability", 3)
        scale = scale_shares if is_share else scale_upright
        scale(axis, [prior, *rows[_POSTERIOR]], words)
        low, high = axis.get_ylim()
        highest = worst.set_index("n_qids")[_POSTERIOR]
        draw_highest(axis, highest, write, height=high - low)
        draw_prior(axis, prior, write(prior), words)
        scale_sizes(axis, worst["n_qids"], (0.8, 0.6), words)
        axis.set_xlabel(words.say("n_qids"))
        axis.set_ylabel(words.say("g_leakage_gain"))
        axis.tick_params(color=GREY)
        last = worst.iloc[-1]
        gains = _gains(last, words)
        said = [
            words.say("g_leakage_alt", n_subsets=len(rows)),
            words.say("g_leakage_alt_end", last, **gains),
        ]
        found = words.say("g_leakage_found", last, **gains)
        return analysis_svg(figure, ("g_leakage", "gain"), rows, (found, said), words)


def _is_share(rows: pd.DataFrame) -> bool:
    """Return whether gains are the chance to be right in some tries."""
    return bool(rows["n_tries"].notna().all())


def _gains(row: pd.Series, speaker: Words | Voice) -> dict[str, str]:
    """Write what is gained with and without facts."""
    numbers = speaker.numbers
    write = numbers.ratio if pd.isna(row["n_tries"]) else numbers.share
    return {"posterior": write(row[_POSTERIOR]), "prior": write(row[_PRIOR])}


def _worst(rows: pd.DataFrame) -> pd.Series:
    worst = worst_of(rows)
    return worst.loc[worst[_POSTERIOR].idxmax()]


def _measured(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    largest = int(rows["n_qids"].max())
    combinations = place.voice.combinations(len(rows), largest)
    yield from what_is_known(rows, place, combinations=combinations)


def _heading(rows: pd.DataFrame, place: Place) -> str:
    row = _worst(rows)
    in_tries = pd.notna(row["n_tries"])
    kind = "gains" if not in_tries else "try" if row["n_tries"] == 1 else "tries"
    return place.say(f"heading_{kind}", row, **_gains(row, place.voice))


def _sentences(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    row = _worst(rows)
    if pd.isna(row["capacity"]):
        yield place.say("costs")
    elif pd.notna(row["multiplicative_g_leakage"]):
        yield place.say("ratio", row)


def _grids(rows: pd.DataFrame, place: Place) -> Iterator[Grid]:
    worst, is_share = worst_of(rows), _is_share(rows)
    columns = ["n_qids", "qids:names"]
    if is_share:
        columns += [f"{_POSTERIOR}:share", "points=additive_g_leakage:points"]
    else:
        columns += [f"{_POSTERIOR}:ratio", "more=additive_g_leakage"]
    if worst["multiplicative_g_leakage"].notna().all():
        columns += ["multiplicative_g_leakage", "g_leakage", "capacity"]
    gains = _gains(worst.iloc[0], place.voice)
    yield place.grid(worst, columns, n_texts=2, said=gains)


SHOWN = EachAnalysis(
    "g_leakage",
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"gain": gain_by_size},
    sentences=_sentences,
    grids=_grids,
    words=lambda _: ("gain", "ratio", "capacity"),
)
