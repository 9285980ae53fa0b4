"""Which figures an analysis has, and where they are written."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from microleak.figures import tables
from microleak.figures.histograms import success_histograms
from microleak.figures.success import success_by_size
from microleak.files import write_text
from microleak.report.texts import voice

KINDS = {"success": success_by_size, "distribution": success_histograms}


def figure_path(analysis: str, kind: str, sensitive: str, language: str) -> str:
    """Path of a figure below the folder of figures.

    `sensitive` is the attribute that is inferred, empty for re-identification. A
    `/` in its name, which would be a folder, is written `%2F`.

    Examples
    --------
    >>> figure_path("a", "success", "", "en"), figure_path("a", "success", "ill", "en")
    ('a/success-reidentification.en.svg', 'a/success-inference-ill.en.svg')
    """
    name = sensitive.replace("%", "%25").replace("/", "%2F")
    subject = f"inference-{name}" if sensitive else "reidentification"
    return f"{analysis}/{kind}-{subject}.{language}.svg"


def draw_analysis(
    collective: pd.DataFrame,
    distribution: pd.DataFrame,
    worst: pd.DataFrame,
    folder: str | Path,
    languages: Sequence[str],
    synthetic: bool,
) -> None:
    """Write every figure of one analysis as SVG, whole or not at all.

    Parameters
    ----------
    collective, distribution, worst
        The analysis' tables; for a public report the published ones, so that a
        figure holds no more than they do.
    folder
        The analysis' folder; they are named `KIND-SUBJECT.LANGUAGE.svg`, the
        subject being `reidentification` or `inference-` and a sensitive attribute.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Whether the figures must say SYNTHETIC.

    Raises
    ------
    StudyError
        If there are no texts in one of the languages.
    """
    collective, distribution, worst = map(
        tables.with_text, (collective, distribution, worst)
    )
    rows = {"success": collective, "distribution": distribution}
    for language in languages:
        words = voice(language, tables.is_published(collective)).words(synthetic)
        for kind, draw in KINDS.items():
            for sensitive, part in tables.by_subject(rows[kind]).items():
                name = figure_path(part["analysis"].iloc[0], kind, sensitive, language)
                of_subject = tables.by_subject(worst)[sensitive]
                write_text(
                    Path(folder) / Path(name).name, draw(part, of_subject, words)
                )
