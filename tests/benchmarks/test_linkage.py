"""The benchmark of links, and its releases."""

import pandas as pd
import pytest

from benchmarks.linkage import links, n_in_both
from benchmarks.linked_releases import IDENTIFIER, OVERLAP, write_releases


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    return write_releases(4_000, tmp_path_factory.mktemp("links"))


def test_both_releases_have_as_many_persons_and_who_stays_keeps_the_birth(releases):
    focal, auxiliary = map(pd.read_parquet, releases)
    both = focal.merge(auxiliary, on=IDENTIFIER)
    assert len(focal) == 4_000
    assert focal[IDENTIFIER].is_monotonic_increasing
    assert auxiliary[IDENTIFIER].is_monotonic_increasing
    assert (both["birth_x"].astype(str) == both["birth_y"].astype(str)).all()
    assert len(both) == n_in_both(*releases)
    assert len(both) == pytest.approx(OVERLAP * len(focal), rel=0.05)


def test_links_are_mostly_right(releases):
    found = links(*map(str, releases), n_threads=1, memory_gib=8.0)
    assert found["n_right"] > 0.9 * found["n_links"]
