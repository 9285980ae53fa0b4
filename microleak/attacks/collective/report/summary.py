"""The worst that was measured, in the words of INEP: so much probability."""

import pandas as pd

from microleak.report.texts import Voice
from microleak.tables import rows as tables


def worst_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject with the highest posterior by the best guess.

    Of equals that with the fewest releases, then with the fewest QIDs, then the first.
    """
    guesses = worst[worst["criterion"] == "probabilistic"]
    panels = tables.by_panel(guesses).values()
    simplest = pd.concat(panel.sort_values("n_qids", kind="stable") for panel in panels)
    return simplest.iloc[int(simplest["posterior_prob"].astype("float64").argmax())]


def summary(worst: pd.DataFrame, unit: str, voice: Voice) -> str:
    """Say up to what probability the best guess about one subject is right.

    The sentence has the form in which INEP told what its census gives away: the use
    of so many attributes allows a person to be identified with a probability of up to
    so much. It is about `worst_row`, of all combinations measured.

    Parameters
    ----------
    worst
        Worst subsets of one subject, of every panel and criterion.
    unit
        What a record stands for: `person` or `record`.
    voice
        The language.
    """
    row = worst_row(worst)
    numbers, names = voice.numbers, voice.texts["unit"][unit]
    return voice.say(
        f"summary.{'infer' if row['sensitive'] else 'reid'}",
        the_use=_use(voice.n_facts(tables.qids_of(row)), voice),
        qids=voice.known(tables.qids_of(row)),
        random_unit=names["random"],
        n_records=numbers.count(row["n_records"]),
        units=names["many"],
        sensitive=voice.attribute(row["sensitive"]),
        posterior=numbers.share(row["posterior_prob"]),
        prior=numbers.share(row["prior_prob"]),
        hits=numbers.count(row["n_modal"]),
        highest=voice.say("summary.highest"),
        adversary=_adversary(row, unit, voice),
    )


def _use(n_qids: int, voice: Voice) -> str:
    words = voice.texts["summary"]["words"]
    return voice.say(
        "summary.use_one" if n_qids == 1 else "summary.use_many",
        number=words.get(n_qids, voice.number_word(n_qids)),
    )


def _adversary(row: pd.Series, unit: str, voice: Voice) -> str:
    return voice.say(
        "summary.adversary_linked" if row["auxiliary"] else f"summary.adversary_{unit}",
        releases=voice.listing(tables.releases_of(row)),
    )
