"""Tables of the page on anonymity: worst subsets, estimates, behind the figures."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import pandas as pd

from microleak.attacks.anonymity.definitions.k_anonymity import THRESHOLDS
from microleak.attacks.anonymity.definitions.population_uniqueness import MODELS
from microleak.attacks.anonymity.figures import (
    SharesByName,
    bucket_name,
    drawn_histograms,
    estimated,
    highest_below,
    k_map_lines,
    panel_title,
    uniqueness_lines,
)
from microleak.attacks.anonymity.rows import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    AnonymityRows,
    measured,
)
from microleak.report.parts import NOTHING, Grid
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def count(row: pd.Series, column: str, voice: Voice) -> str:
    """Write a count, of records or people."""
    return NOTHING if pd.isna(row[column]) else voice.numbers.count(row[column])


def share(row: pd.Series, column: str, voice: Voice) -> str:
    """Write a share or chance as a percentage."""
    if pd.isna(row[column]):
        return NOTHING
    return voice.numbers.share(row[column])


def part(row: pd.Series, counted: str, shared: str, voice: Voice) -> str:
    """Write a count with its share in brackets."""
    return voice.say(
        "anonymity.of",
        n=count(row, counted, voice),
        share=voice.numbers.share(row[shared]),
    )


def number(row: pd.Series, column: str, voice: Voice) -> str:
    """Write a number that is no share, as l or t."""
    return NOTHING if pd.isna(row[column]) else voice.numbers.ratio(row[column])


def bound(row: pd.Series, column: str, voice: Voice) -> str:
    """Write the bound of a recursive c, or that no c will do."""
    if pd.isna(row[column]):
        return voice.say("anonymity.no_c")
    return number(row, column, voice)


def estimate(row: pd.Series, column: str, voice: Voice) -> str:
    """Write an estimated chance, which far below a percent says that it is small."""
    if pd.isna(row[column]):
        return share(row, column, voice)
    return estimated(row[column], voice.words(is_synthetic=False))


def k_said(row: pd.Series, column: str, voice: Voice) -> str:
    """Write k as an equation."""
    return voice.say("anonymity.k_known", k=voice.numbers.count(row[column]))


def qids_said(row: pd.Series, voice: Voice) -> str:
    """Name a row's quasi-identifiers in words."""
    return voice.known(tables.qids_of(row))


def records_said(row: pd.Series, column: str, voice: Voice) -> str:
    """Write a number of records with its noun, as in `1 record`."""
    key = f"anonymity.records_{'one' if row[column] == 1 else 'many'}"
    return voice.say(key, n=count(row, column, voice))


WriteValue = Callable[[pd.Series, str, Voice], str]

_WRITTEN: dict[str, tuple[str, WriteValue]] = {
    "k_anonymity": (K_ANONYMITY, count),
    "n_below_5": (K_ANONYMITY, count),
    "n_unsafe_combinations_5": (K_ANONYMITY, count),
    "n_sample_unique": (K_ANONYMITY, count),
    "k_anonymity_entities": (K_ENTITIES, count),
    "l_distinct": (L_DIVERSITY, number),
    "l_entropy": (L_DIVERSITY, number),
    "recursive_c_2": (L_DIVERSITY, bound),
    "t_equal": (L_DIVERSITY, number),
    "t_ordered": (L_DIVERSITY, number),
    "k_map": (K_MAP, count),
    "k_map_estimated": (K_ANONYMITY, number),
    "delta_presence_estimated": (K_ANONYMITY, share),
    "delta_presence_max": (K_MAP, share),
    "delta_presence_min": (K_MAP, share),
}
"""Of each column, by which model a subset is the worst, and how it is written."""


def meanings_grid(found: AnonymityRows, voice: Voice) -> Grid:
    """Return each number with its definition, source, and namesakes in other tools.

    Values are those of the worst subset of the largest size. A number that does not
    apply is left out.
    """
    columns = ("measure", "value", "meaning", "tools")
    largest = voice.attributes(int(found.blocks["n_qids"].max()))
    rows = [
        (
            voice.texts["meanings"][name]["name"],
            value,
            voice.texts["meanings"][name]["text"],
            voice.texts["meanings"][name]["tools"],
        )
        for name in _WRITTEN
        if (value := _value(found, name, voice))
    ]
    return Grid(
        caption=voice.say("anonymity.meanings_caption", attributes=largest),
        headings=voice.columns("anonymity", *columns),
        rows=tuple(rows),
        n_texts=len(columns),
    )


def _value(found: AnonymityRows, name: str, voice: Voice) -> str:
    """Write a number, of each sensitive attribute if it is of them; empty if none."""
    model, write = _WRITTEN[name]
    if model != L_DIVERSITY:
        worst = found.worst(model)
        is_there = len(measured(worst, name)) > 0
        return write(worst.iloc[-1], name, voice) if is_there else ""
    several = []
    for sensitive in found.sensitive:
        worst = found.worst(model, sensitive)
        if len(measured(worst, name)) or name == "recursive_c_2":
            written = write(worst.iloc[-1], name, voice)
            several.append((voice.attribute(sensitive), written))
    if len(several) == 1:
        return several[0][1]
    return "; ".join(f"{attribute}: {value}" for attribute, value in several)


WriteRow = Callable[[pd.Series], str]
"""Writes one cell of a row."""


def worst_grids(found: AnonymityRows, voice: Voice) -> Iterator[Grid]:
    """Yield the worst subset of each size by every model that applies.

    Without l and t of an attribute where none of them may be published.
    """
    yield _grid(
        found.worst(K_ANONYMITY), "k", _of_blocks("k_anonymity", "below", voice), voice
    )
    if found.has_entities:
        of_entities = _of_blocks("k_anonymity_entities", "entities_below", voice)
        yield _grid(found.worst(K_ENTITIES), "entities", of_entities, voice)
    for name in found.sensitive:
        worst = found.worst(L_DIVERSITY, name)
        if worst["l_distinct"].notna().any():
            yield _grid(worst, "values", _of_values(worst, voice), voice)
    if found.has_population:
        worst = found.worst(K_MAP)
        yield _grid(worst, "k_map", _of_population(worst, voice), voice)


def models_grid(found: AnonymityRows, voice: Voice) -> Grid:
    """Return what each model says of sample uniques, and before it the truth.

    Of the worst subset of the largest size.
    """
    row = found.worst(K_ANONYMITY).iloc[-1]
    columns = ("model", "assumes", "posterior_unique", "posterior_match", "expected")
    rows = [_model(row, name, voice) for name in MODELS]
    if found.has_population:
        rows.insert(0, _truth(row, voice))
    return Grid(
        caption=voice.say(
            "anonymity.models_caption",
            attributes=voice.number_known(tables.qids_of(row)),
            qids=qids_said(row, voice),
            n_unique=count(row, "n_sample_unique", voice),
            n_records=count(row, "n_records", voice),
        ),
        headings=voice.columns("anonymity", *columns),
        rows=tuple(rows),
        n_texts=2,
    )


def uniqueness_grid(rows: pd.DataFrame, voice: Voice) -> Grid:
    """Return what models of single cells say, with weights and published margins."""
    row = rows.iloc[0]
    columns = ("model", "assumes", "posterior_unique", "posterior_match", "expected")
    return Grid(
        caption=voice.say(
            "anonymity.uniqueness_caption",
            qids=qids_said(row, voice),
            n_unique=count(row, "n_sample_unique", voice),
            n_population=count(row, "n_population", voice),
        ),
        headings=voice.columns("anonymity", *columns),
        rows=tuple(
            (
                voice.say(f"figure.anonymity_{each['model']}"),
                voice.say(f"anonymity.cells_{each['model']}"),
                estimate(each, "posterior_unique", voice),
                estimate(each, "posterior_match", voice),
                voice.numbers.count(round(each["n_unique_both"])),
            )
            for _, each in rows.iterrows()
        ),
        n_texts=2,
    )


def _grid(
    worst: pd.DataFrame, subject: str, cells: Mapping[str, WriteRow], voice: Voice
) -> Grid:
    sensitive = str(worst["sensitive"].iloc[0])
    return Grid(
        caption=voice.say(
            f"anonymity.worst_{subject}", sensitive=voice.explained(sensitive)
        ),
        headings=(*voice.columns("anonymity", "size", "qids"), *cells),
        rows=tuple(
            (
                voice.numbers.count(row["n_qids"]),
                ", ".join(map(voice.attribute, tables.qids_of(row))),
                *(write(row) for write in cells.values()),
            )
            for _, row in worst.iterrows()
        ),
        n_texts=2,
    )


def _below(kind: str, columns: str, voice: Voice) -> Iterator[tuple[str, WriteRow]]:
    """Yield the heading and cells of the records, or entities, below each k."""
    for k in THRESHOLDS:
        heading = voice.say(f"anonymity.column_{kind}", k=voice.numbers.count(k))
        counted, shared = f"n_{columns}_{k}", f"share_{columns}_{k}"
        yield heading, partial(part, counted=counted, shared=shared, voice=voice)


def _cells(
    heading: str, write: WriteValue, column: str, voice: Voice, **said: str
) -> dict[str, WriteRow]:
    """Return how the cells of a column are written, by what stands above them."""
    above = voice.say(f"anonymity.column_{heading}", **said)
    return {above: lambda row: write(row, column, voice)}


def _of_blocks(k: str, below: str, voice: Voice) -> dict[str, WriteRow]:
    return _cells("k", count, k, voice) | dict(_below(below, below, voice))


def _of_values(worst: pd.DataFrame, voice: Voice) -> dict[str, WriteRow]:
    cells: dict[str, WriteRow] = {}
    for name in ("l_distinct", "l_entropy"):
        cells |= _cells(name, number, name, voice)
    for l_value in ("2", "3"):
        cells |= _cells("recursive", bound, f"recursive_c_{l_value}", voice, l=l_value)
    for name in ("t_equal", "t_ordered"):
        if len(measured(worst, name)):
            cells |= _cells(name, number, name, voice)
    return cells


def _of_population(worst: pd.DataFrame, voice: Voice) -> dict[str, WriteRow]:
    cells = _cells("k_map", count, "k_map", voice)
    cells |= _below("k_map_below", "below_k_map", voice)
    for end in ("min", "max"):
        column = f"delta_presence_{end}"
        if worst[column].notna().any():
            cells |= _cells(f"delta_{end}", share, column, voice)
    return cells


def _model(row: pd.Series, name: str, voice: Voice) -> tuple[str, ...]:
    return (
        voice.say(f"figure.anonymity_{name}"),
        voice.say(f"anonymity.assumes_{name}"),
        estimate(row, f"posterior_unique_{name}", voice),
        estimate(row, f"posterior_match_{name}", voice),
        _expected(row, f"posterior_unique_{name}", voice),
    )


def _expected(row: pd.Series, column: str, voice: Voice) -> str:
    """Write how many sample uniques are expected to be population uniques."""
    if pd.isna(row[column]):
        return NOTHING
    return voice.numbers.count(round(row["n_sample_unique"] * row[column]))


def _truth(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    both, unique = row["n_unique_both"], row["n_sample_unique"]
    return (
        voice.say("anonymity.model_truth"),
        voice.say("anonymity.assumes_truth"),
        voice.numbers.share(both / unique) if unique > 0 else NOTHING,
        NOTHING,
        count(row, "n_unique_both", voice),
    )


def folded_grids(found: AnonymityRows, voice: Voice) -> Iterator[Grid]:
    """Yield the numbers behind each figure, and the histograms that are not drawn."""
    yield _numbers_below(found, voice)
    yield from _histograms(found.histogram(K_ANONYMITY), "sizes", voice)
    yield from _histograms(found.histogram(K_ENTITIES), "entities", voice)
    for name in found.sensitive:
        yield from _histograms(found.histogram(L_DIVERSITY, name), "values", voice)
    yield from _histograms(found.histogram(K_MAP), "k_map", voice)
    if found.is_sample:
        yield _population(found, voice)


def _numbers_below(found: AnonymityRows, voice: Voice) -> Grid:
    words = voice.words(is_synthetic=False)
    highest = {
        panel_title(k, words): highest_below(found.blocks, k) for k in THRESHOLDS
    }
    return _of_sizes(highest, "below", voice)


def _population(found: AnonymityRows, voice: Voice) -> Grid:
    words = voice.words(is_synthetic=False)
    lines = dict(uniqueness_lines(found.worst(K_ANONYMITY), words))
    if found.has_population:
        lines = {**k_map_lines(found.worst(K_MAP), words), **lines}
    return _of_sizes(lines, "population", voice)


def _of_sizes(lines: SharesByName, kind: str, voice: Voice) -> Grid:
    """Return shares by number of QIDs, a column for each line of a figure."""
    sizes = sorted({int(size) for shares in lines.values() for size in shares.index})
    return Grid(
        caption=voice.say(f"anonymity.numbers_{kind}"),
        headings=(voice.say("anonymity.column_size"), *lines),
        rows=tuple(
            (
                voice.numbers.count(size),
                *(_share(shares, size, voice) for shares in lines.values()),
            )
            for size in sizes
        ),
        is_folded=True,
    )


def _share(shares: pd.Series, size: int, voice: Voice) -> str:
    if size not in shares.index:
        return NOTHING
    return estimated(shares[size], voice.words(is_synthetic=False))


def _histograms(classes: pd.DataFrame, kind: str, voice: Voice) -> Iterator[Grid]:
    """Yield the buckets of each drawn size, as Google's risk analysis prints them."""
    if classes.empty:
        return
    drawn = pd.concat(drawn_histograms(classes).values())
    of_persons = "entities" if kind == "entities" else "records"
    counts = ("blocks", "share_of_blocks", of_persons, f"share_of_{of_persons}")
    columns = ("size", "bucket", *counts)
    sensitive = str(drawn["sensitive"].iloc[0])
    yield Grid(
        caption=voice.say(
            f"anonymity.numbers_{kind}", sensitive=voice.explained(sensitive)
        ),
        headings=voice.columns("anonymity", *columns),
        rows=tuple(_bucket(row, voice) for _, row in drawn.iterrows()),
        n_texts=2,
        is_folded=True,
    )


def _bucket(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    return (
        voice.numbers.count(row["n_qids"]),
        bucket_name(row["lower"], row["upper"], voice.numbers),
        count(row, "n_blocks", voice),
        share(row, "share_of_blocks", voice),
        count(row, "n_records", voice),
        share(row, "share_of_records", voice),
    )
