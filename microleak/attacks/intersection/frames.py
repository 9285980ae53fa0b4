"""The intersection attack on independent releases, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.intersection.analysis import Intersection
from microleak.attacks.intersection.measure import TABLES, intersection_table
from microleak.base.errors import StudyError
from microleak.records.call import TABLE, check_names, meeting_with_id, room_to_work
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec

_FOCAL = "focal"
_OF_STUDY = ("auxiliary",)


@dataclass(frozen=True, repr=False, eq=False)
class Intersected(Result):
    """What `intersection` found: a table of a study with this name (docs/results.md).

    Attributes
    ----------
    intersection
        What is inferred, a row a sensitive attribute and number of releases.
    """

    intersection: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw what is inferred with one release and with all."""
        from microleak.attacks.intersection.report import bars_of
        from microleak.report.texts import voice

        spec = TABLES["intersection"]
        rows = with_study(self.tables["intersection"], spec, analysis="intersection")
        return bars_of(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        names = ["sensitive", "n_releases", "n_possible", "posterior_det"]
        return self.intersection[[*names, "posterior_prob", "claims_that_hold"]]


def intersection(
    focal: Any,
    auxiliary: Mapping[str, Any],
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    person_id: str | None = None,
    n_threads: int = 1,
) -> Intersected:
    """Infer what is sensitive about somebody who is in several independent releases.

    Parameters
    ----------
    focal
        A release, one record a person, as `microleak.assess` takes it.
    auxiliary
        Further releases by name, in the order in which they are added.
    qids
        What the adversary knows of the target; it does not change.
    sensitive
        Columns of all releases that are inferred, each by itself; they do not change.
    person_id
        Column of all releases that names the person and says how often it is right.
    n_threads
        As of `microleak.assess`.

    Returns
    -------
    Intersected
        The table as an attribute.

    Raises
    ------
    StudyError, TableError
        If a column does not exist or has two roles, there is one release, or one has
        no records.

    Examples
    --------
    Of those born in 1990 two releases leave one illness possible:

    >>> born = [1990, 1990, 1991]
    >>> here = pd.DataFrame({"born": born, "ill": ["flu", "HIV", "flu"]})
    >>> there = pd.DataFrame({"born": born, "ill": ["HIV", "cold", "flu"]})
    >>> found = intersection(here, {"there": there}, ["born"], ["ill"]).intersection
    >>> found[["n_releases", "n_possible", "posterior_det_single", "posterior_det"]]
       n_releases  n_possible  posterior_det_single  posterior_det
    0           1           3              0.333333       0.333333
    1           2           2              0.500000       1.000000
    """
    check_names("intersection", qids=qids, sensitive=sensitive)
    if not isinstance(auxiliary, Mapping) or _FOCAL in auxiliary:
        raise StudyError(
            'intersection: auxiliary has frames by name, as {"2019": frame}, none of '
            f"which is {_FOCAL!r}."
        )
    arguments = {
        "name": "intersection",
        "table": TABLE,
        "focal": _FOCAL,
        "auxiliary": [*auxiliary],
        "qids": qids,
        "sensitive": sensitive,
        "person_id": person_id,
    }
    analysis = analysis_of(Intersection, "intersection", arguments)
    with room_to_work("intersection", n_threads) as resources:
        releases = {
            f"the {name} frame": (frame, analysis.names)
            for name, frame in [(_FOCAL, focal), *auxiliary.items()]
        }
        people = meeting_with_id("intersection", releases, analysis.names, person_id)
        tables = [each.table for each in people]
        table = intersection_table(tables, analysis, resources)
    return Intersected(without_study(table, TABLES["intersection"]))
