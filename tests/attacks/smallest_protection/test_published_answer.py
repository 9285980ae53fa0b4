"""What the public sees of a search: the release as it is, and the answer, in steps."""

from types import SimpleNamespace

import pandas as pd

from microleak.attacks.smallest_protection.publish import (
    PUBLICATION,
    TABLES,
    published_answer,
)
from microleak.attacks.smallest_protection.report import public_parts
from microleak.report.contents import Tables
from microleak.report.texts import voice
from tests.attacks.smallest_protection.shown_rows import NODES


def released(**changes):
    return published_answer(NODES.assign(n_records=10_000, **changes))


def told(rows, language="en"):
    published = Tables({"answer": {"smallest": rows}}, {})
    (part,) = public_parts(published, voice(language))
    return part


def test_the_public_sees_the_release_and_the_answer_alone_in_whole_steps():
    rows = released(n_alone=NODES["n_alone"] + 120)
    assert [*rows.columns] == TABLES["answer"].names
    assert rows["levels"].tolist() == ["", "AGE:width 5"]
    assert rows["alone_pct"].tolist() == [2, 1]
    part = told(rows)
    assert part.heading == (
        "Releasing the data with “SEX” left out and “AGE” in ranges of 5 would meet "
        "the target. 2% of the people are alone in their block as it is, 1% after this "
        "change"
    )
    assert "sem “SEX”" in told(rows, "pt").heading


def test_nothing_is_published_of_few_records():
    rows = published_answer(NODES)
    assert rows.empty
    assert "fewer than 1,000 records" in told(rows).body[0].text


def test_a_release_that_keeps_to_the_target_is_published_alone():
    nodes = NODES[NODES["n_changed"] == 0].assign(is_answer="true", n_records=10_000)
    rows = published_answer(nodes)
    assert len(rows) == 1
    assert told(rows).heading.startswith("The release meets the target as it is; 1%")


def test_counts_that_round_alike_give_the_same_table():
    one, other = (released(n_alone=pd.Series(NODES["n_alone"] + n)) for n in (95, 101))
    assert one.equals(other)


def test_of_how_many_a_value_stays_certain_is_not_published():
    """Counts by value are exact; a public report reads no table that has them."""
    study = SimpleNamespace(analyses={"smallest_protection": {"one": None}})
    assert [*PUBLICATION.public_needs(study)] == [
        "measures/smallest_protection/one.csv",
        "measures/lattice/one.csv",
    ]
