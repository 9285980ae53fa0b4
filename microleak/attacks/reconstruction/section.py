"""Reconstruction analyses as the study file gives them, and their checks."""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.reconstruction.analysis import (
    ALL,
    EXPONENTIAL,
    HADAMARD,
    MOST_OF_POINTS,
    MOST_TRIED,
    SETTING,
    TRUNCATED_GEOMETRIC,
    Drawn,
    Noise,
    Points,
    Random,
    Reconstruction,
    Settings,
    assumed_bound,
)
from microleak.attacks.reconstruction.definitions.formulas import Formula, n_queries
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

Given = Mapping[str, Any]
"""An analysis as the study file gives it."""


def read(context: Context, given: Sequence[Given]) -> list[Reconstruction]:
    """Return the reconstruction analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, has neither attacks nor points or both, a
        formula or an epsilon that is none, or too many databases.
    """
    return [_reconstruction(context, part) for part in given]


def _reconstruction(context: Context, part: Given) -> Reconstruction:
    where = f"{context.path}: analysis {part['name']!r}"
    _check_kind(part, where)
    points = part.get("points")
    return Reconstruction(
        name=part["name"],
        settings=_settings(part, where),
        database=_database(context, part.get("database"), where),
        attacks=tuple(part.get("attacks", ())),
        limit_s=part.get("limit_s", 600),
        points=points
        and Points(points["steps"], str(points["distance"]), points["number"]),
        assumed_error=_assumed(part, where),
    )


def _check_kind(part: Given, where: str) -> None:
    """Refuse an analysis that has neither attacks nor points, or keys of both."""
    kinds = [key for key in ("attacks", "points") if key in part]
    if len(kinds) != 1:
        found = "both attacks and points" if kinds else "neither attacks nor points"
        raise StudyError(
            f"{where} has {found}. Give one: attacks rebuild the database, points are "
            "counted in place of that."
        )
    mixed = [key for key in OF_ATTACKS if key in part]
    if "points" in part and mixed:
        raise StudyError(
            f"{where} has both points and {mixed[0]}, which only attacks can have. "
            "Remove one of them."
        )
    _check_entries(part, where)
    _check_all(part, where)


def _check_entries(part: Given, where: str) -> None:
    """Refuse more entries than can be tried or counted, or asked for all subsets."""
    attacks = part.get("attacks", ())
    bounds = {
        "points": ("points" in part, MOST_OF_POINTS),
        f"attack {EXPONENTIAL}": (EXPONENTIAL in attacks, MOST_TRIED),
        f"queries {ALL}": (ALL in part["queries"], MOST_TRIED),
    }
    largest = max(part["entries"])
    for what, (is_asked, most) in bounds.items():
        if is_asked and largest > most:
            raise StudyError(
                f"{where}: entries has {largest}, and {what} can have at most {most}. "
                "Lower entries, or remove the other."
            )


def _check_all(part: Given, where: str) -> None:
    """Refuse every subset where queries are drawn, or have a structure."""
    others = [key for key in (*part, *part.get("attacks", ())) if key in NOT_ALL]
    if others and ALL in part["queries"]:
        raise StudyError(
            f"{where}: queries has {ALL!r}, and {others[0]} cannot ask for that. Give "
            "formulas of n."
        )


def _settings(part: Given, where: str) -> Settings:
    settings = Settings(
        entries=tuple(part["entries"]),
        queries=_texts(part["queries"], f"{where}: queries"),
        errors=_texts(part["errors"], f"{where}: errors"),
        noises=tuple(_noise(each, where) for each in part.get("noises", ["uniform"])),
        outliers=_texts(part.get("outliers", [0]), f"{where}: outliers"),
        repeats=part.get("repeats", 1),
    )
    if len(settings) > MOST_DATABASES:
        raise StudyError(
            f"{where} has {len(settings):,} databases, more than {MOST_DATABASES:,}. "
            "Give fewer repeats, entries, queries, errors, noises or outliers."
        )
    _check_formulas(settings, where)
    return settings


def _assumed(part: Given, where: str) -> str | None:
    """Return the formula of the bound that attacks believe in, if it is given."""
    if SETTING not in part:
        return None
    text = str(part[SETTING])
    with refused_in(where):
        for n in part["entries"]:
            assumed_bound(text, n)
    return text


def _texts(given: Sequence[Any], where: str) -> tuple[str, ...]:
    """Return a list's entries as texts, each once."""
    texts = [str(each) for each in given]
    _check_different(texts, where, "are the same")
    return tuple(texts)


def _check_different(values: Sequence[object], where: str, alike: str) -> None:
    for place, value in enumerate(values, 1):
        first = values.index(value) + 1
        if first < place:
            raise StudyError(
                f"{where}: the {ordinal(first)} and the {ordinal(place)} {alike}. "
                "Remove one of them."
            )


def _noise(given: Any, where: str) -> Noise:
    if isinstance(given, str):
        return Noise(given)
    text = str(given[TRUNCATED_GEOMETRIC])
    try:
        return Noise(TRUNCATED_GEOMETRIC, Epsilon.parse(text).text)
    except StudyError:
        # What it says is for mechanism analyses, whose key is `epsilons`.
        raise StudyError(
            f"{where}: {TRUNCATED_GEOMETRIC} of noises has the epsilon "
            f"{text[:MOST_CHARACTERS]!r}: {EXPECTED}, from {LEAST} to {MOST}. Correct "
            "noises of the reconstruction analysis in the study file."
        ) from None


def _check_formulas(settings: Settings, where: str) -> None:
    """Refuse formulas without a value or noise for some n, or equal for every n."""
    with refused_in(where):
        asked = [_numbers_asked(text, settings) for text in settings.queries]
        bounds = [_bounds(text, settings) for text in settings.errors]
    alike = "are equal for every number of entries"
    _check_different(asked, f"{where}: queries", alike)
    _check_different(bounds, f"{where}: errors", f"{alike} and noise")


def _numbers_asked(text: str, settings: Settings) -> list[int]:
    """Return the number of queries for each number of entries."""
    if text == ALL:
        return [1 << n for n in settings.entries]
    formula = Formula(text, "queries")
    return [n_queries(formula, n) for n in settings.entries]


def _bounds(text: str, settings: Settings) -> list[float]:
    """Return what of the bound matters, for each number of entries and noise."""
    formula = Formula(text, "errors")
    values = [formula.value(n) for n in settings.entries]
    return [
        distinct_bound(noise.law, value, noise.alpha)
        for noise in settings.noises
        for value in values
    ]


def _database(context: Context, given: Given | None, where: str) -> Random | Drawn:
    if given is None:
        return Random()
    if "random" in given:
        return Random(given["random"]["density"])
    drawn = Drawn(
        given["table"], str(given["release"]), given["attribute"], given["equals"]
    )
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
    return drawn
