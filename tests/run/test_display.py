"""What a run shows: rows on a terminal, few lines elsewhere, of what it is told."""

import io
import json
import os
import re

import pyte
import pytest

from microleak.base.language import speaking_language
from microleak.run.display import (
    LOG,
    Display,
    PlainLines,
    Progress,
    TerminalRows,
    cause_of,
    display,
)
from microleak.run.watching import TOLD, tell_display

ROUND = {"about": "round", "before": 0, "steps": 3, "more": True}
PEOPLE = {"about": "begun", "job": "a", "rule": "ingest"}
PEOPLE["wildcards"] = {"table": "people", "release": "2018"}
REPORT = {"about": "begun", "job": "b", "rule": "report", "wildcards": {}}
READING = {"about": "part", "job": "a", "part": "reading", "state": [40, 100, 20]}


def heard(*told, now=1000.0):
    """How far a run is that was told something, and the lines that it says."""
    progress = Progress()
    lines = [progress.hear(each, now) for each in told]
    return progress, [line for line in lines if line is not None]


class Terminal:
    def __init__(self, width=90, height=12):
        self.screen = pyte.Screen(width, height)
        self._stream = io.StringIO()
        self._stream.isatty = lambda: True
        self.rows = TerminalRows(self._stream, 1000.0, (width, height))
        self._n_seen = 0

    def shown(self):
        self._feed()
        return [row.rstrip() for row in self.screen.display if row.strip()]

    def echo(self, key):
        self._feed()
        pyte.Stream(self.screen).feed(key)

    def written(self):
        return self._stream.getvalue()

    def _feed(self):
        new, self._n_seen = self.written()[self._n_seen :], len(self.written())
        pyte.Stream(self.screen).feed(new.replace("\n", "\r\n"))


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def test_a_terminal_shows_the_steps_done_and_each_at_work_by_words(terminal):
    progress, _ = heard(ROUND, PEOPLE, REPORT, READING)
    terminal.rows.show(progress, 1008.0)
    all_steps, reading, report = terminal.shown()
    assert re.fullmatch("0 of 3 steps or more done +━{20} +8 s", all_steps)
    assert re.fullmatch(
        "  reading people 2018 +━+[╸╺]━+ 40 %, about 22 s left", reading
    )
    assert re.fullmatch("  writing the report +8 s", report)


def test_lines_stay_above_the_rows_and_the_rows_go_at_the_end(terminal):
    progress, _ = heard(ROUND, PEOPLE)
    terminal.rows.show(progress, 1001.0)
    terminal.rows.say("microleak: name is an identifier")
    terminal.rows.show(progress, 1002.0)
    first, *rows = terminal.shown()
    assert first == "microleak: name is an identifier"
    assert len(rows) == 2
    terminal.rows.close()
    assert terminal.shown() == ["microleak: name is an identifier"]


def test_a_key_that_the_terminal_echoes_leaves_no_row_behind(terminal):
    progress, _ = heard(ROUND, PEOPLE)
    terminal.rows.show(progress, 1001.0)
    assert len(terminal.shown()) == 2
    terminal.echo("^C")
    terminal.rows.close()
    terminal.rows.say("microleak: stopped")
    assert terminal.shown() == ["microleak: stopped"]


def test_a_job_that_ends_as_the_run_stops_has_not_failed(terminal):
    progress, _ = heard(ROUND, PEOPLE)
    progress.is_stopping = True
    assert progress.hear({"about": "failed", "job": "a"}, 1001.0) is None
    assert progress.hear({"about": "news", "said": "a job died"}, 1001.0) is None
    terminal.rows.show(progress, 1001.0)
    (row,) = terminal.shown()
    assert row.startswith("stopping ")


def test_rows_that_become_fewer_leave_nothing_behind(terminal):
    progress, _ = heard(ROUND, PEOPLE, REPORT)
    terminal.rows.show(progress, 1001.0)
    progress.hear({"about": "ended", "job": "a"}, 1002.0)
    terminal.rows.show(progress, 1002.0)
    done, report = terminal.shown()
    assert done.startswith("1 of 3 steps or more done")
    assert report.startswith("  writing the report")


def test_the_cursor_is_never_hidden_so_that_a_kill_leaves_a_terminal_usable(terminal):
    progress, _ = heard(ROUND, PEOPLE)
    terminal.rows.show(progress, 1001.0)
    assert terminal.shown()
    assert not terminal.screen.cursor.hidden
    assert "\x1b[?25l" not in terminal.written()
    assert "\x1b[?1049h" not in terminal.written()


def test_more_steps_than_there_is_room_for_are_counted(terminal):
    many = [PEOPLE | {"job": str(n)} for n in range(10)]
    progress, _ = heard(ROUND, *many)
    terminal.rows.show(progress, 1001.0)
    *_, last = terminal.shown()
    assert last == "  and 2 other steps"


@pytest.mark.parametrize("width", [20, 40, 71, 200])
def test_each_step_is_one_row_of_any_terminal(width):
    terminal = Terminal(width)
    progress, _ = heard(ROUND, PEOPLE, READING)
    terminal.rows.show(progress, 1001.0)
    assert len(terminal.shown()) == 2


def test_before_anything_is_told_rows_say_what_is_done(terminal):
    terminal.rows.show(Progress(), 1002.0)
    (row,) = terminal.shown()
    assert re.fullmatch("looking at what there is to do +2 s", row)


def lines_of(progress, *times):
    stream = io.StringIO()
    lines = PlainLines(stream, 0.0)
    for now in times:
        lines.show(progress, now)
    return stream.getvalue().splitlines()


def test_a_line_names_the_steps_done_and_the_longest_at_work():
    progress, _ = heard(ROUND, PEOPLE, READING, REPORT, now=0.0)
    assert lines_of(progress, 10.0) == [
        "microleak: 0 of 3 steps or more done; reading people 2018 (40 %, "
        "about 20 s left) and 1 other step"
    ]


@pytest.mark.parametrize(
    ("told", "times", "n_lines"),
    [
        ((ROUND, PEOPLE), [9.9], 0),
        ((ROUND, PEOPLE), range(60), 5),
        ((ROUND, PEOPLE), range(36_000), 71),
        ((ROUND,), [60.0], 0),
    ],
    ids=["the first ten seconds", "each ten", "a tenth of its time", "between steps"],
)
def test_lines_are_ten_seconds_apart_and_none_without_a_step(told, times, n_lines):
    progress, _ = heard(*told)
    assert len(lines_of(progress, *times)) == n_lines


def test_the_part_of_a_step_is_named_where_that_says_more():
    linking = READING | {"part": "linking persons"}
    progress, _ = heard(PEOPLE, READING)
    assert progress.at_work["a"].described() == "reading people 2018"
    progress.hear(linking, 1000.0)
    assert progress.at_work["a"].described() == "reading people 2018: linking persons"
    progress.hear(READING | {"part": "", "state": None}, 1000.0)
    assert progress.at_work["a"].described() == "reading people 2018"


def test_steps_are_counted_over_the_rounds_of_a_run_and_told_once():
    again = ROUND | {"before": 2, "steps": 4, "more": False}
    progress, lines = heard(ROUND, PEOPLE, {"about": "ended", "job": "a"}, again)
    assert lines == ["microleak: 3 steps or more to do"]
    assert heard(ROUND | {"steps": 1, "more": False})[1] == ["microleak: 1 step to do"]
    assert progress.done() == "2 of 6 steps done"
    assert progress.n_ended == 1


def test_a_job_that_failed_is_named_at_once_and_its_reason_kept():
    fault = {"about": "fault", "said": "line 2 is short."}
    failed = {"about": "failed", "job": "a"}
    progress, lines = heard(PEOPLE, fault, failed)
    assert lines == ["microleak: failed: reading people 2018"]
    assert progress.faults == ["line 2 is short."]
    assert not progress.at_work


def test_a_part_that_is_told_late_brings_no_step_back():
    progress, _ = heard(PEOPLE, {"about": "ended", "job": "a"}, READING)
    assert not progress.at_work


def test_a_rule_that_nobody_named_goes_by_its_own_name():
    progress, _ = heard(PEOPLE | {"rule": "stir"})
    assert progress.at_work["a"].name == "stir people 2018"


def test_all_of_it_can_be_in_portuguese():
    with speaking_language("pt"):
        progress, lines = heard(ROUND, PEOPLE, READING, REPORT, now=0.0)
        said = lines_of(progress, 10.0)
    assert lines == ["microleak: 3 ou mais etapas por fazer"]
    assert said == [
        "microleak: 0 de 3 ou mais etapas concluídas; lendo people 2018 (40 %, "
        "faltam cerca de 20 s) e mais 1 etapa"
    ]


@pytest.fixture
def run(tmp_path):
    """A run that is shown on what is no terminal, and what it says there."""
    stream = io.StringIO()
    (tmp_path / "told").touch()
    log = tmp_path / "results" / LOG
    return Display(PlainLines(stream, 0.0), tmp_path / "told", log), stream


def test_what_a_process_tells_is_said_once_and_whole(run, monkeypatch):
    shown, stream = run
    monkeypatch.setenv(TOLD, shown.environment[TOLD])
    assert tell_display("said", said="a warning")
    with shown.told.open("a") as file:
        file.write('{"about": "said", "sa')
    shown.refresh()
    assert stream.getvalue() == "a warning\n"
    with shown.told.open("a") as file:
        file.write('id": "another"}\n{"broken\n')
    shown.refresh()
    shown.refresh()
    assert stream.getvalue() == "a warning\nanother\n"


def test_nobody_is_told_where_no_run_is(tmp_path, monkeypatch):
    monkeypatch.delenv(TOLD, raising=False)
    assert not tell_display("said", said="a warning")


def test_the_log_is_shown_where_that_is_wanted(tmp_path, capsys):
    path = tmp_path / "results" / LOG
    with display(tmp_path, tmp_path / "results", is_verbose=True) as shown:
        with shown.output() as log:
            log.write(b"Building DAG of jobs...\n")
        shown.refresh()
    assert capsys.readouterr().err == "Building DAG of jobs...\n"
    assert path.stat().st_mode & 0o77 == 0


def test_what_an_earlier_run_left_in_the_log_is_not_shown(tmp_path, capsys):
    path = tmp_path / "results" / LOG
    path.parent.mkdir(parents=True)
    path.write_text("of an earlier run\n")
    with display(tmp_path, tmp_path / "results", is_verbose=True) as shown:
        shown.refresh()
        path.unlink()
        for words in (b"first\n", b"second\n"):
            with shown.output() as log:
                log.write(words)
                log.flush()
                shown.refresh()
    assert capsys.readouterr().err == "first\nsecond\n"


def test_the_log_does_not_follow_a_link(run, tmp_path):
    shown, _ = run
    (tmp_path / "others").write_text("untouched")
    shown.log.parent.mkdir(parents=True)
    shown.log.symlink_to(tmp_path / "others")
    with pytest.raises(OSError), shown.output():
        pass
    assert (tmp_path / "others").read_text() == "untouched"


def test_faults_are_what_jobs_told_and_what_their_logs_keep(run):
    shown, _ = run
    shown.log.parent.mkdir(parents=True)
    shown.log.write_text("Error in rule ingest\n\n")
    (shown.log.parent / "ingest.log").write_text("line 2 is short.\n")
    (shown.log.parent / "join.log").write_text("no such release.\n")
    shown.progress.faults.append("line 2 is short.")
    assert shown.faults() == ["line 2 is short.", "no such release."]
    assert shown.last_words() == "Error in rule ingest"


STACK = 'Traceback (most recent call last):\n  File "a.py", line 7, in f\n    g(x)\n'


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f"{STACK}ValueError: no\n", "ValueError: no"),
        (f"{STACK}lzma.LZMAError: cut\nat byte 7\n\n", "lzma.LZMAError: cut"),
        (
            "WorkflowError in file rules/a.smk, line 3:\n\nno such rule\n"
            '  File "rules/a.smk", line 3, in <module>\n',
            "WorkflowError in file rules/a.smk, line 3: no such rule",
        ),
        (
            "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1:\n"
            '  File "a.py", line 7 in f\n',
            "Fatal Python error: Segmentation fault",
        ),
        (
            f"KeyError: 1\n\nDuring handling another came:\n\n{STACK}OSError: full",
            "OSError: full",
        ),
        ("town has no column age.\n", "town has no column age."),
        ("Error in rule ingest\n  shell:\n    go\n", "Error in rule ingest"),
        ('  File "a.py", line 7, in f\n', 'File "a.py", line 7, in f'),
        ("\n", ""),
        (f"{STACK}MemoryError\nExiting because a job failed.\n", "MemoryError"),
        (
            f"{STACK}ValueError: old\nTrying to restart.\n{STACK}OSError [Errno 28] No",
            "OSError [Errno 28] No",
        ),
    ],
)
def test_the_cause_is_one_line_and_no_frame_of_a_stack(text, cause):
    assert cause_of(text) == cause


def test_the_end_says_how_many_steps_were_done_and_how_long_they_took(clock):
    stream = io.StringIO()
    place = Display(PlainLines(stream, clock()), "told", "log", clock=clock)
    place.sum_up()
    assert stream.getvalue() == ""
    place.progress.n_ended = 14
    clock.now += 72
    place.sum_up()
    assert stream.getvalue() == "microleak: 14 steps done in 1 min 12 s\n"


class Broken(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


def test_a_stream_that_nobody_reads_any_more_does_not_stop_the_run(tmp_path):
    told = tmp_path / "told"
    told.write_text(json.dumps({"about": "said", "said": "a warning"}) + "\n")
    shown = Display(PlainLines(Broken(), 0.0), told, tmp_path / "log")
    shown.refresh()
    shown.say("the report is there")


@pytest.mark.parametrize(("term", "is_drawn"), [("xterm", True), ("dumb", False)])
def test_rows_are_drawn_where_a_terminal_can(term, is_drawn, tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", term)
    shown, shows = os.openpty()
    with os.fdopen(shows, "w", encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        with display(tmp_path, tmp_path / "results", is_verbose=False) as place:
            assert isinstance(place.view, TerminalRows if is_drawn else PlainLines)
    os.close(shown)
