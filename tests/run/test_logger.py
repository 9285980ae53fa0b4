"""What a run says: a line a job, and what went wrong."""

import io
from logging import INFO, LogRecord
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from microleak.base.progress import STEPS
from snakemake_logger_plugin_microleak import LogHandler


def said(*records, dryrun=False):
    """What is written of messages, each a text or what Snakemake adds to one."""
    handler = LogHandler(SimpleNamespace(dryrun=dryrun, stdout=False), None)
    handler._stream = io.StringIO()
    for told in records:
        text = told if isinstance(told, str) else ""
        record = LogRecord("snakemake", INFO, "", 0, text, None, None)
        if isinstance(told, dict):
            record.__dict__.update(told)
        handler.emit(record)
    return handler._stream.getvalue().splitlines()


COUNT = {"event": LogEvent.RUN_INFO, "stats": {"total": 2}}
JOB = {
    "event": LogEvent.JOB_INFO,
    "jobid": 5,
    "rule_name": "ingest",
    "wildcards": {"table": "people", "release": "2018"},
}
FINISHED = {"event": LogEvent.JOB_FINISHED, "job_id": 5}
PROGRESS = {"event": LogEvent.PROGRESS, "done": 1, "total": 2}
FAILED = {"event": LogEvent.JOB_ERROR, "jobid": 5}


def test_a_run_says_a_line_a_job():
    assert said(COUNT, JOB, FINISHED, PROGRESS, COUNT) == [
        "microleak: 2 steps to do",
        "microleak: 1 of 2: ingest people 2018",
    ]


def test_steps_are_counted_over_the_rounds_of_a_run(monkeypatch):
    monkeypatch.setenv(STEPS, "0+")
    assert said(COUNT, JOB, FINISHED, PROGRESS) == [
        "microleak: 2 steps or more to do",
        "microleak: 1 of 2 or more: ingest people 2018",
    ]
    monkeypatch.setenv(STEPS, "3")
    assert said(COUNT, JOB, FINISHED, PROGRESS) == [
        "microleak: 4 of 5: ingest people 2018"
    ]


def test_one_step_is_no_steps():
    assert said({**COUNT, "stats": {"total": 1}}) == ["microleak: 1 step to do"]


def test_a_dry_run_lists_jobs_with_what_they_work_on():
    assert said(COUNT, JOB, dryrun=True)[1:] == ["microleak: to do: ingest people 2018"]


def test_a_job_that_failed_is_named():
    assert said(JOB, FAILED) == ["microleak: failed: ingest people 2018"]


STOPPED = "Command 'x.ingest.py' died with <Signals.SIGTERM: 15>."
NOISE = "Command 'python x.ingest.py' returned non-zero exit status 1."


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("Select jobs to execute...", False),
        ("Reasons:\n    (check individual jobs above)\n    forced:\n  all", False),
        ("Execute 12 jobs...", False),
        (
            f'RuleException:\nCalledProcessError in file "x.smk", line 1:\n{NOISE}',
            False,
        ),
        (
            f'RuleException:\nCalledProcessError in file "x.smk", line 1:\n{NOISE}\n'
            '  File "forked.py", line 326, in execute_script',
            False,
        ),
        (
            f'RuleException:\nCalledProcessError in file "x.smk", line 1:\n{STOPPED}',
            False,
        ),
        ('RuleException:\nCalledProcessError in "x.smk":\nCommand died: SIGKILL', True),
        ("Nothing to be done (all requested files are present).", True),
        ("MissingRuleException:\nNo rule to produce nonsense", True),
    ],
)
def test_messages_without_news_are_left_out(text, is_shown):
    assert bool(said(text)) == is_shown
