"""The report of a study, from what is published of it."""

from collections.abc import Iterable
from pathlib import Path

from microleak.base.files import whole_folder
from microleak.families import FAMILIES
from microleak.family import load
from microleak.report.families import Families
from microleak.report.files import read_figures, write_report
from microleak.report.parts import in_languages
from microleak.report.public_page import write_public_report
from microleak.study.published import Published

SHOWN: Families = {each.name: load(each.part) for each in FAMILIES if each.part}
"""How each family is shown, in the order of the page."""


def write_page(study_dir: Path, figures: Iterable[Path]) -> None:
    """Write the pages of the report, and the tables that they show to report/data.

    Figures that no step has drawn, as those that compare releases, are written to
    report/figures. A public report is one page.

    Parameters
    ----------
    study_dir
        Folder of the study's results.
    figures
        Folders of the figures that steps of families have drawn.
    """
    published = Published(study_dir)
    languages = published.facts["languages"]
    if published.facts["audience"] == "public":
        with whole_folder(study_dir / "report") as folder:
            study, shown = published.facts["study"], published.public_tables()
            write_public_report(folder, study, shown, languages)
        return
    study, tables = published.headline(), published.tables()
    undrawn = [each for f in SHOWN.values() for each in f.figures(study, tables)]
    drawn = read_figures(figures) | in_languages(undrawn, languages)
    with whole_folder(study_dir / "report") as folder:
        write_report(folder, study, tables, drawn, languages, SHOWN)
