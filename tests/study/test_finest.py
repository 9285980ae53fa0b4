"""The finest steps in which a public report tells of no few persons."""

import json

import numpy as np
import pandas as pd
import pytest

from microleak.base.progress import told_by
from microleak.study.certificate import certificate
from microleak.study.finest import finest_tables
from microleak.study.proof import proof_of, told
from scripts.check_certificate import check
from tests.attacks.collective.test_margin import study_of
from tests.study.proved_page import made, written

QIDS = ("sex", "race", "school")


def town(n):
    """People with few values, whose combinations are hardly more than a step of 2%."""
    rng = np.random.default_rng(5)
    race, school = [0.45, 0.42, 0.1, 0.02, 0.01], [4, 7, 7, 10, 14, 19, 39]
    columns = {
        "sex": rng.choice(["f", "m"], n),
        "race": rng.choice([*"abcde"], n, p=race),
        "school": rng.choice(7, n, p=np.divide(school, 100)),
        "ill": "no",
    }
    return pd.DataFrame(columns).astype(str)


def test_an_end_that_sizes_exclude_need_not_be_reached(tmp_path):
    """Of 89 that round to none, 63 may be alone by sizes alone, and 55 by all classes.

    Ten counts that stay possible are enough then, and the certificate says so.
    """
    people = town(9_000)
    groups = QIDS, ["sex"]
    page = made(tmp_path, people.to_dict("records"), QIDS, groups, search=False)
    folder = written(tmp_path / "report", page)
    known = {qid: people[qid].value_counts().to_dict() for qid in QIDS}
    outcome = proof_of(folder, {("people", "2"): known})
    assert [*told(outcome)] == []
    book, proof = outcome.book, outcome.proof
    (far,) = (
        each
        for each in proof.proved
        if str(each.claim.about) == "town-blocks.csv, line 6, alone_pct"
        and each.claim.end == "largest"
    )
    count, _ = book.shares[far.claim.about]
    assert proof.witnesses[far.witness][count] == 55
    assert [*check(json.loads(json.dumps(certificate(outcome))))] == []


def steps_of(tables):
    return {
        int(step) for table in tables.values() for step in table.get("step_pct", ())
    }


def test_all_shares_have_the_finest_steps_that_are_proved(tmp_path):
    """In steps of 2% how many are in larger blocks says how few may be alone."""
    study = study_of(tmp_path, town(6_000), QIDS, ())
    said = []
    with told_by(said.append):
        tables = finest_tables(study, tmp_path)
    assert steps_of(tables) == {5}
    (warning,) = said
    assert warning.startswith(
        "warning: town: all shares of the public report are in steps of 5% or coarser "
        "ones, as finer ones would tell of few persons"
    )


def test_steps_by_size_are_kept_where_they_tell_nothing(tmp_path):
    study = study_of(tmp_path, town(30_000), QIDS, ())
    said = []
    with told_by(said.append):
        tables = finest_tables(study, tmp_path)
    assert (steps_of(tables), said) == ({1}, [])


@pytest.mark.parametrize(
    ("n", "tried"), [(1_000, [10, 20, 50]), (30_000, [1, 2, 5, 10, 20, 50])]
)
def test_steps_are_the_coarsest_where_nothing_is_proved(
    tmp_path, monkeypatch, n, tried
):
    """The proof of the report then says what tells."""
    found = []

    def tells(book):
        found.append(book.finest)
        return True

    monkeypatch.setattr("microleak.study.finest.tells", tells)
    study = study_of(tmp_path, town(n), QIDS, ())
    assert steps_of(finest_tables(study, tmp_path)) == {50}
    assert found == tried
