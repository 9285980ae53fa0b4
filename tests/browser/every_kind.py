"""A census with an analysis of every kind, in English."""

from collections import defaultdict
from dataclasses import replace

from microleak.attacks.collective.report.contents import Listed
from tests.attacks.collective import explorable_study, state_study
from tests.contract.families import examples
from tests.report.made import Told, draw_families, report_pages

LANGUAGES = ("en",)


def tables_of():
    """All tables of the study."""
    census = explorable_study.tables_of()
    which = {"analysis": "pupils", "table": "census", "focal": "2018"}
    severe = state_study.groups("RR-2023").assign(**which)
    families = defaultdict(dict)
    for analysis, exact in examples().items():
        for table, rows in exact.items():
            families[table][analysis] = rows
    groups = {"pupils": severe}
    return replace(census, groups=groups, families=families)


def pages_of(tables, of_census):
    """The texts of all pages, with figures, those of the census as they are given."""
    figures = {**of_census, **dict(draw_families(tables.families, LANGUAGES, ()))}
    study = Told("census", groups={"pupils": {"severe": Listed("ILL", 2)}})
    return report_pages(study, tables, figures, LANGUAGES)
