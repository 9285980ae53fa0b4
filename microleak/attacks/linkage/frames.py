"""Links without an identifier, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.linkage.analysis import ESTIMATED, IDENTIFIERS, Linkage
from microleak.attacks.linkage.measure import TABLES, linkage_tables
from microleak.attacks.linkage.section import check_kinds
from microleak.base.errors import StudyError
from microleak.records.call import (
    TABLE,
    check_names,
    people_with_id,
    room,
)
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class Links(Result):
    """What `linkage` found: tables of a study with these names (docs/results.md).

    Attributes
    ----------
    linkage
        Links, and how many of them are right.
    linkage_bins
        Pairs by the chance to be one person.
    linked_success
        Success with one release, with links, and with the identifier.
    """

    linkage: pd.DataFrame
    linkage_bins: pd.DataFrame
    linked_success: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw success with one release, with links, and with the identifier."""
        from microleak.attacks.linkage.report import bars_of
        from microleak.report.texts import voice

        spec = TABLES["linked_success"]
        rows = with_study(self.tables["linked_success"], spec, analysis="linkage")
        return bars_of(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        names = ["single", "linked", "identified"]
        shares = [f"posterior_prob_{name}" for name in names]
        return self.linked_success[["qids", "sensitive", *shares]]


def linkage(
    focal: Any,
    auxiliary: Any,
    qids: Sequence[str],
    *,
    stable: Sequence[str],
    drifting: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    person_id: str | None = None,
    transition: str = ESTIMATED,
    n_threads: int = 1,
) -> Links:
    """Measure how often a person is found in two releases without an identifier.

    Parameters
    ----------
    focal, auxiliary
        Two releases, one record a person, as `microleak.assess` takes them.
    qids
        What the adversary knows of the target in both.
    stable
        What does not change: records of one person agree in it.
    drifting
        What may change.
    sensitive
        Columns of the focal release that are inferred.
    person_id
        Column of both that names the person and says which links are right.
    transition
        Whether it is `"estimated"` without an identifier how often values stay, or
        counted by `"identifiers"`.
    n_threads
        As of `microleak.assess`.

    Returns
    -------
    Links
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist or has two roles, there are no records, or a stable
        column has no value in common.

    Examples
    --------
    Three of four people have a day of birth of their own:

    >>> first = {"id": [1, 2, 3, 4], "born": [5, 6, 7, 7], "town": [*"ABAB"]}
    >>> later = {"id": [1, 2, 3, 4], "born": [5, 6, 7, 7], "town": [*"AAAB"]}
    >>> first, later = pd.DataFrame(first), pd.DataFrame(later)
    >>> found = linkage(
    ...     first, later, ["town"], stable=["born"], drifting=["town"], person_id="id"
    ... )
    >>> found.linkage[["n_links", "n_true", "n_right"]]
       n_links  n_true  n_right
    0        4       4        4
    """
    check_names("linkage", qids=qids, sensitive=sensitive)
    check_names("linkage", stable=stable)
    check_names("linkage", drifting=drifting)
    arguments = {
        "name": "linkage",
        "table": TABLE,
        "focal": "focal",
        "auxiliary": "auxiliary",
        "stable": stable,
        "drifting": drifting,
        "qids": qids,
        "sensitive": sensitive,
        "transition": transition,
        "person_id": person_id,
    }
    analysis = analysis_of(Linkage, "linkage", arguments)
    check_kinds(analysis, "linkage")
    if transition == IDENTIFIERS and person_id is None:
        raise StudyError(
            'linkage: transition is counted by "identifiers", but there is no '
            "identifier. Give person_id."
        )
    with room("linkage", n_threads) as resources:
        names = [*analysis.common, *analysis.sensitive]
        first = people_with_id("linkage", focal, names, (person_id, "the focal frame"))
        second = people_with_id(
            "linkage", auxiliary, analysis.common, (person_id, "the auxiliary frame")
        )
        found = linkage_tables(first, second, analysis, resources)
    return Links(**{n: without_study(rows, TABLES[n]) for n, rows in found.items()})
