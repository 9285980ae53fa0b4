"""An analysis from the arguments of a function, as a study file would give it."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from microleak.base.errors import StudyError
from microleak.study_file.faults import sentence
from microleak.study_file.schema import plain_schema
from microleak.study_file.section import Section

Analysis = TypeVar("Analysis", bound=Section)


def analysis_of(
    model: type[Analysis], function: str, arguments: Mapping[str, Any]
) -> Analysis:
    """Return an analysis of the name of a function, checked key by key.

    Parameters
    ----------
    model
        The section of a study file.
    function
        Begins what is said.
    arguments
        Values of its keys; those that are None are left out.

    Raises
    ------
    StudyError
        What is wrong with the first key that is, in the words of a study file.

    Examples
    --------
    >>> from microleak.study_file.section import ReleaseOf
    >>> analysis_of(ReleaseOf, "see", {"table": 5, "release": "1"})
    Traceback (most recent call last):
    microleak.base.errors.StudyError: see: table is 5, not of type string: Which table.
    """
    given = {key: _listed(v) for key, v in arguments.items() if v is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        said = sentence(error, plain_schema(model), given)
        raise StudyError(f"{function}: {said}") from None


def _listed(value: Any) -> Any:
    """Return lists for tuples, as a study file has them."""
    if isinstance(value, (list, tuple)):
        return [_listed(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _listed(each) for key, each in value.items()}
    return value
