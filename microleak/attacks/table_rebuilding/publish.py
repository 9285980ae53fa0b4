"""What is published of what tables prove: which files."""

from pathlib import Path
from typing import Any

from microleak.family import Publication
from microleak.study_file.model import Study
from microleak.study_file.published import files_read


def _facts(study: Study, _: Path) -> dict[str, Any]:
    return files_read(study.analyses["table_rebuilding"])


PUBLICATION = Publication(_facts)
