"""What tables of counts prove: a part of the page an analysis."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.numbers import Numbers, Words, epsilon_text
from microleak.figures.svg import (
    BLUE,
    GREY,
    VERMILION,
    analysis_svg,
    plain_style,
)
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import NOTHING, Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_BARS = {"n_records": GREY, "n_records_proved": BLUE, "n_right": VERMILION}
"""What is drawn, in this order, and in which colour."""

_MOST_SHOWN = 20
"""Rows of a grid, at most."""


@dataclass(frozen=True)
class RegionsFound:
    """What was measured in an analysis, texts never missing."""

    # What is proved of regions, of cells, and of the regions of each size
    rows: pd.DataFrame
    cells: pd.DataFrame
    sizes: pd.DataFrame
    compared: tuple[pd.DataFrame, ...]


def analyses(families: TablesByKind) -> Iterator[tuple[str, RegionsFound]]:
    """Yield what was measured in each analysis, with its name."""
    names = ("table_rebuilding", "rebuilt_cells", "rebuilt_sizes")
    rows, cells, sizes = (
        {name: tables.with_text(each) for name, each in families.get(kind, {}).items()}
        for kind in names
    )
    alike: dict[tuple[str, ...], list[pd.DataFrame]] = {}
    for each in rows.values():
        alike.setdefault(_tables(each), []).append(each)
    for name, own in rows.items():
        others = alike.pop(_tables(own), [])
        is_made = own["table"].iloc[0] != ""
        compared = tuple(others) if is_made and len(others) > 1 else ()
        yield name, RegionsFound(own, cells[name], sizes[name], compared)


def _tables(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return what is the same of analyses that differ in the protection alone."""
    made = rows[["table", "focal", "crossings", "known"]].iloc[0]
    return (*made, *rows["region"])


def figures(
    name: str, found: RegionsFound, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of one analysis."""
    rows = found.rows
    names, draw = ("table_rebuilding", name, "records"), partial(region_bars, rows)
    yield Undrawn.of_release(names, draw, rows.iloc[0], synthetic)


def _totals(rows: pd.DataFrame) -> dict[str, int]:
    """Return sums over all regions, of those columns that each region has."""
    known = rows.dropna(axis="columns")
    return {name: int(known[name].sum()) for name in known if name.startswith("n_")}


def region_bars(rows: pd.DataFrame, words: Words) -> str:
    """Draw records of all regions, those that are proved, and those rebuilt rightly."""
    totals = _totals(rows)
    bars = [
        Bar(
            words.say(f"table_rebuilding_{name}"),
            totals[name],
            words.numbers.count(totals[name]),
            colour,
        )
        for name, colour in _BARS.items()
        if name in totals
    ]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars))
        kept, values = _told(rows, words.numbers)
        found = words.say(f"table_rebuilding_found{kept}", **values)
        kind = ("table_rebuilding", "records")
        said = found, [f"{told(bars)}."]
        return analysis_svg(figure, kind, rows, said, words)


def part(found: RegionsFound, place: Place) -> Part:
    """Return the part of one analysis."""
    voice, rows, cells = place.voice, found.rows, found.cells
    return place.part(
        heading=_heading(rows, voice),
        measured=(_measured(rows, place),),
        body=(
            Sentences(tuple(_sentences(found, voice))),
            place.drawing("records", voice.say("table_rebuilding.caption_records")),
            *_compared(found.compared, voice),
            *_sizes(found.sizes, voice),
            _regions(rows, voice),
            *_needed(cells, voice),
        ),
        downloads=place.downloads("table_rebuilding", "rebuilt_cells", "rebuilt_sizes"),
    )


def _heading(rows: pd.DataFrame, voice: Voice) -> str:
    kind, told = _told(rows, voice.numbers)
    is_one = kind == "_unknown" and _totals(rows)["n_records_proved"] == 1
    return voice.say(
        f"table_rebuilding.heading{kind}{'_one' if is_one else ''}", **told
    )


def _told(rows: pd.DataFrame, numbers: Numbers) -> tuple[str, dict[str, str]]:
    """Return which of the sentences on all regions holds, and what it is told."""
    totals, chance = _totals(rows), rows["chance"].min()
    told = {name: numbers.count(count) for name, count in totals.items()}
    if chance < 1:
        return "_chance", {**told, "chance": numbers.share(chance)}
    return "" if "n_records" in totals else "_unknown", told


def _measured(rows: pd.DataFrame, place: Place) -> str:
    first = rows.iloc[0]
    return place.voice.say(
        f"table_rebuilding.measured{'_made' if first['table'] else ''}",
        analysis=place.analysis,
        table=first["table"],
        focal=first["focal"],
        protection=_protection(first, place.voice),
        n_tables=place.voice.numbers.count(int(rows["n_tables"].max())),
    )


def _protection(row: pd.Series, voice: Voice) -> str:
    """Say how tables are protected, with what."""
    if not row["method"]:
        return ""
    numbers = voice.numbers
    given = dict(each.split("=") for each in row["parameters"].split("|") if each)
    told = {"chance": numbers.share(row["chance"])}
    for name, value in given.items():
        if name == "epsilon":
            told[name] = epsilon_text(value, numbers)
        elif value.isdecimal():
            told[name] = numbers.count(int(value))
    said = voice.say(f"table_rebuilding.method_{row['method']}", **told)
    for name in ("times", "is_key_known"):
        if name in given:
            said = voice.say(f"table_rebuilding.method_{name}", method=said, **told)
    return said


def _sentences(found: RegionsFound, voice: Voice) -> Iterator[str]:
    """Yield what is known of cells and persons, and which tables tell."""
    totals = _totals(found.rows)
    yield from _of_cells(found.rows, totals, voice)
    yield from _of_persons(found.rows, totals, voice)
    yield from _compared_told(found, voice)
    yield from _needed_told(found, voice)


def _of_cells(
    rows: pd.DataFrame, totals: Mapping[str, int], voice: Voice
) -> Iterator[str]:
    """Yield how many cells are known, how surely, and how many databases fit."""
    numbers = voice.numbers
    yield voice.say(
        "table_rebuilding.cells",
        n_cells=numbers.count(totals["n_cells"]),
        n_proved=numbers.count(totals["n_cells_proved"]),
    )
    chance = rows["chance"].min()
    if chance < 1:
        yield voice.say(
            "table_rebuilding.chance",
            chance=numbers.share(chance),
            n_cells=numbers.count(totals["n_cells"]),
            n_wrong=numbers.count(totals["n_cells_wrong"]),
        )
    n_one = int(((rows["n_databases"] == 1) & (rows["is_all"] == "true")).sum())
    if n_one:
        yield voice.say(
            "table_rebuilding.one",
            n_one=numbers.count(n_one),
            n_regions=numbers.count(len(rows)),
        )
    if "n_right" in totals:
        yield voice.say(
            "table_rebuilding.right", n_right=numbers.count(totals["n_right"])
        )


def _of_persons(
    rows: pd.DataFrame, totals: Mapping[str, int], voice: Voice
) -> Iterator[str]:
    """Yield how many persons are found, and of how many a difference tells."""
    numbers, known = voice.numbers, rows.iloc[0]["known"]
    told = {name: numbers.count(count) for name, count in totals.items()}
    told["known"] = voice.known(known.split("|"))
    if "n_reidentified" in totals:
        yield voice.say("table_rebuilding.reidentified", **told)
    if "n_right_guessed" in totals:
        kind = "_known" if "n_reidentified_guessed" in totals else ""
        yield voice.say(f"table_rebuilding.guessed{kind}", **told)
    if "n_differenced" in totals:
        yield voice.say(
            "table_rebuilding.differenced",
            n_differenced=numbers.count(totals["n_differenced"]),
            n_records=numbers.count(totals["n_records"]),
        )


def _compared_told(found: RegionsFound, voice: Voice) -> Iterator[str]:
    """Yield what the same tables give away under other protections."""
    others = [_totals(each) for each in found.compared]
    if shares := [
        each["n_right"] / each["n_records"] for each in others[1:] if "n_right" in each
    ]:
        yield voice.say(
            "table_rebuilding.compared",
            least=voice.numbers.share(min(shares)),
            most=voice.numbers.share(max(shares)),
        )


def _needed_told(found: RegionsFound, voice: Voice) -> Iterator[str]:
    """Yield how many cells only several tables together prove."""
    has_records = found.cells["largest"] != 0
    for cells, kind in (
        (found.cells[has_records], "needed"),
        (found.cells[~has_records], "needed_empty"),
    ):
        needed = cells["n_needed"].dropna()
        if len(needed):
            yield voice.say(
                f"table_rebuilding.{kind}",
                n_several=voice.numbers.count(int((needed > 1).sum())),
                n_proved=voice.numbers.count(len(needed)),
            )


def _regions(rows: pd.DataFrame, voice: Voice) -> Grid:
    numbers = voice.numbers
    columns = ("region", "cells", "cells_proved", "records", "proved", "databases")
    shown = rows.sort_values("n_records_proved", ascending=False, kind="stable")
    return Grid(
        caption=voice.say("table_rebuilding.caption"),
        headings=voice.columns("table_rebuilding", *columns),
        rows=tuple(
            (
                row["region"] or NOTHING,
                numbers.count(row["n_cells"]),
                numbers.count(row["n_cells_proved"]),
                NOTHING
                if pd.isna(row["n_records"])
                else numbers.count(int(row["n_records"])),
                numbers.count(row["n_records_proved"]),
                numbers.count(row["n_databases"])
                if row["is_all"] == "true"
                else voice.say(
                    "table_rebuilding.at_least", n=numbers.count(row["n_databases"])
                ),
            )
            for _, row in shown.head(_MOST_SHOWN).iterrows()
        ),
    )


def _compared(compared: Sequence[pd.DataFrame], voice: Voice) -> Iterator[Grid]:
    """Yield what is left under each protection of the same tables, and of a guess."""
    if not compared:
        return
    totals = [_totals(rows) for rows in compared]
    columns = ("right", "records_proved", "reidentified", "reidentified_proved")
    guessed = ("right_guessed", "", "reidentified_guessed", "")
    labels = [_protection(rows.iloc[0], voice) for rows in compared]
    yield Grid(
        caption=voice.say("table_rebuilding.caption_compared"),
        headings=voice.columns(
            "table_rebuilding",
            "protection",
            "share_right",
            "share_proved",
            "share_reidentified",
            "share_reidentified_proved",
        ),
        rows=(
            *(
                (label, *_shares(of, columns, voice.numbers))
                for label, of in zip(labels, totals, strict=True)
            ),
            (
                voice.say("table_rebuilding.guess"),
                *_shares(totals[0], guessed, voice.numbers),
            ),
        ),
    )


def _shares(
    totals: Mapping[str, int], names: Sequence[str], numbers: Numbers
) -> Iterator[str]:
    """Yield shares of all records, where both are known."""
    n_records = totals.get("n_records")
    for name in names:
        count = totals.get(f"n_{name}")
        if count is None or not n_records:
            yield NOTHING
        else:
            yield numbers.share(count / n_records)


def _sizes(sizes: pd.DataFrame, voice: Voice) -> Iterator[Grid]:
    """Yield what is proved of the regions of each size, if it is asked for."""
    numbers = voice.numbers
    shares = (
        "share_proved",
        "share_right",
        "share_right_guessed",
        "share_reidentified",
        "share_reidentified_guessed",
    )
    over = voice.columns("table_rebuilding", "share_right", "share_reidentified")
    if len(sizes):
        yield Grid(
            caption=voice.say("table_rebuilding.caption_sizes"),
            headings=voice.columns(
                "table_rebuilding",
                *("size", "regions", "records", "share_proved"),
                *("from_tables", "by_guess", "from_tables", "by_guess"),
            ),
            over=tuple((each, 2) for each in over),
            rows=tuple(
                (
                    _size(row["size"], voice),
                    numbers.count(row["n_regions"]),
                    NOTHING
                    if pd.isna(row["n_records"])
                    else numbers.count(row["n_records"]),
                    *(
                        NOTHING if pd.isna(row[name]) else numbers.share(row[name])
                        for name in shares
                    ),
                )
                for _, row in sizes.iterrows()
            ),
        )


def _size(size: str, voice: Voice) -> str:
    """Put a size as `1000-9999` or `1000-` into words."""
    if not size:
        return NOTHING
    least, _, most = size.partition("-")
    told = voice.numbers.count(int(least))
    if not most:
        return voice.say("table_rebuilding.at_least", n=told)
    return f"{told}–{voice.numbers.count(int(most))}"


def _needed(cells: pd.DataFrame, voice: Voice) -> Iterator[Grid]:
    """Yield which tables prove how many cells together, if some are proved.

    No cell is shown: one that has a record is a person.
    """
    numbers = voice.numbers
    proved = cells[cells["n_needed"].notna()]
    if len(proved):
        by_tables = proved.groupby("tables")["least"].agg(["size", "sum"])
        shown = by_tables.sort_values("sum", ascending=False, kind="stable")
        columns = ("tables", "cells", "records")
        yield Grid(
            caption=voice.say("table_rebuilding.caption_needed"),
            headings=voice.columns("table_rebuilding", *columns),
            rows=tuple(
                (
                    names.replace("|", "\n"),
                    numbers.count(row["size"]),
                    numbers.count(row["sum"]),
                )
                for names, row in shown.head(_MOST_SHOWN).iterrows()
            ),
        )


def words(found: RegionsFound) -> tuple[str, ...]:
    """Name the words that a part uses."""
    guess = () if found.rows["table"].iloc[0] == "" else ("guess",)
    return ("proved", "databases", *guess, "certificate")


SHOWN = PartEach("table_rebuilding", analyses, figures, part, words)
