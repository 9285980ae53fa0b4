"""What is shown of a job's progress, where and when."""

import io
import os
import re
import threading

import pytest
from rich.console import Console

from microleak.run.job import Bar, Lines, State, display, following


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def terminal():
    """A terminal's two ends: what is shown on it, and the stream it is shown by."""
    shown, shows = os.openpty()
    with os.fdopen(shows, "w", encoding="utf-8") as stream:
        yield shown, stream
    os.close(shown)


def read_until(shown, words):
    """What a terminal shows, which comes piece by piece, until some words are there."""
    text = ""
    while words not in text:
        text += os.read(shown, 100_000).decode()
    return text


def said(clock, total, *advances):
    """Lines said of a step; each advance is (seconds since the last one, units)."""
    stream = io.StringIO()
    with display("profile school-2018", stream, clock)("walking", total) as advance:
        for seconds, n in advances:
            clock.now += seconds
            advance(n)
    return stream.getvalue().splitlines()


def bar(width=80, encoding="utf-8"):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return Bar("ingest census 2018", Console(file=stream, width=width))


def rows_drawn(drawn):
    drawn.console.file.flush()
    text = drawn.console.file.buffer.getvalue().decode(drawn.console.encoding)
    return [row for row in re.sub(r"\x1b\[\d*[AJ]|\r", "", text).split("\n") if row]


def test_a_line_says_the_job_the_step_the_share_and_both_times(clock):
    assert said(clock, 100, (72, 40)) == [
        "microleak: profile school-2018, walking: 40 % after 1 min 12 s, "
        "about 1 min 48 s left"
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


def test_time_left_is_not_said_before_anything_is_done(clock):
    assert said(clock, 100, (60, 0)) == [
        "microleak: profile school-2018, walking: 0 % after 1 min 0 s"
    ]


def test_without_a_total_only_the_time_is_said(clock):
    assert said(clock, None, (7300, 5)) == [
        "microleak: profile school-2018, walking: at work for 2 h 1 min"
    ]


def test_lines_are_of_ascii_if_names_are(clock):
    (line,) = said(clock, 100, (60, 10))
    assert line.isascii()


def test_more_units_than_the_total_are_the_whole():
    state = State(n_done=3, total=2, elapsed_s=1.0)
    assert (state.percent, state.left_s) == (100, 0)


def test_advances_of_threads_add_up(clock):
    stream = io.StringIO()
    with following(Lines("job", stream), 1001, clock) as advance:
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
    with following(Lines("job", stream), 10, clock) as advance:
        pass
    clock.now += 60
    advance(1)
    assert stream.getvalue() == ""


def test_a_stream_that_nobody_reads_any_more_does_not_stop_the_job(clock):
    class Broken(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with display("job", Broken(), clock)("walking", 10) as advance:
        clock.now += 60
        advance(1)


def test_a_bar_is_one_row_with_the_share_and_both_times(clock):
    view = bar()
    with following(view, 100, clock) as advance:
        clock.now += 72
        advance(40)
    (row,) = rows_drawn(view)
    assert re.fullmatch(r"ingest census 2018 ━+╸? +40 % 0:01:12, 0:01:48 left", row)
    assert len(row) == 80


def test_a_bar_for_an_ascii_terminal_is_of_ascii():
    view = bar(encoding="ascii")
    view.show(State(40, 100, 72))
    assert re.search("2018 -+ +40 %", rows_drawn(view)[0])


@pytest.mark.parametrize("width", [20, 40, 200])
def test_a_bar_is_one_row_of_any_terminal(width):
    view = bar(width)
    view.show(State(40, 100, 72))
    (row,) = rows_drawn(view)
    assert len(row) == width


def test_a_bar_never_hides_the_cursor_and_is_cleared_at_the_end(clock):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True)
    with following(Bar("job", console), 100, clock) as advance:
        clock.now += 72
        advance(40)
    assert "\x1b[?25l" not in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[6A\r\x1b[J")


def test_a_bar_is_drawn_four_times_a_second_from_the_first_second_on(clock):
    view = bar()
    with following(view, 1000, clock) as advance:
        for _ in range(20):
            clock.now += 0.125
            advance(1)
    assert len(rows_drawn(view)) == 7


def test_one_job_at_a_time_draws_on_a_terminal(clock, terminal, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown, stream = terminal
    watcher = display("job", stream, clock)
    with watcher("first", 100) as first, watcher("second", 100) as second:
        clock.now += 60
        first(1)
        second(2)
    with watcher("third", 100) as third:
        clock.now += 60
        third(3)
    text = read_until(shown, "third")
    assert "first" in text and "microleak: job, first" not in text
    assert "microleak: job, second: 2 % after 1 min 0 s" in text
    assert "third" in text and "microleak: job, third" not in text


def test_a_terminal_that_cannot_draw_gets_lines(clock, terminal, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    shown, stream = terminal
    with display("job", stream, clock)("walking", 100) as advance:
        clock.now += 60
        advance(1)
    text = read_until(shown, " after")
    assert text.startswith("microleak: job, walking: 1 % after")
