"""What is published of a search for the smallest protection beside its tables."""

from pathlib import Path
from typing import Any

from microleak.family import Publication
from microleak.study_file.model import Study


def facts(study: Study, _: Path) -> dict[str, Any]:
    """Return the adversaries of the study, and what was made of searched releases.

    Of each search that is, by the name of the protected release, on which level it has
    an attribute, and what it drops.
    """
    return {
        "adversaries": [
            {"qids": who.qids, "labels": who.labels}
            for who in study.shared.get("scenarios", ())
        ],
        "made": {
            name: {
                protection: {
                    "levels": {
                        attribute: level
                        for step in given.steps
                        for attribute, level in (step.generalise or {}).items()
                    },
                    "dropped": given.dropped,
                }
                for protection, given in study.tables[search.table].protections.items()
                if given.release == search.focal
            }
            for name, search in study.analyses["smallest_protection"].items()
        },
    }


PUBLICATION = Publication(facts)
