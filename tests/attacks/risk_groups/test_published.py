"""What the public sees of groups at risk: shares of large ones, all rounded."""

import re
from types import SimpleNamespace

import pytest

from microleak.attacks.risk_groups.analysis import RiskGroups
from microleak.attacks.risk_groups.measure import TABLES
from microleak.attacks.risk_groups.publish import PUBLICATION
from microleak.report.contents import Tables
from microleak.tables.files import write_table
from tests.attacks.collective.public_study import RELEASES, page_of
from tests.attacks.risk_groups.publishing import publish_alone
from tests.attacks.risk_groups.shown_rows import groups, row


def people(**n_alone):
    """People of races, so many of each in all and so many alone by their code."""
    rows = []
    for race, (n, alone) in n_alone.items():
        rows += [{"code": f"{race}{i}", "race": race} for i in range(alone)]
        rows += [{"code": "common", "race": race}] * (n - alone)
    return rows


def shown(table, *columns):
    return table[[*columns]].to_numpy().tolist()


def test_shares_of_large_groups_and_of_all_are_rounded_by_their_members(tmp_path):
    given = people(a=(1_400, 300), b=(5_200, 520), c=(600, 600), d=(900, 0))
    table = publish_alone(tmp_path, given, ["code"], ["race"])
    columns = ["value", "step_pct", "alone_pct", "step_of_all_pct", "alone_of_all_pct"]
    assert shown(table, *columns) == [["a", 10, 20, 2, 18], ["b", 2, 10, 2, 18]]
    assert [*table.columns] == TABLES["alone"].names


def test_a_small_group_is_not_what_remains_of_the_whole(tmp_path):
    given = people(a=(1_900, 3), b=(1_100, 9), c=(1_149, 4), d=(999, 9))
    assert shown(publish_alone(tmp_path, given, ["code"], ["race"]), "value") == [
        ["a"],
        ["c"],
    ]
    given = people(a=(1_900, 3), b=(1_100, 9), c=(1_149, 4), d=(999, 9), e=(1, 0))
    assert len(publish_alone(tmp_path, given, ["code"], ["race"])) == 3


def test_which_of_two_is_left_out_follows_from_their_members_to_the_hundred(tmp_path):
    for n in (1_051, 1_149):
        given = people(a=(1_100, 3), b=(n, 9), c=(2, 0))
        table = publish_alone(tmp_path, given, ["code"], ["race"])
        assert shown(table, "value") == [["b"]]


def test_of_one_attribute_the_first_grouping_is_there_and_without_large_groups_none(
    tmp_path,
):
    by = [{"of": "race", "sizes": [2_000], "name": "size"}, "race"]
    given = people(a=(1_100, 3), b=(1_100, 9), c=(2_200, 0))
    table = publish_alone(tmp_path, given, ["code"], by)
    assert shown(table, "by", "attribute", "kind", "value") == [
        ["size", "race", "size", "0-1999"],
        ["size", "race", "size", "2000-"],
    ]
    few = people(a=(999, 3), b=(999, 9))
    assert publish_alone(tmp_path, few, ["code"], ["race"]).empty
    assert publish_alone(tmp_path, few[:900], ["code"], ["race"]).empty


def test_counts_that_round_alike_publish_the_same_bytes(tmp_path):
    texts = {
        publish_alone(
            tmp_path, people(a=(1_000, n), b=(1_000, 9 - n)), ["code"], ["race"]
        ).to_csv()
        for n in range(10)
    }
    assert len(texts) == 1


def test_nothing_but_this_table_is_published_and_only_with_all_qids(tmp_path):
    given = {"name": "a", "table": "t", "focal": "1", "qids": ["SEX", "AGE"]}
    given |= {"by": ["RACE"], "sensitive": ["ILL"]}
    studied = {
        "at-risk": RiskGroups.model_validate(given),
        "few": RiskGroups.model_validate(given | {"subsets": {"sizes": [1]}}),
    }
    study = SimpleNamespace(analyses={"risk_groups": studied}, step=1)
    rows = groups(
        row("1", 1_000, 100, n_records=4_000),
        row("2", 3_000, 150, n_records=4_000),
        row("1", 1_000, 200, "ILL", n_records=4_000),
        row("1", 1_000, 10, qids="SEX", n_records=4_000),
    )
    path = tmp_path / "measures/risk_groups/at-risk.csv"
    path.parent.mkdir(parents=True)
    write_table(path, rows, TABLES["risk_groups"])
    assert [*PUBLICATION.public_needs(study)] == ["measures/risk_groups/at-risk.csv"]
    ((name, table),) = PUBLICATION.public(study, tmp_path)
    assert name == "alone/at-risk"
    assert shown(table, "value", "alone_pct") == [["1", 10], ["2", 5]]
    study.step = 10
    ((_, table),) = PUBLICATION.public(study, tmp_path)
    assert shown(table, "step_pct", "step_of_all_pct") == [[10, 10], [10, 10]]


ALONE = TABLES["alone"].frame(
    {
        **{"analysis": "at-risk", "table": "census", "focal": "2018"},
        **{"by": "TP_SEXO", "attribute": "TP_SEXO", "kind": "value", "value": value},
        **{"is_missing": "false", "qids": "AGE|TOWN", "n_qids": 2},
        **{"step_pct": 5, "alone_pct": share, "step_of_all_pct": 2},
        "alone_of_all_pct": 62,
    }
    for value, share in (("1", 0), ("2", 65))
)


@pytest.mark.parametrize(
    ("language", "heading", "cells", "none"),
    [
        (
            "en",
            "62% of all people are alone in their block, by two facts",
            ["sex", "2", "65%", "5%"],
            "No group is shown: groups of fewer than 1,000",
        ),
        (
            "pt",
            "62% de todas as pessoas estão sozinhas em seu bloco, com duas informações",
            ["sexo", "2", "65%", "5%"],
            "Nenhum grupo é mostrado: omitem-se os de menos",
        ),
    ],
)
def test_the_public_page_shows_groups_in_each_language(language, heading, cells, none):
    kinds = {"alone": {"at-risk": ALONE, "small": ALONE.iloc[:0]}}
    tables = Tables(kinds, {"releases": RELEASES})
    page = page_of(tables, [language])
    assert heading in page
    told = [re.findall(">([^<\n]+)</t", tr) for tr in page.split("<tr>")]
    assert cells in told
    assert [cells[0], "1", "&lt;5%", "5%"] in told
    assert none in page
    assert 'href="data/at-risk-alone.csv"' in page
    assert "data/small-alone.csv" not in page
    assert [*tables.files()] == ["data/at-risk-alone.csv", "data/releases.csv"]
