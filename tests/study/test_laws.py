"""The laws of public reports hold for the counts of the records behind them."""

import pandas as pd
import pytest

from microleak.disclosure.proof import prove
from microleak.disclosure.sizes import values_of
from microleak.study.beside import Beside
from microleak.study.proof import book_of
from tests.study.proved_page import (
    QIDS,
    made,
    of_releases,
    town,
    written,
    written_tables,
)

KINDS = ("records", "below", "modal", "members", "alone")


def truth(key, people):
    """The count of records that a number stands for."""
    kind, *rest = key
    if kind == "records":
        return len(people)
    if kind == "below":
        *_, linked, qids, end = rest
        sizes = people.groupby(known(people, qids, linked))["ill"].transform("size")
        return int((sizes < end).sum())
    if kind == "modal":
        *_, linked, sensitive, qids = rest
        by = known(people, qids, linked)
        counts = people.groupby([*by, sensitive]).size()
        return int(counts.groupby(by).max().sum() if qids else counts.max())
    if kind == "members":
        *_, by, value = rest
        return int((people[by] == value).sum())
    *_, by, value, qids = rest
    sizes = people.groupby([*qids])["ill"].transform("size")
    return int(((sizes == 1) & (people[by] == value)).sum())


def known(people, qids, linked):
    """The columns by which people are known, with those of a linked release."""
    further = [f"{name} of {linked}" for name in qids]
    return [*qids, *(name for name in further if name in people)]


def check(book, people):
    """Refuse laws that the counts of the records do not keep to."""
    n_fixed = 0
    for number, key in enumerate(book.names):
        if key[0] in KINDS:
            count = truth(key, people.get((key[1], key[3]), people.get(key[1])))
            book.fix(number, count, count)
            n_fixed += 1
    book.claims.clear()
    book.rows = [row for row in book.rows if not row.is_chosen]
    assert prove(book).leaks == ()
    assert n_fixed > 30


@pytest.mark.parametrize("seed", range(2))
def test_the_laws_of_one_report_hold(tmp_path, seed):
    people = town(seed, 2_400)
    folder = written(tmp_path / "report", made(tmp_path / "made", people, search=False))
    check(book_of(folder)[0], {"": pd.DataFrame(people)})


@pytest.mark.parametrize("seed", range(2))
def test_the_laws_of_known_groups_hold(tmp_path, seed):
    people = town(seed, 2_400)
    frame = pd.DataFrame(people)
    groups = {by: frame[by].value_counts().to_dict() for by in QIDS}
    groups |= {values_of("ill"): {"": 2}}
    sizes = {("people", "2"): {"": {"": len(people)}, **groups}}
    page = made(tmp_path / "made", people, search=False)
    book, _ = book_of(written(tmp_path / "report", page), sizes)
    assert any(key[0] == "right" for key in book.names)
    check(book, {"": frame})


@pytest.mark.parametrize(
    ("n_other", "how"),
    [(2_401, {"n_more": 1}), (2_390, {"n_more": -10}), (1_500, {"is_part": True})],
)
def test_the_laws_of_two_reports_hold(tmp_path, n_other, how):
    everybody = town(5, 2_401)
    people = {"one": everybody[:2_400], "other": everybody[:n_other]}
    folders = {
        name: written(tmp_path / name, made(tmp_path / f"m-{name}", each, search=False))
        for name, each in people.items()
    }
    book, _ = book_of(folders["one"], {}, Beside(folders["other"], **how))
    frames = dict(zip(("", "beside"), map(pd.DataFrame, people.values()), strict=True))
    check(book, frames)


@pytest.mark.parametrize("n_other", [2_400, 2_401])
def test_the_laws_of_a_release_linked_to_another_one_that_has_persons_more_hold(
    tmp_path, n_other
):
    """Of two persons the streets, which the other release has, are known since."""
    everybody = [row | {"street of 1": row["street"]} for row in town(5, n_other)]
    before = [
        row | ({"street of 1": ""} if i in (7, 1_100) else {})
        for i, row in enumerate(everybody[:2_400])
    ]
    people = {"one": before, "other": everybody}
    folders = {}
    for name, each in people.items():
        linked = [
            row | {"street": f"{row['street']}/{row['street of 1']}"} for row in each
        ]
        page = made(tmp_path / f"m-{name}", linked, search=False)
        page.blocks["auxiliary"] = page.inference["auxiliary"] = "1"
        page.alone = page.alone.iloc[:0]
        folders[name] = written(tmp_path / name, page)
    more = {("people", "2"): n_other - 2_400, ("people", "1"): -2}
    book, _ = book_of(folders["one"], {}, Beside(folders["other"], more=more))
    frames = dict(zip(("", "beside"), map(pd.DataFrame, people.values()), strict=True))
    assert n_binding(book) > 20
    check(book, frames)


@pytest.mark.parametrize("is_whole", [False, True])
def test_the_laws_of_a_pooled_release_and_its_parts_hold(tmp_path, is_whole):
    """Of three parts two are in the other report, one of them larger."""
    people = town(7, 4_600)
    parts = {"a": people[:1_300], "b": people[1_300:3_000], "c": people[3_000:]}
    pages = {
        name: made(tmp_path / f"m-{name}", each, search=False)
        for name, each in {"north": people, "a": parts["a"], "b": parts["b"]}.items()
    }
    listed = {name: (len(each) + 50) // 100 * 100 for name, each in parts.items()}
    tables = [
        of_releases({"north": pages["north"]}, listed),
        of_releases({name: pages[name] for name in ("a", "b")}),
    ]
    folders = [
        written_tables(tmp_path / f"r-{i}", each)
        for i, each in enumerate(reversed(tables) if is_whole else tables)
    ]
    wholes = {("people", "north"): ("a", "b", "c")}
    beside = Beside(folders[1], wholes=wholes, is_whole=is_whole)
    book, _ = book_of(folders[0], {}, beside)
    frames = {
        (report, name): pd.DataFrame(each)
        for report in ("", "beside")
        for name, each in ({"north": people} | parts).items()
    }
    assert n_binding(book) > 20
    check(book, frames)


def n_binding(book):
    """How many rows have numbers of both reports."""
    reports = [{book.names[n][1] for n in row.sum.factors} for row in book.rows]
    return sum({"", "beside"} <= each for each in reports)
