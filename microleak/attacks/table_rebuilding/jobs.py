"""The step of tables of counts, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study
from microleak.study_file.published import hashes_of

TABLE_REBUILDING = Step(
    "table_rebuilding",
    {
        **measures(
            "table_rebuilding", "rebuilt_cells", "rebuilt_sizes", of="table_rebuilding"
        ),
        "proofs": "proofs/table_rebuilding/{table_rebuilding}.json",
    },
    ("microleak.attacks.table_rebuilding.measure", "microleak.tables.files"),
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["table_rebuilding"].items():
        releases = tuple(people(table, release) for table, release, _ in analysis.needs)
        files = hashes_of(analysis.tables)
        settings = {"analysis": analysis.as_given(), "files": files}
        inputs = {"people": releases}
        yield TABLE_REBUILDING.job({"table_rebuilding": name}, inputs, settings)


STEPS = ((TABLE_REBUILDING, _jobs),)
