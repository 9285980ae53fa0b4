"""The finding in the words of INEP: so many attributes, so much probability."""

import pandas as pd

from microleak.figures import tables
from microleak.report.chapters import Chapter
from microleak.report.findings import headline_row
from microleak.report.texts import Voice


def summaries(
    chapter: Chapter, worst: pd.DataFrame, unit: str, voice: Voice
) -> dict[str, str]:
    """Say of each section of a chapter how probably the best guess is right.

    The sentence has the form in which INEP told what its census gives away: the use
    of so many attributes allows a person to be identified with a probability of up to
    so much. It is about as many attributes as the section's finding.

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
        part.anchor: _sentence(guess_row(rows), unit, voice)
        for part, rows in zip(chapter.sections, subjects, strict=True)
    }
    return {anchor: sentence for anchor, sentence in told.items() if sentence}


def certain_row(worst: pd.DataFrame) -> pd.Series:
    """Return the row of one subject that `findings.finding` tells of.

    Of releases that are linked it is the largest subset, with all of them.
    """
    panel = list(tables.by_panel(worst).values())[-1]
    certain = panel[panel["criterion"] == "deterministic"].sort_values("n_qids")
    is_linked = bool(certain["auxiliary"].iloc[0])
    return certain.iloc[-1] if is_linked else headline_row(certain)


def guess_row(worst: pd.DataFrame) -> pd.Series:
    """Return the worst row by the best guess of the size of `certain_row`."""
    certain = certain_row(worst)
    is_of_size = worst["n_qids"] == certain["n_qids"]
    is_of_panel = worst["auxiliary"] == certain["auxiliary"]
    is_guess = worst["criterion"] == "probabilistic"
    return worst[is_of_size & is_of_panel & is_guess].iloc[0]


def _sentence(row: pd.Series, unit: str, voice: Voice) -> str:
    if row[["prior_prob", "posterior_prob", "n_records"]].isna().any():
        return ""
    numbers, names = voice.numbers, voice.texts["unit"][unit]
    return voice.say(
        f"summary.{'infer' if row['sensitive'] else 'reid'}",
        the_use=_use(int(row["n_qids"]), voice),
        qids=voice.listing(map(voice.attribute, tables.qids_of(row))),
        random_unit=names["random"],
        n_records=numbers.count(row["n_records"]),
        units=names["many"],
        sensitive=voice.attribute(row["sensitive"]),
        posterior=numbers.share(row["posterior_prob"], is_positive=True),
        prior=numbers.share(row["prior_prob"], is_positive=True),
        hits=numbers.count(row["n_modal"]),
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
