"""The report of a study, made from what is published."""

from collections.abc import Iterable
from pathlib import Path

from microleak.base.files import whole_folder
from microleak.report.drawn import in_languages
from microleak.report.page import read_figures, write_report
from microleak.report.public import write_public_report
from microleak.report.texts import voice
from microleak.study.account import check_account, check_form
from microleak.study.public_report import PublicReport
from microleak.study.published import Published, shown_families


def write_page(study_dir: Path, figures: Iterable[Path]) -> None:
    """Write the pages of the report, and the tables that they show to report/data."""
    published = Published(study_dir)
    languages = published.facts["languages"]
    if published.facts["audience"] == "public":
        _write_public_page(study_dir, published)
        return
    study, tables = published.headline(), published.tables()
    families = shown_families()
    undrawn = [
        each
        for name, family in families.items()
        for each in family.figures(study, tables.of_family(name))
    ]
    voices = [study.voice(language) for language in languages]
    drawn = read_figures(figures) | in_languages(undrawn, voices)
    with whole_folder(study_dir / "report") as folder:
        write_report(folder, study, tables, drawn, languages, families)


def _write_public_page(study_dir: Path, published: Published) -> None:
    facts, sources = published.facts, published.sources.values()
    voices = [voice(each, sources) for each in facts["languages"]]
    tables, lines = published.tables(), facts["line_tables"]
    with whole_folder(study_dir / "report") as folder:
        name = facts["study"]
        write_public_report(folder, name, tables, lines, voices)
        report = PublicReport(folder)
        check_form(report)
        check_account(report, study_dir)
