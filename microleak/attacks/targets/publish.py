"""What is published of attacks on single persons: how many there were."""

from pathlib import Path
from typing import Any

from microleak.family import Publication
from microleak.study_file.model import Study


def facts(study: Study, _: Path) -> dict[str, Any]:
    """Return how many single persons were attacked, and nothing of them."""
    return {"n_targets": len(study.analyses["targets"])}


PUBLICATION = Publication(facts=facts)
