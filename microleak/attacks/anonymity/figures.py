"""Figures of anonymity: small blocks, blocks by size, samples and populations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from microleak.attacks.anonymity.definitions.k_anonymity import THRESHOLDS
from microleak.figures import marks, svg
from microleak.figures.numbers import Numbers, Words
from microleak.tables import rows as tables

K_ANONYMITY = "k-anonymity"
K_ENTITIES = "k-anonymity of entities"
L_DIVERSITY = "l-diversity"
K_MAP = "k-map"


@dataclass(frozen=True, eq=False)
class AnonymityRows:
    """What was measured in one analysis."""

    rows: pd.DataFrame  # Rows of `measures/anonymity`
    classes: pd.DataFrame
    uniqueness: pd.DataFrame | None = None  # Rows of `measures/uniqueness`

    @property
    def analysis(self) -> str:
        return str(self.rows["analysis"].iloc[0])

    @property
    def sensitive(self) -> list[str]:
        return [name for name in self.rows["sensitive"].unique() if name]

    @property
    def blocks(self) -> pd.DataFrame:
        """Rows of the blocks themselves, which are of no sensitive attribute."""
        return self._of("")

    @property
    def has_population(self) -> bool:
        return len(measured(self.blocks, "k_map")) > 0

    @property
    def has_estimates(self) -> bool:
        """Whether it is estimated how many of those alone are so in the population."""
        worst = self.worst(K_ANONYMITY)
        return len(measured(worst, "posterior_unique")) > 0

    @property
    def has_bounds(self) -> bool:
        """Whether published counts bound who is unique in the population."""
        return len(_bounded(self.worst(K_ANONYMITY))) > 0

    @property
    def tells_of_population(self) -> bool:
        return self.has_population or self.has_bounds or self.has_estimates

    @property
    def has_entities(self) -> bool:
        return len(measured(self.blocks, "n_entities")) > 0

    def histogram(self, model: str, sensitive: str = "") -> pd.DataFrame:
        """Return the buckets of one model, by number of QIDs and then ascending."""
        classes = self.classes
        is_of = (classes["model"] == model) & (classes["sensitive"] == sensitive)
        return classes[is_of].sort_values(["n_qids", "lower"], kind="stable")

    def worst(self, model: str, sensitive: str = "") -> pd.DataFrame:
        """Return the rows of a model's worst subset of each size, smallest first."""
        # Those of the blocks, or of a sensitive attribute.
        qids = set(self.histogram(model, sensitive)["qids"])
        rows = self._of(sensitive)
        return rows[rows["qids"].isin(qids)].sort_values("n_qids", kind="stable")

    def _of(self, sensitive: str) -> pd.DataFrame:
        return self.rows[self.rows["sensitive"] == sensitive]


def measured(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    return rows[rows[column].notna()]


def records_below(blocks: pd.DataFrame, words: Words) -> str:
    """Draw which share of the records is in blocks of fewer than 2, 3, 5 and 10."""
    # One axis for each of these k and one dot for each subset; the highest of each size
    # in another colour, with its value.
    highest = {k: highest_below(blocks, k) for k in THRESHOLDS}
    with svg.plain_style():
        figure, axes = svg.canvas(len(highest), 2, 7.6)
        for axis, (k, shares) in zip(axes, highest.items(), strict=True):
            # `draw_dots` draws a posterior by the end of its column's name.
            dots = blocks.assign(posterior_below=blocks[f"share_below_{k}"])
            marks.draw_dots(axis, dots, "below", 2.4)
            marks.draw_highest(axis, shares, words.numbers.brief)
            svg.as_percent(axis, words)
            marks.scale_sizes(axis, shares.index, (0.9, 0.6), words)
            axis.set_ylabel(words.say("record_share"))
            axis.tick_params(labelbottom=True, labelleft=True, color=svg.GREY)
            axis.set_title(panel_title(k, words))
        for axis in axes[2:]:
            axis.set_xlabel(words.say("n_qids"))
        return svg.marked_svg(figure, _caption(blocks, highest, words), words)


def highest_below(blocks: pd.DataFrame, k: int) -> pd.Series:
    return blocks[f"share_below_{k}"].astype(float).groupby(blocks["n_qids"]).max()


def panel_title(k: int, words: Words) -> str:
    key = "anonymity_alone" if k == min(THRESHOLDS) else "anonymity_below"
    return words.say(key, k=k)


def _caption(
    blocks: pd.DataFrame, highest: dict[int, pd.Series], words: Words
) -> svg.Caption:
    sentences = [words.say("anonymity_below_alt", n_subsets=len(blocks))]
    for k, shares in highest.items():
        panel = panel_title(k, words)
        for n_qids, share in shares.iloc[[0, -1][: len(shares)]].items():
            told = {"panel": panel, "n_qids": n_qids, "share": share}
            sentences.append(words.say("anonymity_below_alt_end", told))
    names = ("anonymity-below", str(blocks["analysis"].iloc[0]))
    alone, few = (highest[k].iloc[-1] for k in (min(THRESHOLDS), max(THRESHOLDS)))
    kind = "" if alone else "_not_alone" if few else "_none"
    found = words.say(
        f"anonymity_below_found{kind}",
        n_qids=int(blocks["n_qids"].max()),
        k=max(THRESHOLDS),
        alone=alone,
        few=few,
    )
    return svg.captioned(names, found, sentences, words)


_HALF, _LEGEND_HEIGHT = 0.4, 20
_SHARES = {"share_of_blocks": -_HALF, "share_of_records": 0.0}
"""Where the bar of each share begins, beside the place of its bucket."""


def value_histograms(classes: pd.DataFrame, words: Words) -> str:
    """Draw which share of the blocks, and of their records, each bucket has."""
    # One histogram for the worst subset of each drawn size. Takes rows of
    # `measures/classes` of one analysis, model and sensitive attribute, at least one;
    # the rest as `records_below` has it.
    drawn = drawn_histograms(classes)
    buckets = bucket_names(pd.concat(drawn.values()), words.numbers)
    n_rows = (len(drawn) + 1) // 2
    kind = "values" if (classes["model"] == L_DIVERSITY).all() else "sizes"
    with svg.plain_style():
        figure, axes = svg.canvas(len(drawn), 2, 0.9 + 3.3 * n_rows)
        for axis, rows in zip(axes, drawn.values(), strict=True):
            _draw_buckets(axis, rows, list(buckets), words)
            names = ", ".join(map(words.attribute, tables.qids_of(rows.iloc[0])))
            title = _of_lowest("classes_panel", rows.iloc[0], words)
            axis.set_title(f"{title}\n{names}", pad=_LEGEND_HEIGHT)
            axis.set_xlabel(words.say(f"anonymity_axis_{kind}"))
            axis.set_xticks(range(len(buckets)), [*buckets.values()])
            axis.tick_params(labelbottom=True, labelleft=True, color=svg.GREY)
            if len(buckets) > 5:
                axis.tick_params(axis="x", rotation=60)
        return svg.marked_svg(figure, _classes_caption(classes, drawn, words), words)


def drawn_histograms(classes: pd.DataFrame) -> dict[int, pd.DataFrame]:
    """Return the buckets of up to four sizes, by number of QIDs."""
    sizes = sorted(int(size) for size in classes["n_qids"].unique())
    return {
        size: classes[classes["n_qids"] == size] for size in marks.drawn_sizes(sizes)
    }


def bucket_names(classes: pd.DataFrame, numbers: Numbers) -> dict[int, str]:
    """Write the bounds of each bucket that occurs, by its lower one, ascending."""
    # The upper bound is the largest that a subset has; without any it is open.
    upper = classes.groupby("lower")["upper"].max()
    return {int(low): bucket_name(low, high, numbers) for low, high in upper.items()}


def bucket_name(lower: int, upper: int, numbers: Numbers) -> str:
    """Write the bounds of a bucket, both within.

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
        axis.bar(
            places + left,
            rows[column].astype(float),
            _HALF,
            align="edge",
            # Empty and full bars differ in grey, too.
            color=svg.BLUE if left == 0 else "white",
            edgecolor=svg.BLUE,
            linewidth=1,
            label=words.say(f"anonymity_{column}"),
        )
    svg.as_percent(axis, words)
    axis.set_xlim(-0.7, len(buckets) - 0.3)
    marks.write_key(axis, n_columns=2)


def _of_lowest(key: str, row: pd.Series, words: Words) -> str:
    """Return a phrase about a subset, filled with the row of its lowest bucket."""
    bucket = bucket_name(row["lower"], row["upper"], words.numbers)
    return words.say(f"anonymity_{key}", row, bucket=bucket)


def _classes_caption(
    classes: pd.DataFrame, drawn: dict[int, pd.DataFrame], words: Words
) -> svg.Caption:
    first = classes.iloc[0]
    subject = "values" if first["sensitive"] else "sizes"
    lowest = [rows.iloc[0] for rows in drawn.values()]
    sentences = [_of_lowest(f"{subject}_alt", row, words) for row in lowest]
    is_one = lowest[-1][["lower", "upper"]].eq(1).all()
    key = f"{subject}_found{'_one' if is_one else ''}"
    names = first[["model", "analysis", "sensitive"]]
    return svg.captioned(names, _of_lowest(key, lowest[-1], words), sentences, words)


SharesByName = Mapping[str, pd.Series]
"""Shares over numbers of QIDs, by what they are called."""

LookByKey = Mapping[str, Any]
_LEAST = 0.0001

# Bluish green and reddish purple are Okabe and Ito's, too. Of lines, shapes differ.
_TRUTH: LookByKey = {"color": "black", "marker": "o", "linestyle": "-", "linewidth": 2}
_LOOKS: tuple[LookByKey, ...] = (
    {"color": svg.BLUE, "marker": "s", "linestyle": (0, (5, 2))},
    {"color": svg.VERMILION, "marker": "^", "linestyle": (0, (1, 1.5))},
    {"color": "#009E73", "marker": "D", "linestyle": (0, (5, 2, 1, 2))},
    {"color": "#CC79A7", "marker": "v", "linestyle": (0, (8, 2))},
)


def before_population(
    of_k_map: pd.DataFrame, of_uniques: pd.DataFrame, words: Words
) -> str:
    """Draw k-map, and beside it how many sample uniques are population uniques."""
    # On the left, where there is a population, the share of the records whose values
    # fewer than 2, 3, 5 and 10 of it have. On the right what is estimated of the
    # records that are alone in the table, and where there is a population the truth.
    panels = {}
    if len(of_k_map):
        panels["anonymity_k_map"] = k_map_lines(of_k_map, words)
    if lines := uniqueness_lines(of_uniques, words):
        panels["anonymity_unique"] = lines
    with svg.plain_style():
        figure, axes = svg.canvas(len(panels), len(panels), 4.6)
        for axis, (key, lines) in zip(axes, panels.items(), strict=True):
            _draw_lines(axis, lines, words)
            axis.set_title(words.say(f"{key}_panel"))
            axis.set_ylabel(words.say(f"{key}_axis"))
        return svg.marked_svg(
            figure, _population_caption(of_uniques, panels, words), words
        )


def k_map_lines(worst: pd.DataFrame, words: Words) -> SharesByName:
    """Return the share of the records below each k of k-map, by number of QIDs."""
    return {
        words.say("anonymity_k_map_below", k=k): _by_size(
            worst, worst[f"share_below_k_map_{k}"]
        )
        for k in THRESHOLDS
    }


def uniqueness_lines(worst: pd.DataFrame, words: Words) -> SharesByName:
    """Return the share of sample uniques that are population uniques."""
    # First the truth, if there is a population, or what published counts prove, then
    # the estimate. Sizes whose worst subset has no sample unique are left out; so is
    # one without an estimate.
    some = worst[worst["n_below_2"] > 0]
    expected = measured(some, "posterior_unique")
    lines = {
        "truth": _of_alone(some, "n_unique_both"),
        "least": _of_alone(_bounded(some), "n_unique_both_least"),
        "most": _of_alone(_bounded(some), "n_unique_both_most"),
        "poisson_gamma": _by_size(expected, expected["posterior_unique"]),
    }
    return {
        words.say(f"anonymity_{name}"): shares
        for name, shares in lines.items()
        if len(shares)
    }


def _bounded(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with records alone of which bounds are known, and no more."""
    is_alone, is_counted = rows["n_below_2"] > 0, rows["n_unique_both"].notna()
    return measured(rows[is_alone & ~is_counted], "n_unique_both_most")


def _of_alone(rows: pd.DataFrame, column: str) -> pd.Series:
    """Return a count as a share of the records alone, where it is known."""
    known = measured(rows, column)
    shares = known[column].astype(float) / known["n_below_2"].astype(float)
    return _by_size(known, shares)


def estimated(chance: float, words: Words) -> str:
    """Write an estimated chance, above 0; one far below a percent only as such."""
    if 0 < chance < _LEAST:
        return words.say("anonymity_small", share=_LEAST)
    return words.numbers.share(chance)


_FOUND = {"poisson_gamma": "estimated", "least": "bounded"}
"""How the first line of uniques is told, if it is not the truth."""


def _by_size(rows: pd.DataFrame, shares: pd.Series) -> pd.Series:
    return pd.Series(shares.astype(float).to_numpy(), index=rows["n_qids"].astype(int))


def _draw_lines(axis: Axes, lines: SharesByName, words: Words) -> None:
    looks, ends = iter(_LOOKS), []
    for name, shares in lines.items():
        look = _TRUTH if name == words.say("anonymity_truth") else next(looks)
        axis.plot(shares.index, shares, label=name, **look)
        ends.append(
            marks.LineEnd((shares.index[-1], shares.iloc[-1]), name, look["color"])
        )
    svg.as_percent(axis, words)
    sizes = [size for shares in lines.values() for size in shares.index]
    marks.scale_sizes(axis, sizes, (0.3, 0.3), words)
    marks.write_ends(axis, ends)
    axis.set_xlabel(words.say("n_qids"))
    axis.tick_params(labelbottom=True, labelleft=True, color=svg.GREY)


def _population_caption(
    worst: pd.DataFrame, panels: Mapping[str, SharesByName], words: Words
) -> svg.Caption:
    largest = int(worst["n_qids"].max())
    sentences = [words.say("anonymity_population_largest", n_qids=largest)]
    sentences += [
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
    names = ("anonymity-population", str(worst["analysis"].iloc[0]))
    return svg.captioned(names, _population_found(panels, words), sentences, words)


def _population_found(panels: Mapping[str, SharesByName], words: Words) -> str:
    key, lines = [*panels.items()][-1]
    name, shares = next(iter(lines.items()))
    kinds = {words.say(f"anonymity_{each}"): each for each in _FOUND}
    return words.say(
        f"{key}_{_FOUND[kinds[name]] if name in kinds else 'found'}",
        n_qids=int(shares.index[-1]),
        share=estimated(float(shares.iloc[-1]), words),
        line=name,
    )
