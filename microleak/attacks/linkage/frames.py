"""Links without an identifier, on frames."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from microleak.attacks.linkage.measure import TABLES, linkage_tables
from microleak.attacks.linkage.section import IDENTIFIERS, Linkage
from microleak.attacks.linkage.target import linked_target_table
from microleak.base.errors import StudyError
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import (
    check_names,
    known_texts,
    meeting_with_id,
    named_targets,
)
from microleak.tables.rows import as_table

_BOTH = "focal", "auxiliary"


@on_frames(
    Linkage,
    "Links",
    positional=("qids",),
    told="linked_success",
    drawn="linked_success",
    shown=(
        *("qids", "sensitive", "posterior_prob_single"),
        *("posterior_prob_linked", "posterior_prob_identified"),
    ),
)
def linkage(
    call: Call,
    focal: Any,
    auxiliary: Any,
    *,
    recoded: Mapping[str, Mapping[str, Mapping[Any, Any] | str]] | None = None,
    targets: Mapping[str, Mapping[str, Mapping[str, object]]] | None = None,
    person_id: str | None = None,
    n_threads: int | None = None,
) -> Tables:
    """Measure how often a person is found in two releases without an identifier.

    Parameters
    ----------
    focal, auxiliary
        Two releases, one record a person, as `microleak.assess` takes them.
    recoded
        Columns that the frames have in different codings, each with the common value of
        every code, by frame: `{"stage": {"focal": {"41": "high", "42": "high"}}}`.
        Codes are texts or integers, or a CSV file with the header `from,to` has them. A
        missing value stays missing.
    targets
        Persons to look for in both, by names of your own, each with known values of
        QIDs by release: `{"somebody": {"focal": {"age": 25}, "auxiliary": {"age":
        26}}}`; None is a missing value, or a person who is not there.
    person_id
        Column of both that names the person and says which links are right.

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
    for role in ("stable", "drifting"):
        check_names("linkage", **{role: call.keys.get(role, ())})
    named = dict(zip(_BOTH, _BOTH, strict=True))
    analysis = call.analysis(**named, recoded=recoded, person_id=person_id)
    if analysis.transition == IDENTIFIERS and person_id is None:
        raise StudyError(
            'linkage: transition is counted by "identifiers", but there is no '
            "identifier. Give person_id."
        )
    releases = {
        "the focal frame": (focal, [*analysis.common, *analysis.sensitive]),
        "the auxiliary frame": (auxiliary, analysis.common),
    }
    alike = [name for name in analysis.common if name not in (recoded or {})]
    people = meeting_with_id("linkage", releases, alike, person_id)
    of_frame = dict(zip(_BOTH, people, strict=True))
    tables = people[0].table, people[1].table
    found = linkage_tables(*tables, analysis, call.resources)
    each = [as_table(TABLES["linked_target"], ())]
    for target, given in named_targets("linkage", targets).items():
        if not given or not {*given} <= {*_BOTH}:
            raise StudyError(
                f"linkage: what is known of the target {target!r} is given by frame, "
                'as {"focal": {"age": 25}, "auxiliary": {"age": 26}}.'
            )
        known = {
            frame: known_texts("linkage", target, of, analysis.qids, of_frame[frame])
            for frame, of in given.items()
        }
        each.append(
            linked_target_table(tables, analysis, target, known, call.resources)
        )
    return found | {"linked_target": pd.concat(each[1:] or each)}
