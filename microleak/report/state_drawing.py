"""Which figures states side by side have, and where they are written."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from microleak.figures import tables
from microleak.figures.explained import state_explained
from microleak.figures.heat import state_heat
from microleak.figures.importance import importance_heat
from microleak.figures.posteriors import state_posteriors
from microleak.figures.tiles import state_map
from microleak.figures.trends import state_years
from microleak.figures.words import Words
from microleak.report.side_by_side import SideBySide
from microleak.report.undrawn import Undrawn, figure_name, in_languages, of_attribute

_DRAW: dict[str, Callable[[SideBySide, Words], str]] = {
    "map": lambda shown, words: state_map(shown.rows, words),
    "heat": lambda shown, words: state_heat(shown.rows, words),
    "posteriors": lambda shown, words: state_posteriors(
        shown.rows, shown.attacks, words
    ),
    "importance": lambda shown, words: importance_heat(
        shown.rows, shown.importance, words
    ),
    "explained": lambda shown, words: state_explained(
        shown.rows, shown.explained, words
    ),
    "years": lambda shown, words: state_years(shown.years, words),
}


def state_kinds(shown: SideBySide) -> tuple[str, ...]:
    """Return the kinds of figures that states have.

    `importance` is there only where all subsets were measured, `years` only where
    a state has several.
    """
    without = {
        kind
        for kind, is_there in [
            ("importance", shown.importance),
            ("years", shown.has_years),
        ]
        if not is_there
    }
    return tuple(kind for kind in _DRAW if kind not in without)


def state_path(shown: SideBySide, kind: str, language: str) -> str:
    """Path of a figure of states, in the report's folder."""
    return figure_name(*_names(shown, kind), language=language)


def _names(shown: SideBySide, kind: str) -> tuple[str, ...]:
    return "states", of_attribute(shown.analysis, shown.sensitive), kind


def draw_states(
    several: Iterable[SideBySide],
    languages: Sequence[str],
    synthetic: Collection[tuple[str, str]],
) -> Iterator[tuple[str, str]]:
    """Yield the figures of states, as their paths and SVG texts.

    Parameters
    ----------
    several
        As `Tables.side_by_side` gives them, for a public report of published tables.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Tables and releases that a twin made.
    """
    for shown in several:
        yield from in_languages(_figures(shown, synthetic), languages)


def _figures(
    shown: SideBySide, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    is_synthetic = not shown.releases.isdisjoint(synthetic)
    is_published = tables.is_published(shown.rows)
    for kind in state_kinds(shown):
        names, draw = _names(shown, kind), partial(_DRAW[kind], shown)
        yield Undrawn(names, draw, is_published, is_synthetic)
