"""What a student has in a year: of the person's draw and the school's rate.

The draws stay with a person and the rates with a school, so most students have the
same status every year, and those who change school may change it.
"""

import numpy as np
from numpy.typing import NDArray

from microleak.sources.twin.draws import level
from microleak.sources.twin.students import Students, World


def has_needs_in(year: int, students: Students, world: World) -> NDArray[np.bool_]:
    """Whether each has special needs; rates rise over the years but where special."""
    ordinary = np.array([kind.needs is None for kind in world.settings.kinds])
    growth = world.settings["needs_growth"][year]
    limit = world.schools.needs * np.where(ordinary, growth, 1.0)[world.schools.kind]
    found: NDArray[np.bool_] = students.needs < limit[students.school]
    return found


def uses_transport_in(year: int, students: Students, world: World) -> NDArray[np.bool_]:
    """Whether each uses school transport: none where the school has none.

    Where it has, those whose home is in another municipality use it at least at a
    share of their own.
    """
    own = world.schools.transport[students.school, students.stage]
    elsewhere = students.home != world.schools.municipality[students.school]
    least = np.where(elsewhere, level(world.settings["away_transport"]), 0)
    limit = np.maximum(own * world.settings["transport_growth"][year], least)
    found: NDArray[np.bool_] = (students.transport < limit) & (own > 0)
    return found
