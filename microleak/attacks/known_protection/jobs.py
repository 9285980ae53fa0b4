"""The step of known protections, which reads a release before and after."""

from typing import Any

from microleak.step import Paths, one_step, people
from microleak.study_file.hierarchies import files_of


def _both(analysis: Any) -> dict[str, Paths]:
    return {
        "before": people(analysis.table, analysis.release),
        "after": people(analysis.table, analysis.focal),
    }


def _settings(analysis: Any) -> dict[str, Any]:
    files = files_of(analysis.hierarchies)
    return {"analysis": analysis.as_given(), "files": files}


STEPS = one_step("known_protection", _both, _settings)
