"""What a run shows whoever starts it: on a terminal, and where there is none."""

import fcntl
import os
import select
import subprocess
import sys
import termios
import time

import psutil
import pyte
import pytest

from microleak.run.display import LOG
from tests.commands import microleak
from tests.workflow.conftest import PEOPLE
from tests.workflow.test_kill import (
    RAW,
    UNTIL_RAW,
    caught_writing,
    family_of,
    kill_tree,
)

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(sys.platform != "linux", reason="terminals of Linux"),
]
COLUMNS, ROWS = 100, 20


def _have_terminal():
    """Have keys of the terminal that is the standard input signal this process."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    def __init__(self, study, *words):
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.written = ""
        self._stream = pyte.Stream(self.screen)
        self._end, other = os.openpty()
        termios.tcsetwinsize(other, (ROWS, COLUMNS))
        self.settings = termios.tcgetattr(other)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "microleak", *words],
            cwd=study.folder,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=_have_terminal,  # noqa: PLW1509
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        )
        os.close(other)

    def read(self):
        """Take what was written since; say whether more may come."""
        if select.select([self._end], [], [], 0.1)[0]:
            try:
                text = os.read(self._end, 1 << 16).decode()
            except OSError:  # nobody has it open any more
                return False
            self.written += text
            self._stream.feed(text)
        return True

    def read_until(self, words):
        for _ in range(1200):
            if words in "\n".join(self.rows()):
                return
            assert self.read(), self.written
        pytest.fail(f"{words} does not appear: {self.rows()}")

    def read_to_end(self):
        while self.read():
            pass
        return self.process.wait()

    def rows(self):
        return [row.rstrip() for row in self.screen.display if row.strip()]

    def type(self, key):
        os.write(self._end, key)

    def is_usable(self):
        """Say whether a shell would find it as the command did."""
        now = termios.tcgetattr(self._end)
        return not self.screen.cursor.hidden and now == self.settings


def assert_ends_alone(lines):
    done, report = lines[-2:]
    assert done.startswith("microleak: ") and " steps done in " in done
    assert report == "microleak: the report is results/people/report/index.html"


@pytest.mark.long
def test_a_terminal_shows_steps_by_their_words_and_in_the_end_three_lines(short_study):
    terminal = Terminal(short_study, "run", "people.yaml")
    terminal.read_until("looking at what there is to do")
    terminal.read_until(" steps done")
    assert terminal.read_to_end() == 0
    shown = (
        "counting blocks of people",
        "writing the report",
        "measuring the anonymity",
    )
    assert any(name in terminal.written for name in shown)
    first, *last = terminal.rows()
    assert first.endswith(" steps to do")
    assert len(last) == 2
    assert_ends_alone(last)
    assert "\x1b[?25l" not in terminal.written
    for word in ("rule", "snakemake", "Snakemake", "DAG", "jobid"):
        assert word not in terminal.written
    assert "rule ingest:" in (short_study.results / LOG).read_text()
    assert terminal.is_usable()


@pytest.fixture
def slow_study(twin_study):
    """A study whose records take some ten seconds to make."""
    twin_study.change("schools: 27", "schools: 10000")
    return twin_study


def test_ctrl_c_on_a_terminal_stops_everything_and_says_how_to_go_on(slow_study):
    terminal = Terminal(slow_study, "run", "small.yaml", *UNTIL_RAW)
    terminal.read_until("looking at what there is to do")
    terminal.read_until("making synthetic records of school_census 2018")
    family = family_of(terminal.process)
    terminal.type(b"\x03")
    assert terminal.read_to_end() == 130
    assert terminal.rows() == [
        "microleak: 1 step to do",
        "microleak: stopped. To go on: microleak resume small.yaml",
    ]
    assert [one for one in family if one.is_running()] == []
    assert terminal.is_usable()
    assert not (slow_study.folder / ".snakemake/microleak-study").exists()


@pytest.mark.long
def test_a_kill_leaves_the_terminal_usable_and_the_next_run_shows_anew(twin_study):
    twin_study.change("schools: 27", "schools: 1000")
    terminal = Terminal(twin_study, "run", "small.yaml", *UNTIL_RAW)
    terminal.read_until("making synthetic records of school_census 2018")
    kill_tree(terminal.process)
    terminal.read_to_end()
    assert terminal.is_usable()
    again = Terminal(twin_study, "resume", "small.yaml", *UNTIL_RAW)
    assert again.read_to_end() == 0
    assert again.rows()[0] == "microleak: 1 step to do"
    assert not (twin_study.folder / ".snakemake/microleak-study").exists()


@pytest.mark.long
def test_a_run_whose_terminal_is_closed_stops(slow_study):
    terminal = Terminal(slow_study, "run", "small.yaml", *UNTIL_RAW)
    terminal.read_until("making synthetic records of school_census 2018")
    caught_writing(slow_study, RAW, terminal.process)  # and cannot end before
    family = family_of(terminal.process)
    os.close(terminal._end)
    assert terminal.process.wait(timeout=60) != 0
    psutil.wait_procs(family, timeout=10)
    assert [one for one in family if one.is_running()] == []


def ran(study, *words, **variables):
    """The status of a command that is piped, and the lines that it says."""
    done = microleak(*words, folder=study.folder, **variables)
    return done.returncode, done.output.splitlines()


@pytest.mark.long
def test_where_there_is_no_terminal_a_run_says_its_begin_and_end(short_study):
    began = time.monotonic()
    status, lines = ran(short_study, "run", "people.yaml")
    n_at_most = (time.monotonic() - began) // 10
    assert status == 0
    assert lines[0].endswith(" steps to do")
    assert len(lines[1:-2]) <= n_at_most
    assert all(line.startswith("microleak: ") for line in lines)
    assert not any("\x1b" in line or "\r" in line for line in lines)
    assert_ends_alone(lines)


def test_a_failure_names_the_step_and_says_last_why_and_once(csv_study):
    file = csv_study.folder / "people.csv"
    file.write_text(PEOPLE.replace("3,25,M,yes", "3,25"))
    status, lines = ran(csv_study, "run", "people.yaml")
    assert status == 1
    assert lines[0].endswith(" steps to do")
    assert lines[-2] == "microleak: failed: reading people 1"
    assert "people.csv: line 4 has 2 values, 4 expected" in lines[-1]
    assert sum("line 4" in line for line in lines) == 1


@pytest.mark.long
def test_a_run_speaks_portuguese(short_study):
    status, lines = ran(short_study, "run", "people.yaml", MICROLEAK_LANG="pt")
    assert status == 0
    assert lines[0].endswith(" etapas por fazer")
    page = "results/people/report/index.html"
    assert lines[-1] == f"microleak: o relatório está em {page}"
    _, again = ran(short_study, "run", "people.yaml", "--lang", "pt")
    assert again[0] == "microleak: está tudo em dia"
