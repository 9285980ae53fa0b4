"""States side by side: sentences, figures and the numbers behind them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.figures.states import NAMES, ranked, with_all_qids
from microleak.figures.tables import qids_of
from microleak.report.contents import Headline
from microleak.report.drawing import figure_of
from microleak.report.side_by_side import SideBySide
from microleak.report.state_drawing import state_kinds, state_path
from microleak.report.state_tables import Grid, explanation, state_grids
from microleak.report.texts import Voice

FEW_STATES = 10
"""With fewer a fit is said to be weak evidence: up to four explanations are tried."""

_STRENGTHS = {"none": 0.1, "little": 0.3, "part": 0.6, "most": 1.01}
"""Words for shares of variance, each for those below its number."""


@dataclass(frozen=True)
class StatesChapter:
    """The states of one table and one sensitive attribute, ready for the template.

    `warning` says that records are not persons, where they are not.
    """

    table: str
    anchor: str
    heading: str
    warning: str
    sentences: tuple[str, ...]
    figures: Mapping[str, Markup]
    grids: Mapping[str, tuple[Grid, ...]]


def states_chapters(
    study: Headline,
    several: Iterable[SideBySide],
    figures: Mapping[str, str],
    voice: Voice,
) -> Iterator[StatesChapter]:
    """Yield what is said of the states of each table and sensitive attribute.

    Parameters
    ----------
    study
        What a record of each table stands for.
    several
        As `Tables.side_by_side` gives them.
    figures
        SVG texts by their path.
    voice
        The language and audience.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    for number, shown in enumerate(several):
        unit = study.unit(shown.table)
        is_line = unit == "record"
        yield StatesChapter(
            table=shown.table,
            anchor=f"{voice.language}-states-{quote(shown.table)}-{number}",
            heading=voice.say(
                "states.heading",
                sensitive=voice.attribute(shown.sensitive),
                year=shown.year,
            ),
            warning=voice.say("page.line_warning", table=shown.table)
            if is_line
            else "",
            sentences=tuple(filter(None, _sentences(shown, voice, unit))),
            figures={
                kind: figure_of(figures, state_path(shown, kind, voice.language))
                for kind in state_kinds(shown)
            },
            grids=state_grids(shown, voice),
        )


def _sentences(shown: SideBySide, voice: Voice, unit: str) -> Iterator[str]:
    """Yield the sentences; one whose numbers are suppressed is empty."""
    best = ranked(shown.rows)
    yield _before(shown, best, voice, unit)
    yield _after(best, voice)
    yield _above(best, voice, unit)
    yield from _explained(with_all_qids(shown.explained), voice)


def _before(shown: SideBySide, best: pd.DataFrame, voice: Voice, unit: str) -> str:
    ends = _ends(best["prior_prob"], voice.numbers.share)
    if not ends:
        return ""
    return voice.say(
        "states.before",
        n_states=voice.numbers.count(len(best)),
        year=shown.year,
        sensitive=voice.attribute(shown.sensitive),
        random_unit=voice.texts["unit"][unit]["random"],
        **ends,
    )


def _after(best: pd.DataFrame, voice: Voice) -> str:
    after = _ends(best["posterior_prob"], voice.numbers.share)
    leaked = _ends(best["additive_leakage"], voice.numbers.points)
    if not after or not leaked:
        return ""
    row = best.iloc[0]
    return voice.say(
        "states.after",
        attributes=voice.attributes(int(row["n_qids"])),
        qids=voice.listing(map(voice.attribute, qids_of(row))),
        **after,
        **{f"leakage_{name}": told for name, told in leaked.items()},
    )


def _above(best: pd.DataFrame, voice: Voice, unit: str) -> str:
    """Say how many records are at high risk where most are."""
    known = best["share_above_90"].dropna().astype(float)
    if known.empty:
        return ""
    state = known.idxmax()
    return voice.say(
        "states.above",
        state=NAMES[state],
        share=voice.numbers.share(known[state], best.loc[state, "n_above_90"] > 0),
        of_units=voice.texts["unit"][unit]["of_many"],
    )


def _explained(fits: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Say how much each explanation alone accounts for, and how weak that is."""
    alone = fits[~fits["explained_by"].str.contains("|", regex=False)]
    known = alone.dropna(subset=["r_squared"])
    if known.empty:
        return
    n_states = int(known["n_states"].max())
    told = [_told(row, voice) for _, row in known.iterrows()]
    yield voice.say(
        "states.explained",
        n_states=voice.numbers.count(n_states),
        explanations="; ".join(told),
    )
    yield voice.say("states.few" if n_states < FEW_STATES else "states.not_why")


def _told(row: pd.Series, voice: Voice) -> str:
    share = float(row["r_squared"])
    strength = next(word for word, end in _STRENGTHS.items() if share < end)
    return voice.say(
        "states.accounts",
        explanation=explanation(row, voice),
        share=f"{voice.numbers.count(round(100 * share))}%",
        strength=voice.say(f"states.strength_{strength}"),
    )


def _ends(values: pd.Series, write: Callable[[float, bool], str]) -> dict[str, str]:
    """Write the lowest and the highest value, and their states; of equals the first."""
    known = values.dropna().astype(float).sort_index()
    if known.empty:
        return {}
    low, high = known.idxmin(), known.idxmax()
    return {
        "low": write(known[low], True),
        "low_state": NAMES[low],
        "high": write(known[high], True),
        "high_state": NAMES[high],
    }
