"""What a store has of a release when it had other files, for the job that reads it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microleak.sources.steps.ingest import Earlier
from microleak.study.job_records import asked_of

if TYPE_CHECKING:  # it knows all steps, and a job of plain Snakemake has none
    from microleak.run.store import Store

STORE_OF_RUN = "MICROLEAK_STORE_OF_RUN"
"""Variable that tells the jobs of a run where its store is."""


@contextmanager
def earlier_results(params: Any) -> Iterator[list[Earlier]]:
    """Give results of a job's code and settings with any archive; none is tidied up.

    There are none where no run told of a store, or where it is being tidied up or
    cannot be written to. Only `n_rows`, which is compared when all is read, may be
    another.
    """
    folder = os.environ.get(STORE_OF_RUN)
    with ExitStack() as stack:
        found: list[Earlier] = []
        if folder:
            from microleak.run.store import Store  # noqa: PLC0415

            with suppress(OSError):
                store = Store(Path(folder))
                stack.enter_context(store.in_use())
                found = _results(store, params)
        yield found


def _results(store: "Store", params: Any) -> list[Earlier]:
    job, code = params.job, params.code
    table, receipt = job.outputs["table"], job.outputs["receipt"]
    wanted = code, _but_length(asked_of(job, code)["settings"])
    return [
        Earlier(
            *(entry.folder / path for path in (table, receipt)),
            *(entry.files[path] for path in (table, receipt)),
        )
        for entry in store.entries(job.rule)
        if {*entry.files} == {table, receipt}
        and (entry.record["code"], _but_length(entry.record["settings"])) == wanted
    ]


def _but_length(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**settings, "n_rows": settings["n_rows"] is not None}
