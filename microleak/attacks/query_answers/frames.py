"""What answers to queries give away, from Python."""

import json
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from microleak.attacks.query_answers.measure import TABLES, answer_tables
from microleak.attacks.query_answers.section import QueryAnswers
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import RELEASE, TABLE

_FRAME = {"table": TABLE, "focal": RELEASE}


@on_frames(
    QueryAnswers,
    "AnsweredQueries",
    tables=(*TABLES, "proofs"),
    without=("release",),
)
def query_answers(
    call: Call,
    frame: Any,
    *,
    crossings: Sequence[Mapping[str, Any]] | None = None,
    audit: Mapping[str, Any] | None = None,
    digits: int | None = None,
    below: int | None = None,
) -> Tables:
    """Find what answers to queries give away of a number that each person has.

    Parameters
    ----------
    frame
        Records, one a person, as `microleak.assess` takes it; None with `tables`.
    crossings
        Statistics of groups that are made of the frame, and then attacked, as
        `[{"by": ["sex"], "statistics": ["count", "mean"]}]`.
    audit
        In their place, queries that an auditor answers or refuses, as
        `{"records": 4, "seed": 1}`, and perhaps `samples`, `queries`, `kinds`.
    digits, below
        To how many digits after the point means of `crossings` are rounded, and of how
        few persons groups are suppressed.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["F", "F", "M"], "age": [30, 36, 84]})
    >>> asked = [{"by": ["sex"], "statistics": ["count", "mean", "max"]}]
    >>> found = query_answers(people, "age", 0, 125, crossings=asked)
    >>> found.answered_values[["cell", "rank", "least", "largest"]]
        cell  rank  least  largest
    0  sex=F     1   30.0     30.0
    1  sex=F     2   36.0     36.0
    2  sex=M     1   84.0     84.0
    """
    made = {"crossings": crossings, "digits": digits, "below": below}
    given = {key: each for key, each in made.items() if each is not None}
    if crossings is None and given:
        raise StudyError(
            f"{call.function}: digits and below are of crossings. Give crossings."
        )
    release = _FRAME | given if given else None
    audited = None if audit is None else _FRAME | dict(audit)
    section = call.section(release=release, audit=audited)
    if (frame is None) != (section.tables is not None):
        raise StudyError(
            f"{call.function}: a frame is needed without tables, and only so."
        )
    analysis = section.checked(call.function)
    people = None
    if frame is not None:
        names = (*analysis.attributes, analysis.attribute)
        people = call.people(frame, names).table
    proofs = StringIO()
    found = answer_tables(analysis, people, proofs)
    return {**found, "proofs": json.loads(proofs.getvalue())}
