"""The tables of a public report, in the finest steps in which nothing tells.

Shares have steps by how many records they are of (`microleak.disclosure.rounding`).
Where these tell of few persons, all shares of the report have the next coarser one that
does not (docs/decisions/0027-public-proof.md).
"""

from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING

from microleak.base.progress import tell
from microleak.disclosure.proof import tells
from microleak.disclosure.rounding import STEPS
from microleak.families import publications
from microleak.family import PublicForm
from microleak.report.contents import Tables
from microleak.study.known_sizes import Sizes, known_sizes
from microleak.study.proof import book_of_tables
from microleak.study_file.model import Study

if TYPE_CHECKING:
    import pandas as pd


def finest_tables(study: Study, study_dir: Path) -> "dict[str, pd.DataFrame]":
    """Return the tables of a public report by name, and tell what they leave out.

    Those in the coarsest steps where nothing that is finer is proved.
    """
    readers: tuple[Sizes, ...] = ({}, known_sizes(study, study_dir))
    tried: list[dict[str, pd.DataFrame]] = []
    for finest in STEPS:
        form = PublicForm(finest)
        tables = {
            name: table
            for each in publications().values()
            for name, table in each.public(study, study_dir, form)
        }
        if tried and all(tables[name].equals(tried[-1][name]) for name in tables):
            continue
        tried.append(tables)
        books = (book_of_tables(_as_read(tables), sizes) for sizes in readers)
        if not any(map(tells, books)):
            break
    if len(tried) > 1:
        said = _(
            "warning: {study}: all shares of the public report are in steps of {step}% "
            "or coarser ones, as finer ones would tell of few persons "
            "(docs/decisions/0027-public-proof.md)"
        )
        form.warnings.insert(0, said.format(study=study.name, step=finest))
    for warning in form.warnings:
        tell(warning)
    return tried[-1]


def _as_read(tables: "dict[str, pd.DataFrame]") -> Tables:
    """Return tables as a report has them."""
    analyses: dict[str, dict[str, pd.DataFrame]] = {}
    of_study = {}
    for path, table in tables.items():
        kind, _, name = path.partition("/")
        if name:
            analyses.setdefault(kind, {})[name] = table
        else:
            of_study[kind] = table
    return Tables(analyses, of_study)
