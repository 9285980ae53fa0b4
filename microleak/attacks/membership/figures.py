"""Figures of who is in a sample: chances, persons, who is alone (Rodrigues, 3.5)."""

import pandas as pd

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
    """Draw the mean chance of the sample's persons over the number of QIDs known."""
    # One dot for each subset, the worst of each size in another colour with its value,
    # and the prior as a line.
    worst = shown.worst
    with plain_style():
        figure, (axis,) = canvas(1, 1, 4.4)
        draw_dots(axis, shown.measures, "person", 3)
        scale_shares(axis, [*shown.measures["posterior_person"].astype(float)], words)
        chances = worst.set_index("n_qids")["posterior_person"].astype(float)
        draw_highest(axis, chances, words.numbers.short, height=axis.get_ylim()[1])
        prior = worst["prior"].iloc[0]
        draw_prior(axis, prior, words.numbers.share(prior), words)
        scale_sizes(axis, worst["n_qids"], (0.8, 0.6), words)
        axis.set_xlabel(words.say("n_qids"))
        axis.set_ylabel(words.say("membership_chance"))
        axis.tick_params(color=GREY)
        last = worst.iloc[-1]
        found = words.say("membership_chance_found", last, prior=prior)
        ends = worst.iloc[[0, -1][: len(worst)]]
        said = [
            words.say("membership_alt", n_subsets=len(shown.measures)),
            *(words.say("membership_alt_end", row) for _, row in ends.iterrows()),
        ]
        kind = ("membership", "chance")
        return analysis_svg(figure, kind, shown.measures, (found, said), words)


def presence_bars(shown: MembershipRows, words: Words) -> str:
    """Draw how many persons have which chance to be in the sample."""
    # Above the persons of the sample, below those of the population: one bar for each
    # class of the chance with the QIDs that the page tells of, that of a chance of 1 in
    # another colour. Takes and returns what `presence_by_size` does.
    row = shown.told
    bars = {name: _bars(shown, row, name, words) for name in PERSONS_OF}
    highest = highest_of(bar for several in bars.values() for bar in several)
    with plain_style():
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
        return analysis_svg(figure, kind, shown.measures, (title, said), words)


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
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars), words.say("membership_uniques_fitting"))
        axis.set_title(words.say("membership_uniques_persons"))
        one = [part.n_sample_unique for part in classes if part.lower == 1]
        n = sum(part.n_sample_unique for part in classes)
        found = words.say("membership_uniques_found", one=sum(one), n=n)
        said = found, [words.say("membership_uniques_alt", counts=told(bars))]
        kind = ("membership", "uniques")
        return analysis_svg(figure, kind, shown.measures, said, words)


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
        colour=(GREY, VERMILION, BLUE)[min(part.lower, 2)],
    )
