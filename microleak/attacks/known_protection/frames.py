"""Attacks on a protected frame by someone who knows how it was protected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.known_protection.analysis import KnownProtection
from microleak.attacks.known_protection.measure import TABLES, known_tables
from microleak.attacks.known_protection.section import check_steps
from microleak.protection.frames import recipe_given
from microleak.records.call import (
    RELEASE,
    TABLE,
    check_names,
    check_subsets,
    people_of,
    room_to_work,
)
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec

_FUNCTION = "known_protection"


@dataclass(frozen=True, repr=False, eq=False)
class KnownProtectionResult(Result):
    """What `known_protection` found: tables of a study with these names.

    Attributes
    ----------
    known_protection
        Success of the attacks, a row an attack and set of QIDs.
    undone_cells
        Suppressed cells and those that are undone, a row a QID.
    """

    known_protection: pd.DataFrame
    undone_cells: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw success without any QID, after the protection and before."""
        from microleak.attacks.known_protection.report import bars_of
        from microleak.report.texts import voice

        spec = TABLES["known_protection"]
        rows = with_study(self.tables["known_protection"], spec, analysis=_FUNCTION)
        return bars_of(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        names = ["qids", "sensitive", "posterior_prob_before", "posterior_prob"]
        return self.known_protection[[*names, "posterior_det", "claims_that_hold"]]


def known_protection(
    frame: Any,
    protected: Any,
    steps: Sequence[Mapping[str, Any]],
    qids: Sequence[str],
    *,
    hierarchies: Mapping[str, Mapping[str, Any]] | None = None,
    sensitive: Sequence[str] = (),
    subsets: Any = "full",
) -> KnownProtectionResult:
    """Attack a protected frame, knowing how it was protected but not what was drawn.

    Parameters
    ----------
    frame
        Records before, one a person, as `microleak.assess` takes it.
    protected
        Records after, as `microleak.protect` returns them.
    steps, hierarchies
        What was done, as `microleak.protect` takes it.
    qids
        What the adversary knows of the target, as it was before.
    sensitive
        What is inferred; none of them dropped.
    subsets
        As of `microleak.assess`, but that of all QIDs alone if not given.

    Returns
    -------
    Known
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, a step is wrong, or there are no records.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60]})
    >>> steps = [{"generalise": {"age": 1}}]
    >>> levels = {"age": {"widths": [10]}}
    >>> coarse = pd.DataFrame({"age": ["20-29", "20-29", "40-49", "60-69"]})
    >>> found = known_protection(people, coarse, steps, ["age"], hierarchies=levels)
    >>> found.known_protection[["posterior_prob_before", "posterior_prob"]]
       posterior_prob_before  posterior_prob
    0                    1.0            0.75
    """
    check_names(_FUNCTION, qids=qids, sensitive=sensitive)
    check_subsets(_FUNCTION, subsets)
    recipe = recipe_given(_FUNCTION, steps, hierarchies or {})
    arguments = {
        "name": _FUNCTION,
        "table": TABLE,
        "focal": RELEASE,
        "qids": qids,
        "sensitive": sensitive,
        "subsets": subsets,
    }
    given = analysis_of(KnownProtection, _FUNCTION, arguments)
    analysis = given.model_copy(
        update={
            "release": TABLE,
            "steps": recipe.steps,
            "hierarchies": recipe.hierarchies,
        }
    )
    check_steps(analysis, _FUNCTION)
    with room_to_work(_FUNCTION) as resources:
        before = people_of(_FUNCTION, frame, analysis.before)
        after = people_of(_FUNCTION, protected, analysis.after, "the protected frame")
        found = known_tables(before.table, after.table, analysis, resources)
    return KnownProtectionResult(
        **{
            n: without_study(t, TABLES[n], ("release",))
            for n, t in found._asdict().items()
        }
    )
