"""The step of answers to queries, and its jobs."""

from collections.abc import Iterator

from microleak.family import Job, Step, measures, people
from microleak.study_file.model import Study
from microleak.study_file.published import hashes_of

QUERY_ANSWERS = Step(
    "query_answers",
    {
        **measures(
            "query_answers", "answered_values", "audited_queries", of="query_answers"
        ),
        "proofs": "proofs/query_answers/{query_answers}.json",
    },
    ("microleak.attacks.query_answers.measure", "microleak.tables.files"),
)


def _jobs(study: Study) -> Iterator[Job]:
    for name, analysis in study.analyses["query_answers"].items():
        releases = tuple(people(table, release) for table, release, _ in analysis.needs)
        files = hashes_of(analysis.tables)
        settings = {"analysis": analysis.as_given(), "files": files}
        inputs = {"people": releases}
        yield QUERY_ANSWERS.job({"query_answers": name}, inputs, settings)


STEPS = ((QUERY_ANSWERS, _jobs),)
