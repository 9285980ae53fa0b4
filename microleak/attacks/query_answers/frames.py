"""What answers to queries give away, from Python."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, ClassVar

import pandas as pd

from microleak.attacks.query_answers.analysis import QueryAnswers
from microleak.attacks.query_answers.measure import TABLES, answer_tables
from microleak.attacks.query_answers.section import check_consistent
from microleak.base.errors import StudyError
from microleak.records.call import RELEASE, TABLE, in_words_of, people_of, room_to_work
from microleak.study_file.call import analysis_of
from microleak.tables.result import LANGUAGE, Result, with_study, without_study
from microleak.tables.spec import TableSpec

_FUNCTION = "query_answers"


@dataclass(frozen=True, repr=False, eq=False)
class AnsweredQueries(Result):
    """What `query_answers` found: tables of a study with these names.

    Attributes
    ----------
    query_answers
        What statistics prove, a row a region.
    answered_values
        Least and largest value of each person.
    audited_queries
        What queries tell, a row an auditor.
    proofs
        All claims with their proofs, as a study writes them as JSON.
    """

    query_answers: pd.DataFrame
    answered_values: pd.DataFrame
    audited_queries: pd.DataFrame
    proofs: Mapping[str, Any]

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    @property
    def _main(self) -> str:
        return "query_answers" if len(self.query_answers) else "audited_queries"

    def figure(self) -> str:
        """Draw how many values are proved, or become known."""
        from microleak.attacks.query_answers.report import value_bars
        from microleak.report.texts import voice

        spec = TABLES[self._main]
        rows = with_study(self.tables[self._main], spec, analysis=_FUNCTION)
        return value_bars(rows, voice(LANGUAGE).words(is_synthetic=False))

    def _summary(self) -> pd.DataFrame:
        return self.tables[self._main].dropna(axis=1, how="all")


def query_answers(
    frame: Any,
    attribute: str,
    least: int,
    most: int,
    *,
    crossings: Sequence[Mapping[str, Any]] | None = None,
    audit: Mapping[str, Any] | None = None,
    tables: Sequence[Mapping[str, Any]] | None = None,
    **keys: Any,
) -> AnsweredQueries:
    """Find what answers to queries give away of a number that each person has.

    Parameters
    ----------
    frame
        Records, one a person, as `microleak.assess` takes it; None with `tables`.
    attribute
        Column that is a number.
    least, most
        Its least and largest value, as is known to everybody.
    crossings
        Statistics of groups that are made of the frame, and then attacked, as
        `[{"by": ["sex"], "statistics": ["count", "mean"]}]`.
    audit
        In their place, queries that an auditor answers or refuses, as
        `{"records": 4, "seed": 1}`, and perhaps `samples`, `queries`, `kinds`.
    tables
        In their place, what was published, as `{"file": "ages.csv"}`.
    keys
        `digits` and `below` of the crossings; `decimals`, `region` and `domains`; as
        in a study file.

    Returns
    -------
    AnsweredQueries
        Tables as attributes, and the proofs.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, a file is faulty, or answers contradict one another.

    Examples
    --------
    >>> people = pd.DataFrame({"sex": ["F", "F", "M"], "age": [30, 36, 84]})
    >>> asked = [{"by": ["sex"], "statistics": ["count", "mean", "max"]}]
    >>> found = query_answers(people, "age", 0, 125, crossings=asked)
    >>> found.answered_values[["cell", "rank", "least", "largest"]]
        cell  rank  least  largest
    0  sex=F     1   30.0     30.0
    1  sex=F     2   36.0     36.0
    2  sex=M     1   84.0     84.0
    """
    of: dict[str, Any] = {"table": TABLE, "focal": RELEASE}
    made = {name: keys.pop(name) for name in ("digits", "below") if name in keys}
    given = {
        "name": _FUNCTION,
        "attribute": attribute,
        "least": least,
        "most": most,
        "tables": tables,
        "release": None if crossings is None else of | made | {"crossings": crossings},
        "audit": None if audit is None else of | dict(audit),
        **keys,
    }
    analysis = analysis_of(QueryAnswers, _FUNCTION, given)
    if (frame is None) != (analysis.tables is not None):
        raise StudyError(f"{_FUNCTION}: a frame is needed without tables, and only so.")
    check_consistent(analysis, _FUNCTION)
    if frame is None:
        with in_words_of(_FUNCTION):
            return _result(analysis, None)
    with room_to_work(_FUNCTION):
        names = (*analysis.attributes, analysis.attribute)
        return _result(analysis, people_of(_FUNCTION, frame, names).table)


def _result(analysis: QueryAnswers, people: Any) -> AnsweredQueries:
    proofs = StringIO()
    found = answer_tables(analysis, people, proofs)
    tables = {n: without_study(getattr(found, n), TABLES[n]) for n in TABLES}
    return AnsweredQueries(**tables, proofs=json.loads(proofs.getvalue()))
