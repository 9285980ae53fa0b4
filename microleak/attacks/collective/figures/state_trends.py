"""The leakage of states over the years, and what goes together with it."""

from collections.abc import Mapping

import pandas as pd
from babel.numbers import format_decimal
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.attacks.collective.figures import states
from microleak.figures import svg
from microleak.figures.marks import LineEnd, beside, draw_dots, write_ends
from microleak.figures.numbers import LOCALES, Numbers, Words
from microleak.figures.scales import oranges, scale_numbers, scale_shares
from microleak.figures.slim import COLUMN

_EXPLANATIONS = ("n_records", "sensitive_entropy", "qids_entropy", "mean_block_size")
_LOGARITHMIC = {"n_records"}

_LABEL = (15.0, 10.0)
_AREA = (270.0, 185.0)
"""Width and height of a label and, roughly, of an axis, in typographic points."""


def state_explained(rows: pd.DataFrame, explained: pd.DataFrame, words: Words) -> str:
    """Draw the leakage with all QIDs against four numbers that may explain it."""
    best = states.ranked(rows)
    drawn = best[["additive_leakage", *_EXPLANATIONS]].astype(float)
    fits = fits_of(best, explained)
    number = words.attributes(int(best["n_qids"].iloc[0]))
    with svg.plain_style():
        # Axes of `canvas` share the scale of the level axis; these must not.
        figure = Figure((2 * COLUMN, 7.2), layout=svg.plain_layout())
        axes = figure.subplots(2, 2, sharey=True).flat
        for axis, name in zip(axes, _EXPLANATIONS, strict=True):
            points = drawn[[name, "additive_leakage"]]
            scale_shares(axis, drawn["additive_leakage"], words, unit="")
            _draw_states(axis, points, name, words)
            axis.set_title(_title(name, fits, words))
            axis.set_ylabel(words.say("leakage", attributes=number))
        leakage = best["additive_leakage"]
        description = words.say(
            "explained_alt",
            attributes=number,
            leakage=states.extremes(leakage, words.numbers.points, words),
            explanations="; ".join(_title(name, fits, words) for name in _EXPLANATIONS),
        )
        note = words.say("explained_note") if fits else ""
        said = _causes_found(best, fits, words), description, note
        return states.svg_of_states(figure, "state_explained", rows, said, words)


def fits_of(best: pd.DataFrame, explained: pd.DataFrame) -> dict[str, float]:
    """Return the known R² by explanation, of the year and number of QIDs drawn."""
    if explained.empty:
        return {}
    year, n_qids = best[["year", "n_qids"]].iloc[0]
    is_drawn = (explained["year"] == year) & (explained["n_qids"] == n_qids)
    fits = explained[is_drawn].set_index("explained_by")["r_squared"]
    return {str(name): float(fit) for name, fit in fits.dropna().items()}


def fit_label(fit: float, numbers: Numbers) -> str:
    """Write a correlation, or a share of variance, with two decimals.

    More where two would make 1 of less, or 0 of more; none for exactly 0 and 1.

    >>> [fit_label(fit, Numbers("en")) for fit in (0.25, 0.998, -0.996, 1.0)]
    ['0.25', '0.998', '−0.996', '1']
    """
    size, decimals = abs(fit), 2
    while 0 < size < 1 and round(size, decimals) in {0, 1}:
        decimals += 1
    pattern = "0" if size in {0, 1} else f"0.{'0' * decimals}"
    written = format_decimal(size, pattern, locale=LOCALES[numbers.language])
    return f"{'−' if fit < 0 else ''}{written}"


def _draw_states(axis: Axes, points: pd.DataFrame, name: str, words: Words) -> None:
    scale_numbers(axis, points[name], name in _LOGARITHMIC, words)
    axis.plot(*points.T.to_numpy(), "o", color=svg.BLUE, markersize=4)
    # About where each state is drawn, before anything is laid out.
    to_axis = axis.transData - axis.transAxes
    places = to_axis.transform(points.to_numpy()) * _AREA
    for (state, row), offset in zip(
        points.iterrows(), beside(places, _LABEL, _AREA), strict=True
    ):
        axis.annotate(
            str(state),
            tuple(row),
            xytext=tuple(offset),
            textcoords="offset points",
            ha="center",
            va="center",
        )
    axis.set_xlabel(words.say(f"unit_{name}"))
    axis.tick_params(labelleft=True, color=svg.GREY)


def _title(name: str, fits: dict[str, float], words: Words) -> str:
    explanation = words.say(f"explained_{name}")
    if name not in fits:
        return explanation
    return f"{explanation}: R² = {fit_label(fits[name], words.numbers)}"


def _causes_found(best: pd.DataFrame, fits: dict[str, float], words: Words) -> str:
    """Write which of the four numbers goes most closely with leakage, if known."""
    drawn = {name: fits[name] for name in _EXPLANATIONS if name in fits}
    if not drawn:
        return states.leakage_found(best, words)
    name = max(drawn, key=lambda each: drawn[each])
    return words.say(
        "explained_found",
        explanation=words.say(f"explained_{name}"),
        fit=fit_label(drawn[name], words.numbers),
    )


def importance_heat(
    rows: pd.DataFrame, importance: Mapping[str, pd.DataFrame], words: Words
) -> str:
    """Draw what each state's leakage loses when one QID is not known.

    The importance is of the same year and attribute; a state that lacks it is left out.
    """
    best = states.ranked(rows)
    best = best[best.index.isin(list(importance))]
    losses = pd.DataFrame({state: losses_of(importance[state]) for state in best.index})
    order = median_losses(importance)
    heat = states.HeatMap(
        cells={
            (state, words.attribute(qid)): loss
            for state, of in losses.items()
            for qid, loss in of.items()
        },
        states=list(best.index),
        columns=[words.attribute(qid) for qid in order.index],
        head=words.say("importance_loss"),
        aside={s: words.numbers.brief(v) for s, v in best["additive_leakage"].items()},
        aside_head=words.say("importance_all"),
    )
    found = words.say(
        "importance_found",
        first=words.attribute(order.index[0]),
        loss=words.numbers.brief(order.iloc[0]),
    )
    said = found, _importance_description(losses.loc[order.index], words), ""
    with svg.plain_style():
        figure = states.draw_heat(heat, oranges(losses.to_numpy().ravel()), words)
        return states.svg_of_states(figure, "importance_heat", rows, said, words)


def losses_of(importance: pd.DataFrame) -> pd.Series:
    """Return how much posterior, and so leakage, is lost without each QID, by QID."""
    names = ["posterior_prob", "posterior_prob_without"]
    of_qid = importance.set_index("qid")[names].astype(float)
    # Equal losses must not differ by what subtracting floats leaves.
    return (of_qid[names[0]] - of_qid[names[1]]).round(12)


def median_losses(importance: Mapping[str, pd.DataFrame]) -> pd.Series:
    """Return the median state's loss without each QID, by QID, the largest first."""
    losses = pd.DataFrame({state: losses_of(of) for state, of in importance.items()})
    medians = losses.sort_index().median(axis=1)
    return medians.sort_values(ascending=False, kind="stable")


def _importance_description(losses: pd.DataFrame, words: Words) -> str:
    """Write the extremes of the first and the last QID."""
    first, last = losses.index[[0, -1]]
    return words.say(
        "importance_alt",
        first=words.attribute(first),
        first_losses=states.extremes(losses.loc[first], words.numbers.points, words),
        last=words.attribute(last),
        last_losses=states.extremes(losses.loc[last], words.numbers.points, words),
    )


_MOST_LINES = 6
_COLOURS = (svg.DARK_VERMILION, "#A3467F", "#7A5C00", "#00694F", svg.BLUE, "black")
"""Okabe and Ito's hues, dark enough to write in, from the highest state on."""

_MARKERS = "os^Dv<"


def state_years(rows: pd.DataFrame, words: Words) -> str:
    """Draw each state's largest additive leakage with all QIDs over the years."""
    lines = leakage_by_year(rows)
    with svg.plain_style():
        figure, (axis,) = svg.canvas(1, 1, 4.8)
        scale_shares(axis, lines.to_numpy().ravel(), words, unit="")
        _draw_lines(axis, lines, words)
        n_qids = int(rows["n_qids"].max())
        axis.set_xticks(lines.index.astype(int), lines.index)
        title = words.say("leakage", attributes=words.attributes(n_qids))
        axis.set_title(title, pad=10)
        axis.tick_params(color=svg.GREY)
        said = _trend_found(lines, words), _trends_description(lines, n_qids, words), ""
        return states.svg_of_states(figure, "state_years", rows, said, words)


def leakage_by_year(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the leakage with all QIDs of the states drawn, a row a year."""
    full = states.with_all_qids(rows)
    several = full[full.groupby("state")["year"].transform("nunique") > 1]
    drawn = _drawn_states(several)
    lines = several[several["state"].isin(drawn)].pivot(
        index="year", columns="state", values="additive_leakage"
    )
    return lines[drawn].astype(float)


def _drawn_states(several: pd.DataFrame) -> list[str]:
    """Choose among states that have several years, by the newest year of any."""
    # Equals by their letters, those without a value then last; of more than six the
    # three that are highest and the three that are lowest.
    newest = states.newest(several).set_index("state")["additive_leakage"]
    by_state = newest.reindex(sorted(several["state"].unique()))
    order = by_state.sort_values(ascending=False, kind="stable")
    if len(order) <= _MOST_LINES:
        return list(order.index)
    known = list(order.dropna().index)
    half = _MOST_LINES // 2
    return [*known[:half], *known[half:][-half:]]


def _draw_lines(axis: Axes, lines: pd.DataFrame, words: Words) -> None:
    """Draw a line a state, named beside its last value; without any it has no name."""
    ends = []
    styles = zip(lines.items(), _COLOURS, _MARKERS, strict=False)
    for (state, values), colour, marker in styles:
        axis.plot(
            lines.index.astype(int),
            values.to_numpy(),
            color=colour,
            marker=marker,
            markersize=5.5,
            linewidth=1.4,
        )
        known = values.dropna()
        if len(known):
            year, value = known.index[-1], float(known.iloc[-1])
            name = f"{states.full_name(state)} {words.numbers.brief(value)}"
            text = name if year == lines.index[-1] else f"{name} ({year})"
            ends.append(LineEnd((int(year), value), text, colour))
    write_ends(axis, ends)


def _trend_found(lines: pd.DataFrame, words: Words) -> str:
    """Write which state's leakage changed most from its first year to its last."""
    values = most_changed(lines)
    return words.say(
        "years_found",
        state=states.NAMES[str(values.name)],
        first_year=values.index[0],
        last_year=values.index[-1],
        first=words.numbers.brief(values.iloc[0]),
        last=words.numbers.brief(values.iloc[-1]),
    )


def most_changed(lines: pd.DataFrame) -> pd.Series:
    """Return the state that changed most from its first year to its last, by year."""
    every = (lines[state].dropna() for state in lines)
    known = [values for values in every if len(values)]
    return max(known, key=lambda each: abs(each.iloc[-1] - each.iloc[0]))


def _trends_description(lines: pd.DataFrame, n_qids: int, words: Words) -> str:
    return " ".join(
        words.say(
            "state_years_alt",
            attributes=words.attributes(n_qids),
            year=year,
            leakage=states.extremes(values, words.numbers.points, words),
        )
        for year, values in lines.iloc[[0, -1]].iterrows()
    )


_MOST_COLUMNS = 6
_DOT = 2.0
_DASHES = (0, (4, 2.5))
_PROBABILITIES = ["posterior_prob", "prior_prob"]


def state_posteriors(
    rows: pd.DataFrame, collective: Mapping[str, pd.DataFrame], words: Words
) -> str:
    """Draw the posterior of every subset over its number of QIDs, an axis a state."""
    drawn = [state for state in states.ranked(rows).index if state in collective]
    subsets = pd.concat({state: collective[state] for state in drawn}, names=["state"])
    n_rows = -(-len(drawn) // _MOST_COLUMNS)
    n_columns = -(-len(drawn) // n_rows)
    with svg.plain_style():
        figure, axes = svg.canvas(len(drawn), n_columns, 0.5 + max(2, 1.6 * n_rows))
        for axis, state in zip(axes, drawn, strict=True):
            _draw_state(axis, collective[state], state)
        _describe_axes(axes[0], subsets, words)
        by_state = subsets.astype(dict.fromkeys(_PROBABILITIES, float))
        highest = by_state.groupby("state")[_PROBABILITIES].max()
        posterior, prior = (
            states.extremes(highest[name], words.numbers.share, words)
            for name in _PROBABILITIES
        )
        description = words.say(
            "posteriors_alt",
            n_subsets=words.numbers.count(len(subsets)),
            posterior=posterior,
            prior=prior,
        )
        note = words.say("posteriors_note")
        said = _few_found(subsets, words), description, note
        return states.svg_of_states(figure, "state_posteriors", rows, said, words)


def _draw_state(axis: Axes, subsets: pd.DataFrame, state: str) -> None:
    draw_dots(axis, subsets, "prob", _DOT)
    prior = subsets["prior_prob"].iloc[0]
    axis.axhline(prior, color="black", linewidth=1, linestyle=_DASHES)
    axis.set_title(states.NAMES[state])
    axis.tick_params(color=svg.GREY, labelbottom=True, labelleft=True)


def _describe_axes(axis: Axes, subsets: pd.DataFrame, words: Words) -> None:
    """Return all axes, which share them, their limits and ticks."""
    sizes = sorted(int(size) for size in subsets["n_qids"].unique())
    ends = sorted({sizes[0], sizes[-1]})
    axis.set_xticks(ends, map(words.numbers.count, ends))
    axis.set_xlim(min(sizes) - 0.7, max(sizes) + 0.7)
    shares = subsets[["prior_prob", "posterior_prob"]].astype(float)
    scale_shares(axis, shares.to_numpy().ravel(), words)


def _few_found(subsets: pd.DataFrame, words: Words) -> str:
    """Write how far the fewest attributes lift the best guess, and where most."""
    size = int(subsets["n_qids"].min())
    few = subsets[subsets["n_qids"] == size][_PROBABILITIES]
    gains = few.astype(float).groupby("state").max().diff(-1, axis=1)["posterior_prob"]
    return words.say(
        "posteriors_found",
        attributes=words.attributes(size),
        state=states.NAMES[gains.idxmax()],
        gain=words.numbers.brief(gains.max()),
    )
