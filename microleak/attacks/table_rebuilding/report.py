"""What tables of counts prove: a part of the page an analysis."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.numbers import Words
from microleak.figures.svg import BLUE, GREY, VERMILION, analysis_svg, plain_style
from microleak.report.families import EachAnalysis, main_release
from microleak.report.parts import NOTHING, Grid, Place, TablesByKind

_BARS = {"n_records": GREY, "n_records_proved": BLUE, "n_right": VERMILION}
"""What is drawn, in this order, and in which colour."""

_MOST_SHOWN = 20
"""Rows of a grid, at most."""

_SHARES = ("right", "records_proved", "reidentified", "reidentified_proved")
_GUESSED = ("right_guessed", "", "reidentified_guessed", "")
"""Of what the same tables give away, under protections and by a guess alone."""

_OF_COMPARED = (
    *("protection", "share_right:share", "share_proved=share_records_proved:share"),
    *("share_reidentified:share", "share_reidentified_proved:share"),
)


class _RegionsProved(NamedTuple):
    """What is proved in an analysis: of regions, of cells, of regions of each size."""

    rows: pd.DataFrame
    cells: pd.DataFrame
    sizes: pd.DataFrame
    # Regions of all analyses that differ in the protection alone
    compared: tuple[pd.DataFrame, ...] = ()


class _RebuildingShown(EachAnalysis):
    """As any family; the first of analyses to compare has what all of them found."""

    def analyses(self, tables: TablesByKind) -> Iterator[tuple[str, _RegionsProved]]:
        every = [*super().analyses(tables)]
        alike: dict[tuple[str, ...], list[pd.DataFrame]] = {}
        for _, found in every:
            alike.setdefault(_tables(found.rows), []).append(found.rows)
        for name, found in every:
            others = alike.pop(_tables(found.rows), [])
            is_made = found.rows["table"].iloc[0] != ""
            compared = tuple(others) if is_made and len(others) > 1 else ()
            yield name, found._replace(compared=compared)


def _tables(rows: pd.DataFrame) -> tuple[str, ...]:
    """Return what is the same of analyses that differ in the protection alone."""
    made = rows[["table", "focal", "crossings", "known"]].iloc[0]
    return (*made, *rows["region"])


def _totals(rows: pd.DataFrame) -> dict[str, int]:
    known = rows.dropna(axis="columns")
    return {name: int(known[name].sum()) for name in known if name.startswith("n_")}


def region_bars(rows: pd.DataFrame, words: Words) -> str:
    """Draw records of all regions, those that are proved, and those rebuilt rightly."""
    totals, count = _totals(rows), words.numbers.count
    bars = [
        Bar(words.say(f"table_rebuilding_{n}"), totals[n], count(totals[n]), colour)
        for n, colour in _BARS.items()
        if n in totals
    ]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars))
        kept, values = _told(rows)
        found = words.say(f"table_rebuilding_found{kept}", values)
        kind = ("table_rebuilding", "records")
        said = found, [f"{told(bars)}."]
        return analysis_svg(figure, kind, rows, said, words)


def _told(rows: pd.DataFrame) -> tuple[str, Mapping[str, Any]]:
    totals, chance = _totals(rows), float(rows["chance"].min())
    if chance < 1:
        return "_chance", {**totals, "chance": chance}
    return "" if "n_records" in totals else "_unknown", totals


def _heading(found: _RegionsProved, place: Place) -> str:
    kind, told = _told(found.rows)
    one = "_one" if kind == "_unknown" and told["n_records_proved"] == 1 else ""
    return place.say(f"heading{kind}{one}", told)


def _measured(found: _RegionsProved, place: Place) -> Iterator[str]:
    rows, first = found.rows, found.rows.iloc[0]
    yield place.say(
        f"measured{'_made' if first['table'] else ''}",
        first,
        protection=_protection(first, place),
        n_tables=int(rows["n_tables"].max()),
    )


def _protection(row: pd.Series, place: Place) -> str:
    if not row["method"]:
        return ""
    given = dict(each.split("=") for each in row["parameters"].split("|") if each)
    told: dict[str, Any] = {
        name: int(text) if text.isdecimal() and name != "epsilon" else text
        for name, text in given.items()
    }
    told["chance"] = row["chance"]
    said = place.say(f"method_{row['method']}", told)
    for name in ("times", "is_key_known"):
        if name in given:
            said = place.say(f"method_{name}", told, method=said)
    return said


def _sentences(found: _RegionsProved, place: Place) -> Iterator[str]:
    totals = _totals(found.rows)
    yield from _of_cells(found.rows, totals, place)
    yield from _of_persons(found.rows, totals, place)
    others = [_totals(each) for each in found.compared][1:]
    if shares := [e["n_right"] / e["n_records"] for e in others if "n_right" in e]:
        yield place.say("compared", least=min(shares), most=max(shares))
    has_records = found.cells["largest"] != 0
    for cells, kind in ((has_records, "needed"), (~has_records, "needed_empty")):
        needed = found.cells.loc[cells, "n_needed"].dropna()
        if len(needed):
            n_several = int((needed > 1).sum())
            yield place.say(kind, n_several=n_several, n_proved=len(needed))


def _of_cells(
    rows: pd.DataFrame, totals: Mapping[str, int], place: Place
) -> Iterator[str]:
    yield place.say("cells", totals)
    if rows["chance"].min() < 1:
        yield place.say("chance", totals, chance=float(rows["chance"].min()))
    is_one = (rows["n_databases"] == 1) & (rows["is_all"] == "true")
    if n_one := int(is_one.sum()):
        yield place.say("one", n_one=n_one, n_regions=len(rows))
    if "n_right" in totals:
        yield place.say("right", totals)


def _of_persons(
    rows: pd.DataFrame, totals: Mapping[str, int], place: Place
) -> Iterator[str]:
    known = rows.iloc[0]["known"]
    if "n_reidentified" in totals:
        yield place.say("reidentified", totals, known=known)
    if "n_right_guessed" in totals:
        kind = "_known" if "n_reidentified_guessed" in totals else ""
        yield place.say(f"guessed{kind}", totals, known=known)
    if "n_differenced" in totals:
        yield place.say("differenced", totals)


def _grids(found: _RegionsProved, place: Place) -> Iterator[Grid]:
    if found.compared:
        rows = pd.DataFrame(_compared(found.compared, place))
        yield place.grid(rows, _OF_COMPARED, "caption_compared", missing=NOTHING)
    if len(found.sizes):
        yield _sizes(found.sizes, place)
    columns = (
        ("region", lambda row: row["region"] or NOTHING),
        *("n_cells", "n_cells_proved", "n_records", "n_records_proved"),
        ("databases", lambda row: _databases(row, place)),
    )
    rows = found.rows.sort_values("n_records_proved", ascending=False, kind="stable")
    yield place.grid(rows.head(_MOST_SHOWN), columns, missing=NOTHING)
    yield from _needed(found.cells, place)


def _databases(row: pd.Series, place: Place) -> str:
    n = place.voice.numbers.count(row["n_databases"])
    return n if row["is_all"] == "true" else place.say("at_least", n=n)


def _compared(
    compared: tuple[pd.DataFrame, ...], place: Place
) -> Iterator[dict[str, Any]]:
    """Yield what is left under each protection of the same tables, and of a guess."""
    for rows in compared:
        label = _protection(rows.iloc[0], place)
        yield {"protection": label, **_shares(_totals(rows), _SHARES)}
    guessed = _shares(_totals(compared[0]), _GUESSED)
    yield {"protection": place.say("guess"), **guessed}


def _shares(totals: Mapping[str, int], names: tuple[str, ...]) -> dict[str, Any]:
    """Return shares of all records, where both are known, by what is compared."""
    n_records = totals.get("n_records")
    counts = (totals.get(f"n_{name}") for name in names)
    shares = (n / n_records if n is not None and n_records else None for n in counts)
    return {f"share_{to}": share for to, share in zip(_SHARES, shares, strict=True)}


def _sizes(sizes: pd.DataFrame, place: Place) -> Grid:
    columns = (
        ("size", lambda row: _size(row["size"], place)),
        *("n_regions", "n_records", "share_proved"),
        *("from_tables=share_right", "by_guess=share_right_guessed"),
        *("from_tables=share_reidentified", "by_guess=share_reidentified_guessed"),
    )
    both = (place.say(f"column_share_{name}") for name in ("right", "reidentified"))
    over = tuple((each, 2) for each in both)
    return place.grid(sizes, columns, "caption_sizes", missing=NOTHING, over=over)


def _size(size: str, place: Place) -> str:
    if not size:
        return NOTHING
    least, _, most = size.partition("-")
    told = place.voice.numbers.count(int(least))
    if not most:
        return place.say("at_least", n=told)
    return f"{told}–{place.voice.numbers.count(int(most))}"


def _needed(cells: pd.DataFrame, place: Place) -> Iterator[Grid]:
    # No cell is shown: one that has a record is a person.
    proved = cells[cells["n_needed"].notna()]
    if len(proved):
        by_tables = proved.groupby("tables")["least"].agg(["size", "sum"])
        rows = by_tables.sort_values("sum", ascending=False, kind="stable")
        tables = ("tables", lambda row: row["tables"].replace("|", "\n"))
        columns = (tables, "n_cells=size:count", "n_records=sum:count")
        shown = rows.head(_MOST_SHOWN).reset_index()
        yield place.grid(shown, columns, "caption_needed")


def _words(found: _RegionsProved) -> tuple[str, ...]:
    is_made = found.rows["table"].iloc[0] != ""
    return ("proved", "databases", *["guess"] * is_made, "certificate")


SHOWN = _RebuildingShown(
    "table_rebuilding",
    tables=("table_rebuilding", "rebuilt_cells", "rebuilt_sizes"),
    found=_RegionsProved,
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"records": lambda found, words: region_bars(found.rows, words)},
    releases=lambda found: main_release(found.rows),
    sentences=_sentences,
    grids=_grids,
    words=_words,
)
