"""The adversary's success by what is known, by person, and by the releases linked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from microleak.definitions.profile import CRITERIA
from microleak.figures import marks, svg
from microleak.figures.numbers import Words
from microleak.tables import rows as tables

_KEY_HEIGHT = 14


def success_by_size(rows: pd.DataFrame, worst: pd.DataFrame, words: Words) -> str:
    """Draw every subset's success over its number of quasi-identifiers.

    One row of axes for the focal release alone and one for all releases linked.
    """
    panels = tables.first_and_last(tables.by_panel(rows))
    with svg.plain_style():
        cells = [(label, criterion) for label in panels for criterion in CRITERIA]
        figure, axes = svg.canvas(len(cells), 2, 0.4 + 4 * len(panels))
        for axis, (label, criterion) in zip(axes, cells, strict=True):
            short = CRITERIA[criterion]
            marks.draw_dots(axis, panels[label], short, 2.4)
            _draw_worst(axis, _worst_of(worst, label, criterion), words)
            prior = panels[label][f"prior_{short}"].iloc[0]
            marks.draw_prior(axis, prior, words.numbers.share(prior), words)
            describe_axis(axis, panels[label]["n_qids"], (1.1, 0.6), words)
            highest = panels[label][f"posterior_{short}"].astype(float).max()
            what = criterion_text(panels[label]["sensitive"].iloc[0], criterion, words)
            title = words.say("up_to" if highest else "never", what=what, share=highest)
            suffix = f" ({label})" if len(panels) > 1 else ""
            n_keys = len(axis.get_legend_handles_labels()[0])
            axis.set_title(title + suffix, pad=6 + _KEY_HEIGHT * n_keys)
        caption = _caption(rows, worst, success_found(panels, words), words)
        return svg.marked_svg(figure, caption, words)


def success_found(panels: Mapping[str, pd.DataFrame], words: Words) -> str:
    """Write how many QIDs are enough for certainty about most, and what all do."""
    label, rows = list(panels.items())[-1]
    highest = rows["posterior_det"].astype(float).groupby(rows["n_qids"]).max()
    # Enough for more than half of the records, or else for any.
    enough = next((part for part in (highest > 0.5, highest > 0) if part.any()), None)
    first = highest.index[-1] if enough is None else enough.idxmax()
    ends = [first, highest.index[-1]]
    kind = "_none" if enough is None else "_one" if ends[0] == ends[1] else ""
    said = words.say(
        f"{attack_of(rows)}_success_found{kind}",
        few=int(ends[0]),
        few_share=highest[ends[0]],
        all=int(ends[1]),
        all_share=highest[ends[1]],
    )
    return f"{label}: {said}" if len(panels) > 1 else said


def attack_of(rows: pd.DataFrame) -> str:
    """Return how keys of texts on one subject begin: `reid` or `infer`."""
    return "infer" if rows["sensitive"].iloc[0] else "reid"


def criterion_text(sensitive: str, criterion: str, words: Words) -> str:
    """Write what a success is, of re-identification or of an inference."""
    return words.say(f"{'infer' if sensitive else 'reid'}_{criterion}")


def _worst_of(worst: pd.DataFrame, label: str, criterion: str) -> pd.DataFrame:
    rows = worst[worst["criterion"] == criterion]
    if rows.empty:
        return rows
    return tables.by_panel(rows)[label].sort_values("n_qids")


def _draw_worst(axis: Axes, worst: pd.DataFrame, words: Words) -> None:
    if worst.empty:
        return
    criterion = CRITERIA[worst["criterion"].iloc[0]]
    by_size = worst.set_index("n_qids")
    values = by_size[f"posterior_{criterion}"].astype(float)
    marks.draw_highest(axis, values, words.numbers.brief)
    if _has_left_out(worst):
        loo = by_size["posterior_loo"].astype(float)
        label = words.say("left_out")
        axis.plot(loo.index, loo, "D", color=svg.GREY, markersize=4, label=label)


def _has_left_out(worst: pd.DataFrame) -> bool:
    """Return whether these rows are of inference by the best guess."""
    row = worst.iloc[0]
    return bool(row["sensitive"]) and row["criterion"] == "probabilistic"


def describe_axis(
    axis: Axes, sizes: Iterable[int], room: tuple[float, float], words: Words
) -> None:
    """Let axes run over success and numbers of QIDs, as `scale_sizes` takes these."""
    svg.as_percent(axis, words)
    marks.scale_sizes(axis, sizes, room, words)
    axis.set_xlabel(words.say("n_qids"))
    axis.set_ylabel(words.say("success"))
    axis.tick_params(labelbottom=True, labelleft=True, color=svg.GREY)


def _caption(
    rows: pd.DataFrame, worst: pd.DataFrame, found: str, words: Words
) -> svg.Caption:
    panels = tables.first_and_last(tables.by_panel(rows))
    last = list(panels)[-1]
    n_subsets = sum(map(len, panels.values()))
    sentences = [words.say("success_alt", rows.iloc[0], n_subsets=n_subsets)]
    for criterion, short in CRITERIA.items():
        ends = _worst_of(worst, last, criterion)
        sentences += [
            words.say(
                "success_alt_end",
                end,
                criterion=words.say(criterion),
                posterior=end[f"posterior_{short}"],
                prior=end[f"prior_{short}"],
            )
            for _, end in ends.iloc[[0, -1][: len(ends)]].iterrows()
        ]
        if not ends.empty and _has_left_out(ends):
            sentences.append(words.say("success_alt_left_out", ends.iloc[-1]))
    return _of_subject("success", rows, (found, sentences), words)


def _of_subject(
    kind: str, rows: pd.DataFrame, said: tuple[str, Iterable[str]], words: Words
) -> svg.Caption:
    """Name a figure by its kind and subject; `said` is its title, and sentences."""
    names = kind, *rows[["analysis", "sensitive"]].iloc[0]
    return svg.captioned(names, *said, words)


CERTAIN = 100
_TENTH, _CERTAIN_PLACE = 10, 106
"""Width of a bar, and where that of a chance of 100 % begins, apart from the others."""

_LEAST_NAMED = 0.005


def drawn_distributions(
    rows: pd.DataFrame, worst: pd.DataFrame
) -> list[tuple[pd.Series, pd.DataFrame]]:
    """Return the worst probabilistic subset of each drawn size, with its bins."""
    # Where releases are linked, that of the largest size of each panel instead, as in
    # Nunes, Figures 5.7, 5.10 and 5.11.
    probabilistic = worst[worst["criterion"] == "probabilistic"]
    sizes = [int(size) for size in probabilistic["n_qids"].unique()]
    is_linked = probabilistic["auxiliary"].nunique() > 1
    sizes = [max(sizes)] if is_linked else marks.drawn_sizes(sizes)
    chosen = probabilistic[probabilistic["n_qids"].isin(sizes)]
    pairs = [
        (row, rows[(rows["qids"] == row["qids"]) & (rows["auxiliary"] == auxiliary)])
        for panel in tables.by_panel(chosen).values()
        for _, row in panel.sort_values("n_qids").iterrows()
        for auxiliary in [row["auxiliary"]]
    ]
    return [(row, bins) for row, bins in pairs if len(bins)]


def success_histograms(rows: pd.DataFrame, worst: pd.DataFrame, words: Words) -> str:
    """Draw how many records have which chance, given distributions as `rows`."""
    drawn = drawn_distributions(rows, worst)
    n_rows = (len(drawn) + 1) // 2
    with svg.plain_style():
        figure, axes = svg.canvas(len(drawn), 2, 0.5 + 3.3 * n_rows)
        for axis, (row, bins) in zip(axes, drawn, strict=True):
            _draw_bins(axis, bins, words)
            axis.set_title(_panel_title(row, words))
        for axis in axes[-2:]:
            axis.set_xlabel(words.say("individual_success"))
        return svg.marked_svg(figure, _histogram_caption(rows, drawn, words), words)


def _panel_title(row: pd.Series, words: Words) -> str:
    number = words.attributes(int(row["n_qids"]))
    known = ", ".join(map(words.attribute, tables.qids_of(row)))
    return f"{number} ({tables.panel_label(row)})\n{known}"


def _draw_bins(axis: Axes, bins: pd.DataFrame, words: Words) -> None:
    tenth = bins["bin"].astype(int) // _TENTH
    shares = tables.record_shares(bins).astype(float).groupby(tenth).sum()
    for number, share in shares.items():
        is_certain = number == CERTAIN // _TENTH
        place = _CERTAIN_PLACE if is_certain else _TENTH * int(number)
        colour, ink = (
            (svg.VERMILION, svg.DARK_VERMILION) if is_certain else (svg.BLUE, "black")
        )
        axis.bar(place, share, 0.92 * _TENTH, align="edge", color=colour)
        if share >= _LEAST_NAMED:
            text = words.numbers.brief(share)
            middle = place + 0.46 * _TENTH, share
            marks.write_above(axis, middle, text, 2, color=ink)
    svg.as_percent(axis, words)
    ticks = {place: f"{words.numbers.count(place)}%" for place in range(0, 100, 20)}
    ticks[_CERTAIN_PLACE + _TENTH // 2] = words.say("certain")
    axis.set_xticks([*ticks], [*ticks.values()])
    axis.set_xlim(-2, _CERTAIN_PLACE + _TENTH + 2)
    axis.set_ylabel(words.say("record_share"))
    axis.tick_params(labelbottom=True, labelleft=True, color=svg.GREY)


def _histogram_caption(
    rows: pd.DataFrame, drawn: list[tuple[pd.Series, pd.DataFrame]], words: Words
) -> svg.Caption:
    sentences = [
        words.say(
            "distribution_alt",
            row,
            panel=tables.panel_label(row),
            share=tables.record_shares(bins)[bins["bin"] == CERTAIN].sum(),
        )
        for row, bins in drawn
    ]
    first = words.say("distribution_alt_of", rows.iloc[0])
    found = _spread_found(drawn, words)
    return _of_subject("distribution", rows, (found, [first, *sentences]), words)


def _spread_found(drawn: list[tuple[pd.Series, pd.DataFrame]], words: Words) -> str:
    """Write for how many records success is likely, or certain for a value inferred."""
    (first, of_first), (last, of_last) = drawn[0], drawn[-1]
    attack = "infer" if last["sensitive"] else "reid"
    least = CERTAIN if last["sensitive"] else CERTAIN // 2
    is_linked = first["auxiliary"] != last["auxiliary"]
    names = [
        tables.panel_label(row) if is_linked else words.attributes(int(row["n_qids"]))
        for row in (first, last)
    ]
    low, high = (
        tables.record_shares(bins)[bins["bin"] >= least].sum()
        for bins in (of_first, of_last)
    )
    return words.say(
        f"{attack}_distribution_found{'_one' if len(drawn) == 1 else ''}",
        first=names[0],
        last=names[1],
        first_share=low,
        last_share=high,
    )


_KINDS = {"det": ("deterministic", svg.VERMILION), "prob": ("probabilistic", svg.BLUE)}
_WIDTH = 0.4


def success_by_years(rows: pd.DataFrame, worst: pd.DataFrame, words: Words) -> str:
    """Draw the prior, and the posteriors with all QIDs release by release linked."""
    full = tables.full_set(rows, worst)
    ends = []
    with svg.plain_style():
        figure, (axis,) = svg.canvas(1, 1, 4.6)
        for (kind, (name, colour)), side in zip(
            _KINDS.items(), (-0.5, 0.5), strict=True
        ):
            heights = _bars(full, kind)
            places = np.arange(len(heights)) + side * _WIDTH
            axis.bar(places, heights, 0.95 * _WIDTH, color=colour)
            for place, height in zip(places, heights, strict=True):
                marks.write_above(axis, (place, height), words.numbers.brief(height), 3)
            what = criterion_text(full["sensitive"].iloc[0], name, words)
            ends.append(marks.LineEnd((len(full), heights[-1]), what, colour))
        _describe_years_axis(axis, full, words)
        marks.write_ends(axis, ends)
        return svg.marked_svg(figure, _years_caption(full, words), words)


def _bars(full: pd.DataFrame, kind: str) -> list[float]:
    """Return the prior and each panel's posterior."""
    return [full[f"prior_{kind}"].iloc[0], *full[f"posterior_{kind}"]]


def _describe_years_axis(axis: Axes, full: pd.DataFrame, words: Words) -> None:
    svg.as_percent(axis, words)
    focal, *auxiliary = tables.releases_of(full.iloc[-1])
    labels = [words.say("no_attack"), focal, *(f"+ {name}" for name in auxiliary)]
    axis.set_xticks(range(len(labels)), labels)
    axis.set_xlim(-0.6, len(labels) - 0.4)
    axis.set_xlabel(words.say("linked"))
    axis.set_ylabel(words.say("success"))
    axis.tick_params(color=svg.GREY)
    first = full.iloc[0]
    names = ", ".join(map(words.attribute, tables.qids_of(first)))
    title = f"{words.attributes(int(first['n_qids']))}: {names}"
    axis.set_title(title)


def _years_caption(full: pd.DataFrame, words: Words) -> svg.Caption:
    panels = [
        words.say("no_attack"),
        *(tables.panel_label(each) for _, each in full.iterrows()),
    ]
    bars = zip(panels, _bars(full, "det"), _bars(full, "prob"), strict=True)
    sentences = [
        words.say("years_alt", panel=panel, certain=certain, guess=guess)
        for panel, certain, guess in bars
    ]
    focal, *auxiliary = tables.releases_of(full.iloc[-1])
    found = words.say(
        f"{attack_of(full)}_years_found",
        focal=focal,
        linked=", ".join(auxiliary),
        alone=full["posterior_det"].iloc[0],
        together=full["posterior_det"].iloc[-1],
    )
    first = words.say("years_alt_of", full.iloc[0])
    return _of_subject("years", full, (found, [first, *sentences]), words)


_OLDER = [svg.BLUE, "#009E73", "#CC79A7", "#56B4E9", "black", "#E69F00"]
"""Okabe and Ito's other colours, the newest release but one first."""

_MARKERS = "s^Dv<>"


def worst_pairs(rows: pd.DataFrame, releases: Sequence[str]) -> pd.DataFrame:
    """Return the comparisons of the worst subset of each size of those compared."""
    # On the last release that any of its size is compared on.
    names = tables.qid_sets(rows)
    place = rows["later"].map(list(releases).index)
    worst = ["place", "posterior_prob_later", "posterior_det_later"]
    ordered = rows.assign(names=names, place=place).sort_values(worst, ascending=False)
    chosen = set(ordered.groupby("n_qids").head(1)["names"])
    return rows[names.map(chosen.__contains__)]


def compared_releases(rows: pd.DataFrame, releases: Sequence[str]) -> list[str]:
    """Return the releases that some rows compare, in the order of the study file."""
    found = {*rows["earlier"], *rows["later"]}
    return [release for release in releases if release in found]


def success_of_releases(
    rows: pd.DataFrame, releases: Sequence[str], words: Words
) -> str:
    """Draw the success on each release of a table over the number of QIDs known."""
    subjects = {
        name: worst_pairs(part, releases)
        for name, part in tables.by_subject(rows).items()
    }
    with svg.plain_style():
        cells = [(subject, criterion) for subject in subjects for criterion in CRITERIA]
        figure, axes = svg.canvas(len(cells), 2, 0.5 + 3.6 * len(subjects))
        compared = compared_releases(pd.concat(subjects.values()), releases)
        for axis, (subject, criterion) in zip(axes, cells, strict=True):
            lines = posteriors(subjects[subject], compared, CRITERIA[criterion])
            _draw_lines(axis, lines, compared)
            describe_axis(axis, rows["n_qids"], (0.5, 0.5), words)
            _name_lines(axis, lines)
            name = f": {words.attribute(subject)}" if subject else ""
            what = criterion_text(subject, criterion, words)
            axis.set_title(f"{what}{name}")
        return svg.marked_svg(
            figure, _releases_caption(subjects, rows, releases, words), words
        )


def posteriors(
    pairs: pd.DataFrame, releases: Sequence[str], kind: str
) -> dict[str, pd.Series]:
    """Return the posterior on each compared release, by the number of QIDs."""
    sizes = sorted(pairs["n_qids"].unique())
    found = {}
    for release in compared_releases(pairs, releases):
        both = [
            pairs[pairs[side] == release].set_index("n_qids")[
                f"posterior_{kind}_{side}"
            ]
            for side in ("earlier", "later")
        ]
        values = pd.concat(both).astype("float64")
        found[release] = values[~values.index.duplicated()].reindex(sizes)
    return found


def _draw_lines(
    axis: Axes, lines: dict[str, pd.Series], compared: Sequence[str]
) -> None:
    for release, values in lines.items():
        age = len(compared) - 1 - compared.index(release)
        older = (age - 1) % len(_OLDER)
        axis.plot(
            values.index.to_numpy(dtype=float),
            values.to_numpy(),
            linewidth=1.4 if age == 0 else 1,
            color=_OLDER[older] if age else svg.VERMILION,
            marker=_MARKERS[older] if age else "o",
            # Hollow and larger, an older release is seen behind an equal newer one.
            markerfacecolor="white" if age else svg.VERMILION,
            markersize=8 if age else 4.5,
        )


def _name_lines(axis: Axes, lines: dict[str, pd.Series]) -> None:
    """Name each release beside its last value; without a value it has no name."""
    known = {name: of.dropna() for name, of in lines.items() if of.notna().any()}
    places = {
        name: (float(of.index[-1]), float(of.iloc[-1])) for name, of in known.items()
    }
    furthest = max((x for x, _ in places.values()), default=0)
    ends = [
        marks.LineEnd(at, name, "black")
        for name, at in places.items()
        if at[0] == furthest
    ]
    marks.write_ends(axis, ends)
    for name, place in places.items():
        if place[0] < furthest:
            axis.annotate(name, place, xytext=(8, -9), textcoords="offset points")


def _releases_caption(
    subjects: dict[str, pd.DataFrame],
    rows: pd.DataFrame,
    releases: Sequence[str],
    words: Words,
) -> svg.Caption:
    table = rows["table"].iloc[0]
    sentences = [
        words.say(
            "comparison_alt",
            sensitive=subject,
            criterion=words.say(criterion),
            n_qids=int(pairs["n_qids"].max()),
            shares=", ".join(_shares(pairs, releases, kind, words)),
        )
        for subject, pairs in subjects.items()
        for criterion, kind in CRITERIA.items()
    ]
    found = _releases_found(next(iter(subjects.values())), releases, words)
    return svg.captioned(("comparison", table), found, sentences, words)


def _releases_found(pairs: pd.DataFrame, releases: Sequence[str], words: Words) -> str:
    """Write what the newest two releases give away, with most QIDs that both have."""
    lines = pd.DataFrame(posteriors(pairs, releases, "det"))
    newest = lines.dropna(axis="columns", how="all").iloc[:, -2:].dropna()
    earlier, later = newest.columns
    ends = newest.iloc[-1]
    return words.say(
        f"{attack_of(pairs)}_comparison_found",
        n_qids=int(pairs["n_qids"].max()),
        earlier=earlier,
        later=later,
        earlier_share=ends[earlier],
        later_share=ends[later],
    )


def _shares(
    pairs: pd.DataFrame, releases: Sequence[str], kind: str, words: Words
) -> Iterator[str]:
    """Yield each release with the posterior of its largest subset, if it is known."""
    for release, values in posteriors(pairs, releases, kind).items():
        value = values.iloc[-1]
        if not np.isnan(value):
            yield f"{release}: {words.numbers.share(value)}"
