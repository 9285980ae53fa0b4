"""Reconstruction analyses as the study file gives them, and their checks."""

from collections.abc import Sequence

from microleak.attacks.reconstruction.analysis import (
    ALL,
    EXPONENTIAL,
    HADAMARD,
    MOST_OF_POINTS,
    MOST_TRIED,
    SETTING,
    TRUNCATED_GEOMETRIC,
    DrawnDatabase,
    Reconstruction,
    SettingsGrid,
    assumed_bound,
)
from microleak.attacks.reconstruction.definitions.limits import Formula, n_queries
from microleak.attacks.reconstruction.definitions.noise import distinct_bound
from microleak.base.errors import StudyError, ordinal
from microleak.definitions.epsilon import (
    EXPECTED,
    LEAST,
    MOST,
    MOST_CHARACTERS,
    Epsilon,
)
from microleak.study_file.attributes import check_possible, check_released
from microleak.study_file.context import Context, definition_of, refused_in

MOST_DATABASES = 100_000
"""Most databases of one analysis."""

OF_ATTACKS = ("database", "outliers", "limit_s", SETTING)
"""Keys that only an analysis with attacks may have."""

NOT_ALL = ("points", HADAMARD)
"""What cannot ask for every subset."""

SECTION = Reconstruction
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Reconstruction]) -> list[Reconstruction]:
    """Return the reconstruction analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, has neither attacks nor points or both, a
        formula or an epsilon that is none, or too many databases.
    """
    for section in sections:
        where = f"{context.path}: analysis {section.name!r}"
        check_consistent(section, where)
        if isinstance(section.database, DrawnDatabase):
            _check_drawn(context, section.database, where)
    return list(sections)


def check_consistent(section: Reconstruction, where: str) -> None:
    """Refuse an analysis whose keys contradict one another, or mean nothing.

    Raises
    ------
    StudyError
        If it has neither attacks nor points or both, a formula or an epsilon that is
        none, or too many databases.
    """
    _check_kind(section, where)
    _check_settings(section, where)
    with refused_in(where):
        for n in section.entries if section.assumed_error else ():
            assumed_bound(str(section.assumed_error), n)


def _check_kind(section: Reconstruction, where: str) -> None:
    """Refuse an analysis that has neither attacks nor points, or keys of both."""
    given = section.model_fields_set
    kinds = [key for key in ("attacks", "points") if key in given]
    if len(kinds) != 1:
        found = "both attacks and points" if kinds else "neither attacks nor points"
        raise StudyError(
            f"{where} has {found}. Give one: attacks rebuild the database, points are "
            "counted in place of that."
        )
    mixed = [key for key in OF_ATTACKS if key in given]
    if section.points and mixed:
        raise StudyError(
            f"{where} has both points and {mixed[0]}, which only attacks can have. "
            "Remove one of them."
        )
    _check_entries(section, where)
    _check_all(section, where)


def _check_entries(section: Reconstruction, where: str) -> None:
    """Refuse more entries than can be tried or counted, or asked for all subsets."""
    attacks = section.attacks or ()
    bounds = {
        "points": (section.points is not None, MOST_OF_POINTS),
        f"attack {EXPONENTIAL}": (EXPONENTIAL in attacks, MOST_TRIED),
        f"queries {ALL}": (ALL in section.queries, MOST_TRIED),
    }
    largest = max(section.entries)
    for what, (is_asked, most) in bounds.items():
        if is_asked and largest > most:
            raise StudyError(
                f"{where}: entries has {largest}, and {what} can have at most {most}. "
                "Lower entries, or remove the other."
            )


def _check_all(section: Reconstruction, where: str) -> None:
    """Refuse every subset where queries are drawn, or have a structure."""
    asked = (*section.model_fields_set, *(section.attacks or ()))
    others = [key for key in asked if key in NOT_ALL]
    if others and ALL in section.queries:
        raise StudyError(
            f"{where}: queries has {ALL!r}, and {others[0]} cannot ask for that. Give "
            "formulas of n."
        )


def _check_settings(section: Reconstruction, where: str) -> None:
    """Refuse too many databases, and settings that are none or make the same."""
    for law in section.noises:
        if not isinstance(law, str):
            _check_epsilon(law.truncated_geometric, where)
    settings = section.settings
    if len(settings) > MOST_DATABASES:
        raise StudyError(
            f"{where} has {len(settings):,} databases, more than {MOST_DATABASES:,}. "
            "Give fewer repeats, entries, queries, errors, noises or outliers."
        )
    _check_formulas(settings, where)


def _check_different(values: Sequence[object], where: str, alike: str) -> None:
    for place, value in enumerate(values, 1):
        first = values.index(value) + 1
        if first < place:
            raise StudyError(
                f"{where}: the {ordinal(first)} and the {ordinal(place)} {alike}. "
                "Remove one of them."
            )


def _check_epsilon(text: str, where: str) -> None:
    try:
        Epsilon.parse(text)
    except StudyError:
        # What it says is for mechanism analyses, whose key is `epsilons`.
        raise StudyError(
            f"{where}: {TRUNCATED_GEOMETRIC} of noises has the epsilon "
            f"{text[:MOST_CHARACTERS]!r}: {EXPECTED}, from {LEAST} to {MOST}. Correct "
            "noises of the reconstruction analysis in the study file."
        ) from None


def _check_formulas(settings: SettingsGrid, where: str) -> None:
    """Refuse formulas without a value or noise for some n, or equal for every n."""
    with refused_in(where):
        asked = [_numbers_asked(text, settings) for text in settings.queries]
        bounds = [_bounds(text, settings) for text in settings.errors]
    alike = "are equal for every number of entries"
    _check_different(asked, f"{where}: queries", alike)
    _check_different(bounds, f"{where}: errors", f"{alike} and noise")


def _numbers_asked(text: str, settings: SettingsGrid) -> list[int]:
    """Return the number of queries for each number of entries."""
    if text == ALL:
        return [1 << n for n in settings.entries]
    formula = Formula(text, "queries")
    return [n_queries(formula, n) for n in settings.entries]


def _bounds(text: str, settings: SettingsGrid) -> list[float]:
    """Return what of the bound matters, for each number of entries and noise."""
    formula = Formula(text, "errors")
    values = [formula.value(n) for n in settings.entries]
    return [
        distinct_bound(noise.law, value, noise.alpha)
        for noise in settings.noises
        for value in values
    ]


def _check_drawn(context: Context, drawn: DrawnDatabase, where: str) -> None:
    table = context.table(drawn.table, (drawn.release,), where)
    definition = definition_of(table, drawn.release)
    if drawn.attribute in definition.identifiers:
        raise StudyError(
            f"{where}: {drawn.attribute} identifies persons or records, so its values "
            "make no database. Give another attribute."
        )
    check_released((drawn.attribute,), definition, where)
    said = f"{where}: equals of {drawn.attribute}"
    check_possible((drawn.equals,), definition, drawn.attribute, said)
