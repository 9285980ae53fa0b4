import pytest

from benchmarks.process import Limits, measured
from microleak.base.errors import MicroleakError

CALL = "benchmarks.sample:stratified"
LARGE = {"n_qids": 24, "n_subsets": 1, "seed": 1}


def test_a_call_gives_its_answer_and_what_it_took():
    given = {"n_qids": 3, "n_subsets": 7, "seed": 1}
    outcome = measured(CALL, given, Limits(1, 4, 60))
    assert outcome.status == "finished"
    assert outcome.answer == [1, 2, 4, 3, 5, 6, 7]
    assert outcome.peak_mib > 5
    assert outcome.wall_s > 0


def test_a_process_above_the_memory_limit_has_no_figures():
    outcome = measured("numpy:ones", {"shape": 2**28}, Limits(1, 0.1, 60))
    assert (outcome.status, outcome.answer) == ("memory", None)


def test_a_process_above_the_time_limit_has_no_figures():
    outcome = measured(CALL, LARGE, Limits(1, 8, 0.3))
    assert (outcome.status, outcome.answer) == ("time", None)


def test_a_process_that_fails_stops_the_benchmark(capfd):
    with pytest.raises(MicroleakError, match="stratified ended with status 1"):
        measured(CALL, {}, Limits(1, 4, 60))
    assert "missing 3 required" in capfd.readouterr().err
