"""A policy: what its file may say, which limits tables keep, and how that is told."""

import json
from datetime import date
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from microleak.base.errors import StudyError
from microleak.policy.limits import lines_of, read_policy
from microleak.policy.verdicts import GivenTable, became_worse, verdicts
from microleak.policy.written import annotations, as_json, junit, said_of
from microleak.study.tables import result_tables as specs

TODAY = date(2026, 11, 30)
HEAD = "version: 1\nname: Public release\n"


def policy_of(folder, text):
    path = folder / "policy.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    return read_policy(path)


def success(qids, number, sensitive="", attack="CRS"):
    row = dict.fromkeys(specs()["collective"].names)
    return row | {
        **{"attack": attack, "analysis": "town", "table": "town", "focal": "2023"},
        **{"qids": qids, "n_qids": qids.count("|") + 1, "sensitive": sensitive},
        **{"auxiliary": "", "n_records": 22, "posterior_prob": number},
    }


def given_tables(*rows):
    return [GivenTable("town.csv", specs()["collective"], pd.DataFrame(rows))]


def found(folder, text, *rows):
    policy = policy_of(folder, text)
    return [*verdicts(policy, given_tables(*rows), TODAY)]


def limit(more, name="guess"):
    return f"limits: [{{name: {name}, measure: collective.posterior_prob, {more}}}]\n"


ROWS = (success("age", 2 / 22), success("age|sex", 0.5), success("a|b|c", 1.0))


@pytest.mark.parametrize(
    ("text", "status", "n_broken"),
    [
        (limit('at_most: "1/11"'), "broken", 2),
        (limit('at_most: "0.09"'), "broken", 3),
        (limit('at_most: "1/2"') + "facts: {any: 2}", "kept", 0),
        (limit('at_most: "1/2"') + "facts: {sets: [[age, sex]]}", "kept", 0),
        (limit('at_most: "0.4"') + "facts: {sets: [[age, sex], [x]]}", "broken", 1),
        (limit("at_least: 1"), "broken", 2),
        (limit('at_most: "0.4", where: {qids: age}'), "kept", 0),
        (limit('at_most: "0.4", where: {attack: [CAS, CAL]}'), "unmeasured", 0),
        (limit("at_most: 1, where: {focal: 2023}"), "kept", 0),
        (limit('at_most: "1/2", facts: {any: 2}'), "kept", 0),
    ],
)
def test_a_limit_is_kept_or_broken_by_exact_numbers(tmp_path, text, status, n_broken):
    (verdict,) = found(tmp_path, text, *ROWS)
    assert (verdict.status, len(verdict.broken)) == (status, n_broken)


def test_of_sensitive_attributes_those_of_the_policy_count(tmp_path):
    rows = [success("age", 0.9, name, "CAS") for name in ("HIV", "income")]
    text = limit('at_most: "0.5"') + "sensitive: [HIV]"
    (verdict,) = found(tmp_path, text, *rows, success("age", 0.1))
    assert [row.of["sensitive"] for row in verdict.broken] == ["HIV"]


EXCUSE = "accept: [{limit: guess, where: {qids: %s}, why: %s, who: DPO, until: %s}]"


@pytest.mark.parametrize(
    ("qids", "until", "status", "n_broken"),
    [
        ("a|b|c", "2026-11-30", "broken", 1),
        ("a|b|c", "2026-11-29", "broken", 2),
        ("[a|b|c, age|sex]", "2027-01-01", "accepted", 0),
    ],
)
def test_an_exception_holds_until_its_day(tmp_path, qids, until, status, n_broken):
    text = limit('at_most: "1/11"') + EXCUSE % (qids, "known", until)
    (verdict,) = found(tmp_path, text, *ROWS)
    assert (verdict.status, len(verdict.broken)) == (status, n_broken)
    assert "known" in verdict.why or until == "2026-11-29"


def test_a_number_that_is_not_there_is_not_kept(tmp_path):
    text = limit("at_most: 1")
    (verdict,) = found(tmp_path, text, success("age", None))
    assert verdict.status == "unmeasured"
    (verdict,) = found(tmp_path, text, success("age", None), success("sex", 1.0))
    assert verdict.status == "kept"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            limit("at_most: 1") + "limit: 3",
            "the policy has no key 'limit'; did you mean 'limits'",
        ),
        (limit("at_most: 1, at_least: 0"), "exactly one of at_most and at_least"),
        (
            limit("at_most: 9 %"),
            "at_most must be a whole number, or a fraction in quotes",
        ),
        ("limits: []", "limits"),
        (
            "limits: [{name: a, measure: colective.x, at_most: 1}]",
            "colective, which there is not. Did you mean collective",
        ),
        ("limits: [{name: a, measure: collective.qids, at_most: 1}]", "no number of"),
        (
            limit("at_most: 1, where: {qid: age}"),
            "where qid: no column of collective. Did you mean qids",
        ),
        (limit("at_most: 1") + EXCUSE % ("a", "b", "2026-02-30"), "which is no day"),
        (
            limit("at_most: 1")
            + (EXCUSE % ("a", "b", "2026-02-20")).replace("qids:", "qid:"),
            "where qid: no column of collective. Did you mean qids",
        ),
        (
            limit("at_most: 1", "gues") + EXCUSE % ("a", "b", "2026-02-20"),
            "an exception of guess, which is no limit. Did you mean gues",
        ),
    ],
)
def test_what_a_policy_cannot_say_is_refused(tmp_path, text, words):
    with pytest.raises(StudyError, match=words) as error:
        policy_of(tmp_path, text)
    assert str(error.value).isprintable()


def test_what_came_of_it_is_told_in_each_form(tmp_path):
    text = limit('at_most: "1/11"')
    broken = found(tmp_path, text, *ROWS)
    assert [*said_of(broken[0])] == [
        "guess: BROKEN: collective.posterior_prob at most 1/11; worst of 3 rows: 1",
        "  town.csv:4: 1 (attack CRS, analysis town, table town, focal 2023, "
        "qids a|b|c)",
        "  town.csv:3: 0.5 (attack CRS, analysis town, table town, focal 2023, "
        "qids age|sex)",
    ]
    path = tmp_path / "policy.yaml"
    (marked,) = annotations(broken, path, dict(lines_of(path)))
    assert marked.startswith(f"::error file={path},line=3::guess: BROKEN")
    assert "\n" not in marked
    suite = ET.fromstring(junit(broken, "Public release"))
    assert suite.attrib["failures"] == "1"
    told = json.loads(as_json(broken, {"policy": "Public release"}))
    assert told["limits"][0]["broken"][0]["qids"] == "a|b|c"


def test_of_many_rows_the_worst_are_said_and_all_are_in_the_json(tmp_path):
    rows = [success(f"q{i}", i / 100) for i in range(1, 26)]
    (broken,) = found(tmp_path, limit("at_most: 0"), *rows)
    _, first, *_, last, more = said_of(broken)
    assert ("0.25 (" in first, "0.06 (" in last, more) == (True, True, "  and 5 more")
    (told,) = json.loads(as_json([broken], {}))["limits"]
    assert [each["number"] for each in told["broken"]] == [
        i / 100 for i in range(25, 0, -1)
    ]


def test_what_became_worse_is_told(tmp_path):
    text = limit("at_most: 1")
    now, before = (found(tmp_path, text, success("age", n)) for n in (0.5, 0.25))
    assert [(n, b) for _, n, b in became_worse(now, before)] == [(0.5, 0.25)]
    assert [*became_worse(before, now)] == []
