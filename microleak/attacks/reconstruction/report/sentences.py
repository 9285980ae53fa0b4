"""What noisy counts give back of a database, as sentences."""

from collections.abc import Iterator

import pandas as pd

from microleak.attacks.reconstruction.rows import (
    LAW,
    Rebuilt,
    answers_text,
    attack_text,
    bounds_between,
    law_text,
    limits_of,
    noise_text,
    outliers_text,
    settings_text,
    shares_between,
    short,
)
from microleak.records.record_filter import EQUALS, split_values
from microleak.report.texts import Voice, capital, predicate_text


def measured(shown: Rebuilt, voice: Voice) -> tuple[str, ...]:
    """Say how many databases were rebuilt, from which answers and by what."""
    rows = shown.results
    laws = rows.drop_duplicates([*LAW])
    words = voice.words(is_synthetic=False)
    attacks, noises = (
        dict.fromkeys(name(row, words) for _, row in laws.iterrows())
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
        *_assumed(rows, voice),
        _of_whom(shown, voice),
    )


def _assumed(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Say which bound attacks believe in, if it is not that of the noise."""
    differs = rows["assumed_bound"] != rows["error_bound"]
    if differs.any():
        bounds = bounds_between(rows["assumed_bound"], voice)
        yield voice.say("reconstruction.measured_assumed", bounds=bounds)


def _of_whom(shown: Rebuilt, voice: Voice) -> str:
    """Say whose entries the databases have."""
    row = shown.database
    if shown.is_random:
        density = short(row["density"], voice)
        return voice.say("reconstruction.measured_random", density=density)
    return voice.say(
        "reconstruction.measured_drawn",
        table=row["table"],
        release=row["release"],
        attribute=voice.explained(row["attribute"]),
        predicate=predicate_text(EQUALS, split_values(row["value"]), voice),
    )


def heading(shown: Rebuilt, voice: Voice) -> str:
    """Say up to how much noise whole databases were rebuilt, or how many were.

    Of persons it is said, too, how many entries are right without any answer.
    """
    told = shown.told
    found = _found(told, shown, voice)
    if shown.is_random:
        return found
    guess = _guess(told, shown, voice)
    return voice.say("reconstruction.heading_guess", heading=found, guess=guess)


def _found(told: pd.Series | None, shown: Rebuilt, voice: Voice) -> str:
    if told is None:
        n_exact = int(shown.settings["n_exact"].sum())
        return voice.say(
            f"reconstruction.heading_{'some' if n_exact else 'none'}",
            n_exact=voice.numbers.count(n_exact),
            n_tries=voice.numbers.count(len(shown.results)),
        )
    noise = "" if told["error_bound"] > 0 else "_exact"
    number = "_one" if told["n_tries"] == 1 else ""
    more = {"outliers": _outliers(told, voice), "how": _how(told, voice)}
    return _of_setting(f"heading_all{noise}{number}", told, voice, **more)


def _guess(told: pd.Series | None, shown: Rebuilt, voice: Voice) -> str:
    """Write which share of the entries is right without any answer.

    It is that of the setting that the heading tells of, or that of every size.
    """
    sizes = shown.results["n_entries"].unique() if told is None else [told["n_entries"]]
    return shares_between(map(shown.guess, sizes), voice)


def _how(setting: pd.Series, voice: Voice) -> str:
    """Name the attack, and the law of the noise if there is some."""
    words = voice.words(is_synthetic=False)
    attack = attack_text(setting, words)
    if not setting["error_bound"]:
        return attack
    return f"{attack}; {noise_text(setting, words)}"


def _outliers(setting: pd.Series, voice: Voice) -> str:
    """Say how many answers were wrong by any amount, if some were."""
    if not setting["outliers"]:
        return ""
    share = outliers_text(setting, voice.words(is_synthetic=False))
    return voice.say("reconstruction.heading_outliers", share=share)


def sentences(shown: Rebuilt, voice: Voice) -> Iterator[str]:
    """Yield the further findings; of persons the heading has what needs no answer."""
    settings, told = shown.settings, shown.told
    for _, several in settings.groupby("attack", sort=False):
        yield _attack(several, voice)
    if told is None:
        yield _best(shown, voice)
    elif shown.is_random:
        yield voice.say("reconstruction.guess", guess=_guess(told, shown, voice))
    for curve in _stopped(shown.panels).values():
        yield _stop(curve, voice)
    for key, counts in _endings(settings).items():
        if number := int(counts.sum()):
            yield voice.say(f"reconstruction.{key}", number=voice.numbers.count(number))
    if not shown.panels:
        yield voice.say("reconstruction.no_figure")


def undrawn(shown: Rebuilt, voice: Voice) -> Iterator[str]:
    """Yield which attacks and noises only the table has, if there are some."""
    if shown.undrawn:
        words = voice.words(is_synthetic=False)
        laws = (law_text(panel.iloc[0], words) for panel in shown.undrawn)
        yield voice.say("reconstruction.caption_undrawn", laws="; ".join(laws))


def _attack(several: pd.DataFrame, voice: Voice) -> str:
    """Say what one attack came to in all settings."""
    columns = ("n_tries", "n_exact", "n_consistent", "n_proven")
    counts = {name: voice.numbers.count(several[name].sum()) for name in columns}
    attack = attack_text(several.iloc[0], voice.words(is_synthetic=False))
    return voice.say("reconstruction.attack", attack=capital(attack), **counts)


def _best(shown: Rebuilt, voice: Voice) -> str:
    """Say in which setting most is right, where no setting has everything right."""
    settings = shown.settings
    best = settings.loc[settings["share_right"].idxmax()]
    guess = voice.numbers.share(shown.guess(best["n_entries"]))
    return _of_setting("best", best, voice, guess=guess)


def _stopped(panels: list[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the first curve of each attack that noise stops, with most queries."""
    curves = (p[p["n_queries"] == p["n_queries"].max()] for p in panels)
    found: dict[str, pd.DataFrame] = {}
    for curve in curves:
        if not (curve["n_exact"] == curve["n_tries"]).all():
            found.setdefault(str(curve["attack"].iloc[0]), curve)
    return found


def _endings(settings: pd.DataFrame) -> dict[str, pd.Series]:
    """Return how attempts ended, by sentence; what is proven holds within E only."""
    is_enough = settings["assumed_bound"] >= settings["error_bound"]
    is_within = is_enough & (settings["outliers"] == 0)
    within, beyond = settings[is_within], settings[~is_within]
    return {
        "misled": within["n_misled"],
        "misled_outliers": beyond["n_misled"],
        "proven": within["n_proven"],
        "proven_wrong": beyond["n_refuted"],
        "unsolved": settings["n_unsolved"],
        "infeasible": settings["n_infeasible"],
        "partial": settings["n_partial"],
    }


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
    numbers = voice.numbers
    law = law_text(setting, voice.words(is_synthetic=False))
    return voice.say(
        f"reconstruction.{key}",
        law=capital(law) if key == "stop" else law,
        n=numbers.count(setting["n_entries"]),
        n_queries=numbers.count(setting["n_queries"]),
        n_tries=numbers.count(setting["n_tries"]),
        bound=short(setting["error_bound"], voice),
        share=numbers.share(setting["share_right"]),
        **more,
    )
