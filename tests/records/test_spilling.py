"""Shelves give back what was put on them, wherever it waited."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.spilled_rows import MemoryShelf, joined_rows
from microleak.sources.steps.scratch import Scratch

TYPES = [np.dtype(np.uint64), np.dtype(np.int32)]
puts = st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 99), max_size=5)))


def rows(values):
    return [np.array(values, dtype=kind) for kind in TYPES]


def taken(shelf, number):
    columns = [
        sorted(c.tolist()) for c in joined_rows(shelf.pieces(number), shelf.types)
    ]
    assert columns[0] == columns[1]
    return columns[0]


@pytest.fixture(params=[0, 40, 10**9], ids=["file", "both", "memory"])
def scratch(request, tmp_path):
    return Scratch(tmp_path, request.param)


@given(puts, st.sampled_from([0, 30, 10**9]))
def test_rows_come_back_from_memory_and_from_the_file(tmp_path_factory, put, most):
    shelf = Scratch(tmp_path_factory.getbasetemp(), most).shelf(TYPES)
    plain = MemoryShelf(TYPES)
    for number, values in put:
        shelf.put(number, rows(values))
        plain.put(number, rows(values))
    for number in range(4):
        expected = [v for n, values in put if n == number for v in values]
        assert shelf.n_rows(number) == plain.n_rows(number) == len(expected)
        assert taken(shelf, number) == taken(plain, number) == sorted(expected)


def test_rows_that_were_taken_are_gone_and_what_was_put_is_a_copy(scratch):
    shelf, mine = scratch.shelf(TYPES), rows([1, 2, 3])
    shelf.put(7, mine)
    for column in mine:
        column[:] = 9
    assert taken(shelf, 7) == [1, 2, 3]
    assert (shelf.n_rows(7), taken(shelf, 7)) == (0, [])


def test_threads_may_put_at_the_same_time(scratch):
    shelves = [scratch.shelf(TYPES), scratch.shelf(TYPES)]
    with ThreadPoolExecutor(4) as pool:
        for i in range(200):
            pool.submit(shelves[i % 2].put, i % 3, rows([i, i]))
    found = [v for shelf in shelves for n in range(3) for v in taken(shelf, n)]
    assert sorted(found) == sorted([*range(200), *range(200)])


def test_memory_stays_within_the_bound(tmp_path):
    scratch = Scratch(tmp_path, 1000)
    shelves = [scratch.shelf(TYPES), scratch.shelf(TYPES)]
    for i in range(300):
        shelves[i % 2].put(0, rows([i]))
        assert sum(shelf.n_bytes for shelf in shelves) <= 1000


def test_the_file_has_no_name_and_leaves_nothing(tmp_path):
    shelf = Scratch(tmp_path, 0).shelf(TYPES)
    shelf.put(0, rows(range(1000)))
    assert list(tmp_path.iterdir()) == []
    assert taken(shelf, 0) == list(range(1000))


def test_a_write_that_ends_early_is_gone_on_with(tmp_path, monkeypatch):
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: write(file, data[:7], at))
    shelf = Scratch(tmp_path, 0).shelf(TYPES)
    shelf.put(0, rows(range(50)))
    assert taken(shelf, 0) == list(range(50))


def test_a_full_disk_is_the_error_of_the_put(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    shelf = Scratch(tmp_path, 0).shelf(TYPES)
    with pytest.raises(OSError, match="No space left on device"):
        shelf.put(0, rows([1]))
