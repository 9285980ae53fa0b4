"""What Snakemake does in a run, as its display is told, and what it would do."""

import io
import json
from logging import INFO, WARNING, LogRecord
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from microleak.base.progress import STEPS
from microleak.run.watching import TOLD
from snakemake_logger_plugin_microleak import LogHandler


def handled(records, dryrun=False):
    """A handler that was given messages, each a text or what Snakemake adds to one."""
    handler = LogHandler(SimpleNamespace(dryrun=dryrun, stdout=False), None)
    handler._stream = io.StringIO()
    for told in records:
        text = told if isinstance(told, str) else ""
        record = LogRecord("snakemake", INFO, "", 0, text, None, None)
        if isinstance(told, dict):
            record.__dict__.update(told)
        handler.emit(record)
    return handler


def said(*records):
    """What is written of messages without a display, as when a run is only planned."""
    return handled(records, dryrun=True)._stream.getvalue().splitlines()


@pytest.fixture
def told(tmp_path, monkeypatch):
    """What the display of a run is told of messages."""
    path = tmp_path / "told"
    monkeypatch.setenv(TOLD, str(path))

    def of(*records, after=lambda: None):
        path.write_text("")
        handler = handled(records)
        after()
        assert not handler.writes_to_stream
        assert handler._stream.getvalue() == ""
        return [json.loads(line) for line in path.read_text().splitlines()]

    return of


COUNT = {"event": LogEvent.RUN_INFO, "stats": {"total": 3, "all": 1}}
JOB = {
    "event": LogEvent.JOB_INFO,
    "jobid": 5,
    "rule_name": "ingest",
    "wildcards": {"table": "people", "release": "2018"},
    "log": ["results/people/logs/ingest/people/2018.log"],
}
ALL = {
    "event": LogEvent.JOB_INFO,
    "jobid": 0,
    "rule_name": "all",
    "wildcards": {},
    "log": [],
}
FINISHED = {"event": LogEvent.JOB_FINISHED, "job_id": 5}
PROGRESS = {"event": LogEvent.PROGRESS, "done": 1, "total": 2}
FAILED = {"event": LogEvent.JOB_ERROR, "jobid": 5, "rule_name": "ingest"}
PATH = JOB["log"][0]


def test_a_display_is_told_when_a_step_begins_and_ends(told):
    assert told(COUNT, JOB, FINISHED, PROGRESS, COUNT) == [
        {"about": "round", "before": 0, "steps": 2, "more": False},
        {
            "about": "begun",
            "job": PATH,
            "rule": "ingest",
            "wildcards": {"table": "people", "release": "2018"},
        },
        {"about": "ended", "job": PATH},
    ]


def test_what_earlier_rounds_did_is_told(told, monkeypatch):
    monkeypatch.setenv(STEPS, "3+")
    assert told(COUNT) == [{"about": "round", "before": 3, "steps": 2, "more": True}]


def test_the_rule_that_only_names_results_is_no_step(told):
    finished = {"event": LogEvent.JOB_FINISHED, "job_id": 0}
    assert told(ALL, finished) == []
    assert said(ALL) == []


def test_a_failure_and_news_are_told_but_not_that_nothing_is_to_be_done(told):
    news = "Conda is missing."
    nothing = "Nothing to be done (all requested files are present)."
    assert told(JOB, FAILED, news, nothing)[1:] == [
        {"about": "failed", "job": PATH},
        {"about": "news", "said": news},
    ]


def test_what_submits_jobs_is_heard_from_warnings_on(told):
    handler = LogHandler(SimpleNamespace(dryrun=False, stdout=False), None)
    path = "site-packages/snakemake_executor_plugin_slurm/__init__.py"

    def submitted():
        for level in (INFO, WARNING):
            words = f"Job 5 was submitted ({level})"
            handler.emit(LogRecord("snakemake", level, path, 0, words, None, None))

    assert told(after=submitted) == [
        {"about": "news", "said": f"Job 5 was submitted ({WARNING})"}
    ]


def test_a_dry_run_lists_jobs_by_their_rules_and_what_they_work_on():
    assert said(COUNT, ALL, JOB) == [
        "microleak: 2 steps to do",
        "microleak: to do: ingest people 2018",
    ]


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
