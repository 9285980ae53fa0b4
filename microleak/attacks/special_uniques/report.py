"""Who stands out by few attributes: a part of the page an analysis."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.numbers import Words
from microleak.figures.svg import BLUE, GREY, VERMILION, analysis_svg, plain_style
from microleak.report.families import EachAnalysis, main_release
from microleak.report.parts import Grid, Place

_FEW = 2  # Attributes that are few: records that stand out by no more are told of first

_OF_SIZES = (
    *("size:count", "n_minimal", "n_special", "n_smallest"),
    *("score_elliot", "score_ihsn"),
)
_OF_ATTRIBUTES = (
    *("qid:explained", "n_minimal", "n_special"),
    *("contribution_elliot", "contribution_ihsn"),
)


class UniquesShown(NamedTuple):
    """The tables of one analysis that the page shows."""

    sizes: pd.DataFrame
    scores: pd.DataFrame
    attributes: pd.DataFrame

    @property
    def n_records(self) -> int:
        return int(self.sizes["n_records"].iloc[0])

    @property
    def n_special(self) -> int:
        return int(self.sizes["n_smallest"].sum())

    @property
    def classes(self) -> list[tuple[int | None, int]]:
        """Records by the size of their smallest one; last those without any, None."""
        sizes = zip(self.sizes["size"], self.sizes["n_smallest"], strict=True)
        found: list[tuple[int | None, int]] = [(int(k), int(n)) for k, n in sizes]
        while found and not found[-1][1]:
            found.pop()
        return [*found, (None, self.n_records - self.n_special)]


def size_bars(found: UniquesShown, words: Words) -> str:
    """Draw how many records stand out by how many attributes at least, as an `<svg>`.

    One bar for each size of a record's smallest minimal sample unique, those of few
    attributes in another colour, and one of the records without any in grey.
    """
    numbers, n_records = words.numbers, found.n_records
    bars = [
        Bar(
            words.say("special_uniques_never") if size is None else numbers.count(size),
            n / n_records,
            numbers.share(n / n_records),
            GREY if size is None else VERMILION if size <= _FEW else BLUE,
        )
        for size, n in found.classes
    ]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars), words.say("special_uniques_size"))
        # How many records the fewest attributes single out, and how many any do.
        uniques = {size: n for size, n in found.classes if size is not None and n}
        title = words.say("special_uniques_none")
        if uniques:
            least, share = min(uniques), found.n_special / n_records
            told_of = {"size": least, "first": uniques[least] / n_records}
            title = words.say("special_uniques_found", **told_of, share=share)
        alt = words.say("special_uniques_alt", shares=told(bars))
        kind = ("special_uniques", "sizes")
        return analysis_svg(figure, kind, found.sizes, (title, [alt]), words)


def _heading(found: UniquesShown, place: Place) -> str:
    """Write whom few attributes single out or, if nobody, whom any do."""
    smallest = found.sizes.set_index("size")["n_smallest"]
    of_few = int(smallest.loc[:_FEW].sum())
    state = "few" if of_few else "any" if found.n_special else "none"
    if of_few and len(found.sizes) == 1:
        state = "one"
    n, n_records = of_few or found.n_special, found.n_records
    told = {"n": n, "n_records": n_records, "share": n / n_records}
    return place.say(f"heading_{state}", n_sizes=len(found.sizes), **told)


def _sentences(found: UniquesShown, place: Place) -> Iterator[str]:
    n_special = found.n_special
    if not n_special:
        return
    n_minimal = int(found.sizes["n_minimal"].sum())
    yield place.say(
        f"found{'_one' if n_special == 1 else ''}",
        n_minimal=n_minimal,
        n_special=n_special,
        share=n_special / found.n_records,
        mean=n_minimal / n_special,
    )
    contribution = found.attributes["contribution_elliot"]
    yield place.say("most", found.attributes.loc[contribution.idxmax()])


def _measured(found: UniquesShown, place: Place) -> Iterator[str]:
    yield place.say("measured", found.sizes.iloc[0])
    yield place.known(found.attributes["qid"])


def _grids(found: UniquesShown, place: Place) -> Iterator[Grid]:
    yield place.grid(found.sizes, _OF_SIZES, "caption_of_sizes")
    order = ["contribution_elliot", "n_special"]
    rows = found.attributes.sort_values(order, ascending=False, kind="stable")
    yield place.grid(rows, _OF_ATTRIBUTES, "caption_of_attributes")
    classes = ["lowest", "below"]
    of_class = found.scores.pivot_table("n_special", classes, "score", fill_value=0)
    rows = of_class.reindex(columns=["elliot", "ihsn"], fill_value=0).reset_index()
    score = ("score", partial(place.say, "score_class"))
    columns = (score, "elliot:count", "ihsn:count")
    yield place.grid(rows, columns, "caption_of_scores", is_folded=True)


SHOWN = EachAnalysis(
    "special_uniques",
    tables=("special_uniques", "suda_scores", "suda_attributes", "suda_values"),
    found=lambda sizes, scores, attributes, _: UniquesShown(sizes, scores, attributes),
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"sizes": size_bars},
    releases=lambda found: main_release(found.sizes),
    sentences=_sentences,
    grids=_grids,
    words=lambda _: ("minimal", "score", "contribution"),
)
