"""What a job without a display says of its progress, and when."""

import io
import re
import threading

import pytest

from microleak.run.watching import OnLines, PartState, following, watcher


def said(clock, total, *advances):
    """Lines said of a step; each advance is (seconds since the last one, units)."""
    stream = io.StringIO()
    watched = watcher("a.log", "profile school-2018", stream, clock)
    with watched("walking", total) as advance:
        for seconds, n in advances:
            clock.now += seconds
            advance(n)
    return stream.getvalue().splitlines()


def test_a_line_says_the_job_the_step_the_share_and_both_times(clock):
    assert said(clock, 100, (0, 0), (72, 40)) == [
        "microleak: profile school-2018, walking: 40 % after 1 min 12 s, "
        "about 1 min 48 s left"
    ]


def test_what_comes_before_the_first_units_does_not_count_for_the_rest(clock):
    assert said(clock, 100, (9, 10), (2, 10)) == [
        "microleak: profile school-2018, walking: 20 % after 11 s, about 16 s left"
    ]


def test_nothing_is_said_in_the_first_ten_seconds(clock):
    assert said(clock, 100, (5, 40), (4.9, 40)) == []


def test_lines_are_at_least_ten_seconds_apart(clock):
    lines = said(clock, 100, (10, 10), (9, 10), (1, 10), (9.9, 10), (25, 10))
    assert [re.search(r"\d+ %", line)[0] for line in lines] == ["10 %", "30 %", "50 %"]


def test_the_end_of_a_step_is_not_said(clock):
    assert said(clock, 100, (60, 100)) == []


def test_shares_are_rounded_down(clock):
    assert "99 % after" in said(clock, 1000, (60, 999))[0]


@pytest.mark.parametrize("n_done", [0, 9])
def test_time_left_is_not_said_before_a_hundredth_more_is_done(clock, n_done):
    assert said(clock, 1000, (9, 400), (60, n_done)) == [
        "microleak: profile school-2018, walking: 40 % after 1 min 9 s"
    ]


def test_without_a_total_only_the_time_is_said(clock):
    assert said(clock, None, (7300, 5)) == [
        "microleak: profile school-2018, walking: at work for 2 h 1 min"
    ]


def test_lines_are_of_ascii_if_names_are(clock):
    (line,) = said(clock, 100, (60, 10))
    assert line.isascii()


def test_more_units_than_the_total_are_the_whole():
    state = PartState(n_done=3, total=2, elapsed_s=1.0)
    assert (state.percent, state.left_s) == (100, 0)


def test_advances_of_threads_add_up(clock):
    stream = io.StringIO()
    with following(OnLines("job", stream), 1001, clock) as advance:
        advance(0)
        threads = [
            threading.Thread(target=lambda: [advance(1) for _ in range(250)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        clock.now += 10
        advance(0)
    assert stream.getvalue() == "microleak: job: 99 % after 10 s, about 0 s left\n"


def test_an_advance_that_comes_after_the_end_shows_nothing(clock):
    stream = io.StringIO()
    with following(OnLines("job", stream), 10, clock) as advance:
        pass
    clock.now += 60
    advance(1)
    assert stream.getvalue() == ""


def test_a_stream_that_nobody_reads_any_more_does_not_stop_the_job(clock):
    class Broken(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with watcher("a.log", "job", Broken(), clock)("walking", 10) as advance:
        clock.now += 60
        advance(1)
