"""Links without an identifier, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.linkage.analysis import ESTIMATED, IDENTIFIERS, Linkage
from microleak.attacks.linkage.measure import TABLES, linkage_tables
from microleak.attacks.linkage.section import check_kinds, recodings
from microleak.attacks.linkage.target import linked_target_table
from microleak.base.errors import StudyError
from microleak.records.call import TABLE, check_names, meeting_with_id, room_to_work
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
    linked_target
        What is found of each target, empty without; a notebook does not show it.
    """

    linkage: pd.DataFrame
    linkage_bins: pd.DataFrame
    linked_success: pd.DataFrame
    linked_target: pd.DataFrame

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
    recoded: Mapping[str, Mapping[str, Mapping[Any, Any] | str]] | None = None,
    targets: Mapping[str, Mapping[str, Mapping[str, object]]] | None = None,
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
    recoded
        Columns that the frames have in different codings, each with the common value of
        every code, by frame: `{"stage": {"focal": {"41": "high", "42": "high"}}}`.
        Codes are texts or integers, or a CSV file with the header `from,to` has them. A
        missing value stays missing.
    targets
        Persons to look for in both, by names of your own, each with known values of
        QIDs by release: `{"somebody": {"focal": {"age": 25}, "auxiliary": {"age":
        26}}}`; None is a missing value, or a person who is not there.
    n_threads
        As of `microleak.assess`.

    Returns
    -------
    Links
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist or has two roles, there are no records, a stable
        column has no value in common, or `recoded` lacks a value or has what cannot be.

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
        "recoded": recoded,
        "person_id": person_id,
    }
    analysis = analysis_of(Linkage, "linkage", arguments)
    check_kinds(analysis, "linkage")
    update = {"recodings": recodings(analysis, "linkage")}
    analysis = analysis.model_copy(update=update)
    if transition == IDENTIFIERS and person_id is None:
        raise StudyError(
            'linkage: transition is counted by "identifiers", but there is no '
            "identifier. Give person_id."
        )
    with room_to_work("linkage", n_threads) as resources:
        names = [*analysis.common, *analysis.sensitive]
        releases = {
            "the focal frame": (focal, names),
            "the auxiliary frame": (auxiliary, analysis.common),
        }
        alike = [name for name in analysis.common if name not in (recoded or {})]
        first, second = meeting_with_id("linkage", releases, alike, person_id)
        both = {"focal": first, "auxiliary": second}
        known = {
            target: {
                release: {n: both[release].text("linkage", n, v) for n, v in of.items()}
                for release, of in _checked(target, given, analysis.qids).items()
            }
            for target, given in (targets or {}).items()
        }
        pair = first.table, second.table
        found = linkage_tables(*pair, analysis, resources)
        each = [
            linked_target_table(pair, analysis, target, of, resources)
            for target, of in known.items()
        ]
        found["linked_target"] = (
            pd.concat(each) if each else TABLES["linked_target"].frame(())
        )
    return Links(**{n: without_study(rows, TABLES[n]) for n, rows in found.items()})


def _checked(
    target: str, known: Mapping[str, Mapping[str, object]], qids: Sequence[str]
) -> Mapping[str, Mapping[str, object]]:
    """Refuse a target of whom something else than QIDs of the frames is known."""
    if not known or not set(known) <= {"focal", "auxiliary"}:
        raise StudyError(
            f"linkage: what is known of the target {target!r} is given by frame, as "
            '{"focal": {"age": 25}, "auxiliary": {"age": 26}}.'
        )
    for values in known.values():
        others = [each for each in values if each not in qids]
        if others or not values:
            what = f"{others[0]}, which is not among qids" if others else "nothing"
            raise StudyError(
                f"linkage: of the target {target!r} is known {what}. Give values of "
                "QIDs."
            )
    return known
