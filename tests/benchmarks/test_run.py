from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from benchmarks.process import Limits
from benchmarks.run import run
from benchmarks.scale import LEAN_MIB, PROFILE_MIB, SCALES, STATE, PeerRun

TINY = replace(
    STATE,
    twin_size=1_500,
    records=(400, 1_000),
    n_qids=(7,),
    peers=(PeerRun("polars", 7), PeerRun("duckdb", 7, n_records=400)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def found(calls, folder):
    """A whole run on outpatient data."""
    return run(TINY, folder, Limits(2, 4, 120))


def test_a_run_measures_fewer_records_one_thread_and_less_memory(found):
    settings = [
        (p["n_records"], p["n_threads"], p["memory_mib"]) for p in found["profiles"]
    ]
    assert settings == [
        (400, 2, PROFILE_MIB),
        (1_000, 2, PROFILE_MIB),
        (1_500, 2, PROFILE_MIB),
        (400, 1, PROFILE_MIB),
        (1_500, 1, PROFILE_MIB),
        (1_500, 2, LEAN_MIB),
    ]


def test_profiles_are_the_same_bytes_on_one_thread_and_in_less_memory(found):
    assert found["is_same_bytes"]


def test_peers_count_what_microleak_counts(found):
    assert [(p["peer"], p["n_records"], p["n_compared"]) for p in found["peers"]] == [
        ("polars", 1_500, 13),
        ("duckdb", 400, 13),
    ]
    assert all(p["n_identical"] == p["n_compared"] for p in found["peers"])


def test_the_values_of_the_sensitive_attribute_are_counted(found, folder):
    people = pq.read_table(folder / "outpatient/people.parquet")
    assert found["n_values"] == (len(people["PA_PROC_ID"].unique()),)


def test_peers_count_numbers_of_records_that_are_measured():
    for scale in SCALES.values():
        counted = {part.n_records for part in scale.peers} - {None}
        assert counted <= set(scale.records), scale.name
