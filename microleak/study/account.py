"""Epsilons of publications on the same persons, which must be told and add up.

docs/decisions/0030-private-counts.md.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from gettext import gettext as _
from pathlib import Path

from microleak.base.errors import StudyError, TableError, VerificationError
from microleak.definitions.laplace import written
from microleak.sources.steps.intermediate import receipt
from microleak.study.public_report import PublicReport, is_public


def check_form(report: PublicReport) -> None:
    if faults := report.faults:
        more = _(", and more") if len(faults) > 1 else ""
        refused = _(
            "{folder} is not in the public form: {said}{more}. If files were changed, "
            "or another version made them, run the study again (docs/public.md)."
        )
        raise VerificationError(
            refused, folder=report.folder, said=faults[0], more=more
        )


def check_account(report: PublicReport, study_dir: Path) -> None:
    """Refuse a report that has no account of one of the same data beside its study."""
    for other in reports_of_same_data(study_dir):
        if said := why_not_together(report, PublicReport(other), study_dir):
            refused = _(
                "{folder} does not go with the public report of {name}, which is of "
                "the same data: {said}. Name the epsilon of the earlier one under "
                "report.noise.spent, or remove one that was never given away "
                "(docs/public.md)."
            )
            raise VerificationError(
                refused, folder=study_dir / "report", name=other.name, said=said
            )
    check_spent(dict([*report.losses.items()][:-1]), study_dir.parent)


def check_spent(spent: Mapping[str, Fraction], results: Path) -> None:
    """Refuse an earlier publication whose own page has a larger epsilon."""
    for name, epsilon in spent.items():
        folder = results / name
        found = PublicReport(folder).losses.get(name) if is_public(folder) else None
        if found and found > epsilon:
            said = _(
                "report.noise.spent names {name} with an epsilon of {named}, but "
                "{report} has one of {found}. Write {found}."
            )
            told = {"named": written(epsilon), "found": written(found)}
            report = folder / "report"
            raise StudyError(said, name=name, report=report, **told)


def why_not_together(one: PublicReport, other: PublicReport, study_dir: Path) -> str:
    """Why two reports do not go together; empty if they do.

    One must name the other. Two of one name are two publications, unless they are the
    same files.
    """
    folders = study_dir / "report", other.folder
    if own_names(one) & own_names(other):
        if one.is_same(other):
            return ""
        return _(
            "{one} and {other} are two publications of one name, whose epsilons add "
            "up: another study has another name, and names the earlier one under "
            "report.noise.spent"
        ).format(one=folders[0], other=folders[1])
    if names_epsilon_of(one, other) or names_epsilon_of(other, one):
        return ""
    return (
        named_with_other_epsilon(one, other, *folders)
        or named_with_other_epsilon(other, one, *folders[::-1])
        or _(
            "neither of {one} and {other} names the epsilon of the other under "
            "report.noise.spent"
        ).format(one=folders[0], other=folders[1])
    )


def own_names(report: PublicReport) -> set[str]:
    return {*[*report.losses][-1:]}


def names_epsilon_of(one: PublicReport, other: PublicReport) -> bool:
    return any(one.losses.get(name) == other.losses[name] for name in own_names(other))


def named_with_other_epsilon(
    one: PublicReport, other: PublicReport, folder: Path, of_other: Path
) -> str:
    """Return that a report names another one with a wrong epsilon, if it does."""
    for name in own_names(other) & {*one.losses}:
        return _(
            "{one} names {name} with an epsilon of {named} under report.noise.spent, "
            "but {other} has one of {epsilon}: correct it in the study of {one}"
        ).format(
            one=folder,
            name=name,
            named=written(one.losses[name]),
            other=of_other,
            epsilon=written(other.losses[name]),
        )
    return ""


def reports_of_same_data(study_dir: Path) -> list[Path]:
    """Return the results beside a study that have a public report of its data.

    Data are the same if an archive has the same SHA-256 or name, or is of a table and
    release of the same names. What cannot be read is not one.
    """
    archives = {*archives_read(study_dir)}
    return [
        other
        for other in sorted(study_dir.parent.iterdir())
        if other != study_dir
        and is_public(other)
        and not archives.isdisjoint(archives_read(other))
    ]


def archives_read(study_dir: Path) -> Iterator[str | tuple[str, str]]:
    """Yield of each archive that a study has read by what others may be known.

    The name of a folder that is called as its release, as `2018`, says nothing.
    """
    for path in sorted(study_dir.glob("tables/*/*.json")):
        try:
            read = receipt(path)
            yield from (read["sha256"], (path.parent.name, path.stem))
            if read["archive"] != path.stem:
                yield read["archive"]
        except (TableError, OSError, KeyError, TypeError):
            continue
