"""Saying where a setting stands that something below refuses without knowing that."""

from collections.abc import Iterator
from contextlib import contextmanager

from microleak.errors import StudyError


@contextmanager
def refused_in(where: str) -> Iterator[None]:
    """Begin what is said of a refused setting with where it stands.

    Examples
    --------
    >>> with refused_in("demo.yaml: analysis 'one'"):
    ...     raise StudyError("There is no such law.")
    Traceback (most recent call last):
    microleak.errors.StudyError: demo.yaml: analysis 'one': There is no such law.
    """
    try:
        yield
    except StudyError as error:
        raise StudyError(f"{where}: {error}") from None
