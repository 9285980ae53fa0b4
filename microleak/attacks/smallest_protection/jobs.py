"""The step of the search, which depends on files of hierarchies, and its facts."""

from pathlib import Path
from typing import Any

from microleak.step import Publication, one_step
from microleak.study_file.hierarchies import files_of
from microleak.study_file.model import Study
from microleak.tables.spec import tables_of

OF_SEARCH = tuple(tables_of("microleak.attacks.smallest_protection"))
"""Tables of each search."""

STEPS = one_step(
    "smallest_protection",
    settings=lambda of: {
        "analysis": of.model_dump(),
        "files": files_of(of.hierarchies),
    },
)


def facts(study: Study, _: Path) -> dict[str, Any]:
    """Return the adversaries of the study, and what it says of each search."""
    # Of each search the attributes of the tables that are compared; and by the name of
    # a protected release, on which level it has an attribute, and what it drops.
    searches = study.analyses["smallest_protection"]
    return {
        "examples": [name for name, of in searches.items() if of.target.example],
        "compared": {name: dict(of.compared) for name, of in searches.items()},
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
            for name, search in searches.items()
        },
    }


PUBLICATION = Publication(facts)
