"""What was found of a table's anonymity, in sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from microleak.attacks.anonymity.definitions.k_anonymity import THRESHOLDS
from microleak.attacks.anonymity.definitions.population_uniqueness import MODELS
from microleak.attacks.anonymity.report.grids import (
    count,
    estimate,
    k_said,
    number,
    part,
    qids_said,
    records_said,
    share,
)
from microleak.attacks.anonymity.rows import (
    K_ANONYMITY,
    K_ENTITIES,
    K_MAP,
    L_DIVERSITY,
    AnonymityRows,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_TOLD = 5
"""The k that is told in a heading."""


@dataclass(frozen=True)
class _Units:
    """Of what blocks are made, by the names of its columns."""

    heading: str  # Beginning of the headings' keys
    model: str  # By which model a subset is the worst
    k: str  # Column of the smallest block
    total: str  # Column of how many there are
    below: str  # Middle of the columns of those in small blocks


_RECORDS = _Units("heading", K_ANONYMITY, "k_anonymity", "n_records", "below")
_ENTITIES = _Units(
    "heading_entities",
    K_ENTITIES,
    "k_anonymity_entities",
    "n_entities",
    "entities_below",
)


def headed(found: AnonymityRows) -> pd.Series:
    """Return the row that the heading is of: the largest of the worst subsets.

    With entities it is the worst of their model.
    """
    return found.worst(_units(found).model).iloc[-1]


def heading(found: AnonymityRows, voice: Voice) -> str:
    """Say k, and how many records violate 5-anonymity, with most attributes known.

    With entities it is said of them, as their rows count together (Google).
    """
    units, row = _units(found), headed(found)
    counted = f"n_{units.below}_{_TOLD}"
    return voice.say(
        f"anonymity.{units.heading}_{state(row, counted)}",
        attributes=voice.attributes(int(row["n_qids"])),
        k=k_said(row, units.k, voice),
        n=count(row, counted, voice),
        total=count(row, units.total, voice),
        share=share(row, f"share_{units.below}_{_TOLD}", voice),
    )


def state(row: pd.Series, counted: str) -> str:
    """Say which sentence a count allows: of some, or of none."""
    return "none" if row[counted] == 0 else "some"


def known_entities(row: pd.Series, voice: Voice) -> str:
    """Say what an entity's block is, and how many entities are in small ones."""
    return voice.say(
        "anonymity.known_entities",
        qids=qids_said(row, voice),
        below=_listed(row, _ENTITIES, voice),
        n_entities=count(row, "n_entities", voice),
    )


def known_records(row: pd.Series, voice: Voice, is_beside: bool) -> str:
    """Say what a block is, and how many records are in small ones.

    Beside entities, of which the heading tells k, k of the records is told, too.
    """
    known = voice.say(
        "anonymity.known",
        qids=qids_said(row, voice),
        below=_listed(row, _RECORDS, voice),
        n_records=count(row, "n_records", voice),
    )
    if is_beside:
        k = k_said(row, "k_anonymity", voice)
        return voice.say("anonymity.known_beside", k=k, known=known)
    return known


def alone(blocks: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Say with how few attributes a record is alone, if it is known.

    That fewer do not suffice is said only where all of fewer were measured.
    """
    some = blocks[blocks["n_below_2"] > 0]
    if len(some):
        fewest = some[some["n_qids"] == some["n_qids"].min()]
        row = fewest.loc[fewest["n_below_2"].idxmax()]
        fewer = {*blocks["n_qids"][blocks["n_qids"] < row["n_qids"]]}
        is_first = fewer == {*range(1, int(row["n_qids"]))}
        key = "falls_first" if is_first else "falls"
    else:
        key, row = "holds", blocks.sort_values("k_anonymity", kind="stable").iloc[0]
    yield voice.say(
        f"anonymity.{key}",
        attributes=voice.number_known(tables.qids_of(row)),
        qids=qids_said(row, voice),
        k=k_said(row, "k_anonymity", voice),
        n=count(row, "n_below_2", voice),
        n_records=count(row, "n_records", voice),
    )


def _units(found: AnonymityRows) -> _Units:
    return _ENTITIES if found.has_entities else _RECORDS


def _listed(row: pd.Series, units: _Units, voice: Voice) -> str:
    return voice.listing(
        part(row, f"n_{units.below}_{k}", f"share_{units.below}_{k}", voice)
        for k in THRESHOLDS
    )


def estimates(found: AnonymityRows, voice: Voice) -> Iterator[str]:
    """Say which share of the sample uniques is unique in the population, too.

    Without sample uniques nobody is.
    """
    row = found.worst(K_ANONYMITY).iloc[-1]
    if row["n_sample_unique"] == 0:
        yield voice.say("anonymity.unique_nobody")
        return
    n_unique = count(row, "n_sample_unique", voice)
    if pd.notna(row["n_unique_both"]):
        both, unique = row["n_unique_both"], row["n_sample_unique"]
        share_both = voice.numbers.share(both / unique)
        said = voice.say("anonymity.of", n=voice.numbers.count(both), share=share_both)
        yield voice.say("anonymity.unique_both", n_unique=n_unique, both=said)
    written = _written(row, voice)
    if not written:
        return
    yield voice.say(
        f"anonymity.estimates_{'beside' if found.has_population else 'alone'}",
        n_population=count(row, "n_population", voice),
        n_unique=n_unique,
        estimated=_estimated(written, voice),
    )


def _written(row: pd.Series, voice: Voice) -> dict[str, str]:
    """Write the estimate of each model that has one, in ascending order."""
    said = {model: row[f"posterior_unique_{model}"] for model in MODELS}
    known = [model for model, chance in said.items() if pd.notna(chance)]
    return {
        model: estimate(row, f"posterior_unique_{model}", voice)
        for model in sorted(known, key=said.__getitem__)
    }


def _estimated(written: Mapping[str, str], voice: Voice) -> str:
    """Write between which estimates the models are, and which of them these are.

    Where several agree, as they are written, none is named.
    """
    ascending = [_named(value, written, voice) for value in written.values()]
    if len(ascending) == 1:
        return ascending[0]
    kind = "range" if len({*written.values()}) > 1 else "same"
    return voice.say(
        f"anonymity.estimated_{kind}",
        lowest=ascending[0],
        highest=ascending[-1],
    )


def _named(value: str, written: Mapping[str, str], voice: Voice) -> str:
    """Write an estimate with its model, without if several have the same."""
    models = [model for model, text in written.items() if text == value]
    if len(models) > 1:
        return value
    name = voice.say(f"figure.anonymity_{models[0]}")
    return voice.say("anonymity.estimated_one", value=value, model=name)


def measured(found: AnonymityRows, voice: Voice) -> Iterator[str]:
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


def sentences(found: AnonymityRows, voice: Voice) -> Iterator[str]:
    """Say what each model finds, with most attributes known.

    A model's worst subset need not be the heading's; where it is another one, its
    sentences name it.
    """
    if found.has_entities:
        yield known_entities(found.worst(K_ENTITIES).iloc[-1], voice)
    yield known_records(found.worst(K_ANONYMITY).iloc[-1], voice, found.has_entities)
    yield from alone(found.blocks, voice)
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


def _of(row: pd.Series, sentence: str, found: AnonymityRows, voice: Voice) -> str:
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


def _values(found: AnonymityRows, sensitive: str, voice: Voice) -> str:
    row = found.worst(L_DIVERSITY, sensitive).iloc[-1]
    buckets = found.histogram(L_DIVERSITY, sensitive)
    lowest = buckets[buckets["qids"] == row["qids"]].iloc[0]
    is_one = lowest["lower"] == 1 and lowest["n_records"] > 0
    return voice.say(
        f"anonymity.values_{'one' if is_one else 'many'}",
        sensitive=voice.attribute(sensitive),
        l=number(row, "l_distinct", voice),
        t=number(row, "t_equal", voice),
        n=count(lowest, "n_records", voice),
        records=share(lowest, "share_of_records", voice),
    )


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
    key = "zero" if row["k_map"] == 0 else "least"
    yield voice.say(f"anonymity.k_map_{key}", k_map=count(row, "k_map", voice))
    if row[["delta_presence_min", "delta_presence_max"]].notna().all():
        low, high = (
            share(row, f"delta_presence_{end}", voice) for end in ("min", "max")
        )
        yield voice.say("anonymity.presence", low=low, high=high)
