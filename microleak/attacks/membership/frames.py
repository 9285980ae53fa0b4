"""Attacks on a sample before its population, on frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.membership.analysis import Membership
from microleak.attacks.membership.designs import answers_given, designs
from microleak.attacks.membership.fingerprints import fingerprints
from microleak.attacks.membership.measure import (
    TABLES,
    attack_member,
    membership_tables,
)
from microleak.attacks.membership.rough import rough_membership
from microleak.base.errors import StudyError
from microleak.records.call import (
    TABLE,
    check_names,
    check_subsets,
    meeting_people,
    people_of,
    room_to_work,
)
from microleak.records.overlap_profile import profile_overlap
from microleak.study_file.call import analysis_of, roughly_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec


@dataclass(frozen=True, repr=False, eq=False)
class MembershipResult(Result):
    """What `membership` found: tables of a study with these names (docs/results.md).

    Attributes
    ----------
    membership
        What the sample tells about who is in it, a row a set of QIDs.
    presence, uniques
        Persons by the chance that they are in the sample, and persons alone in it by
        how many of the population they may be, of the worst set of each size.
    rough_membership
        What the sample gives away by what is known roughly, a row a set of QIDs; empty
        without `roughly`.
    designs
        What it gives away by how it was drawn, a row a set of QIDs; empty without
        `design`.
    answers
        What is inferred of the answers of those found, a row a set of QIDs and
        sensitive column; empty without `sensitive`.
    fingerprints
        How many classes are recognised, one row; empty without `fingerprint`.
    member
        Whether each target is in the sample, a row a target; empty without.
    """

    membership: pd.DataFrame
    presence: pd.DataFrame
    uniques: pd.DataFrame
    rough_membership: pd.DataFrame
    designs: pd.DataFrame
    answers: pd.DataFrame
    fingerprints: pd.DataFrame
    member: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw the mean chance of the sample's persons over the number of QIDs."""
        from microleak.attacks.membership.figures import presence_by_size
        from microleak.attacks.membership.rows import membership as shown
        from microleak.report.texts import voice

        tables = [
            with_study(self.tables[kind], TABLES[kind], analysis="membership")
            for kind in ("membership", "presence", "uniques")
        ]
        words = voice(LANGUAGE).words(is_synthetic=False)
        return presence_by_size(shown(*tables), words)

    def _summary(self) -> pd.DataFrame:
        names = ["qids", "n_qids", "n_sample_unique", "n_unique_both"]
        is_worst = self.membership["qids"].isin(self.presence["qids"])
        shares = ["prior", "posterior_person"]
        return self.membership.loc[is_worst, [*names, *shares]]


def membership(
    population: Any,
    sample: Any,
    qids: Sequence[str],
    *,
    filter: Mapping[str, Sequence[object]] | None = None,  # noqa: A002, as the key
    not_found: str = "count",
    targets: Mapping[str, Mapping[str, object]] | None = None,
    roughly: Mapping[str, Mapping[str, Any]] | None = None,
    design: Mapping[str, Any] | None = None,
    sensitive: Sequence[str] = (),
    fingerprint: Mapping[str, Any] | None = None,
    subsets: Any = "all",
    n_threads: int = 1,
) -> MembershipResult:
    """Measure what a sample tells about who of a population is in it (Rodrigues).

    Parameters
    ----------
    population, sample
        One record a person, as `microleak.assess` takes it. QIDs have the same names
        and codes in both: values are equal if they are as texts, so that 1 of one
        frame is "1" of the other.
    qids
        What the adversary may know of each person.
    filter
        Values to keep by column; only records that have one of them count, in both.
    not_found
        Whether to `"count"` or to `"refuse"` persons of the sample who have values,
        of all QIDs together, that no person of the population has.
    targets
        Persons by whom to ask whether they are in the sample, by names of your own,
        each with known values by QID: `{"somebody": {"age": 25}}`.
    roughly
        How QIDs are known that are not known exactly, as in
        `microleak.rough_knowledge`.
    design, sensitive, fingerprint
        How the sample was drawn, columns of the sample whose values are inferred of
        those found, and which of its records are of one class: with the keys of a
        study file (docs/study-file.md), as `{"strata": ["state"], "fraction": "0.1"}`.
    subsets, n_threads
        As of `microleak.assess`.

    Returns
    -------
    Member
        Tables as attributes.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, a frame has no records, or the sample has more
        than the population.

    Examples
    --------
    >>> town = pd.DataFrame({"age": [25, 25, 60, 61], "sex": ["F", "M", "F", "F"]})
    >>> found = membership(town, town[:2], qids=["age", "sex"])
    >>> found.membership[["qids", "n_unique_both", "prior", "posterior_person"]]
          qids  n_unique_both  prior  posterior_person
    0      age              0    0.5          1.000000
    1      sex              1    0.5          0.666667
    2  age|sex              2    0.5          1.000000
    """
    check_names("membership", qids=qids, sensitive=sensitive)
    check_subsets("membership", subsets)
    with room_to_work("membership", n_threads) as resources:
        plain: dict[str, Any] = {
            "name": "membership",
            "population": {"table": TABLE, "release": "population"},
            "sample": {"table": TABLE, "release": "sample"},
            "qids": qids,
            "subsets": subsets,
            "not_found": not_found,
            "design": design,
            "sensitive": sensitive,
            "fingerprint": fingerprint,
        }
        analysis = _with_file(analysis_of(Membership, "membership", plain))
        names = [*analysis.wide.qids, *(filter or {})]
        whole = {
            what: people_of("membership", frame, [*names, *alone], what)
            for frame, alone, what in (
                (population, analysis.of_population, "the population"),
                (sample, analysis.of_sample, "the sample"),
            )
        }
        both = meeting_people("membership", whole, dict.fromkeys(names))
        texts = both[0].texts
        keep = {
            n: texts("membership", n, values) for n, values in (filter or {}).items()
        }
        known = {
            name: {n: both[0].text("membership", n, value) for n, value in of.items()}
            for name, of in _checked(targets or {}, qids).items()
        }
        further = {
            "filter": keep,
            "targets": known,
            "roughly": roughly_of("membership", roughly or {}, qids, "qids", both[0]),
        }
        checked = analysis_of(Membership, "membership", plain | further)
        analysis = checked.model_copy(update={"design": analysis.design})
        compared = analysis.compared
        people, asked = (each.table for each in both)
        profile = resources.scratch / "overlap.parquet"
        profile_overlap(people, asked, compared, False, resources, profile)
        found = vars(membership_tables(profile, compared))
        members = [
            attack_member(people, asked, compared, name, of, analysis.roughly)
            for name, of in known.items()
        ]
        for name, is_asked, measured in (
            ("rough_membership", roughly, rough_membership),
            ("designs", design, designs),
            ("answers", sensitive, answers_given),
            ("fingerprints", fingerprint, fingerprints),
        ):
            found[name] = (
                measured(people, asked, analysis, resources)
                if is_asked
                else TABLES[name].frame(())
            )
        found["member"] = pd.concat(members) if members else TABLES["member"].frame(())
    return MembershipResult(
        **{n: without_study(rows, TABLES[n]) for n, rows in found.items()}
    )


def _with_file(analysis: Membership) -> Membership:
    """Return an analysis with what the file of its strata says."""
    if analysis.design is None:
        return analysis
    design = analysis.design.read("membership: design")
    return analysis.model_copy(update={"design": design})


def _checked(
    targets: Mapping[str, Mapping[str, object]], qids: Sequence[str]
) -> Mapping[str, Mapping[str, object]]:
    """Refuse a target of whom something else than QIDs is known."""
    for name, known in targets.items():
        others = [each for each in known if each not in qids]
        if others or not known:
            what = f"{others[0]}, which is not among qids" if others else "nothing"
            raise StudyError(
                f"membership: of the target {name!r} is known {what}. Give values of "
                "QIDs."
            )
    return targets
