"""Who stands out by few attributes: a part of the page an analysis."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.numbers import Words
from microleak.figures.svg import (
    BLUE,
    GREY,
    VERMILION,
    analysis_svg,
    plain_style,
)
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice

_FEW = 2
"""Attributes that are few: records that stand out by no more are told of first."""


@dataclass(frozen=True)
class UniquesShown:
    """The tables of one analysis that the page shows."""

    sizes: pd.DataFrame
    scores: pd.DataFrame
    attributes: pd.DataFrame

    @property
    def n_records(self) -> int:
        """Records of the table."""
        return int(self.sizes["n_records"].iloc[0])

    @property
    def n_special(self) -> int:
        """Records that have a minimal sample unique."""
        return int(self.sizes["n_smallest"].sum())

    @property
    def classes(self) -> list[tuple[int | None, int]]:
        """Records by the size of their smallest one; last those without any, None."""
        sizes = zip(self.sizes["size"], self.sizes["n_smallest"], strict=True)
        found: list[tuple[int | None, int]] = [(int(k), int(n)) for k, n in sizes]
        while found and not found[-1][1]:
            found.pop()
        return [*found, (None, self.n_records - self.n_special)]


def analyses(families: TablesByKind) -> Iterator[tuple[str, UniquesShown]]:
    """Yield the tables of each analysis, with its name."""
    for name, sizes in families.get("special_uniques", {}).items():
        others = (families[kind][name] for kind in ("suda_scores", "suda_attributes"))
        yield name, UniquesShown(sizes, *others)


def figures(
    name: str, shown: UniquesShown, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of one analysis."""
    names, draw = ("special_uniques", name, "sizes"), partial(size_bars, shown)
    yield Undrawn.of_release(names, draw, shown.sizes.iloc[0], synthetic)


def size_bars(shown: UniquesShown, words: Words) -> str:
    """Draw how many records stand out by how many attributes at least, as an `<svg>`.

    One bar for each size of a record's smallest minimal sample unique, those of few
    attributes in another colour, and one of the records without any in grey.
    """
    numbers = words.numbers
    classes = shown.classes
    bars = [
        Bar(
            label=words.say("special_uniques_never")
            if size is None
            else numbers.count(size),
            length=n / shown.n_records,
            text=numbers.share(n / shown.n_records),
            colour=GREY if size is None else VERMILION if size <= _FEW else BLUE,
        )
        for size, n in classes
    ]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars), words.say("special_uniques_size"))
        found = _found(shown, words)
        alt = words.say("special_uniques_alt", shares=told(bars))
        kind = ("special_uniques", "sizes")
        return analysis_svg(figure, kind, shown.sizes, (found, [alt]), words)


def _found(shown: UniquesShown, words: Words) -> str:
    """Say how many records the fewest attributes single out, and how many any do."""
    uniques = {size: n for size, n in shown.classes if size is not None and n}
    if not uniques:
        return words.say("special_uniques_none")
    least = min(uniques)
    return words.say(
        "special_uniques_found",
        attributes=words.attributes(least),
        first=words.numbers.short(uniques[least] / shown.n_records),
        share=words.numbers.short(sum(uniques.values()) / shown.n_records),
    )


def part(shown: UniquesShown, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    row = shown.sizes.iloc[0]
    return place.part(
        heading=_heading(shown, voice),
        measured=(
            place.measured(row),
            place.known(shown.attributes["qid"]),
        ),
        body=(
            Sentences(tuple(_sentences(shown, voice))),
            place.drawing("sizes", voice.say("special_uniques.caption_sizes")),
            _sizes_grid(shown, voice),
            _attributes_grid(shown, voice),
            _scores_grid(shown, voice),
        ),
        downloads=place.downloads(
            *("special_uniques", "suda_scores", "suda_attributes", "suda_values")
        ),
    )


def _heading(shown: UniquesShown, voice: Voice) -> str:
    """Say whom few attributes single out or, if nobody, whom any do."""
    smallest = shown.sizes.set_index("size")["n_smallest"]
    of_few = int(smallest.loc[:_FEW].sum())
    state = "few" if of_few else "any" if shown.n_special else "none"
    if of_few and len(shown.sizes) == 1:
        state = "one"
    n = of_few or shown.n_special
    return voice.say(
        f"special_uniques.heading_{state}",
        n=voice.numbers.count(n),
        n_records=voice.numbers.count(shown.n_records),
        share=voice.numbers.share(n / shown.n_records),
        attributes=voice.attributes(len(shown.sizes)),
    )


def _sentences(shown: UniquesShown, voice: Voice) -> Iterator[str]:
    if not shown.n_special:
        return
    n_minimal = int(shown.sizes["n_minimal"].sum())
    yield voice.say(
        f"special_uniques.found{'_one' if shown.n_special == 1 else ''}",
        n_minimal=voice.numbers.count(n_minimal),
        n_special=voice.numbers.count(shown.n_special),
        share=voice.numbers.share(shown.n_special / shown.n_records),
        mean=voice.numbers.ratio(n_minimal / shown.n_special),
    )
    most = shown.attributes.loc[shown.attributes["contribution_elliot"].idxmax()]
    yield voice.say(
        "special_uniques.most",
        attribute=voice.attribute(most["qid"]),
        share=voice.numbers.share(most["contribution_elliot"]),
        n=voice.numbers.count(most["n_special"]),
    )


def _sizes_grid(shown: UniquesShown, voice: Voice) -> Grid:
    numbers = voice.numbers
    columns = ("size", "minimal", "special", "smallest", "elliot", "ihsn")
    return Grid(
        caption=voice.say("special_uniques.sizes_caption"),
        headings=voice.columns("special_uniques", *columns),
        rows=tuple(
            (
                numbers.count(row["size"]),
                *(
                    numbers.count(row[name])
                    for name in ("n_minimal", "n_special", "n_smallest", "score_elliot")
                ),
                numbers.ratio(row["score_ihsn"]),
            )
            for _, row in shown.sizes.iterrows()
        ),
    )


def _attributes_grid(shown: UniquesShown, voice: Voice) -> Grid:
    """Lay out what each attribute contributes, that which does most first."""
    numbers = voice.numbers
    order = ["contribution_elliot", "n_special"]
    rows = shown.attributes.sort_values(order, ascending=False, kind="stable")
    columns = ("attribute", "minimal", "special", "by_elliot", "by_ihsn")
    return Grid(
        caption=voice.say("special_uniques.attributes_caption"),
        headings=voice.columns("special_uniques", *columns),
        rows=tuple(
            (
                voice.explained(row["qid"]),
                numbers.count(row["n_minimal"]),
                numbers.count(row["n_special"]),
                numbers.share(row["contribution_elliot"]),
                numbers.share(row["contribution_ihsn"]),
            )
            for _, row in rows.iterrows()
        ),
    )


def _scores_grid(shown: UniquesShown, voice: Voice) -> Grid:
    """Lay out the records by their score, of both definitions."""
    numbers = voice.numbers
    n_of = shown.scores.pivot_table(
        index=["lowest", "below"], columns="score", values="n_special", fill_value=0
    )
    return Grid(
        caption=voice.say("special_uniques.scores_caption"),
        headings=voice.columns("special_uniques", "score", "of_elliot", "of_ihsn"),
        rows=tuple(
            (
                voice.say(
                    "special_uniques.score_class",
                    lowest=numbers.count(lowest),
                    below=numbers.count(below),
                ),
                *(numbers.count(row.get(score, 0)) for score in ("elliot", "ihsn")),
            )
            for (lowest, below), row in n_of.iterrows()
        ),
        is_folded=True,
    )


def words(_: UniquesShown) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("minimal", "score", "contribution")


SHOWN = PartEach("special_uniques", analyses, figures, part, words)
