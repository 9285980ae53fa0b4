"""What was found of a table's anonymity, in sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures import tables
from microleak.figures.anonymity_rows import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    Measured,
)
from microleak.report.anonymity_below import (
    alone,
    headed,
    known_entities,
    known_records,
    state,
)
from microleak.report.anonymity_cells import (
    count,
    number,
    qids_said,
    records_said,
    share,
)
from microleak.report.anonymity_estimates import estimates
from microleak.report.texts import Voice


def measured(found: Measured, voice: Voice) -> Iterator[str]:
    """Say of which table what was measured, and which attributes are known."""
    row = found.blocks.iloc[0]
    yield voice.say(
        "anonymity.measured",
        analysis=found.analysis,
        table=row["table"],
        panel=row["focal"],
        records=records_said(row, "n_records", voice),
        combinations=_combinations(found.blocks, voice),
    )
    names = map(voice.explained, tables.all_qids(found.blocks))
    yield voice.say("page.measured_known", names=voice.listing(names))
    if found.sensitive:
        names = map(voice.explained, found.sensitive)
        yield voice.say("page.measured_inferred", names=voice.listing(names))


def sentences(found: Measured, voice: Voice) -> Iterator[str]:
    """Say what each model finds, with most attributes known.

    A model's worst subset need not be the heading's; where it is another one, its
    sentences name it.
    """
    yield from _blocks(found, voice)
    for name in found.sensitive:
        row = found.worst(L_DIVERSITY, name).iloc[-1]
        yield _of(row, _values(found, name, voice), found, voice)
    if found.has_population:
        row = found.worst(K_MAP).iloc[-1]
        for sentence in _population(row, voice):
            yield _of(row, sentence, found, voice)
    if found.is_sample:
        row = found.worst(K_ANONYMITY).iloc[-1]
        for sentence in estimates(found, voice):
            yield _of(row, sentence, found, voice)


def _blocks(found: Measured, voice: Voice) -> Iterator[str]:
    """Say how many entities, if there are any, and records are in small blocks."""
    if found.has_entities:
        yield known_entities(found.worst(K_ENTITIES).iloc[-1], voice)
    row = found.worst(K_ANONYMITY).iloc[-1]
    known = known_records(row, voice, found.has_entities)
    if voice.numbers.is_published:
        known = f"{known} {voice.say('anonymity.rounded')}"
    yield known
    yield from alone(found.blocks, voice)


def _of(row: pd.Series, sentence: str, found: Measured, voice: Voice) -> str:
    """Return a sentence about a row, which names its subset if it is another one."""
    if row["qids"] == headed(found)["qids"]:
        return sentence
    qids = qids_said(row, voice)
    return voice.say("anonymity.another", sentence=sentence, qids=qids)


def _combinations(blocks: pd.DataFrame, voice: Voice) -> str:
    key = "combinations_one" if len(blocks) == 1 else "combinations_many"
    return voice.say(
        f"page.{key}",
        n_subsets=voice.numbers.count(len(blocks)),
        attributes=voice.attributes(int(blocks["n_qids"].max())),
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
        records=share(lowest, "share_of_records", voice),
    )


def _values_known(row: pd.Series, lowest: pd.Series) -> str:
    """Say which sentence l, t and the lowest bucket of values allow."""
    is_one = lowest["lower"] == 1 and pd.notna(lowest["n_records"])
    is_one = is_one and lowest["n_records"] > 0
    if row[["l_distinct", "t_equal"]].isna().any():
        return "hidden_one" if is_one else "hidden"
    return "one" if is_one else "many"


def _population(row: pd.Series, voice: Voice) -> Iterator[str]:
    """Say how many records fit few of the population, k-map and delta-presence."""
    below = "n_below_k_map_5"
    yield voice.say(
        f"anonymity.k_map_{state(row, below)}",
        population=records_said(row, "n_population", voice),
        share=share(row, "share_below_k_map_5", voice),
        n=count(row, below, voice),
        n_records=count(row, "n_records", voice),
    )
    if pd.notna(row["k_map"]):
        key = "zero" if row["k_map"] == 0 else "least"
        yield voice.say(f"anonymity.k_map_{key}", k_map=count(row, "k_map", voice))
    if row[["delta_presence_min", "delta_presence_max"]].notna().all():
        low, high = (
            share(row, f"delta_presence_{end}", voice) for end in ("min", "max")
        )
        yield voice.say("anonymity.presence", low=low, high=high)
