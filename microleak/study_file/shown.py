"""What a public report counts: sets of quasi-identifiers, and releases that may be."""

from collections.abc import Collection, Sequence

from microleak.base.errors import StudyError
from microleak.study_file.model import Study
from microleak.study_file.noise import FULL

BY_RECORD = ("drop", "generalise", "round")
"""Steps of a protection that make each record of itself alone."""


def shown_sets(
    study: Study, qids: Sequence[str], subsets: Collection[int]
) -> list[tuple[str, ...]]:
    """Return the sets of QIDs with which an analysis is counted.

    They are those of `report.noise.shown` or else of the named adversaries, or else
    all QIDs, where the analysis measures them; so they do not follow from the records.
    """
    wanted = [*_wanted_sets(study, qids).values()]
    masks = [sum(1 << qids.index(name) for name in each) for each in wanted]
    pairs = zip(wanted, masks, strict=True)
    found = {mask: names for names, mask in pairs if mask in subsets}
    return [tuple(name for name in qids if name in each) for each in found.values()]


def _wanted_sets(study: Study, qids: Sequence[str]) -> dict[object, tuple[str, ...]]:
    whose = {each.name: each.qids for each in study.shared.get("scenarios", ())}
    sets: dict[object, tuple[str, ...]] = {**whose, FULL: tuple(qids)}
    shown = study.noise.shown if study.noise else ()
    named = [each for each in whose if {*whose[each]} <= {*qids}]
    found = {}
    for each in shown or named or [FULL]:
        names = sets.get(each, ()) if isinstance(each, str) else each
        if names and {*names} <= {*qids}:
            found[each] = names
    return found


def check_shown(study: Study, counted: Collection[tuple[str, ...]]) -> None:
    """Refuse a set of `report.noise.shown` that is not among all that are counted."""
    whose = {each.name: each.qids for each in study.shared.get("scenarios", ())}
    if FULL in whose:
        raise StudyError(
            f"{study.file}: scenarios has {FULL}, which stands for all QIDs in a "
            "public report. Give the scenario another name."
        )
    found = {frozenset(each) for each in counted}
    for each in study.noise.shown if study.noise else ():
        names = whose.get(each) if isinstance(each, str) else each
        if each != FULL and (names is None or frozenset(names) not in found):
            said = each if isinstance(each, str) else ", ".join(each)
            raise StudyError(
                f"{study.file}: report.noise.shown has {said}, which is no scenario "
                "and no set of QIDs that a collective analysis measures. Correct it, "
                "or have a collective analysis measure it."
            )


def check_counted(study: Study, name: str, table: str, releases: Sequence[str]) -> None:
    """Refuse releases in which one person more may change more than one record."""
    for release in releases:
        why = "pooled of several" if (table, release) in study.pooled else ""
        if (table, release) in study.of_units:
            why = "made with facts of units"
        for protection in study.tables[table].chain(release):
            for step in protection.steps:
                if step.method not in BY_RECORD:
                    why = why or f"made by {step.method}"
        if why:
            raise StudyError(
                f"{study.file}: analysis {name!r} counts release {release}, which is "
                f"{why}: one person more may change many of its records, so that no "
                "noise of a public report would hide that person. Remove the analysis "
                "from the study of the public report, or write audience: internal "
                "(docs/public.md)."
            )
