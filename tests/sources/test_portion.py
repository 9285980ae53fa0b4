"""How far queries and batches are, in units of a step."""

from itertools import chain, repeat
from threading import Event

import duckdb
import pyarrow as pa
import pytest

from microleak.sources.steps import deduplicate
from microleak.sources.steps.deduplicate import Portion, counted, followed, show_no_bar

SLOW = "SELECT count(DISTINCT hash(range)) FROM range(3_000_000)"


@pytest.fixture
def database():
    with duckdb.connect(":memory:", config={"threads": 1}) as opened:
        show_no_bar(opened)
        yield opened


def test_a_portion_advances_by_whole_units_and_never_back():
    advances = []
    part = Portion(10, advances.append)
    for share in (0.25, 0.29, 0.1, -0.01, 0.99, 1):
        part.reach(share)
    assert advances == [2, 7, 1]


def test_batches_are_given_unchanged_and_advance_by_their_rows():
    advances = []
    batches = [pa.record_batch({"a": [0] * n}) for n in (5, 0, 15)]
    given = list(counted(batches, 20, Portion(100, advances.append)))
    assert given == batches
    assert advances == [25, 75]


def test_without_rows_a_portion_is_reached_too():
    advances = []
    assert list(counted([], 0, Portion(100, advances.append))) == []
    assert advances == [100]


def test_a_query_that_duckdb_knows_nothing_of_is_reached_at_its_end(database):
    advances = []
    with followed(database, Portion(100, advances.append)):
        database.execute("SELECT 1")
    assert advances == [100]


def test_a_query_is_followed_while_it_runs(monkeypatch):
    monkeypatch.setattr(deduplicate, "_ASK_EVERY_S", 0.001)
    advances, is_far = [], Event()

    class Asked:
        percents = chain([-1.0, 30.0, 20.0], repeat(60.0))

        def query_progress(self):
            return next(self.percents)

    def advance(n):
        advances.append(n)
        if len(advances) == 2:
            is_far.set()

    with followed(Asked(), Portion(10, advance)):
        is_far.wait()
    assert advances == [3, 3, 4]


def test_duckdb_prints_no_bar_of_its_own(database, capfd):
    with followed(database, Portion(100, lambda _: None)):
        database.execute(SLOW)
    assert capfd.readouterr() == ("", "")


def test_a_query_that_fails_is_followed_no_more(database):
    advances = []
    with (
        pytest.raises(duckdb.Error),
        followed(database, Portion(100, advances.append)),
    ):
        database.execute("SELECT error('')")
    assert advances == []
