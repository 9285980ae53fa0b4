"""Sizes of groups that a reader of a public report may know besides it."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from microleak.base.errors import StudyError, check_known
from microleak.disclosure.sizes import values_of
from microleak.family import GroupSize, grouping_name, people
from microleak.records.singles import single_sizes
from microleak.study.public_report import PublicReport
from microleak.study.publish import publications, singles
from microleak.study_file.model import Study

Groups = Mapping[str, Mapping[str, int]]
Sizes = Mapping[tuple[str, str], Groups]
"""Members of groups by table and release, grouping and value; the grouping of all
records is the empty text, and the values of an attribute are one
(`microleak.disclosure.sizes.values_of`) whose number stands in place of members."""


def n_records(groups: Groups) -> int:
    """Return the records of a release: as they are given, or as its groups add up.

    >>> n_records({"": {"": 9}, "sex": {"f": 5}}), n_records({"sex": {"f": 5, "m": 4}})
    (9, 9)
    """
    if "" in groups:
        return groups[""][""]
    members = [of for by, of in groups.items() if not by.endswith(values_of(""))]
    return max((sum(of.values()) for of in members), default=0)


def known_sizes(study: Study, study_dir: Path) -> Sizes:
    """Return the sizes of all groups of a study that others may have counted.

    These are those by each single attribute that its report measures anything by, and
    what its families add; which name the values of a grouping, if they have it.
    """
    found: dict[tuple[str, str], dict[str, Mapping[str, int]]] = {}
    sizes = single_sizes(singles(study), lambda *place: study_dir / people(*place))
    counted = sizes_of(sizes).items()
    families = (each.sizes(study, study_dir) for each in publications().values())
    named = (sizes_of(each).items() for each in families)
    for every in (counted, *named):
        for release, groups in every:
            known = found.setdefault(release, {})
            for by, of in groups.items():
                is_same = _members(known.get(by, of)) == _members(of)
                assert is_same, "two groupings have one name"
                known[by] = of
    return found


def sizes_of(groups: Iterable[GroupSize]) -> Sizes:
    """Return the sizes of groups by release and grouping."""
    found: dict[tuple[str, str], dict[str, dict[str, int]]] = {}
    for table, focal, by, value, n in groups:
        found.setdefault((table, focal), {}).setdefault(by, {})[value] = n
    return found


def group_sizes(sizes: Sizes) -> Iterator[GroupSize]:
    """Yield the sizes of groups, of which `sizes_of` makes them again."""
    for release, groups in sizes.items():
        for by, of in groups.items():
            yield from ((*release, by, value, n) for value, n in of.items())


def _members(of: Mapping[str, int]) -> list[int]:
    return sorted(n for n in of.values() if n)


def check_sizes(report: PublicReport, sizes: Sizes) -> None:
    """Refuse sizes of nothing that a report shows, or of more members than records.

    Raises
    ------
    StudyError
        Naming the table and release, or the grouping.
    """
    known: dict[str, set[str]] = {}
    for tables in report.tables.analyses.values():
        for table in tables.values():
            for row in table.to_dict("records"):
                names = known.setdefault(_name(row["table"], row["focal"]), set())
                names |= {*row["qids"].split("|")}
                if "by" in row:
                    names.add(grouping_name(row["by"], row["kind"]))
                if row.get("sensitive"):
                    names.add(values_of(row["sensitive"]))
    for release, groups in sizes.items():
        name = _name(*release)
        check_known(name, known, f"--sizes: {report.folder} has no numbers of")
        if not n_records(groups):
            raise StudyError(
                f"--sizes: {name} has no records, or none are given. Correct its lines."
            )
        for by, of in groups.items():
            if by:
                said = f"--sizes: of {name} {report.folder} has no QID or grouping"
                check_known(by, known[name], said)
            if sum(of.values()) > n_records(groups):
                raise StudyError(
                    f"--sizes: groups of {by} of {name} have {sum(of.values()):,} "
                    f"members, of {n_records(groups):,} records. Correct them."
                )


def _name(table: object, release: object) -> str:
    return f"{table}/{release}"
