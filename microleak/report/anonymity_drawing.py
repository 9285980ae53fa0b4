"""Which figures an analysis of anonymity has, and how they are called."""

from collections.abc import Collection, Iterator, Sequence

from microleak.figures import tables
from microleak.figures.anonymity_below import records_below
from microleak.figures.anonymity_classes import value_histograms
from microleak.figures.anonymity_population import before_population
from microleak.figures.anonymity_rows import (
    K_ANONYMITY,
    K_MAP,
    L_DIVERSITY,
    Measured,
)
from microleak.figures.words import Words
from microleak.report.drawing import file_name
from microleak.report.parts import Rows
from microleak.report.texts import voice

BELOW, SIZES, VALUES, POPULATION = "below", "sizes", "values", "population"


def analyses_of(tables_: Rows) -> Iterator[Measured]:
    """Yield what was measured in each analysis of anonymity."""
    classes = tables_.get("classes", {})
    for name, rows in tables_.get("anonymity", {}).items():
        yield Measured(rows, classes[name])


def anonymity_kinds(found: Measured) -> Iterator[tuple[str, str]]:
    """Yield the kinds of figures, in the order of the page.

    Each has the sensitive attribute that it is of, or none. That before the population
    is there only where its size is known.
    """
    yield BELOW, ""
    yield SIZES, ""
    for name in found.sensitive:
        yield VALUES, name
    if found.is_sample:
        yield POPULATION, ""


def anonymity_path(found: Measured, kind: str, sensitive: str, language: str) -> str:
    """Path of a figure, in the report's folder."""
    subject = f"{kind}+{file_name(sensitive)}" if sensitive else kind
    return f"anonymity-{found.analysis}-{subject}.{language}.svg"


def draw_anonymity(
    tables_: Rows, languages: Sequence[str], synthetic: Collection[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the figures of every analysis of anonymity, as paths and SVG texts.

    Parameters
    ----------
    tables_
        The tables `anonymity` and `classes` by analysis, for a public report as they
        are published.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Tables and releases that a twin made. As the tables do not name the population,
        figures of it are marked wherever one of the study's releases is made up.
    """
    for found in analyses_of(tables_):
        of_table = (*found.rows[["table", "focal"]].iloc[0],) in synthetic
        for language in languages:
            voiced = voice(language, tables.is_published(found.rows))
            for kind, sensitive in anonymity_kinds(found):
                is_of_others = kind == POPULATION and found.has_population
                is_synthetic = of_table or (is_of_others and bool(synthetic))
                path = anonymity_path(found, kind, sensitive, language)
                yield path, _draw(found, kind, sensitive, voiced.words(is_synthetic))


def _draw(found: Measured, kind: str, sensitive: str, words: Words) -> str:
    if kind == BELOW:
        return records_below(found.blocks, words)
    if kind == SIZES:
        return value_histograms(found.histogram(K_ANONYMITY), words)
    if kind == VALUES:
        return value_histograms(found.histogram(L_DIVERSITY, sensitive), words)
    return before_population(found.worst(K_MAP), found.worst(K_ANONYMITY), words)
