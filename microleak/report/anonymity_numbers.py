"""The numbers behind the figures of anonymity, as tables that the reader opens."""

from collections.abc import Iterator

import pandas as pd

from microleak.columns import ANONYMITY_THRESHOLDS
from microleak.figures.anonymity_below import highest_below, panel_title
from microleak.figures.anonymity_classes import bucket_name, drawn_histograms
from microleak.figures.anonymity_population import (
    Lines,
    estimated,
    k_map_lines,
    uniqueness_lines,
)
from microleak.figures.anonymity_rows import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    Measured,
)
from microleak.report.anonymity_cells import NOTHING, count, share
from microleak.report.parts import Grid
from microleak.report.texts import Voice


def folded_grids(found: Measured, voice: Voice) -> Iterator[Grid]:
    """Yield the numbers behind each figure, and the histograms that are not drawn."""
    yield _below(found, voice)
    yield from _histograms(found.histogram(K_ANONYMITY), "sizes", voice)
    yield from _histograms(found.histogram(K_ENTITIES), "entities", voice)
    for name in found.sensitive:
        yield from _histograms(found.histogram(L_DIVERSITY, name), "values", voice)
    yield from _histograms(found.histogram(K_MAP), "k_map", voice)
    if found.is_sample:
        yield _population(found, voice)


def _below(found: Measured, voice: Voice) -> Grid:
    words = voice.words(is_synthetic=False)
    highest = {
        panel_title(k, words): highest_below(found.blocks, k)
        for k in ANONYMITY_THRESHOLDS
    }
    return _of_sizes(highest, "below", voice)


def _population(found: Measured, voice: Voice) -> Grid:
    words = voice.words(is_synthetic=False)
    lines = dict(uniqueness_lines(found.worst(K_ANONYMITY), words))
    if found.has_population:
        lines = {**k_map_lines(found.worst(K_MAP), words), **lines}
    return _of_sizes(lines, "population", voice)


def _of_sizes(lines: Lines, kind: str, voice: Voice) -> Grid:
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
        headings=tuple(voice.say(f"anonymity.column_{name}") for name in columns),
        rows=tuple(_bucket(row, voice) for _, row in drawn.iterrows()),
        n_texts=2,
        is_folded=True,
    )


def _bucket(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    return (
        voice.numbers.count(row["n_qids"]),
        bucket_name(row["lower"], row["upper"], voice.numbers),
        count(row, "n_blocks", voice),
        share(row, "share_of_blocks", voice, row["n_records"] > 0),
        count(row, "n_records", voice),
        share(row, "share_of_records", voice, row["n_records"] > 0),
    )
