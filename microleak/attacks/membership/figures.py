"""Figures of who is in a sample: chances, persons, who is alone (Rodrigues, 3.5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import pandas as pd

from microleak.figures import svg
from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.marks import draw_dots, draw_highest, draw_prior, scale_sizes
from microleak.figures.numbers import Words
from microleak.figures.scales import scale_shares
from microleak.tables import rows as tables
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

PERSONS_OF = ("sample", "population")
"""Whose persons `measures/presence` counts, in the order of the page."""

CHANCES = (0, 1, 2, 5, 10, 20, 50, 100)
"""Percent at which classes of the chance of presence begin, as they are shown."""

CERTAIN = CHANCES[-1]

DIFFERING = ("n_not_found", "n_blocks_in_excess")
"""Columns that are 0 of a sample that is part of its population, as both are coded."""

FURTHER = ("rough_membership", "designs", "answers", "fingerprints")
"""Tables that an analysis has only if it asks for them."""

_FITTING = (0, 1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class MembershipRows:
    """The tables of one analysis, texts never missing."""

    measures: pd.DataFrame  # `measures/membership`, every subset
    # `measures/presence` and `measures/uniques`, worst subset of each size
    presence: pd.DataFrame
    uniques: pd.DataFrame
    # `measures/rough_membership` and the others of these names
    rough: pd.DataFrame
    designs: pd.DataFrame
    answers: pd.DataFrame
    fingerprints: pd.DataFrame

    @property
    def further(self) -> dict[str, pd.DataFrame]:
        tables = (self.rough, self.designs, self.answers, self.fingerprints)
        return dict(zip(FURTHER, tables, strict=True))

    @property
    def worst(self) -> pd.DataFrame:
        """Measures of the worst subset of each size, by rising size."""
        # The other two tables say which these are.
        is_worst = self.measures["qids"].isin(self.presence["qids"])
        return self.measures[is_worst].sort_values("n_qids", ignore_index=True)

    @property
    def told(self) -> pd.Series:
        """The worst row with the highest chance, with the fewest QIDs among equals."""
        # It need not be one of all QIDs: persons whose answers differ from the
        # population's are lost where more is compared.
        worst = self.worst
        return worst.loc[worst["posterior_person"].idxmax()]

    def of_worst(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of another table of the worst subsets, by rising size."""
        found = rows[rows["qids"].isin(self.worst["qids"])]
        return found.sort_values("n_qids", kind="stable", ignore_index=True)

    @property
    def half(self) -> pd.Series:
        """The worst row with the fewest QIDs that reaches half of that chance."""
        worst, told = self.worst, self.told
        return worst[worst["posterior_person"] >= told["posterior_person"] / 2].iloc[0]

    @property
    def refuting(self) -> pd.Series | None:
        """A row by which the sample is not known to be part of its population."""
        # None if with every subset everybody of the sample is found, and no block has
        # more persons of the sample: only then is who is alone in both tables certainly
        # one person. It is the told row if that has such numbers, else that with most
        # of them.
        told, numbers = self.told, self.measures[[*DIFFERING]]
        is_differing = (numbers > 0).any(axis=1)
        rows = self.measures[is_differing]
        if rows.empty or rows["qids"].eq(told["qids"]).any():
            return None if rows.empty else told
        return rows.loc[numbers[is_differing].sum(axis=1).idxmax()]

    def persons(self, row: pd.Series, persons_of: str) -> "Iterator[PersonClass]":
        """Yield how many persons of one table have which chance, with one subset."""
        rows = self.presence[
            (self.presence["qids"] == row["qids"])
            & (self.presence["persons_of"] == persons_of)
        ]
        for lower, upper, within in _classes(rows, "bin", CHANCES):
            number = int(within["n_records"].sum())
            share = number / row[f"n_{persons_of}"]
            yield PersonClass(lower, upper, number, share)

    def fitting(self, row: pd.Series) -> "Iterator[Fitting]":
        """Yield how many sample uniques of one subset fit how many persons."""
        rows = self.uniques[self.uniques["qids"] == row["qids"]]
        for lower, upper, within in _classes(rows, "n_fitting", _FITTING):
            last = None if upper is None else upper - 1
            yield Fitting(lower, last, int(within["n_sample_unique"].sum()))


@dataclass(frozen=True)
class PersonClass:
    """Persons of one table whose chance to be in the sample is in a class."""

    # Percent, the upper one without
    lower: int
    upper: int | None
    n_records: int
    share: float


@dataclass(frozen=True)
class Fitting:
    """Sample uniques whose values a number of the population's persons has."""

    # That number, both within
    lower: int
    upper: int | None
    n_sample_unique: int


def _classes(
    rows: pd.DataFrame, column: str, bounds: Sequence[int]
) -> Iterator[tuple[int, int | None, pd.DataFrame]]:
    """Yield each class of a column's values: its bounds and its rows."""
    place = np.searchsorted(bounds, rows[column].to_numpy(int), "right") - 1
    for number, (lower, upper) in enumerate(
        zip(bounds, (*bounds[1:], None), strict=True)
    ):
        yield lower, upper, rows[place == number]


def membership(*given: pd.DataFrame | None) -> MembershipRows:
    """Return the tables of one analysis, however they were read, in their order."""
    specs = tables_of("microleak.attacks.membership")
    names = ("membership", "presence", "uniques", *FURTHER)
    found = (
        as_table(specs[name], []) if table is None else table
        for name, table in zip_longest(names, given)
    )
    return MembershipRows(*map(tables.with_text, found))


def presence_by_size(shown: MembershipRows, words: Words) -> str:
    """Draw the mean chance of the sample's persons over the number of QIDs known."""
    # One dot for each subset, the worst of each size in another colour with its value,
    # and the prior as a line.
    worst = shown.worst
    with svg.plain_style():
        figure, (axis,) = svg.canvas(1, 1, 4.4)
        draw_dots(axis, shown.measures, "person", 3)
        scale_shares(axis, [*shown.measures["posterior_person"].astype(float)], words)
        chances = worst.set_index("n_qids")["posterior_person"].astype(float)
        draw_highest(axis, chances, words.numbers.short, height=axis.get_ylim()[1])
        prior = worst["prior"].iloc[0]
        draw_prior(axis, prior, words.numbers.share(prior), words)
        scale_sizes(axis, worst["n_qids"], (0.8, 0.6), words)
        axis.set_xlabel(words.say("n_qids"))
        axis.set_ylabel(words.say("membership_chance"))
        axis.tick_params(color=svg.GREY)
        last = worst.iloc[-1]
        found = words.say("membership_chance_found", last, prior=prior)
        ends = worst.iloc[[0, -1][: len(worst)]]
        said = [
            words.say("membership_alt", n_subsets=len(shown.measures)),
            *(words.say("membership_alt_end", row) for _, row in ends.iterrows()),
        ]
        kind = ("membership", "chance")
        return svg.analysis_svg(figure, kind, shown.measures, (found, said), words)


def presence_bars(shown: MembershipRows, words: Words) -> str:
    """Draw how many persons have which chance to be in the sample."""
    # Above the persons of the sample, below those of the population: one bar for each
    # class of the chance with the QIDs that the page tells of, that of a chance of 1 in
    # another colour. Takes and returns what `presence_by_size` does.
    row = shown.told
    bars = {name: _bars(shown, row, name, words) for name in PERSONS_OF}
    highest = highest_of(bar for several in bars.values() for bar in several)
    with svg.plain_style():
        figure, axes = bars_canvas([*bars.values()])
        for axis, (name, of_name) in zip(axes, bars.items(), strict=True):
            draw_bars(axis, of_name, highest, words.say("membership_presence_chance"))
            axis.set_title(words.say(f"membership_persons_of_{name}"))
        persons = shown.persons(row, "sample")
        certain = [part.share for part in persons if part.lower == CERTAIN]
        found = f"membership_persons_found{'' if sum(certain) else '_none'}"
        title = words.say(found, row, share=sum(certain))
        said = [
            words.say(f"membership_persons_alt_{name}", row, shares=told(each))
            for name, each in bars.items()
        ]
        kind = ("membership", "persons")
        return svg.analysis_svg(figure, kind, shown.measures, (title, said), words)


def _bars(shown: MembershipRows, row: pd.Series, name: str, words: Words) -> list[Bar]:
    return [
        Bar(
            label=_label(part, words),
            length=part.share,
            text=words.numbers.short(part.share),
            colour=svg.VERMILION if part.lower == CERTAIN else svg.BLUE,
        )
        for part in shown.persons(row, name)
    ]


def _label(part: PersonClass, words: Words) -> str:
    if part.upper is None:
        return f"{part.lower}%"
    key = f"membership_chance_{'between' if part.lower else 'below'}"
    return words.say(key, lower=part.lower, upper=f"{part.upper}%")


def unique_bars(shown: MembershipRows, words: Words) -> str:
    """Draw how many persons alone in the sample fit how many of the population."""
    # One bar for each class of that number, with its count: none in grey, exactly one
    # in another colour. Takes and returns what `presence_by_size` does.
    classes = [*shown.fitting(shown.told)]
    bars = [_bar(part, words) for part in classes]
    with svg.plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars), words.say("membership_uniques_fitting"))
        axis.set_title(words.say("membership_uniques_persons"))
        one = [part.n_sample_unique for part in classes if part.lower == 1]
        n = sum(part.n_sample_unique for part in classes)
        found = words.say("membership_uniques_found", one=sum(one), n=n)
        said = found, [words.say("membership_uniques_alt", counts=told(bars))]
        kind = ("membership", "uniques")
        return svg.analysis_svg(figure, kind, shown.measures, said, words)


def class_text(part: Fitting, words: Words) -> str:
    """Write a class of numbers of persons, as in `3 to 4`."""
    if part.upper is None:
        return words.say("membership_range_above", vars(part))
    if part.upper == part.lower:
        return words.numbers.count(part.lower)
    return words.say("membership_range", vars(part))


def _bar(part: Fitting, words: Words) -> Bar:
    number = part.n_sample_unique
    return Bar(
        label=class_text(part, words),
        length=number,
        text=words.numbers.count(number),
        colour=(svg.GREY, svg.VERMILION, svg.BLUE)[min(part.lower, 2)],
    )
