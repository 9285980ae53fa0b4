"""Values of the study file that a release can have."""

from collections.abc import Sequence

import pyarrow as pa

from microleak.errors import StudyError
from microleak.sources.definition import SourceDefinition
from microleak.sources.patterns import matches


def check_possible(
    values: Sequence[str | None],
    definition: SourceDefinition,
    attribute: str,
    said: str,
) -> None:
    """Refuse a value that no record can have; a missing one any record can.

    Raises
    ------
    StudyError
        The value, after `said`.
    """
    domain = definition.domains.get(attribute)
    given = [value for value in values if value is not None]
    if domain is None:
        return
    can_be = matches(pa.array(given, pa.string()), domain.pattern).to_pylist()
    for value, is_possible in zip(given, can_be, strict=True):
        if not is_possible:
            raise StudyError(
                f"{said} has {value!r}, which is not {domain.expected}, so no record "
                f"of {definition.release} can have it. Correct it."
            )
