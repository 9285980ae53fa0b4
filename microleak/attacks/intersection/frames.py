"""The intersection attack on independent releases, on frames."""

from collections.abc import Mapping
from typing import Any

from microleak.attacks.intersection.measure import intersection_table
from microleak.attacks.intersection.section import Intersection
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import meeting_with_id

_FOCAL = "focal"


@on_frames(
    Intersection,
    "Intersected",
    shown=(
        *("sensitive", "n_releases", "n_possible", "posterior_det"),
        *("posterior_prob", "claims_that_hold"),
    ),
)
def intersection(
    call: Call,
    focal: Any,
    auxiliary: Mapping[str, Any],
    *,
    person_id: str | None = None,
    n_threads: int | None = None,
) -> Tables:
    """Infer what is sensitive about somebody who is in several independent releases.

    Parameters
    ----------
    focal
        A release, one record a person, as `microleak.assess` takes it.
    auxiliary
        Further releases by name, in the order in which they are added.
    person_id
        Column of all releases that names the person and says how often it is right.

    Examples
    --------
    Of those born in 1990 two releases leave one illness possible:

    >>> import pandas as pd
    >>> born = [1990, 1990, 1991]
    >>> here = pd.DataFrame({"born": born, "ill": ["flu", "HIV", "flu"]})
    >>> there = pd.DataFrame({"born": born, "ill": ["HIV", "cold", "flu"]})
    >>> found = intersection(here, {"there": there}, ["born"], ["ill"]).intersection
    >>> found[["n_releases", "n_possible", "posterior_det_single", "posterior_det"]]
       n_releases  n_possible  posterior_det_single  posterior_det
    0           1           3              0.333333       0.333333
    1           2           2              0.500000       1.000000
    """
    if not isinstance(auxiliary, Mapping) or _FOCAL in auxiliary:
        raise StudyError(
            'intersection: auxiliary has frames by name, as {"2019": frame}, none of '
            f"which is {_FOCAL!r}."
        )
    names = {"focal": _FOCAL, "auxiliary": [*auxiliary], "person_id": person_id}
    analysis = call.analysis(**names)
    releases = {
        f"the {name} frame": (frame, analysis.names)
        for name, frame in [(_FOCAL, focal), *auxiliary.items()]
    }
    people = meeting_with_id(call.function, releases, analysis.names, person_id)
    tables = [each.table for each in people]
    table = intersection_table(tables, analysis, call.resources)
    return {"intersection": table}
