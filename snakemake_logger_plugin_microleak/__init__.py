"""What Snakemake says of a run, in a line a job; `--logger microleak` turns it on.

Snakemake finds this package by its name. Warnings and errors are shown as they are,
but not those that only repeat that a job failed, which says why itself.
"""

import re
import sys
from logging import INFO, LogRecord

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

_NOISE = re.compile(
    r"\s*$|Assuming unrestricted shared|Building DAG of jobs|Using shell:"
    r"|Conda environments: ignored|Group jobs: inactive|Select jobs to execute"
    r"|Execute \d+ jobs|Complete log\(s\):|Elapsed time:|This was a dry-run"
    r"|Shutting down|Exiting because a job|(WorkflowError:\n)?At least one job did not"
    r"|RuleException:\nCalledProcessError.*exit status 1\.$",
    re.DOTALL,
)
"""Messages without news. A job that was killed, by what signal, is not among them."""

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
        self._stream = sys.stdout if self.common_settings.stdout else sys.stderr

    def emit(self, record: LogRecord) -> None:
        """Write what is to be said of a record, if anything is."""
        for line in self._lines(record):
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def _lines(self, record: LogRecord) -> list[str]:
        told, event = record.__dict__, record.__dict__.get("event")
        if event == LogEvent.RUN_INFO and not self._is_counted:
            self._is_counted = True
            return [f"microleak: {told['stats']['total']} steps to do"]
        if event == LogEvent.JOB_INFO:
            name = self._names[told["jobid"]] = _name(told)
            return [f"microleak: to do: {name}"] if self.common_settings.dryrun else []
        if event == LogEvent.JOB_FINISHED:
            self._ended.append(self._names.get(told["job_id"], ""))
        elif event == LogEvent.PROGRESS:
            ended, self._ended = self._ended, []
            return [_counted(told, ended)]
        elif event == LogEvent.JOB_ERROR:
            return [f"microleak: failed: {self._names.get(told['jobid'], '')}"]
        elif event in _SILENT or record.levelno < INFO:
            return []
        elif event != LogEvent.RUN_INFO:
            text = record.getMessage()
            return [] if _NOISE.match(text) else [text]
        return []


def _name(told: dict[str, object]) -> str:
    """Name a job by its rule and what it works on, as in "ingest people 2018"."""
    wildcards = told["wildcards"]
    assert isinstance(wildcards, dict)
    return " ".join(map(str, (told["rule_name"], *wildcards.values())))


def _counted(told: dict[str, object], ended: list[str]) -> str:
    return f"microleak: {told['done']} of {told['total']}: {', '.join(ended)}"

