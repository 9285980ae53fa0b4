"""The step of published files, which reads an original, a file and a control."""

from microleak.attacks.published_file.section import PublishedFile
from microleak.step import Paths, one_step, people
from microleak.study_file.hierarchies import files_of


def _reads(analysis: PublishedFile) -> dict[str, Paths]:
    original, published, *control = (people(*of) for *of, _ in analysis.needs)
    return {"original": original, "published": published, "control": tuple(control)}


STEPS = one_step(
    "published_file",
    _reads,
    lambda of: {"analysis": of.as_given(), "files": files_of(of.hierarchies)},
)
