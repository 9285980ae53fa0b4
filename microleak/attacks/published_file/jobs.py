"""The step of published files, which reads an original, a file and a control."""

from microleak.step import one_step, people
from microleak.study_file.hierarchies import files_of

STEPS = one_step(
    "published_file",
    lambda analysis: {
        "original": people(analysis.table, analysis.focal),
        "published": people(analysis.published.table, analysis.published.release),
        "control": tuple(
            people(each.table, each.release)
            for each in (analysis.control,)
            if each is not None
        ),
    },
    lambda of: {"analysis": of.as_given(), "files": files_of(of.hierarchies)},
)
