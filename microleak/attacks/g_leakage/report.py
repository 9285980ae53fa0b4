"""What guesses gain: a part of the page an analysis."""

from collections.abc import Callable, Iterator

import pandas as pd

from microleak.figures.marks import draw_dots, draw_highest, draw_prior, scale_sizes
from microleak.figures.numbers import Words
from microleak.figures.scales import scale_shares, scale_upright
from microleak.figures.svg import GREY, analysis_svg, canvas, plain_style
from microleak.report.families import PartEach, one_figure
from microleak.report.parts import Grid, Names, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_POSTERIOR, _PRIOR = "posterior_vulnerability", "prior_vulnerability"


def analyses(families: TablesByKind) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each analysis, with its name."""
    yield from families.get("g_leakage", {}).items()


def worst_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the row of each number of QIDs with the highest gain, by that number."""
    first = rows.groupby("n_qids", sort=True)[_POSTERIOR].idxmax()
    return rows.loc[first]


def gain_by_size(rows: pd.DataFrame, words: Words) -> str:
    """Draw what the best guess gains over the number of QIDs known, as an `<svg>`.

    One dot for each subset, the highest of each size in another colour with its
    number, and what is gained without any fact as a line.
    """
    worst, prior = worst_of(rows), rows[_PRIOR].iloc[0]
    write = _writer(rows, words)
    with plain_style():
        figure, (axis,) = canvas(1, 1, 4.4)
        draw_dots(axis, rows, "vulnerability", 3)
        scale = scale_shares if _is_share(rows) else scale_upright
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
        said = [
            words.say("g_leakage_alt", n_subsets=words.numbers.count(len(rows))),
            words.say(
                "g_leakage_alt_end",
                attributes=words.attributes(int(last["n_qids"])),
                posterior=write(last[_POSTERIOR]),
                prior=write(prior),
            ),
        ]
        found = words.say(
            "g_leakage_found",
            attributes=words.attributes(int(last["n_qids"])),
            posterior=write(last[_POSTERIOR]),
            prior=write(prior),
        )
        return analysis_svg(figure, ("g_leakage", "gain"), rows, (found, said), words)


def _writer(rows: pd.DataFrame, words: Words | Voice) -> Callable[[float], str]:
    """Return what writes a gain: the chance to be right in some tries, or a number."""
    return words.numbers.share if _is_share(rows) else words.numbers.ratio


def _is_share(rows: pd.DataFrame) -> bool:
    return bool(rows["n_tries"].notna().all())


def part(rows: pd.DataFrame, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    worst = worst_of(rows)
    first = rows.iloc[0]
    top = worst.loc[worst[_POSTERIOR].idxmax()]
    combinations = voice.combinations(len(rows), int(rows["n_qids"].max()))
    return place.part(
        heading=_heading(top, voice),
        measured=(
            place.measured(first, combinations=combinations),
            place.known(tables.all_qids(rows)),
        ),
        body=(
            Sentences(tuple(_sentences(top, voice))),
            place.drawing("gain", voice.say("g_leakage.caption_gain")),
            _grid(worst, voice),
        ),
        downloads=place.downloads("g_leakage"),
    )


def _heading(row: pd.Series, voice: Voice) -> str:
    write = _writer(row.to_frame().T, voice)
    in_tries = pd.notna(row["n_tries"])
    tries = {"tries": voice.numbers.count(row["n_tries"])} if in_tries else {}
    kind = "gains" if not in_tries else "try" if row["n_tries"] == 1 else "tries"
    return voice.say(
        f"g_leakage.heading_{kind}",
        sensitive=voice.attribute(row["sensitive"]),
        facts=voice.facts(tables.qids_of(row)),
        qids=voice.known(tables.qids_of(row)),
        posterior=write(row[_POSTERIOR]),
        prior=write(row[_PRIOR]),
        **tries,
    )


def _sentences(row: pd.Series, voice: Voice) -> Iterator[str]:
    if pd.isna(row["capacity"]):
        yield voice.say("g_leakage.costs")
    elif pd.notna(row["multiplicative_g_leakage"]):
        yield voice.say(
            "g_leakage.ratio",
            ratio=voice.numbers.ratio(row["multiplicative_g_leakage"]),
            bits=voice.numbers.ratio(row["g_leakage"]),
            capacity=voice.numbers.count(row["capacity"]),
        )


def _grid(worst: pd.DataFrame, voice: Voice) -> Grid:
    """Lay out the worst subsets of each size; ratios only where gains have them."""
    write, numbers = _writer(worst, voice), voice.numbers
    is_share = _is_share(worst)
    cells = {
        "gain": worst[_POSTERIOR].map(write),
        "points" if is_share else "more": worst["additive_g_leakage"].map(
            numbers.points if is_share else numbers.ratio
        ),
    }
    if worst["multiplicative_g_leakage"].notna().all():
        cells["ratio"] = worst["multiplicative_g_leakage"].map(numbers.ratio)
        cells["bits"] = worst["g_leakage"].map(numbers.ratio)
        cells["capacity"] = worst["capacity"].map(numbers.count)
    which = [
        (numbers.count(row["n_qids"]), Names.of(tables.qids_of(row), voice))
        for _, row in worst.iterrows()
    ]
    return Grid(
        caption=voice.say("g_leakage.caption", prior=write(worst[_PRIOR].iloc[0])),
        headings=(
            *voice.columns("page", "n", "qids"),
            *voice.columns("g_leakage", *cells),
        ),
        rows=tuple(
            (*names, *texts)
            for names, texts in zip(
                which, zip(*cells.values(), strict=True), strict=True
            )
        ),
        n_texts=2,
    )


def words(_: pd.DataFrame) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("gain", "ratio", "capacity")


FIGURE = one_figure("g_leakage", "gain", gain_by_size)
SHOWN = PartEach("g_leakage", analyses, FIGURE, part, words)
