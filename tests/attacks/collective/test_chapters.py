"""Chapters of one table's releases, whose findings can be put side by side."""

import pandas as pd
import pytest

from microleak.attacks.collective.report.chapters import attacked
from microleak.attacks.collective.report.contents import Facts
from microleak.attacks.collective.report.drawing import figure_path
from microleak.report.texts import voice
from tests.report.made import Made

QIDS = ("TP_SEXO", "NU_MES|TP_SEXO", "NU_MES|TP_SEXO|CO_ENTIDADE")


@pytest.fixture
def headings(make_subset, make_worst):
    """What is told of analyses, each with how many records its subsets single out."""

    def tell(**analyses):
        collective, worst, bins = {}, {}, {}
        for name, (counts, table) in analyses.items():
            row = {"analysis": name, "table": table}
            rows = [
                make_subset(qids, n, n + 1, **row)
                for qids, n in zip(QIDS, counts, strict=True)
            ]
            collective[name], worst[name] = pd.DataFrame(rows), make_worst(*rows)
            bins[name] = pd.DataFrame(
                [each | {"bin": 100, "n_records": 1_000} for each in rows]
            )
        figures = {
            figure_path(name, kind, "", "en"): "<svg></svg>"
            for name in analyses
            for kind in ("success", "distribution")
        }
        tables = Made(collective, worst, bins, pd.DataFrame())
        english = voice("en")
        told = attacked(Facts(), tables.measures, figures, english)
        return [each.sections[0].finding.heading for each in told]

    return tell


def test_releases_with_the_same_qids_are_told_with_the_same_adversaries(headings):
    first, second = headings(
        **{"2022": ((10, 600, 940), "town"), "2023": ((500, 610, 930), "town")}
    )
    assert first.endswith(
        "two facts (month of birth and sex) are enough for 60.00% (600)"
    )
    assert second.endswith(
        "two facts (month of birth and sex) are enough for 61.00% (610)"
    )


def test_another_table_is_told_with_its_own_few_facts(headings):
    _, other = headings(
        town=((10, 600, 940), "town"), pupils=((500, 610, 930), "school")
    )
    assert other.endswith("one fact (sex) is enough for 50.00% (500)")
