"""Steps of a public report's shares, and what of them is proved for known sizes."""

import json

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.collective.publish import public
from microleak.report.contents import Tables
from microleak.study.certificate import certificate
from microleak.study.proof import proof_of, told
from scripts.check_certificate import check
from tests.attacks.collective.test_margin import study_of
from tests.disclosure.ends import excluded
from tests.study.proved_page import made, written, written_tables

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
    """Of 89 that round to none, 63 may be alone by sizes alone, and 53 by all classes.

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
    assert proof.witnesses[far.witness][count] == 53
    told_ = json.loads(json.dumps(certificate(outcome)))
    assert [*check(told_)] == []
    (whole,) = (n for n in told_["numbers"] if n["key"][0] == "records")
    whole["high"] += 1
    assert "claim of town-blocks.csv, line 6, alone_pct: largest, without a proof" in [
        *check(told_)
    ]


def page_of(folder, people, step):
    """A page of blocks by all QIDs, in steps that are no finer."""
    study = study_of(folder, people, QIDS, ())
    study.step = step
    tables = dict(public(study, folder))
    analyses = {kind: {"s": tables[f"{kind}/s"]} for kind in ("blocks", "inference")}
    assert {*analyses["blocks"]["s"]["step_pct"]} == {step}
    of_study = {name: tables[name] for name in ("releases", "drawn")}
    return written_tables(folder / "report", Tables(analyses, of_study))


@pytest.mark.parametrize("step", [2, 5])
def test_a_coarser_step_may_tell_nothing_where_a_finer_one_does(tmp_path, step):
    """In steps of 2% how many are in larger blocks says how few may be alone.

    Ten counts stay possible all the same, and so nothing is told.
    """
    people = town(6_000)
    known = {qid: people[qid].value_counts().to_dict() for qid in QIDS}
    outcome = proof_of(page_of(tmp_path, people, step), {("people", "2"): known})
    edge = "s-blocks.csv, line 6, alone_pct", "largest"
    ends = {(str(claim.about), claim.end) for claim in excluded(outcome.book)}
    assert ends == ({edge} if step == 2 else set())
    assert [*told(outcome)] == []


@pytest.mark.parametrize("step", [20, 50])
def test_shares_in_coarse_steps_are_proved_and_checked(tmp_path, step):
    outcome = proof_of(page_of(tmp_path, town(6_000), step))
    assert [*told(outcome)] == []
    assert [*check(json.loads(json.dumps(certificate(outcome))))] == []


def test_groups_that_have_no_large_block_leave_small_ones_no_room(tmp_path):
    """Of 40 places of 101 to 140, in two blocks below 100 each, nobody can be alone.

    Sizes leave 40 who are: one in each place.
    """
    rows = [
        {"place": str(place), "half": str(i % 2), "ill": "no"}
        for place in range(40)
        for i in range(101 + place)
    ]
    qids = ["place", "half"]
    page = made(tmp_path / "made", rows, qids, (qids, ["half"]), search=False)
    folder = written(tmp_path / "report", page)
    known = {qid: pd.DataFrame(rows)[qid].value_counts().to_dict() for qid in qids}
    assert any(
        each.endswith("alone_pct (half, place): fewer than ten counts stay possible")
        for each in told(proof_of(folder, {("people", "2"): known}))
    )
