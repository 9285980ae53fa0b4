"""Which figures states side by side have, and where they are written."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from microleak.figures import tables
from microleak.figures.explained import state_explained
from microleak.figures.heat import state_heat
from microleak.figures.importance import importance_heat
from microleak.figures.posteriors import state_posteriors
from microleak.figures.tiles import state_map
from microleak.figures.trends import state_years
from microleak.figures.words import Words
from microleak.report.drawing import file_name
from microleak.report.side_by_side import SideBySide
from microleak.report.texts import voice

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
    """Path of a figure of states, in the report's folder.

    No other figure has it, as no analysis' name has a `+`.
    """
    subject = f"{shown.analysis}+{file_name(shown.sensitive)}"
    return f"states-{subject}-{kind}.{language}.svg"


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
        is_synthetic = not shown.releases.isdisjoint(synthetic)
        for language in languages:
            voiced = voice(language, tables.is_published(shown.rows))
            words = voiced.words(is_synthetic)
            for kind in state_kinds(shown):
                yield state_path(shown, kind, language), _DRAW[kind](shown, words)
