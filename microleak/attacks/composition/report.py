"""What several noisy counts leak together: a part of the page an analysis."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.marks import LineEnd, draw_prior, scale_sizes, write_ends
from microleak.figures.numbers import Words, epsilon_equals, epsilon_text
from microleak.figures.scales import scale_shares
from microleak.figures.svg import (
    BLUE,
    GREY,
    VERMILION,
    analysis_svg,
    canvas,
    plain_style,
)
from microleak.report.families import PartEach, one_figure
from microleak.report.parts import Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice

_STYLES = ("-", "--", "-.", ":")


def analyses(families: TablesByKind) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each analysis, with its name."""
    yield from families.get("composition", {}).items()


def chance_by_counts(rows: pd.DataFrame, words: Words) -> str:
    """Draw the chance to guess over the number of counts, as an `<svg>`.

    A line for each epsilon, of which the number of counts does not change the budget,
    and the chance without a count as a broken line.
    """
    numbers = words.numbers
    prior = rows["prior"].iloc[0]
    of_epsilon = list(rows.groupby("epsilon", sort=False))
    said = [words.say("composition_alt", prior=numbers.share(prior))]
    ends: list[LineEnd] = []
    with plain_style():
        figure, (axis,) = canvas(1, 1, 4.4)
        for number, (epsilon, each) in enumerate(of_epsilon):
            exact = each[each["posterior"].notna()]
            colour = VERMILION if number == len(of_epsilon) - 1 else BLUE
            style = _STYLES[number % len(_STYLES)]
            label = epsilon_equals(str(epsilon), numbers)
            x, y = exact["n_counts"], exact["posterior"].astype(float)
            axis.plot(x, y, f"o{style}", color=colour, markersize=4)
            last = exact.iloc[-1]
            ends.append(LineEnd((float(x.iloc[-1]), float(y.iloc[-1])), label, colour))
            said.append(
                words.say(
                    "composition_alt_line",
                    epsilon=label,
                    n=numbers.count(last["n_counts"]),
                    posterior=numbers.share(last["posterior"]),
                    first=numbers.share(exact["posterior"].iloc[0]),
                )
            )
        scale_shares(axis, [prior, *rows["posterior"].dropna().astype(float)], words)
        draw_prior(axis, prior, numbers.share(prior), words)
        sizes = rows.loc[rows["posterior"].notna(), "n_counts"]
        scale_sizes(axis, sizes, (0.5, 0.5), words)
        write_ends(axis, ends)
        axis.set_xlabel(words.say("composition_counts"))
        axis.set_ylabel(words.say("composition_chance"))
        axis.tick_params(color=GREY)
        found = words.say(
            "composition_found",
            epsilon=label,
            n=numbers.count(last["n_counts"]),
            first=numbers.short(exact["posterior"].iloc[0]),
            posterior=numbers.short(last["posterior"]),
            prior=numbers.short(prior),
        )
        kind = ("composition", "counts")
        return analysis_svg(figure, kind, rows, (found, said), words)


def part(rows: pd.DataFrame, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    row = rows.iloc[0]
    n_counts = int(rows["n_counts"].max())
    return place.part(
        heading=_heading(rows, voice),
        measured=(
            place.measured(
                row,
                counts=_counts(n_counts, voice),
                attributes=voice.listing(
                    map(voice.explained, rows["useful"].drop_duplicates())
                ),
            ),
        ),
        body=(
            Sentences(tuple(_sentences(rows, voice))),
            place.drawing("counts", voice.say("composition.caption_counts")),
            _grid(rows, voice),
        ),
        downloads=place.downloads("composition"),
    )


def _counts(n: int, voice: Voice) -> str:
    number = "one" if n == 1 else "many"
    return voice.say(f"composition.counts_{number}", n=voice.numbers.count(n))


def _heading(rows: pd.DataFrame, voice: Voice) -> str:
    """Say what the most counts that are exact leak with the largest budget."""
    exact = rows[rows["posterior"].notna()]
    largest = exact[exact["epsilon"] == _largest(exact)]
    last = largest.iloc[-1]
    is_raised = last["posterior"] > last["prior"]
    return voice.say(
        f"composition.heading{'' if is_raised else '_none'}",
        epsilon=epsilon_equals(str(last["epsilon"]), voice.numbers),
        counts=_counts(int(last["n_counts"]), voice),
        sensitive=voice.attribute(last["sensitive"]),
        prior=voice.numbers.share(last["prior"]),
        posterior=voice.numbers.share(last["posterior"]),
    )


def _largest(rows: pd.DataFrame) -> str:
    """Return the largest epsilon: that with the smallest alpha of one count."""
    return str(rows.loc[rows["alpha"].idxmin(), "epsilon"]) if len(rows) else ""


def _sentences(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    exact = rows[rows["posterior"].notna()]
    largest = exact[exact["epsilon"] == _largest(exact)]
    first, last = largest.iloc[0], largest.iloc[-1]
    numbers = voice.numbers
    if len(largest) > 1:
        most = largest.loc[largest["posterior"].astype(float).idxmax()]
        yield voice.say(
            "composition.one",
            posterior=numbers.share(first["posterior"]),
            most=numbers.share(most["posterior"]),
            n=numbers.count(most["n_counts"]),
        )
    yield voice.say("composition.bound", bound=numbers.share(last["posterior_bound"]))
    if rows["posterior"].isna().any():
        yield voice.say("composition.many", n=numbers.count(last["n_counts"]))


def _grid(rows: pd.DataFrame, voice: Voice) -> Grid:
    numbers = voice.numbers
    columns = ("n", "last", "chance", "loss", "limit", "bound")
    return Grid(
        caption=voice.say(
            "composition.caption", prior=numbers.share(rows["prior"].iloc[0])
        ),
        headings=("ε", *voice.columns("composition", *columns)),
        rows=tuple(
            (
                epsilon_text(str(row["epsilon"]), numbers),
                numbers.count(row["n_counts"]),
                voice.attribute(row["useful"]),
                *(
                    "" if pd.isna(row[name]) else write(row[name])
                    for name, write in (
                        ("posterior", numbers.share),
                        ("privacy_loss", numbers.ratio),
                        ("privacy_loss_limit", numbers.ratio),
                    )
                ),
                numbers.share(row["posterior_bound"]),
            )
            for _, row in rows.iterrows()
        ),
        n_texts=1,
    )


def words(_: pd.DataFrame) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("budget", "chance", "bound")


FIGURE = one_figure("composition", "counts", chance_by_counts)
SHOWN = PartEach("composition", analyses, FIGURE, part, words)
