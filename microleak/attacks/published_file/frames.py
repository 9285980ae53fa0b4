"""Attacks on a frame that somebody else protected or made."""

from typing import Any

import pyarrow as pa

from microleak.attacks.published_file.measure import published_tables
from microleak.attacks.published_file.section import PublishedFile
from microleak.frames import Call, Tables, on_frames
from microleak.records.call import TABLE, People, meeting_people


@on_frames(
    PublishedFile,
    "Published",
    left_out=("published",),
    shown=("qids", "n_alone", "n_singled_out", "n_one_candidate", "linked"),
)
def published_file(
    call: Call,
    frame: Any,
    published: Any,
    *,
    control: Any = None,
    n_threads: int = 1,
) -> Tables:
    """Attack a frame that somebody else protected or made of another.

    Parameters
    ----------
    frame
        Records before, one a person, as `microleak.assess` takes it.
    published
        Records as they are published, whose columns have the same names; rows need not
        be in order, nor as many.
    control
        Records of people of the same kind who are in neither.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60], "ill": ["y", "n", "n", "y"]})
    >>> arx = pd.DataFrame({"age": ["[20, 40[", "*", "[60, 80["], "ill": [*"yny"]})
    >>> found = published_file(people, arx, ["age"], sensitive=["ill"])
    >>> found.published_file[["n_alone", "n_singled_out", "n_one_candidate", "linked"]]
       n_alone  n_singled_out  n_one_candidate  linked
    0        4              0                1   0.625
    """
    given = {"table": TABLE, "release": "published"}
    others = {"table": TABLE, "release": "control"}
    analysis = call.analysis(
        published=given, control=None if control is None else others
    )
    names = [analysis.compared, *([(analysis.key,)] if analysis.key else [])]
    wanted = [name for of in names for name in of]
    each = {
        "the frame": call.people(frame, wanted),
        "the published frame": call.people(published, wanted, "the published frame"),
    }
    if control is not None:
        each["the control"] = call.people(control, analysis.compared, "the control")
    tables = [people.table for people in _meeting(each, wanted)]
    original, after, *rest = tables
    return published_tables(
        original, after, rest[0] if rest else None, analysis, call.resources
    )


def _meeting(each: dict[str, People], names: list[str]) -> list[People]:
    """Return frames in which values of one type meet, and labels stay as they are."""
    alike = []
    for name in names:
        types = [of.types[name] for of in each.values() if name in of.types]
        if len(types) == len(each) and len({*map(pa.types.is_string, types)}) == 1:
            alike.append(name)
    return meeting_people("published_file", each, alike)
