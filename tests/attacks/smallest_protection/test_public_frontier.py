"""The frontier that the public sees, and what a reader of it knows.

It follows from shares as they are rounded, and from levels.
"""

import json
from fractions import Fraction
from html import unescape
from itertools import product

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.smallest_protection.frontier_laws import Frontier
from microleak.attacks.smallest_protection.laws import laws
from microleak.attacks.smallest_protection.public_frontier import (
    given_up,
    hidden_shares,
    least_share,
    shown_nodes,
)
from microleak.attacks.smallest_protection.publish import (
    published_answer,
    published_frontier,
)
from microleak.attacks.smallest_protection.report import public_parts
from microleak.attacks.smallest_protection.search_laws import number_of
from microleak.attacks.smallest_protection.target_laws import Target, fail_alone
from microleak.disclosure.book import Book
from microleak.disclosure.laws import below
from microleak.disclosure.proof import prove
from microleak.disclosure.rounding import counts_of as counts_that_round
from microleak.disclosure.rounding import percent, step_of
from microleak.report.contents import Tables
from microleak.report.texts import voice
from microleak.study.certificate import Outcome, certificate
from microleak.study.tables import tables as specs
from scripts.check_certificate import check
from tests.attacks.smallest_protection.shown_rows import LATTICE, NODES
from tests.disclosure.ends import excluded

QIDS = ("sex", "age", "street")
WIDTHS = {"sex": (), "age": (4, 16), "street": (8,)}
SHAPE = tuple(len(each) + 2 for each in WIDTHS.values())
LASTS = tuple(length - 1 for length in SHAPE)
NODE_LEVELS = [*product(*map(range, SHAPE))]


def town(seed, n):
    """People of a town, of whom street and age tell most."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.integers(0, 2, n),
            "age": rng.integers(0, 64, n),
            "street": rng.geometric(0.02 + 0.02 * seed, n) % 64,
        }
    )


def labels(people, levels):
    """What a node says of people: each QID on its level."""
    divided = people.copy()
    for name, level, last in zip(QIDS, levels, LASTS, strict=True):
        width = (1, *WIDTHS[name], 10**6)[level]
        divided[name] = people[name] // width if level < last else 0
    return divided


def alone(people, levels):
    """Who is alone by a node, counted plainly."""
    return int((labels(people, levels).value_counts() == 1).sum())


def counts_of(people):
    """Who is alone by every node."""
    found = [alone(people, levels) for levels in NODE_LEVELS]
    return np.array(found).reshape(SHAPE)


def name_of(name, level):
    """The name of a level between the first and the last."""
    return f"width {WIDTHS[name][level - 1]}"


def node_row(levels, n_alone, n, target, answer):
    """A row of the tables of a search."""
    pairs = [*zip(QIDS, levels, LASTS, strict=True)]
    return dict.fromkeys(specs()["smallest_protection"].names, 0) | {
        **{"analysis": "x", "table": "people", "focal": "2", "target": target},
        **{"n_known": 3, "qids": "|".join(QIDS), "n_qids": 3, "sensitive": ""},
        "left_out": "|".join(q for q, level, last in pairs if level == last),
        "levels": "|".join(
            f"{q}:{name_of(q, level)}" for q, level, last in pairs if 0 < level < last
        ),
        "n_changed": sum(map(bool, levels)),
        "information": sum(levels) / 10,
        "loss_of": "information",
        "n_records": n,
        "n_alone": n_alone,
        **{"tables_changed": "", "on_frontier": "false"},
        "holds": str(levels == answer).lower(),
        "is_answer": str(levels == answer).lower(),
    }


def search(people, target, answer, *targets):
    """The public tables of a search with an answer, and the counts of all nodes."""
    counts, n = counts_of(people), len(people)
    nodes = pd.DataFrame(
        [node_row(each, counts[each], n, target, answer) for each in NODE_LEVELS]
    )
    lattice = nodes.assign(node=range(len(nodes)))
    return {
        "answer": published_answer(nodes),
        "frontier": published_frontier(nodes, lattice, targets),
    }, counts


def book_of(tables, n):
    """What a reader of these tables knows who knows how many records there are."""
    book = Book(n)
    book.number("records", "", "people", "2", low=n, high=n)
    laws(book, "", {kind: {"x": rows} for kind, rows in tables.items()})
    return book


def told(book):
    """What cannot be any more: the cell and the end."""
    return {(str(claim.about), claim.end) for claim in excluded(book)}


TARGETS = ("alone:1/10", "k:2", "reidentified:3/5", "k:5")


def keeps(people, levels, target):
    """Whether a node keeps to a target of one bound, counted plainly."""
    name, _, bound = target.partition(":")
    sizes = labels(people, levels).value_counts()
    if name == "k":
        return sizes.min() >= int(bound)
    n = (sizes == 1).sum() if name == "alone" else len(sizes)
    return Fraction(int(n), len(people)) <= Fraction(bound)


def answer_of(people, target):
    """The node of the fewest levels that keeps to a target."""
    kept = [each for each in NODE_LEVELS if keeps(people, each, target)]
    return min(kept, key=lambda each: (sum(each), each))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("seed", "n"), [(0, 1_500), (1, 5_003), (2, 12_000)])
def test_every_number_of_a_frontier_keeps_all_counts_that_round_to_it(seed, n, target):
    people = town(seed, n)
    tables, _ = search(people, target, answer_of(people, target))
    assert len(tables["frontier"]) >= 3
    book = book_of(tables, n)
    assert book.faults == []
    proof = prove(book)
    assert proof.leaks == ()
    told = certificate(Outcome((), book, proof))
    assert [*check(json.loads(json.dumps(told)))] == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("seed", "n"), [(0, 1_500), (1, 5_003)])
def test_the_counts_of_a_town_keep_to_all_laws_of_its_frontier(seed, n, target):
    people = town(seed, n)
    tables, _ = search(people, target, answer_of(people, target))
    book = book_of(tables, n)
    for number, key in enumerate(book.names):
        if key[0] == "below":
            sizes = people.groupby([*key[-2]])["sex"].transform("size")
            book.fix(number, *[int((sizes < key[-1]).sum())] * 2)
        elif key[0] == "alone after":
            _, left_out, levels = key[-3:]
            told = dict(each.split(":") for each in levels.split("|") if each)
            of = tuple(
                last
                if name in left_out.split("|")
                else [0, *map("width {}".format, WIDTHS[name])].index(told.get(name, 0))
                for name, last in zip(QIDS, LASTS, strict=True)
            )
            book.fix(number, *[alone(people, of)] * 2)
    book.claims.clear()
    assert prove(book).leaks == ()


@pytest.mark.parametrize(("seed", "n"), [(0, 1_500), (1, 5_003), (2, 12_000)])
def test_no_number_is_narrowed_by_what_is_told_of_nodes_that_are_not_shown(seed, n):
    """With a number for each node, and what which nodes are shown tells of it."""
    people = town(seed, n)
    tables, counts = search(people, "alone:1/10", answer_of(people, "alone:1/10"))
    book = book_of(tables, n)
    book.close()
    records = book.number("records", "", "people", "2")
    frontier = Frontier(book, "x", tables["frontier"].to_dict("records"))
    answer = answer_of(people, "alone:1/10")
    every = {each: book.number("node", each) for each in NODE_LEVELS}
    for key, number in [*book.of_kind("alone after"), *book.of_kind("below")]:
        if key[0] == "alone after" or key[-1] == 2:
            (own,) = (each for each in NODE_LEVELS if book_key(each) == kept(key))
            book.equal([every[own]], number)
    for one, other in product(every, repeat=2):
        if is_finer(one, other):
            book.hold({every[one]: 1, every[other]: -1})
    for levels, number in every.items():
        least, _ = frontier.least(levels)
        share = int(percent(pd.Series([counts[levels]]), n, frontier.step).iloc[0])
        assert share >= least or share == 10
        if share != 10:
            book.hold({number: 200, records: frontier.step - 2 * least})
        if is_finer(levels, answer):
            target = Target({"alone": "1/10"}, [])
            fail_alone(book, target, number, records, book.cell("x", 2, "levels"))
    assert prove(book).leaks == ()


def is_finer(one, other):
    """Whether a node is finer than another one."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def book_key(levels):
    """What a node keeps, as `kept` has it."""
    return {
        name: "" if not level else name_of(name, level)
        for name, level, last in zip(QIDS, levels, LASTS, strict=True)
        if level < last
    }


def kept(key):
    """What is kept of QIDs by the key of a number."""
    if key[0] == "below":
        return dict.fromkeys(key[-2], "")
    *_, qids, left_out, levels = key
    told = dict(each.split(":") for each in levels.split("|") if each)
    gone = left_out.split("|")
    return {name: told.get(name, "") for name in qids if name not in gone}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hidden", [(), (10,), (0, 20)])
def test_the_nodes_shown_are_those_of_the_plain_definition(seed, hidden):
    people = town(seed, 1_200)
    counts, n = counts_of(people), 1_200
    step = step_of(n)
    share = {e: int(percent(counts[e], n, step)) for e in NODE_LEVELS}
    shown = shown_nodes(counts, n, step, hidden)

    def is_better(one, other):
        """Whether one node is before another that has no lower share."""
        lost = given_up(one, LASTS), share[one], one
        return lost < (given_up(other, LASTS), share[other], other)

    candidates = [e for e in NODE_LEVELS if share[e] not in hidden or not any(e)]
    expected = {
        e
        for e in candidates
        if not any(
            other != e and share[other] <= share[e] and is_better(other, e)
            for other in candidates
        )
    }
    assert {*shown} == expected
    told = [(each, share[each]) for each in shown]
    for each in NODE_LEVELS:
        least = least_share(each, LASTS, told, step)
        assert share[each] >= least or share[each] in hidden


def test_counts_that_round_alike_give_the_same_frontier():
    people = town(1, 5_003)
    counts, n = counts_of(people), 5_003
    shares = np.array(percent(counts, n, 2))
    least = np.maximum(-(-(2 * shares - 2) * n // 200), 0)
    one, other = (shown_nodes(each, n, 2, ()) for each in (counts, least))
    assert one == other


def test_precision_that_is_given_up_is_the_mean_share_of_levels():
    assert given_up((1, 2, 0), (1, 4, 3)) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("bounds", "step", "share"),
    [
        ({"alone": "1/10"}, 1, {10}),
        ({"alone": "19/200"}, 1, {10}),  # 9.5 % is the first that rounds so
        ({"alone": "1/10"}, 10, {10}),
        ({"k": "2"}, 1, {0}),
        ({"k": "3"}, 1, set()),  # a block of two fails it, too
        ({"k": "2", "alone": "1/10"}, 1, {0}),
        ({"k": "2", "inferred": "1/2"}, 1, set()),
        ({"reidentified": "3/5"}, 1, {20}),
        ({"reidentified": "547499/1000000"}, 1, {9, 10}),  # two more reach 9.5 %
        ({"reidentified": "2/5"}, 1, set()),
    ],
)
def test_the_share_is_hidden_in_which_failing_the_target_would_tell(
    bounds, step, share
):
    assert hidden_shares(bounds, step) == share


@pytest.mark.parametrize("n", range(10_000, 10_040))
def test_a_step_that_is_shown_has_no_count_that_failing_the_target_excludes(n):
    """Of records in blocks of which more than a share have one record at least."""
    for bound in ("547499/1000000", "3/5", "1/2", "999/1000"):
        forced = 2 * (int(Fraction(bound) * n) + 1) - n
        hidden = hidden_shares({"reidentified": bound}, 1)
        shown = [share for share in range(101) if share not in hidden]
        for share in shown:
            least, largest = counts_that_round(share, n, 1)
            assert not least < forced <= largest


def test_a_node_with_the_hidden_share_would_tell_and_is_refused():
    """Of one that is finer than the answer, and so fails, one at least is alone."""
    people = town(0, 1_500)
    tables, _ = search(people, "k:5", answer_of(people, "k:5"))
    book = book_of(tables, 1_500)
    rows = tables["frontier"]
    none = rows[(rows["alone_pct"] == 0) & (rows["is_answer"] == "false")]
    assert len(none) == 1
    assert (book.faults, prove(book).leaks) == ([], ())
    tables["answer"] = tables["answer"].assign(target="k:2")
    book = book_of(tables, 1_500)
    found = told(book)
    assert book.faults == ["x-frontier.csv: it has a share that is hidden"]
    assert found == {(f"x-frontier.csv, line {none.index[0] + 2}, alone_pct", "least")}


def streets(seed, n_sexes=2):
    """People of a large town, of whom the street tells most."""
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(0, n_sexes, 10_000), rng.integers(0, 64, 10_000)
    street = rng.geometric(rng.uniform(0.002, 0.05), 10_000) % 900
    return pd.DataFrame({"sex": sex, "age": age, "street": street})


def of_two(people, *targets, are_apart=False):
    """What a reader of two searches of one release knows, published as one or not."""
    book = Book(len(people))
    book.number("records", "", "people", "2", low=len(people), high=len(people))
    found = {}
    for name, target in zip("xy", targets, strict=True):
        others = () if are_apart else targets
        tables, _ = search(people, target, answer_of(people, target), *others)
        for kind, rows in tables.items():
            found.setdefault(kind, {})[name] = rows
    if are_apart:
        for name in "xy":
            book.where = f"{name}: "
            one = {kind: {name: found[kind][name]} for kind in found}
            laws(book, "", one)
    else:
        laws(book, "", found)
    return book


def test_two_searches_of_a_release_hide_the_shares_of_both_targets():
    book = of_two(streets(1), "alone:1/20", "k:5")
    assert (prove(book).leaks, book.faults) == ((), [])


def test_a_node_that_another_search_tells_to_fail_is_refused_beside_it():
    book = of_two(streets(1), "alone:1/20", "k:5", are_apart=True)
    assert told(book) == {("y: y-frontier.csv, line 4, alone_pct", "least")}
    assert book.faults == ["y: y-frontier.csv: it has a share that is hidden"]


def beside_blocks(people, target, answer, qids, count):
    """What a reader of a search, and of who is alone by other QIDs, knows."""
    tables, _ = search(people, target, answer)
    book = Book(len(people))
    n = book.number("records", "", "people", "2", low=len(people), high=len(people))
    number = below(book, ("", "people", "2", ""), qids)[2]
    share = int(percent(count, len(people), 1))
    book.share(number, n, share, 1, book.cell("z-blocks.csv", 2, "alone_pct"))
    laws(book, "", {kind: {"x": rows} for kind, rows in tables.items()})
    return book


def test_a_set_of_another_table_that_is_finer_than_the_answer_fails_the_target():
    """Of sex and street 1 % are alone, which is 50 to 149; the target allows 100."""
    people, answer = streets(0, n_sexes=4), (1, 3, 0)
    assert keeps(people, answer, "alone:1/100")
    count = alone(people, (0, 3, 0))
    book = beside_blocks(people, "alone:1/100", answer, {"sex", "street"}, count)
    assert told(book) == {("z-blocks.csv, line 2, alone_pct", "least")}


@pytest.mark.parametrize("n_jobs", [15, 16, 17])
def test_a_set_that_refines_a_node_may_have_a_share_between(n_jobs):
    """By sex and age few are alone, a share that is hidden; by a job, too, more are."""
    rng = np.random.default_rng(n_jobs)
    people = streets(0)
    is_old = rng.random(len(people)) < 0.002
    people = people.assign(age=people["age"] + 64 * is_old)
    node, answer = (0, 0, 2), answer_of(people, "k:2")
    assert 0 < alone(people, node) < 50
    assert not is_finer(answer, node)
    job = rng.integers(0, n_jobs, len(people))
    sizes = people.assign(job=job)[["sex", "age", "job"]].value_counts()
    qids, count = {"sex", "age", "job"}, int((sizes == 1).sum())
    assert 50 <= count < 150  # 1 %, and the next node that is shown has 2 %
    book = beside_blocks(people, "k:2", answer, qids, count)
    assert (prove(book).leaks, book.faults) == ((), [])


def test_a_loss_that_is_not_monotone_has_no_frontier_and_tells_of_no_finer_node():
    people = town(0, 1_500)
    answer = answer_of(people, "alone:1/10")
    coarser = next(e for e in NODE_LEVELS if is_finer(answer, e))
    tables, counts = search(people, "alone:1/10", coarser)
    nodes = pd.DataFrame(
        [node_row(e, counts[e], 1_500, "alone:1/10", coarser) for e in NODE_LEVELS]
    ).assign(loss_of="regression:wage|age")
    lattice = nodes.assign(node=range(len(nodes)))
    assert published_frontier(nodes, lattice).empty
    book = book_of({"answer": published_answer(nodes)}, 1_500)
    kept = book_key(answer)
    number = number_of(book, ("", "people", "2", ""), QIDS, kept)
    book.fix(number, *[alone(people, answer)] * 2)
    assert (prove(book).leaks, book.faults) == ((), [])
    answer_rows = published_answer(nodes)
    book = book_of({"answer": answer_rows, "frontier": tables["frontier"]}, 1_500)
    assert book.faults == ["x-frontier.csv: the loss of its search is not monotone"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"given_up": "1/2"}, "changes are not those of its levels"),
        ({"levels": "street:width 8"}, "changes are not those of its levels"),
        ({"n_changed": 3}, "changes are not those of its levels"),
        ({"depths": "0/1|0/3|1/02"}, "depths are not the levels of all QIDs"),
        ({"depths": "0/1|0/3"}, "depths are not the levels of all QIDs"),
        ({"alone_pct": 100}, "rows are no frontier from the release on"),
        ({"is_answer": "true"}, "its answer is not that of the search"),
        ({"on_frontier": "false"}, "it has not the answer once"),
    ],
)
def test_a_frontier_that_does_not_follow_from_its_levels_is_refused(change, said):
    people = town(1, 5_003)
    tables, _ = search(people, "alone:1/10", answer_of(people, "alone:1/10"))
    rows = tables["frontier"]
    place = next(i for i, row in rows.iterrows() if i and row["is_answer"] == "false")
    for name, value in change.items():
        rows.loc[place, name] = value
    assert any(said in fault for fault in book_of(tables, 5_003).faults)


def test_a_frontier_without_an_answer_is_refused():
    people = town(1, 5_003)
    tables, _ = search(people, "alone:1/10", answer_of(people, "alone:1/10"))
    for answers in ({}, {"answer": tables["answer"].head(0)}):
        book = book_of({"frontier": tables["frontier"], **answers}, 5_003)
        assert book.faults == ["x-frontier.csv: its search has no answer"]


def test_rows_in_another_order_are_refused():
    people = town(1, 5_003)
    tables, _ = search(people, "alone:1/10", answer_of(people, "alone:1/10"))
    turned = tables["frontier"].iloc[::-1]
    assert any(
        "no frontier" in fault
        for fault in book_of({**tables, "frontier": turned}, 5_003).faults
    )


def of_town():
    """The public tables of the search of other tests, with more people."""
    nodes = NODES.assign(n_records=10_000, n_alone=NODES["n_alone"] * 100)
    lattice = LATTICE.assign(n_alone=LATTICE["n_alone"] * 100)
    nodes = nodes.assign(information=nodes["loss"])
    return {
        "answer": {"x": published_answer(nodes)},
        "frontier": {"x": published_frontier(nodes, lattice)},
    }


@pytest.mark.parametrize(
    ("language", "title", "named"),
    [
        (
            *("en", "The smallest change leaves <1% of the people unique"),
            "60%: as released",
        ),
        ("pt", "Com a menor mudança, <1% das pessoas são únicas", "60%: como"),
    ],
)
def test_the_public_page_draws_the_frontier_and_lists_it(language, title, named):
    (part,) = public_parts(Tables(of_town(), {"releases": EMPTY}), voice(language))
    (drawing,) = part.drawings
    svg = unescape(drawing.svg)
    assert title in svg
    assert named in svg
    (grid,) = part.grids
    assert grid.rows[0][1:] == ("0%", "60%")
    assert grid.rows[-1][1:] == ("75%", "<1%")
    assert len(part.downloads) == 2


EMPTY = specs()["releases"].frame([])


def test_without_every_node_the_public_page_says_that_there_is_no_frontier():
    tables = of_town()
    tables["frontier"]["x"] = tables["frontier"]["x"].head(0)
    (part,) = public_parts(Tables(tables, {"releases": EMPTY}), voice("en"))
    assert part.drawings == ()
    assert "more than 30,000 combinations" in str(part.body)
    assert len(part.downloads) == 1
