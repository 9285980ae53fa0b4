"""Rebuilding a binary column, or random databases, from noisy counts of subsets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.reconstruction.analysis import Reconstruction
from microleak.attacks.reconstruction.rebuild import TABLES, reconstruction_tables
from microleak.attacks.reconstruction.section import check_consistent
from microleak.base.errors import StudyError, TableError, count_of
from microleak.records.call import RELEASE, TABLE, room_to_work
from microleak.study_file.call import analysis_of
from microleak.tables import rows
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec

_ENTRY = "entry"
_OF_STUDY = ("attribute", "value")
_LEAST_LEVELS = 3


@dataclass(frozen=True, repr=False, eq=False)
class Reconstructed(Result):
    """What `reconstruct` found: tables of a study with these names (docs/results.md).

    Attributes
    ----------
    reconstruction
        How much of each database each attack rebuilds.
    bad_points
        Points counted before each database; one of these two is empty.
    """

    reconstruction: pd.DataFrame
    bad_points: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw the share of entries right over the noise, where there are levels."""
        from microleak.attacks.reconstruction.figures import right_over_noise
        from microleak.attacks.reconstruction.rows import Rebuilt
        from microleak.report.texts import voice

        if self.reconstruction["error_bound"].nunique() < _LEAST_LEVELS:
            return ""
        shown = Rebuilt(
            *(
                rows.with_text(
                    with_study(self.tables[kind], TABLES[kind], analysis="reconstruct")
                )
                for kind in ("reconstruction", "bad_points")
            )
        )
        if not shown.panels:
            return ""
        return right_over_noise(shown, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        if len(self.bad_points):
            return self.bad_points
        names = ["attack", "n_entries", "n_queries", "error_bound", "noise", "status"]
        return self.reconstruction[[*names, "prior", "share_right", "is_exact"]]


def reconstruct(
    database: Any = None,
    *,
    queries: Any,
    errors: Any,
    attacks: Sequence[str] | None = None,
    entries: Sequence[int] | None = None,
    noises: Sequence[Any] | None = None,
    assumed_error: str | float | None = None,
    outliers: Sequence[float] | None = None,
    repeats: int | None = None,
    limit_s: int | None = None,
    points: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Reconstructed:
    """Rebuild a binary database from noisy counts of its subsets (Nepomuceno).

    Parameters
    ----------
    database
        Whether each person has what is secret: a column of truth values, or of 0 and 1,
        as `frame["illness"] == "asthma"`. Or a chance above 0 and below 1 with which
        each entry is 1; without it one half.
    queries, errors
        How many random subsets are counted, and how far each answer may be from the
        exact one: numbers, formulas of the number of entries n, as `"n*log2(n)**2"`
        and `"0.5*sqrt(n)"`, or lists of them.
    attacks
        `"exponential"`, `"linear"`, `"least_squares"`, `"l1"`, `"determined"` and
        `"hadamard"`, some or all.
    entries
        Numbers of entries; persons are drawn at random from a column. Without it all
        of the column.
    noises
        Laws of the noise: `"uniform"`, `"uniform_integer"`, `"adversarial"`,
        `"rounding"` or `{"truncated_geometric": "ln 3"}`.
    assumed_error, outliers, repeats, limit_s, points
        As the keys of a study file (docs/study-file.md).
    seed
        Number from which every random choice follows.

    Returns
    -------
    Reconstructed
        Tables as attributes. No entry is in them.

    Raises
    ------
    StudyError, TableError
        If arguments contradict one another or are no numbers, formulas or names, or
        the column has something else than 0 and 1, or only 0.

    Examples
    --------
    >>> people = pd.DataFrame({"ill": ["yes", "no", "no", "yes", "no", "no"] * 4})
    >>> found = reconstruct(
    ...     people["ill"] == "yes", queries=200, errors=1, attacks=["least_squares"]
    ... )
    >>> found.reconstruction[["n_entries", "n_ones", "share_right", "is_exact"]]
       n_entries  n_ones  share_right  is_exact
    0         24       8          1.0      True
    """
    with room_to_work("reconstruct") as resources:
        people: pa.Table | None = None
        of: dict[str, Any] | None = None
        shares = None if outliers is None else [str(each or 0) for each in outliers]
        if isinstance(database, (int, float)) and not isinstance(database, bool):
            of = {"random": {"density": str(database)}}
        elif database is not None:
            people = _entries(database)
            drawn = {"attribute": _ENTRY, "equals": "1"}
            of = {"table": TABLE, "release": RELEASE, **drawn}
            entries = [len(people)] if entries is None else entries
        arguments = {
            "name": "reconstruct",
            "attacks": attacks,
            "database": of,
            "entries": entries,
            "queries": _formulas(queries),
            "errors": _formulas(errors),
            "noises": noises,
            "assumed_error": None if assumed_error is None else str(assumed_error),
            "outliers": shares,
            "repeats": repeats,
            "limit_s": limit_s,
            "points": points and {k: _share(k, v) for k, v in points.items()},
        }
        analysis = analysis_of(Reconstruction, "reconstruct", arguments)
        check_consistent(analysis, "reconstruct")
        memory_mib = resources.memory_mib
        found = vars(reconstruction_tables(analysis, people, seed, memory_mib))
    return Reconstructed(
        **{n: without_study(each, TABLES[n], _OF_STUDY) for n, each in found.items()}
    )


def _formulas(given: Any) -> list[str]:
    """Return numbers and formulas as texts, one alone as a list."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return [str(each) for each in ([given] if is_one else given)]


def _share(key: str, value: Any) -> Any:
    return str(value or 0) if key == "distance" else value


def _entries(database: Any) -> pa.Table:
    """Return a column of truth values, or of 0 and 1, as texts.

    Raises
    ------
    StudyError, TableError
        If it is something else, or a person has neither.
    """
    try:
        column = pd.Series(list(database), dtype=object)
    except TypeError:
        raise StudyError(
            "reconstruct: database is a column of truth values, as "
            'frame["illness"] == "asthma", or a chance.'
        ) from None
    if n_missing := int(column.isna().sum()):
        raise TableError(
            f"reconstruct: database is missing for {count_of(n_missing, 'person')}. "
            "Say whether they have what is secret, as fill_null(False) does."
        )
    if not column.isin([0, 1]).all():
        raise TableError("reconstruct: database has something else than 0 and 1.")
    texts = np.where(column.astype(bool), "1", "0")
    return pa.table({_ENTRY: pa.array(texts, pa.string())})
