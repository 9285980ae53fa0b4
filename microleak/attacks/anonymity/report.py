"""How anonymous a table is by the usual models: a part of the page an analysis."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import ceil, floor

import pandas as pd

from microleak.attacks.anonymity.definitions.k_anonymity import THRESHOLDS
from microleak.attacks.anonymity.figures import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    AnonymityRows,
    SharesByName,
    before_population,
    bucket_name,
    drawn_histograms,
    estimated,
    highest_below,
    k_map_lines,
    measured,
    panel_title,
    records_below,
    uniqueness_lines,
    value_histograms,
)
from microleak.figures.numbers import Words, written
from microleak.report.drawn import Undrawn, of_attribute
from microleak.report.families import EachAnalysis, TableReleases, main_release
from microleak.report.parts import NOTHING, Grid, GridColumn, Place
from microleak.report.texts import Voice
from microleak.tables import rows as tables

BELOW, SIZES, VALUES, POPULATION = "below", "sizes", "values", "population"
_TOLD = 5  # The k that is told in a heading

_SHOWN = {
    "k_anonymity": K_ANONYMITY,
    "n_below_5": K_ANONYMITY,
    "n_unsafe_combinations_5": K_ANONYMITY,
    "n_sample_unique": K_ANONYMITY,
    "posterior_unique": K_ANONYMITY,
    "k_anonymity_entities": K_ENTITIES,
    "l_distinct": L_DIVERSITY,
    "l_entropy": L_DIVERSITY,
    "recursive_c_2": L_DIVERSITY,
    "t_equal": L_DIVERSITY,
    "t_ordered": L_DIVERSITY,
    "k_map": K_MAP,
    "delta_presence_max": K_MAP,
    "delta_presence_min": K_MAP,
}
"""Numbers whose meaning is told, and by which model a subset is the worst."""

WriteRow = Callable[[pd.Series], str]  # Writes one cell of a row


def anonymity_kinds(found: AnonymityRows) -> Iterator[tuple[str, str]]:
    """Yield the kinds of figures, in the order of the page."""
    # Each has the sensitive attribute that it is of, or none. That before the
    # population is there only where its size is known, and something can be said of who
    # is unique.
    yield BELOW, ""
    yield SIZES, ""
    for name in found.sensitive:
        yield VALUES, name
    if found.tells_of_population:
        yield POPULATION, ""


def _drawings(found: AnonymityRows) -> dict[str, Callable[[AnonymityRows, Words], str]]:
    return {
        of_attribute(kind, name): partial(_draw, kind, name)
        for kind, name in anonymity_kinds(found)
    }


def _draw(kind: str, sensitive: str, found: AnonymityRows, words: Words) -> str:
    if kind == BELOW:
        return records_below(found.blocks, words)
    if kind == SIZES:
        return value_histograms(found.histogram(K_ANONYMITY), words)
    if kind == VALUES:
        return value_histograms(found.histogram(L_DIVERSITY, sensitive), words)
    return before_population(found.worst(K_MAP), found.worst(K_ANONYMITY), words)


def _caption(found: AnonymityRows, named: str, place: Place) -> str:
    kinds = {of_attribute(*each): each for each in anonymity_kinds(found)}
    kind, sensitive = kinds[named]
    is_estimated = kind == POPULATION and not found.has_population
    key = ("bounds" if found.has_bounds else "estimate") if is_estimated else kind
    return place.say(f"caption_{key}", sensitive=sensitive)


def _number(row: pd.Series, column: str, place: Place, how: str = "") -> str:
    """Write a number, as of l or t, or that there is none."""
    if pd.isna(row[column]):
        is_bound = column.startswith("recursive_c")
        return place.say("no_c") if is_bound else NOTHING
    if column == "posterior_unique":
        return _expected_share(row, place)
    # A distance is none of the shares that it is as large as.
    how = "ratio" if column.startswith("t_") else how
    return written(column, row[column], place.voice, how)


def _with_share(row: pd.Series, counted: str, shared: str, place: Place) -> str:
    return place.say("of", n=row[counted], share=row[shared])


def _records(row: pd.Series, column: str, place: Place) -> str:
    """Write a number of records with its noun, as in `1 record`."""
    n = row[column]
    return place.say(f"records_{'one' if n == 1 else 'many'}", n=n)


def headed(found: AnonymityRows) -> pd.Series:
    """Return the row that the heading is of: the largest of the worst subsets."""
    # With entities it is the worst of their model.
    return found.worst(K_ENTITIES if found.has_entities else K_ANONYMITY).iloc[-1]


def _heading(found: AnonymityRows, place: Place) -> str:
    """Write k, and how many records violate 5-anonymity, with most attributes known."""
    # With entities it is said of them, as their rows count together (Google).
    kind, what = ("_entities", "entities") if found.has_entities else ("", "records")
    row, below = headed(found), f"{kind[1:]}_below_{_TOLD}".lstrip("_")
    return place.say(
        f"heading{kind}_{_state(row, f'n_{below}')}",
        row,
        k=place.say("k_known", k=row[f"k_anonymity{kind}"]),
        n=row[f"n_{below}"],
        total=row[f"n_{what}"],
        share=row[f"share_{below}"],
    )


def _state(row: pd.Series, counted: str) -> str:
    return "none" if row[counted] == 0 else "some"


def _measured(found: AnonymityRows, place: Place) -> Iterator[str]:
    blocks, voice = found.blocks, place.voice
    row = blocks.iloc[0]
    largest = int(blocks["n_qids"].max())
    yield place.say(
        "measured",
        row,
        panel=row["focal"],
        records=_records(row, "n_records", place),
        combinations=voice.combinations(len(blocks), largest),
    )
    yield place.known(tables.all_qids(blocks))
    if found.sensitive:
        names = voice.listing(map(voice.explained, found.sensitive))
        yield voice.say("page.measured_inferred", names=names)


def _sentences(found: AnonymityRows, place: Place) -> Iterator[str]:
    """Write what each model finds, with most attributes known."""
    # A model's worst subset need not be the heading's; where it is another one, its
    # sentences name it.
    if found.has_entities:
        row = found.worst(K_ENTITIES).iloc[-1]
        below = _below_each(row, "entities_below", place)
        yield place.say("known_entities", row, below=below)
    row = found.worst(K_ANONYMITY).iloc[-1]
    known = place.say("known", row, below=_below_each(row, "below", place))
    if found.has_entities:
        k = place.say("k_known", k=row["k_anonymity"])
        known = place.say("known_beside", k=k, known=known)
    yield known
    yield _alone(found.blocks, place)
    for name in found.sensitive:
        row = found.worst(L_DIVERSITY, name).iloc[-1]
        yield from _named(row, [_values(found, name, place)], found, place)
    if found.has_population:
        row = found.worst(K_MAP).iloc[-1]
        yield from _named(row, _population(row, place), found, place)
    row = found.worst(K_ANONYMITY).iloc[-1]
    if pd.notna(row["k_map"]):
        yield from _named(row, _uniques(row, place), found, place)
    elif pd.notna(row["k_map_most"]):
        yield from _named(row, [place.say("bounded", row)], found, place)
    if found.uniqueness is not None:
        row = found.uniqueness.iloc[0]
        yield from _named(row, [_uniques_expected(row, place)], found, place)


def told_by_counts(rows: pd.DataFrame, speaker: Voice) -> Iterator[str]:
    """Write what published counts say of the largest subset of an analysis."""
    row = rows[rows["sensitive"] == ""].iloc[-1]
    place = Place("anonymity", "", {}, speaker)
    if pd.notna(row["k_map"]):
        yield from _population(row, place)
        yield from _uniques(row, place)
    elif pd.notna(row["k_map_most"]):
        yield place.say("bounded", row)


def _below_each(row: pd.Series, below: str, place: Place) -> str:
    return place.voice.listing(
        _with_share(row, f"n_{below}_{k}", f"share_{below}_{k}", place)
        for k in THRESHOLDS
    )


def _named(
    row: pd.Series, sentences: Iterable[str], found: AnonymityRows, place: Place
) -> Iterator[str]:
    """Yield sentences about a row, which name its subset if it is another one."""
    is_headed = row["qids"] == headed(found)["qids"]
    for said in sentences:
        yield said if is_headed else place.say("another", row, sentence=said)


def _alone(blocks: pd.DataFrame, place: Place) -> str:
    """Write with how few attributes a record is alone, if it is known."""
    # That fewer do not suffice is said only where all of fewer were measured.
    some = blocks[blocks["n_below_2"] > 0]
    if len(some):
        fewest = some[some["n_qids"] == some["n_qids"].min()]
        row = fewest.loc[fewest["n_below_2"].idxmax()]
        fewer = {*blocks["n_qids"][blocks["n_qids"] < row["n_qids"]]}
        is_first = fewer == {*range(1, int(row["n_qids"]))}
        return place.say("falls_first" if is_first else "falls", row)
    row = blocks.sort_values("k_anonymity", kind="stable").iloc[0]
    return place.say("holds", row, k=place.say("k_known", k=row["k_anonymity"]))


def _values(found: AnonymityRows, sensitive: str, place: Place) -> str:
    row = found.worst(L_DIVERSITY, sensitive).iloc[-1]
    buckets = found.histogram(L_DIVERSITY, sensitive)
    lowest = buckets[buckets["qids"] == row["qids"]].iloc[0]
    is_one = lowest["lower"] == 1 and lowest["n_records"] > 0
    return place.say(
        f"values_{'one' if is_one else 'many'}",
        row,
        t=_number(row, "t_equal", place),
        n=lowest["n_records"],
        records=lowest["share_of_records"],
    )


def _population(row: pd.Series, place: Place) -> Iterator[str]:
    population = _records(row, "n_population", place)
    key = f"k_map_{_state(row, 'n_below_k_map_5')}"
    yield place.say(key, row, population=population)
    yield place.say(f"k_map_{'zero' if row['k_map'] == 0 else 'least'}", row)
    if row[["delta_presence_min", "delta_presence_max"]].notna().all():
        yield place.say("presence", row)


def _uniques(row: pd.Series, place: Place) -> Iterator[str]:
    """Write how many sample uniques are unique in a population that is at hand."""
    if row["n_sample_unique"] == 0:
        yield place.say("unique_nobody")
        return
    both = row["n_unique_both"]
    said = place.say("of", n=both, share=both / row["n_sample_unique"])
    yield place.say("unique_both", row, both=said)
    if pd.notna(row["posterior_unique"]):
        yield _estimate("estimate_beside", row, place)


def _uniques_expected(row: pd.Series, place: Place) -> str:
    """Write how many are expected to be so in another one, by table `uniqueness`."""
    if row["n_sample_unique"] == 0:
        return place.say("unique_nobody")
    low, high = row["n_unique_both_low"], row["n_unique_both_high"]
    if pd.isna(low):
        spread = place.say("spread_unknown")
    else:
        spread = place.say("spread_known", low=floor(low), high=ceil(high))
    return _estimate("estimate", row, place, spread=spread)


def _estimate(key: str, row: pd.Series, place: Place, **said: str) -> str:
    expected = round(row["n_sample_unique"] * row["posterior_unique"])
    share = _expected_share(row, place)
    return place.say(key, row, expected=expected, share=share, **said)


def _expected_share(row: pd.Series, place: Place) -> str:
    return estimated(row["posterior_unique"], place.voice.words(is_synthetic=False))


def _grids(found: AnonymityRows, place: Place) -> Iterator[Grid]:
    yield from _worst_grids(found, place)
    yield _meanings_grid(found, place)
    yield from _folded_grids(found, place)


def _worst_grids(found: AnonymityRows, place: Place) -> Iterator[Grid]:
    """Yield the worst subset of each size by every model that applies."""
    # Without l and t of an attribute where none of them may be published.
    cells = _of_blocks("k_anonymity", "below", place)
    yield _worst_grid(found.worst(K_ANONYMITY), "k", cells, place)
    if found.has_entities:
        cells = _of_blocks("k_anonymity_entities", "entities_below", place)
        yield _worst_grid(found.worst(K_ENTITIES), "entities", cells, place)
    for name in found.sensitive:
        worst = found.worst(L_DIVERSITY, name)
        if worst["l_distinct"].notna().any():
            yield _worst_grid(worst, "values", _of_values(worst, place), place)
    if found.has_population:
        worst = found.worst(K_MAP)
        yield _worst_grid(worst, "k_map", _of_population(worst, place), place)


def _worst_grid(
    worst: pd.DataFrame, subject: str, cells: Mapping[str, WriteRow], place: Place
) -> Grid:
    names = place.voice.attribute
    return Grid(
        caption=place.say(f"worst_{subject}", worst.iloc[0]),
        headings=(*place.voice.columns("anonymity", "n_qids", "qids"), *cells),
        rows=tuple(
            (
                place.voice.numbers.count(row["n_qids"]),
                ", ".join(map(names, tables.qids_of(row))),
                *(write(row) for write in cells.values()),
            )
            for _, row in worst.iterrows()
        ),
        n_texts=2,
    )


def _below(kind: str, columns: str, place: Place) -> Iterator[tuple[str, WriteRow]]:
    for k in THRESHOLDS:
        counted, shared = f"n_{columns}_{k}", f"share_{columns}_{k}"
        write = partial(_with_share, counted=counted, shared=shared, place=place)
        yield place.say(f"column_{kind}", k=k), write


def _cells(heading: str, column: str, place: Place, **said: str) -> dict[str, WriteRow]:
    above = place.say(f"column_{heading}", **said)
    return {above: partial(_number, column=column, place=place)}


def _of_blocks(k: str, below: str, place: Place) -> dict[str, WriteRow]:
    return _cells("k", k, place) | dict(_below(below, below, place))


def _of_values(worst: pd.DataFrame, place: Place) -> dict[str, WriteRow]:
    cells = _cells("l_distinct", "l_distinct", place)
    cells |= _cells("l_entropy", "l_entropy", place)
    for l_value in ("2", "3"):
        cells |= _cells("recursive", f"recursive_c_{l_value}", place, l=l_value)
    for name in ("t_equal", "t_ordered"):
        if len(measured(worst, name)):
            cells |= _cells(name, name, place)
    return cells


def _of_population(worst: pd.DataFrame, place: Place) -> dict[str, WriteRow]:
    cells = _cells("k_map", "k_map", place)
    cells |= _below("k_map_below", "below_k_map", place)
    for end in ("min", "max"):
        column = f"delta_presence_{end}"
        if worst[column].notna().any():
            cells |= _cells(f"delta_{end}", column, place)
    return cells


def _meanings_grid(found: AnonymityRows, place: Place) -> Grid:
    """Return each number with its definition, source, and namesakes in other tools."""
    # Values are those of the worst subset of the largest size. A number that does not
    # apply is left out.
    rows = [
        {**place.voice.texts["anonymity_numbers"][name], "value": value}
        for name in _SHOWN
        if (value := _value(found, name, place))
    ]
    columns = ("measure=name", "value", "meaning=text", "tools")
    largest = {"n_qids": int(found.blocks["n_qids"].max())}
    return place.grid(
        pd.DataFrame(rows), columns, "caption_of_meanings", largest, n_texts=4
    )


def _value(found: AnonymityRows, name: str, place: Place) -> str:
    model = _SHOWN[name]
    if model != L_DIVERSITY:
        worst = found.worst(model)
        how = "count" if name.startswith("n_") else ""
        is_there = len(measured(worst, name)) > 0
        return _number(worst.iloc[-1], name, place, how) if is_there else ""
    several = []
    for sensitive in found.sensitive:
        worst = found.worst(model, sensitive)
        if len(measured(worst, name)) or name == "recursive_c_2":
            value = _number(worst.iloc[-1], name, place)
            several.append((place.voice.attribute(sensitive), value))
    if len(several) == 1:
        return several[0][1]
    return "; ".join(f"{attribute}: {value}" for attribute, value in several)


def _folded_grids(found: AnonymityRows, place: Place) -> Iterator[Grid]:
    """Yield the numbers behind each figure, and the histograms that are not drawn."""
    words = place.voice.words(is_synthetic=False)
    highest = {
        panel_title(k, words): highest_below(found.blocks, k) for k in THRESHOLDS
    }
    yield _of_sizes(highest, "below", place)
    yield from _histograms(found.histogram(K_ANONYMITY), "sizes", place)
    yield from _histograms(found.histogram(K_ENTITIES), "entities", place)
    for name in found.sensitive:
        yield from _histograms(found.histogram(L_DIVERSITY, name), "values", place)
    yield from _histograms(found.histogram(K_MAP), "k_map", place)
    if found.tells_of_population:
        lines = dict(uniqueness_lines(found.worst(K_ANONYMITY), words))
        if found.has_population:
            lines = {**k_map_lines(found.worst(K_MAP), words), **lines}
        yield _of_sizes(lines, "population", place)


def _of_sizes(lines: SharesByName, kind: str, place: Place) -> Grid:
    """Return shares by number of QIDs, a column for each line of a figure."""
    words = place.voice.words(is_synthetic=False)
    sizes = sorted({int(size) for shares in lines.values() for size in shares.index})

    def share(shares: pd.Series, size: int) -> str:
        return estimated(shares[size], words) if size in shares.index else NOTHING

    return Grid(
        caption=place.say(f"numbers_{kind}"),
        headings=(place.say("column_n_qids"), *lines),
        rows=tuple(
            (
                place.voice.numbers.count(size),
                *(share(shares, size) for shares in lines.values()),
            )
            for size in sizes
        ),
        is_folded=True,
    )


def _histograms(classes: pd.DataFrame, kind: str, place: Place) -> Iterator[Grid]:
    """Yield the buckets of each drawn size, as Google's risk analysis prints them."""
    if classes.empty:
        return
    numbers = place.voice.numbers
    what = "entities" if kind == "entities" else "records"
    columns: list[GridColumn] = [
        "n_qids",
        ("bucket", lambda row: bucket_name(row["lower"], row["upper"], numbers)),
        *("n_blocks", "share_of_blocks"),
        *(f"n_{what}=n_records", f"share_of_{what}=share_of_records"),
    ]
    drawn = pd.concat(drawn_histograms(classes).values())
    key = f"numbers_{kind}"
    yield place.grid(drawn, columns, key, missing=NOTHING, n_texts=2, is_folded=True)


class _AnonymityShown(EachAnalysis):
    """As any family; who a population is, its tables do not name."""

    def drawn(
        self, name: str, found: AnonymityRows, synthetic: TableReleases
    ) -> Iterator[Undrawn]:
        # So figures of one are marked wherever a release of the study is made up.
        for each in super().drawn(name, found, synthetic):
            is_of_others = each.names[-1] == POPULATION and found.has_population
            is_synthetic = each.is_synthetic or (is_of_others and bool(synthetic))
            yield replace(each, is_synthetic=is_synthetic)


SHOWN = _AnonymityShown(
    "anonymity",
    tables=("anonymity", "classes", "uniqueness"),
    found=AnonymityRows,
    heading=_heading,
    measured=_measured,
    drawings=_drawings,
    caption=_caption,
    releases=lambda found: main_release(found.rows),
    sentences=_sentences,
    grids=_grids,
)
