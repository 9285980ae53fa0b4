"""The lowest and the highest of several values, in words."""

import pandas as pd

from microleak.report.texts import span, voice

ENGLISH = voice("en")


def said(speaker=ENGLISH, **values):
    shares = pd.Series(values, dtype="float64")
    return span(shares, lambda name: speaker.numbers.share(shares[name]), speaker)


def test_the_lowest_and_the_highest_are_named_and_of_equals_the_first():
    assert said(Bahia=0.5, Acre=0.01, Ceará=0.5) == "1.00% (Acre) to 50.00% (Bahia)"
    portuguese = voice("pt")
    assert said(portuguese, Bahia=0.5, Acre=0.01) == "1,00% (Acre) a 50,00% (Bahia)"


def test_a_single_known_value_stands_there_once():
    assert said(Bahia=0.5, Acre=None) == "50.00% (Bahia; undefined for the rest)"


def test_values_that_are_equal_stand_there_once(names, told):
    values = {name: None if name == "-" else 0.5 for name in names}
    assert said(**values) == f"50.00% ({told})"


def test_nothing_is_said_where_all_are_undefined():
    assert said(Bahia=None, Acre=None) == ""
