"""Figures of who is in a sample: chances, persons, who is alone (Rodrigues, 3.5)."""

import pandas as pd
from matplotlib.axes import Axes

from microleak.attacks.membership.rows import (
    CERTAIN,
    PERSONS_OF,
    Fitting,
    MembershipRows,
    PersonClass,
)
from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.marks import draw_dots, draw_highest, draw_prior, scale_sizes
from microleak.figures.numbers import Words
from microleak.figures.scales import scale_shares
from microleak.figures.svg import (
    BLUE,
    GREY,
    VERMILION,
    analysis_svg,
    canvas,
    plain_style,
)


def presence_by_size(shown: MembershipRows, words: Words) -> str:
    """Draw the mean chance of the sample's persons over the number of QIDs known.

    One dot for each subset, the worst of each size in another colour with its
    value, and the prior as a line.
    """
    worst = shown.worst
    with plain_style():
        figure, (axis,) = canvas(1, 1, 4.4)
        draw_dots(axis, shown.measures, "person", 3)
        scale_shares(axis, [*shown.measures["posterior_person"].astype(float)], words)
        _draw_worst(axis, worst, words)
        prior = worst["prior"].iloc[0]
        draw_prior(axis, prior, words.numbers.share(prior), words)
        scale_sizes(axis, worst["n_qids"], (0.8, 0.6), words)
        axis.set_xlabel(words.say("n_qids"))
        axis.set_ylabel(words.say("membership_chance"))
        axis.tick_params(color=GREY)
        last = worst.iloc[-1]
        found = words.say(
            "membership_chance_found",
            attributes=words.attributes(int(last["n_qids"])),
            posterior=words.numbers.short(last["posterior_person"]),
            prior=words.numbers.short(prior),
        )
        said = found, _sentences(shown, words)
        return analysis_svg(
            figure, ("membership", "chance"), shown.measures, said, words
        )


def _draw_worst(axis: Axes, worst: pd.DataFrame, words: Words) -> None:
    def write(chance: float) -> str:
        return words.numbers.short(chance)

    chances = worst.set_index("n_qids")["posterior_person"].astype(float)
    draw_highest(axis, chances, write, height=axis.get_ylim()[1])


def _sentences(shown: MembershipRows, words: Words) -> list[str]:
    ends = shown.worst.iloc[[0, -1][: len(shown.worst)]]
    return [
        words.say("membership_alt", n_subsets=words.numbers.count(len(shown.measures))),
        *(
            words.say(
                "membership_alt_end",
                attributes=words.attributes(int(row["n_qids"])),
                posterior=words.numbers.share(row["posterior_person"]),
                prior=words.numbers.share(row["prior"]),
            )
            for _, row in ends.iterrows()
        ),
    ]


def presence_bars(shown: MembershipRows, words: Words) -> str:
    """Draw how many persons have which chance to be in the sample.

    Above the persons of the sample, below those of the population: one bar for each
    class of the chance with the QIDs that the page tells of, that of a chance of 1 in
    another colour. Takes and returns what `presence_by_size` does.
    """
    row = shown.told
    bars = {name: _bars(shown, row, name, words) for name in PERSONS_OF}
    highest = highest_of(bar for several in bars.values() for bar in several)
    with plain_style():
        figure, axes = bars_canvas([*bars.values()])
        for axis, (name, of_name) in zip(axes, bars.items(), strict=True):
            draw_bars(axis, of_name, highest, words.say("presence_chance"))
            axis.set_title(words.say(f"persons_of_{name}"))
        persons = shown.persons(row, "sample")
        certain = [part.share for part in persons if part.lower == CERTAIN]
        found = words.say(
            f"membership_persons_found{'' if sum(certain) else '_none'}",
            attributes=words.attributes(int(row["n_qids"])),
            share=words.numbers.short(sum(certain)),
        )
        said = found, [_sentence(row, name, each, words) for name, each in bars.items()]
        return analysis_svg(
            figure, ("membership", "persons"), shown.measures, said, words
        )


def _bars(shown: MembershipRows, row: pd.Series, name: str, words: Words) -> list[Bar]:
    return [
        Bar(
            label=_label(part, words),
            length=part.share,
            text=words.numbers.short(part.share),
            colour=VERMILION if part.lower == CERTAIN else BLUE,
        )
        for part in shown.persons(row, name)
    ]


def _label(part: PersonClass, words: Words) -> str:
    lower = words.numbers.count(part.lower)
    if part.upper is None:
        return f"{lower}%"
    upper = f"{words.numbers.count(part.upper)}%"
    key = "chance_between" if part.lower else "chance_below"
    return words.say(key, lower=lower, upper=upper)


def _sentence(row: pd.Series, name: str, bars: list[Bar], words: Words) -> str:
    return words.say(
        f"persons_alt_{name}",
        attributes=words.attributes(int(row["n_qids"])),
        shares=told(bars),
    )


def unique_bars(shown: MembershipRows, words: Words) -> str:
    """Draw how many persons alone in the sample fit how many of the population.

    One bar for each class of that number, with its count: none in grey, exactly
    one in another colour. Takes and returns what `presence_by_size` does.
    """
    classes = [*shown.fitting(shown.told)]
    bars = [_bar(part, words) for part in classes]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars), words.say("uniques_fitting"))
        axis.set_title(words.say("uniques_persons"))
        one = [part.n_sample_unique for part in classes if part.lower == 1]
        found = words.say(
            "membership_uniques_found",
            one=words.numbers.count(sum(one)),
            n=words.numbers.count(sum(part.n_sample_unique for part in classes)),
        )
        said = found, [words.say("uniques_alt", counts=told(bars))]
        return analysis_svg(
            figure, ("membership", "uniques"), shown.measures, said, words
        )


def class_text(part: Fitting, words: Words) -> str:
    """Write a class of numbers of persons, as in `3 to 4`."""
    lower = words.numbers.count(part.lower)
    if part.upper is None:
        return words.say("range_above", lower=lower)
    if part.upper == part.lower:
        return lower
    return words.say("range", lower=lower, upper=words.numbers.count(part.upper))


def _bar(part: Fitting, words: Words) -> Bar:
    number = part.n_sample_unique
    return Bar(
        label=class_text(part, words),
        length=number,
        text=words.numbers.count(number),
        colour=(GREY, VERMILION, BLUE)[min(part.lower, 2)],
    )
