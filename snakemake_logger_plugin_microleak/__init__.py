"""What Snakemake does in a run, told to its display; `--logger microleak` turns it on.

Snakemake finds this package by its name. Warnings and errors are told as they are,
but not those that only repeat that a job failed, which says why itself.
"""

import os
import re
import sys
from collections.abc import Callable
from logging import INFO, WARNING, LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from microleak.base.errors import count_of
from microleak.base.progress import STEPS
from microleak.run.watching import is_heard, tell_display

Told = dict[str, Any]
"""What Snakemake adds to a message."""

_NOISE = re.compile(
    r"\s*$|Assuming unrestricted shared|Building DAG of jobs|Using shell:"
    r"|Conda environments: ignored|Group jobs: inactive|Select jobs to execute"
    r"|Execute \d+ jobs|Complete log\(s\):|Elapsed time:|This was a dry-run"
    r"|Reasons:\n|Shutting down|Exiting because a job|Will exit after finishing|Unlock"
    r"|(WorkflowError:\n)?At least one job did not"
    r"|RuleException:\nCalledProcessError.*(exit status 1|<Signals\.SIGTERM: 15>)\."
    r"(\n  File [^\n]*)?$",
    re.DOTALL,
)
"""Messages without news. That a job was killed is news, that it was stopped is not."""

_NOTHING = "Nothing to be done"
"""How a message begins that is news to whoever asks what would be done, and no other:
a run says it itself, and that of a part of the results what it was for."""

_SILENT = (
    *(LogEvent.RESOURCES_INFO, LogEvent.WORKFLOW_STARTED, LogEvent.JOB_STARTED),
    *(LogEvent.GROUP_INFO, LogEvent.SHELLCMD, LogEvent.DEBUG_DAG, LogEvent.RULEGRAPH),
    LogEvent.PROGRESS,
)

_EXECUTOR = "snakemake_executor_plugin"
"""What is in the path of code that has jobs run elsewhere, and says when it does."""

ALL = "all"
"""The rule that only names the results that are wanted."""


class LogHandler(LogHandlerBase):
    """Tells the display of a run what Snakemake does; without one, what it would do.

    Where there is a display, Snakemake writes its own lines as well, for the log.
    """

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin without jobs."""
        self.writes_to_stream = not is_heard()
        self._logs: dict[int, str] = {}
        self._is_counted = False
        self._by_event: dict[str, Callable[[Told], None]] = {
            LogEvent.RUN_INFO: self._counted,
            LogEvent.JOB_INFO: self._begun,
            LogEvent.JOB_FINISHED: self._finished,
            LogEvent.JOB_ERROR: self._failed,
        }
        self._stream = sys.stdout if self.common_settings.stdout else sys.stderr

    def emit(self, record: LogRecord) -> None:
        """Tell what is to be told of a record, if anything is."""
        told = record.__dict__
        event = told.get("event")
        if event in self._by_event:
            self._by_event[event](told)
        elif event not in _SILENT and record.levelno >= _least(record):
            text = record.getMessage()
            is_asked = self.writes_to_stream or not text.startswith(_NOTHING)
            if is_asked and not _NOISE.match(text):
                self._say(text)

    def _counted(self, told: Told) -> None:
        if self._is_counted:
            return
        self._is_counted = True
        steps = os.environ.get(STEPS, "0")
        before, is_more = int(steps.rstrip("+")), steps.endswith("+")
        n_steps = told["stats"]["total"] - told["stats"].get(ALL, 0)
        tell_display("round", before=before, steps=n_steps, more=is_more)
        if self.writes_to_stream:
            self._say(f"microleak: {count_of(n_steps, 'step')} to do")

    def _begun(self, told: Told) -> None:
        rule, wildcards = told["rule_name"], told["wildcards"]
        if rule == ALL:
            return
        log = self._logs[told["jobid"]] = next(iter(told["log"]), rule)
        tell_display("begun", job=log, rule=rule, wildcards=dict(wildcards))
        if self.writes_to_stream:
            self._say(f"microleak: to do: {' '.join((rule, *wildcards.values()))}")

    def _finished(self, told: Told) -> None:
        if told["job_id"] in self._logs:
            tell_display("ended", job=self._logs[told["job_id"]])

    def _failed(self, told: Told) -> None:
        tell_display("failed", job=self._logs.get(told["jobid"], told["rule_name"]))

    def _say(self, line: str) -> None:
        if not tell_display("news", said=line):
            self._stream.write(f"{line}\n")
            self._stream.flush()


def _least(record: LogRecord) -> int:
    """Return the level from which what is said where a record is from may be news."""
    return WARNING if _EXECUTOR in record.pathname else INFO
