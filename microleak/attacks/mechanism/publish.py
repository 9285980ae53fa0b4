"""What is published of analyses of noisy counts: what filters its tables."""

from pathlib import Path
from typing import Any

from microleak.family import Publication
from microleak.study_file.model import Study


def facts(study: Study, _: Path) -> dict[str, Any]:
    """Return by whose values analyses choose records, of those that do."""
    analyses = study.analyses["mechanism"].items()
    return {"filters": {name: [*part.filter] for name, part in analyses if part.filter}}


PUBLICATION = Publication(facts)
