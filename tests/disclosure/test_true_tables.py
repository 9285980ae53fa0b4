"""No law is untrue of a table: with all of its counts no book contradicts itself.

Of small random tables with missing values, skewed and nested attributes, and one that
is guessed and known; against who reads the page, and who knows all sizes.
"""

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.risk_groups import laws as of_groups
from microleak.attacks.smallest_protection.search_laws import number_of, on_level
from microleak.disclosure.book import Book
from microleak.disclosure.group_laws import known_blocks
from microleak.disclosure.laws import below, blocks, modal
from microleak.disclosure.proof import prove
from microleak.disclosure.sizes import records, values_of
from tests.disclosure.small_world import coarse

QIDS = ("a", "b", "c")
RELEASE = ("", "t", "1", "")
SIZES = ((0, 1), (2, 9), (10, None))


def table(rng):
    """Some persons; `a` may be nearly constant, and `c` may follow from `b`."""
    n = int(rng.choice([1, 2, 5, 9, 30, 130, 400]))
    width = {name: int(rng.choice([1, 2, 3, 8, 60])) for name in QIDS}
    drawn = {name: (rng.random(n) ** 3 * of).astype(int) for name, of in width.items()}
    if rng.random() < 0.3:
        drawn["a"] = np.where(rng.random(n) < 0.98, 0, drawn["a"])
    if rng.random() < 0.3:
        drawn["c"] = np.where(rng.random(n) < 0.9, drawn["b"] // 2, drawn["c"])
    ill = rng.integers(0, rng.choice([1, 2, 3]), n)
    drawn["ill"] = np.where(rng.random(n) < 0.5, ill, drawn["b"] % 3)
    people = pd.DataFrame(drawn).astype(str)
    return people.mask(rng.random(people.shape) < 0.05, "")


def sizes_of(people):
    """The members of all groups, of levels too, and how many values there are."""
    levels = {on_level(q, "half"): halved(people[q]) for q in QIDS}
    of_size = {f"{q} (size)": sized(people[q]) for q in QIDS}
    every = {**{q: people[q] for q in people}, **levels, **of_size}
    groups = {by: of.value_counts().to_dict() for by, of in every.items()}
    known = {values_of(q): {"": people[q].nunique()} for q in people}
    return {RELEASE[:3]: {"": {"": len(people)}, **groups, **known}}


def halved(values):
    return values.map(lambda value: str(int(value) // 2) if value else "")


def sized(values):
    n_members = values.map(values.value_counts())
    names = {first: f"{first}-{'' if last is None else last}" for first, last in SIZES}
    firsts = np.array([first for first, _ in SIZES])
    found = firsts[np.searchsorted(firsts, n_members, side="right") - 1]
    return pd.Series(found, values.index).map(names).where(values != "", "")


def n_below(people, qids, end):
    sizes = people.groupby([*qids])["ill"].transform("size")
    return int((sizes < end).sum())


def truth(key, people):
    """The count of persons that a number stands for; None if it is another number."""
    found = {
        "records": lambda: len(people),
        "below": lambda: n_below(people, key[5], key[6]),
        "modal": lambda: n_right(people, key[5], [*key[6]]),
        "members": lambda: int(in_group(people, *key[4:6]).sum()),
        "alone": lambda: int(
            (in_group(people, *key[5:7]) & alone(people, key[7])).sum()
        ),
        "alone after": lambda: n_alone_after(people, *key[5:8]),
    }.get(key[0])
    return found() if found else None


def alone(people, qids):
    return people.groupby([*qids])["ill"].transform("size") == 1


def in_group(people, by, value):
    is_size = by.endswith(" (size)")
    return (sized(people[by[0]]) if is_size else people[by]) == value


def n_right(people, sensitive, qids):
    counts = people.assign(guess=people[sensitive]).groupby([*qids, "guess"]).size()
    return int(counts.groupby(qids).max().sum() if qids else counts.max())


def n_alone_after(people, qids, left_out, levels):
    kept = sorted(qids - {*left_out.split("|")})
    coarser = [each.partition(":")[0] for each in levels.split("|") if each]
    known = people.assign(**{q: halved(people[q]) for q in coarser})
    return int(alone(known, kept).sum()) if kept else 0


def shown_groups(people, qids, by, kind):
    """A table of those alone by groups, none of which is left out."""
    values = sized(people[by]) if kind == "size" else people[by]
    common = {"table": "t", "focal": "1", "qids": "|".join(qids), "n_qids": len(qids)}
    common |= {"by": by, "attribute": by, "kind": kind}
    common |= {"step_pct": 1, "alone_pct": 0, "step_of_all_pct": 1}
    rows = [
        common | {"value": value, "is_missing": str(not value).lower()}
        for value in sorted({*values}, key=of_groups._size if kind == "size" else None)
    ]
    return pd.DataFrame([row | {"alone_of_all_pct": 0} for row in rows])


def some_of(rng, names):
    chosen = [name for name in names if rng.random() < 0.6]
    return chosen or [names[0]]


def book_of(people, rng, *, is_known):
    """A book with some of the numbers that pages show, and all that follows."""
    n = len(people)
    book = Book(max(n, 1000), sizes=sizes_of(people) if is_known else {})
    book.fix(records(book, RELEASE), n, n)
    for _ in range(rng.integers(2, 6)):
        qids = some_of(rng, QIDS)
        below(book, RELEASE, qids)
        blocks(book, RELEASE, qids)
        for sensitive in some_of(rng, ["ill", *sorted({*QIDS} - {*qids})]):
            modal(book, RELEASE, sensitive, ())
            modal(book, RELEASE, sensitive, qids)
    for qid in QIDS:
        if ("below", *RELEASE, frozenset([qid]), 2) in book:
            known_blocks(book, RELEASE, qid)
    for place in range(rng.integers(0, 4)):
        by, kind = str(rng.choice([*QIDS, "ill"])), str(rng.choice(["value", "size"]))
        kind = "value" if by == "ill" else kind
        shown = shown_groups(people, some_of(rng, QIDS), by, kind)
        of_groups.laws(book, "", {"alone": {f"x{place}": shown}})
    for _ in range(rng.integers(0, 3)):
        kept = {q: str(rng.choice(["", "half"])) for q in some_of(rng, QIDS)}
        number_of(book, RELEASE, QIDS, kept)
    assert book.faults == []
    book.close()
    return book


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("seed", range(60))
def test_all_counts_of_a_table_keep_to_all_laws(monkeypatch, seed, is_known):
    coarse(monkeypatch, (1,), 1)
    monkeypatch.setattr(of_groups, "FEWEST_RECORDS", 1)
    rng = np.random.default_rng(seed)
    people = table(rng)
    book = book_of(people, rng, is_known=is_known)
    n_fixed = 0
    for number, key in enumerate(book.names):
        if (count := truth(key, people)) is not None:
            assert book.low[number] <= count <= book.high[number], key
            book.fix(number, count, count)
            n_fixed += 1
    book.claims.clear()
    book.rows = [row for row in book.rows if not (row.is_chosen or row.cell)]
    assert prove(book).leaks == ()
    assert n_fixed > 5
