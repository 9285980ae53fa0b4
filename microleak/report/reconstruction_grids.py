"""Tables of rebuilt databases: what each setting came to, and where noise stops."""

import pandas as pd

from microleak.figures.reconstruction_rows import Rebuilt
from microleak.figures.reconstruction_settings import asked_of
from microleak.figures.reconstruction_text import answers_text, attack_text, law_text
from microleak.report.parts import Grid
from microleak.report.reconstruction_words import short, with_formula
from microleak.report.texts import Voice

_LIMITS = ("law", "n", "asked", "last_all", "first_none")
_ASKED = ("attack", "noise", "n", "queries", "bound", "noise_share")
_SETTINGS = (
    *_ASKED,
    *("whole", "right", "guess", "least", "claimed", "consistent", "proven", "without"),
)
_SHARES = ("share_right", "guess", "least_right", "share_claimed")
_ENDINGS = {
    "unsolved": "n_unsolved",
    "infeasible": "n_infeasible",
    "partial": "n_partial",
}


def limits_grid(shown: Rebuilt, voice: Voice) -> Grid:
    """Lay out where noise stops each attack, as shares of the square root of n."""
    return Grid(
        caption=voice.say("reconstruction.limits_caption"),
        headings=_headings(_LIMITS, voice),
        rows=tuple(_limit(row, voice) for _, row in shown.limits.iterrows()),
    )


def settings_grid(shown: Rebuilt, voice: Voice, is_folded: bool) -> Grid:
    """Lay out what each setting came to, with its formulas.

    Beside the entries right stands what is right without any answer, of all
    databases of as many entries.
    """
    settings = shown.settings
    settings = settings.assign(guess=settings["n_entries"].map(shown.guess))
    return Grid(
        caption=voice.say("reconstruction.settings_caption"),
        headings=_headings(_SETTINGS, voice),
        rows=tuple(_setting(row, voice) for _, row in settings.iterrows()),
        n_texts=5,
        is_folded=is_folded,
    )


def asked_grid(shown: Rebuilt, voice: Voice) -> Grid:
    """Lay out the settings alone, where what they came to is suppressed."""
    return Grid(
        caption=voice.say("reconstruction.asked_caption"),
        headings=_headings((*_ASKED, "databases"), voice),
        rows=tuple(
            (*_asked(row, voice), voice.numbers.count(row["n_databases"]))
            for _, row in asked_of(shown.results).iterrows()
        ),
        n_texts=5,
    )


def _headings(names: tuple[str, ...], voice: Voice) -> tuple[str, ...]:
    return tuple(voice.say(f"reconstruction.column_{name}") for name in names)


def _limit(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    return (
        law_text(row, voice.words(is_synthetic=False)),
        *(voice.numbers.count(row[name]) for name in ("n_entries", "n_queries")),
        *(_share(row[name], voice) for name in ("last_all", "first_none")),
    )


def _share(share: float, voice: Voice) -> str:
    if pd.isna(share):
        return voice.say("reconstruction.none")
    return short(share, voice)


def _setting(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    return (
        *_asked(row, voice),
        _whole(row, voice),
        *(numbers.share(row[name], True) for name in _SHARES),
        *(numbers.count(row[name]) for name in ("n_consistent", "n_proven")),
        _endings(row, voice),
    )


def _asked(row: pd.Series, voice: Voice) -> tuple[str, ...]:
    numbers = voice.numbers
    words = voice.words(is_synthetic=False)
    return (
        attack_text(row, words),
        answers_text(row, words),
        numbers.count(row["n_entries"]),
        with_formula(numbers.count(row["n_queries"]), row["queries"], voice),
        with_formula(short(row["error_bound"], voice), row["error"], voice),
        short(row["noise_share"], voice),
    )


def _whole(row: pd.Series, voice: Voice) -> str:
    counts = {name: voice.numbers.count(row[name]) for name in ("n_exact", "n_tries")}
    return voice.say("reconstruction.whole", **counts)


def _endings(row: pd.Series, voice: Voice) -> str:
    """Say how attempts ended that do not claim every entry."""
    said = [
        voice.say(f"reconstruction.{key}_cell", number=voice.numbers.count(row[column]))
        for key, column in _ENDINGS.items()
        if row[column]
    ]
    return "; ".join(said) or voice.numbers.count(0)
