"""Public reports are proved from their own files, and planted leaks are found."""

import copy
import json
import re
import shutil
import stat
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jinja2 import UndefinedError

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.risk_groups.analysis import RiskGroups
from microleak.attacks.risk_groups.measure import risk_table
from microleak.base.errors import StudyError, VerificationError
from microleak.base.machine import Resources
from microleak.base.progress import told_by
from microleak.cli import main
from microleak.disclosure.book import Book, Cell
from microleak.disclosure.proof import prove
from microleak.family import measured, people
from microleak.study.beside import Beside
from microleak.study.certificate import Outcome, certificate
from microleak.study.known_sizes import check_sizes, known_sizes
from microleak.study.neighbours import (
    reports_of_other_records,
    reports_of_same_records,
)
from microleak.study.proof import (
    PublicReport,
    book_of,
    check_proved,
    proof_of,
    prove_study,
    told,
)
from microleak.study.publish import publications
from microleak.study.tables import tables as specs
from microleak.tables.files import write_table
from scripts.check_certificate import check, is_share
from tests.commands import microleak
from tests.panels import collective
from tests.study.proved_page import (
    QIDS,
    made,
    of_releases,
    town,
    written,
    written_tables,
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return made(tmp_path_factory.mktemp("town"), town())


@pytest.fixture(scope="module")
def kept(tmp_path_factory, page):
    """A report that no test changes."""
    return written(tmp_path_factory.mktemp("kept") / "report", page)


@pytest.fixture(scope="module")
def certified(kept):
    """The certificate of the report, as a text."""
    return json.dumps(certificate(proof_of(kept)))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """What becomes of a large town, of a group of which ten or more are told."""
    folder = tmp_path_factory.mktemp("large")
    return proof_of(written(folder / "report", made(folder, town(5, 31_002))))


@pytest.fixture
def report(tmp_path, kept):
    return shutil.copytree(kept, tmp_path / "report")


def failing(folder, *args):
    """Say what tells; of a page in another form, that alone."""
    faults = book_of(folder, *args)[0].faults
    return faults or [*told(proof_of(folder, *args))]


def test_a_page_of_the_public_form_is_proved(report):
    outcome = proof_of(report)
    assert [*told(outcome)] == []
    assert outcome.is_proved
    about = {str(each.claim.about) for each in outcome.proof.proved}
    assert "town-blocks.csv, line 2, alone_pct" in about
    assert "town-inference.csv, line 4, posterior_pct" in about
    assert "my-alone-alone.csv, line 2, alone_pct" in about


def test_a_page_without_guesses_is_proved_and_says_why(tmp_path, page):
    without = copy.deepcopy(page)
    without.inference = page.inference.iloc[:0]
    folder = written(tmp_path / "report", without)
    assert [*told(proof_of(folder))] == []
    text = (folder / "index.html").read_text("utf-8")
    for said in ("is right is not shown here.", "Não se mostra aqui com que frequ"):
        assert text.count(said) == 1


@pytest.mark.parametrize(("first", "is_form"), [(1, False), (3, True), (4, True)])
def test_guesses_are_left_out_of_all_sets_of_so_many_qids(
    tmp_path, page, first, is_form
):
    """No single QID may be there without the others."""
    fewer = copy.deepcopy(page)
    fewer.inference = page.inference.iloc[first:]
    faults = proof_of(written(tmp_path / "report", fewer)).faults
    said = "town: its tables have other sizes of sets of QIDs"
    assert (said in faults) != is_form
    assert is_form == (faults == ())


def test_a_large_page_without_leaks_passes(large):
    assert [*told(large)] == []


@pytest.mark.parametrize("seed", range(1, 5))
def test_pages_without_leaks_pass(tmp_path, seed):
    n = (1_204, 2_377, 5_120, 12_044)[seed - 1]
    folder = written(tmp_path / "report", made(tmp_path / "made", town(seed, n)))
    outcome = proof_of(folder)
    assert [*told(outcome)] == []


def test_the_certificate_is_checked_without_a_solver(certified):
    told_ = json.loads(certified)
    assert [*check(told_)] == []
    told_["witnesses"][0][0] += 1
    told_["claims"][0]["within"] = -1
    assert len([*check(told_)]) > 1


def test_that_ten_or_more_are_told_openly_is_checked_without_a_solver(large):
    """By a sum of rows; a claim of more, or another sum, is found to be wrong."""
    told_ = json.loads(json.dumps(certificate(large)))
    (claim,) = (each for each in told_["claims"] if each["witness"] is None)
    assert (claim["end"], claim["within"]) == ("all", 10)
    assert [*check(told_)] == []
    claim["within"] = 11
    assert len([*check(told_)]) == 1
    claim["within"] = 10
    for each in claim["refuted"]["sum"]:
        each[1] *= -1
        assert len([*check(told_)]) == 1
        each[1] *= -1
    claim["refuted"]["sum"].clear()
    assert len([*check(told_)]) == 1


OTHER_ENDS = {"least": "largest", "largest": "least", "none": "all", "all": "none"}
OTHER_ENDS |= {"few": "nearly all", "nearly all": "few"}


def made_up(claim, told_):
    """Claims that nothing shows, made of one that a witness shows."""
    n, distance = len(told_["rows"]), claim["distance"]
    zero = {"constant": -1, "factors": [[len(told_["numbers"]) - 1, 1]]}
    nearer = {
        "constant": claim["within"] - 1 - distance["constant"],
        "factors": [[number, -factor] for number, factor in distance["factors"]],
    }
    impossible = {"constant": -1, "factors": []}
    without = {**claim, "witness": None}
    return {
        "neither list nor refutation": without,
        "a list that is not there": claim | {"witness": len(told_["witnesses"])},
        "a list from the end": claim | {"witness": -1},
        "a list that is too far": claim | {"within": claim["within"] + 10_000},
        "what never is": without | {"further": [nearer], "refuted": {"rows": [n]}},
        "what cannot be presumed": without
        | {"further": [impossible, nearer], "refuted": {"rows": [n]}},
        "members of another number, which is 0": without
        | {"further": [zero, nearer], "refuted": {"rows": [n]}},
        "a group that is another number": claim | {"of": len(told_["numbers"]) - 1},
        "an end that it is not": claim | {"end": OTHER_ENDS[claim["end"]]},
        "a row that is not there": without
        | {"further": [nearer], "refuted": {"rows": [], "sum": [[n + 9, 1]]}},
    }


def test_a_claim_that_was_made_up_is_told(certified):
    told_ = json.loads(certified)
    told_["numbers"].append({"key": ["made up"], "low": 0, "high": 0})
    for numbers in told_["witnesses"]:
        numbers.append(0)
    assert [*check(told_)] == []
    ends = {}
    for claim in told_["claims"]:
        if claim["witness"] is not None and "refuted" not in claim:
            ends.setdefault((claim["end"], claim["within"]), claim)
    assert {end for end, _ in ends} >= {"least", "largest", "few", "nearly all"}
    for claim in ends.values():
        others = [each for each in told_["claims"] if each is not claim]
        for name, one in made_up(claim, told_).items():
            said = [*check(told_ | {"claims": [*others, one]})]
            about = f"claim of {claim['about']}: {one['end']}, "
            assert any(each.startswith(about) for each in said), (name, claim["end"])


def test_a_share_of_which_ten_or_more_are_told_is_no_proved_one(certified):
    """That ten or more are told is allowed of groups that no cell shows, alone."""
    told_ = json.loads(certified)
    claim = next(each for each in told_["claims"] if each["end"] == "least")
    distance, n = claim["distance"], len(told_["rows"])
    told_["rows"].append({**distance, "constant": -10})
    told_["witnesses"] = []
    nearer = {"constant": 9, "factors": [[m, -f] for m, f in distance["factors"]]}
    refuted = {"rows": [], "sum": [[n, 1], [n + 1, 1]]}
    one = {"about": claim["about"], "end": "least", "distance": distance, "within": 10}
    one |= {"witness": None, "further": [nearer], "refuted": refuted, "told_from": 10}
    said = [*check(told_ | {"claims": [one]})]
    assert f"claim of {claim['about']}: least, without a witness" in said


def test_a_nearest_count_that_another_cell_tells_is_no_proved_one(certified):
    """How near a count can be is shown by laws and by its own cell, and by no other."""
    told_ = json.loads(certified)
    claim = next(each for each in told_["claims"] if each["end"] == "least")
    distance, n = claim["distance"], len(told_["rows"])
    far = max(far_of(distance, each) for each in told_["witnesses"])
    row = {**distance, "constant": -far, "cell": "another"}
    told_["rows"].append(row)
    told_["witnesses"] = [w for w in told_["witnesses"] if far_of(distance, w) == far]
    nearer = {"constant": far - 1, "factors": [[m, -f] for m, f in distance["factors"]]}
    refuted = {"rows": [], "sum": [[n, 1], [n + 1, 1]]}
    one = claim | {"within": far, "witness": 0, "further": [nearer], "refuted": refuted}
    assert f"claim of {claim['about']}: least, without a proof" in [
        *check(told_ | {"claims": [one]})
    ]
    del row["cell"]
    assert not any("proof" in each for each in check(told_ | {"claims": [one]}))


@pytest.mark.parametrize(("pct", "end"), [(10, "least"), (90, "largest"), (0, "least")])
def test_an_end_that_a_share_has_not_is_none_of_its_claims(tmp_path, pct, end):
    """That nobody is possible, of a share of 10%, its own cell refutes, and so all."""
    book = Book(40_000)
    n = book.number("records", low=40_000, high=40_000)
    count = book.number("below", "")
    book.share(count, n, pct, 1, Cell("a.csv", 2, "alone_pct"))
    told_ = json.loads(json.dumps(certificate(Outcome((), book, prove(book)))))
    assert [*check(told_)] == []
    (claim,) = (each for each in told_["claims"] if each["end"] == end)
    whole = {"least": [[count, 1]], "largest": [[n, 1], [count, -1]]}[end]
    claim["distance"] = {"constant": 0, "factors": whole}
    if pct == 0:
        row = next(row for row in told_["rows"] if [count, 200] in row["factors"])
        claim["distance"] = {"constant": 0, "factors": row["factors"]}
    said = f"claim of a.csv, line 2, alone_pct: {end}, of other numbers"
    assert [*check(told_)] == [said]


def test_a_page_of_groups_alone_has_the_steps_of_all_records_too(tmp_path):
    """Of groups of 2,000 to 4,999 the steps are 5%, and of all 12,000 records 1%."""
    groups = QIDS, ["sex"]
    people = [row | {"sex": "abcd"[i % 4]} for i, row in enumerate(town(0, 12_000))]
    page = made(tmp_path / "made", people, QIDS, groups, search=False, sensitive=())
    page.blocks, page.inference = page.blocks.iloc[:0], page.inference.iloc[:0]
    outcome = proof_of(written(tmp_path / "report", page))
    assert outcome.book.finest == 1
    assert [*check(json.loads(json.dumps(certificate(outcome))))] == []


def far_of(distance, numbers):
    return sum(factor * numbers[n] for n, factor in distance["factors"])


@pytest.mark.parametrize("part", ["witnesses", "numbers"])
def test_numbers_of_a_certificate_are_whole(certified, part):
    told_ = json.loads(certified)
    if part == "witnesses":
        told_["witnesses"][0] = [float(each) for each in told_["witnesses"][0]]
    else:
        told_["numbers"][0]["high"] += 0.5
    assert "a number is not whole" in [*check(told_)]


def test_a_certificate_without_a_claim_of_a_number_is_told(certified):
    told_ = json.loads(certified)
    n_shares = len({row["cell"] for row in told_["rows"] if is_share(row)})
    n_groups = len({each["about"] for each in told_["claims"] if "of" in each})
    assert len(told_["claims"]) == 2 * n_shares + 4 * n_groups
    for claim in told_["claims"][::3]:
        others = [each for each in told_["claims"] if each is not claim]
        (said,) = check(told_ | {"claims": others})
        assert said == f"claim of {claim['about']}: {claim['end']}, not made once"


def test_a_certificate_without_any_claim_of_a_group_is_told(certified):
    """Each number that counts some of a group has four."""
    told_ = json.loads(certified)
    about = next(each["about"] for each in told_["claims"] if "of" in each)
    others = [each for each in told_["claims"] if each["about"] != about]
    (said,) = check(told_ | {"claims": others})
    assert said.endswith("counts some of a group and has no claims")


@pytest.mark.parametrize("whole", ["records", "members"])
def test_a_share_of_another_whole_is_no_claim_of_a_group(whole):
    """How many of a group are alone is told by a share of its members."""
    book = Book(40_000)
    release = "", "people", "2", ""
    n = book.number("records", *release[:3], low=40_000, high=40_000)
    members = book.number("members", *release[:3], "sex", "f", low=12_000, high=12_000)
    count = book.number("alone", *release, "sex", "f", frozenset())
    of = n if whole == "records" else members
    book.share(count, of, 0, 1, Cell("a.csv", 2, "alone_pct"))
    told_ = json.loads(json.dumps(certificate(Outcome((), book, prove(book)))))
    said = f"number {count} counts some of a group and has no claims"
    assert [*check(told_)] == ([said] if whole == "records" else [])


@pytest.mark.parametrize("change", ["times two", "left out", "twice", "coarser"])
def test_a_row_of_a_share_that_is_not_that_of_its_rounding_is_told(certified, change):
    """With its claims left out, as they would not be of its cell."""
    told_ = json.loads(certified)
    row = next(row for row in told_["rows"] if is_share(row))
    if change == "times two":
        row["constant"] *= 2
        row["factors"] = [[n, 2 * factor] for n, factor in row["factors"]]
    elif change == "twice":
        told_["rows"].append(row)
    elif change == "left out":
        told_["rows"].remove(row)
    else:
        row["factors"][1][1] += 100
    told_["claims"] = [c for c in told_["claims"] if c["about"] != row["cell"]]
    said = f"rows of {row['cell']} are not those of a rounded share"
    assert said in [*check(told_)]


@pytest.mark.parametrize("kind", ["two attributes", "linked", "beside"])
def test_certificates_of_more_than_one_attribute_or_release_are_checked(tmp_path, kind):
    """Each without a claim is told."""
    people = [row | {"rich": str(int(row["age"]) % 3)} for row in town(2, 2_377)]
    pages = {name: tmp_path / name for name in ("report", "beside")}
    for name, folder in pages.items():
        some = [*people, *people[:1]] if name == "beside" else people
        of_page = made(
            tmp_path / f"made-{name}",
            some,
            ("age", "sex"),
            (("age", "sex"), ["sex"]),
            search=False,
            sensitive=("ill", "rich") if kind == "two attributes" else ("ill",),
        )
        if kind == "linked":
            of_page.blocks["auxiliary"] = of_page.inference["auxiliary"] = "1"
        of_page.alone = of_page.alone.iloc[:0]
        written(folder, of_page)
    sizes = {"": {"": 2_377}, "ill|values": {"": 2}, "rich|values": {"": 3}}
    sizes["sex"] = pd.DataFrame(people)["sex"].value_counts().to_dict()
    known = {("people", "2"): sizes} if kind == "two attributes" else {}
    besides = [Beside(pages["beside"], n_more=1)] if kind == "beside" else []
    outcome = proof_of(pages["report"], known, *besides)
    assert [*told(outcome)] == []
    told_ = json.loads(json.dumps(certificate(outcome)))
    assert [*check(told_)] == []
    for claim in told_["claims"][:: len(told_["claims"]) // 4]:
        others = [each for each in told_["claims"] if each is not claim]
        (said,) = check(told_ | {"claims": others})
        assert said == f"claim of {claim['about']}: {claim['end']}, not made once"


def cell(kind, line, column, value):
    """Put a value in place of a published one."""

    def plant(page):
        rows = getattr(page, kind).astype(object)
        rows.loc[rows.index[line], column] = value
        setattr(page, kind, rows)

    return plant


def shifted(line, first, second, by):
    """Move percents from one class of blocks to another, so that all add up to 100."""

    def plant(page):
        rows = page.blocks
        rows.loc[rows.index[line], first] += by
        rows.loc[rows.index[line], second] -= by

    return plant


def column(kind, name, value):
    def plant(page):
        setattr(page, kind, getattr(page, kind).assign(**{name: value}))

    return plant


def again(kind, line, **changed):
    """Repeat a row, changed."""

    def plant(page):
        rows = getattr(page, kind)
        more = rows.iloc[[line]].assign(**changed)
        setattr(page, kind, pd.concat([rows, more], ignore_index=True))

    return plant


def without(kind, name):
    def plant(page):
        setattr(page, kind, getattr(page, kind).drop(columns=name))

    return plant


def every(kind, name, change):
    def plant(page):
        rows = getattr(page, kind)
        setattr(page, kind, rows.assign(**{name: rows[name].map(change)}))

    return plant


LAST = -1
IN_TABLES = {
    "a share in half its step": shifted(LAST, "alone_pct", "from_2_to_4_pct", 1),
    "a share with a decimal": cell("blocks", LAST, "alone_pct", 31.4),
    "a step of one percent": cell("blocks", 0, "step_pct", 1),
    "steps of one percent": every("blocks", "step_pct", lambda _: 1),
    "a step that is no step": cell("blocks", 0, "step_pct", 3),
    "a coarser step than that of so many records": cell("blocks", 0, "step_pct", 10),
    "an exact count for a share": cell("blocks", LAST, "alone_pct", 3153),
    "a small count for a share": cell("blocks", 0, "alone_pct", 7),
    "classes that add up to less": cell("blocks", 0, "from_100_pct", 90),
    "a class below nothing": shifted(0, "from_2_to_4_pct", "from_5_to_9_pct", -2),
    "a missing class": without("blocks", "from_5_to_9_pct"),
    "records beside the shares": column("blocks", "n_records", 5_003),
    "blocks beside the shares": column("blocks", "n_blocks", 90),
    "a row that was not chosen": again(
        "blocks", LAST - 1, qids="age|sex", is_worst="false"
    ),
    "two numbers of the same count": again("blocks", 0, from_100_pct=98, alone_pct=2),
    "the same row twice": again("blocks", LAST),
    "another worst attribute": every(
        "blocks", "is_worst", lambda worst: "false" if worst == "true" else "true"
    ),
    "fewer alone with more known": shifted(LAST, "from_100_pct", "alone_pct", 40),
    "a wrong number of QIDs": cell("blocks", 1, "n_qids", 2),
    "a right guess in half its step": cell("inference", 0, "posterior_pct", 85),
    "a right guess with a decimal": cell("inference", 0, "posterior_pct", 84.2),
    "an exact number of right guesses": cell("inference", 0, "posterior_pct", 4_231),
    "another prior": cell("inference", 1, "prior_pct", 78),
    "a finer prior": every("inference", "prior_pct", lambda p: p + 1),
    "fewer right guesses than without QIDs": cell("inference", 0, "posterior_pct", 60),
    "fewer right guesses with more known": cell("inference", LAST, "posterior_pct", 84),
    "who is certain": column("inference", "n_certain", 12),
    "a step of another table": cell("inference", 0, "step_pct", 5),
    "a prior of another step": every("inference", "step_pct", lambda _: 1),
    "an inference that was not chosen": again(
        "inference", LAST, qids="age|sex", n_qids=2
    ),
    "a small group": cell("alone", 0, "step_pct", 100),
    "a finer share of a group": cell("alone", 0, "step_pct", 1),
    "a share of a group with a decimal": cell("alone", 0, "alone_pct", 62.5),
    "another share of all": cell("alone", 0, "alone_of_all_pct", 2),
    "another share of all in every row": every(
        "alone", "alone_of_all_pct", lambda p: 4
    ),
    "a finer share of all": every("alone", "step_of_all_pct", lambda _: 1),
    "groups that cannot be all": every("alone", "alone_pct", lambda _: 0),
    "members of groups": column("alone", "n_members", 2_771),
    "a group twice": again("alone", 0),
    "a second grouping of an attribute": again("alone", 0, by="class", value="f-m"),
    "a protection that leaves more alone": cell("answer", 1, "alone_pct", 100),
    "a protection that misses its target": cell("answer", 1, "alone_pct", 14),
    "what the answer loses": column("answer", "loss_pct", 38),
    "more changes than there are": cell("answer", 1, "n_changed", 17),
    "a count in the place of no change": cell("answer", 0, "n_changed", 17),
    "another name of an analysis": cell("blocks", 0, "analysis", "ana-is-alone"),
    "a release of few records": cell("releases", 0, "n_records", 300),
    "another share of the same records alone": cell("answer", 0, "alone_pct", 2),
    "how many are alone": column("answer", "n_alone", 17),
    "a number of QIDs of a group": every("alone", "n_qids", lambda _: 31),
    "a QID named twice": every("alone", "qids", lambda qids: f"{qids}|age"),
    "QIDs of another group": cell("alone", LAST, "qids", "age"),
    "a missing group that is none": cell("alone", 0, "is_missing", "true"),
    "a kind of one group": cell("alone", 0, "kind", "class"),
    "a release of one group": cell("alone", 0, "focal", "17"),
    "a number of QIDs of an answer": every("answer", "n_qids", lambda _: 31),
    "a number of known QIDs": every("answer", "n_known", lambda _: 31),
    "a bound of a target twice": every("answer", "target", lambda one: f"{one}|{one}"),
    "another number of known QIDs": cell("answer", 1, "n_known", 2),
    "another target": cell("answer", 1, "target", "alone:1/11"),
    "another loss": cell("answer", 1, "loss_of", "cells"),
    "a change that is not the answer": again("answer", 1, is_answer="false"),
    "a change of no QID": cell("answer", 1, "left_out", "anas-street"),
    "a release of one row": cell("blocks", 0, "focal", "17"),
    "a linked release of one row": cell("inference", 0, "auxiliary", "17"),
    "a release twice": again("releases", 0),
    "exact records of a release": cell("releases", 0, "n_records", 5_003),
    "a hash of a release": column("releases", "sha256", "f" * 64),
}
"""Leaks that are planted in tables, of which the page is then made."""

NAMES = {"blocks": "town", "inference": "town", "alone": "my-alone"}
NAMES |= {"answer": "my-answer", "releases": "releases"}


@pytest.mark.parametrize("plant", IN_TABLES.values(), ids=IN_TABLES)
def test_a_leak_that_is_planted_in_a_table_is_found(tmp_path, page, kept, plant):
    planted = copy.deepcopy(page)
    plant(planted)
    folder = tmp_path / "report"
    try:
        written(folder, planted, ("en",))
    except (
        KeyError,
        ValueError,
        TypeError,
        UndefinedError,
    ):  # the page cannot be made of it
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        data = folder / "data"
        for kind, name in (("blocks", "town-blocks"), ("answer", "my-answer-answer")):
            getattr(planted, kind).to_csv(data / f"{name}.csv", index=False)
    changed = [k for k in NAMES if not getattr(planted, k).equals(getattr(page, k))]
    said = [line.replace(str(folder), "") for line in failing(folder)]
    assert any(NAMES[kind] in line for kind in changed for line in said), said


def ordered(kind, *places):
    """Put rows in another order."""

    def plant(page):
        rows = getattr(page, kind)
        setattr(page, kind, rows.iloc[[*places]].reset_index(drop=True))

    return plant


def renamed(kind, old, new):
    """Name QIDs in another order."""
    return every(kind, "qids", lambda qids: new if qids == old else qids)


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        (ordered("blocks", 1, 0, 2, 3, 4), "town: QIDs are not in one order"),
        (ordered("blocks", 3, 0, 1, 2, 4), "rows with more QIDs stand before"),
        (ordered("inference", 0, 2, 1, 3, 4), "town: QIDs are not in one order"),
        (ordered("alone", 1, 0), "my-alone-alone.csv: groups of sex are not in order"),
        (ordered("answer", 1, 0), "rows are not the release and then the answer"),
        (
            renamed("inference", "age|street|sex", "street|age|sex"),
            "town: QIDs are not in one order",
        ),
    ],
)
def test_rows_in_another_order_than_that_of_microleak_are_found(
    tmp_path, page, plant, said
):
    planted = copy.deepcopy(page)
    plant(planted)
    found = failing(written(tmp_path / "report", planted))
    assert any(said in line for line in found), found


def test_releases_in_another_order_are_found(tmp_path, page):
    folder = written_tables(tmp_path / "report", of_releases({"3": page, "2": page}))
    assert "data/releases.csv is not sorted, or has a release twice" in failing(folder)


def test_sizes_are_in_the_order_of_their_numbers_and_not_of_their_texts(tmp_path):
    streets = [
        *(f"a{i // 4}" for i in range(1_200)),
        *(f"b{i % 12}" for i in range(1_200)),
    ]
    people = [{"a": street, "ill": "y"} for street in [*streets, *["c"] * 1_200]]
    groups = ["a"], [{"of": "a", "sizes": [5, 1_000]}]
    page = made(tmp_path / "made", people, ["a"], groups, search=False)
    assert [*page.alone["value"]] == ["0-4", "5-999", "1000-"]
    assert [*told(proof_of(written(tmp_path / "report", page)))] == []


def rewritten(path, old, new):
    def plant(folder):
        text = (folder / path).read_text("utf-8")
        found = re.sub(old, new, text, count=1)
        assert found != text
        (folder / path).write_text(found, encoding="utf-8")

    return plant


def added(path, text, is_listed=False):
    def plant(folder):
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if is_listed:
            metadata = folder / "data/metadata.json"
            told_ = json.loads(metadata.read_text("utf-8"))
            told_["tables"].append(path)
            metadata.write_text(json.dumps(told_), encoding="utf-8")

    return plant


def linked(path, to=""):
    """Put a link in place of a file, to the file itself, or to what is not there."""

    def plant(folder):
        file = folder / path
        kept = file.rename(folder.parent / file.name)
        file.symlink_to(to or kept)

    return plant


def a_folder(path):
    def plant(folder):
        (folder / path).unlink()
        (folder / path).mkdir()

    return plant


IN_FILES = {
    "a count in a sentence": rewritten("index.html", "</h1>", "</h1><p>5,003</p>"),
    "a count in a comment": rewritten("index.html", "</body>", "<!-- 17 --></body>"),
    "a finer share on the page": rewritten("index.html", r">\d+%<", ">31.4%<"),
    "a share below nothing": rewritten("index.html", "&lt;2%", "0%"),
    "a table of persons": added("data/people.csv", "name\nAna\n"),
    "an internal table": added("data/town-worst.csv", "a\n1\n", is_listed=True),
    "a figure": added("figures/town.svg", "<svg/>"),
    "a table that no page shows": added(
        "data/other-blocks.csv", "analysis\n", is_listed=True
    ),
    "a person in the notice": rewritten(
        "data/metadata.json", '"notice": "[^"]*"', '"notice": "Ana, 17, is alone"'
    ),
    "a count in the metadata": rewritten(
        "data/metadata.json", '"synthetic": true', '"synthetic": {"n_alone": 3}'
    ),
    "counts of tables in the metadata": rewritten(
        "data/metadata.json", r'"tables": [^\]]*]', '"tables": {"n_alone": 3}'
    ),
    "metadata written otherwise": rewritten("data/metadata.json", "\n}", "}"),
    "a count of names of a table": rewritten(
        "data/metadata.json", '("data/releases.csv",\n *)', r"\1" * 17
    ),
    "tables that are a number": rewritten(
        "data/metadata.json", r'"tables": [^\]]*]', '"tables": 17'
    ),
    "a page that is a link": linked("index.html"),
    "a table that is a link": linked("data/town-blocks.csv"),
    "metadata that are a link": linked("data/metadata.json"),
    "a link that leads nowhere": linked("data/town-blocks.csv", "ana-is-alone"),
    "a folder in the place of a table": a_folder("data/town-blocks.csv"),
    "a folder in the place of the page": a_folder("index.html"),
    "no page": lambda folder: (folder / "index.html").unlink(),
    "a page without an edition": rewritten("index.html", "(?s).+", "<html></html>"),
    "a page in no language": rewritten("index.html", "edition-pt", "edition-ana"),
    "a stamp with content": added(".snakemake_timestamp", "Ana, 17"),
    "a stamp in another folder": added("data/.snakemake_timestamp", ""),
    "a folder with a telling name": lambda folder: (folder / "ana-is-alone").mkdir(),
    "a hash in the metadata": rewritten("data/metadata.json", "{", '{"sha256": "ff",'),
    "a comment in a table": rewritten("data/town-blocks.csv", "$", "# 17 of these\n"),
    "other ends of lines": rewritten("data/town-blocks.csv", "\n", " \n"),
}
"""Leaks that are planted in files as they are."""


@pytest.mark.parametrize("plant", IN_FILES.values(), ids=IN_FILES)
def test_a_leak_that_is_planted_in_a_file_is_found(report, plant):
    before = contents(report)
    plant(report)
    after = contents(report)
    changed = {path for path, _ in before.items() ^ after.items()}
    changed |= {path for path in after if (report / path).is_symlink()}
    said = failing(report)
    assert any(path in line for path in changed for line in said), said


def contents(folder):
    """What is in a folder, by path; of a folder nothing."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        if path.is_file()
        else None
        for path in folder.rglob("*")
    }


def test_an_empty_stamp_of_the_report_is_none_of_its_files(report):
    (report / ".snakemake_timestamp").touch()
    assert PublicReport(report).faults == []


def test_at_least_50_leaks_are_planted():
    assert len(IN_TABLES) + len(IN_FILES) >= 50


def test_the_cells_that_tell_are_named_and_none_can_be_left_out(tmp_path, page):
    planted = copy.deepcopy(page)
    every("alone", "alone_pct", lambda _: 0)(planted)
    said = failing(written(tmp_path / "report", planted))
    (line,) = said
    assert line.startswith("its numbers contradict one another, told together by ")
    assert line.count("my-alone-alone.csv") == len(page.alone)


SCHOOLS = ["school", "sex"]


def pupils(*truth):
    """Pupils of schools, of each sex so many, of whom some are ill, and some alone."""
    return [
        {
            **{"school": str(i), "sex": str(sex), "ill": str(pupil < n_ill)},
            "code": str(pupil) if pupil < n_alone else "common",
        }
        for i, school in enumerate(truth)
        for sex, (n, n_ill, n_alone) in enumerate(school)
        for pupil in range(n)
    ]


def schools(folder, *truth):
    """A report of schools, each with pupils, ill and alone of both sexes."""
    rows = pupils(*truth)
    groups = (["school", "sex", "code"], ["school"])
    page = made(folder / "made", rows, SCHOOLS, groups, search=False)
    sizes = {str(i): sum(n for n, *_ in school) for i, school in enumerate(truth)}
    known = {("people", "2"): {"": {"": len(rows)}, "school": sizes}}
    return written(folder / "report", page), known


def test_known_sizes_tell_that_nobody_of_a_school_is_well(tmp_path):
    """Of 1,101 and 899 pupils (H2): the page alone does not tell it."""
    folder, sizes = schools(tmp_path, *LEAK)
    assert proof_of(folder).is_proved
    said = failing(folder, sizes)
    (line,) = (each for each in said if each.startswith("ill of group 1 of school: "))
    assert "prior_pct" in line
    assert "posterior_pct" in line


def test_groups_that_the_page_does_not_show_are_named_by_their_place(tmp_path):
    """Neither a message nor a claim of the certificate has a value of a group."""
    small = [[(30, 3, 10), (20, 3, 10)] for _ in range(30)]
    folder, sizes = schools(tmp_path, [(600, 200, 74), (600, 200, 75)], *small)
    claims = certificate(proof_of(folder, sizes))["claims"]
    about = {each["about"] for each in claims if "school" in each["about"]}
    assert "alone of group 2 of school" in about
    name = r"(another value of )?\w+ (of group \d+ of|in what) .*"
    assert all(re.fullmatch(name, each) for each in about)


def test_the_certificate_of_the_page_has_no_members_of_hidden_groups(
    tmp_path, monkeypatch
):
    truth = [(540, 120, 300), (560, 130, 310)], [(470, 25, 30), (429, 24, 40)]
    folder, sizes = schools(tmp_path, *truth)
    monkeypatch.setattr("microleak.study.proof.known_sizes", lambda *_: sizes)
    prove_study(NO_SIZES, folder.parent)
    public = (tmp_path / "proofs/public.json").read_text("utf-8")
    owner = (tmp_path / "confidential/public-proof.json").read_text("utf-8")
    known = '"key":["members","","people","2","school","1"],"low":899,"high":899'
    assert known in owner
    assert known not in public


def test_known_sizes_tell_that_somebody_of_a_group_is_alone(tmp_path):
    """Of 150 alone in all at least, 149 at most are of the first school."""
    truth = [(500, 200, 74), (500, 200, 75)], [(500, 200, 1), (500, 200, 0)]
    folder, sizes = schools(tmp_path, *truth)
    said = failing(folder, sizes)
    assert any(
        each.startswith("my-alone-alone.csv, line 3, alone_pct (") for each in said
    )


def test_schools_of_known_sizes_that_tell_nothing_pass(tmp_path):
    truth = [(540, 120, 300), (560, 130, 310)], [(470, 25, 30), (429, 24, 40)]
    folder, sizes = schools(tmp_path, *truth)
    assert [*told(proof_of(folder, sizes))] == []


def by_size(*sizes):
    """Groups of schools by how many pupils they have, under the name of the QID."""
    return {"of": "school", "sizes": [*sizes]}


def written_people(folder, rows):
    """Write people where a study has them; return them as a table."""
    table = pa.Table.from_pylist([*rows])
    file = folder / people("people", "2")
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, file)
    return table


def schools_by_size(folder, *sizes):
    """A study of two schools that are groups by themselves and by their size."""
    table = written_people(folder, pupils(*LEAK))
    given = {"table": "people", "focal": "2", "qids": ["school", "sex"]}
    risks = {}
    for place, each in enumerate(sizes):
        name = f"risks-{place}"
        analysis = RiskGroups.model_validate(given | {"name": name, "by": [each]})
        found = risk_table(table, analysis, Resources(1, 16_000, folder))
        path = folder / measured("risk_groups", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(path, found, specs()["risk_groups"])
        risks[name] = analysis
    return SimpleNamespace(analyses=NO_SIZES.analyses | {"risk_groups": risks})


def test_classes_that_have_the_name_of_a_qid_are_told_apart(tmp_path):
    study = schools_by_size(tmp_path, "school", by_size(1_000))
    assert known_sizes(study, tmp_path) == {
        ("people", "2"): {
            "": {"": 2_000},
            "school": {"0": 1_101, "1": 899},
            "school (size)": {"0-999": 899, "1000-": 1_101},
            "sex": {"1": 1_001, "2": 999},
        }
    }


def test_different_classes_of_one_name_are_refused(tmp_path):
    study = schools_by_size(tmp_path, by_size(1_000), by_size(500))
    with pytest.raises(StudyError, match="'risks-0' and 'risks-1' have different gro"):
        known_sizes(study, tmp_path)
    study = schools_by_size(tmp_path, by_size(1_000), by_size(1_000))
    (groups,) = known_sizes(study, tmp_path).values()
    assert groups["school (size)"] == {"0-999": 899, "1000-": 1_101}


def test_a_qid_and_classes_of_its_name_are_proved_each_by_their_sizes(tmp_path):
    """Of two large schools and two others, each of a class that is not shown."""
    large, small, least = (600, 200, 70), (450, 90, 40), (295, 60, 30)
    truth = [[large, large], [large, large], [small, small], [least, least]]
    rows, school = pupils(*truth), {"0": 1_200, "1": 1_200, "2": 900, "3": 590}
    groups = (["school", "sex", "code"], [by_size(600, 1_000)])
    page = made(tmp_path / "made", rows, SCHOOLS, groups, search=False)
    assert [*page.alone["value"]] == ["1000-"]
    folder = written(tmp_path / "report", page)
    classes = {"0-599": 590, "600-999": 900, "1000-": 2_400}
    sizes = {"school": school, "school (size)": classes}
    outcome = proof_of(folder, {("people", "2"): {"": {"": 3_890}} | sizes})
    assert outcome.is_proved
    about = {each["about"] for each in certificate(outcome)["claims"]}
    assert {"ill of group 3 of school", "alone of group 1 of school (size)"} <= about


@pytest.mark.parametrize(
    ("by", "said"),
    [("school (size)", ""), ("school (class)", "Did you mean 'school (size)'?")],
)
def test_a_reader_names_classes_by_their_kind(tmp_path, by, said):
    rows = pupils(*[[(600, 200, 70), (500, 200, 75)]] * 3)
    groups = (["school", "sex", "code"], [by_size(1_000)])
    page = made(tmp_path / "made", rows, SCHOOLS, groups, search=False)
    report = PublicReport(written(tmp_path / "report", page))
    sizes = {("people", "2"): {"": {"": 3_300}, by: {"1000-": 3_300}}}
    if said:
        with pytest.raises(StudyError, match=re.escape(said)):
            check_sizes(report, sizes)
    else:
        check_sizes(report, sizes)


def town_with(folder, n_alone, n=1_200):
    """The report of a town in which so many have a value of their own."""
    rows = [{"a": str(i) if i < n_alone else "x", "ill": str(i % 3)} for i in range(n)]
    folder.mkdir()
    page = made(folder / "made", rows, ["a"], (["a"], ["ill"]), search=False)
    return written(folder / "report", page)


def test_one_person_more_tells_a_count_where_it_crosses_an_edge(tmp_path):
    """Of 1,200 a share of 10 percent ends at 179, of 1,201 at 180 (C5)."""
    one = town_with(tmp_path / "one", 150)
    within = town_with(tmp_path / "within", 151, 1_201)
    across = town_with(tmp_path / "across", 181, 1_201)
    assert [*told(proof_of(one, {}, Beside(within, 1)))] == []
    assert [*told(proof_of(within, {}, Beside(one, -1)))] == []
    assert proof_of(across).is_proved
    edge = town_with(tmp_path / "edge", 179)
    said = failing(edge, {}, Beside(across, 2))
    assert any("alone_pct (a): the least count" in line for line in said)


def test_the_same_counts_in_another_report_must_be_the_same_numbers(tmp_path, page):
    one = written(tmp_path / "one", page)
    assert [*told(proof_of(one, {}, Beside(written(tmp_path / "two", page))))] == []
    other = copy.deepcopy(page)
    shifted(LAST, "alone_pct", "from_2_to_4_pct", 2)(other)
    cell("answer", 0, "alone_pct", int(other.blocks["alone_pct"].iloc[-1]))(other)
    every("alone", "alone_of_all_pct", lambda p: p + 2)(other)
    two = written(tmp_path / "other", other)
    said = failing(one, {}, Beside(two))
    assert any("one" in each and "other" in each for each in said)


def test_one_qid_more_beside_it_may_not_have_fewer_alone(tmp_path):
    """As it is only if the second report was made of other records."""
    people = town()
    fewer = [{**row, "sex": "f"} for row in people]
    groups = (["age", "street"], ["sex"])
    one = made(tmp_path / "a", people, ["age", "street"], groups, search=False)
    two = made(tmp_path / "b", people, search=False)
    other = made(tmp_path / "c", fewer[:2_900] * 2, search=False)
    names = {"one": one, "two": two, "other": other}
    folders = {name: written(tmp_path / name, page) for name, page in names.items()}
    assert [*told(proof_of(folders["one"], {}, Beside(folders["two"])))] == []
    assert failing(folders["one"], {}, Beside(folders["other"]))


def test_a_state_beside_its_country(tmp_path):
    people = town(3, 12_000)
    qids = ["age", "sex"]

    def report_of(name, rows):
        groups = qids, ["sex"]
        page = made(tmp_path / f"made-{name}", rows, qids, groups, search=False)
        return written(tmp_path / name, page)

    whole, part = report_of("whole", people), report_of("part", people[:3_000])
    assert [*told(proof_of(whole, {}, Beside(part, is_part=True)))] == []
    assert failing(part, {}, Beside(whole, is_part=True))


def test_the_command_reads_a_part_and_a_person_more_as_such(tmp_path, capsys):
    """Of a part of them nothing is told, where of two persons more something is."""
    edge, across = town_with(tmp_path / "a", 179), town_with(tmp_path / "b", 181, 1_201)
    line = ["verify", "--public", str(edge), "--beside", str(across)]
    assert main([*line, "--part"]) == 0
    assert "12 numbers may each be any" in capsys.readouterr().out
    assert main([*line, "--more", "2"]) == 1
    assert "alone_pct (a): the least count that rounds to it is not possible" in (
        capsys.readouterr().out
    )


def test_an_internal_report_beside_it_tells_all(tmp_path, report):
    other = tmp_path / "internal/data/metadata.json"
    other.parent.mkdir(parents=True)
    other.write_text('{"audience": "internal"}')
    with pytest.raises(VerificationError, match="its exact numbers tell what"):
        proof_of(report, {}, Beside(tmp_path / "internal"))


def test_a_refused_report_is_said_to_be_one(tmp_path, report):
    (tmp_path / "results/unpublished").mkdir(parents=True)
    report.rename(tmp_path / "results/unpublished/report")
    said = "has no public report: it was refused, and lies in .*/results/unpublished"
    with pytest.raises(VerificationError, match=said):
        proof_of(tmp_path / "results")


@pytest.mark.parametrize("how", [{}, {"n_more": 1}, {"is_part": True}])
def test_reports_without_a_release_in_common_are_refused(tmp_path, page, report, how):
    other = copy.deepcopy(page)
    for kind in ("blocks", "inference", "alone", "answer", "releases"):
        column(kind, "table", "others")(other)
    folder = written(tmp_path / "other", other)
    with pytest.raises(VerificationError, match="no table and release of the other"):
        proof_of(report, {}, Beside(folder, **how))


def test_a_page_says_of_which_sources_its_plain_names_are(tmp_path, page):
    folder = written(tmp_path / "own", page, sources=["delimited", "ibge_pense"])
    assert '<meta name="sources" content="ibge_pense">' in (
        folder / "index.html"
    ).read_text("utf-8")
    assert list(told(proof_of(folder))) == []
    rewritten("index.html", 'content="ibge_pense"', 'content="ibge_pense Ana"')(folder)
    with pytest.raises(VerificationError, match="is not what this microleak makes"):
        check_proved(folder, proof_of(folder))


def test_a_report_that_tells_is_refused_in_one_line(report):
    rewritten("index.html", "</h1>", "</h1><p>5,003</p>")(report)
    added("data/people.csv", "name\nAna\n")(report)
    with pytest.raises(VerificationError) as error:
        check_proved(report, proof_of(report))
    assert "people.csv is no file of a public report. And 1 other." in str(error.value)


NO_SIZES = SimpleNamespace(
    analyses={"collective": {}, "risk_groups": {}, "smallest_protection": {}}
)
"""A study of which no sizes of groups are known."""


def test_a_report_that_tells_is_set_aside_until_it_is_proved(tmp_path, page):
    report, aside = tmp_path / "report", tmp_path / "unpublished"
    written(report, page)
    rewritten("index.html", "</h1>", "</h1><p>5,003</p>")(report)
    with pytest.raises(
        VerificationError, match="is not what this microleak makes of its tables"
    ):
        prove_study(NO_SIZES, tmp_path)
    assert not report.exists()
    assert (aside / "report/index.html").is_file()
    assert stat.S_IMODE(aside.stat().st_mode) == 0o700
    assert not (tmp_path / "proofs/public.json").exists()
    written(report, page)
    prove_study(NO_SIZES, tmp_path)
    assert not aside.exists()
    of_page, known = (
        json.loads((tmp_path / path).read_text("utf-8"))
        for path in ("proofs/public.json", "confidential/public-proof.json")
    )
    assert [*known] == ["sizes", "register", "groups"]
    assert [*check(of_page), *check(known["sizes"])] == []


def study_of(folder, page, archive="00ff", n_records=5_003):
    """Results with a report, and where its records are from."""
    receipts = {
        "tables/people/2.json": {"sha256": archive},
        "people/people/2.json": {"n_records": n_records, "seed": 1},
    }
    for path, content in receipts.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(json.dumps(content))
    written(folder / "report", page)
    return folder


def test_a_report_is_proved_together_with_others_of_the_same_records(tmp_path, page):
    other = copy.deepcopy(page)
    shifted(LAST, "alone_pct", "from_2_to_4_pct", 2)(other)
    cell("answer", 0, "alone_pct", int(other.blocks["alone_pct"].iloc[-1]))(other)
    every("alone", "alone_of_all_pct", lambda p: p + 2)(other)
    prove_study(NO_SIZES, study_of(tmp_path / "first", page))
    prove_study(NO_SIZES, study_of(tmp_path / "alike", page))
    alike = (tmp_path / "alike/proofs/public.json").read_bytes()
    study_of(tmp_path / "corrected", other, "ff00")
    study_of(tmp_path / "drawn-otherwise", other, n_records=5_002)
    shutil.rmtree(tmp_path / "alike")
    prove_study(NO_SIZES, study_of(tmp_path / "alike", page))
    assert (tmp_path / "alike/proofs/public.json").read_bytes() == alike
    with pytest.raises(VerificationError) as error:
        prove_study(NO_SIZES, study_of(tmp_path / "other", other))
    assert re.match(
        r".*/other/unpublished/report tells of few persons together with the public "
        r"report of alike, first, which is of the same records: its numbers contradict "
        r"one another, told together by .* Remove the other one if it is not "
        r"published, or",
        str(error.value),
    )
    assert (tmp_path / "other/unpublished/report/index.html").is_file()
    assert not (tmp_path / "other/proofs/public.json").exists()


def test_who_has_two_reports_knows_the_groups_of_both(tmp_path, page):
    """Of a street of 4,990 all but a few know nothing; with its size some are well."""
    prove_study(NO_SIZES, study_of(tmp_path / "first", page))
    known = tmp_path / "first/confidential/public-proof.json"
    content = json.loads(known.read_text("utf-8"))
    streets = [["people", "2", "street", "1", 4_990], ["people", "2", "", "", 5_003]]
    known.write_text(json.dumps(content | {"groups": streets}), "utf-8")
    with pytest.raises(VerificationError, match="tells of few persons together with"):
        prove_study(NO_SIZES, study_of(tmp_path / "other", page))


def results(folder, n_alone, n, archive):
    """Results of a town in which so many have a value of their own."""
    town_with(folder, n_alone, n)
    receipts = {
        "tables/people/2.json": {"sha256": archive},
        "people/people/2.json": {"n_records": n},
    }
    for path, content in receipts.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("n_alone", "n", "is_published"),
    [(151, 1_201, True), (181, 1_202, False), (150, 1_199, True), (900, 9_000, True)],
)
def test_a_report_is_proved_together_with_one_of_a_corrected_archive(
    tmp_path, n_alone, n, is_published
):
    """Of 1,200 a share of 10 percent ends at 179, of 1,201 at 180 (C5)."""
    n_before = 150 if is_published else 179
    prove_study(NO_SIZES, results(tmp_path / "first", n_before, 1_200, "00ff"))
    second = results(tmp_path / "second", n_alone, n, "ff00")
    if is_published:
        prove_study(NO_SIZES, second)
        assert (second / "proofs/public.json").exists()
        return
    with pytest.raises(VerificationError) as error:
        prove_study(NO_SIZES, second)
    assert (
        "second/unpublished/report tells of few persons together with the public "
        "report of first, which is of nearly the same records: "
    ) in str(error.value)
    assert "if its persons are others, give table or release another name" in str(
        error.value
    )
    assert (second / "unpublished/report/index.html").is_file()
    assert not (second / "report").exists()


def test_of_reports_between_which_values_were_corrected_nothing_is_proved(tmp_path):
    """Of 1,201 persons 400 cannot be alone if of 1,200 there are 150."""
    prove_study(NO_SIZES, results(tmp_path / "first", 150, 1_200, "00ff"))
    second = results(tmp_path / "second", 400, 1_201, "ff00")
    said = []
    with told_by(said.append):
        prove_study(NO_SIZES, second)
    assert (second / "report/index.html").is_file()
    (line,) = said
    assert line.startswith(
        "warning: between the public reports of second and first persons were not only "
        "added or left out, and nothing is proved of both together. Publish one"
    )


def test_another_release_or_one_without_a_proof_is_not_read_as_a_corrected_one(
    tmp_path,
):
    mine = results(tmp_path / "mine", 150, 1_200, "00ff")
    for name in ("corrected", "next-year", "uncounted"):
        other = results(tmp_path / name, 150, 1_203, "ff00")
        (other / "proofs").mkdir()
        (other / "proofs/public.json").touch()
    results(tmp_path / "without-proof", 150, 1_203, "ff00")
    for kind in ("tables", "people"):
        folder = tmp_path / "next-year" / kind / "people"
        (folder / "2.json").rename(folder / "3.json")
    (tmp_path / "uncounted/people/people/2.json").write_text("{}")
    found = reports_of_other_records(mine)
    assert found == {tmp_path / "corrected": {("people", "2"): 3}}


@pytest.mark.parametrize("first", ["country", "state"])
def test_a_state_is_proved_together_with_a_pooled_country_that_has_it(
    tmp_path, page, first
):
    """The country has 100 more alone, and no more people, as far as pages tell."""
    shown = copy.deepcopy(page)
    shifted(LAST, "alone_pct", "from_2_to_4_pct", 2)(shown)
    cell("answer", 0, "alone_pct", int(shown.blocks["alone_pct"].iloc[-1]))(shown)
    every("alone", "alone_of_all_pct", lambda p: p + 2)(shown)
    listed = {"2": 5_000, "3": None}
    studies = {
        "state": of_releases({"2": page}),
        "country": of_releases({"north": shown}, listed),
    }
    for name, tables in studies.items():
        shutil.rmtree(study_of(tmp_path / name, page) / "report")
        written_tables(tmp_path / name / "report", tables)
    pool = {"n_records": 5_003, "releases": {"2": 5_003, "3": 0}}
    file = tmp_path / "country/people/people/north.json"
    file.write_text(json.dumps(pool))
    other = ({*studies} - {first}).pop()
    prove_study(NO_SIZES, tmp_path / first)  # the other one has no proof yet
    with pytest.raises(VerificationError) as error:
        prove_study(NO_SIZES, tmp_path / other)
    assert (
        f"together with the public report of {first}, which is of some of the same "
        "records: "
    ) in str(error.value)
    assert not (tmp_path / other / "report").exists()


def test_reports_are_of_the_same_records_only_if_all_that_they_share_is(tmp_path, page):
    mine = study_of(tmp_path / "mine", page)
    assert reports_of_same_records(mine) == []
    for name in ("same", "damaged", "renamed", "more"):
        certificate = study_of(tmp_path / name, page) / "proofs/public.json"
        certificate.parent.mkdir()
        certificate.touch()
    study_of(tmp_path / "without-proof", page)
    damaged = tmp_path / "damaged"
    (damaged / "report/data/people.csv").write_text("name")
    renamed = tmp_path / "renamed"
    for kind in ("tables", "people"):
        (renamed / kind / "people").rename(renamed / kind / "town")
    more = tmp_path / "more"
    for kind in ("tables", "people"):
        shutil.copytree(more / kind / "people", more / kind / "town")
    assert reports_of_same_records(mine) == [tmp_path / "same"]


def test_a_register_is_told_nothing_of_what_other_numbers_of_the_page_show(
    tmp_path, page, monkeypatch
):
    """Nor more than the analysis allows that is nearest to an edge."""
    written(tmp_path / "report", page)
    monkeypatch.setattr("microleak.study.proof.known_sizes", lambda *_: {})
    shown = [("people", "ill", 9), ("people", "rich", 7), ("people", "ill", 4)]
    families = publications()
    families["collective"] = replace(families["collective"], margins=lambda *_: shown)
    monkeypatch.setattr("microleak.study.proof.publications", lambda: families)
    nothing = Outcome((), None, None)
    monkeypatch.setattr("microleak.study.proof.proof_of", lambda *_: nothing)
    monkeypatch.setattr("microleak.study.proof.check_proved", lambda *_, **__: None)
    monkeypatch.setattr("microleak.study.proof.certificate", lambda _: {})
    search = SimpleNamespace(needs=[("people", "2", ("age", "rich"))])
    study = SimpleNamespace(analyses={"smallest_protection": {"my": search}})
    prove_study(study, tmp_path)
    file = tmp_path / "confidential/public-proof.json"
    (found,) = json.loads(file.read_text("utf-8"))["register"]
    assert found == {"table": "people", "sensitive": "ill", "n_persons": 4}


@pytest.mark.parametrize("step", ["prove", "certificate", "write_text"])
def test_a_report_is_never_left_in_its_place_without_a_proof(
    tmp_path, page, monkeypatch, step
):
    """Whatever fails, and however: there is no memory, or the disk is full."""
    written(tmp_path / "report", page)

    def stop(*_):
        raise MemoryError

    monkeypatch.setattr(f"microleak.study.proof.{step}", stop)
    with pytest.raises(MemoryError):
        prove_study(NO_SIZES, tmp_path)
    assert not (tmp_path / "report").exists()
    assert (tmp_path / "unpublished/report/index.html").is_file()


def test_what_hinders_a_report_from_being_set_aside_is_told(
    tmp_path, page, monkeypatch
):
    written(tmp_path / "report", page)
    (tmp_path / "unpublished").mkdir()

    def refused(_, ignore_errors=False):
        if not ignore_errors:
            raise PermissionError("no right to remove it")

    monkeypatch.setattr("shutil.rmtree", refused)
    with pytest.raises(PermissionError, match="no right to remove it"):
        prove_study(NO_SIZES, tmp_path)


def test_the_same_report_has_the_same_certificate(report, certified):
    assert json.dumps(certificate(proof_of(report))) == certified


def test_a_folder_in_the_place_of_a_certificate_is_told(tmp_path, report, capsys):
    line = ["verify", "--public", str(report), "--certificate", str(tmp_path)]
    assert main(line) == 1
    assert f"--certificate: {tmp_path} is a folder" in capsys.readouterr().err


def test_the_certificate_is_the_same_on_any_number_of_threads(
    tmp_path, report, certified
):
    line = ("verify", "--public", report, "--certificate", "one.json")
    threads = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    assert microleak(*line, folder=tmp_path, **threads).returncode == 0
    assert json.loads((tmp_path / "one.json").read_text("utf-8")) == json.loads(
        certified
    )


def test_the_command_proves_a_report_and_writes_the_certificate(
    tmp_path, report, capsys
):
    file = tmp_path / "certificate.json"
    line = ["verify", "--public", str(report), "--certificate", str(file)]
    assert main(line) == 0
    assert "numbers may each be any that the rules promise" in capsys.readouterr().out
    assert [*check(json.loads(file.read_text("utf-8")))] == []
    rewritten("index.html", "</h1>", "</h1><p>5,003</p>")(report)
    assert main(line) == 1
    said = capsys.readouterr()
    assert "index.html is not what this microleak makes of its tables" in said.out
    assert said.err.startswith(f"microleak: {report} is not in the public form")


def test_qids_of_few_values_have_no_more_blocks_than_combinations(tmp_path):
    """A share of 0 may be 99 of 4,000: in each of 5 groups 3 of 4 blocks have one."""
    rows = [{"a": str(i % 5), "b": str(i % 4), "ill": str(i % 3)} for i in range(4_000)]
    groups = ["a", "b"], ["a"]
    page = made(tmp_path / "made", rows, ["a", "b"], groups, search=False)
    folder = written(tmp_path / "report", page)
    values = {
        by: {str(i): 4_000 // n for i in range(n)} for by, n in (("a", 5), ("b", 4))
    }
    outcome = proof_of(folder, {("people", "2"): values})
    assert [*told(outcome)] == []
    (found,) = (
        each.distance
        for each in outcome.proof.proved
        if str(each.claim.about) == "town-blocks.csv, line 4, alone_pct"
        and each.claim.end == "largest"
    )
    assert found // 200 == 99 - 15
    assert [*check(json.loads(json.dumps(certificate(outcome))))] == []


def test_claims_that_were_not_looked_at_are_told():
    """With five that do not hold a page is set aside."""
    book = Book(40_000)
    n = book.number("all", low=39_999, high=40_000)
    for line in range(9):
        count = book.number("alone", line)
        book.share(count, n, 10, 1, Cell("a.csv", line, "b"))
        book.hold({count: 1}, -4_000, Cell("a.csv", line, "c"))
    outcome = Outcome((), book, prove(book))
    assert len([*told(outcome)]) == 5
    with pytest.raises(VerificationError, match=r"And 4 others \(a.csv\); 13 claims"):
        check_proved(Path("report"), outcome)


LEAK = [(551, 551, 0), (550, 550, 0)], [(450, 25, 0), (449, 24, 0)]
"""Pupils of two schools: of the first nobody is well (H2)."""

HEADER = "table,release,by,value,n_members\n"
FIRST, SECOND = "people,2,school,0,1101\n", "people,2,school,1,899\n"
TOTAL = "people,2,,,2000\n"


@pytest.fixture(scope="module")
def two_schools(tmp_path_factory):
    return schools(tmp_path_factory.mktemp("schools"), *LEAK)[0]


def asked_with(tmp_path, folder, lines):
    file = tmp_path / "sizes.csv"
    file.write_text(HEADER + lines)
    return main(["verify", "--public", str(folder), "--sizes", str(file)])


@pytest.mark.parametrize(
    ("lines", "group"),
    [
        (TOTAL + FIRST + SECOND, "group 1"),
        (FIRST + SECOND, "group 1"),
        (TOTAL + FIRST, "group 1"),
        (TOTAL + SECOND, "all other groups"),
    ],
)
def test_known_sizes_tell_also_where_what_is_left_of_them_follows(
    tmp_path, two_schools, capsys, lines, group
):
    """Without the records, which the groups add up to, or with one school alone."""
    assert asked_with(tmp_path, two_schools, lines) == 1
    said = capsys.readouterr().out
    assert f"ill of {group} of school: that it is all but 9 is not possible" in said


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            "peple,2,school,0,1101\n",
            "no numbers of 'peple/2'. Did you mean 'people/2'?",
        ),
        ("people,9,,,3\n", "has no numbers of 'people/9'"),
        (TOTAL + "people,2,il|values,,2\n", "Did you mean 'ill|values'?"),
        ("people,2,ill|values,,2\n", "people/2 has no records, or none are given"),
        (TOTAL + "people,2,shool,0,1101\n", "'shool'. Did you mean 'school'?"),
        (TOTAL + "people,2,school,0,5000\n", "5,000 members, of 2,000 records"),
        ("people,2,,,0\n", "people/2 has no records"),
        ("people,2,,,1500\n", "no records have these sizes and the numbers of the rep"),
        (FIRST, "no records have these sizes and the numbers of the report"),
        ("people,2,,0,1101\n", "line 2 has a value and no grouping that it is of"),
    ],
)
def test_sizes_that_do_not_fit_the_report_are_refused(
    tmp_path, two_schools, capsys, lines, said
):
    assert asked_with(tmp_path, two_schools, lines) == 1
    assert said in capsys.readouterr().err


def test_a_run_knows_the_sizes_of_all_values_of_single_qids(tmp_path, two_schools):
    """Also without groups at risk: measures have the sizes of blocks, not whose.

    And how many values a sensitive attribute has.
    """
    of_schools = pupils(*LEAK)
    by_person = {f"{i:06}": row for i, row in enumerate(of_schools)}
    rows = collective(tmp_path, {"2": by_person}, SCHOOLS, ["ill"])
    write_table(tmp_path / measured("collective", "s"), rows, specs()["collective"])
    values = {"analysis": "s", "table": "people", "focal": "2", "role": "sensitive"}
    values |= {"attributes": "ill", "n_attributes": 1, "n_records": 2_000}
    values |= {"n_blocks": 2, "entropy": 0.5}
    values |= dict.fromkeys(["mean_block_size", "expected_block_size"], 1_000.0)
    entropy = specs()["entropy"]
    write_table(tmp_path / measured("entropy", "s"), entropy.frame([values]), entropy)
    written_people(tmp_path, of_schools)
    analysis = Collective("s", "people", "2", (*SCHOOLS,), ("ill",), "all")
    study = SimpleNamespace(
        analyses=NO_SIZES.analyses | {"collective": {"s": analysis}}
    )
    sizes = known_sizes(study, tmp_path)
    assert sizes == {
        ("people", "2"): {
            "": {"": 2_000},
            "ill|values": {"": 2},
            "school": {"1": 1_101, "2": 899},
            "sex": {"1": 1_001, "2": 999},
        }
    }
    assert any("ill of group 1 of school" in s for s in failing(two_schools, sizes))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("by,value\n", "line 1 must be table,release,by,value,n_members"),
        ("table,release,by,value,n_members\np,2,a,b,few\n", "line 2 must have 5 cells"),
        ("table,release,by,value,n_members\n" + "p,2,a,b,3\n" * 2, "line 3 is of a gr"),
        ("table,release,by,value,n_members\np,2,,," + "9" * 13 + "\n", "at most 12"),
    ],
)
def test_sizes_that_cannot_be_read_are_told_by_their_line(
    tmp_path, report, capsys, text, said
):
    file = tmp_path / "sizes.csv"
    file.write_text(text)
    assert main(["verify", "--public", str(report), "--sizes", str(file)]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--more", "1"], "--more and --part tell of another report"),
        (["--beside", ".", "--more", "1", "--part"], "exclude one another"),
        (["--inputs"], "--inputs does not go with --public"),
    ],
)
def test_options_that_do_not_fit_are_refused(report, capsys, options, said):
    assert main(["verify", "--public", str(report), *options]) == 1
    assert said in capsys.readouterr().err
