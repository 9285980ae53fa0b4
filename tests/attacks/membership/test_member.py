"""The membership attack on one target, from files of records."""

import pytest

from microleak.attacks.membership.measure import attack_member
from microleak.base.errors import TableError
from microleak.study.tables import result_tables as specs
from tests.attacks.membership.test_membership import NAMES, POPULATION, SAMPLE, WOMAN
from tests.compared import CODED, PENSE, compared, files, member_analysis

MEMBER = tuple(specs()["member"].names)


def attacked(folder, known, population=POPULATION, sample=SAMPLE, **more):
    analysis = compared(NAMES, **more)
    both = files(folder, population, sample, NAMES)
    table = attack_member(*both, analysis, "t", known, {})
    (row,) = table.astype(object).where(table.notna(), None).to_dict("records")
    assert tuple(row) == MEMBER
    return row


def test_the_papers_woman_is_certainly_in_the_sample(tmp_path):
    row = attacked(tmp_path, {"state": "SP", "sex": "F"})
    assert (row["target"], row["known"], row["n_known"]) == ("t", "state|sex", 2)
    assert (row["outcome"], row["n"], row["d"]) == ("match", 1, 1)
    assert (row["prior"], row["posterior"], row["degradation"]) == (0.4, 1, 2.5)
    assert (row["posterior_printed"], row["degradation_printed"]) == (1, 2.5)


def test_who_is_not_in_the_population_has_no_posterior(tmp_path):
    row = attacked(tmp_path, {"state": "nowhere"})
    assert (row["outcome"], row["n"], row["prior"]) == ("no match", 0, 0.4)
    empty = ("posterior_printed", "degradation_printed", "posterior", "degradation")
    assert [row[name] for name in (*empty, "bayes_posterior")] == [None] * 5


def test_the_sample_is_asked_in_the_codes_of_the_population(tmp_path):
    students = [("1", "3", "A"), ("2", "4", "A"), ("2", "4", "B")]
    both = files(tmp_path, students, [("99", "3", "A")], [*PENSE], PENSE.values())
    known = {"race": {"TP_COR_RACA": "4"}, "sex": {"TP_SEXO": None}}
    analysis = compared(PENSE, crosswalk=CODED)
    found = [attack_member(*both, analysis, *of, {}).iloc[0] for of in known.items()]
    assert [(row["n"], row["d"]) for row in found] == [(2, 1), (0, 1)]


def test_nobody_is_attacked_in_a_sample_of_nobody(tmp_path):
    with pytest.raises(TableError, match="the sample survey 2 has no record"):
        attacked(tmp_path, {"sex": "F"}, keep={"sex": ("M",)}, sample=SAMPLE[:2])


def test_nobody_is_attacked_in_a_sample_larger_than_its_population(tmp_path):
    with pytest.raises(TableError, match="survey 2 has 11, more than the 10 of the"):
        attacked(tmp_path, {"sex": "F"}, sample=[*POPULATION, WOMAN])


def test_who_prints_an_analysis_does_not_see_what_is_known():
    assert "canary" not in repr(member_analysis(NAMES, {"t": {"state": "canary"}}))
