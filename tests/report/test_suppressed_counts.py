"""Counts that a public page does not show, small ones and others."""

import pytest

from microleak.report.rows import worst_tables
from microleak.report.texts import voice
from microleak.study.disclosure import publish
from tests.report.conftest import subset, worst_of


def published_row(language, **counts):
    """The one row of a worst table, in words, from exact counts."""
    worst = worst_of(subset("AGE", **counts))
    (table,) = worst_tables(publish(worst, "public"), voice(language, True))
    return table.rows[0]


@pytest.mark.parametrize(
    ("language", "word"), [("pt", "suprimido"), ("en", "suppressed")]
)
def test_blocks_that_would_tell_who_is_alone_are_not_said_to_be_few(language, word):
    # Shown they would be 510 of 1,010 records: 10 alone, or a few less.
    row = published_row(language, n_certain=7, n_modal=508, n_records=1_009)
    assert (row.n_certain, row.n_blocks, row.n_modal) == ("<10", word, word)


def test_blocks_and_right_guesses_that_tell_nothing_are_written():
    row = published_row("en", n_certain=7, n_modal=417, n_records=1_009)
    assert (row.n_certain, row.n_blocks, row.n_modal) == ("<10", "420", "420")
