"""Risks of families whose tables are made up here, and what no risk is told of."""

from dataclasses import replace

import pandas as pd
import pytest

from microleak.attacks.anonymity.risks import RISKS as OF_ANONYMITY
from microleak.attacks.linkage.risks import RISKS as OF_LINKS
from microleak.attacks.risk_groups.risks import RISKS as OF_GROUPS
from microleak.attacks.table_rebuilding.risks import RISKS as OF_TABLES
from microleak.report.risks import NumberCell
from microleak.report.texts import voice
from microleak.ripd.measured import MeasuredRisk, MeasuredStudy

EN, PT = voice("en"), voice("pt")


def found(risks, rows, voiced=EN):
    (name,) = risks.tables
    return [*risks.found({name: pd.DataFrame(rows)}, {}, voiced)]


LINKED = {
    **{"table": "town", "focal": "2022", "auxiliary": "2023"},
    **{"stable": "SEX|BIRTH", "drifting": "DISTRICT", "n_links": 4, "n_focal": 5},
}


def test_a_link_without_an_identifier_is_a_risk_of_the_share_that_have_one():
    (risk,) = found(OF_LINKS, [LINKED])
    assert risk.chance == NumberCell("linkage", 1, "n_links", "n_focal")
    assert "by SEX, BIRTH and DISTRICT alone, someone who has both releases links" in (
        risk.words
    )
    (risk,) = found(OF_LINKS, [LINKED], PT)
    assert "por SEX, BIRTH e DISTRICT e sem identificador" in risk.words
    (risk,) = found(OF_LINKS, [LINKED | {"drifting": ""}])
    assert "by SEX and BIRTH alone, someone who has" in risk.words


def group(value, n_certain, n_members, ratio, **more):
    """A row of a group; ten of two hundred are found."""
    return {
        **{"table": "town", "focal": "2023", "by": "SEX", "attribute": "SEX"},
        **{"kind": "value", "value": value, "is_missing": "false"},
        **{"qids": "AGE", "n_qids": 1, "sensitive": "", "n_records": 200},
        **{"n_members": n_members, "n_certain": n_certain},
        **{"risk_ratio_det": ratio, "posterior_det": n_certain / n_members},
    } | more


def test_the_group_most_at_risk_of_each_attack_is_a_risk():
    rows = [
        group("F", 2, 100, 0.25),
        group("M", 8, 100, 4.0),
        group("F", 6, 100, 1.5, sensitive="ILL"),
        group("M", 4, 100, 0.7, sensitive="ILL"),
    ]
    person, value = found(OF_GROUPS, rows)
    assert person.chance == NumberCell("risk_groups", 2, "posterior_det")
    assert value.chance == NumberCell("risk_groups", 3, "posterior_det")
    kinds = person.kind, value.kind, value.sensitive
    assert kinds == ("reidentification", "inference", "ILL")
    assert "drawn at random from those with SEX M, the group most" in person.words
    person, value = found(OF_GROUPS, rows, PT)
    assert "uma pessoa sorteada entre aquelas com SEX F" in value.words
    # Where none is found more often than others there is no such risk.
    assert found(OF_GROUPS, [group("F", 5, 100, 1.0), group("M", 5, 100, 1.0)]) == []


def region(name, share, **more):
    return {
        **{"analysis": "counts", "table": "town", "focal": "2023", "region": name},
        **{"share_proved": share, "chance": 1.0, "crossings": "SEX, AGE|AGE"},
    } | more


def test_tables_are_a_risk_in_the_region_where_most_records_are_proved():
    rows = [region("Hill", 0.2), region("Harbour", 0.4), region("North", None)]
    (risk,) = found(OF_TABLES, rows)
    assert risk.chance == NumberCell("table_rebuilding", 2, "share_proved")
    assert risk.words.startswith("The published tables of town 2023 Harbour (analysis")
    of_noise = [region("Hill", 0.5, chance=0.95)]
    (risk,) = found(OF_TABLES, of_noise)
    assert "right with a chance of 95.00% or more" in risk.words
    (risk,) = found(OF_TABLES, of_noise, PT)
    assert "está certo com chance de 95,00% ou mais" in risk.words
    alone = region("", 1.0, table="", focal="")
    assert "tables of counts (analysis counts)" in found(OF_TABLES, [alone])[0].words
    assert found(OF_TABLES, [region("Hill", None)]) == []


def test_who_looks_up_the_population_is_a_risk_by_its_counts_or_their_bounds():
    nothing = dict.fromkeys(
        f"{name}{end}"
        for name in ("marketer_risk", "n_unique_both")
        for end in ("", "_least", "_most")
    )
    sample = {"analysis": "looked-up", "table": "town", "focal": "2022"} | nothing
    sample |= {"n_qids": 1, "sensitive": ""}
    known = {"marketer_risk": 0.25, "n_unique_both": 3}
    bounded = {"n_unique_both_least": 2, "n_unique_both_most": 5}
    rows = [
        sample | {"qids": "AGE"} | known,
        sample | {"qids": "SEX"},
        sample | {"qids": "AGE|SEX", "n_qids": 2, "marketer_risk_most": 0.5} | bounded,
    ]
    (risk,) = found(OF_ANONYMITY, rows[:2])
    assert risk.chance == NumberCell("anonymity", 1, "marketer_risk")
    assert risk.words.endswith("; 3 are alone there and in 2022.")
    (risk,) = found(OF_ANONYMITY, rows)
    assert risk.chance.row == 1  # what is known, not what it is at most
    (risk,) = found(OF_ANONYMITY, rows[1:], PT)
    assert risk.chance == NumberCell("anonymity", 2, "marketer_risk_most")
    assert "com no máximo esta chance" in risk.words
    assert [each.column for each in risk.cells] == [*bounded][::-1]
    assert found(OF_ANONYMITY, rows[1:2]) == []


@pytest.mark.parametrize(
    ("voiced", "said"), [(EN, "models of anonymity"), (PT, "modelos de anonimato")]
)
def test_what_was_measured_and_tells_no_risk_is_named(
    voiced, said, tmp_path, monkeypatch
):
    analyses = {"anonymity": [{}], "mechanism": []}
    tables = {"town": {"releases": ["2022", "2023"]}}
    content = {"analyses": analyses, "tables": tables}
    told = {"config": {"content": content}, "outputs": []}
    study = MeasuredStudy(tmp_path, told)
    assert study.untold(voiced) == [said]
    (risk,) = found(OF_LINKS, [LINKED])
    looked_up = MeasuredRisk("anonymity", "looked-up", replace(risk, is_further=True))
    monkeypatch.setattr(MeasuredStudy, "_risks", lambda *_: iter([looked_up]))
    assert study.untold(voiced) == []
    # What others tell of the same stands first, and it alone where there are none.
    monkeypatch.setattr(MeasuredStudy, "_chance", lambda *_: 0.5)
    assert study.risks(voiced) == ([looked_up], [])
    both = [looked_up, MeasuredRisk("linkage", "links", risk)]
    monkeypatch.setattr(MeasuredStudy, "_risks", lambda *_: iter(both))
    assert study.risks(voiced) == (both[1:], both[:1])
