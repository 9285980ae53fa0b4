"""Which solver rebuilds databases, for who reads the tables."""

from importlib.metadata import version

from microleak.kernels.linear_program import SETTINGS


def solver() -> dict[str, bool | int | float | str]:
    """Return name and version of the solver of linear programs, and its settings.

    >>> solver()["name"], solver()["threads"]
    ('HiGHS', 1)
    """
    return {"name": "HiGHS", "version": version("highspy"), **SETTINGS}
