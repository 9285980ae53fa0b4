"""The smallest protection of a frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.smallest_protection.analysis import Search
from microleak.attacks.smallest_protection.measure import TABLES, protection_tables
from microleak.attacks.smallest_protection.section import check_search, tables_of
from microleak.base.errors import check_known
from microleak.records.call import TABLE, check_names, people_of, room_to_work
from microleak.study_file.call import analysis_of, hierarchies_of
from microleak.study_file.hierarchies import check_hierarchies
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec

_NAMED = " Name one of it in loss."


@dataclass(frozen=True, repr=False, eq=False)
class SmallestProtection(Result):
    """What `smallest_protection` found: tables of a study with these names.

    Attributes
    ----------
    smallest_protection
        The frame as it is, single changes, the smallest protection, and the frontier.
    witnesses
        Nodes that decide all others, by which the answer is proved.
    cuts
        How many nodes were decided for which reason.
    lattice
        Every node, if there are 30,000 or fewer.
    minimality
        What it gives away that a finer node failed.
    exposed
        Of how many who have a rarer sensitive value it is certain, before and after.
    """

    smallest_protection: pd.DataFrame
    witnesses: pd.DataFrame
    cuts: pd.DataFrame
    lattice: pd.DataFrame
    minimality: pd.DataFrame
    exposed: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw how many are alone over what is lost."""
        from microleak.attacks.smallest_protection.figure import frontier
        from microleak.report.texts import voice

        rows = with_study(
            self.tables["smallest_protection"],
            TABLES["smallest_protection"],
            analysis="smallest_protection",
        )
        return frontier(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        answer = self.smallest_protection[self.smallest_protection["is_answer"]]
        names = ["left_out", "levels", "loss", "sensitive", "smallest_block", "n_alone"]
        return answer[[*names, "n_certain", "posterior_prob"]]


def smallest_protection(
    frame: Any,
    qids: Sequence[str],
    hierarchies: Mapping[str, Mapping[str, Any]],
    target: Mapping[str, Any],
    *,
    sensitive: Sequence[str] = (),
    with_any: int | None = None,
    loss: str | Mapping[str, Any] = "information",
    tabulations: Mapping[str, Sequence[str]] | None = None,
    n_threads: int = 1,
) -> SmallestProtection:
    """Find the smallest protection that keeps a risk within bounds, and prove it.

    Parameters
    ----------
    frame
        One record a person, as `microleak.assess` takes it.
    qids
        What the adversary knows.
    hierarchies
        Of each QID ever coarser levels: `{"widths": [5, 10]}` of whole numbers,
        `{"prefixes": [2]}` of codes, `{"date": "%d/%m/%Y"}`, or `{"file": PATH}` as in
        a study file. On the last level, which is added, all values are alike; `{}` has
        no other.
    target
        Bounds, all of which are kept to: `k`, `alone`, `reidentified`, `certain`,
        `inferred`, `l` and `own_record`, as in `{"k": 5, "certain": "0.05"}`.
    sensitive
        What is inferred.
    with_any
        How many of the QIDs the adversary knows, any of them; all without it.
    loss
        What is lost least: `information`, `cells`, `{"total_variation": NAMES}` or
        `{"largest_error": NAMES}` of tabulations, or a `regression`, as in
        `{"regression": {"outcome": "wage", "on": ["age"]}}`.
    tabulations
        Columns of tables of counts, by their names; those that have a QID and change
        are told of each change of one QID.
    n_threads
        As of `microleak.assess`.

    Returns
    -------
    SmallestProtection
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, a hierarchy does not fit it, there are no records,
        or nothing keeps to the target: then the best that can be reached.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [21, 22, 23, 31, 33], "sex": list("FFFMM")})
    >>> levels = {"age": {"widths": [10]}, "sex": {}}
    >>> found = smallest_protection(people, ["age", "sex"], levels, {"k": 2})
    >>> nodes = found.smallest_protection
    >>> nodes.loc[nodes["is_answer"], ["left_out", "levels", "n_alone"]]
      left_out        levels  n_alone
    2           age:width 10        0
    """
    check_names("smallest_protection", qids=qids, sensitive=sensitive)
    given = hierarchies_of("smallest_protection", hierarchies)
    check_hierarchies(given, qids, "smallest_protection")
    arguments = {
        "name": "smallest_protection",
        "table": TABLE,
        "focal": TABLE,
        "qids": qids,
        "sensitive": sensitive,
        "target": target,
        "with_any": with_any,
        "loss": loss,
        "hierarchies": {name: given[name] for name in qids},
    }
    section = analysis_of(Search, "smallest_protection", arguments)
    known = tabulations or {}
    for name in section.tabulations:
        check_known(name, known, "smallest_protection: tabulations has no", _NAMED)
    update = {
        "tables": tables_of(section, known),
        "compared": {n: tuple(t) for n, t in known.items() if {*t} & {*qids}},
    }
    analysis = section.model_copy(update=update)
    check_search(analysis, "smallest_protection")
    (_, _, columns), *_ = analysis.needs
    with room_to_work("smallest_protection", n_threads) as resources:
        people = people_of("smallest_protection", frame, [*columns], "the frame")
        found = protection_tables(people.table, analysis, resources)
    return SmallestProtection(
        **{n: without_study(rows, TABLES[n]) for n, rows in vars(found).items()}
    )
