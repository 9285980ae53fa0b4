"""What noisy counts give back of a database, as sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.reconstruction_rows import Rebuilt, limits_of
from microleak.figures.reconstruction_text import (
    answers_text,
    attack_text,
    law_text,
    outliers_text,
)
from microleak.report.mechanism_words import predicate_text
from microleak.report.reconstruction_words import settings_text, short
from microleak.report.texts import Voice

_ENDINGS = {
    "misled": "n_misled",
    "proven": "n_proven",
    "unsolved": "n_unsolved",
    "infeasible": "n_infeasible",
    "partial": "n_partial",
}
"""Sentences on how attempts ended, and what they count."""


def measured(shown: Rebuilt, voice: Voice) -> tuple[str, ...]:
    """Say how many databases were rebuilt, from which answers and by what."""
    rows = shown.results
    words = voice.words(is_synthetic=False)
    attacks, noises = (
        dict.fromkeys(name(row, words) for _, row in shown.settings.iterrows())
        for name in (attack_text, answers_text)
    )
    return (
        voice.say(
            "reconstruction.measured",
            analysis=str(rows["analysis"].iloc[0]),
            n_tries=voice.numbers.count(len(rows)),
            **settings_text(rows, voice),
        ),
        voice.say(
            "reconstruction.measured_laws",
            attacks="; ".join(attacks),
            noises="; ".join(noises),
        ),
        _of_whom(shown, voice),
    )


def _of_whom(shown: Rebuilt, voice: Voice) -> str:
    """Say whose entries the databases have."""
    drawn = shown.drawn_from
    if drawn is None:
        density = short(shown.density, voice)
        return voice.say("reconstruction.measured_random", density=density)
    return voice.say(
        "reconstruction.measured_drawn",
        table=drawn.table,
        release=drawn.release,
        attribute=voice.explained(drawn.attribute),
        predicate=predicate_text(drawn.predicate, voice),
    )


def heading(shown: Rebuilt, voice: Voice) -> str:
    """Say with how much noise whole databases were rebuilt, or how many were."""
    told = shown.told
    if told is None:
        n_exact = int(shown.settings["n_exact"].sum())
        return voice.say(
            f"reconstruction.heading_{'some' if n_exact else 'none'}",
            n_exact=voice.numbers.count(n_exact),
            n_tries=voice.numbers.count(len(shown.results)),
        )
    noise = "" if told["error_bound"] > 0 else "_exact"
    number = "_one" if told["n_tries"] == 1 else ""
    return _of_setting(
        f"heading_all{noise}{number}", told, voice, outliers=_outliers(told, voice)
    )


def _outliers(setting: pd.Series, voice: Voice) -> str:
    """Say how many answers were wrong by any amount, if some were."""
    if not setting["outliers"]:
        return ""
    share = outliers_text(setting, voice.words(is_synthetic=False))
    return voice.say("reconstruction.heading_outliers", share=share)


def sentences(shown: Rebuilt, voice: Voice) -> Iterator[str]:
    """Yield the further findings; none of which a number is suppressed."""
    settings = shown.settings
    for _, several in settings.groupby("attack", sort=False):
        yield _attack(several, voice)
    if shown.told is None and settings["share_right"].notna().all():
        yield _best(shown, voice)
    for panel in shown.panels:
        curve = panel[panel["n_queries"] == panel["n_queries"].max()]
        if not (curve["n_exact"] == curve["n_tries"]).all():
            yield _stop(curve, voice)
    for key, column in _ENDINGS.items():
        if number := int(settings[column].sum()):
            counted = voice.numbers.count(number)
            yield voice.say(f"reconstruction.{key}", number=counted)


def _attack(several: pd.DataFrame, voice: Voice) -> str:
    """Say what one attack came to in all settings."""
    columns = ("n_tries", "n_exact", "n_consistent", "n_proven")
    counts = {name: voice.numbers.count(several[name].sum()) for name in columns}
    attack = attack_text(several.iloc[0], voice.words(is_synthetic=False))
    return voice.say("reconstruction.attack", attack=_capital(attack), **counts)


def _best(shown: Rebuilt, voice: Voice) -> str:
    """Say in which setting most is right, where no setting has everything right."""
    settings = shown.settings
    best = settings.loc[settings["share_right"].idxmax()]
    guess = shown.guess(best["n_entries"])
    if pd.isna(guess):
        return _of_setting("best", best, voice)
    return _of_setting("best_guess", best, voice, guess=voice.numbers.share(guess))


def _stop(curve: pd.DataFrame, voice: Voice) -> str:
    """Say where noise stops an attack."""
    limits = limits_of(curve)
    return _of_setting(
        "stop",
        curve.iloc[0],
        voice,
        last=_limit("last_all", limits["last_all"], voice),
        first=_limit("first_none", limits["first_none"], voice),
    )


def _limit(kind: str, share: float, voice: Voice) -> str:
    if pd.isna(share):
        return voice.say(f"reconstruction.{kind}_none")
    return voice.say(f"reconstruction.{kind}", share=short(share, voice))


def _of_setting(key: str, setting: pd.Series, voice: Voice, **more: str) -> str:
    """Return a phrase about one setting."""
    numbers = voice.numbers
    law = law_text(setting, voice.words(is_synthetic=False))
    return voice.say(
        f"reconstruction.{key}",
        law=_capital(law) if key == "stop" else law,
        n=numbers.count(setting["n_entries"]),
        n_queries=numbers.count(setting["n_queries"]),
        n_tries=numbers.count(setting["n_tries"]),
        bound=short(setting["error_bound"], voice),
        share=numbers.share(setting["share_right"]),
        **more,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
