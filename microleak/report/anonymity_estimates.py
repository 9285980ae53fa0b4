"""How many sample uniques are population uniques: counted, and as models estimate."""

from collections.abc import Iterator, Mapping

import pandas as pd

from microleak.columns import UNIQUENESS_MODELS
from microleak.figures.anonymity_rows import K_ANONYMITY, Measured, is_suppressed
from microleak.report.anonymity_cells import count, estimate
from microleak.report.texts import Voice


def estimates(found: Measured, voice: Voice) -> Iterator[str]:
    """Say which share of the sample uniques is unique in the population, too.

    Nothing without sample uniques, or where their number is suppressed.
    """
    row = found.worst(K_ANONYMITY).iloc[-1]
    if pd.isna(row["n_sample_unique"]) or row["n_sample_unique"] == 0:
        return
    n_unique = count(row, "n_sample_unique", voice)
    if pd.notna(row["n_unique_both"]):
        both = _counted(row, voice)
        yield voice.say("anonymity.unique_both", n_unique=n_unique, both=both)
    written = _written(row, voice)
    if not written:
        return
    yield voice.say(
        f"anonymity.estimates_{'beside' if found.has_population else 'alone'}",
        n_population=count(row, "n_population", voice),
        n_unique=n_unique,
        estimated=_estimated(written, _has_hidden(row), voice),
    )


def _counted(row: pd.Series, voice: Voice) -> str:
    """Write how many are alone in both tables, of exact counts with their share."""
    both, unique = row["n_unique_both"], row["n_sample_unique"]
    number = voice.numbers.count(both)
    if voice.numbers.is_published:
        return number
    return voice.say("anonymity.of", n=number, share=voice.numbers.share(both / unique))


def _written(row: pd.Series, voice: Voice) -> dict[str, str]:
    """Write the estimate of each model that has one, in ascending order."""
    said = {model: row[f"posterior_unique_{model}"] for model in UNIQUENESS_MODELS}
    known = [model for model, chance in said.items() if pd.notna(chance)]
    return {
        model: estimate(row, f"posterior_unique_{model}", voice)
        for model in sorted(known, key=said.__getitem__)
    }


def _has_hidden(row: pd.Series) -> bool:
    """Say whether the estimate of a model is suppressed."""
    columns = (f"posterior_unique_{model}" for model in UNIQUENESS_MODELS)
    return any(is_suppressed(row, column) for column in columns)


def _estimated(written: Mapping[str, str], has_hidden: bool, voice: Voice) -> str:
    """Write between which estimates the models are, and which of them these are.

    Where several agree, as they are written, none is named.
    """
    ascending = [_named(value, written, voice) for value in written.values()]
    if len(ascending) == 1:
        return ascending[0]
    kind = "range" if len({*written.values()}) > 1 else "same"
    return voice.say(
        f"anonymity.estimated_{kind}{'_published' if has_hidden else ''}",
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
