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


BOTH = "40 %, about 1 min 48 s left"
SAID = [
    ("the share and both times", 100, [(0, 0), (72, 40)], [BOTH]),
    (
        "rate since the first",
        100,
        [(9, 10), (2, 10)],
        ["20 %, about 16 s left"],
    ),
    ("nothing in ten seconds", 100, [(5, 40), (4.9, 40)], []),
    ("not the end of a step", 100, [(60, 100)], []),
    ("shares rounded down", 1000, [(60, 999)], ["99 %"]),
    ("no guess at once", 1000, [(9, 400), (60, 0)], ["40 %"]),
    ("no guess too early", 1000, [(9, 400), (60, 9)], ["40 %"]),
    ("no share of no total", None, [(7300, 5)], ["2 h 1 min"]),
]


@pytest.mark.parametrize(
    ("total", "advances", "lines"), [row[1:] for row in SAID], ids=[r[0] for r in SAID]
)
def test_a_line_says_how_far_a_step_is_and_its_time(clock, total, advances, lines):
    found = said(clock, total, *advances)
    assert found == [
        f"microleak: profile school-2018, walking: {each}" for each in lines
    ]
    assert all(line.isascii() for line in found)


def test_lines_are_at_least_ten_seconds_apart(clock):
    lines = said(clock, 100, (10, 10), (9, 10), (1, 10), (9.9, 10), (25, 10))
    assert [re.search(r"\d+ %", line)[0] for line in lines] == ["10 %", "30 %", "50 %"]


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
    assert stream.getvalue() == "microleak: job: 99 %, about 0 s left\n"


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
