"""What a published page is proved to leave possible is so in a table that is found.

Against who knows the sizes of all groups by single QIDs, and how many values there are.
"""

import numpy as np
import pandas as pd
import pytest

from microleak.disclosure.book import FEW, Row, Sum
from microleak.disclosure.laws import ENDS
from microleak.disclosure.program import numbers_of, solved
from microleak.disclosure.proof import prove
from microleak.disclosure.sizes import values_of
from microleak.study.proof import book_of
from tests.disclosure.exact_cells import hold_cells
from tests.disclosure.realised import free, state, walk
from tests.study.proved_page import made, written

A_KIND = 4
"""So many claims of each kind and end are looked at."""

HOTTEST = (2.0, 10.0, 40.0)
N_STEPS = 1_500_000


def town(seed):
    """Persons with two or three QIDs, which may depend on one another."""
    rng = np.random.default_rng(seed)
    n, columns, before = int(rng.choice([1_000, 1_500, 2_400])), {}, None
    for name in ("q0", "q1", "q2")[: rng.integers(2, 4)]:
        k = int(rng.choice([2, 3, 5, 10, 20, 40]))
        drawn = rng.choice(k, n, p=rng.dirichlet(np.full(k, rng.choice([0.5, 1, 10]))))
        if before is not None and rng.random() < 0.4:
            drawn = np.where(rng.random(n) < 0.7, before % k, drawn)
        before = columns[name] = drawn
    v = int(rng.choice([2, 3, 5]))
    ill = rng.choice(v, n, p=rng.dirichlet(np.full(v, rng.choice([0.5, 2, 20]))))
    columns["ill"] = np.where(
        rng.random(n) < rng.choice([0, 0.3, 0.8]), before % v, ill
    )
    return pd.DataFrame(columns).astype(str)


def published(folder, people):
    """A book of a page that is proved, without the guesses that would tell."""
    *qids, ill = people
    page = made(
        folder / "made", people.to_dict("records"), qids, (qids, qids[:1]), False
    )
    page.alone = page.alone.iloc[:0]
    of_qids = {q: people[q].value_counts().to_dict() for q in qids}
    known = {
        "": {"": len(people)},
        **of_qids,
        values_of(ill): {"": people[ill].nunique()},
    }
    guesses = page.inference
    for fewest in range(1, len(qids) + 2):
        page.inference = guesses[guesses["n_qids"] >= fewest]
        report = written(folder / f"from-{fewest}", page)
        book, _ = book_of(report, {("people", "2"): known})
        proof = prove(book)
        if not proof.leaks:
            return book, proof
    return None


class Page:
    """A page's numbers, as bounds of the counts of a table."""

    def __init__(self, people, book):
        *self.qids, self.ill = people
        self.book = book
        coded = {name: pd.factorize(people[name]) for name in people}
        self.codes = np.column_stack([coded[q][0] for q in self.qids])
        self.values, self.place_of = coded[self.ill][0], {}
        for name, (_, found) in coded.items():
            self.place_of[name] = {value: place for place, value in enumerate(found)}
        keys = [
            key for key in book.names if key[0] in ("below", "modal") and not key[4]
        ]
        singles = [frozenset([q]) for q in self.qids]
        self.sets = [
            *dict.fromkeys(
                [*singles, *(k[5] if k[0] == "below" else k[6] for k in keys)]
            )
        ]
        self.sets = [each for each in self.sets if each]
        self.empty = state(self.codes, self.values, self._placed())
        self.most = int(self.empty.totals.argmax())
        self.another = int(np.argsort(self.empty.totals)[-2])

    def _placed(self):
        return [tuple(self.qids.index(q) for q in sorted(s)) for s in self.sets]

    def bounds(self, shown):
        """Bounds of counts: for each number of the book the least and the largest."""
        below, right, total, of_group = free(len(self.sets))
        for number, (least, most) in shown.items():
            kind, *_, last = key = self.book.names[number]
            if kind == "below":
                place = self.sets.index(key[5]), ENDS.index(last)
                below[place] = least, most
            elif kind == "modal":
                own = right[self.sets.index(last)] if last else total
                own[:] = least, most
            else:
                qid, value = key[6], self.place_of[key[6]][key[7]]
                block = self.empty.starts[self.sets.index(frozenset([qid]))] + value
                guessed = self.most if kind == "frequent" else self.another
                of_group[:] = block, guessed, least, most
        return below, right, total, of_group, self.most

    def within(self, sum_, most):
        """The number of a sum whose others are known, and where the sum is no more."""
        low, high = self.book.low, self.book.high
        free_ = [n for n in sum_.factors if low[n] < high[n]]
        if len(free_) != 1:
            return None
        (number,) = free_
        rest = sum_.constant + sum(
            f * low[n] for n, f in sum_.factors.items() if n != number
        )
        factor = sum_.factors[number]
        end = (most - rest) // abs(factor)
        return number, (-(1 << 40), end) if factor > 0 else (-end, 1 << 40)

    def shares(self):
        """What the cells say of each number."""
        found = {}
        for row in self.book.rows:
            of_cell = row.cell and self.within(
                row.sum._replace(
                    factors={n: -f for n, f in row.sum.factors.items()},
                    constant=-row.sum.constant,
                ),
                0,
            )
            if of_cell:
                number, ends = of_cell
                found[number] = narrowed(found.get(number), ends)
        return found

    def find(self, shown):
        """Say whether a table is found in which numbers are within bounds."""
        for seed, hottest in enumerate(HOTTEST):
            begun = state(self.codes, self.values, self._placed())
            if walk(begun, self.bounds(shown), N_STEPS, hottest, seed):
                return True
        return False


def narrowed(ends, others):
    if ends is None:
        return others
    return max(ends[0], others[0]), min(ends[1], others[1])


def looked_for(page, proof):
    """Some claims of each kind and end, by what is claimed of a number."""
    of_kind = {}
    for each in proof.proved:
        if each.witness is None:
            continue
        found = page.within(each.claim.distance, max(each.claim.within, each.distance))
        if found:
            number, ends = found
            key = page.book.names[number]
            if key[0] in ("below", "modal") or key[7] in page.place_of.get(key[6], ()):
                of_kind.setdefault((key[0], each.claim.end), []).append(
                    (each, number, ends)
                )
    for some in of_kind.values():
        yield from some[:: max(1, len(some) // A_KIND)][:A_KIND]


def not_found(folder, seed):
    """Claims of a town's page of which no table is found, and how many have one."""
    people = town(seed)
    proved = published(folder, people)
    if proved is None:
        return None
    book, proof = proved
    page = Page(people, book)
    shown, missing, n_found = page.shares(), [], 0
    assert page.find(shown), "the town itself has the numbers of its page"
    for each, number, ends in looked_for(page, proof):
        if page.find({**shown, number: narrowed(shown.get(number), ends)}):
            n_found += 1
        elif page.find({number: ends}):
            missing.append((str(each.claim.about), each.claim.end))
    return missing, n_found


@pytest.mark.long
def test_claims_of_a_page_are_true_in_a_table(tmp_path):
    missing, n_found = not_found(tmp_path, seed=0)
    assert missing == []
    assert n_found > 20


@pytest.mark.parametrize("seed", [0, 2, 3, 8, 19])
def test_a_table_has_each_of_ten_counts_or_more(tmp_path, seed):
    """Of small blocks by two QIDs of known sizes: exactly, by all of their cells.

    Laws say less than cells do, so that ends that are claimed may be out of reach.
    """
    book, _ = published(tmp_path, town(seed))
    counted = [key[5] for key in book.names if key[0] == "below"]
    pair = max(counted, key=len)
    hold_cells(book, ("", "people", "2", ""), pair)
    every, bounds = sorted({*numbers_of(book.rows)}), (book.low, book.high)
    for end in ENDS[:-1]:
        number = book.number("below", "", "people", "2", "", pair, end)
        found = solved(book.rows, Sum({number: 1}), bounds, every)
        more = Row(Sum({number: 1}, -found[every.index(number)] - FEW))
        assert solved([*book.rows, more], Sum({}), bounds, every), end
