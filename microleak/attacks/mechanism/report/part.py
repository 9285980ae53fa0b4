"""What noise buys and costs where counts are published: a part of the page."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

import pandas as pd

from microleak.attacks.mechanism.figures import (
    intervals_of_samples,
    loss_and_utility,
    loss_of_pairs,
    privacy_against_utility,
)
from microleak.attacks.mechanism.report.sentences import (
    epsilon_of,
    heading,
    measured,
    measured_pairs,
    model_name,
    pairs_heading,
    pairs_sentences,
    sentences,
)
from microleak.attacks.mechanism.rows import (
    LOSS,
    MEASURES,
    UTILITY,
    Noisy,
    measure_text,
)
from microleak.figures.numbers import Words, epsilon_equals, epsilon_text
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import NOTHING, Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice

DRAW: dict[str, Callable[[Noisy, Words], str]] = {
    "epsilon": loss_and_utility,
    "tradeoff": privacy_against_utility,
    "samples": intervals_of_samples,
    "pairs": loss_of_pairs,
}
"""Figures by their kind, in the order of the page."""


def kinds(noisy: Noisy) -> tuple[str, ...]:
    """Return the kinds of figures that an analysis has."""
    if not noisy.has_count:
        return ("pairs",)
    return ("epsilon", "tradeoff", *(["samples"] if noisy.has_samples else []))


def noisy_counts(tables: TablesByKind) -> Iterator[tuple[str, Noisy]]:
    """Yield the tables of each analysis of noisy counts, with its name."""
    for name, mechanism in tables.get("mechanism", {}).items():
        further = (tables[table][name] for table in ("samples", "simulated", "pairs"))
        yield name, Noisy(mechanism, *further)


def mechanism_figures(
    name: str, noisy: Noisy, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of one analysis of noisy counts."""
    is_synthetic = (noisy.first["table"], noisy.first["focal"]) in synthetic
    for kind in kinds(noisy):
        names, draw = ("mechanism", name, kind), partial(DRAW[kind], noisy)
        yield Undrawn(names, draw, is_synthetic)


_SPREAD = (
    *("mean", "standard_error", "mean_low", "mean_high"),
    *("low", "median", "high"),
)
_FROM_ALL = (
    *("prior", "posterior", "privacy_loss", "utility", "absolute_error"),
    *("privacy_loss_limit", "privacy_loss_limit_printed"),
    *("utility_floor", "utility_floor_printed"),
    *("sensitive_from_useful", "useful_from_sensitive"),
)


def epsilon_grid(noisy: Noisy, voice: Voice) -> Grid:
    """Lay out privacy loss and utility as Table 6.5 does, a row an epsilon.

    Its theoretical minimum and maximum stand at the ends, and beside them those that
    the count can reach.
    """
    of_model = {model: noisy.of_model(model) for model in noisy.models}
    measures = [
        (
            epsilon_text(str(epsilon), voice.numbers),
            *(
                measure_text(rows.loc[epsilon, measure], voice.numbers)
                for rows in of_model.values()
                for measure in MEASURES
            ),
        )
        for epsilon in noisy.noises.index
    ]
    return Grid(
        caption=voice.say("mechanism.epsilon_caption"),
        headings=("ε", *_headings(noisy, voice)),
        rows=(*_least(noisy, voice), *measures, *_most(noisy, voice)),
    )


def _least(noisy: Noisy, voice: Voice) -> Iterator[tuple[str, ...]]:
    """Yield the rows of no privacy loss and the least utility."""
    for name, column in (
        ("least_printed", "utility_floor_printed"),
        ("least", "utility_floor"),
    ):
        utility = measure_text(noisy.first[column], voice.numbers)
        yield _bound(name, (measure_text(1, voice.numbers), utility), noisy, voice)


def _most(noisy: Noisy, voice: Voice) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the largest privacy loss and full utility."""
    for name, column in (
        ("most", "privacy_loss_limit"),
        ("most_printed", "privacy_loss_limit_printed"),
    ):
        loss = measure_text(noisy.first[column], voice.numbers)
        yield _bound(name, (loss, measure_text(1, voice.numbers)), noisy, voice)


def _bound(
    name: str, pair: tuple[str, str], noisy: Noisy, voice: Voice
) -> tuple[str, ...]:
    """Return a row that says the same of each mechanism."""
    return voice.say(f"mechanism.row_{name}"), *(pair * len(noisy.models))


def _headings(noisy: Noisy, voice: Voice) -> list[str]:
    return [
        voice.say(
            "mechanism.column_of_model",
            model=voice.say(f"figure.mechanism_short_{model}"),
            measure=voice.say(f"mechanism.column_{measure}"),
        )
        for model in noisy.models
        for measure in MEASURES
    ]


def error_grid(noisy: Noisy, voice: Voice) -> Grid:
    """Lay out how far the noisy count is from the real one, a row an epsilon."""
    of_model = [noisy.of_model(model)["absolute_error"] for model in noisy.models]
    names = (voice.say(f"figure.mechanism_short_{model}") for model in noisy.models)
    return Grid(
        caption=voice.say("mechanism.error_caption"),
        headings=("ε", *names),
        rows=tuple(
            (
                epsilon_text(str(epsilon), voice.numbers),
                *(voice.numbers.ratio(errors.loc[epsilon]) for errors in of_model),
            )
            for epsilon in noisy.noises.index
        ),
    )


def numbers_grid(noisy: Noisy, voice: Voice) -> Grid:
    """Lay out each number of the first mechanism beside its definition."""
    _, row = noisy.ends(noisy.models[0])
    texts = voice.texts["mechanism_numbers"]
    return Grid(
        caption=voice.say(
            "mechanism.numbers_caption",
            model=model_name(noisy.models[0], voice),
            epsilon=epsilon_of(row, voice),
        ),
        headings=voice.columns("mechanism", "name", "definition", "value"),
        rows=tuple(
            (
                texts[name]["term"],
                texts[name]["text"],
                voice.numbers.ratio(row[name])
                if name == "absolute_error"
                else measure_text(row[name], voice.numbers),
            )
            for name in _FROM_ALL
        ),
        n_texts=2,
    )


def samples_grid(noisy: Noisy, voice: Voice) -> Grid:
    """Lay out how each measure varies over random samples."""
    row = noisy.samples.iloc[0]
    return Grid(
        caption=voice.say(
            "mechanism.samples_caption",
            n_samples=voice.numbers.count(row["n_samples"]),
            n_sampled=voice.numbers.count(row["n_sampled"]),
        ),
        headings=("ε", *voice.columns("mechanism", "model", "measure", *_SPREAD)),
        rows=tuple(
            _sampled(each, (model, measure), voice)
            for model in noisy.models
            for measure in (LOSS, UTILITY)
            for _, each in noisy.of_samples(model, measure).iterrows()
        ),
        n_texts=3,
        is_folded=True,
    )


def _sampled(row: pd.Series, which: Sequence[str], voice: Voice) -> tuple[str, ...]:
    model, measure = which
    return (
        epsilon_text(str(row.name), voice.numbers),
        voice.say(f"figure.mechanism_short_{model}"),
        voice.say(f"mechanism.column_{measure}"),
        *(_spread_text(row[name], voice) for name in _SPREAD),
    )


def _spread_text(value: float, voice: Voice) -> str:
    """Write a number of samples, of which the ends of an interval may be none."""
    return NOTHING if pd.isna(value) else measure_text(value, voice.numbers)


def pairs_grid(noisy: Noisy, voice: Voice) -> Grid:
    """Lay out every pair of attributes with the median epsilon."""
    columns = (
        *("sensitive", "useful", "scenario", "errors", "errors_back"),
        *("prior", "posterior", "privacy_loss", "limit", "n_leaking"),
    )
    return Grid(
        caption=voice.say(
            "mechanism.pairs_caption",
            epsilon=epsilon_equals(noisy.middle, voice.numbers),
        ),
        headings=voice.columns("mechanism", *columns),
        rows=tuple(_pair(row, voice) for _, row in noisy.shown_pairs.iterrows()),
        n_texts=3,
        is_folded=True,
    )


def _pair(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    return (
        row["sensitive"],
        row["useful"],
        row["scenario"],
        numbers.share(row["sensitive_from_useful"]),
        numbers.share(row["useful_from_sensitive"]),
        measure_text(row["prior"], numbers),
        measure_text(row["posterior"], numbers),
        measure_text(row[LOSS], numbers),
        measure_text(row["privacy_loss_limit"], numbers),
        voice.say(
            "mechanism.leaking",
            n_leaking=numbers.count(row["n_leaking_counts"]),
            n_values=numbers.count(row["n_useful_values"]),
        ),
    )


def mechanism_part(noisy: Noisy, place: Place) -> Part:
    """Return the part of one analysis of noisy counts."""
    voice, is_count = place.voice, noisy.has_count
    told = sentences(noisy, voice) if is_count else pairs_sentences(noisy, voice)
    return place.part(
        kicker=f"kicker{'' if is_count else '_pairs'}",
        heading=(heading if is_count else pairs_heading)(noisy, voice),
        measured=(measured if is_count else measured_pairs)(noisy, voice),
        body=(
            Sentences(tuple(told)),
            *(
                place.drawing(kind, voice.say(f"mechanism.figure_{kind}"))
                for kind in kinds(noisy)
            ),
            *_grids(noisy, voice),
        ),
        downloads=place.downloads(*_tables(noisy)),
    )


def mechanism_words(noisy: Noisy) -> tuple[str, ...]:
    """Name the words that a part uses: of mechanisms its own, and of pairs theirs."""
    models = noisy.models or ["oblivious"]
    own = ["samples"] * noisy.has_samples if noisy.has_count else ["pairs"]
    return ("adversary", "epsilon", *models, "scenario", *own)


def _grids(noisy: Noisy, voice: Voice) -> Iterator[Grid]:
    if not noisy.has_count:
        yield pairs_grid(noisy, voice)
        return
    yield epsilon_grid(noisy, voice)
    yield error_grid(noisy, voice)
    yield numbers_grid(noisy, voice)
    if noisy.has_samples:
        yield samples_grid(noisy, voice)


def _tables(noisy: Noisy) -> Iterator[str]:
    """Name the tables of an analysis that have rows."""
    for name in ("mechanism", "samples", "simulated", "pairs"):
        if len(getattr(noisy, name)):
            yield name


SHOWN = PartEach(
    "mechanism", noisy_counts, mechanism_figures, mechanism_part, mechanism_words
)
