"""Analyses of what guesses gain as the study file gives them, checked."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from microleak.attacks.g_leakage.analysis import OTHERS, GainFunction, GuessAnalysis
from microleak.base.errors import StudyError
from microleak.records.subsets import subsets_of
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.options import matches
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.matrix import FRACTION, read_matrix

SECTION = GuessAnalysis
"""Its part of the study file."""

MOST_CLASSES = 1 << 10
"""Values that some guess tells apart, at most; others may be as many as they are."""

MOST_GUESSES = 1_000

LARGEST_GAIN = 2**31 - 1
"""Of gains as whole numbers: a block of all records then fits in 64 bits."""


def read(context: Context, sections: Sequence[GuessAnalysis]) -> list[GuessAnalysis]:
    """Return the analyses, each checked, with its gain function."""
    return [_analysis(context, section) for section in sections]


def _analysis(context: Context, section: GuessAnalysis) -> GuessAnalysis:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    definition = definition_of(table, section.focal)
    subsets_of(len(section.qids), section.wanted, where)
    check_roles(section.qids, (section.sensitive,), definition, where)
    check_released((*section.qids, section.sensitive), definition, where)
    if (section.gains is None) == (section.tries is None):
        raise StudyError(f"{where} must give exactly one of gains and tries.")
    if section.gains is None:
        return section
    function = read_gains(Path(section.gains), where)
    _check_values(function, definition, section, where)
    has_domain = section.sensitive in definition.domains
    return section.model_copy(update={"function": function, "has_domain": has_domain})


def read_gains(path: Path, where: str) -> GainFunction:
    """Return the gain function of a CSV file."""
    gain = f"-?{FRACTION}"
    said = "a number as 1, -0.5 or 1/3"
    matrix = read_matrix(path, gain, said, f"{where}: gains")
    function = GainFunction(matrix.columns, tuple(matrix.rows.values()))
    check_function(function, str(path))
    return function


def check_function(function: GainFunction, where: str) -> None:
    """Refuse a gain function that is too large."""
    if fault := next(_excesses(function), ""):
        raise StudyError(f"{where}: {fault}")


def _excesses(function: GainFunction) -> Iterator[str]:
    if len(function.gains) > MOST_GUESSES:
        yield (
            f"it has {len(function.gains):,} guesses, more than the {MOST_GUESSES:,} "
            "that can be compared. Leave out those that never gain most."
        )
    largest = max(abs(gain) for of_guess in function.exact for gain in of_guess)
    if largest * function.denominator > LARGEST_GAIN:
        yield (
            "its gains, brought to one denominator, are larger than "
            f"{LARGEST_GAIN:,}. Write them with fewer digits."
        )
        return
    _, by_class = function.classes
    if by_class.shape[1] > MOST_CLASSES:
        yield (
            f"it tells {by_class.shape[1]:,} values apart, more than the "
            f"{MOST_CLASSES:,} that an analysis can. Give the same gains to values "
            "that need not be told apart."
        )


def _check_values(
    function: GainFunction,
    definition: SourceDefinition,
    section: GuessAnalysis,
    where: str,
) -> None:
    """Refuse a value that no record of the release can have."""
    domain = definition.domains.get(section.sensitive)
    if domain is None:
        return
    for place, value in enumerate(function.values, 2):
        if value in ("", OTHERS):
            continue
        if not matches(pa.array([value]), domain.pattern)[0].as_py():
            raise StudyError(
                f"{where}: line 1, cell {place} of {section.gains} is not "
                f"{domain.expected}, so no record of {definition.release} can have it "
                f"in {section.sensitive}. Correct it there."
            )
