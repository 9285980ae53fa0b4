"""The step of answers to queries, which depends on files, and which ones it read."""

from pathlib import Path
from typing import Any

from microleak.step import Publication, one_step, people_needed
from microleak.study_file.model import Study
from microleak.study_file.published import files_read, hashes_of

_PROOFS = {"proofs": "proofs/query_answers/{query_answers}.json"}


def _settings(analysis: Any) -> dict[str, Any]:
    files = hashes_of(analysis.tables)
    return {"analysis": analysis.as_given(), "files": files}


STEPS = one_step(
    "query_answers", people_needed, _settings, more=_PROOFS, is_told_memory=False
)


def _facts(study: Study, _: Path) -> dict[str, Any]:
    return files_read(study.analyses["query_answers"])


PUBLICATION = Publication(_facts)
