"""What was found of a table's anonymity, in sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.columns import ANONYMITY_THRESHOLDS, UNIQUENESS_MODELS
from microleak.figures import tables
from microleak.figures.anonymity_rows import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    Measured,
)
from microleak.report.anonymity_cells import count, estimate, number, part
from microleak.report.anonymity_cells import share as share_cell
from microleak.report.texts import Voice

_TOLD = 5
"""The k that is told in a sentence."""


def heading(found: Measured, voice: Voice) -> str:
    """Say k, and how many records violate 5-anonymity, with most attributes known."""
    row = found.worst(K_ANONYMITY).iloc[-1]
    return voice.say(
        f"anonymity.heading_{_state(row, f'n_below_{_TOLD}')}",
        attributes=voice.attributes(int(row["n_qids"])),
        k=_k(row, "k_anonymity", voice),
        n=count(row, f"n_below_{_TOLD}", voice),
        n_records=count(row, "n_records", voice),
        share=share_cell(row, f"share_below_{_TOLD}", voice),
    )


def measured(found: Measured, voice: Voice) -> Iterator[str]:
    """Say of which table what was measured, and which attributes are known."""
    row = found.blocks.iloc[0]
    yield voice.say(
        "page.measured_table",
        analysis=found.analysis,
        table=row["table"],
        panel=row["focal"],
        n_records=count(row, "n_records", voice),
        combinations=_combinations(found.blocks, voice),
    )
    names = map(voice.explained, tables.all_qids(found.blocks))
    yield voice.say("page.measured_known", names=", ".join(names))
    if found.sensitive:
        names = map(voice.explained, found.sensitive)
        yield voice.say("page.measured_inferred", names=", ".join(names))


def sentences(found: Measured, voice: Voice) -> Iterator[str]:
    """Say what each model finds, with most attributes known."""
    yield _known(found.worst(K_ANONYMITY).iloc[-1], voice)
    yield from _alone(found.blocks, voice)
    if found.has_entities:
        yield from _entities(found.worst(K_ENTITIES).iloc[-1], voice)
    for name in found.sensitive:
        yield _values(found, name, voice)
    if found.has_population:
        yield from _population(found, voice)
    if found.is_sample:
        yield from _estimates(found, voice)


def qids_said(row: pd.Series, voice: Voice) -> str:
    """Name a row's quasi-identifiers in words."""
    return voice.listing(map(voice.attribute, tables.qids_of(row)))


def _k(row: pd.Series, column: str, voice: Voice) -> str:
    if pd.isna(row[column]):
        return voice.say("anonymity.k_few")
    return voice.say("anonymity.k_known", k=voice.numbers.count(row[column]))


def _combinations(blocks: pd.DataFrame, voice: Voice) -> str:
    key = "combinations_one" if len(blocks) == 1 else "combinations_many"
    return voice.say(
        f"page.{key}",
        n_subsets=voice.numbers.count(len(blocks)),
        attributes=voice.attributes(int(blocks["n_qids"].max())),
    )


def _state(row: pd.Series, count_column: str) -> str:
    """Say which sentence a count allows: of some, of none, or that it is hidden."""
    if pd.isna(row[count_column]):
        return "unpublished"
    return "none" if row[count_column] == 0 else "some"


def _known(row: pd.Series, voice: Voice) -> str:
    counts = [
        part(row, f"n_below_{k}", f"share_below_{k}", voice)
        for k in ANONYMITY_THRESHOLDS
    ]
    return voice.say(
        "anonymity.known",
        qids=qids_said(row, voice),
        below=voice.listing(counts),
        n_records=count(row, "n_records", voice),
    )


def _alone(blocks: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Say with how few attributes a record is alone, if it is known."""
    alone = blocks[blocks["n_below_2"].fillna(0) > 0]
    if len(alone):
        fewest = alone[alone["n_qids"] == alone["n_qids"].min()]
        key, row = "falls", fewest.loc[fewest["n_below_2"].idxmax()]
    elif (blocks["n_below_2"].fillna(1) == 0).all():
        # Published, a k that is missing is the lowest.
        lowest = blocks.sort_values("k_anonymity", na_position="first", kind="stable")
        key, row = "holds", lowest.iloc[0]
    else:
        return
    yield voice.say(
        f"anonymity.{key}",
        attributes=voice.attributes(int(row["n_qids"])),
        qids=qids_said(row, voice),
        k=_k(row, "k_anonymity", voice),
        n=count(row, "n_below_2", voice),
        n_records=count(row, "n_records", voice),
    )


def _entities(row: pd.Series, voice: Voice) -> Iterator[str]:
    below = f"n_entities_below_{_TOLD}"
    if pd.isna(row[below]):
        return
    yield voice.say(
        f"anonymity.entities{'_none' if row[below] == 0 else ''}",
        k=_k(row, "k_anonymity_entities", voice),
        share=share_cell(row, f"share_entities_below_{_TOLD}", voice),
        n=count(row, below, voice),
        n_entities=count(row, "n_entities", voice),
    )


def _values(found: Measured, sensitive: str, voice: Voice) -> str:
    row = found.worst(L_DIVERSITY, sensitive).iloc[-1]
    buckets = found.histogram(L_DIVERSITY, sensitive)
    lowest = buckets[buckets["qids"] == row["qids"]].iloc[0]
    return voice.say(
        f"anonymity.values_{_values_known(row, lowest)}",
        sensitive=voice.attribute(sensitive),
        l=number(row, "l_distinct", voice),
        t=number(row, "t_equal", voice),
        n=count(lowest, "n_records", voice),
        records=share_cell(lowest, "share_of_records", voice),
    )


def _values_known(row: pd.Series, lowest: pd.Series) -> str:
    """Say which sentence l, t and the lowest bucket of values allow."""
    is_one = lowest["lower"] == 1 and pd.notna(lowest["n_records"])
    is_one = is_one and lowest["n_records"] > 0
    if row[["l_distinct", "t_equal"]].isna().any():
        return "hidden_one" if is_one else "hidden"
    return "one" if is_one else "many"


def _population(found: Measured, voice: Voice) -> Iterator[str]:
    row = found.worst(K_MAP).iloc[-1]
    below = f"n_below_k_map_{_TOLD}"
    yield voice.say(
        f"anonymity.k_map_{_state(row, below)}",
        n_population=count(row, "n_population", voice),
        share=share_cell(row, f"share_below_k_map_{_TOLD}", voice),
        n=count(row, below, voice),
        n_records=count(row, "n_records", voice),
    )
    if pd.notna(row["k_map"]):
        key = "zero" if row["k_map"] == 0 else "least"
        yield voice.say(f"anonymity.k_map_{key}", k_map=count(row, "k_map", voice))
    if row[["delta_presence_min", "delta_presence_max"]].notna().all():
        low, high = (
            share_cell(row, f"delta_presence_{end}", voice) for end in ("min", "max")
        )
        yield voice.say("anonymity.presence", low=low, high=high)


def _estimates(found: Measured, voice: Voice) -> Iterator[str]:
    """Say how many sample uniques are so in the population: counted, estimated."""
    row = found.worst(K_ANONYMITY).iloc[-1]
    n_unique = count(row, "n_sample_unique", voice)
    if pd.isna(row["n_sample_unique"]) or row["n_sample_unique"] == 0:
        return
    if pd.notna(row["n_unique_both"]):
        n_both = count(row, "n_unique_both", voice)
        yield voice.say("anonymity.unique_both", n_unique=n_unique, n_both=n_both)
    said = {model: row[f"posterior_unique_{model}"] for model in UNIQUENESS_MODELS}
    known = {model: chance for model, chance in said.items() if pd.notna(chance)}
    if not known:
        return
    ascending = sorted(known, key=known.__getitem__)
    low, high = ascending[0], ascending[-1]
    yield voice.say(
        f"anonymity.estimates_{'beside' if found.has_population else 'alone'}",
        n_population=count(row, "n_population", voice),
        n_unique=n_unique,
        lowest=estimate(row, f"posterior_unique_{low}", voice),
        lowest_model=voice.say(f"figure.anonymity_{low}"),
        highest=estimate(row, f"posterior_unique_{high}", voice),
        highest_model=voice.say(f"figure.anonymity_{high}"),
    )
