"""What a reader of published searches knows: the same counts, bounds and changes."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.collective.laws import laws as laws_of_blocks
from microleak.attacks.smallest_protection.laws import laws
from microleak.attacks.smallest_protection.publish import PUBLICATION
from microleak.attacks.smallest_protection.search_laws import number_of
from microleak.disclosure.book import Book
from microleak.disclosure.proof import prove
from microleak.disclosure.rounding import percent
from microleak.family import people
from microleak.study.tables import tables as specs
from microleak.study_file.hierarchies import HierarchySection
from tests.disclosure.ends import excluded

N = 10_000
QIDS = ("age", "birth", "street")


def row(alone, **others):
    """A row of `answer`: the release itself, of which so many percent are alone."""
    return {
        **{"analysis": "x", "table": "people", "focal": "2", "target": "alone:1/2"},
        **{
            "loss_of": "information",
            "n_known": len(QIDS),
            "qids": "|".join(QIDS),
            "n_qids": len(QIDS),
        },
        **{"left_out": "", "levels": "", "sensitive": "", "n_changed": 0},
        **{"holds": "false", "is_answer": "false", "step_pct": 1, "alone_pct": alone},
        **others,
    }


def answer(alone, left_out, **others):
    """The row of an answer that leaves QIDs out."""
    n_changed = len(left_out.split("|"))
    kept = {"holds": "true", "is_answer": "true", "n_changed": n_changed}
    return row(alone, left_out=left_out, **{**kept, **others})


def book_of(*searches, inference=()):
    """A book of what searches say of one release of which the records are known."""
    book = Book(N)
    book.number("records", "", "people", "2", low=N, high=N)
    tables = {str(i): specs()["answer"].frame(rows) for i, rows in enumerate(searches)}
    laws_of_blocks(book, "", {"inference": {"y": pd.DataFrame(inference)}})
    laws(book, "", {"answer": tables})
    assert book.faults == []
    return book


def leaks(book):
    """What cannot be any more, by line and end."""
    return {(claim.about.line, claim.end) for claim in excluded(book)}


def test_who_knows_any_qid_may_find_more_alone_by_all_of_them():
    """The target holds for the QIDs that are known, and the share is of all (2)."""
    release = {"n_known": 1, "holds": "true", "is_answer": "true", "target": "k:5"}
    assert leaks(book_of([row(96, **release)])) == set()


def test_the_release_has_one_count_whoever_knows_it():
    one = [row(96), answer(0, "age|birth")]
    other = [row(95, n_known=1), answer(0, "age|birth", n_known=1)]
    book = book_of(one, other)
    (leak,) = prove(book).leaks
    assert leak.claim is None
    assert {cell.table for cell in leak.cells} == {"0-answer.csv", "1-answer.csv"}


def test_answers_that_leave_other_qids_out_are_other_counts():
    one, other = answer(30, "age"), answer(20, "street")
    assert leaks(book_of([row(90), one], [row(90), other])) == set()


def inferred(prior, posterior, qids=QIDS):
    """A row of `inference`: of how many percent the best guess is right."""
    return {
        **{"table": "people", "focal": "2", "auxiliary": "", "sensitive": "ill"},
        **{"qids": "|".join(qids), "n_qids": len(qids), "is_worst": "true"},
        **{"step_pct": 1, "prior_pct": prior, "posterior_pct": posterior},
    }


KEPT = {"holds": "true", "is_answer": "true"}


@pytest.mark.parametrize(
    ("target", "shown", "found"),
    [
        ("alone:0/1", 0, {(2, "least")}),  # one at least is alone
        ("alone:1/10", 10, {(2, "least")}),  # 1,001 at least, and not 950
        ("alone:1/10", 11, set()),
        ("k:2", 0, {(2, "least")}),
        ("k:5", 0, set()),  # a block of two to four will do
        ("k:2|own_record:1/10", 0, set()),
        ("alone:1/10|k:2", 0, {(2, "least")}),
        ("alone:1/10|k:5", 10, set()),
        ("reidentified:1/2", 0, {(2, "least")}),  # without any, 5,000 pairs at most
        ("reidentified:2/5", 0, set()),
    ],
)
def test_a_release_that_is_not_the_answer_fails_its_target(target, shown, found):
    release = row(shown, target=target)
    last = answer(0, "age|birth", target=target)
    assert {each for each in leaks(book_of([release, last])) if each[0] == 2} == found


def test_right_guesses_of_a_release_that_keeps_to_its_target_are_bounded():
    """Of 50 percent 5,049 right guesses would round so, and 5,000 are the most."""
    release = row(0, target="inferred:1/2", sensitive="ill", **KEPT)
    for sensitive, most in (("ill", 5_000), ("rich", 5_049)):
        release["sensitive"] = sensitive
        book = book_of([release], inference=[inferred(30, 50)])
        number = book.number("modal", "", "people", "2", "", "ill", frozenset(QIDS))
        proof = prove(book)
        assert proof.leaks == ()
        assert max(each[number] for each in proof.witnesses) == most


def test_right_guesses_of_a_release_that_fails_are_beyond_the_bound():
    target = {"target": "inferred:1/2", "sensitive": "ill"}
    rows = row(0, **target), answer(0, "age|birth", **target)
    assert "least" in {
        end for _, end in leaks(book_of(rows, inference=[inferred(30, 50)]))
    }


def test_an_answer_that_only_leaves_qids_out_is_the_blocks_by_the_others():
    rows = row(90), answer(30, "age")
    other = row(40, qids="birth|street", n_qids=2, n_known=2, **KEPT)
    (leak,) = prove(book_of(rows, [other])).leaks
    assert {cell.line for cell in leak.cells} == {2, 3}


def counts(people, qids):
    """The true counts by some QIDs: what each bound of a target is of."""
    sizes = people.groupby(qids)["ill"].transform("size")
    kinds = [b["ill"].value_counts() for _, b in people.groupby(qids)]
    return {
        "k": int(sizes.min()),
        "alone": int((sizes == 1).sum()),
        "reidentified": len(kinds),
        "certain": sum(int(k.sum()) for k in kinds if len(k) == 1),
        "inferred": sum(int(k.max()) for k in kinds),
        "l": min(len(k) for k in kinds),
    }


BOUNDS = ("k", "alone", "reidentified", "certain", "inferred", "l")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("bound", BOUNDS)
def test_the_counts_of_a_table_keep_to_the_laws_of_its_tightest_target(bound, seed):
    """Kept with the very bound that they reach, failed with the next one."""
    rng = np.random.default_rng(seed)
    n = (1_000, 1_300, 1_700)[seed]
    people = pd.DataFrame(
        {name: rng.integers(0, 6 + 4 * seed, n) for name in (*QIDS, "ill")}
    )
    qids = [*QIDS][: 3 - seed % 2] if bound not in ("k", "l") else ["age"]
    of_table = counts(people, qids)
    is_zero = of_table[bound] == 0  # which no table fails
    for is_kept in (True, False)[: 1 if is_zero else 2]:
        value, by = of_table[bound], 0 if is_kept else 1
        text = f"{value - by}/{n}"
        if bound in ("k", "l"):
            text = str(value + by)
        target = {"target": f"{bound}:{text}", "sensitive": "ill"}
        common = {"qids": "|".join(qids), "n_qids": len(qids), "n_known": len(qids)}
        shown = percent(pd.Series([of_table["alone"]]), n, 10)[0]
        rows = [
            row(shown, step_pct=10, **target, **common, **(KEPT if is_kept else {}))
        ]
        if not is_kept:
            none = {"left_out": "|".join(qids), "step_pct": 10}
            rows.append(answer(0, **target, **common, **none))
        book = Book(n)
        book.number("records", "", "people", "2", low=n, high=n)
        laws(book, "", {"answer": {"x": specs()["answer"].frame(rows)}})
        for number, key in enumerate(book.names):
            if key[0] == "below":
                sizes = people.groupby([*key[-2]])["ill"].transform("size")
                count = int((sizes < key[-1]).sum())
                book.fix(number, count, count)
            elif key[0] == "modal" and key[-1]:
                count = counts(people, [*key[-1]])["inferred"]
                book.fix(number, count, count)
        book.claims.clear()
        assert prove(book).leaks == ()


def test_levels_of_known_sizes_have_no_more_alone_than_combinations():
    """Of five ages and four streets, each of which has a block that is not alone."""
    sizes = {"": {"": N}, "age:width 20": dict.fromkeys("abcde", N // 5)}
    book = Book(N, sizes={("", "people", "2"): sizes | {"street": {"s": N}}})
    book.number("records", "", "people", "2", low=N, high=N)
    release, kept = ("", "people", "2", ""), {"age": "width 20", "street": ""}
    assert book.high[number_of(book, release, QIDS, kept)] == 0
    sizes["street"] = dict.fromkeys("wxyz", N // 4)
    book = Book(N, sizes={("", "people", "2"): sizes})
    book.number("records", "", "people", "2", low=N, high=N)
    assert book.high[number_of(book, release, QIDS, kept)] == 5 * 3
    unknown = kept | {"birth": ""}
    assert book.high[number_of(book, release, QIDS, unknown)] == N


def test_sizes_of_values_on_each_level_are_those_of_a_plain_count(tmp_path):
    ages = ["1", "2", "7", "12", None]
    file = tmp_path / people("town", "1")
    file.parent.mkdir(parents=True)
    pq.write_table(pa.table({"age": ages}), file)
    search = SimpleNamespace(table="town", focal="1", qids=("age",))
    search.hierarchies = {"age": HierarchySection(widths=(5, 10))}
    study = SimpleNamespace(analyses={"smallest_protection": {"s": search}})
    found = [*PUBLICATION.sizes(study, tmp_path)]
    five = [
        ("town", "1", "age:width 5", str(n), of) for n, of in enumerate([2, 1, 1, 1], 1)
    ]
    ten = [
        ("town", "1", "age:width 10", str(n), of) for n, of in enumerate([3, 1, 1], 1)
    ]
    assert found == [*five, *ten]
    assert [*PUBLICATION.singles(study)] == [("town", "1", ("age",))]
