"""The step of tables of counts, which depends on files, and which ones it read."""

from pathlib import Path
from typing import Any

from microleak.step import Publication, one_step, people_needed
from microleak.study_file.model import Study
from microleak.study_file.published import files_read, hashes_of

_PROOFS = {"proofs": "proofs/table_rebuilding/{table_rebuilding}.json"}


def _settings(analysis: Any) -> dict[str, Any]:
    files = hashes_of(analysis.tables)
    return {"analysis": analysis.as_given(), "files": files}


STEPS = one_step(
    "table_rebuilding", people_needed, _settings, more=_PROOFS, is_told_memory=False
)


def _facts(study: Study, _: Path) -> dict[str, Any]:
    return files_read(study.analyses["table_rebuilding"])


PUBLICATION = Publication(_facts)
