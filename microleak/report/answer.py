"""The answer in short: of each analysis the findings, with links to more."""

from collections.abc import Sequence
from dataclasses import dataclass

from microleak.report.parts import Part, Said


@dataclass(frozen=True)
class Answer:
    """The findings of all analyses, ready for the template.

    `analyses` has what is said of each by its name, which stands above it unless
    there is one analysis only. `warnings` are about tables, each once.
    """

    analyses: tuple[tuple[str, tuple[Said, ...]], ...]
    warnings: tuple[str, ...]


def answer(parts: Sequence[Part]) -> Answer:
    """Tell what each analysis found, in the order of the parts of a page."""
    by_name: dict[str, list[Said]] = {}
    for part in parts:
        for said in part.answer:
            if said.lines or said.quotation:
                by_name.setdefault(part.analysis, []).append(said)
    warnings = dict.fromkeys(part.warning for part in parts if part.warning)
    return Answer(
        tuple((name, tuple(several)) for name, several in by_name.items()),
        tuple(warnings),
    )
