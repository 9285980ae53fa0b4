"""Which figures an analysis has, and where they are written."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from microleak.attacks.collective.figures import success
from microleak.attacks.collective.figures.state_trends import (
    importance_heat,
    state_explained,
    state_posteriors,
    state_years,
)
from microleak.attacks.collective.figures.states import state_heat, state_map
from microleak.attacks.collective.report.contents import SideBySide
from microleak.base.files import whole_folder, write_text
from microleak.base.forks import side_by_side
from microleak.figures.numbers import Words
from microleak.report.drawn import Undrawn, figure_name, file_name, of_attribute
from microleak.report.texts import Labels, Voice, voice
from microleak.tables import rows as tables
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.collective")

_DRAW = {
    "success": success.success_by_size,
    "distribution": success.success_histograms,
    "years": success.success_by_years,
}


def kinds(collective: pd.DataFrame) -> tuple[str, ...]:
    """Return the kinds of figures that an analysis has."""
    is_linked = tables.with_text(collective)["auxiliary"].any()
    return ("success", "distribution", *(["years"] if is_linked else []))


def figure_path(analysis: str, kind: str, sensitive: str, language: str) -> str:
    """Path of a figure below the folder of figures.

    >>> figure_path("a", "success", "", "en"), figure_path("a", "success", "ill", "en")
    ('a/success-reidentification.en.svg', 'a/success-inference-ill.en.svg')
    """
    subject = f"inference-{file_name(sensitive)}" if sensitive else "reidentification"
    return f"{analysis}/{kind}-{subject}.{language}.svg"


def draw_analysis(
    published: Path,
    folder: Path,
    languages: Sequence[str],
    is_synthetic: bool,
    sources: Sequence[str],
    labels: Labels,
) -> None:
    """Write every figure of one analysis as SVG, all or none."""
    collective, distribution, worst = (
        read_table(published / kind / f"{folder.name}.csv", TABLES[kind])
        for kind in ("collective", "distribution", "worst")
    )
    voices = [voice(language, sources, labels) for language in languages]
    with whole_folder(folder) as made:
        for path, svg in figures_of(
            collective, distribution, worst, voices, is_synthetic
        ):
            write_text(made / Path(path).name, svg)


def figures_of(
    collective: pd.DataFrame,
    distribution: pd.DataFrame,
    worst: pd.DataFrame,
    voices: Sequence[Voice],
    is_synthetic: bool,
) -> Iterator[tuple[str, str]]:
    """Yield every figure of one analysis as its path and SVG text."""
    collective, distribution, worst = map(
        tables.with_text, (collective, distribution, worst)
    )
    rows = dict.fromkeys(kinds(collective), collective)
    rows["distribution"] = distribution

    def drawn(speaker: Voice) -> Iterator[tuple[str, str]]:
        words = speaker.words(is_synthetic)
        for kind, of_kind in rows.items():
            for sensitive, part in tables.by_subject(of_kind).items():
                name = figure_path(
                    part["analysis"].iloc[0], kind, sensitive, speaker.language
                )
                of_subject = tables.by_subject(worst)[sensitive]
                yield name, _DRAW[kind](part, of_subject, words)

    for in_each in side_by_side(drawn, voices):
        yield from in_each


def comparison_path(table: str, language: str) -> str:
    """Path of the figure that compares a table's releases, in the report's folder."""
    return figure_name("comparison", table, language=language)


def comparisons_drawn(
    comparison: pd.DataFrame,
    releases: Mapping[str, Sequence[str]],
    synthetic: Collection[tuple[str, str]],
) -> Iterator[Undrawn]:
    """Yield the figures that compare releases, one for each table."""
    if comparison.empty:
        return
    for table in comparison["table"].unique():
        of_table = comparison[comparison["table"] == table]
        compared = success.compared_releases(of_table, releases[table])
        yield Undrawn(
            names=("comparison", table),
            draw=partial(success.success_of_releases, of_table, releases[table]),
            is_synthetic=any((table, name) in synthetic for name in compared),
        )


_DRAW_STATES: dict[str, Callable[[SideBySide, Words], str]] = {
    "map": lambda of, words: state_map(of.rows, words),
    "heat": lambda of, words: state_heat(of.rows, words),
    "posteriors": lambda of, words: state_posteriors(of.rows, of.attacks, words),
    "years": lambda of, words: state_years(of.years, words),
    "importance": lambda of, words: importance_heat(of.rows, of.importance, words),
    "explained": lambda of, words: state_explained(of.rows, of.explained, words),
}


def state_kinds(shown: SideBySide) -> tuple[str, ...]:
    """Return the kinds of figures that states have."""
    is_there = {"importance": shown.importance, "years": shown.has_years}
    return tuple(kind for kind in _DRAW_STATES if is_there.get(kind, True))


def state_path(shown: SideBySide, kind: str, language: str) -> str:
    """Path of a figure of states, in the report's folder."""
    return figure_name(*_names(shown, kind), language=language)


def _names(shown: SideBySide, kind: str) -> tuple[str, ...]:
    return "states", of_attribute(shown.analysis, shown.sensitive), kind


def states_drawn(
    several: Iterable[SideBySide], synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of states."""
    for shown in several:
        is_synthetic = not shown.releases.isdisjoint(synthetic)
        for kind in state_kinds(shown):
            names, draw = _names(shown, kind), partial(_DRAW_STATES[kind], shown)
            yield Undrawn(names, draw, is_synthetic)
