"""What a reader of groups at risk knows who knows their sizes."""

import pandas as pd

from microleak.attacks.risk_groups.laws import laws
from microleak.disclosure.book import Book
from microleak.disclosure.proof import prove
from tests.disclosure.ends import excluded


def test_who_alone_is_of_a_group_is_alone():
    """Of 149 at most, 120 are the only ones of their state: others are 29 at most."""
    sizes = {"A": 6_000, "B": 2_880, "C": 1_000, **{f"s{i}": 1 for i in range(120)}}
    book = Book(10_000, sizes={("", "t", "1"): {"": {"": 10_000}, "state": sizes}})
    book.number("records", "", "t", "1", low=10_000, high=10_000)
    common = {"analysis": "x", "table": "t", "focal": "1", "by": "state"}
    common |= {"attribute": "state", "kind": "value", "is_missing": "false"}
    common |= {"qids": "sex|state", "n_qids": 2}
    common |= {"alone_of_all_pct": 1, "step_of_all_pct": 1, "alone_pct": 0}
    shown = [("A", 2), ("B", 5)]
    rows = [common | {"value": value, "step_pct": step} for value, step in shown]
    laws(book, "", {"alone": {"x": pd.DataFrame(rows)}})
    told = {(str(claim.about), claim.end) for claim in excluded(book)}
    largest = [(f"x-alone.csv, line {line}, alone_pct", "largest") for line in (2, 3)]
    assert told == {*largest}
    (alone,) = (key for key in book.names if key[:2] == ("alone", "") and "s7" in key)
    assert book.low[book.number(*alone)] == 1


def test_of_a_group_no_more_are_alone_than_there_are_values_of_the_others():
    """Of 5,000 women of 51 ages 50 are alone at most, and at least by the share."""
    ages = {str(age): 196 for age in range(50)} | {"50": 200}
    known = {"": {"": 10_000}, "sex": {"F": 5_000, "M": 5_000}, "age": ages}
    book = Book(10_000, sizes={("", "t", "1"): known})
    book.number("records", "", "t", "1", low=10_000, high=10_000)
    common = {"analysis": "x", "table": "t", "focal": "1", "by": "sex"}
    common |= {"attribute": "sex", "kind": "value", "is_missing": "false"}
    common |= {"qids": "sex|age", "n_qids": 2, "step_pct": 2}
    common |= {"alone_of_all_pct": 1, "step_of_all_pct": 1}
    shown = [common | {"value": v, "alone_pct": pct} for v, pct in (("F", 2), ("M", 0))]
    laws(book, "", {"alone": {"x": pd.DataFrame(shown)}})
    told = {str(each.claim.about) for each in prove(book).leaks}
    assert "x-alone.csv, line 2, alone_pct" in told
