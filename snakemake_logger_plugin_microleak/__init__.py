"""What Snakemake says of a run, in a line a job; `--logger microleak` turns it on.

Snakemake finds this package by its name. Warnings and errors are shown as they are,
but not those that only repeat that a job failed, which says why itself.
"""

import os
import re
import sys
from collections.abc import Callable
from logging import INFO, LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from microleak.base.errors import counted
from microleak.base.progress import STEPS

Told = dict[str, Any]
"""What Snakemake adds to a message."""

_NOISE = re.compile(
    r"\s*$|Assuming unrestricted shared|Building DAG of jobs|Using shell:"
    r"|Conda environments: ignored|Group jobs: inactive|Select jobs to execute"
    r"|Execute \d+ jobs|Complete log\(s\):|Elapsed time:|This was a dry-run"
    r"|Reasons:\n|Shutting down|Exiting because a job"
    r"|(WorkflowError:\n)?At least one job did not"
    r"|RuleException:\nCalledProcessError.*(exit status 1|<Signals\.SIGTERM: 15>)\."
    r"(\n  File [^\n]*)?$",
    re.DOTALL,
)
"""Messages without news. That a job was killed is news, that it was stopped is not."""

_SILENT = (
    *(LogEvent.RESOURCES_INFO, LogEvent.WORKFLOW_STARTED, LogEvent.JOB_STARTED),
    *(LogEvent.GROUP_INFO, LogEvent.SHELLCMD, LogEvent.DEBUG_DAG, LogEvent.RULEGRAPH),
)


class LogHandler(LogHandlerBase):
    """Writes a line when a job is done or, in a dry run, for each that would be."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin without jobs."""
        self._names: dict[int, str] = {}
        self._ended: list[str] = []
        self._is_counted = False
        steps = os.environ.get(STEPS, "0")
        self._n_before = int(steps.rstrip("+"))
        self._more = " or more" if steps.endswith("+") else ""
        self._by_event: dict[str, Callable[[Told], list[str]]] = {
            LogEvent.RUN_INFO: self._counted,
            LogEvent.JOB_INFO: self._begun,
            LogEvent.JOB_FINISHED: self._finished,
            LogEvent.PROGRESS: self._progressed,
            LogEvent.JOB_ERROR: self._failed,
        }
        self._stream = sys.stdout if self.common_settings.stdout else sys.stderr

    def emit(self, record: LogRecord) -> None:
        """Write what is to be said of a record, if anything is."""
        for line in self._lines(record):
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def _lines(self, record: LogRecord) -> list[str]:
        told = record.__dict__
        event = told.get("event")
        if event in self._by_event:
            return self._by_event[event](told)
        text = record.getMessage()
        is_news = event not in _SILENT and record.levelno >= INFO
        return [text] if is_news and not _NOISE.match(text) else []

    def _counted(self, told: Told) -> list[str]:
        if self._is_counted or self._n_before:
            return []
        self._is_counted = True
        n_steps = counted(told["stats"]["total"], "step")
        return [f"microleak: {n_steps}{self._more} to do"]

    def _begun(self, told: Told) -> list[str]:
        name = self._names[told["jobid"]] = _name(told)
        return [f"microleak: to do: {name}"] if self.common_settings.dryrun else []

    def _finished(self, told: Told) -> list[str]:
        self._ended.append(self._names.get(told["job_id"], ""))
        return []

    def _progressed(self, told: Told) -> list[str]:
        ended, self._ended = self._ended, []
        n_done, n_steps = (self._n_before + told[name] for name in ("done", "total"))
        return [f"microleak: {n_done} of {n_steps}{self._more}: {', '.join(ended)}"]

    def _failed(self, told: Told) -> list[str]:
        return [f"microleak: failed: {self._names.get(told['jobid'], '')}"]


def _name(told: Told) -> str:
    """Name a job by its rule and what it works on, as in "ingest people 2018"."""
    return " ".join(map(str, (told["rule_name"], *told["wildcards"].values())))
