"""Points of a grid before the answers of one database, as a row."""

from fractions import Fraction
from typing import Any

from microleak.attacks.bad_points import Grid, Trials, bad_points, n_bad_points
from microleak.study.reconstruction_cases import Case
from microleak.study.reconstruction_model import Points


def counted_points(case: Case, points: Points) -> dict[str, Any]:
    """Return the points drawn before one database, by kind (Nepomuceno, Table 3).

    Raises
    ------
    StudyError
        If there is no such grid.
    """
    n = case.setting.n_entries
    grid = Grid(n, points.steps, Fraction(points.distance))
    trials = Trials(1, case.n_asked, points.number, case.seed)
    found = bad_points(grid, case.law, trials)
    return {
        "n_steps": points.steps,
        "distance": float(grid.epsilon),
        "n_points": found.n_points,
        "n_bad": found.n_bad,
        "n_feasible": found.n_feasible,
        "n_bad_feasible": found.n_bad_and_feasible,
        "share_bad": found.n_bad / found.n_points,
        "share_bad_grid": float(Fraction(n_bad_points(grid), grid.n_points)),
        "share_bad_feasible": found.n_bad_and_feasible / found.n_points,
    }
