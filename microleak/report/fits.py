"""What goes together with the leakage of states, in words."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.states import with_all_qids
from microleak.report.side_by_side import SideBySide
from microleak.report.texts import Voice

MORE_STATES = 5
"""So many more states than explanations are needed for a fit to be told in words."""

FEW_STATES = 10
"""With fewer a fit is said to be weak evidence: up to four explanations are tried."""

_STRENGTHS = {"none": 0.1, "little": 0.3, "part": 0.6, "most": 1.01}
"""Words for shares of variance, each for those below its number."""


def fits_told(shown: SideBySide, voice: Voice) -> Iterator[str]:
    """Say how much each explanation alone accounts for, and how weak that is.

    Parameters
    ----------
    shown
        States side by side, with the fits of their leakage.
    voice
        The language and audience.

    Yields
    ------
    str
        A sentence; none where there are too few states for any.
    """
    fits = with_all_qids(shown.explained)
    alone = fits[~fits["explained_by"].str.contains("|", regex=False)]
    is_enough = alone["n_states"] >= 1 + MORE_STATES
    known = alone[is_enough].dropna(subset=["r_squared"])
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


def explanation(row: pd.Series, voice: Voice) -> str:
    """Name what may explain the leakage, as one row of the fits says it."""
    return voice.listing(
        voice.say(f"states.{name}", sensitive=voice.attribute(row["sensitive"]))
        for name in row["explained_by"].split("|")
    )


def _told(row: pd.Series, voice: Voice) -> str:
    share = float(row["r_squared"])
    strength = next(word for word, end in _STRENGTHS.items() if share < end)
    return voice.say(
        "states.accounts",
        explanation=explanation(row, voice),
        share=voice.numbers.share(share, is_positive=True),
        strength=voice.say(f"states.strength_{strength}"),
    )
