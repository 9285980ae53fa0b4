"""The worst that was measured, in the words of INEP: so much probability."""

import pandas as pd

from microleak.attacks.collective.report.chapters import Chapter
from microleak.report.texts import Voice
from microleak.tables import rows as tables


def summaries(
    chapter: Chapter, worst: pd.DataFrame, unit: str, voice: Voice
) -> dict[str, str]:
    """Say of each section of a chapter up to what probability the best guess is right.

    The sentence has the form in which INEP told what its census gives away: the use
    of so many attributes allows a person to be identified with a probability of up to
    so much. It is about `worst_row`, of all combinations measured.

    Parameters
    ----------
    chapter
        An analysis.
    worst
        Its worst subsets, of every subject, panel and criterion.
    unit
        What a record stands for: `person` or `record`.
    voice
        The language and audience.

    Returns
    -------
    dict of str
        By the section's anchor; a section whose shares are suppressed is not there.
    """
    subjects = tables.by_subject(tables.with_text(worst)).values()
    told = {
        part.anchor: _sentence(rows, unit, voice)
        for part, rows in zip(chapter.sections, subjects, strict=True)
    }
    return {anchor: sentence for anchor, sentence in told.items() if sentence}


def worst_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject with the highest posterior by the best guess.

    Of equals that with the fewest releases, then with the fewest QIDs, then the first;
    the first row if all posteriors are suppressed.
    """
    guesses = _guesses(worst)
    panels = tables.by_panel(guesses).values()
    simplest = pd.concat(panel.sort_values("n_qids", kind="stable") for panel in panels)
    posteriors = simplest["posterior_prob"].astype("float64").fillna(-1)
    return simplest.iloc[int(posteriors.argmax())]


def _guesses(worst: pd.DataFrame) -> pd.DataFrame:
    return worst[worst["criterion"] == "probabilistic"]


def _sentence(worst: pd.DataFrame, unit: str, voice: Voice) -> str:
    row = worst_row(worst)
    if row[["prior_prob", "posterior_prob", "n_records"]].isna().any():
        return ""
    numbers, names = voice.numbers, voice.texts["unit"][unit]
    return voice.say(
        f"summary.{'infer' if row['sensitive'] else 'reid'}",
        the_use=_use(voice.n_facts(tables.qids_of(row)), voice),
        qids=voice.known(tables.qids_of(row)),
        random_unit=names["random"],
        n_records=numbers.count(row["n_records"]),
        units=names["many"],
        sensitive=voice.attribute(row["sensitive"]),
        posterior=numbers.share(row["posterior_prob"], is_positive=True),
        prior=numbers.share(row["prior_prob"], is_positive=True),
        hits=numbers.count(row["n_modal"]),
        highest=_highest(worst, voice),
        adversary=_adversary(row, unit, voice),
    )


def _highest(worst: pd.DataFrame, voice: Voice) -> str:
    """Say that no probability is higher, or none of those that are published."""
    is_all = _guesses(worst)["posterior_prob"].notna().all()
    return voice.say(f"summary.highest{'' if is_all else '_published'}")


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
