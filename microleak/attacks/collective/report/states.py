"""States side by side: sentences, figures and the numbers behind them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.attacks.collective.figures.states import NAMES, ranked
from microleak.attacks.collective.report.drawing import state_kinds, state_path
from microleak.attacks.collective.report.side_by_side import SideBySide
from microleak.attacks.collective.report.state_tables import (
    Group,
    StateGrid,
    fits_told,
    group_grid,
    group_sentence,
    groups_of,
    state_grids,
)
from microleak.report.contents import Headline
from microleak.report.parts import figure_of
from microleak.report.sentences import span
from microleak.report.texts import Voice
from microleak.tables.rows import qids_of

Told = frozenset[tuple[str, str]]
"""Analyses, each with the kicker of a finding."""


@dataclass(frozen=True)
class StatesChapter:
    """The states of one analysis and one sensitive attribute, ready for the template.

    Attributes
    ----------
    analysis
        What the states are compared as.
    told
        The findings of the analyses compared that it gives, for all states.
    attributes
        How many attributes are known at most.
    warning
        That records are not persons, where they are not.
    answer
        Sentences that the answer in short has.
    sentences
        These and further ones.
    """

    analysis: str
    told: Told
    anchor: str
    heading: str
    attributes: str
    warning: str
    answer: tuple[str, ...]
    sentences: tuple[str, ...]
    figures: Mapping[str, Markup]
    grids: Mapping[str, tuple[StateGrid, ...]]


def states_chapters(
    study: Headline,
    several: Sequence[SideBySide],
    figures: Mapping[str, str],
    voice: Voice,
) -> Iterator[StatesChapter]:
    """Yield what is said of the states of each analysis and sensitive attribute.

    Parameters
    ----------
    study
        What a record of each table stands for, and the groups of each analysis.
    several
        As `Tables.side_by_side` gives them.
    figures
        SVG texts by their path.
    voice
        The language.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    for number, shown in enumerate(several):
        groups = groups_of(study, shown, several)
        unit = study.unit(shown.table)
        answer = tuple(filter(None, _answer(shown, groups, voice, unit)))
        yield StatesChapter(
            analysis=shown.analysis,
            told=_told(shown, groups, voice),
            anchor=f"{voice.language}-states-{quote(shown.analysis)}-{number}",
            heading=_heading(shown, voice),
            attributes=voice.attributes(int(shown.rows["n_qids"].max())),
            warning=_warning(shown, unit, voice),
            answer=answer,
            sentences=(*answer, *fits_told(shown, voice)),
            figures={
                kind: figure_of(figures, state_path(shown, kind, voice.language))
                for kind in state_kinds(shown)
            },
            grids=state_grids(shown, voice)
            | {"groups": tuple(group_grid(shown, group, voice) for group in groups)},
        )


def told_of(several: Iterable[StatesChapter]) -> Told:
    """Return the findings that any of some chapters gives."""
    return frozenset().union(*(chapter.told for chapter in several))


def _told(shown: SideBySide, groups: Sequence[Group], voice: Voice) -> Told:
    kickers = [voice.say("groups.kicker", group=name) for name, _ in groups]
    return frozenset(
        product(shown.parts.values(), [voice.subject(shown.sensitive), *kickers])
    )


def _heading(shown: SideBySide, voice: Voice) -> str:
    return voice.say(
        "states.heading", sensitive=voice.attribute(shown.sensitive), year=shown.year
    )


def _warning(shown: SideBySide, unit: str, voice: Voice) -> str:
    if unit != "record":
        return ""
    return voice.say("page.line_warning", table=shown.table)


def _answer(
    shown: SideBySide, groups: Sequence[Group], voice: Voice, unit: str
) -> Iterator[str]:
    """Yield the sentences; one that has nothing to say is empty."""
    best = ranked(shown.rows)
    yield _before(shown, best, voice, unit)
    yield _after(best, voice)
    yield _above(best, voice, unit)
    for group in groups:
        yield group_sentence(shown, group, voice)


def _before(shown: SideBySide, best: pd.DataFrame, voice: Voice, unit: str) -> str:
    prior = _span(best["prior_prob"], voice.numbers.share, voice)
    return voice.say(
        "states.before",
        n_states=voice.numbers.count(len(best)),
        year=shown.year,
        sensitive=voice.attribute(shown.sensitive),
        random_unit=voice.texts["unit"][unit]["random"],
        prior=prior,
    )


def _after(best: pd.DataFrame, voice: Voice) -> str:
    posterior = _span(best["posterior_prob"], voice.numbers.share, voice)
    leakage = _span(best["additive_leakage"], voice.numbers.points, voice)
    row = best.iloc[0]
    return voice.say(
        "states.after_all" if best["qids"].nunique() == 1 else "states.after_worst",
        attributes=voice.number_known(qids_of(row)),
        qids=voice.known(qids_of(row)),
        posterior=posterior,
        leakage=leakage,
    )


def _above(best: pd.DataFrame, voice: Voice, unit: str) -> str:
    """Say how many records are at high risk where most are, if any is."""
    known = best.loc[best["n_above_90"] > 0, "share_above_90"].astype(float)
    if known.empty:
        return ""
    state = known.idxmax()
    return voice.say(
        "states.above",
        state=NAMES[state],
        share=voice.numbers.share(known[state]),
        of_units=voice.texts["unit"][unit]["of_many"],
    )


def _span(values: pd.Series, write: Callable[[float], str], voice: Voice) -> str:
    """Write the lowest and the highest of the states' values, with their names."""
    by_name = values.astype("float64").rename(index=NAMES)
    return span(by_name, lambda name: write(by_name[name]), voice)
