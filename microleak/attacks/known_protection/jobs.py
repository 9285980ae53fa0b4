"""The step of known protections, which reads a release before and after."""

from microleak.step import one_step, people
from microleak.study_file.hierarchies import files_of

STEPS = one_step(
    "known_protection",
    lambda analysis: {
        "before": people(analysis.table, analysis.release),
        "after": people(analysis.table, analysis.focal),
    },
    lambda of: {"analysis": of.as_given(), "files": files_of(of.hierarchies)},
)
